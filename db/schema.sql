-- The schema that the migrations add up to. Made by `npx platbook schema`; a test holds it current.

create schema data;

create table data.address_loads (
  fips integer not null,
  runs integer not null,
  load_id bigint not null default 0,
  rules text not null default ''::text,
  constraint address_loads_pkey primary key (fips)
);

create table data.addresses (
  fips integer not null,
  property_id text collate "C" not null,
  ordinal smallint not null,
  number text collate "C" not null,
  full_number text collate "C" not null,
  low integer,
  high integer,
  pre text collate "C" not null,
  name text collate "C" not null,
  suffix text collate "C" not null,
  post text collate "C" not null,
  unit text collate "C" not null,
  unit_in_number boolean not null,
  city text collate "C" not null,
  state text collate "C" not null,
  zip text collate "C" not null,
  line text not null,
  constraint addresses_pkey primary key (fips, property_id, ordinal, number)
);
create index addresses_city on data.addresses using btree (fips, city, number) include (property_id, ordinal, full_number, low, high, pre, name, suffix, post, unit, unit_in_number, state, zip);
create index addresses_name on data.addresses using btree (number, name, fips);
create index addresses_street on data.addresses using btree (name, number, fips);
create index addresses_zip on data.addresses using btree (fips, zip, number) include (property_id, ordinal, full_number, low, high, pre, name, suffix, post, unit, unit_in_number, city, state);

create table data.area_index_rollups (
  fips integer not null,
  market text not null,
  token text not null,
  base date,
  rolled_up_at timestamp with time zone not null,
  constraint area_index_rollups_pkey primary key (fips, market)
);

create table data.area_indexes (
  fips integer not null,
  market text not null,
  kind text not null,
  area text collate "C" not null,
  property_type text not null,
  step text not null,
  n integer not null,
  price_index jsonb not null,
  constraint area_indexes_pkey primary key (kind, area, property_type, step, market, fips),
  constraint area_indexes_kind_check check ((kind = any (array['market'::text, 'county'::text, 'city'::text, 'zip'::text, 'tract'::text, 'neighborhood'::text]))),
  constraint area_indexes_step_check check ((step = any (array['month'::text, 'quarter'::text, 'year'::text])))
);
create index area_indexes_market on data.area_indexes using btree (market);

create table data.area_rankings (
  fips integer not null,
  market text not null,
  kind text not null,
  property_type text not null,
  step text not null,
  starts date not null,
  names json not null,
  places json,
  sales json,
  median_price json,
  median_price_per_sqft json,
  price_growth_1y json,
  price_growth_3y json,
  price_growth_5y json,
  price_per_sqft_growth_1y json,
  price_per_sqft_growth_3y json,
  price_per_sqft_growth_5y json,
  dispersion json,
  turnover json,
  price_to_assessment json,
  price_to_assessment_dispersion json,
  resale_share json,
  homes json,
  median_value json,
  median_year_built json,
  median_sqft json,
  owner_occupied_share json,
  permit_share json,
  open_violation_share json,
  open_lien_share json,
  tax_rate json,
  constraint area_rankings_pkey primary key (market, kind, property_type, step, starts, fips),
  constraint area_rankings_step_check check ((step = any (array['quarter'::text, 'year'::text, 'stock'::text])))
);

create table data.area_summaries (
  fips integer not null,
  market text not null,
  kind text not null,
  area text collate "C" not null,
  homes integer not null,
  summary jsonb not null,
  constraint area_summaries_pkey primary key (kind, area, market, fips)
);
create index area_summaries_market on data.area_summaries using btree (market, kind, homes);

create table data.areas (
  fips integer not null,
  kind text not null,
  id text collate "C" not null,
  vintage smallint not null,
  name text,
  min_longitude double precision not null,
  min_latitude double precision not null,
  max_longitude double precision not null,
  max_latitude double precision not null,
  attributes jsonb not null default '{}'::jsonb,
  rings jsonb not null,
  source_id text not null,
  load_id bigint not null,
  constraint areas_pkey primary key (fips, kind, id, vintage)
);

create table data.assessments (
  fips integer not null,
  property_id text collate "C" not null,
  year smallint not null,
  land bigint,
  improvements bigint,
  total bigint,
  market_total bigint,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint assessments_pkey primary key (fips, property_id, year)
);

create table data.census_tracts (
  fips integer not null,
  geoid text collate "C" not null,
  vintage smallint not null,
  population integer,
  median_household_income integer,
  per_capita_income integer,
  median_home_value integer,
  owner_occupied_rate real,
  vacancy_rate real,
  poverty_rate real,
  unemployment_rate real,
  housing_units integer,
  internet_rate real,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  white_share real,
  black_share real,
  asian_share real,
  hispanic_share real,
  minority_rank real,
  constraint census_tracts_pkey primary key (fips, geoid, vintage)
);

create table data.changes (
  fips integer not null,
  seq bigint generated by default as identity not null,
  xid xid8 not null default pg_current_xact_id(),
  property_id text collate "C" not null,
  market text not null,
  kind text not null,
  op text not null,
  changed_fields text[] not null default '{}'::text[],
  before jsonb,
  after jsonb,
  load_id bigint,
  occurred_at timestamp with time zone not null,
  constraint changes_pkey primary key (fips, property_id, seq),
  constraint changes_op_check check ((op = any (array['insert'::text, 'update'::text, 'retire'::text])))
);
create index changes_feed on data.changes using btree (xid, seq);
create index changes_occurred on data.changes using btree (occurred_at);

create table data.city_aliases (
  fips integer not null,
  state text collate "C" not null,
  alias text collate "C" not null,
  city text collate "C" not null,
  constraint city_aliases_pkey primary key (fips, state, alias, city)
);

create table data.code_violations (
  fips integer not null,
  property_id text collate "C" not null,
  id text collate "C" not null,
  case_number text,
  code_section text,
  description text,
  status text not null,
  opened_date date,
  closed_date date,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint code_violations_pkey primary key (fips, property_id, id),
  constraint code_violations_status_check check ((status = any (array['open'::text, 'closed'::text, 'unknown'::text])))
);

create table data.counties (
  fips integer not null,
  name text not null,
  state text not null,
  constraint counties_pkey primary key (fips)
);
comment on table data.counties is 'reference: the counties that hold at least one property';

create table data.coverage (
  fips integer not null,
  market text not null,
  layer text not null,
  source_id text not null,
  covers_from date,
  covers_to date,
  published_on date,
  loaded_at timestamp with time zone not null,
  record_count bigint not null default 0,
  documents jsonb,
  constraint coverage_pkey primary key (fips, market, layer, source_id)
);
create index coverage_market on data.coverage using btree (market, fips);

create table data.due_markets (
  work text not null,
  market text not null,
  mark xid8 not null default pg_current_xact_id(),
  constraint due_markets_pkey primary key (work, market)
);
comment on table data.due_markets is 'reference: markets that changed since some work was last done for them';

create table data.due_rules (
  work text not null,
  rules text not null,
  constraint due_rules_pkey primary key (work)
);
comment on table data.due_rules is 'reference: by which rules each kind of work was last done';

create table data.feed_epochs (
  number integer not null,
  id text not null,
  server text,
  xid_offset bigint not null,
  began_at_xid xid8 not null,
  complete_below xid8 not null default '0'::xid8,
  began_at timestamp with time zone not null,
  constraint feed_epochs_id_key unique (id),
  constraint feed_epochs_pkey primary key (number)
);
comment on table data.feed_epochs is 'reference: the lives of the data plane, for positions in the change feed';

create table data.field_counts (
  fips integer not null,
  market text not null,
  property_count bigint not null,
  fields jsonb not null,
  constraint field_counts_pkey primary key (fips, market)
);

create table data.flood_stamps (
  fips integer not null,
  property_id text collate "C" not null,
  zone text not null,
  zone_subtype text,
  sfha boolean not null,
  base_flood_elevation_ft real,
  firm_panel text,
  effective_date date,
  zones jsonb not null default '[]'::jsonb,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint flood_stamps_pkey primary key (fips, property_id)
);

create table data.layer_definitions (
  name text not null,
  definition json not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint layer_definitions_pkey primary key (name)
);
comment on table data.layer_definitions is 'reference: the layers that recipes define, as the last load of each wrote them';

create table data.layer_stamps (
  fips integer not null,
  property_id text collate "C" not null,
  layer text not null,
  vals jsonb not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint layer_stamps_pkey primary key (fips, property_id, layer)
);
create index layer_stamps_by_layer on data.layer_stamps using btree (layer, fips);

