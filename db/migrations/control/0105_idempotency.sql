-- `Idempotency-Key` on any POST: the first request with a key claims its row, and its answer is kept there for 24 hours.
-- The answer is encrypted, as it may hold a secret that is shown only once.
-- `idempotency_keys` stays for processes of the version before; nothing else reads it.
create table idempotent_requests (
  account_id text not null,
  mode text not null check (mode in ('live', 'test', 'session')),
  key text not null,
  digest bytea not null,
  claim_id text not null,
  claimed_until timestamptz not null,
  status integer,
  answer bytea,
  created_at timestamptz not null,
  primary key (account_id, mode, key)
);
create index idempotent_requests_age on idempotent_requests (created_at);
