// Loaded layers on the map: the levels of tracts and ZIP codes, a layer's own areas, and its sites.
import type { Deps } from '../../base/deps.ts';
import type { Box } from '../../base/lib/geo.ts';
import { isAreaJoin, levelOf, type LayerDefinition, type LayerVals } from '../../supply/layers/definition.ts';
import { listAreaValues, type AreaKey } from '../../supply/layers/sql.ts';
import type { Catalog } from '../markets/catalog.ts';
import type { Layer } from './mvt.ts';
import * as sql from './sql.ts';

/** The joins whose areas the map draws anyway, by the kind of area. */
const DRAWN: Record<string, readonly string[]> = { tract: ['county', 'tract', 'tract_2010'], zip: ['zip'] };
/** Farther out, sites would overlap. */
const SITE_ZOOM = 9;
const AREA_ZOOM = 10;
const MOST_SITES = 2_000;

/** The tile attribute with a tract's or ZIP code's level: `layer.radon`. */
const memberOf = (name: string) => `layer.${name}`;

type Levels = Map<string, Record<string, string>>;

/** The levels of areas of a kind, by id. */
export async function readLevels(
  deps: Pick<Deps, 'dataReplica'>,
  { layers }: Pick<Catalog, 'layers'>,
  { kind, ids }: { kind: 'tract' | 'zip'; ids: string[] },
): Promise<Levels> {
  const judging = [...layers.values()].filter(({ join, levels }) => levels && DRAWN[kind].includes(join));
  const keys = judging.flatMap(({ name: layer, join }) =>
    isAreaJoin(join) ? ids.map((id): AreaKey => keyOf(layer, join, id)) : [],
  );
  const levels: Levels = new Map();
  if (keys.length === 0) return levels;
  const rows = await listAreaValues(deps.dataReplica, [
    ...new Map(keys.map((key) => [`${key.layer} ${key.key}`, key])).values(),
  ]);
  const found = new Map(rows.map(({ layer, key, vals }) => [`${layer} ${key}`, vals.level]));
  for (const id of ids) {
    const own = judging.flatMap(({ name, join }) => {
      const level = found.get(`${name} ${join === 'county' ? id.slice(0, 5) : id}`);
      return level ? [[memberOf(name), String(level)] as const] : [];
    });
    if (own.length > 0) levels.set(id, Object.fromEntries(own));
  }
  return levels;
}

const keyOf = (layer: string, kind: AreaKey['kind'], id: string): AreaKey => ({
  layer,
  kind,
  fips: kind === 'zip' ? 0 : Number(id.slice(0, 5)),
  key: kind === 'county' ? id.slice(0, 5) : id,
});

const namesOf = ({ layers }: Pick<Catalog, 'layers'>, join: LayerDefinition['join']) =>
  [...layers.values()].filter((layer) => layer.join === join).map(({ name }) => name);

export async function drawLoadedLayers(
  deps: Pick<Deps, 'dataReplica'>,
  catalog: Pick<Catalog, 'layers'>,
  { z, box, counties, minSpan }: { z: number; box: Box; counties: number[]; minSpan: number },
): Promise<Layer[]> {
  const [inside, nearest] = [namesOf(catalog, 'inside'), namesOf(catalog, 'nearest')];
  const [areas, sites] = await Promise.all([
    inside.length > 0 && z >= AREA_ZOOM
      ? sql.listLoadedAreas(deps.dataReplica, { kinds: inside, counties, box, minSpan })
      : [],
    nearest.length > 0 && z >= SITE_ZOOM
      ? sql.listTileSites(deps.dataReplica, { layers: nearest, box, limit: MOST_SITES })
      : [],
  ]);
  const headlineOf = (layer: string, vals: LayerVals) => vals[catalog.layers.get(layer)?.headline ?? ''] ?? null;
  return [
    {
      name: 'layer_areas',
      areas: areas.map(({ kind: layer, attributes, polygons }) => {
        const vals = attributes as LayerVals;
        const level = levelOf(catalog.layers.get(layer) ?? {}, vals);
        return { polygons, properties: { layer, level, value: headlineOf(layer, vals) } };
      }),
    },
    {
      name: 'layer_sites',
      points: sites.map(({ layer, latitude, longitude, vals }) => ({
        latitude,
        longitude,
        properties: { layer, value: headlineOf(layer, vals) },
      })),
    },
  ];
}