create table data.layer_values (
  fips integer not null,
  layer text not null,
  kind text not null,
  key text collate "C" not null,
  latitude double precision,
  longitude double precision,
  vals jsonb not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint layer_values_pkey primary key (fips, layer, kind, key)
);
create index layer_values_by_key on data.layer_values using btree (layer, kind, key);

create table data.lineage (
  fips integer not null,
  property_id text collate "C" not null,
  successor_id text collate "C" not null,
  kind text not null,
  happened_on date not null,
  load_id bigint not null,
  constraint lineage_pkey primary key (fips, property_id, successor_id),
  constraint lineage_kind_check check ((kind = any (array['merged'::text, 'split'::text, 'renumbered'::text])))
);

create table data.loads (
  id bigint generated by default as identity not null,
  source_id text not null,
  market text,
  state text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  published_on date,
  files jsonb not null default '[]'::jsonb,
  counts jsonb not null default '{}'::jsonb,
  error text,
  constraint loads_pkey primary key (id),
  constraint loads_state_check check ((state = any (array['running'::text, 'completed'::text, 'failed'::text])))
);
create index loads_source on data.loads using btree (source_id, id);
comment on table data.loads is 'reference: one run of one source';

create table data.localities (
  fips integer not null,
  state text collate "C" not null,
  city text collate "C" not null,
  zip text collate "C" not null,
  address_count integer not null,
  constraint localities_pkey primary key (fips, state, city, zip)
);

create table data.map_lines (
  fips integer not null,
  kind text not null,
  id text collate "C" not null,
  name text,
  importance smallint not null,
  cell bigint not null,
  min_longitude double precision not null,
  min_latitude double precision not null,
  max_longitude double precision not null,
  max_latitude double precision not null,
  path jsonb not null,
  source_id text not null,
  load_id bigint not null,
  constraint map_lines_pkey primary key (fips, kind, id)
);
create index map_lines_cell on data.map_lines using btree (cell);
create index map_lines_importance on data.map_lines using btree (fips, importance);

create table data.map_rollups (
  fips integer not null,
  market text not null,
  finest_zoom smallint not null,
  rolled_up_on date not null,
  is_due boolean not null default false,
  constraint map_rollups_pkey primary key (fips, market)
);
create index map_rollups_age on data.map_rollups using btree (rolled_up_on);
create index map_rollups_due on data.map_rollups using btree (fips, market) where is_due;

create table data.map_squares (
  fips integer not null,
  market text not null,
  zoom smallint not null,
  y integer not null,
  x integer not null,
  homes integer not null,
  latitude double precision not null,
  longitude double precision not null,
  valued integer not null,
  average_value double precision,
  median_value double precision,
  median_last_sale_price double precision,
  median_assessed_value double precision,
  median_year_built double precision,
  median_value_per_sqft double precision,
  median_growth double precision,
  median_uncertainty double precision,
  permits integer,
  violations integer,
  liens integer,
  constraint map_squares_pkey primary key (fips, zoom, y, x, market)
);

create table data.market_changes (
  market text not null,
  valued bigint not null default 0,
  judged bigint not null default 0,
  constraint market_changes_pkey primary key (market)
);
comment on table data.market_changes is 'reference: how often the homes of a market were valued and its sales judged';

create table data.markets (
  id text not null,
  name text not null,
  state text not null,
  sandbox boolean not null default false,
  description text not null default ''::text,
  frozen_on date,
  constraint markets_pkey primary key (id)
);
comment on table data.markets is 'reference: a city or county that is loaded and valued as one';

create table data.mortgage_rates (
  month date not null,
  percent real not null,
  source_id text not null,
  load_id bigint not null,
  constraint mortgage_rates_pkey primary key (month)
);
comment on table data.mortgage_rates is 'reference: the average rate of a thirty-year fixed mortgage, by month';

create table data.name_spellings (
  key text collate "C" not null,
  word text collate "C" not null,
  constraint name_spellings_pkey primary key (key, word)
);
comment on table data.name_spellings is 'reference: the words of names, by what is left of each without one letter';

create table data.opportunity_zones (
  fips integer not null,
  tract_geoid text collate "C" not null,
  tract_vintage smallint not null default 2010,
  tract_type text,
  designated_on date,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint opportunity_zones_pkey primary key (fips, tract_geoid)
);

create table data.opportunity_zones_2027 (
  fips integer not null,
  tract_geoid text collate "C" not null,
  is_rural boolean,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint opportunity_zones_2027_pkey primary key (fips, tract_geoid)
);

create table data.owner_suppressions (
  fips integer not null,
  property_id text not null,
  reason text not null,
  suppressed_at timestamp with time zone not null,
  constraint owner_suppressions_pkey primary key (fips, property_id)
);

create table data.owners (
  fips integer not null,
  property_id text collate "C" not null,
  known_on date not null,
  names text[] not null,
  type text not null,
  owner_occupied boolean,
  mailing_address text,
  owned_since date,
  ended_on date,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint owners_pkey primary key (fips, property_id, known_on)
);

create table data.parcel_shapes (
  fips integer not null,
  property_id text collate "C" not null,
  shape bytea not null,
  cell bigint not null,
  min_longitude double precision not null,
  min_latitude double precision not null,
  max_longitude double precision not null,
  max_latitude double precision not null,
  area_sqft double precision not null,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint parcel_shapes_pkey primary key (fips, property_id)
);
create index parcel_shapes_cell on data.parcel_shapes using btree (cell);

create table data.parties (
  fips integer not null,
  property_id text collate "C" not null,
  ordinal smallint not null,
  role text not null,
  name text not null,
  keys text[] not null,
  owner_id text collate "C",
  mailing_key text collate "C",
  transaction_id text,
  dated_on date,
  constraint parties_pkey primary key (fips, property_id, ordinal),
  constraint parties_role_check check ((role = any (array['owner'::text, 'grantee'::text, 'grantor'::text, 'borrower'::text])))
);
create index parties_owner on data.parties using btree (owner_id) where (owner_id is not null);

create table data.party_keys (
  key text collate "C" not null,
  fips integer not null,
  property_id text collate "C" not null,
  ordinal smallint not null,
  constraint party_keys_pkey primary key (key, fips, property_id, ordinal)
);

create table data.party_loads (
  fips integer not null,
  load_id bigint not null,
  rules integer not null,
  constraint party_loads_pkey primary key (fips)
);

create table data.permits (
  fips integer not null,
  property_id text collate "C" not null,
  id text collate "C" not null,
  number text,
  type text,
  description text,
  status text,
  issue_date date,
  final_date date,
  job_value bigint,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint permits_pkey primary key (fips, property_id, id)
);

create table data.price_indexes (
  place_code text not null,
  year smallint not null,
  quarter smallint not null,
  place_name text not null,
  index_value real,
  standard_error real,
  source_id text not null,
  load_id bigint not null,
  constraint price_indexes_pkey primary key (place_code, year, quarter)
);
comment on table data.price_indexes is 'reference: house-price indexes by metropolitan area and quarter';

