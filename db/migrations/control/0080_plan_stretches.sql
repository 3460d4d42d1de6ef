-- Usage is rated under the plan it was used under. A change of plan in the middle of a month ends a stretch of that month.
create table plan_stretches (
  account_id text not null references accounts (id),
  -- Start of the billing month the stretch lies in.
  month_start timestamptz not null,
  ended_at timestamptz not null,
  -- The plan, and the contract on it, that ran up to that moment.
  plan text not null,
  contract jsonb,
  primary key (account_id, month_start, ended_at)
);

-- What the running month includes after a change of plan: {"month_start", "standard", "avm"}. Null while the plan's own
-- allowance holds.
alter table accounts add column allowance jsonb;
-- Why a suspended account is suspended: a payment lifts only what an unpaid invoice caused.
alter table accounts add column suspended_for text check (suspended_for in ('unpaid', 'operator'));
update accounts a set suspended_for = case
    when exists (select 1 from subscriptions s where s.account_id = a.id and s.status = 'past_due') then 'unpaid'
    else 'operator'
  end
  where status = 'suspended';
