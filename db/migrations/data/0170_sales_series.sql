-- Statistics of arm's-length sales by area, kept so that no request scans the sales. One row is one whole series: an
-- area, a type and a step (month, quarter or year), with its cells in order. `fips` is the county that keeps the row;
-- an area may reach over several counties of its market.
create table sales_series (
  fips integer not null,
  market text not null,
  kind text not null check (kind in ('market', 'county', 'city', 'zip', 'tract', 'neighborhood')),
  area text collate "C" not null,
  property_type text not null,
  step text not null check (step in ('month', 'quarter', 'year')),
  n integer not null,
  cells jsonb not null,
  primary key (kind, area, property_type, step, market, fips)
);
create index sales_series_market on sales_series (market, kind, step, property_type, n);

-- Which records a market's series were computed from, and when.
create table sales_rollups (
  fips integer not null,
  market text not null,
  token text not null,
  last_sale_on date,
  rolled_up_at timestamptz not null,
  primary key (fips, market)
);
