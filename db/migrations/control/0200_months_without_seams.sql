-- What a call costs is decided by the instant it was answered, whenever its month is closed.

-- When a canceled plan is over: live calls are refused from then on.
alter table accounts add column ends_at timestamptz;

-- What the last closing of the period accounted for, and where the period ended.
alter table usage_counters add column closed_used bigint, add column period_end timestamptz;
create index usage_counters_late on usage_counters (account_id) where used <> closed_used;

-- Usage booked after its month was closed is billed as a correction.
alter table invoices drop constraint invoices_kind_check;
alter table invoices add constraint invoices_kind_check
  check (kind in ('start', 'renewal', 'upgrade', 'final', 'correction'));
