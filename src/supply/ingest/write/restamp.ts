// Stamps the map layers of a county onto its properties again, after its polygons or its properties have changed.
import type { Client } from '../../../base/db/postgres.ts';
import type { LayerName } from '../../layers/layers.ts';
import type { LoadContext } from '../load-context.ts';
import { makeStamper, type Stamper } from '../map/stamp.ts';
import * as sql from './stamp-sql.ts';

export { haveDetailedAreas } from './stamp-sql.ts';

export const openStamper = async (client: Client, counties: number[]): Promise<Stamper | undefined> =>
  makeStamper({
    areas: await sql.listAreas(client, counties),
    listedTracts: await sql.listListedTracts(client, counties),
  });

/** Returns how many properties changed. A county's first map of a layer is not a change and makes no events. */
export async function restamp(load: LoadContext, scope: sql.StampScope, isFirstMap: (layer: LayerName) => boolean) {
  const { client } = load;
  const stamper = await openStamper(client, scope.counties);
  if (!stamper) return 0;
  await sql.createRestamped(client);
  for await (const batch of sql.readLocated(client, scope)) {
    const stamped = batch.map((property) => ({ property, stamps: stamper(property.fips, property) }));
    const changed = stamped.flatMap(({ property, stamps }): sql.StampedProperty[] => {
      const neighborhood = property.neighborhood ?? stamps.columns.neighborhood;
      const next: sql.StampedProperty = { ...property, ...stamps.columns, neighborhood };
      return Object.entries(next).some(([name, value]) => value !== property[name]) ? [next] : [];
    });
    if (changed.length > 0) await sql.copyRestamped(client, changed);
    for (const layer of sql.DETAILED_LAYERS) {
      const rows = stamped.flatMap(({ property: { fips, id }, stamps }) => {
        const areas = stamps.areas[layer.name] ?? [];
        return areas.length > 0 ? [{ fips, id, areas }] : [];
      });
      if (rows.length > 0) await sql.copyDetails(client, layer, rows);
    }
  }
  const changed = await sql.applyRestamped(load, isFirstMap);
  for (const layer of sql.DETAILED_LAYERS) await sql.applyDetails(load, layer, scope);
  return changed;
}
