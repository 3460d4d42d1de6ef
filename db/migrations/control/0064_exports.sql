-- Exports: datasets delivered as files, once or by a schedule. Credentials are encrypted under a key that is not in the
-- database. A run holds a lease while it works; one that lost it is run again and overwrites its own files.

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
  locked_until timestamptz,
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
  finished_at timestamptz
);
create index export_runs_export on export_runs (export_id, created_at, id);
create index export_runs_open on export_runs (created_at) where state in ('queued', 'running');
