-- Export runs per account and day, counted apart from the runs so that deleting an export does not reset its cap.
create table export_days (
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  day date not null,
  runs integer not null,
  primary key (account_id, mode, day)
);
-- Set when the files that we kept of a run were deleted.
alter table export_runs add column expired_at timestamptz;
create index export_runs_kept on export_runs (account_id, mode, created_at) where state = 'delivered' and expired_at is null;

-- Receipts are deleted by age.
create index valuations_created on valuations using brin (created_at);
create index events_occurred on events using brin (occurred_at);
