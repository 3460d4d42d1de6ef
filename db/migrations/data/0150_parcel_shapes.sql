-- The outline of each parcel: delta-coded corners (src/base/lib/shapes.ts) and what finds them without decoding.
-- `cell` is a square no smaller than the shape, so a point or a tile has few of them to look in.
create table parcel_shapes (
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
  loaded_at timestamptz not null,
  primary key (fips, property_id)
);
create index parcel_shapes_cell on parcel_shapes (cell);
-- Corners look like noise to a compressor; trying costs more than it saves.
alter table parcel_shapes alter column shape set storage external;
