-- Quality-adjusted price indexes by area, kept like the series of sales beside them: one row is one whole index, with
-- every period's level, its deviation, and what was published for the period at first.
create table area_indexes (
  fips integer not null,
  market text not null,
  kind text not null check (kind in ('market', 'county', 'city', 'zip', 'tract', 'neighborhood')),
  area text collate "C" not null,
  property_type text not null,
  step text not null check (step in ('month', 'quarter', 'year')),
  n integer not null,
  price_index jsonb not null,
  primary key (kind, area, property_type, step, market, fips)
);
create index area_indexes_market on area_indexes (market);

-- Which records a market's indexes were computed from, when, and the month in which they stand at 100.
create table area_index_rollups (
  fips integer not null,
  market text not null,
  token text not null,
  base date,
  rolled_up_at timestamptz not null,
  primary key (fips, market)
);
