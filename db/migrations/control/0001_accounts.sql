-- Who: accounts and their API keys. A key is stored as its HMAC; the secret itself is shown once and never kept.

create table accounts (
  id text primary key,
  name text not null,
  plan text not null,
  status text not null default 'active' check (status in ('active', 'suspended', 'closed')),
  created_at timestamptz not null
);

create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  digest bytea not null unique,
  prefix text not null,
  last_four text not null,
  name text not null,
  scopes text[] not null,
  allowed_ips text[] not null default '{}',
  rate_limit_per_hour integer,
  spend_cap_cents bigint,
  created_by text,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  replaced_by text,
  last_used_at timestamptz
);
create index api_keys_account on api_keys (account_id, created_at, id);
