-- Limits, meters and the request log. A call is admitted by `admit` (rate, and a hold where a cap is hard), written to a
-- journal on the local disk when its 2xx has been sent, and booked from there in batches.

-- The start of the account's billing months, or of its trial; null until a trial's card is on file.
alter table accounts add column anchor_at timestamptz;
update accounts set anchor_at = created_at;
-- What a contract changes in the plan's terms.
alter table accounts add column contract jsonb;

-- The sliding hour: the calls of each second, and their running sum per subject (an account's mode, or a key).
create table rate_windows (
  subject text primary key,
  used integer not null default 0 check (used >= 0)
) with (fillfactor = 50);

create table rate_cells (
  subject text not null,
  second bigint not null,
  calls integer not null,
  primary key (subject, second)
);

create table usage_counters (
  account_id text not null references accounts (id),
  meter text not null check (meter in ('standard', 'avm')),
  period_start timestamptz not null,
  used bigint not null default 0 check (used >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  -- The highest threshold announced, in percent.
  alerted_percent integer not null default 0,
  -- Set when the period is invoiced: late usage goes to the next one.
  closed_at timestamptz,
  primary key (account_id, meter, period_start)
);

-- Overage a key with a spend cap has caused and may still cause in a period.
create table key_spends (
  key_id text not null references api_keys (id),
  period_start timestamptz not null,
  spent_cents bigint not null default 0,
  reserved_cents bigint not null default 0,
  primary key (key_id, period_start)
);

create table usage_holds (
  id text primary key,
  account_id text not null references accounts (id),
  key_id text,
  meter text not null,
  period_start timestamptz not null,
  units integer not null check (units >= 0),
  overage_units integer not null default 0,
  overage_cents integer not null default 0,
  -- The process that answers for it, or null for a hold that a batch owns.
  owner text,
  created_at timestamptz not null
);
create index usage_holds_owner on usage_holds (owner) where owner is not null;

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

-- Whether `units` more fit the allowance and the key's spend cap; if so they are held. Null, or why not.
create function hold_units(p_hold jsonb, p_now timestamptz) returns text language plpgsql as $$
declare
  h record;
  v_taken bigint;
  v_overage integer := 0;
  v_cents integer := 0;
  v_spend bigint;
begin
  select * into h from jsonb_to_record(p_hold) as x (id text, account text, key text, meter text, period timestamptz,
    units integer, included bigint, capped boolean, overage_cents integer, spend_cap bigint, owner text);
  insert into usage_counters (account_id, meter, period_start) values (h.account, h.meter, h.period) on conflict do nothing;
  select used + reserved into v_taken from usage_counters
    where account_id = h.account and meter = h.meter and period_start = h.period for update;
  if h.capped and v_taken + h.units > h.included then return 'quota_exhausted'; end if;
  if h.spend_cap is not null and h.overage_cents > 0 then
    v_cents := h.overage_cents;
    v_overage := greatest(0, least(h.units, v_taken + h.units - h.included));
    insert into key_spends (key_id, period_start) values (h.key, h.period) on conflict do nothing;
    select spent_cents + reserved_cents into v_spend from key_spends
      where key_id = h.key and period_start = h.period for update;
    if v_overage > 0 and v_spend + v_overage * v_cents > h.spend_cap then return 'spend_cap_reached'; end if;
    update key_spends set reserved_cents = reserved_cents + v_overage * v_cents
      where key_id = h.key and period_start = h.period and v_overage > 0;
  end if;
  update usage_counters set reserved = reserved + h.units
    where account_id = h.account and meter = h.meter and period_start = h.period;
  insert into usage_holds (id, account_id, key_id, meter, period_start, units, overage_units, overage_cents, owner, created_at)
    values (h.id, h.account, h.key, h.meter, h.period, h.units, v_overage, v_cents, h.owner, p_now);
  return null;
end $$;

-- When enough calls have left a full window for one more to fit.
create function next_free_second(p_subject text, p_excess integer) returns bigint language sql stable as $$
  select second + 3600 from (
    select second, sum(calls) over (order by second) as freed from rate_cells where subject = p_subject) c
  where freed > p_excess order by second limit 1
$$;

-- Many requests in one round trip: each is admitted, or refused without leaving a trace. Rows are locked in one order
-- everywhere (windows, counters, then the rest), so that two processes never wait for each other in a circle.
create function admit(p_now timestamptz, p_second bigint, p_requests jsonb)
returns table (n integer, verdict text, used integer, reset_second bigint, key_used integer, key_reset_second bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  r record;
  v_subjects text[];
  v_used integer;
  v_key_used integer;
  v_refusal text;
begin
  select array_agg(distinct s order by s) into v_subjects from (
    select x.subject as s from jsonb_to_recordset(p_requests) as x (subject text)
    union select x.key_subject from jsonb_to_recordset(p_requests) as x (key_subject text) where x.key_subject is not null) all_subjects;
  insert into rate_windows (subject) select unnest(v_subjects) on conflict do nothing;
  perform 1 from rate_windows w where w.subject = any (v_subjects) order by w.subject for update;
  with gone as (
    delete from rate_cells c where c.subject = any (v_subjects) and c.second <= p_second - 3600
    returning c.subject, c.calls),
  freed as (select g.subject, sum(g.calls) as calls from gone g group by g.subject)
  update rate_windows w set used = w.used - f.calls from freed f where w.subject = f.subject;

  if not exists (select 1 from jsonb_array_elements(p_requests) as q (request) where q.request -> 'hold' is not null
                 and jsonb_typeof(q.request -> 'hold') = 'object') then
    -- A window that forgets 200 ms in a crash of the server is worth not waiting for its disk on every call.
    perform set_config('synchronous_commit', 'off', true);
  else
    perform 1 from usage_counters c where (c.account_id, c.meter, c.period_start) in (
      select q.request -> 'hold' ->> 'account', q.request -> 'hold' ->> 'meter', (q.request -> 'hold' ->> 'period')::timestamptz
      from jsonb_array_elements(p_requests) as q (request))
      order by c.account_id, c.meter, c.period_start for update;
  end if;

  for r in select x.n, x.subject, x.lim, x.key_subject, x.key_lim, x.hold
           from jsonb_to_recordset(p_requests) as x (n integer, subject text, lim integer, key_subject text, key_lim integer, hold jsonb)
           order by x.n
  loop
    n := r.n;
    v_refusal := null;
    select w.used into v_used from rate_windows w where w.subject = r.subject;
    v_key_used := null;
    if r.key_subject is not null then
      select w.used into v_key_used from rate_windows w where w.subject = r.key_subject;
    end if;
    if v_used >= r.lim then
      v_refusal := 'rate_limited';
    elsif v_key_used >= r.key_lim then
      v_refusal := 'key_limited';
    elsif jsonb_typeof(r.hold) = 'object' then
      v_refusal := hold_units(r.hold, p_now);
    end if;
    if v_refusal is null then
      insert into rate_cells as c (subject, second, calls) values (r.subject, p_second, 1)
        on conflict (subject, second) do update set calls = c.calls + 1;
      update rate_windows w set used = w.used + 1 where w.subject = r.subject;
      v_used := v_used + 1;
      if r.key_subject is not null then
        insert into rate_cells as c (subject, second, calls) values (r.key_subject, p_second, 1)
          on conflict (subject, second) do update set calls = c.calls + 1;
        update rate_windows w set used = w.used + 1 where w.subject = r.key_subject;
        v_key_used := v_key_used + 1;
      end if;
    end if;
    verdict := coalesce(v_refusal, 'admitted');
    used := v_used;
    key_used := v_key_used;
    reset_second := case when v_refusal = 'rate_limited' then next_free_second(r.subject, v_used - r.lim)
      else (select min(c.second) + 3600 from rate_cells c where c.subject = r.subject) end;
    key_reset_second := case when r.key_subject is null then null
      when v_refusal = 'key_limited' then next_free_second(r.key_subject, v_key_used - r.key_lim)
      else (select min(c.second) + 3600 from rate_cells c where c.subject = r.key_subject) end;
    return next;
  end loop;
end $$;
