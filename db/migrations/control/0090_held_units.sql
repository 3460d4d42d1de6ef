-- A call that does not fit only because calls in progress hold the rest of the allowance is 'held', not refused: some of them
-- will fail and give their units back, so it is worth waiting for. Holds of batches (no owner) last too long to wait for.
create index usage_holds_counter on usage_holds (account_id, meter, period_start);

create or replace function hold_units(p_hold jsonb, p_now timestamptz) returns text language plpgsql as $$
declare
  h record;
  v_taken bigint;
  -- Units, then cents, that calls in progress may still give back.
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
