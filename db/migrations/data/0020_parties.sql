create table parties (
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
  primary key (fips, property_id, ordinal),
  constraint parties_role_check check (role in ('owner', 'grantee', 'grantor', 'borrower'))
);
create index parties_owner on parties (owner_id) where owner_id is not null;

create table party_keys (
  key text collate "C" not null,
  fips integer not null,
  property_id text collate "C" not null,
  ordinal smallint not null,
  primary key (key, fips, property_id, ordinal)
);

create table name_spellings (
  key text collate "C" not null,
  word text collate "C" not null,
  primary key (key, word)
);
comment on table name_spellings is 'reference: the words of names, by what is left of each without one letter';

create table party_loads (
  fips integer primary key,
  load_id bigint not null,
  rules integer not null
);
