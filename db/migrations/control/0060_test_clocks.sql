-- Test clocks: accounts of the sandbox that belong to another account and live at an instant of their own.

alter table accounts add column parent_id text references accounts (id);
alter table accounts add column clock_at timestamptz;
alter table accounts add constraint accounts_clock check ((parent_id is null) = (clock_at is null));
create index accounts_clocks on accounts (parent_id, created_at, id) where parent_id is not null;

-- The log and the invoices of a test clock go with it; nobody else's can.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'audit_log' then
    perform from accounts where id = (to_jsonb(old) ->> 'account_id') and clock_at is not null;
    if found then return old; end if;
  end if;
  raise exception '% is append-only', tg_table_name;
end $$;

create or replace function keep_invoice() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform from accounts where id = old.account_id and clock_at is not null;
    if found then return old; end if;
  end if;
  if tg_op = 'DELETE' or (new.id, new.account_id, new.number, new.kind, new.period_start, new.period_end, new.issued_at, new.due_at,
       new.lines, new.subtotal_cents, new.tax_cents, new.credit_cents, new.total_cents, new.bill_to)
     is distinct from (old.id, old.account_id, old.number, old.kind, old.period_start, old.period_end, old.issued_at, old.due_at,
       old.lines, old.subtotal_cents, old.tax_cents, old.credit_cents, old.total_cents, old.bill_to) then
    raise exception 'an invoice is final; correct it with a credit note';
  end if;
  return new;
end $$;
