-- Appraisal reviews, stored as they were made.

create table reviews (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  property_id text not null,
  reference text,
  -- The review: compressed JSON.
  document bytea not null,
  created_at timestamptz not null
);
create index reviews_by_account on reviews (account_id, mode, created_at, id);
create index reviews_by_age on reviews (created_at);
