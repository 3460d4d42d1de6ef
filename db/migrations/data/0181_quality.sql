-- What the evidence of quality is computed from.

-- The back-test of the model that serves a market, sale by sale: the value as of the day before the sale and the price.
create table tested_sales (
  fips integer not null,
  property_id text collate "C" not null,
  sale_id text collate "C" not null,
  market text not null,
  model text not null,
  sold_on date not null,
  price bigint not null,
  value bigint not null,
  confidence text not null check (confidence in ('high', 'medium', 'low')),
  -- Whether the price was inside the 80% interval.
  is_covered boolean not null,
  -- With too few sales nearby, no value would have been served.
  is_valued boolean not null,
  property_type text,
  census_tract text collate "C",
  primary key (fips, property_id, sale_id)
);
create index tested_sales_market on tested_sales (market, model);

-- The standing random sample: what the record said a home was worth on a day, kept to be compared with later sales.
-- Rows are only ever added; their root is sealed on the control plane (sample_seals).
create table sampled_values (
  fips integer not null,
  property_id text collate "C" not null,
  market text not null,
  sampled_on date not null,
  sampled_at timestamptz not null,
  model text not null,
  valued_on date not null,
  value bigint not null,
  value_low bigint not null,
  value_high bigint not null,
  fsd real not null,
  primary key (fips, property_id, sampled_on, model)
);
create index sampled_values_market on sampled_values (market, sampled_on, model);