create table data.properties (
  fips integer not null,
  id text collate "C" not null,
  market text not null,
  state text not null,
  status text not null default 'active'::text,
  apn text not null,
  apn_normalized text collate "C" not null,
  unit_key text not null default ''::text,
  address_line1 text,
  address_unit text,
  city text,
  zip text,
  zip4 text,
  latitude double precision,
  longitude double precision,
  geo_precision text,
  cell_fine integer,
  cell_coarse integer,
  property_type text not null,
  sqft integer,
  bedrooms smallint,
  bathrooms real,
  lot_sqft bigint,
  zoning text,
  land_use_code text,
  land_use text,
  legal_description text,
  subdivision text,
  neighborhood text,
  census_tract text,
  census_tract_vintage smallint,
  census_tract_2010 text,
  block_group text,
  year_built smallint,
  effective_year_built smallint,
  stories real,
  units integer,
  rooms smallint,
  baths_full smallint,
  baths_half smallint,
  garage_spaces smallint,
  pool boolean,
  heating text,
  cooling text,
  exterior text,
  foundation text,
  condition text,
  quality text,
  style text,
  extras jsonb not null default '{}'::jsonb,
  owner_type text,
  owner_occupied boolean,
  assessed_value bigint,
  assessed_year smallint,
  last_sale_date date,
  last_sale_price bigint,
  last_sale_id text,
  value bigint,
  value_low bigint,
  value_high bigint,
  value_fsd real,
  value_model text,
  valued_on date,
  flood_zone text,
  flood_sfha boolean,
  opportunity_zone boolean,
  open_tax_liens integer,
  open_violations integer,
  permit_count integer,
  last_permit_date date,
  provenance jsonb not null default '{}'::jsonb,
  load_id bigint not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  footprint_sqft integer,
  owned_since date,
  occupancy text,
  vesting text,
  open_loans smallint,
  loan_balance bigint,
  ltv real,
  ltv_low real,
  ltv_high real,
  equity bigint,
  equity_low bigint,
  equity_high bigint,
  equity_reason text,
  free_and_clear boolean,
  foreclosure_stage text,
  foreclosure_on date,
  foreclosure_ended_on date,
  tax_delinquency text,
  constraint properties_pkey primary key (fips, id),
  constraint properties_status_check check ((status = any (array['active'::text, 'retired'::text])))
);
create index properties_apn on data.properties using btree (fips, apn_normalized);
create index properties_census_tract on data.properties using btree (fips, census_tract, id);
create index properties_last_sale_date on data.properties using btree (state, last_sale_date, id);
create index properties_last_sale_price on data.properties using btree (state, last_sale_price, id);
create index properties_place on data.properties using btree (cell_fine, id, latitude, longitude);
create index properties_place_value on data.properties using btree (cell_coarse, value, id, latitude, longitude);
create index properties_sqft on data.properties using btree (state, sqft, id);
create index properties_updated_at on data.properties using btree (state, updated_at, id);
create index properties_value on data.properties using btree (state, value, id);
create index properties_year_built on data.properties using btree (state, year_built, id);
create index properties_zip on data.properties using btree (fips, zip, id);

create table data.property_claims (
  fips integer not null,
  property_id text collate "C" not null,
  source_id text not null,
  row_hash uuid not null,
  known_on date not null,
  gone_at timestamp with time zone,
  load_id bigint not null,
  constraint property_claims_pkey primary key (fips, property_id, source_id)
);

create table data.property_counts (
  fips integer not null,
  market text not null,
  property_type text not null,
  property_count bigint not null,
  min_latitude double precision,
  min_longitude double precision,
  max_latitude double precision,
  max_longitude double precision,
  zips text[] not null default '{}'::text[],
  constraint property_counts_pkey primary key (fips, market, property_type)
);

create table data.property_keys (
  fips integer not null,
  kind text not null,
  key text collate "C" not null,
  number_from integer not null default 0,
  number_to integer not null default 0,
  property_id text collate "C" not null,
  source_id text not null,
  load_id bigint not null,
  constraint property_keys_pkey primary key (fips, kind, key, number_from, number_to, property_id)
);

create table data.property_values (
  fips integer not null,
  property_id text collate "C" not null,
  valued_on date not null,
  model text not null,
  value bigint not null,
  value_low bigint not null,
  value_high bigint not null,
  fsd real not null,
  constraint property_values_pkey primary key (fips, property_id, valued_on)
);

create table data.quarantine (
  id bigint generated by default as identity not null,
  load_id bigint not null,
  source_id text not null,
  file text not null,
  line bigint,
  reason text not null,
  row_data jsonb not null,
  replayed_at timestamp with time zone,
  constraint quarantine_pkey primary key (id)
);
create index quarantine_source on data.quarantine using btree (source_id, reason, id);
comment on table data.quarantine is 'reference: rows that could not be loaded, with the reason';

create table data.refreshes (
  id bigint generated by default as identity not null,
  source_id text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone not null,
  outcome text not null,
  load_id bigint,
  rows_read bigint not null default 0,
  changes jsonb not null default '{}'::jsonb,
  error text,
  constraint refreshes_pkey primary key (id),
  constraint refreshes_outcome_check check ((outcome = any (array['updated'::text, 'unchanged'::text, 'failed'::text])))
);
create index refreshes_source on data.refreshes using btree (source_id, id);
comment on table data.refreshes is 'reference: one look at a publisher for new data, and what had changed';

create table data.rent_calibrations (
  market text not null,
  calibration json not null,
  measured_at timestamp with time zone not null,
  constraint rent_calibrations_pkey primary key (market)
);
comment on table data.rent_calibrations is 'reference: how the leases of each market differ from the rents of their areas';

create table data.rents (
  fips integer not null,
  property_id text collate "C" not null,
  leased_on date not null,
  unit text collate "C" not null,
  rent double precision not null,
  bedrooms smallint,
  sqft integer,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint rents_pkey primary key (fips, property_id, leased_on, unit)
);

create table data.sale_verdicts (
  fips integer not null,
  property_id text collate "C" not null,
  transaction_id text collate "C" not null,
  market text not null,
  market_price boolean not null,
  reason text,
  note text,
  decided_by text not null,
  decided_at timestamp with time zone not null,
  constraint sale_verdicts_pkey primary key (fips, property_id, transaction_id),
  constraint sale_verdicts_decided_by_check check ((decided_by = any (array['operator'::text, 'model'::text])))
);
create index sale_verdicts_market on data.sale_verdicts using btree (market, decided_by);

create table data.sales_rollups (
  fips integer not null,
  market text not null,
  token text not null,
  last_sale_on date,
  rolled_up_at timestamp with time zone not null,
  first_sale_on date,
  is_roll boolean not null,
  constraint sales_rollups_pkey primary key (fips, market)
);

create table data.sales_series (
  fips integer not null,
  market text not null,
  kind text not null,
  area text collate "C" not null,
  property_type text not null,
  step text not null,
  n integer not null,
  cells jsonb not null,
  homes integer,
  constraint sales_series_pkey primary key (kind, area, property_type, step, market, fips),
  constraint sales_series_kind_check check ((kind = any (array['market'::text, 'county'::text, 'city'::text, 'zip'::text, 'tract'::text, 'neighborhood'::text]))),
  constraint sales_series_step_check check ((step = any (array['month'::text, 'quarter'::text, 'year'::text])))
);
create index sales_series_market on data.sales_series using btree (market, kind, step, property_type, n);

create table data.sales_squares (
  fips integer not null,
  market text not null,
  cell integer not null,
  n integer not null,
  sold json not null,
  unsold_count json not null,
  unsold json not null,
  constraint sales_squares_pkey primary key (cell, market, fips)
);
create index sales_squares_market on data.sales_squares using btree (market);

create table data.sampled_values (
  fips integer not null,
  property_id text collate "C" not null,
  market text not null,
  sampled_on date not null,
  sampled_at timestamp with time zone not null,
  model text not null,
  valued_on date not null,
  value bigint not null,
  value_low bigint not null,
  value_high bigint not null,
  fsd real not null,
  constraint sampled_values_pkey primary key (fips, property_id, sampled_on, model)
);
create index sampled_values_market on data.sampled_values using btree (market, sampled_on, model);

create table data.sources (
  id text not null,
  name text not null,
  publisher text not null,
  url text,
  licence text not null,
  attribution text not null,
  cadence text,
  definition jsonb not null default '{}'::jsonb,
  current_at timestamp with time zone,
  constraint sources_pkey primary key (id)
);
create index sources_current on data.sources using btree (cadence, current_at);
comment on table data.sources is 'reference: a publisher''s dataset, as described by its file under sources/';

create table data.street_spellings (
  fips integer not null,
  key text collate "C" not null,
  name text collate "C" not null,
  constraint street_spellings_pkey primary key (fips, key, name)
);

create table data.street_words (
  fips integer not null,
  word text collate "C" not null,
  name text collate "C" not null,
  constraint street_words_pkey primary key (fips, word, name)
);
create index street_words_word on data.street_words using btree (word, name);

create table data.streets (
  fips integer not null,
  name text collate "C" not null,
  zip text collate "C" not null,
  state text collate "C" not null,
  city text collate "C" not null,
  pre text collate "C" not null,
  suffix text collate "C" not null,
  post text collate "C" not null,
  label text not null,
  city_label text not null,
  address_count integer not null,
  constraint streets_pkey primary key (fips, name, zip, state, city, pre, suffix, post)
);
create index streets_name on data.streets using btree (name, fips);

create table data.suffix_words (
  fips integer not null,
  spelling text collate "C" not null,
  suffix text collate "C" not null,
  constraint suffix_words_pkey primary key (fips, spelling)
);

create table data.tax_liens (
  fips integer not null,
  property_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  amount bigint,
  tax_year smallint,
  filing_date date,
  status text not null,
  release_date date,
  document_number text,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint tax_liens_pkey primary key (fips, property_id, id),
  constraint tax_liens_status_check check ((status = any (array['open'::text, 'released'::text, 'sold'::text, 'unknown'::text])))
);

