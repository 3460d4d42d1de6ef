-- Watchlists: properties whose changes become events of an account. Those of a filter are members too, kept in step with
-- the records, so that coming and going can be told.

create table watchlists (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  name text not null,
  -- null: a list of property ids.
  filter jsonb,
  events text[] not null,
  valuation_change_percent real not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- null until the properties of the filter have been gathered.
  refreshed_at timestamptz
);
create index watchlists_account on watchlists (account_id, mode, created_at, id);
create index watchlists_unfilled on watchlists (created_at) where refreshed_at is null;

create table watchlist_members (
  watchlist_id text not null references watchlists (id) on delete cascade,
  property_id text collate "C" not null,
  -- The value at the last valuation event, or when the property came in: small steps add up.
  value bigint,
  added_at timestamptz not null,
  primary key (watchlist_id, property_id)
);
create index watchlist_members_property on watchlist_members (property_id);

-- How far each reader of the data plane's changes has come; written in the transaction of what it made of them.
create table relay_positions (
  name text primary key,
  xid text not null,
  seq bigint not null,
  relayed_at timestamptz not null
);
