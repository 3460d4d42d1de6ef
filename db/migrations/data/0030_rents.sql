create table rents (
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
  loaded_at timestamptz not null,
  primary key (fips, property_id, leased_on, unit)
);

create table rent_calibrations (
  market text primary key,
  calibration json not null,
  measured_at timestamptz not null
);
comment on table rent_calibrations is 'reference: how the leases of each market differ from the rents of their areas';
