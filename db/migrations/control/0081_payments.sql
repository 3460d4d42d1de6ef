-- A plan begins when its invoice is paid; until then the invoice remembers what it will set in motion.
alter table invoices add column applies jsonb;
alter table invoices drop column restores;

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
alter table invoices add column tax_cents bigint not null default 0 check (tax_cents >= 0);
-- Who the invoice is made out to, as it was on that day.
alter table invoices add column bill_to jsonb;
alter table invoices drop constraint invoices_check;
alter table invoices add constraint invoices_sum check (subtotal_cents + tax_cents - credit_cents = total_cents);

create or replace function keep_invoice() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (new.id, new.account_id, new.number, new.kind, new.period_start, new.period_end, new.issued_at, new.due_at,
       new.lines, new.subtotal_cents, new.tax_cents, new.credit_cents, new.total_cents, new.bill_to)
     is distinct from (old.id, old.account_id, old.number, old.kind, old.period_start, old.period_end, old.issued_at, old.due_at,
       old.lines, old.subtotal_cents, old.tax_cents, old.credit_cents, old.total_cents, old.bill_to) then
    raise exception 'an invoice is final; correct it with a credit note';
  end if;
  return new;
end $$;

-- An attempt is written down before the card is charged, with the card it is made on: after a crash, or in a second process,
-- the same attempt is asked for again, never another one.
alter table payments drop constraint payments_status_check;
alter table payments add constraint payments_status_check check (status in ('started', 'pending', 'succeeded', 'declined'));
alter table payments add column card jsonb;
-- Older pending attempts are settled by what the provider says of their invoice.
update payments p set status = 'declined', reason = 'superseded'
  where status = 'pending' and exists (
    select 1 from payments q where q.invoice_id = p.invoice_id and (q.attempt, q.at) > (p.attempt, p.at)
  );
update payments p set status = 'declined', reason = 'superseded'
  where status = 'pending' and exists (select 1 from invoices i where i.id = p.invoice_id and i.status <> 'open');
create unique index payments_under_way on payments (invoice_id) where status in ('started', 'pending');

-- Money sent back to the card, for a credit note that does not become credit.
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

-- Settling a payment happens once by its own row, so that webhooks need no list of their own.
drop table provider_events;
