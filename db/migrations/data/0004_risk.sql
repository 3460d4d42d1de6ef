-- The six layers: flood stamps, tax liens, permits, code violations as rows of a property; census and opportunity
-- zones by tract; and the polygons that properties are stamped from.

create table flood_stamps (
  fips integer not null,
  property_id text collate "C" not null,
  zone text not null,
  zone_subtype text,
  sfha boolean not null,
  base_flood_elevation_ft real,
  firm_panel text,
  effective_date date,
  zones jsonb not null default '[]',
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, property_id)
);

create table tax_liens (
  fips integer not null,
  property_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  amount bigint,
  tax_year smallint,
  filing_date date,
  status text not null check (status in ('open', 'released', 'sold', 'unknown')),
  release_date date,
  document_number text,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, property_id, id)
);

create table permits (
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
  loaded_at timestamptz not null,
  primary key (fips, property_id, id)
);

create table code_violations (
  fips integer not null,
  property_id text collate "C" not null,
  id text collate "C" not null,
  case_number text,
  code_section text,
  description text,
  status text not null check (status in ('open', 'closed', 'unknown')),
  opened_date date,
  closed_date date,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, property_id, id)
);

create table census_tracts (
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
  loaded_at timestamptz not null,
  primary key (fips, geoid, vintage)
);

create table opportunity_zones (
  fips integer not null,
  tract_geoid text collate "C" not null,
  tract_vintage smallint not null default 2010,
  tract_type text,
  designated_on date,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, tract_geoid)
);

-- Polygons (flood zones, tracts, neighbourhoods) with the fine grid cells they touch. Tested in Node by ray cast:
-- PostgreSQL's own polygon type rounds at 1e-6 and is wrong in degrees.
create table areas (
  fips integer not null,
  kind text not null,
  id text collate "C" not null,
  vintage smallint not null,
  name text,
  min_longitude double precision not null,
  min_latitude double precision not null,
  max_longitude double precision not null,
  max_latitude double precision not null,
  attributes jsonb not null default '{}',
  rings jsonb not null,
  source_id text not null,
  load_id bigint not null,
  primary key (fips, kind, id, vintage)
);
