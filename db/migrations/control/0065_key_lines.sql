-- A rotated key goes on where its predecessor was: the hourly limit and the spend cap of a line of keys are counted
-- under its first one, also while two of them work.
alter table api_keys add column first_id text references api_keys (id);
with recursive line as (
  select k.id, k.id as first_id, k.replaced_by from api_keys k
    where not exists (select from api_keys o where o.replaced_by = k.id)
  union all
  select k.id, line.first_id, k.replaced_by from line join api_keys k on k.id = line.replaced_by
)
update api_keys k set first_id = line.first_id from line where line.id = k.id;
alter table api_keys alter column first_id set not null;

insert into key_spends (key_id, period_start, spent_cents, reserved_cents)
  select k.first_id, s.period_start, sum(s.spent_cents), sum(s.reserved_cents)
  from key_spends s join api_keys k on k.id = s.key_id where k.first_id <> k.id group by 1, 2
  on conflict (key_id, period_start) do update set spent_cents = key_spends.spent_cents + excluded.spent_cents,
    reserved_cents = key_spends.reserved_cents + excluded.reserved_cents;
delete from key_spends s using api_keys k where k.id = s.key_id and k.first_id <> k.id;

create or replace function hold_units(p_hold jsonb, p_now timestamptz) returns text language plpgsql as $$
declare
  h record;
  v_taken bigint;
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
  if h.capped and v_taken + h.units > h.included then return 'quota_exhausted'; end if;
  if h.spend_cap is not null and h.overage_cents > 0 then
    v_cents := h.overage_cents;
    v_overage := greatest(0, least(h.units, v_taken + h.units - h.included));
    select first_id into v_payer from api_keys where id = h.key;
    insert into key_spends (key_id, period_start) values (v_payer, h.period) on conflict do nothing;
    select spent_cents + reserved_cents into v_spend from key_spends
      where key_id = v_payer and period_start = h.period for update;
    if v_overage > 0 and v_spend + v_overage * v_cents > h.spend_cap then return 'spend_cap_reached'; end if;
    update key_spends set reserved_cents = reserved_cents + v_overage * v_cents
      where key_id = v_payer and period_start = h.period and v_overage > 0;
  end if;
  update usage_counters set reserved = reserved + h.units
    where account_id = h.account and meter = h.meter and period_start = h.period;
  insert into usage_holds (id, account_id, key_id, meter, period_start, units, overage_units, overage_cents, owner, created_at)
    values (h.id, h.account, h.key, h.meter, h.period, h.units, v_overage, v_cents, h.owner, p_now);
  return null;
end $$;
