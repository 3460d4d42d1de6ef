-- How available each component was: what happened in each minute, kept for some days; its sums by day; and the incidents
-- that were found in it. A minute without a row was not measured, and counts as down.
create table status_minutes (
  minute timestamptz not null,
  component text not null,
  probes integer not null default 0,
  probes_failed integer not null default 0,
  requests integer not null default 0,
  errors integer not null default 0,
  primary key (minute, component)
);

create table status_days (
  day date not null,
  component text not null,
  first_minute timestamptz not null,
  measured integer not null,
  down integer not null,
  primary key (day, component)
);

create table status_incidents (
  component text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  cause text not null check (cause in ('failures', 'not_measured')),
  primary key (component, started_at)
);
create index status_incidents_ended on status_incidents (ended_at);

-- The sandbox key with which the worker tries out the service; the account is ours.
create table status_probe (
  only_row boolean primary key default true check (only_row),
  account_id text not null references accounts (id),
  key bytea not null
);
