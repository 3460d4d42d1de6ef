// Applies loaded layers to homes: stores their definitions, stamps homes, and records their coverage by county.
import Flatbush from 'flatbush';
import { distanceMiles, widenBox, type Box, type Point } from '../../../base/lib/geo.ts';
import { LEVELS, levelOf, type LayerDefinition, type LayerVals } from '../../layers/definition.ts';
import type { Area } from '../../layers/layer.ts';
import { listDefinitions } from '../../layers/sql.ts';
import type { LoadContext } from '../load-context.ts';
import { findAreas, indexOf } from '../map/stamp.ts';
import * as sql from './layers-sql.ts';
import { readLocated, type StampScope } from './stamp-sql.ts';
import { upsertCoverage } from './coverage-sql.ts';

const MILES_PER_DEGREE = 69;

/** The loaded layers that a dataset provides values for. */
export const definedBy = ({ dataset, source }: Pick<LoadContext, 'dataset' | 'source'>): LayerDefinition[] =>
  (source.layers ?? []).filter(({ name }) => dataset.layers.some(({ layer }) => layer === name));

/** Runs before duplicates are removed, which would keep one row of each area. */
export async function summarizeLayers(load: LoadContext): Promise<void> {
  for (const layer of definedBy(load))
    if (Object.values(layer.fields).some(({ summarize }) => summarize)) await sql.summarizeValues(load.client, layer);
}

/** Runs before the values are written, so differences become change events. */
export async function defineLayers(load: LoadContext): Promise<void> {
  for (const layer of definedBy(load)) {
    await sql.upsertDefinition(load, layer);
    if (load.makesEvents) await sql.insertValueChanges(load, layer);
  }
}

/** A load of a layer stamps every home of the counties; a load of homes stamps those in all layers. */
export async function finishRecipeLayers(load: LoadContext, places: { fips: number; market: string }[]) {
  const own = definedBy(load);
  const bringsHomes = load.targets.includes('properties');
  if (own.length === 0 && !bringsHomes) return 0;
  const layers = bringsHomes ? await listDefinitions(load.client) : own;
  if (layers.length === 0) return 0;
  const counties = [...new Set(places.map(({ fips }) => fips))];
  const scope = { counties, loadId: bringsHomes ? load.loadId : null };
  const stamped = await stamp(load, scope, { layers, news: load.isFirst || bringsHomes ? [] : own });
  await cover(load, places, layers);
  return stamped;
}

async function stamp(
  load: LoadContext,
  scope: StampScope,
  { layers, news }: { layers: LayerDefinition[]; news: LayerDefinition[] },
): Promise<number> {
  const { client } = load;
  const stampable = layers.filter(({ join }) => join === 'inside' || join === 'nearest');
  if (stampable.length === 0) return 0;
  await sql.createStampStage(client);
  for (const fips of scope.counties) {
    const box = await sql.findBoxOfHomes(client, fips);
    if (!box) continue;
    const finders = await openFinders(load, stampable, { fips, box });
    for await (const homes of readLocated(client, { ...scope, counties: [fips] })) {
      const rows = homes.flatMap((home) =>
        finders.flatMap(({ layer, find }) => {
          const found = find(home);
          return found ? [{ fips, id: home.id, layer, ...found }] : [];
        }),
      );
      if (rows.length > 0) await sql.copyStamps(client, rows);
    }
  }
  return sql.applyStamps(load, scope, {
    layers: stampable.map(({ name }) => name),
    news: news.filter((layer) => stampable.includes(layer)),
  });
}

interface Stamp {
  vals: LayerVals;
  sourceId: string;
}
type Find = (home: Point) => Stamp | undefined;

async function openFinders(
  { client }: LoadContext,
  layers: LayerDefinition[],
  { fips, box }: { fips: number; box: Box },
): Promise<{ layer: string; find: Find }[]> {
  const namesOf = (wanted: string) => layers.filter(({ join }) => join === wanted).map(({ name }) => name);
  const reach = Math.max(0, ...layers.map(({ within_miles: miles = 0 }) => miles));
  // A degree of longitude is half a degree of latitude wide at 60° north.
  const near = widenBox(box, (2 * reach) / MILES_PER_DEGREE);
  const areas = Map.groupBy(await sql.listLayerAreas(client, namesOf('inside'), fips, box), ({ kind }) => kind);
  const sites = Map.groupBy(await sql.listSites(client, namesOf('nearest'), near), ({ layer }) => layer);
  return layers.flatMap((definition) => {
    const { name } = definition;
    const find =
      definition.join === 'inside'
        ? findInside(areas.get(name) ?? [])
        : findNearest(definition, sites.get(name) ?? [], (box.minLatitude + box.maxLatitude) / 2);
    return find ? [{ layer: name, find }] : [];
  });
}

/** Of several areas, the one with the worst level. */
function findInside(areas: Area[]): Find | undefined {
  if (areas.length === 0) return undefined;
  const index = indexOf(areas);
  const severityOf = ({ vals }: Stamp) => {
    const at = LEVELS.indexOf(vals.level as (typeof LEVELS)[number]);
    return at < 0 ? LEVELS.length : at;
  };
  return (home) =>
    findAreas(index, home)
      .map(({ attributes, sourceId }): Stamp => ({ vals: attributes as LayerVals, sourceId }))
      .sort((a, b) => severityOf(a) - severityOf(b))[0];
}

/** The tree measures on a plane tangent at the county's center; great-circle distance decides among its nearest few. */
function findNearest(definition: LayerDefinition, sites: sql.Site[], middle: number): Find | undefined {
  if (sites.length === 0) return undefined;
  const { within_miles: within = 0 } = definition;
  const narrow = Math.cos((middle * Math.PI) / 180);
  const tree = new Flatbush(sites.length);
  for (const { longitude, latitude } of sites) tree.add(longitude * narrow, latitude, longitude * narrow, latitude);
  tree.finish();
  return (home) => {
    const reach = (1.1 * within) / MILES_PER_DEGREE;
    const [nearest] = tree
      .neighbors(home.longitude * narrow, home.latitude, 8, reach)
      .map((at) => ({ site: sites[at], miles: distanceMiles(home, sites[at]) }))
      .sort((a, b) => a.miles - b.miles);
    if (!nearest || nearest.miles > within) return undefined;
    const vals = { ...nearest.site.vals, distance_miles: Math.round(nearest.miles * 100) / 100 };
    return { vals: { ...vals, level: levelOf(definition, vals) }, sourceId: nearest.site.sourceId };
  };
}

/** A place's own source covers its counties. A nationwide one covers those it has records of, or all of them if it
    lists every record there is. */
async function cover(load: LoadContext, places: { fips: number; market: string }[], layers: LayerDefinition[]) {
  const definitions = new Map(layers.map((layer) => [layer.name, layer]));
  const sources = await sql.listLayerSources(load, [...definitions.keys()]);
  for (const place of places) {
    const box = await sql.findBoxOfHomes(load.client, place.fips);
    for (const source of sources) {
      const layer = definitions.get(source.layer);
      if (!layer || (source.market !== null && source.market !== place.market)) continue;
      // Sandbox places are covered only by sandbox data.
      if (source.market === null && load.market?.isForTestKeys) continue;
      const records = await sql.countLayerRecords(load.client, layer, { fips: place.fips, box });
      const isCovered = source.market !== null || layer.covers === 'country' || records > 0;
      if (isCovered) await upsertCoverage(load.client, { ...source, ...place, record_count: records });
      else await sql.deleteLayerCoverage(load, place, source);
    }
  }
}
