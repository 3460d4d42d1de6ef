-- One index per sort order, each led by the state: a search reads one short ordered run per state. (Led by the county,
-- a state of 200 counties cost 200 runs.)
drop index properties_value, properties_sqft, properties_year_built, properties_last_sale_date, properties_last_sale_price, properties_updated_at;
create index properties_value on properties (state, value, id);
create index properties_sqft on properties (state, sqft, id);
create index properties_year_built on properties (state, year_built, id);
create index properties_last_sale_date on properties (state, last_sale_date, id);
create index properties_last_sale_price on properties (state, last_sale_price, id);
create index properties_updated_at on properties (state, updated_at, id);
