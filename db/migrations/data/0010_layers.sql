-- Layers that a recipe defines: what they are, their values by area, and what a home takes from a map or a list of sites.

create table layer_definitions (
  name text primary key,
  -- As text: the order of its fields is that of answers.
  definition json not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null
);
comment on table layer_definitions is 'reference: the layers that recipes define, as the last load of each wrote them';

create table layer_values (
  -- 0 for what lies in no single county: ZIP codes and sites.
  fips integer not null,
  layer text not null,
  -- What the key names: a county, a tract, a block group, a ZIP code, or a site.
  kind text not null,
  key text collate "C" not null,
  latitude double precision,
  longitude double precision,
  vals jsonb not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, layer, kind, key)
);
create index layer_values_by_key on layer_values (layer, kind, key);

create table layer_stamps (
  fips integer not null,
  property_id text collate "C" not null,
  layer text not null,
  vals jsonb not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, property_id, layer)
);
create index layer_stamps_by_layer on layer_stamps (layer, fips);

create table mortgage_rates (
  month date primary key,
  percent real not null,
  source_id text not null,
  load_id bigint not null
);
comment on table mortgage_rates is 'reference: the average rate of a thirty-year fixed mortgage, by month';
