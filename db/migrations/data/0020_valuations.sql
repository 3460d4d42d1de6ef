-- What a property was worth according to us, each time its market was valued; the latest also stands on the property.

create table property_values (
  fips integer not null,
  property_id text collate "C" not null,
  valued_on date not null,
  model text not null,
  value bigint not null,
  value_low bigint not null,
  value_high bigint not null,
  fsd real not null,
  primary key (fips, property_id, valued_on)
);
