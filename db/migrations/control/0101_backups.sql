-- Every backup that was tried: a failed one is shown to operators until a later one succeeds.
create table backups (
  id text primary key,
  target text not null,
  is_scheduled boolean not null,
  state text not null check (state in ('running', 'finished', 'failed')),
  started_at timestamptz not null,
  finished_at timestamptz,
  byte_count bigint,
  error text
);
create index backups_started on backups (started_at);
