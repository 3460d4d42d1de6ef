-- Money: subscriptions, invoices that never change, payments, credit. Everything in integer cents of US dollars.

create table subscriptions (
  account_id text primary key references accounts (id),
  provider text not null check (provider in ('stripe', 'manual')),
  customer_ref text,
  -- What the provider tells of the card: reference, brand, last four, expiry, fingerprint. Never its number.
  card jsonb,
  trial_started_at timestamptz,
  status text not null default 'none' check (status in ('none', 'trialing', 'active', 'past_due', 'canceled')),
  -- How the fee is charged, and the stretch it has been charged for.
  billing_interval text not null default 'month' check (billing_interval in ('month', 'year')),
  term_start timestamptz,
  term_end timestamptz,
  -- Start of the month whose usage has not been invoiced yet.
  month_start timestamptz,
  -- What follows at the end of the term, or of the trial.
  next_plan text,
  next_interval text check (next_interval in ('month', 'year')),
  cancels_at_end boolean not null default false,
  invoice_count integer not null default 0,
  credit_note_count integer not null default 0
);
create index subscriptions_month on subscriptions (month_start) where status in ('active', 'past_due');

-- One trial a card.
create table trial_cards (
  fingerprint text primary key,
  account_id text not null references accounts (id),
  at timestamptz not null
);

create table invoices (
  id text primary key,
  account_id text not null references accounts (id),
  number text not null unique,
  kind text not null check (kind in ('start', 'renewal', 'upgrade', 'final')),
  status text not null check (status in ('open', 'paid', 'void', 'uncollectible')),
  period_start timestamptz not null,
  period_end timestamptz not null,
  issued_at timestamptz not null,
  due_at timestamptz not null,
  lines jsonb not null,
  subtotal_cents bigint not null,
  credit_cents bigint not null check (credit_cents >= 0),
  total_cents bigint not null check (total_cents >= 0),
  -- The plan to return to if this first payment is declined.
  restores jsonb,
  paid_at timestamptz,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  check (subtotal_cents - credit_cents = total_cents)
);
create index invoices_account on invoices (account_id, issued_at desc, id);
create index invoices_due on invoices (next_attempt_at) where status = 'open';
-- A month is invoiced once, whoever asks.
create unique index invoices_once on invoices (account_id, kind, period_start) where kind in ('renewal', 'final') and status <> 'void';

create function keep_invoice() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (new.id, new.account_id, new.number, new.kind, new.period_start, new.period_end, new.issued_at, new.due_at,
       new.lines, new.subtotal_cents, new.credit_cents, new.total_cents)
     is distinct from (old.id, old.account_id, old.number, old.kind, old.period_start, old.period_end, old.issued_at, old.due_at,
       old.lines, old.subtotal_cents, old.credit_cents, old.total_cents) then
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

-- What an account has to its credit is the sum; each row says where it came from or went.
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

create table payments (
  id text primary key,
  account_id text not null references accounts (id),
  invoice_id text not null references invoices (id),
  attempt integer not null,
  amount_cents bigint not null,
  status text not null check (status in ('succeeded', 'declined', 'pending')),
  reference text,
  reason text,
  at timestamptz not null
);
create index payments_invoice on payments (invoice_id);

-- Webhooks of the payment provider that were handled: a second delivery changes nothing.
create table provider_events (
  id text primary key,
  at timestamptz not null
);
