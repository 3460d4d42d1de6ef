-- Roads and streams for the map, with the square that finds them as in parcel_shapes. `importance` orders what is drawn first
-- when zoomed out: 1 for a highway, 2 for a main road, 3 for a street, 4 for a path.
create table map_lines (
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
  primary key (fips, kind, id)
);
create index map_lines_cell on map_lines (cell);
create index map_lines_importance on map_lines (fips, importance);
