-- Groups of homes as the map shows them, added up by the loads and valuations that change the homes, so that a tile reads
-- some hundred rows however many homes lie below it. A square is so many degrees wide as src/supply/map-aggregates/squares.ts says for its
-- zoom; `y` and `x` count squares from the equator and from Greenwich. Medians are rough for markets that live keys see.
create table map_squares (
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
  permits integer not null,
  violations integer not null,
  liens integer not null,
  primary key (fips, zoom, y, x, market)
);

-- Which counties have their squares, and down to which zoom: where homes lie so far apart that a square has a few at most,
-- finer ones are not kept. The worker fills what is missing, and counts again what is due.
create table map_rollups (
  fips integer not null,
  market text not null,
  finest_zoom smallint not null,
  rolled_up_on date not null,
  is_due boolean not null default false,
  primary key (fips, market)
);
