-- Ground area of the building that a property's point lies in.
alter table properties add column footprint_sqft integer;
