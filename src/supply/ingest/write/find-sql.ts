// Queries for the candidates of a nationwide file: properties that lack its values.
import type { Client } from '../../../base/db/postgres.ts';
import { changeRows, listRows, part, raw } from '../../../base/db/statements.ts';
import type { FinderData } from '../map/find.ts';

type Scope = { counties: number[]; sourceId: string };

/** Null, or filled by this same source. */
const lacks = (field: string, sourceId: string) =>
  part`(p.${raw(field)} is null or p.provenance->'fields'->'${raw(field)}'->>'source' = ${sourceId})`;

export async function listCountyNames(client: Client, counties: number[]): Promise<Map<number, string>> {
  const rows = await listRows<{ fips: number; name: string }>(client)`
    select fips, name from counties where fips = any(${counties})`;
  return new Map(rows.map((row) => [row.fips, row.name]));
}

export const listParcels = (client: Client, { counties, sourceId }: Scope) =>
  listRows<FinderData['parcels'][0]>(client)`
    select p.fips, p.id, p.apn_normalized as apn from properties p
    where p.fips = any(${counties}) and p.status = 'active' and (${lacks('address_line1', sourceId)} or ${lacks('latitude', sourceId)})`;

export const listAddresses = (client: Client, { counties, sourceId }: Scope) =>
  listRows<FinderData['addresses'][0]>(client)`
    select a.fips, a.property_id as id, concat_ws('|', a.number, a.pre, a.name, a.suffix, a.post) as key, a.zip
    from addresses a join properties p on p.fips = a.fips and p.id = a.property_id
    where a.fips = any(${counties}) and a.zip <> '' and p.status = 'active' and ${lacks('latitude', sourceId)}`;

export const listPoints = (client: Client, counties: number[]) =>
  listRows<FinderData['points'][0]>(client)`select fips, id, latitude, longitude from properties
    where fips = any(${counties}) and status = 'active' and latitude is not null`;

/** Removes contradictory rows of one property: two addresses, or points farther apart than a house. */
export const removeContradictions = (client: Client) =>
  changeRows(client)`delete from stage_properties s using (
      select fips, property_id from stage_properties group by fips, property_id
      having count(distinct address_line1) > 1 or max(latitude) - min(latitude) > 0.0005
        or max(longitude) - min(longitude) > 0.0005
    ) c
    where s.fips = c.fips and s.property_id = c.property_id`;
