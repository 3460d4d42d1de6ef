// Stamps the map layers of a county onto its properties: which polygons each lies in now, and which of those are new.
import type { Client } from '../../../base/db/postgres.ts';
import type { LoadContext } from '../load-context.ts';
import * as sql from './stamp-sql.ts';
import { makeStamper, type FloodZone, type Stamper } from '../map/stamp.ts';

export async function openStamper(client: Client, counties: number[]): Promise<Stamper | undefined> {
  return makeStamper({
    areas: await sql.listAreas(client, counties),
    opportunityZones: await sql.listOpportunityZones(client, counties),
    floodCounties: await sql.listFloodCounties(client, counties),
  });
}

/** Properties are stamped as they are mapped; only their flood zones are stored separately, one row each. */
export async function isFloodMapped(client: Client, counties: number[]): Promise<boolean> {
  return (await sql.listFloodCounties(client, counties)).size > 0;
}

/** Returns how many properties changed. A county's first flood map is not a change of zone and makes no events. */
export async function restamp(load: LoadContext, scope: sql.StampScope, isFirstFlood: boolean): Promise<number> {
  const { client } = load;
  const stamper = await openStamper(client, scope.counties);
  if (!stamper) return 0;
  await sql.createRestamped(client);
  for await (const batch of sql.readLocated(client, scope)) {
    const changed: sql.StampedProperty[] = [];
    const floods: { fips: number; id: string; zones: FloodZone[] }[] = [];
    for (const property of batch) {
      const stamps = stamper(property.fips, property);
      if (stamps.floodZones.length > 0) floods.push({ fips: property.fips, id: property.id, zones: stamps.floodZones });
      const next: sql.StampedProperty = {
        fips: property.fips,
        id: property.id,
        latitude: property.latitude,
        longitude: property.longitude,
        neighborhood: property.neighborhood ?? stamps.neighborhood,
        census_tract: stamps.census_tract,
        census_tract_vintage: stamps.census_tract_vintage,
        census_tract_2010: stamps.census_tract_2010,
        flood_zone: stamps.flood_zone,
        flood_sfha: stamps.flood_sfha,
        opportunity_zone: stamps.opportunity_zone,
      };
      if (Object.entries(next).some(([name, value]) => value !== property[name as keyof typeof property]))
        changed.push(next);
    }
    if (changed.length > 0) await sql.copyRestamped(client, changed);
    if (floods.length > 0) await sql.copyFloods(client, floods);
  }
  const changed = await sql.applyRestamped(load, isFirstFlood);
  await sql.applyFloods(load, scope);
  return changed;
}