create table data.taxes (
  fips integer not null,
  property_id text collate "C" not null,
  year smallint not null,
  amount_cents bigint,
  exemptions text[] not null default '{}'::text[],
  status text,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  constraint taxes_pkey primary key (fips, property_id, year)
);

create table data.tested_sales (
  fips integer not null,
  property_id text collate "C" not null,
  sale_id text collate "C" not null,
  market text not null,
  model text not null,
  sold_on date not null,
  price bigint not null,
  value bigint not null,
  confidence text not null,
  is_covered boolean not null,
  is_valued boolean not null,
  property_type text,
  census_tract text collate "C",
  constraint tested_sales_pkey primary key (fips, property_id, sale_id),
  constraint tested_sales_confidence_check check ((confidence = any (array['high'::text, 'medium'::text, 'low'::text])))
);
create index tested_sales_market on data.tested_sales using btree (market, model);

create table data.transactions (
  fips integer not null,
  property_id text collate "C" not null,
  id text collate "C" not null,
  market text not null,
  type text not null,
  document_type text,
  document_number text,
  book text,
  page text,
  recording_date date,
  sale_date date,
  date_precision text not null default 'day'::text,
  price bigint,
  arms_length boolean,
  arms_length_reason text,
  buyers text[] not null default '{}'::text[],
  sellers text[] not null default '{}'::text[],
  lender text,
  loan_amount bigint,
  attributes jsonb,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamp with time zone not null,
  retired_at timestamp with time zone,
  refers_to text[] not null default '{}'::text[],
  joined_by text,
  constraint transactions_pkey primary key (fips, property_id, id),
  constraint transactions_date_precision_check check ((date_precision = any (array['day'::text, 'month'::text, 'year'::text]))),
  constraint transactions_type_check check ((type = any (array['deed'::text, 'mortgage'::text, 'release'::text, 'foreclosure'::text, 'other'::text])))
);
create index transactions_market_sales on data.transactions using btree (fips, market, sale_date) where ((type = 'deed'::text) and (price is not null));

create table data.untied_documents (
  fips integer not null,
  market text not null,
  source_id text not null,
  id text collate "C" not null,
  type text not null,
  constraint untied_documents_pkey primary key (fips, id, source_id)
);

create schema control;

create table control.accounts (
  id text not null,
  name text not null,
  plan text not null,
  status text not null default 'active'::text,
  created_at timestamp with time zone not null,
  anchor_at timestamp with time zone,
  contract jsonb,
  allowance jsonb,
  ends_at timestamp with time zone,
  suspended_for text,
  parent_id text,
  clock_at timestamp with time zone,
  constraint accounts_pkey primary key (id),
  constraint accounts_parent_id_fkey foreign key (parent_id) references accounts(id),
  constraint accounts_clock check (((parent_id is null) = (clock_at is null))),
  constraint accounts_status_check check ((status = any (array['active'::text, 'suspended'::text, 'closed'::text]))),
  constraint accounts_suspended_for_check check ((suspended_for = any (array['unpaid'::text, 'operator'::text])))
);
create index accounts_clocks on control.accounts using btree (parent_id, created_at, id) where (parent_id is not null);

create table control.action_counts (
  subject bytea not null,
  window_start timestamp with time zone not null,
  count integer not null,
  constraint action_counts_pkey primary key (subject, window_start)
);
create index action_counts_window on control.action_counts using btree (window_start);

create table control.api_keys (
  id text not null,
  account_id text not null,
  mode text not null,
  digest bytea not null,
  prefix text not null,
  last_four text not null,
  name text not null,
  scopes text[] not null,
  allowed_ips text[] not null default '{}'::text[],
  rate_limit_per_hour integer,
  spend_cap_cents bigint,
  created_by text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  replaced_by text,
  last_used_at timestamp with time zone,
  first_id text not null,
  grant_id text,
  constraint api_keys_digest_key unique (digest),
  constraint api_keys_pkey primary key (id),
  constraint api_keys_account_id_fkey foreign key (account_id) references accounts(id),
  constraint api_keys_first_id_fkey foreign key (first_id) references api_keys(id),
  constraint api_keys_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);
create index api_keys_account on control.api_keys using btree (account_id, created_at, id);

create table control.audit_checks (
  account_id text not null,
  checked_at timestamp with time zone not null,
  sequence bigint not null,
  signature bytea not null,
  broken_sequence bigint,
  constraint audit_checks_pkey primary key (account_id),
  constraint audit_checks_account_id_fkey foreign key (account_id) references accounts(id)
);

create table control.audit_log (
  account_id text not null,
  sequence bigint not null,
  at timestamp with time zone not null,
  actor text not null,
  action text not null,
  target text,
  details jsonb not null,
  ip text,
  previous_hash bytea,
  hash bytea not null,
  constraint audit_log_pkey primary key (account_id, sequence),
  constraint audit_log_account_id_fkey foreign key (account_id) references accounts(id)
);

create table control.backups (
  id text not null,
  target text not null,
  is_scheduled boolean not null,
  state text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  byte_count bigint,
  error text,
  constraint backups_pkey primary key (id),
  constraint backups_state_check check ((state = any (array['running'::text, 'finished'::text, 'failed'::text])))
);
create index backups_started on control.backups using btree (started_at);

create table control.batch_items (
  batch_id text not null,
  ordinal integer not null,
  custom_id text not null,
  input jsonb not null,
  status text not null default 'pending'::text,
  result jsonb,
  error jsonb,
  finished_at timestamp with time zone,
  metadata jsonb,
  constraint batch_items_batch_id_custom_id_key unique (batch_id, custom_id),
  constraint batch_items_pkey primary key (batch_id, ordinal),
  constraint batch_items_batch_id_fkey foreign key (batch_id) references batches(id) on delete cascade,
  constraint batch_items_status_check check ((status = any (array['pending'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text, 'expired'::text])))
);
create index batch_items_pending on control.batch_items using btree (batch_id, ordinal) where (status = 'pending'::text);

create table control.batch_turns (
  account_id text not null,
  served_at timestamp with time zone not null,
  constraint batch_turns_pkey primary key (account_id)
);

