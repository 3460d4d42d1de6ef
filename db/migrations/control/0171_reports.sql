-- Lender's files, and the rules of an account that they are checked against.
create table reports (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  property_id text not null,
  valuation_id text not null,
  reference text,
  address text,
  outcome text not null,
  estimated_value bigint not null,
  -- SHA-256 of the report's JSON with sorted members.
  sha256 bytea not null,
  -- The report, and what its map shows: JSON, compressed.
  document bytea not null,
  map bytea not null,
  created_at timestamptz not null
);
create index reports_of_account on reports (account_id, mode, created_at, id);
create index reports_created on reports using brin (created_at);

create table report_rules (
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  rules jsonb not null,
  updated_at timestamptz not null,
  primary key (account_id, mode)
);

-- Keys that can read everything a report holds can make reports.
update api_keys set scopes = scopes || array['reports:read', 'reports:write']
where scopes @> array['avm:read', 'properties:read', 'transactions:read', 'risk:read'];
