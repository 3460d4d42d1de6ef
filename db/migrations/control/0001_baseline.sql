-- The control plane: accounts, people, keys, limits, usage, money, models, events and the work that outlives a request.
-- One ordinary database, never sharded. Money is integer cents of US dollars. Ids are text with a prefix (`key_`, `inv_`).

-- === Accounts and API keys ===============================================================================

create table accounts (
  id text primary key,
  name text not null,
  plan text not null,
  status text not null default 'active' check (status in ('active', 'suspended', 'closed')),
  created_at timestamptz not null,
  -- Start of the account's billing months, or of its trial; null until a trial's card is on file.
  anchor_at timestamptz,
  -- Terms of a contract that override the plan's.
  contract jsonb,
  -- Allowance of the current month after a change of plan: {"month_start", "standard", "avm"}. Null: the plan's own.
  allowance jsonb,
  -- When a canceled plan is over: live calls are refused from then on.
  ends_at timestamptz,
  -- Why a suspended account is suspended: a payment lifts only a suspension for an unpaid invoice.
  suspended_for text check (suspended_for in ('unpaid', 'operator'))
);

-- A key is stored as its HMAC; the secret is shown once and never kept.
create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  digest bytea not null unique,
  prefix text not null,
  last_four text not null,
  name text not null,
  scopes text[] not null,
  allowed_ips text[] not null default '{}',
  rate_limit_per_hour integer,
  spend_cap_cents bigint,
  created_by text,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  replaced_by text,
  last_used_at timestamptz,
  -- The first key of a rotation: hourly limit and spend cap are counted under it, also while two keys of it work.
  first_id text not null references api_keys (id)
);
create index api_keys_account on api_keys (account_id, created_at, id);

-- === People and how they sign in =========================================================================

create table users (
  id text primary key,
  email text not null,
  -- One form for every spelling of a mailbox: lower case, no tag, no dots where the provider ignores them.
  email_normalized text not null unique,
  name text not null,
  company text,
  -- Null for people who sign in only through single sign-on.
  password_hash text,
  verified_at timestamptz not null,
  totp_secret bytea,
  totp_enabled_at timestamptz,
  totp_last_step bigint not null default 0,
  created_at timestamptz not null,
  -- May run the service: load places and train models on the dashboard.
  operator_since timestamptz
);

create table members (
  account_id text not null references accounts (id),
  user_id text not null references users (id),
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  created_at timestamptz not null,
  primary key (account_id, user_id)
);
create index members_user on members (user_id);

-- Whom an account has removed: single sign-on does not make them members again, an invitation does.
create table removed_members (
  account_id text not null references accounts (id),
  user_id text not null references users (id),
  removed_at timestamptz not null,
  primary key (account_id, user_id)
);

create table sessions (
  id text primary key,
  digest bytea not null unique,
  user_id text not null references users (id),
  account_id text not null references accounts (id),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ip text not null,
  user_agent text not null,
  -- How the session was opened. Single sign-on opens only the account of its connection.
  method text not null default 'password' check (method in ('password', 'passkey', 'sso'))
);
create index sessions_user on sessions (user_id);

