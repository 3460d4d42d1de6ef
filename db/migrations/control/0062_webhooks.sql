-- Webhooks: where events go, and what became of each. Secrets are encrypted under a key that is not in the database.

create table webhook_endpoints (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  url text not null,
  description text not null default '',
  events text[] not null,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text,
  secrets bytea not null,
  failing_since timestamptz,
  warnings smallint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhook_endpoints_account on webhook_endpoints (account_id, mode, created_at, id);

-- One row per event and endpoint, whatever happens: the unique key is what makes fan-out safe to repeat.
create table webhook_deliveries (
  id text primary key,
  endpoint_id text not null references webhook_endpoints (id) on delete cascade,
  account_id text not null,
  mode text not null,
  event_id text not null references events (id) on delete cascade,
  event_type text not null,
  sequence bigint not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  attempts integer not null default 0,
  -- The schedule begins anew when a delivery is sent again on request; the count of attempts goes on.
  attempts_before integer not null default 0,
  next_attempt_at timestamptz,
  locked_until timestamptz,
  last_response_status integer,
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (endpoint_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where status = 'pending';
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, sequence) where status = 'pending';
create index webhook_deliveries_list on webhook_deliveries (endpoint_id, created_at, id);
create index webhook_deliveries_event on webhook_deliveries (event_id);

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  attempt integer not null,
  attempted_at timestamptz not null,
  duration_ms integer not null,
  response_status integer,
  response_body text,
  error text,
  primary key (delivery_id, attempt)
);
