-- no transaction
-- Typing a street and then the beginning of a number: all numbers of a street that begin with it, in order.
create index concurrently if not exists addresses_street on addresses (name, number, fips);
