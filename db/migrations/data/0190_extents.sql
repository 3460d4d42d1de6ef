-- Where the counted homes are, so that a search by box or ZIP asks only the counties it touches. `zips` is null until a
-- county is counted again: until then it is asked about everything.
alter table property_counts
  add column min_latitude double precision,
  add column min_longitude double precision,
  add column max_latitude double precision,
  add column max_longitude double precision,
  add column zips text[];
update property_counts c
set min_latitude = n.min_latitude, min_longitude = n.min_longitude, max_latitude = n.max_latitude,
  max_longitude = n.max_longitude, zips = n.zips
from (
  select fips, market, property_type, min(latitude) as min_latitude, min(longitude) as min_longitude,
    max(latitude) as max_latitude, max(longitude) as max_longitude,
    coalesce(array_agg(distinct zip) filter (where zip is not null), '{}') as zips
  from properties where status = 'active' group by fips, market, property_type
) n
where c.fips = n.fips and c.market = n.market and c.property_type = n.property_type;