create table control.batches (
  id text not null,
  account_id text not null,
  key_id text not null,
  mode text not null,
  type text not null,
  include text[] not null,
  state text not null,
  total integer not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  used_standard integer not null default 0,
  used_avm integer not null default 0,
  hold_id text,
  trouble integer not null default 0,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  results_deleted_at timestamp with time zone,
  metadata_names text[] not null default '{}'::text[],
  constraint batches_pkey primary key (id),
  constraint batches_account_id_fkey foreign key (account_id) references accounts(id),
  constraint batches_mode_check check ((mode = any (array['live'::text, 'test'::text]))),
  constraint batches_state_check check ((state = any (array['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'canceled'::text, 'expired'::text])))
);
create index batches_account on control.batches using btree (account_id, mode, created_at, id);
create index batches_finished on control.batches using btree (finished_at) where (results_deleted_at is null);
create index batches_open on control.batches using btree (created_at) where (state = any (array['queued'::text, 'running'::text]));

create table control.billing_details (
  account_id text not null,
  name text not null,
  lines text[] not null default '{}'::text[],
  country text not null,
  region text,
  tax_id text,
  updated_at timestamp with time zone not null,
  constraint billing_details_pkey primary key (account_id),
  constraint billing_details_account_id_fkey foreign key (account_id) references accounts(id),
  constraint billing_details_country_check check ((country ~ '^[A-Z]{2}$'::text)),
  constraint billing_details_region_check check ((region ~ '^[A-Z0-9]{1,3}$'::text))
);

create table control.branding (
  account_id text not null,
  name text,
  logo bytea,
  logo_type text,
  updated_at timestamp with time zone not null,
  constraint branding_pkey primary key (account_id),
  constraint branding_account_id_fkey foreign key (account_id) references accounts(id),
  constraint branding_logo_type_check check ((logo_type = any (array['image/png'::text, 'image/jpeg'::text])))
);

create table control.county_drafts (
  id text not null,
  place jsonb not null,
  file_name text not null,
  file_bytes bigint,
  received_bytes bigint not null default 0,
  url text,
  reading jsonb not null default '{}'::jsonb,
  meanings jsonb not null default '{}'::jsonb,
  summary jsonb,
  recipe text,
  recipe_version integer not null default 0,
  is_recipe_edited boolean not null default false,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint county_drafts_pkey primary key (id)
);
create index county_drafts_age on control.county_drafts using btree (created_at);

create table control.credit_notes (
  id text not null,
  account_id text not null,
  invoice_id text not null,
  number text not null,
  issued_at timestamp with time zone not null,
  reason text not null,
  lines jsonb not null,
  total_cents bigint not null,
  constraint credit_notes_number_key unique (number),
  constraint credit_notes_pkey primary key (id),
  constraint credit_notes_account_id_fkey foreign key (account_id) references accounts(id),
  constraint credit_notes_invoice_id_fkey foreign key (invoice_id) references invoices(id),
  constraint credit_notes_total_cents_check check ((total_cents > 0))
);

create table control.credits (
  id text not null,
  account_id text not null,
  amount_cents bigint not null,
  reason text not null,
  invoice_id text,
  created_at timestamp with time zone not null,
  constraint credits_pkey primary key (id),
  constraint credits_account_id_fkey foreign key (account_id) references accounts(id),
  constraint credits_invoice_id_fkey foreign key (invoice_id) references invoices(id),
  constraint credits_amount_cents_check check ((amount_cents <> 0))
);
create index credits_account on control.credits using btree (account_id);

create table control.digest_subscriptions (
  user_id text not null,
  account_id text not null,
  mode text not null,
  watchlists boolean not null,
  loans boolean not null,
  areas jsonb not null,
  told jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  receipts boolean not null default false,
  constraint digest_subscriptions_pkey primary key (user_id, account_id, mode),
  constraint digest_subscriptions_account_id_fkey foreign key (account_id) references accounts(id),
  constraint digest_subscriptions_user_id_fkey foreign key (user_id) references users(id),
  constraint digest_subscriptions_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);

create table control.digests (
  user_id text not null,
  account_id text not null,
  mode text not null,
  period text not null,
  claimed_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  sent_at timestamp with time zone,
  constraint digests_pkey primary key (user_id, account_id, mode, period),
  constraint digests_account_id_fkey foreign key (account_id) references accounts(id),
  constraint digests_user_id_fkey foreign key (user_id) references users(id)
);
create index digests_by_age on control.digests using btree (claimed_at);

create table control.events (
  id text not null,
  sequence bigint generated by default as identity not null,
  account_id text not null,
  mode text not null,
  type text not null,
  data jsonb not null,
  source_key text,
  occurred_at timestamp with time zone not null,
  fanned_out_at timestamp with time zone,
  constraint events_pkey primary key (id),
  constraint events_account_id_fkey foreign key (account_id) references accounts(id),
  constraint events_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);
create index events_list on control.events using btree (account_id, mode, sequence);
create index events_occurred on control.events using brin (occurred_at);
create unique index events_source on control.events using btree (account_id, source_key);
create index events_waiting on control.events using btree (sequence) where (fanned_out_at is null);

create table control.export_days (
  account_id text not null,
  mode text not null,
  day date not null,
  runs integer not null,
  constraint export_days_pkey primary key (account_id, mode, day),
  constraint export_days_account_id_fkey foreign key (account_id) references accounts(id),
  constraint export_days_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);

create table control.export_runs (
  id text not null,
  export_id text not null,
  account_id text not null,
  mode text not null,
  state text not null,
  kind text not null,
  attempts integer not null default 0,
  row_count bigint not null default 0,
  byte_count bigint not null default 0,
  file_count integer not null default 0,
  manifest_key text,
  from_xid text,
  from_seq bigint,
  to_xid text,
  to_seq bigint,
  error text,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  expired_at timestamp with time zone,
  to_epoch text,
  constraint export_runs_pkey primary key (id),
  constraint export_runs_export_id_fkey foreign key (export_id) references exports(id) on delete cascade,
  constraint export_runs_kind_check check ((kind = any (array['full'::text, 'delta'::text]))),
  constraint export_runs_state_check check ((state = any (array['queued'::text, 'running'::text, 'delivered'::text, 'failed'::text])))
);
create index export_runs_export on control.export_runs using btree (export_id, created_at, id);
create index export_runs_kept on control.export_runs using btree (account_id, mode, created_at) where ((state = 'delivered'::text) and (expired_at is null));

create table control.exports (
  id text not null,
  account_id text not null,
  mode text not null,
  name text not null,
  dataset text not null,
  format text not null,
  kind text not null,
  filter jsonb,
  destination jsonb not null,
  credentials bytea,
  schedule text not null,
  is_paused boolean not null default false,
  may_read_owners boolean not null,
  key_id text not null,
  next_run_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint exports_pkey primary key (id),
  constraint exports_account_id_fkey foreign key (account_id) references accounts(id),
  constraint exports_format_check check ((format = any (array['parquet'::text, 'ndjson'::text, 'csv'::text]))),
  constraint exports_kind_check check ((kind = any (array['full'::text, 'delta'::text]))),
  constraint exports_mode_check check ((mode = any (array['live'::text, 'test'::text]))),
  constraint exports_schedule_check check ((schedule = any (array['once'::text, 'hourly'::text, 'daily'::text, 'weekly'::text])))
);
create index exports_account on control.exports using btree (account_id, mode, created_at, id);
create index exports_due on control.exports using btree (next_run_at) where (not is_paused);

create table control.idempotent_requests (
  account_id text not null,
  mode text not null,
  key text not null,
  digest bytea not null,
  claim_id text not null,
  claimed_until timestamp with time zone not null,
  status integer,
  answer bytea,
  created_at timestamp with time zone not null,
  constraint idempotent_requests_pkey primary key (account_id, mode, key),
  constraint idempotent_requests_mode_check check ((mode = any (array['live'::text, 'test'::text, 'session'::text])))
);
create index idempotent_requests_age on control.idempotent_requests using btree (created_at);

create table control.invitations (
  id text not null,
  account_id text not null,
  email text not null,
  role text not null,
  digest bytea not null,
  invited_by text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  revoked_at timestamp with time zone,
  email_normalized text not null,
  constraint invitations_digest_key unique (digest),
  constraint invitations_pkey primary key (id),
  constraint invitations_account_id_fkey foreign key (account_id) references accounts(id),
  constraint invitations_role_check check ((role = any (array['admin'::text, 'developer'::text, 'billing'::text, 'viewer'::text])))
);
create index invitations_account on control.invitations using btree (account_id);
create index invitations_recipient on control.invitations using btree (email_normalized, created_at);

create table control.invoices (
  id text not null,
  account_id text not null,
  number text not null,
  kind text not null,
  status text not null,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone not null,
  issued_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  lines jsonb not null,
  subtotal_cents bigint not null,
  credit_cents bigint not null,
  total_cents bigint not null,
  paid_at timestamp with time zone,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone,
  applies jsonb,
  tax_cents bigint not null default 0,
  bill_to jsonb,
  constraint invoices_number_key unique (number),
  constraint invoices_pkey primary key (id),
  constraint invoices_account_id_fkey foreign key (account_id) references accounts(id),
  constraint invoices_credit_cents_check check ((credit_cents >= 0)),
  constraint invoices_kind_check check ((kind = any (array['start'::text, 'renewal'::text, 'upgrade'::text, 'final'::text, 'correction'::text]))),
  constraint invoices_status_check check ((status = any (array['open'::text, 'paid'::text, 'void'::text, 'uncollectible'::text]))),
  constraint invoices_sum check ((((subtotal_cents + tax_cents) - credit_cents) = total_cents)),
  constraint invoices_tax_cents_check check ((tax_cents >= 0)),
  constraint invoices_total_cents_check check ((total_cents >= 0))
);
create index invoices_account on control.invoices using btree (account_id, issued_at desc, id);
create index invoices_due on control.invoices using btree (next_attempt_at) where (status = 'open'::text);
create unique index invoices_once on control.invoices using btree (account_id, kind, period_start) where ((kind = any (array['renewal'::text, 'final'::text])) and (status <> 'void'::text));

create table control.jobs (
  id text not null,
  name text not null,
  subject text not null,
  key text not null,
  payload jsonb not null default '{}'::jsonb,
  host text,
  state text not null default 'queued'::text,
  run_at timestamp with time zone not null,
  leased_until timestamp with time zone,
  attempts integer not null default 0,
  fence bigint not null default 0,
  is_cancel_requested boolean not null default false,
  progress jsonb,
  result jsonb,
  error text,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint jobs_pkey primary key (id),
  constraint jobs_state_check check ((state = any (array['queued'::text, 'running'::text, 'done'::text, 'failed'::text, 'canceled'::text])))
);
create index jobs_due on control.jobs using btree (run_at) where (state = any (array['queued'::text, 'running'::text]));
create index jobs_finished on control.jobs using btree (finished_at) where (state = any (array['done'::text, 'failed'::text, 'canceled'::text]));
create index jobs_of_subject on control.jobs using btree (subject, name, created_at);
create unique index jobs_open on control.jobs using btree (key) where (state = any (array['queued'::text, 'running'::text]));

create table control.key_spends (
  key_id text not null,
  period_start timestamp with time zone not null,
  spent_cents bigint not null default 0,
  reserved_cents bigint not null default 0,
  constraint key_spends_pkey primary key (key_id, period_start),
  constraint key_spends_key_id_fkey foreign key (key_id) references api_keys(id)
);

create table control.loan_conditions (
  loan_id text not null,
  known_at timestamp with time zone not null,
  condition jsonb not null,
  changes jsonb not null,
  constraint loan_conditions_pkey primary key (loan_id, known_at),
  constraint loan_conditions_loan_id_fkey foreign key (loan_id) references loans(id) on delete cascade
);

create table control.loans (
  id text not null,
  account_id text not null,
  mode text not null,
  property_id text collate "C" not null,
  market text not null,
  reference text,
  terms jsonb not null,
  created_at timestamp with time zone not null,
  checked_at timestamp with time zone,
  constraint loans_pkey primary key (id),
  constraint loans_account_id_fkey foreign key (account_id) references accounts(id),
  constraint loans_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);
create index loans_by_account on control.loans using btree (account_id, mode, created_at, id);
create index loans_by_check on control.loans using btree (checked_at NULLS FIRST, id);

create table control.measurements (
  name text not null,
  labels jsonb not null default '{}'::jsonb,
  value double precision not null,
  measured_at timestamp with time zone not null,
  constraint measurements_pkey primary key (name, labels)
);

create table control.members (
  account_id text not null,
  user_id text not null,
  role text not null,
  created_at timestamp with time zone not null,
  constraint members_pkey primary key (account_id, user_id),
  constraint members_account_id_fkey foreign key (account_id) references accounts(id),
  constraint members_user_id_fkey foreign key (user_id) references users(id),
  constraint members_role_check check ((role = any (array['owner'::text, 'admin'::text, 'developer'::text, 'billing'::text, 'viewer'::text])))
);
create index members_user on control.members using btree (user_id);

create table control.minute_counts (
  subject text not null,
  minute bigint not null,
  calls integer not null,
  constraint minute_counts_pkey primary key (subject, minute)
);
create index minute_counts_minute on control.minute_counts using btree (minute);

create table control.model_book_chunks (
  hash text not null,
  number integer not null,
  bytes bytea not null,
  constraint model_book_chunks_pkey primary key (hash, number),
  constraint model_book_chunks_hash_fkey foreign key (hash) references model_books(hash) on delete cascade
);

create table control.model_books (
  hash text not null,
  snapshot text not null,
  format integer not null,
  size bigint not null,
  created_at timestamp with time zone not null,
  constraint model_books_pkey primary key (hash)
);

create table control.models (
  version text not null,
  market text not null,
  state text not null,
  trained_on date not null,
  hash text not null,
  card jsonb not null,
  bytes bytea not null,
  created_at timestamp with time zone not null,
  pinned boolean not null default false,
  constraint models_pkey primary key (version),
  constraint models_check check (((not pinned) or (state = 'current'::text))),
  constraint models_state_check check ((state = any (array['current'::text, 'earlier'::text, 'refused'::text])))
);
create index models_created on control.models using btree (created_at) where (state = 'current'::text);
create unique index models_current on control.models using btree (market) where (state = 'current'::text);
create index models_market on control.models using btree (market, trained_on);

create table control.oauth_grants (
  id text not null,
  account_id text not null,
  user_id text not null,
  key_id text not null,
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint oauth_grants_pkey primary key (id),
  constraint oauth_grants_account_id_fkey foreign key (account_id) references accounts(id),
  constraint oauth_grants_key_id_fkey foreign key (key_id) references api_keys(id),
  constraint oauth_grants_user_id_fkey foreign key (user_id) references users(id)
);
create index oauth_grants_account on control.oauth_grants using btree (account_id, created_at, id);

create table control.oauth_records (
  model text not null,
  digest bytea not null,
  grant_id text,
  uid text,
  payload bytea not null,
  created_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint oauth_records_pkey primary key (model, digest)
);
create index oauth_records_expiry on control.oauth_records using btree (model, expires_at);
create index oauth_records_grant on control.oauth_records using btree (grant_id) where (grant_id is not null);
create index oauth_records_uid on control.oauth_records using btree (uid) where (uid is not null);

create table control.passkey_challenges (
  challenge text not null,
  user_id text,
  expires_at timestamp with time zone not null,
  constraint passkey_challenges_pkey primary key (challenge),
  constraint passkey_challenges_user_id_fkey foreign key (user_id) references users(id)
);
create index passkey_challenges_expiry on control.passkey_challenges using btree (expires_at);

create table control.passkeys (
  id text not null,
  user_id text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_credential_id_key unique (credential_id),
  constraint passkeys_pkey primary key (id),
  constraint passkeys_user_id_fkey foreign key (user_id) references users(id)
);
create index passkeys_user on control.passkeys using btree (user_id);

create table control.payments (
  id text not null,
  account_id text not null,
  invoice_id text not null,
  attempt integer not null,
  amount_cents bigint not null,
  status text not null,
  reference text,
  reason text,
  at timestamp with time zone not null,
  card jsonb,
  constraint payments_pkey primary key (id),
  constraint payments_account_id_fkey foreign key (account_id) references accounts(id),
  constraint payments_invoice_id_fkey foreign key (invoice_id) references invoices(id),
  constraint payments_status_check check ((status = any (array['started'::text, 'pending'::text, 'succeeded'::text, 'declined'::text])))
);
create index payments_invoice on control.payments using btree (invoice_id);
create unique index payments_under_way on control.payments using btree (invoice_id) where (status = any (array['started'::text, 'pending'::text]));

create table control.plan_stretches (
  account_id text not null,
  month_start timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  plan text not null,
  contract jsonb,
  constraint plan_stretches_pkey primary key (account_id, month_start, ended_at),
  constraint plan_stretches_account_id_fkey foreign key (account_id) references accounts(id)
);

create table control.quality_reports (
  market text not null,
  model_version text not null,
  token text not null,
  report jsonb not null,
  measured_at timestamp with time zone not null,
  constraint quality_reports_pkey primary key (market)
);

create table control.rate_cells (
  subject text not null,
  second bigint not null,
  calls integer not null,
  constraint rate_cells_pkey primary key (subject, second)
);

create table control.rate_windows (
  subject text not null,
  used integer not null default 0,
  oldest_second bigint,
  constraint rate_windows_pkey primary key (subject),
  constraint rate_windows_used_check check ((used >= 0))
);

create table control.receipt_anchors (
  id bigint generated by default as identity not null,
  account_id text not null,
  root bytea not null,
  receipts integer not null,
  hashes bytea not null,
  audit_sequence bigint not null,
  anchored_at timestamp with time zone not null,
  constraint receipt_anchors_pkey primary key (id),
  constraint receipt_anchors_account_id_fkey foreign key (account_id) references accounts(id)
);
create index receipt_anchors_account on control.receipt_anchors using btree (account_id, id);

create table control.recovery_codes (
  user_id text not null,
  digest bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey primary key (user_id, digest),
  constraint recovery_codes_user_id_fkey foreign key (user_id) references users(id)
);

create table control.refunds (
  id text not null,
  account_id text not null,
  invoice_id text not null,
  payment_id text not null,
  credit_note_id text not null,
  amount_cents bigint not null,
  status text not null,
  reference text,
  reason text not null,
  at timestamp with time zone not null,
  constraint refunds_pkey primary key (id),
  constraint refunds_account_id_fkey foreign key (account_id) references accounts(id),
  constraint refunds_credit_note_id_fkey foreign key (credit_note_id) references credit_notes(id),
  constraint refunds_invoice_id_fkey foreign key (invoice_id) references invoices(id),
  constraint refunds_payment_id_fkey foreign key (payment_id) references payments(id),
  constraint refunds_amount_cents_check check ((amount_cents > 0)),
  constraint refunds_status_check check ((status = any (array['started'::text, 'succeeded'::text, 'failed'::text])))
);
create index refunds_started on control.refunds using btree (at) where (status = 'started'::text);

create table control.relay_positions (
  name text not null,
  xid text not null,
  seq bigint not null,
  relayed_at timestamp with time zone not null,
  epoch text not null,
  constraint relay_positions_pkey primary key (name)
);

create table control.removed_members (
  account_id text not null,
  user_id text not null,
  removed_at timestamp with time zone not null,
  constraint removed_members_pkey primary key (account_id, user_id),
  constraint removed_members_account_id_fkey foreign key (account_id) references accounts(id),
  constraint removed_members_user_id_fkey foreign key (user_id) references users(id)
);

create table control.report_rules (
  account_id text not null,
  mode text not null,
  rules jsonb not null,
  updated_at timestamp with time zone not null,
  constraint report_rules_pkey primary key (account_id, mode),
  constraint report_rules_account_id_fkey foreign key (account_id) references accounts(id),
  constraint report_rules_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);

create table control.reports (
  id text not null,
  account_id text not null,
  mode text not null,
  property_id text not null,
  valuation_id text not null,
  reference text,
  address text,
  outcome text not null,
  estimated_value bigint not null,
  sha256 bytea not null,
  document bytea not null,
  map bytea not null,
  created_at timestamp with time zone not null,
  constraint reports_pkey primary key (id),
  constraint reports_account_id_fkey foreign key (account_id) references accounts(id),
  constraint reports_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);
create index reports_created on control.reports using brin (created_at);
create index reports_of_account on control.reports using btree (account_id, mode, created_at, id);

create table control.request_details (
  account_id text not null,
  request_id text not null,
  mode text not null,
  at timestamp with time zone not null,
  sealed bytea not null,
  constraint request_details_pkey primary key (account_id, request_id),
  constraint request_details_account_id_fkey foreign key (account_id) references accounts(id),
  constraint request_details_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);
create index request_details_at on control.request_details using btree (at);
create index request_details_of_account on control.request_details using btree (account_id, mode, at desc);

create table control.request_log (
  id bigint generated by default as identity not null,
  request_id text not null,
  account_id text not null,
  key_id text,
  mode text not null,
  at timestamp with time zone not null,
  method text not null,
  route text not null,
  status integer not null,
  duration_ms real not null,
  meter text not null,
  units integer not null,
  error_code text,
  constraint request_log_pkey primary key (id)
);
create index request_log_account on control.request_log using btree (account_id, id desc);
create index request_log_at on control.request_log using brin (at);
create index request_log_request on control.request_log using btree (request_id);

create table control.reset_links (
  user_id text not null,
  digest bytea not null,
  expires_at timestamp with time zone not null,
  constraint reset_links_digest_key unique (digest),
  constraint reset_links_pkey primary key (user_id),
  constraint reset_links_user_id_fkey foreign key (user_id) references users(id)
);

create table control.reviews (
  id text not null,
  account_id text not null,
  mode text not null,
  property_id text not null,
  reference text,
  document bytea not null,
  created_at timestamp with time zone not null,
  constraint reviews_pkey primary key (id),
  constraint reviews_account_id_fkey foreign key (account_id) references accounts(id),
  constraint reviews_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);
create index reviews_by_account on control.reviews using btree (account_id, mode, created_at, id);
create index reviews_by_age on control.reviews using btree (created_at);

create table control.sample_seals (
  market text not null,
  sampled_on date not null,
  model text not null,
  homes integer not null,
  root bytea not null,
  sealed_at timestamp with time zone not null,
  signature bytea not null,
  constraint sample_seals_pkey primary key (market, sampled_on, model)
);

create table control.sessions (
  id text not null,
  digest bytea not null,
  user_id text not null,
  account_id text not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ip text not null,
  user_agent text not null,
  method text not null default 'password'::text,
  constraint sessions_digest_key unique (digest),
  constraint sessions_pkey primary key (id),
  constraint sessions_account_id_fkey foreign key (account_id) references accounts(id),
  constraint sessions_user_id_fkey foreign key (user_id) references users(id),
  constraint sessions_method_check check ((method = any (array['password'::text, 'passkey'::text, 'sso'::text])))
);
create index sessions_user on control.sessions using btree (user_id);

create table control.share_pages (
  share_id text not null,
  page bytea not null,
  page_without_owners bytea,
  constraint share_pages_pkey primary key (share_id),
  constraint share_pages_share_id_fkey foreign key (share_id) references shares(id) on delete cascade
);

create table control.shares (
  id text not null,
  account_id text not null,
  mode text not null,
  kind text not null,
  subject text not null,
  title text not null,
  include_owners boolean not null,
  digest bytea not null,
  created_by text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_opened_at timestamp with time zone,
  opened_count bigint not null default 0,
  constraint shares_digest_key unique (digest),
  constraint shares_pkey primary key (id),
  constraint shares_account_id_fkey foreign key (account_id) references accounts(id),
  constraint shares_kind_check check ((kind = any (array['property'::text, 'area'::text, 'portfolio'::text, 'report'::text]))),
  constraint shares_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);
create index shares_by_account on control.shares using btree (account_id, mode, created_at, id);
create index shares_by_end on control.shares using btree (expires_at);

create table control.sign_in_attempts (
  subject bytea not null,
  attempts integer not null,
  locked_until timestamp with time zone,
  last_at timestamp with time zone not null,
  constraint sign_in_attempts_pkey primary key (subject)
);
create index sign_in_attempts_last on control.sign_in_attempts using btree (last_at);

create table control.sign_ups (
  email_normalized text not null,
  email text not null,
  name text not null,
  company text,
  password_hash text not null,
  digest bytea not null,
  browser_digest bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint sign_ups_digest_key unique (digest),
  constraint sign_ups_pkey primary key (email_normalized)
);

create table control.sso_connections (
  account_id text not null,
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  default_role text not null,
  is_enforced boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint sso_connections_pkey primary key (account_id),
  constraint sso_connections_account_id_fkey foreign key (account_id) references accounts(id),
  constraint sso_connections_default_role_check check ((default_role = any (array['admin'::text, 'developer'::text, 'billing'::text, 'viewer'::text])))
);

create table control.sso_domains (
  domain text not null,
  account_id text not null,
  verified_at timestamp with time zone not null,
  constraint sso_domains_pkey primary key (domain),
  constraint sso_domains_account_id_fkey foreign key (account_id) references accounts(id)
);
create index sso_domains_account on control.sso_domains using btree (account_id);

create table control.sso_identities (
  account_id text not null,
  issuer text not null,
  subject text not null,
  user_id text not null,
  created_at timestamp with time zone not null,
  constraint sso_identities_pkey primary key (account_id, issuer, subject),
  constraint sso_identities_account_id_fkey foreign key (account_id) references accounts(id),
  constraint sso_identities_user_id_fkey foreign key (user_id) references users(id)
);

create table control.sso_sign_ins (
  state_digest bytea not null,
  account_id text not null,
  browser_digest bytea not null,
  nonce text not null,
  code_verifier bytea not null,
  expires_at timestamp with time zone not null,
  constraint sso_sign_ins_pkey primary key (state_digest),
  constraint sso_sign_ins_account_id_fkey foreign key (account_id) references accounts(id)
);

create table control.status_days (
  day date not null,
  component text not null,
  first_minute timestamp with time zone not null,
  measured integer not null,
  down integer not null,
  constraint status_days_pkey primary key (day, component)
);

create table control.status_incidents (
  component text not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  cause text not null,
  constraint status_incidents_pkey primary key (component, started_at),
  constraint status_incidents_cause_check check ((cause = any (array['failures'::text, 'not_measured'::text])))
);
create index status_incidents_ended on control.status_incidents using btree (ended_at);

create table control.status_minutes (
  minute timestamp with time zone not null,
  component text not null,
  probes integer not null default 0,
  probes_failed integer not null default 0,
  requests integer not null default 0,
  errors integer not null default 0,
  constraint status_minutes_pkey primary key (minute, component)
);

create table control.status_probe (
  only_row boolean not null default true,
  account_id text not null,
  key bytea not null,
  constraint status_probe_pkey primary key (only_row),
  constraint status_probe_account_id_fkey foreign key (account_id) references accounts(id),
  constraint status_probe_only_row_check check (only_row)
);

create table control.subscriptions (
  account_id text not null,
  provider text not null,
  customer_ref text,
  card jsonb,
  trial_started_at timestamp with time zone,
  status text not null default 'none'::text,
  billing_interval text not null default 'month'::text,
  term_start timestamp with time zone,
  term_end timestamp with time zone,
  month_start timestamp with time zone,
  next_plan text,
  next_interval text,
  cancels_at_end boolean not null default false,
  invoice_count integer not null default 0,
  credit_note_count integer not null default 0,
  constraint subscriptions_pkey primary key (account_id),
  constraint subscriptions_account_id_fkey foreign key (account_id) references accounts(id),
  constraint subscriptions_billing_interval_check check ((billing_interval = any (array['month'::text, 'year'::text]))),
  constraint subscriptions_next_interval_check check ((next_interval = any (array['month'::text, 'year'::text]))),
  constraint subscriptions_provider_check check ((provider = any (array['stripe'::text, 'manual'::text]))),
  constraint subscriptions_status_check check ((status = any (array['none'::text, 'trialing'::text, 'active'::text, 'past_due'::text, 'canceled'::text])))
);
create index subscriptions_month on control.subscriptions using btree (month_start) where (status = any (array['active'::text, 'past_due'::text]));

create table control.tax_rates (
  place text not null,
  name text not null,
  rate_ppm integer not null,
  updated_at timestamp with time zone not null,
  constraint tax_rates_pkey primary key (place),
  constraint tax_rates_place_check check ((place ~ '^[A-Z]{2}(-[A-Z0-9]{1,3})?$'::text)),
  constraint tax_rates_rate_ppm_check check (((rate_ppm >= 0) and (rate_ppm <= 1000000)))
);

create table control.trial_cards (
  fingerprint text not null,
  account_id text not null,
  at timestamp with time zone not null,
  constraint trial_cards_pkey primary key (fingerprint),
  constraint trial_cards_account_id_fkey foreign key (account_id) references accounts(id)
);

create table control.usage_counters (
  account_id text not null,
  meter text not null,
  period_start timestamp with time zone not null,
  used bigint not null default 0,
  reserved bigint not null default 0,
  alerted_percent integer not null default 0,
  closed_at timestamp with time zone,
  closed_used bigint,
  period_end timestamp with time zone,
  constraint usage_counters_pkey primary key (account_id, meter, period_start),
  constraint usage_counters_account_id_fkey foreign key (account_id) references accounts(id),
  constraint usage_counters_meter_check check ((meter = any (array['standard'::text, 'avm'::text]))),
  constraint usage_counters_reserved_check check ((reserved >= 0)),
  constraint usage_counters_used_check check ((used >= 0))
);
create index usage_counters_late on control.usage_counters using btree (account_id) where (used <> closed_used);

create table control.usage_events (
  id text not null,
  account_id text not null,
  key_id text,
  meter text not null,
  units integer not null,
  period_start timestamp with time zone not null,
  happened_at timestamp with time zone not null,
  request_id text not null,
  route text not null,
  constraint usage_events_pkey primary key (id),
  constraint usage_events_account_id_fkey foreign key (account_id) references accounts(id),
  constraint usage_events_units_check check ((units > 0))
);
create index usage_events_account on control.usage_events using btree (account_id, happened_at);

create table control.usage_holds (
  id text not null,
  account_id text not null,
  key_id text,
  meter text not null,
  period_start timestamp with time zone not null,
  units integer not null,
  overage_units integer not null default 0,
  overage_cents integer not null default 0,
  owner text,
  created_at timestamp with time zone not null,
  constraint usage_holds_pkey primary key (id),
  constraint usage_holds_account_id_fkey foreign key (account_id) references accounts(id),
  constraint usage_holds_units_check check ((units >= 0))
);
create index usage_holds_counter on control.usage_holds using btree (account_id, meter, period_start);
create index usage_holds_owner on control.usage_holds using btree (owner) where (owner is not null);

create table control.usage_journals (
  id text not null,
  owner text not null,
  host text not null,
  pid integer not null,
  booked_bytes bigint not null default 0,
  heartbeat_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  constraint usage_journals_pkey primary key (id)
);
create index usage_journals_open on control.usage_journals using btree (host) where (closed_at is null);

create table control.users (
  id text not null,
  email text not null,
  email_normalized text not null,
  name text not null,
  company text,
  password_hash text,
  verified_at timestamp with time zone not null,
  totp_secret bytea,
  totp_enabled_at timestamp with time zone,
  totp_last_step bigint not null default 0,
  created_at timestamp with time zone not null,
  operator_since timestamp with time zone,
  constraint users_email_normalized_key unique (email_normalized),
  constraint users_pkey primary key (id)
);

create table control.valuations (
  id text not null,
  account_id text not null,
  mode text not null,
  property_id text,
  market text not null,
  model_version text not null,
  model_hash text not null,
  as_of date not null,
  created_at timestamp with time zone not null,
  document bytea not null,
  anchor_id bigint,
  constraint valuations_pkey primary key (id),
  constraint valuations_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);
create index valuations_account on control.valuations using btree (account_id, created_at, id);
create index valuations_created on control.valuations using brin (created_at);
create index valuations_unanchored on control.valuations using btree (account_id, created_at, id) where (anchor_id is null);

create table control.watchlist_members (
  watchlist_id text not null,
  property_id text collate "C" not null,
  value bigint,
  added_at timestamp with time zone not null,
  constraint watchlist_members_pkey primary key (watchlist_id, property_id),
  constraint watchlist_members_watchlist_id_fkey foreign key (watchlist_id) references watchlists(id) on delete cascade
);
create index watchlist_members_property on control.watchlist_members using btree (property_id);

create table control.watchlists (
  id text not null,
  account_id text not null,
  mode text not null,
  name text not null,
  filter jsonb,
  events text[] not null,
  valuation_change_percent real not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  refreshed_at timestamp with time zone,
  total_change_percent real,
  told_total bigint,
  total_checked_at timestamp with time zone,
  constraint watchlists_pkey primary key (id),
  constraint watchlists_account_id_fkey foreign key (account_id) references accounts(id),
  constraint watchlists_mode_check check ((mode = any (array['live'::text, 'test'::text])))
);
create index watchlists_account on control.watchlists using btree (account_id, mode, created_at, id);
create index watchlists_unfilled on control.watchlists using btree (created_at) where (refreshed_at is null);

create table control.webhook_attempts (
  delivery_id text not null,
  attempt integer not null,
  attempted_at timestamp with time zone not null,
  duration_ms integer not null,
  response_status integer,
  response_body text,
  error text,
  constraint webhook_attempts_pkey primary key (delivery_id, attempt),
  constraint webhook_attempts_delivery_id_fkey foreign key (delivery_id) references webhook_deliveries(id) on delete cascade
);

create table control.webhook_deliveries (
  id text not null,
  endpoint_id text not null,
  account_id text not null,
  mode text not null,
  event_id text not null,
  event_type text not null,
  sequence bigint not null,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  attempts_before integer not null default 0,
  next_attempt_at timestamp with time zone,
  locked_until timestamp with time zone,
  last_response_status integer,
  last_error text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint webhook_deliveries_endpoint_id_event_id_key unique (endpoint_id, event_id),
  constraint webhook_deliveries_pkey primary key (id),
  constraint webhook_deliveries_endpoint_id_fkey foreign key (endpoint_id) references webhook_endpoints(id) on delete cascade,
  constraint webhook_deliveries_event_id_fkey foreign key (event_id) references events(id) on delete cascade,
  constraint webhook_deliveries_status_check check ((status = any (array['pending'::text, 'succeeded'::text, 'failed'::text])))
);
create index webhook_deliveries_due on control.webhook_deliveries using btree (next_attempt_at) where (status = 'pending'::text);
create index webhook_deliveries_event on control.webhook_deliveries using btree (event_id);
create index webhook_deliveries_list on control.webhook_deliveries using btree (endpoint_id, created_at, id);
create index webhook_deliveries_waiting on control.webhook_deliveries using btree (endpoint_id, sequence) where (status = 'pending'::text);

create table control.webhook_endpoints (
  id text not null,
  account_id text not null,
  mode text not null,
  url text not null,
  description text not null default ''::text,
  events text[] not null,
  status text not null default 'enabled'::text,
  disabled_reason text,
  secrets bytea not null,
  failing_since timestamp with time zone,
  warnings smallint not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  format text not null default 'json'::text,
  constraint webhook_endpoints_pkey primary key (id),
  constraint webhook_endpoints_account_id_fkey foreign key (account_id) references accounts(id),
  constraint webhook_endpoints_format_check check ((format = any (array['json'::text, 'slack'::text]))),
  constraint webhook_endpoints_mode_check check ((mode = any (array['live'::text, 'test'::text]))),
  constraint webhook_endpoints_status_check check ((status = any (array['enabled'::text, 'disabled'::text])))
);
create index webhook_endpoints_account on control.webhook_endpoints using btree (account_id, mode, created_at, id);
