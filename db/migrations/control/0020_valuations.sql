-- Models and receipts. A model is stored whole, so that every process serves the same bytes and a receipt can be replayed.

create table models (
  version text primary key,
  market text not null,
  -- `current` serves; `earlier` serves valuations as of a past day; `refused` was worse than what serves.
  state text not null check (state in ('current', 'earlier', 'refused')),
  trained_on date not null,
  hash text not null,
  card jsonb not null,
  bytes bytea not null,
  created_at timestamptz not null
);
create unique index models_current on models (market) where state = 'current';
create index models_market on models (market, trained_on);

create table valuations (
  id text primary key,
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  property_id text,
  market text not null,
  model_version text not null,
  model_hash text not null,
  as_of date not null,
  request jsonb not null,
  inputs jsonb not null,
  result jsonb not null,
  created_at timestamptz not null
);
create index valuations_account on valuations (account_id, created_at, id);
