-- Zones of the second round, by 2020 tract, in effect from 2027 to 2036.
create table opportunity_zones_2027 (
  fips integer not null,
  tract_geoid text collate "C" not null,
  is_rural boolean,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, tract_geoid)
);
