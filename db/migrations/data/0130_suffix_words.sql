-- A county's own abbreviations of street suffixes: what its files write must be read back the same way.
create table suffix_words (
  fips integer not null,
  spelling text collate "C" not null,
  suffix text collate "C" not null,
  primary key (fips, spelling)
);
