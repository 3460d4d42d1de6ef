-- Loans that an account has registered, and what was known of each when it changed.

create table loans (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  property_id text collate "C" not null,
  market text not null,
  reference text,
  -- The loan as the account states it: amount, date, rate, term, document, threshold.
  terms jsonb not null,
  created_at timestamptz not null,
  -- Null until it was first looked at.
  checked_at timestamptz
);
create index loans_by_account on loans (account_id, mode, created_at, id);
create index loans_by_check on loans (checked_at nulls first, id);

-- One row whenever something changed, so that a statement of any past day says what was known on it.
create table loan_conditions (
  loan_id text not null references loans (id) on delete cascade,
  known_at timestamptz not null,
  condition jsonb not null,
  changes jsonb not null,
  primary key (loan_id, known_at)
);
