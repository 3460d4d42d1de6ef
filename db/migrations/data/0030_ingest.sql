-- What the loads remember between runs: which source said what of a property, the other names a property goes by, and
-- price indexes.

-- The hash of what a source said of a property last time. Equal hash: nothing to do; missing from a complete file:
-- the source no longer has the parcel.
create table property_claims (
  fips integer not null,
  property_id text collate "C" not null,
  source_id text not null,
  row_hash text collate "C" not null,
  known_on date not null,
  gone_at timestamptz,
  load_id bigint not null,
  primary key (fips, property_id, source_id)
);

-- Other ways to name a property: a shorter parcel number, map and lot, book and page, a street with a range of house
-- numbers. Permits, violations and documents are joined through them. `number_from` is 0 where there is no range.
create table property_keys (
  fips integer not null,
  kind text not null,
  key text collate "C" not null,
  number_from integer not null default 0,
  number_to integer not null default 0,
  property_id text collate "C" not null,
  source_id text not null,
  load_id bigint not null,
  primary key (fips, kind, key, number_from, number_to, property_id)
);

create table price_indexes (
  place_code text not null,
  year smallint not null,
  quarter smallint not null,
  place_name text not null,
  index_value real,
  standard_error real,
  source_id text not null,
  load_id bigint not null,
  primary key (place_code, year, quarter)
);
comment on table price_indexes is 'reference: house-price indexes by metropolitan area and quarter';

-- Loads rewrite summaries (open liens, last sale) of rows they have just written: room for that on the same page.
alter table properties set (fillfactor = 90);