-- A sign-up becomes a user only when its link is opened, so nothing set before the mailbox is verified survives.
-- One row per mailbox: a newer sign-up invalidates the older link.
create table sign_ups (
  email_normalized text primary key,
  email text not null,
  name text not null,
  company text,
  password_hash text not null,
  -- HMACs of the link's token and of a cookie in the browser that signed up.
  digest bytea not null unique,
  browser_digest bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- One live reset link per user: a newer one replaces it, and every change of password deletes it.
create table reset_links (
  user_id text primary key references users (id),
  digest bytea not null unique,
  expires_at timestamptz not null
);

-- Attempts at a password or code, counted before they are checked. The subject is the HMAC of an email, whether or not
-- a user has it.
create table sign_in_attempts (
  subject bytea primary key,
  attempts integer not null,
  locked_until timestamptz,
  last_at timestamptz not null
);
create index sign_in_attempts_last on sign_in_attempts (last_at);

-- How often something was done in a window of time: sign-ups per IP, mails per recipient.
create table action_counts (
  subject bytea not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (subject, window_start)
);
create index action_counts_window on action_counts (window_start);

create table recovery_codes (
  user_id text not null references users (id),
  digest bytea not null,
  used_at timestamptz,
  primary key (user_id, digest)
);

create table invitations (
  id text primary key,
  account_id text not null references accounts (id),
  email text not null,
  role text not null check (role in ('admin', 'developer', 'billing', 'viewer')),
  digest bytea not null unique,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  email_normalized text not null
);
create index invitations_account on invitations (account_id);
create index invitations_recipient on invitations (email_normalized, created_at);

-- WebAuthn credentials, and challenges waiting to be signed, each good for one attempt.
create table passkeys (
  id text primary key,
  user_id text not null references users (id),
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id);

create table passkey_challenges (
  challenge text primary key,
  -- Null at sign-in, where the passkey identifies the user.
  user_id text references users (id),
  expires_at timestamptz not null
);
create index passkey_challenges_expiry on passkey_challenges (expires_at);

-- Single sign-on by OpenID Connect: one connection per account.
create table sso_connections (
  account_id text primary key references accounts (id),
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  default_role text not null check (default_role in ('admin', 'developer', 'billing', 'viewer')),
  is_enforced boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- Email domains a connection may vouch for, entered by an operator once the account has proven ownership.
create table sso_domains (
  domain text primary key,
  account_id text not null references accounts (id),
  verified_at timestamptz not null
);
create index sso_domains_account on sso_domains (account_id);

-- Sign-ins in progress.
create table sso_sign_ins (
  state_digest bytea primary key,
  account_id text not null references accounts (id),
  browser_digest bytea not null,
  nonce text not null,
  code_verifier bytea not null,
  expires_at timestamptz not null
);

-- Which user an identity of the provider is.
create table sso_identities (
  account_id text not null references accounts (id),
  issuer text not null,
  subject text not null,
  user_id text not null references users (id),
  created_at timestamptz not null,
  primary key (account_id, issuer, subject)
);

-- === Audit log ===========================================================================================

-- Used by every append-only table.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;

-- Who did what. Each entry carries the hash of the one before it, and none can be changed or removed.
create table audit_log (
  account_id text not null references accounts (id),
  sequence bigint not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  target text,
  details jsonb not null,
  ip text,
  previous_hash bytea,
  hash bytea not null,
  primary key (account_id, sequence)
);
create trigger audit_log_append_only before update or delete on audit_log for each row execute function refuse_change();
create trigger audit_log_no_truncate before truncate on audit_log for each statement execute function refuse_change();

-- State of the log at its last check, signed with our secret: a log that was truncated or rewritten from its start no
-- longer leads to it.
create table audit_checks (
  account_id text primary key references accounts (id),
  checked_at timestamptz not null,
  sequence bigint not null,
  signature bytea not null,
  broken_sequence bigint
);

-- === Limits ==============================================================================================

-- Calls admitted in a sliding window: per second in `rate_cells`, their sum per subject (a limit of an account or of a
-- key) in `rate_windows`. The window remembers its oldest second, so that a call usually touches two rows per limit.
create table rate_windows (
  subject text primary key,
  used integer not null default 0 check (used >= 0),
  oldest_second bigint
) with (fillfactor = 50);

create table rate_cells (
  subject text not null,
  second bigint not null,
  calls integer not null,
  primary key (subject, second)
);

-- Calls per minute of an IP or an account, counted by all processes together. Unlogged: not worth recovering after a crash.
create unlogged table minute_counts (
  subject text not null,
  -- Minutes since 1970.
  minute bigint not null,
  calls integer not null,
  primary key (subject, minute)
);
create index minute_counts_minute on minute_counts (minute);

-- === Usage ===============================================================================================

-- A call is admitted by `admit` (limits, and a hold where a cap is hard), written to a journal on the local disk when its
-- 2xx has been sent, and booked from there in batches.
create table usage_counters (
  account_id text not null references accounts (id),
  meter text not null check (meter in ('standard', 'avm')),
  period_start timestamptz not null,
  used bigint not null default 0 check (used >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  -- The highest threshold announced so far, in percent.
  alerted_percent integer not null default 0,
  -- Set when the period is invoiced, with what had been used by then; usage booked later is billed as a correction.
  closed_at timestamptz,
  closed_used bigint,
  period_end timestamptz,
  primary key (account_id, meter, period_start)
);
create index usage_counters_late on usage_counters (account_id) where used <> closed_used;

-- Overage that a key with a spend cap has caused, or has reserved, in a period.
create table key_spends (
  key_id text not null references api_keys (id),
  period_start timestamptz not null,
  spent_cents bigint not null default 0,
  reserved_cents bigint not null default 0,
  primary key (key_id, period_start)
);

-- Units reserved by calls in progress and by batches.
create table usage_holds (
  id text primary key,
  account_id text not null references accounts (id),
  key_id text,
  meter text not null,
  period_start timestamptz not null,
  units integer not null check (units >= 0),
  overage_units integer not null default 0,
  overage_cents integer not null default 0,
  -- The process that holds it, or null for a batch.
  owner text,
  created_at timestamptz not null
);
create index usage_holds_owner on usage_holds (owner) where owner is not null;
create index usage_holds_counter on usage_holds (account_id, meter, period_start);

create table usage_events (
  id text primary key,
  account_id text not null references accounts (id),
  key_id text,
  meter text not null,
  units integer not null check (units > 0),
  period_start timestamptz not null,
  happened_at timestamptz not null,
  request_id text not null,
  route text not null
);
create index usage_events_account on usage_events (account_id, happened_at);

-- How far each process's journal has been booked.
create table usage_journals (
  id text primary key,
  owner text not null,
  host text not null,
  pid integer not null,
  booked_bytes bigint not null default 0,
  heartbeat_at timestamptz not null,
  closed_at timestamptz
);
create index usage_journals_open on usage_journals (host) where closed_at is null;

create table request_log (
  id bigint generated always as identity primary key,
  request_id text not null,
  account_id text not null,
  key_id text,
  mode text not null,
  at timestamptz not null,
  method text not null,
  route text not null,
  status integer not null,
  duration_ms real not null,
  meter text not null,
  units integer not null,
  error_code text
);
create index request_log_account on request_log (account_id, id desc);
create index request_log_request on request_log (request_id);
create index request_log_at on request_log using brin (at);

-- Request and response of a logged call, for the dashboard: encrypted, and deleted after a day.
create table request_details (
  account_id text not null references accounts (id),
  request_id text not null,
  mode text not null check (mode in ('live', 'test')),
  at timestamptz not null,
  sealed bytea not null,
  primary key (account_id, request_id)
);
create index request_details_at on request_details (at);
create index request_details_of_account on request_details (account_id, mode, at desc);

-- === Admission ===========================================================================================

-- Reserves units if they fit the allowance and the key's spend cap. Returns null, or why they do not fit: 'held' if calls
-- in progress reserve the rest and may give it back, which is worth waiting for; holds of batches last too long for that.
create function hold_units(p_hold jsonb, p_now timestamptz) returns text language plpgsql as $$
declare
  h record;
  v_taken bigint;
  -- Units, later cents, that calls in progress may still release.
  v_passing bigint;
  v_overage integer := 0;
  v_cents integer := 0;
  v_payer text;
  v_spend bigint;
begin
  select * into h from jsonb_to_record(p_hold) as x (id text, account text, key text, meter text, period timestamptz,
    units integer, included bigint, capped boolean, overage_cents integer, spend_cap bigint, owner text);
  insert into usage_counters (account_id, meter, period_start) values (h.account, h.meter, h.period) on conflict do nothing;
  select used + reserved into v_taken from usage_counters
    where account_id = h.account and meter = h.meter and period_start = h.period for update;
  if h.capped and v_taken + h.units > h.included then
    select coalesce(sum(p.units), 0) into v_passing from usage_holds p
      where p.account_id = h.account and p.meter = h.meter and p.period_start = h.period and p.owner is not null;
    return case when v_taken - v_passing + h.units <= h.included then 'held' else 'quota_exhausted' end;
  end if;
  if h.spend_cap is not null and h.overage_cents > 0 then
    v_cents := h.overage_cents;
    v_overage := greatest(0, least(h.units, v_taken + h.units - h.included));
    select first_id into v_payer from api_keys where id = h.key;
    insert into key_spends (key_id, period_start) values (v_payer, h.period) on conflict do nothing;
    select spent_cents + reserved_cents into v_spend from key_spends
      where key_id = v_payer and period_start = h.period for update;
    if v_overage > 0 and v_spend + v_overage * v_cents > h.spend_cap then
      select coalesce(sum(p.overage_units * p.overage_cents), 0) into v_passing
        from usage_holds p join api_keys k on k.id = p.key_id
        where p.account_id = h.account and p.period_start = h.period and p.owner is not null and k.first_id = v_payer;
      return case when v_spend - v_passing + v_overage * v_cents <= h.spend_cap then 'held' else 'spend_cap_reached' end;
    end if;
    update key_spends set reserved_cents = reserved_cents + v_overage * v_cents
      where key_id = v_payer and period_start = h.period and v_overage > 0;
  end if;
  update usage_counters set reserved = reserved + h.units
    where account_id = h.account and meter = h.meter and period_start = h.period;
  insert into usage_holds (id, account_id, key_id, meter, period_start, units, overage_units, overage_cents, owner, created_at)
    values (h.id, h.account, h.key, h.meter, h.period, h.units, v_overage, v_cents, h.owner, p_now);
  return null;
end $$;

-- The second at which enough calls have left a full window for the next one to fit.
create function next_free_second(p_subject text, p_seconds integer, p_excess integer) returns bigint
language sql stable as $$
  select second + p_seconds from (
    select second, sum(calls) over (order by second) as freed from rate_cells where subject = p_subject) c
  where freed >= p_excess order by second limit 1
$$;

-- Locks a window and drops the calls that have left it.
create function open_window(
  p_subject text, p_seconds integer, p_second bigint, out used integer, out oldest_second bigint
) language plpgsql as $$
begin
  select w.used, w.oldest_second into used, oldest_second from rate_windows w where w.subject = p_subject for update;
  if not found then
    insert into rate_windows (subject) values (p_subject) on conflict do nothing;
    select w.used, w.oldest_second into used, oldest_second from rate_windows w where w.subject = p_subject for update;
  end if;
  if oldest_second <= p_second - p_seconds then
    with gone as (
      delete from rate_cells c where c.subject = p_subject and c.second <= p_second - p_seconds returning c.calls)
    select open_window.used - coalesce(sum(gone.calls), 0) into used from gone;
    select min(c.second) into oldest_second from rate_cells c where c.subject = p_subject;
    update rate_windows w set used = open_window.used, oldest_second = open_window.oldest_second where w.subject = p_subject;
  end if;
end $$;

create function count_calls(p_subject text, p_second bigint, p_calls integer) returns void language plpgsql as $$
begin
  if p_calls = 0 then return; end if;
  insert into rate_cells as c (subject, second, calls) values (p_subject, p_second, p_calls)
    on conflict (subject, second) do update set calls = c.calls + p_calls;
  update rate_windows w set used = w.used + p_calls, oldest_second = least(w.oldest_second, p_second) where w.subject = p_subject;
end $$;

-- Decides many requests in one round trip: each is admitted by all of its limits, or refused without leaving a trace.
-- A request is {n, subjects, amounts, seconds, costs, hold}, where the lists have one member per limit; `refused_by` is
-- the position of the limit that refused it, and `used` and `reset_seconds` are those of its limits in their order. Rows
-- are locked in one order everywhere (counters, then windows by subject), so that two processes cannot deadlock.
create function admit(p_now timestamptz, p_second bigint, p_requests jsonb)
returns table (n integer, verdict text, refused_by integer, used integer[], reset_seconds bigint[])
language plpgsql as $$
declare
  w record;
  r record;
  i integer;
  k integer;
  -- The windows of all requests, by the rank of their subject.
  w_subject text[] := '{}';
  w_seconds integer[] := '{}';
  w_used integer[] := '{}';
  w_oldest bigint[] := '{}';
  w_calls integer[] := '{}';
begin
  if jsonb_path_exists(p_requests, '$[*].hold.id') then
    perform 1 from usage_counters c where (c.account_id, c.meter, c.period_start) in (
      select q.request -> 'hold' ->> 'account', q.request -> 'hold' ->> 'meter', (q.request -> 'hold' ->> 'period')::timestamptz
      from jsonb_array_elements(p_requests) as q (request))
      order by c.account_id, c.meter, c.period_start for update;
  else
    -- Losing 200 ms of counts in a crash is cheaper than waiting for the disk on every call.
    perform set_config('synchronous_commit', 'off', true);
  end if;

  for w in select l.subject, max(l.seconds) as seconds
           from jsonb_to_recordset(p_requests) as x (subjects text[], seconds integer[]),
             unnest(x.subjects, x.seconds) as l (subject, seconds)
           group by l.subject order by l.subject collate "C"
  loop
    w_subject := w_subject || w.subject;
    w_seconds := w_seconds || w.seconds;
    select w_used || o.used, w_oldest || o.oldest_second into w_used, w_oldest
      from open_window(w.subject, w.seconds, p_second) o;
    w_calls := w_calls || 0;
  end loop;

  for r in select x.n, x.subjects, x.amounts, x.costs, x.hold from jsonb_to_recordset(p_requests)
             as x (n integer, subjects text[], amounts integer[], costs integer[], hold jsonb) order by x.n
  loop
    n := r.n;
    refused_by := null;
    for i in 1 .. cardinality(r.subjects) loop
      if w_used[array_position(w_subject, r.subjects[i])] + r.costs[i] > r.amounts[i] then
        refused_by := i;
        exit;
      end if;
    end loop;
    verdict := case when refused_by is not null then 'rate_limited'
      when jsonb_typeof(r.hold) = 'object' then coalesce(hold_units(r.hold, p_now), 'admitted')
      else 'admitted' end;
    used := '{}';
    reset_seconds := '{}';
    for i in 1 .. cardinality(r.subjects) loop
      k := array_position(w_subject, r.subjects[i]);
      if verdict = 'admitted' then
        w_used[k] := w_used[k] + r.costs[i];
        w_calls[k] := w_calls[k] + r.costs[i];
        w_oldest[k] := least(w_oldest[k], p_second);
      end if;
      used := used || w_used[k];
      if i = refused_by then
        -- The second at which it opens depends on the calls of this batch too.
        perform count_calls(w_subject[k], p_second, w_calls[k]);
        w_calls[k] := 0;
        reset_seconds := reset_seconds
          || next_free_second(w_subject[k], w_seconds[k], w_used[k] + r.costs[i] - r.amounts[i]);
      else
        reset_seconds := reset_seconds || (w_oldest[k] + w_seconds[k]);
      end if;
    end loop;
    return next;
  end loop;

  for k in 1 .. cardinality(w_subject) loop
    perform count_calls(w_subject[k], p_second, w_calls[k]);
  end loop;
end $$;

-- === Idempotency =========================================================================================

-- `Idempotency-Key` on any POST: the first request with a key claims its row, and its response is kept for 24 hours,
-- encrypted, because it may hold a secret that is shown only once.
create table idempotent_requests (
  account_id text not null,
  mode text not null check (mode in ('live', 'test', 'session')),
  key text not null,
  digest bytea not null,
  claim_id text not null,
  claimed_until timestamptz not null,
  status integer,
  answer bytea,
  created_at timestamptz not null,
  primary key (account_id, mode, key)
);
create index idempotent_requests_age on idempotent_requests (created_at);

-- === Billing =============================================================================================

create table subscriptions (
  account_id text primary key references accounts (id),
  provider text not null check (provider in ('stripe', 'manual')),
  customer_ref text,
  -- Reference, brand, last four digits, expiry and fingerprint from the provider; never the card number.
  card jsonb,
  trial_started_at timestamptz,
  status text not null default 'none' check (status in ('none', 'trialing', 'active', 'past_due', 'canceled')),
  -- How the fee is charged, and the term it has been charged for.
  billing_interval text not null default 'month' check (billing_interval in ('month', 'year')),
  term_start timestamptz,
  term_end timestamptz,
  -- Start of the month whose usage has not been invoiced yet.
  month_start timestamptz,
  -- What begins at the end of the term or trial.
  next_plan text,
  next_interval text check (next_interval in ('month', 'year')),
  cancels_at_end boolean not null default false,
  invoice_count integer not null default 0,
  credit_note_count integer not null default 0
);
create index subscriptions_month on subscriptions (month_start) where status in ('active', 'past_due');

-- One trial per card.
create table trial_cards (
  fingerprint text primary key,
  account_id text not null references accounts (id),
  at timestamptz not null
);

-- Usage is rated under the plan it was used under: a change of plan in the middle of a month ends a stretch of it.
create table plan_stretches (
  account_id text not null references accounts (id),
  -- Start of the billing month that the stretch is part of.
  month_start timestamptz not null,
  ended_at timestamptz not null,
  -- The plan and contract in force up to that moment.
  plan text not null,
  contract jsonb,
  primary key (account_id, month_start, ended_at)
);

-- Tax, at the rate of the place the customer is billed in.
create table tax_rates (
  -- A country, or a country and a region: US, US-WA.
  place text primary key check (place ~ '^[A-Z]{2}(-[A-Z0-9]{1,3})?$'),
  name text not null,
  -- Parts per million: 10.25 % is 102500.
  rate_ppm integer not null check (rate_ppm between 0 and 1000000),
  updated_at timestamptz not null
);

create table billing_details (
  account_id text primary key references accounts (id),
  name text not null,
  lines text[] not null default '{}',
  country text not null check (country ~ '^[A-Z]{2}$'),
  region text check (region ~ '^[A-Z0-9]{1,3}$'),
  tax_id text,
  updated_at timestamptz not null
);

create table invoices (
  id text primary key,
  account_id text not null references accounts (id),
  number text not null unique,
  kind text not null check (kind in ('start', 'renewal', 'upgrade', 'final', 'correction')),
  status text not null check (status in ('open', 'paid', 'void', 'uncollectible')),
  period_start timestamptz not null,
  period_end timestamptz not null,
  issued_at timestamptz not null,
  due_at timestamptz not null,
  lines jsonb not null,
  subtotal_cents bigint not null,
  credit_cents bigint not null check (credit_cents >= 0),
  total_cents bigint not null check (total_cents >= 0),
  paid_at timestamptz,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- A plan begins when its invoice is paid; until then the invoice holds the change it will apply.
  applies jsonb,
  tax_cents bigint not null default 0 check (tax_cents >= 0),
  -- Name and address of the customer as of the day of issue.
  bill_to jsonb,
  constraint invoices_sum check (subtotal_cents + tax_cents - credit_cents = total_cents)
);
create index invoices_account on invoices (account_id, issued_at desc, id);
create index invoices_due on invoices (next_attempt_at) where status = 'open';
-- A month is invoiced once, even if two processes try.
create unique index invoices_once on invoices (account_id, kind, period_start) where kind in ('renewal', 'final') and status <> 'void';

create function keep_invoice() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (new.id, new.account_id, new.number, new.kind, new.period_start, new.period_end, new.issued_at, new.due_at,
       new.lines, new.subtotal_cents, new.tax_cents, new.credit_cents, new.total_cents, new.bill_to)
     is distinct from (old.id, old.account_id, old.number, old.kind, old.period_start, old.period_end, old.issued_at, old.due_at,
       old.lines, old.subtotal_cents, old.tax_cents, old.credit_cents, old.total_cents, old.bill_to) then
    raise exception 'an invoice is final; correct it with a credit note';
  end if;
  return new;
end $$;
create trigger invoices_final before update or delete on invoices for each row execute function keep_invoice();

create table credit_notes (
  id text primary key,
  account_id text not null references accounts (id),
  invoice_id text not null references invoices (id),
  number text not null unique,
  issued_at timestamptz not null,
  reason text not null,
  lines jsonb not null,
  total_cents bigint not null check (total_cents > 0)
);
create trigger credit_notes_final before update or delete on credit_notes for each row execute function refuse_change();

-- The balance of an account is the sum of its rows; each says where the credit came from or went.
create table credits (
  id text primary key,
  account_id text not null references accounts (id),
  amount_cents bigint not null check (amount_cents <> 0),
  reason text not null,
  invoice_id text references invoices (id),
  created_at timestamptz not null
);
create index credits_account on credits (account_id);
create trigger credits_append_only before update or delete on credits for each row execute function refuse_change();

-- A payment attempt is written before the card is charged, with the card it is made on: after a crash, or in a second
-- process, the same attempt is repeated and never another one made.
create table payments (
  id text primary key,
  account_id text not null references accounts (id),
  invoice_id text not null references invoices (id),
  attempt integer not null,
  amount_cents bigint not null,
  status text not null check (status in ('started', 'pending', 'succeeded', 'declined')),
  reference text,
  reason text,
  at timestamptz not null,
  card jsonb
);
create index payments_invoice on payments (invoice_id);
create unique index payments_under_way on payments (invoice_id) where status in ('started', 'pending');

-- Money returned to the card for a credit note that does not become credit.
create table refunds (
  id text primary key,
  account_id text not null references accounts (id),
  invoice_id text not null references invoices (id),
  payment_id text not null references payments (id),
  credit_note_id text not null references credit_notes (id),
  amount_cents bigint not null check (amount_cents > 0),
  status text not null check (status in ('started', 'succeeded', 'failed')),
  reference text,
  reason text not null,
  at timestamptz not null
);
create index refunds_started on refunds (at) where status = 'started';

-- === Models and valuations ===============================================================================

-- A model is stored whole, so that every process serves the same bytes and a receipt can be replayed.
create table models (
  version text primary key,
  market text not null,
  -- `current` serves; `earlier` serves valuations as of a past day; `refused` was worse than the current one.
  state text not null check (state in ('current', 'earlier', 'refused')),
  trained_on date not null,
  hash text not null,
  card jsonb not null,
  bytes bytea not null,
  created_at timestamptz not null,
  -- An operator keeps it serving whatever is trained; then it is the current one.
  pinned boolean not null default false check (not pinned or state = 'current')
);
create unique index models_current on models (market) where state = 'current';
create index models_market on models (market, trained_on);

-- A market snapshot: a model together with its market's sales in the form that a process serves from. Derived data; it
-- can be rebuilt from both.
create table model_books (
  hash text primary key,
  -- The loads that the sales come from.
  snapshot text not null,
  -- Version of the file format.
  format integer not null,
  size bigint not null,
  created_at timestamptz not null
);

create table model_book_chunks (
  hash text not null references model_books (hash) on delete cascade,
  number integer not null,
  -- Compressed, with a checksum.
  bytes bytea not null,
  primary key (hash, number)
);
alter table model_book_chunks alter column bytes set storage external;

-- Receipts. `document` is JSON (request, inputs, result) that arrives compressed: parsing and compressing it in PostgreSQL
-- took longer than the valuation itself.
create table valuations (
  id text primary key,
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  property_id text,
  market text not null,
  model_version text not null,
  model_hash text not null,
  as_of date not null,
  created_at timestamptz not null,
  document bytea not null,
  -- The anchor that covers the receipt; null while it waits for one.
  anchor_id bigint
);
alter table valuations alter column document set storage external;
create index valuations_account on valuations (account_id, created_at, id);
-- Receipts are deleted by age.
create index valuations_created on valuations using brin (created_at);
create index valuations_unanchored on valuations (account_id, created_at, id)
  where anchor_id is null;

-- The Merkle root over the hashes of an account's receipts is an entry of its audit log. The hashes stay when a receipt
-- is deleted by age, so that the others can still be proven.
create table receipt_anchors (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  root bytea not null,
  receipts integer not null,
  hashes bytea not null,
  audit_sequence bigint not null,
  anchored_at timestamptz not null
);
alter table receipt_anchors alter column hashes set storage external;
create index receipt_anchors_account on receipt_anchors (account_id, id);

-- The latest quality report of each market.
create table quality_reports (
  market text primary key,
  model_version text not null,
  -- Identifies the data the report was computed from; a different token makes it due again.
  token text not null,
  report jsonb not null,
  measured_at timestamptz not null
);

-- Seals of the standing random sample of each market: the root over its values, signed (Ed25519).
create table sample_seals (
  market text not null,
  sampled_on date not null,
  model text not null,
  homes integer not null,
  root bytea not null,
  sealed_at timestamptz not null,
  signature bytea not null,
  primary key (market, sampled_on, model)
);
create trigger sample_seals_append_only before update or delete on sample_seals for each row execute function refuse_change();
create trigger sample_seals_no_truncate before truncate on sample_seals for each statement execute function refuse_change();

-- Lender's files.
create table reports (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  property_id text not null,
  valuation_id text not null,
  reference text,
  address text,
  outcome text not null,
  estimated_value bigint not null,
  -- SHA-256 of the report's JSON with sorted keys.
  sha256 bytea not null,
  -- The report and the contents of its map: compressed JSON.
  document bytea not null,
  map bytea not null,
  created_at timestamptz not null
);
create index reports_of_account on reports (account_id, mode, created_at, id);
create index reports_created on reports using brin (created_at);

-- The rules of an account that its lender's files are checked against.
create table report_rules (
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  rules jsonb not null,
  updated_at timestamptz not null,
  primary key (account_id, mode)
);

-- === Events and webhooks =================================================================================

-- The outbox: an event is written in the same transaction as the fact itself, and webhooks are fanned out from here.
-- `source_key` names what an event was made from, so that making it twice makes it once.
create table events (
  id text primary key,
  sequence bigint generated always as identity,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  type text not null,
  data jsonb not null,
  source_key text,
  occurred_at timestamptz not null,
  fanned_out_at timestamptz
);
create unique index events_source on events (account_id, source_key);
create index events_list on events (account_id, mode, sequence);
create index events_waiting on events (sequence) where fanned_out_at is null;
create index events_occurred on events using brin (occurred_at);

-- Secrets are encrypted under a key that is not in the database.
create table webhook_endpoints (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  url text not null,
  description text not null default '',
  events text[] not null,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text,
  secrets bytea not null,
  failing_since timestamptz,
  warnings smallint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhook_endpoints_account on webhook_endpoints (account_id, mode, created_at, id);

-- One row per event and endpoint: the unique key makes fan-out safe to repeat.
create table webhook_deliveries (
  id text primary key,
  endpoint_id text not null references webhook_endpoints (id) on delete cascade,
  account_id text not null,
  mode text not null,
  event_id text not null references events (id) on delete cascade,
  event_type text not null,
  sequence bigint not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  attempts integer not null default 0,
  -- Attempts before the last resend on request, which restarts the retry schedule.
  attempts_before integer not null default 0,
  next_attempt_at timestamptz,
  locked_until timestamptz,
  last_response_status integer,
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (endpoint_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where status = 'pending';
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, sequence) where status = 'pending';
create index webhook_deliveries_list on webhook_deliveries (endpoint_id, created_at, id);
create index webhook_deliveries_event on webhook_deliveries (event_id);

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  attempt integer not null,
  attempted_at timestamptz not null,
  duration_ms integer not null,
  response_status integer,
  response_body text,
  error text,
  primary key (delivery_id, attempt)
);

-- === Watchlists ==========================================================================================

-- Properties whose changes become events of an account. Properties that match a filter are stored as members too and kept
-- in step with the records, so that entering and leaving can be reported.
create table watchlists (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  name text not null,
  -- Null: a list of property ids.
  filter jsonb,
  events text[] not null,
  valuation_change_percent real not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Null until the properties of the filter have been collected.
  refreshed_at timestamptz,
  -- Report when the total value has moved by this much since the total last reported.
  total_change_percent real,
  told_total bigint,
  total_checked_at timestamptz
);
create index watchlists_account on watchlists (account_id, mode, created_at, id);
create index watchlists_unfilled on watchlists (created_at) where refreshed_at is null;

create table watchlist_members (
  watchlist_id text not null references watchlists (id) on delete cascade,
  property_id text collate "C" not null,
  -- The value at the last valuation event, or on entry: small changes add up.
  value bigint,
  added_at timestamptz not null,
  primary key (watchlist_id, property_id)
);
create index watchlist_members_property on watchlist_members (property_id);

-- How far each reader of the data plane's changes has read; written in the transaction of what it produced from them.
create table relay_positions (
  name text primary key,
  xid text not null,
  seq bigint not null,
  relayed_at timestamptz not null,
  -- The epoch of the data plane (`feed_epochs` there) that the position belongs to.
  epoch text not null
);

-- === Batches =============================================================================================

-- Many addresses at once. An item is claimed, answered and charged in one transaction, so that a killed worker leaves it
-- untouched: neither lost, nor repeated, nor charged twice.
create table batches (
  id text primary key,
  account_id text not null references accounts (id),
  key_id text not null,
  mode text not null check (mode in ('live', 'test')),
  type text not null,
  include text[] not null,
  state text not null check (state in ('queued', 'running', 'completed', 'failed', 'canceled', 'expired')),
  total integer not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  used_standard integer not null default 0,
  used_avm integer not null default 0,
  hold_id text,
  trouble integer not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  results_deleted_at timestamptz,
  -- Names of the customer's own columns in their order, for the header of a CSV of results.
  metadata_names text[] not null default '{}'
);
create index batches_account on batches (account_id, mode, created_at, id);
create index batches_open on batches (created_at) where state in ('queued', 'running');
create index batches_finished on batches (finished_at) where results_deleted_at is null;

create table batch_items (
  batch_id text not null references batches (id) on delete cascade,
  ordinal integer not null,
  custom_id text not null,
  input jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'canceled', 'expired')),
  result jsonb,
  error jsonb,
  finished_at timestamptz,
  -- Returned with the item unchanged: the other columns of a spreadsheet, or `metadata` of a JSON item.
  metadata jsonb,
  primary key (batch_id, ordinal),
  unique (batch_id, custom_id)
);
create index batch_items_pending on batch_items (batch_id, ordinal) where status = 'pending';

-- Fairness: the account served longest ago comes first, so that a big batch does not starve a small one.
create table batch_turns (
  account_id text primary key,
  served_at timestamptz not null
);

-- === Exports =============================================================================================

-- Datasets delivered as files, once or on a schedule. Credentials are encrypted under a key that is not in the database.
-- A run holds a lease while it works; one that lost its lease is run again and overwrites its own files.
create table exports (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  name text not null,
  dataset text not null,
  format text not null check (format in ('parquet', 'ndjson', 'csv')),
  kind text not null check (kind in ('full', 'delta')),
  filter jsonb,
  destination jsonb not null,
  credentials bytea,
  schedule text not null check (schedule in ('once', 'hourly', 'daily', 'weekly')),
  is_paused boolean not null default false,
  may_read_owners boolean not null,
  key_id text not null,
  next_run_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index exports_account on exports (account_id, mode, created_at, id);
create index exports_due on exports (next_run_at) where not is_paused;

create table export_runs (
  id text primary key,
  export_id text not null references exports (id) on delete cascade,
  account_id text not null,
  mode text not null,
  state text not null check (state in ('queued', 'running', 'delivered', 'failed')),
  kind text not null check (kind in ('full', 'delta')),
  attempts integer not null default 0,
  row_count bigint not null default 0,
  byte_count bigint not null default 0,
  file_count integer not null default 0,
  manifest_key text,
  from_xid text,
  from_seq bigint,
  to_xid text,
  to_seq bigint,
  error text,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  -- Set when the run's files were deleted.
  expired_at timestamptz,
  to_epoch text
);
create index export_runs_export on export_runs (export_id, created_at, id);
create index export_runs_kept on export_runs (account_id, mode, created_at) where state = 'delivered' and expired_at is null;

-- Runs per account and day, counted separately so that deleting an export does not reset its daily cap.
create table export_days (
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  day date not null,
  runs integer not null,
  primary key (account_id, mode, day)
);

-- === Running the service =================================================================================

-- A place that an operator is bringing in on the dashboard.
create table county_drafts (
  id text primary key,
  place jsonb not null,
  -- Name of the file in the draft's folder; `url` is where it came from if it was not uploaded.
  file_name text not null,
  file_bytes bigint,
  received_bytes bigint not null default 0,
  url text,
  -- How to read the file, and the meanings that a person gave its columns.
  reading jsonb not null default '{}',
  meanings jsonb not null default '{}',
  summary jsonb,
  recipe text,
  recipe_version integer not null default 0,
  is_recipe_edited boolean not null default false,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index county_drafts_age on county_drafts (created_at);

-- Every job: loads, trainings, steps of a county, export runs, and schedules.
create table jobs (
  id text primary key,
  name text not null,
  -- The market, source, draft, export run or schedule that it is about.
  subject text not null,
  key text not null,
  payload jsonb not null default '{}',
  -- Only a worker on this machine may claim it.
  host text,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'canceled')),
  run_at timestamptz not null,
  -- Renewed by the worker; past it, another worker may claim the job.
  leased_until timestamptz,
  attempts integer not null default 0,
  -- Fencing token: incremented by every claim, so that a worker whose lease expired can no longer write.
  fence bigint not null default 0,
  is_cancel_requested boolean not null default false,
  progress jsonb,
  result jsonb,
  error text,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
-- At most one open job has a given key: a market is not trained twice at once.
create unique index jobs_open on jobs (key) where state in ('queued', 'running');
create index jobs_due on jobs (run_at) where state in ('queued', 'running');
create index jobs_of_subject on jobs (subject, name, created_at);
create index jobs_finished on jobs (finished_at) where state in ('done', 'failed', 'canceled');

-- Every backup attempted: a failed one is shown to operators until a later one succeeds.
create table backups (
  id text primary key,
  target text not null,
  is_scheduled boolean not null,
  state text not null check (state in ('running', 'finished', 'failed')),
  started_at timestamptz not null,
  finished_at timestamptz,
  byte_count bigint,
  error text
);
create index backups_started on backups (started_at);

-- Metrics that need a query: the worker measures them once a minute, and every process exposes the result.
create table measurements (
  name text not null,
  labels jsonb not null default '{}',
  value double precision not null,
  measured_at timestamptz not null,
  primary key (name, labels)
);

-- Availability of each component per minute, kept for some days. A minute without a row was not measured and counts as
-- down.
create table status_minutes (
  minute timestamptz not null,
  component text not null,
  probes integer not null default 0,
  probes_failed integer not null default 0,
  requests integer not null default 0,
  errors integer not null default 0,
  primary key (minute, component)
);

create table status_days (
  day date not null,
  component text not null,
  first_minute timestamptz not null,
  measured integer not null,
  down integer not null,
  primary key (day, component)
);

create table status_incidents (
  component text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  cause text not null check (cause in ('failures', 'not_measured')),
  primary key (component, started_at)
);
create index status_incidents_ended on status_incidents (ended_at);

-- The sandbox key with which the worker probes the service; the account is ours.
create table status_probe (
  only_row boolean primary key default true check (only_row),
  account_id text not null references accounts (id),
  key bytea not null
);
