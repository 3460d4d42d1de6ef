// Queries on a load's changes and retirements, for its examination.
import { getRow, listRows } from '../../../base/db/statements.ts';
import type { LoadContext, StagedAddress } from '../load-context.ts';

/** Homes by changed field; a field that was null before does not count. */
export const countChanged = ({ client, counties, loadId }: LoadContext) =>
  listRows<{ field: string; homes: number }>(client)`
    select f.field, count(*)::int as homes
    from changes c cross join lateral unnest(c.changed_fields ||
      case when c.changed_fields @> '{address_line1,sqft}' then '{address_and_home}'::text[] end) as f(field)
    where c.fips = any(${counties}) and c.load_id = ${loadId} and c.op = 'update'
      and c.kind in ('property.updated', 'property.owner_changed')
      and (f.field in ('owner', 'address_and_home') or c.before ->> f.field is not null) and f.field not in ('status', 'extras')
    group by f.field order by f.field`;

/** Staged sales with the home and price of an earlier sale by this source that it now lists on another day instead. */
export const countMovedSales = ({ client, dataset, counties }: LoadContext) =>
  getRow<{ moved: number; traded: number; sales: number }>(client)`
    select (select count(*)::int from stage_transactions) as sales,
      (select count(distinct s.id)::int
       from stage_transactions s
       join transactions t on t.fips = s.fips and t.property_id = s.property_id and t.price = s.price and t.id <> s.id
       where t.fips = any(${counties}) and t.source_id = ${dataset.id} and s.price > 0 and t.type = s.type
         and t.sale_date <> s.sale_date
         and (abs(t.sale_date - s.sale_date) <= 40 or abs(t.sale_date - s.sale_date) in (365, 366))
         and not exists (select 1 from stage_transactions o
           where o.fips = t.fips and o.property_id = t.property_id and o.id = t.id)) as moved,
      (select count(distinct s.id)::int
       from stage_transactions s
       join transactions t on t.fips = s.fips and t.price = s.price and t.sale_date = s.sale_date
         and t.property_id <> s.property_id
       where t.fips = any(${counties}) and t.source_id = ${dataset.id} and s.price > 10000 and t.type = s.type
         and exists (select 1 from stage_transactions o where o.fips = t.fips and o.property_id = t.property_id)
         and not exists (select 1 from stage_transactions o
           where o.fips = t.fips and o.property_id = t.property_id and o.price = t.price)) as traded`;

/** Staged values by whether that of the year before is the same. */
export const countRevalued = ({ client, counties }: LoadContext) =>
  getRow<{ same: number; other: number }>(client)`
    select count(*) filter (where t.total = s.total)::int as same, count(*) filter (where t.total <> s.total)::int as other
    from stage_assessments s
    join assessments t on t.fips = s.fips and t.property_id = s.property_id and t.year = s.year - 1
    where t.fips = any(${counties})`;

export const countVanished = ({ client, dataset, counties }: LoadContext) =>
  getRow<{ known: number; vanished: number }>(client)`
    select count(*) as known, count(*) filter (where s.property_id is null) as vanished
    from property_claims c
    left join stage_properties s on s.fips = c.fips and s.property_id = c.property_id
    where c.fips = any(${counties}) and c.source_id = ${dataset.id} and c.gone_at is null`;

/** A sample of a load's homes with an indexed address. Ids are chosen by a hash that is stable across editions; three
    times as many are read, because not every line can be indexed. */
export const listStagedAddresses = ({ client }: LoadContext, limit: number) =>
  listRows<StagedAddress>(client)`
    select s.fips, s.property_id, s.address_line1 as line1, coalesce(s.address_unit, p.address_unit) as unit,
      coalesce(s.city, p.city, '') as city, p.state, coalesce(s.zip, p.zip) as zip
    from (select * from stage_properties where address_line1 is not null order by md5(property_id) limit ${limit * 3}) s
    join properties p on p.fips = s.fips and p.id = s.property_id and p.status = 'active'
    where exists (select from addresses a where a.fips = s.fips and a.property_id = s.property_id)
    order by md5(s.property_id) limit ${limit}`;
