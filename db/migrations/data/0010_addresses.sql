-- Addresses in canonical form (src/records/address/), found by house number within a ZIP, a city, or a street name. A range such
-- as 1234-1238 has one row per house, so that a look-up is always equality.

create table addresses (
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
  primary key (fips, property_id, ordinal, number)
);
-- Covering: resolving an address reads these indexes and not the table.
create index addresses_zip on addresses (fips, zip, number)
  include (property_id, ordinal, full_number, low, high, pre, name, suffix, post, unit, unit_in_number, city, state);
create index addresses_city on addresses (fips, city, number)
  include (property_id, ordinal, full_number, low, high, pre, name, suffix, post, unit, unit_in_number, state, zip);
create index addresses_name on addresses (number, name, fips);

-- Each street as its records write it, per ZIP: says whether a doubtful name is itself a street, and feeds the typeahead.
create table streets (
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
  primary key (fips, name, zip, state, city, pre, suffix, post)
);
create index streets_name on streets (name, fips);

-- Street names under the spellings near them (src/records/address/spelling.ts).
create table street_spellings (
  fips integer not null,
  key text collate "C" not null,
  name text collate "C" not null,
  primary key (fips, key, name)
);

-- The second and later words of street names, for words typed out of order.
create table street_words (
  fips integer not null,
  word text collate "C" not null,
  name text collate "C" not null,
  primary key (fips, word, name)
);

-- Where there are addresses; read into memory whole.
create table localities (
  fips integer not null,
  state text collate "C" not null,
  city text collate "C" not null,
  zip text collate "C" not null,
  address_count integer not null,
  primary key (fips, state, city, zip)
);

-- Other names of a city: postal and municipal, vanity and former.
create table city_aliases (
  fips integer not null,
  state text collate "C" not null,
  alias text collate "C" not null,
  city text collate "C" not null,
  primary key (fips, state, alias, city)
);

-- How often a county was indexed: a process re-reads the localities when this moves.
create table address_loads (
  fips integer primary key,
  runs integer not null
);
