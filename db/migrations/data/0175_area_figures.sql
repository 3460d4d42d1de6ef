-- `sales_series.property_type` is one type, `residential`, or a segment of residential homes such as `bedrooms_3`.
-- Homes of the area and the group when the series was computed, for the turnover; null where the homes on record are
-- only those that sold.
alter table sales_series add column homes integer;

-- The first sale that counts, and whether every home is on record or only those that sold.
alter table sales_rollups add column first_sale_on date, add column is_roll boolean;

-- What stands in an area: stock, values, permits, violations and liens. One row per area, so that no request counts homes.
create table area_summaries (
  fips integer not null,
  market text not null,
  kind text not null,
  area text collate "C" not null,
  homes integer not null,
  summary jsonb not null,
  primary key (kind, area, market, fips)
);
create index area_summaries_market on area_summaries (market, kind, homes);

-- The figures of every area of a kind side by side, so that a ranking is one row: by type and period from the sales
-- (step `quarter` or `year`), and as things stand from the homes (step `stock`, the type `residential`, starts 1900-01-01).
create table area_rankings (
  fips integer not null,
  market text not null,
  kind text not null,
  property_type text not null,
  step text not null check (step in ('quarter', 'year', 'stock')),
  starts date not null,
  areas jsonb not null,
  primary key (market, kind, property_type, step, starts, fips)
);
