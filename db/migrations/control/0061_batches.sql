-- Batches: many addresses at once. An item is claimed, answered and charged in one transaction, so that a killed worker
-- leaves it as it was: neither lost, nor repeated, nor charged twice.

create table batches (
  id text primary key,
  account_id text not null references accounts (id),
  key_id text not null,
  mode text not null check (mode in ('live', 'test')),
  type text not null,
  include text[] not null,
  may_read_owners boolean not null,
  state text not null check (state in ('queued', 'running', 'completed', 'failed', 'canceled', 'expired')),
  total integer not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  used_standard integer not null default 0,
  used_avm integer not null default 0,
  hold_id text,
  trouble integer not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  results_deleted_at timestamptz
);
create index batches_account on batches (account_id, mode, created_at, id);
create index batches_open on batches (created_at) where state in ('queued', 'running');
create index batches_finished on batches (finished_at) where results_deleted_at is null;

create table batch_items (
  batch_id text not null references batches (id) on delete cascade,
  ordinal integer not null,
  custom_id text not null,
  input jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'canceled', 'expired')),
  result jsonb,
  error jsonb,
  finished_at timestamptz,
  primary key (batch_id, ordinal),
  unique (batch_id, custom_id)
);
create index batch_items_pending on batch_items (batch_id, ordinal) where status = 'pending';

-- Whose turn it is: the account served longest ago comes first, so that a big batch does not starve a small one.
create table batch_turns (
  account_id text primary key,
  served_at timestamptz not null
);

-- `Idempotency-Key`: written in the transaction of its effect, honoured for 24 hours.
create table idempotency_keys (
  account_id text not null,
  mode text not null,
  key text not null,
  digest bytea not null,
  resource_id text not null,
  created_at timestamptz not null,
  primary key (account_id, mode, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
