// Builds the list of layers from a copy of OpenAddresses.
import { boxHolds, polygonsHold } from '../../base/lib/geo.ts';
import { readAtlas } from '../../records/tiles/atlas.ts';
import { readCounties } from '../../supply/catalog/catalog.ts';
import { formatLayers } from '../../supply/catalog/layers.ts';
import { readOpenAddresses } from '../../supply/catalog/openaddresses.ts';

const NOTE =
  'Facts stated by OpenAddresses (https://openaddresses.io) about the sources it knows; nobody of ours asked them.';

export async function makeLayers(path: string, day: string): Promise<string> {
  const { counties } = readAtlas();
  const layers = await readOpenAddresses(path, {
    counties: readCounties().values(),
    countyAt: (point) =>
      counties.find(({ box, polygons }) => boxHolds(box, point) && polygonsHold(polygons, point))?.code,
  });
  return formatLayers({ day, layers }, NOTE);
}
