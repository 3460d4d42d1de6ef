// Names on the map: states and counties from the atlas, cities and ZIP codes where their homes are.
import type { Deps } from '../../base/deps.ts';
import { titleCase } from '../../base/lib/title-case.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { boxHolds, centroidOfRing, type Box, type MultiPolygon } from '../../base/lib/geo.ts';
import type { AtlasArea } from './atlas.ts';
import type { TilePoint } from './mvt.ts';
import * as sql from './sql.ts';

/** The zoom range of each kind of name. */
const ZOOMS = {
  state: [3, 7],
  county: [7, 12],
  city: [8, 15],
  zip: [11, 15],
} as const;
/** More homes than this are sampled: a name needs their middle, not every one of them. */
const SAMPLED_ABOVE = 200_000;

type PlaceDeps = Pick<Deps, 'dataReplica' | 'catalog' | 'tiles'>;

interface Spot {
  spot: { mode: KeyMode; z: number };
  box: Box;
}

export async function placesIn(deps: PlaceDeps, { spot: { mode, z }, box }: Spot): Promise<TilePoint[]> {
  const isShown = (kind: keyof typeof ZOOMS): boolean => z >= ZOOMS[kind][0] && z <= ZOOMS[kind][1];
  const atlas = deps.tiles.atlas();
  const areas = (kind: 'state' | 'county', list: AtlasArea[]): TilePoint[] =>
    isShown(kind) ? list.flatMap((area) => namePoint(kind, area, box)) : [];
  const towns = isShown('city') || isShown('zip') ? await readTowns(deps, mode) : [];
  return [
    ...areas('state', atlas.states),
    ...areas('county', atlas.counties),
    ...towns
      .filter((town) => isShown(town.kind) && boxHolds(box, town))
      .map(({ kind, name, homes, latitude, longitude }) => ({
        latitude,
        longitude,
        properties: { kind, name: kind === 'city' ? titleCase(name) : name, homes },
      })),
  ];
}

/** A name stands in one tile only, so it is drawn once. */
export function namePoint(
  kind: 'state' | 'county' | 'district' | 'water',
  { name, polygons }: { name: string; polygons: MultiPolygon },
  box: Box,
): TilePoint[] {
  const largest = polygons.map(([outer]) => centroidOfRing(outer)).reduce((a, b) => (b.area > a.area ? b : a));
  if (!boxHolds(box, largest)) return [];
  const { latitude, longitude } = largest;
  return [{ latitude, longitude, properties: { kind, name: kind === 'county' ? `${name} County` : name, homes: 0 } }];
}

/** The percentage of this many homes that is a sufficient sample. */
export const sampleOf = (homes: number): number => Math.min(100, (100 * SAMPLED_ABOVE) / Math.max(1, homes));

export const readTowns = async (deps: PlaceDeps, mode: KeyMode): Promise<sql.TownRow[]> =>
  deps.tiles.towns(mode, async () => {
    const counts = (await deps.catalog.read()).visible[mode];
    const markets = [...new Set(counts.map((row) => row.market))];
    const homes = counts.reduce((sum, row) => sum + row.property_count, 0);
    const counties = [...new Set(counts.map((row) => row.fips))];
    return sql.listTowns(deps.dataReplica, { markets, counties }, sampleOf(homes));
  });
