// Applies staged rows to the data: joins, properties, facts, layers and coverage, all inside the caller's transaction.
import { buildIndexes, LEAST_ROWS_TO_REBUILD, type RebuildableTable } from '../../../base/db/rebuild.ts';
import { applyClaims, refuseFolds } from './claims.ts';
import * as claims from './claims-sql.ts';
import * as coverage from './coverage-sql.ts';
import { refreshFieldCounts } from './field-counts-sql.ts';
import * as facts from './facts-sql.ts';
import type { LoadContext } from '../load-context.ts';
import { countsOf, type LoadReport } from '../report.ts';
import { rollUpCounties } from '../../map-aggregates/squares.ts';
import { removeContradictions } from './find-sql.ts';
import { EVENT_LAYERS, POLYGON_LAYERS, TRACT_LAYERS } from '../../layers/layers.ts';
import { definedBy, defineLayers, finishRecipeLayers, summarizeLayers } from './layers.ts';
import { haveDetailedAreas, restamp } from './restamp.ts';
import { decodeShape } from '../../../base/lib/shapes.ts';
import { describeShape } from '../map/parcel-shape.ts';
import * as shapes from './shapes-sql.ts';
import type { RecordMap, Target } from '../source.ts';
import * as sql from './sql.ts';
import * as stage from './stage-sql.ts';
import { isJoined, TARGETS } from '../map/targets.ts';
import { listDefinitions } from '../../layers/sql.ts';

/** Above this many new rows, fresh statistics are worth the seconds they cost. */
export const MANY_ROWS = 5000;

/** Whether the load may rebuild tables, which blocks other writers meanwhile. */
export const mayRebuildTables = ({ isFirst, report }: LoadContext): boolean =>
  isFirst && (report.targets.properties?.staged ?? 0) >= LEAST_ROWS_TO_REBUILD;

/** Everything that changes data, in the caller's transaction. Returns the tables that were rebuilt next to the old ones and
    still have to replace them. */
export async function applyStage(load: LoadContext): Promise<RebuildableTable[]> {
  const { client, dataset, targets, report, progress } = load;
  await claims.createTouched(client);
  await stage.createUnjoined(client);
  for (const target of targets) {
    const counts = countsOf(report, target);
    await progress.during(`joining ${target}`, counts.staged, async () => {
      if (isJoined(dataset, target)) {
        const { by } = recordInto(load, target).key ?? dataset.key ?? {};
        await stage.resolveJoins(client, target, { onlyOne: by?.onlyOne === true });
      }
      if (target === 'properties' && load.market) await refuseFolds(load);
      if (target === 'properties' && recordInto(load, target).fills) await removeContradictions(client);
      if (target === 'transactions') await stage.matchSalesOfOtherSources(load);
      if (target === 'transactions' && !load.isFirst) report.salesCorrected = await stage.matchCorrectedSales(load);
      if (target === 'parcel_shapes') await joinParts(load);
      if (target === 'layer_values') await summarizeLayers(load);
      counts.duplicates = await stage.removeDuplicates(client, target, stage.keyOf(target));
    });
  }
  await facts.honorSuppressions(load);
  await defineLayers(load);
  const rebuilt = targets.includes('properties') ? await applyProperties(load) : [];
  for (const target of targets) if (target !== 'properties') await applyTarget(load, target);
  report.joinRate = joinRateOf(report, targets);
  await finishLayers(load);
  rebuilt.push(...(await fileAddresses(load)));
  await progress.during('building indexes', report.targets.properties?.inserted ?? 0, (step) =>
    buildIndexes(client, rebuilt, step),
  );
  return rebuilt;
}

/** In the same transaction, so every served home can be found by its address. */
async function fileAddresses({ client, source, targets, counties, options, ...load }: LoadContext) {
  const { addresses } = options;
  if (!addresses || !load.market || !targets.includes('properties')) return [];
  return load.progress.during('filing addresses', countsOf(load.report, 'properties').staged, async (step) => {
    const rebuilt: RebuildableTable[] = [];
    for (const fips of counties) {
      const also = await addresses.file(client, fips, {
        words: source.addressWords,
        isRebuilt: rebuilt.length > 0,
        onStep: step,
      });
      rebuilt.push(...also);
    }
    return rebuilt;
  });
}

const recordInto = ({ dataset }: LoadContext, target: Target): RecordMap =>
  dataset.records.find(({ into }) => into === target)!;

/** Returns the tables that were rebuilt next to the old ones and still have to replace them. */
async function applyProperties(load: LoadContext): Promise<RebuildableTable[]> {
  const { client, dataset, report } = load;
  const counts = countsOf(report, 'properties');
  counts.unjoined = await stage.moveUnjoined(client, 'properties');
  // A row that identifies its property by another key may match several.
  const staged = isJoined(dataset, 'properties')
    ? await stage.countStaged(client, 'properties')
    : counts.staged - counts.duplicates - counts.unjoined;
  const mayRetire = recordInto(load, 'properties').complete === true && !load.isReplay;
  const result = await load.progress.during('comparing properties', staged, () => applyClaims(load, staged, mayRetire));
  Object.assign(counts, { inserted: result.inserted, updated: result.updated, retired: result.retired });
  counts.unchanged = staged - counts.inserted - counts.updated;
  report.superseded = result.superseded;
  if (counts.inserted > MANY_ROWS && load.targets.length > 1) await sql.analyzeWithin(client, 'properties');
  return result.rebuilt;
}

async function applyTarget(load: LoadContext, target: Exclude<Target, 'properties'>): Promise<void> {
  const { client } = load;
  const counts = countsOf(load.report, target);
  const record = recordInto(load, target);
  if (target === 'transactions') await coverage.keepUntied(load);
  if (target === 'owners' || TARGETS[target].ofProperty) counts.unjoined = await stage.moveUnjoined(client, target);
  const done = await load.progress.during(`comparing ${target}`, counts.staged, async () => {
    if (target === 'transactions') await stage.markPackages(client);
    if (target === 'transactions' && record.bulkParcels) await stage.markBulkSales(client, record.bulkParcels);
    const counted = await applyOwn(load, target);
    if (target === 'transactions') await facts.fillSalesOfOtherSources(load);
    if (record.complete && !load.isReplay && target !== 'owners' && target !== 'parcel_shapes')
      counts.retired = await facts.retireVanishedFacts(load, target);
    return counted;
  });
  counts.inserted = done.inserted;
  counts.updated = done.updated;
  if (done.inserted > MANY_ROWS && (await sql.analyzeWithin(client, target))) load.analyzed.add(target);
  counts.unchanged = counts.staged - counts.duplicates - counts.unjoined - done.inserted - done.updated;
}

function applyOwn(load: LoadContext, target: Exclude<Target, 'properties'>) {
  if (target === 'owners') return facts.applyOwners(load);
  return target === 'parcel_shapes' ? applyShapes(load) : facts.applyFacts(load, target);
}

/** Runs before duplicates are removed, which would keep only the last part. */
async function joinParts({ client }: LoadContext): Promise<void> {
  const parts = Map.groupBy(await shapes.listStagedParts(client), (part) => `${part.fips} ${part.property_id}`);
  for (const group of parts.values()) {
    const distinct = [...new Map(group.map(({ shape }) => [shape.toString('hex'), shape])).values()];
    if (distinct.length === 1) continue;
    await shapes.updateStagedShape(
      client,
      group[group.length - 1],
      describeShape(distinct.flatMap(decodeShape), undefined),
    );
  }
}

async function applyShapes(load: LoadContext): Promise<{ inserted: number; updated: number }> {
  const { client, counties, dataset } = load;
  const own = dataset.authority ?? 1;
  const others = (await shapes.listShapeSources(client, counties)).filter((id) => id !== dataset.id);
  const authorityOf = (id: string): number => load.options.authorityOf(id);
  return shapes.applyShapes(load, {
    weaker: others.filter((id) => authorityOf(id) < own),
    equals: others.filter((id) => authorityOf(id) === own),
  });
}

function joinRateOf(report: LoadReport, targets: Target[]): number | null {
  let [staged, unjoined] = [0, 0];
  for (const target of targets) {
    if (
      target === 'properties'
        ? countsOf(report, 'properties').unjoined === 0
        : target !== 'owners' && !TARGETS[target].ofProperty
    )
      continue;
    staged += countsOf(report, target).staged;
    unjoined += countsOf(report, target).unjoined;
  }
  return staged === 0 ? null : (staged - unjoined) / staged;
}

/** Targets that properties are stamped from. */
const AREA_TARGETS: Target[] = ['areas', ...TRACT_LAYERS.map(({ tracts }) => tracts.table)];
const isPolygonLayer = (layer: string) => POLYGON_LAYERS.some(({ name }) => name === layer);

async function finishLayers(load: LoadContext): Promise<void> {
  const { client, dataset, targets, report, market, counties } = load;
  const isOfRecipe = definedBy(load).length > 0;
  const places = market
    ? counties.map((fips) => ({ fips, market: market.id }))
    : await coverage.listMarketCounties(
        client,
        isOfRecipe ? undefined : targets.find((target) => AREA_TARGETS.includes(target)),
      );
  const covered = new Set(market ? await coverage.listLayersCovered(load) : []);
  const isNewLayer = dataset.layers.some(({ layer }) => !covered.has(layer));
  if (market && isNewLayer && facts.haveSummaries(targets)) await facts.touchAll(load);
  await load.progress.during('summing up', report.rowsRead, () => facts.refreshSummaries(load));

  const hasNewAreas = AREA_TARGETS.some((target) => {
    const counts = report.targets[target];
    return counts !== undefined && counts.inserted + counts.updated + counts.retired > 0;
  });
  if (hasNewAreas && !isOfRecipe) {
    const placeCounties = [...new Set(places.map((place) => place.fips))];
    const isFirstMap = (name: string) =>
      dataset.layers.some(({ layer }) => layer === name) && (market ? !covered.has(name) : load.isFirst);
    report.stamped = await load.progress.during('stamping layers', report.rowsRead, () =>
      restamp(load, { counties: placeCounties, loadId: null }, isFirstMap),
    );
  } else if (targets.includes('properties') && (await haveDetailedAreas(client, counties))) {
    // Properties are stamped as they are mapped; only details are still missing.
    report.stamped = await restamp(load, { counties, loadId: load.loadId }, () => true);
  }

  report.stamped += await load.progress.during('stamping layers of recipes', report.rowsRead, () =>
    finishRecipeLayers(load, places),
  );

  const ofRecipes = new Set((await listDefinitions(client)).map(({ name }) => name));
  const touched = market ? [market.id] : [...new Set(places.map((place) => place.market))];
  if (!market) for (const id of touched) await coverage.coverByNation(load, id, await listCountiesOf(load, id));
  for (const place of places) {
    for (const { layer, from, to, counties: some } of dataset.layers) {
      if (some && !some.includes(place.fips)) continue;
      // The others are looked up by tract, which covers a place once its properties have one.
      if (ofRecipes.has(layer) || (!market && !isPolygonLayer(layer))) continue;
      const recordCount = await coverage.countRecords(client, layer, place.fips, dataset.id);
      await coverage.upsertCoverage(client, {
        ...place,
        layer,
        source_id: dataset.id,
        covers_from: from ?? null,
        covers_to: to ?? null,
        published_on: dataset.publishedOn,
        loaded_at: load.at,
        record_count: recordCount,
      });
    }
  }
  if (targets.includes('transactions')) await coverage.countTies(load);
  if (targets.includes('properties')) {
    for (const id of touched) {
      const countiesOfMarket = await listCountiesOf(load, id);
      await coverage.refreshCounts(client, id, countiesOfMarket);
      if (market) await coverage.coverByNation(load, id, countiesOfMarket);
    }
  }
  for (const id of touched) await refreshFieldCounts(client, id, await listCountiesOf(load, id));
  if (targets.some((target) => MAPPED_TARGETS.includes(target))) await rollUpMarkets(load, touched);
}

/** Targets whose records the map's aggregates count. */
const MAPPED_TARGETS: Target[] = ['properties', 'assessments', 'transactions', ...EVENT_LAYERS.map(({ name }) => name)];

async function rollUpMarkets(load: LoadContext, markets: string[]): Promise<void> {
  const { client, report, progress, at } = load;
  const changed = new Set(await coverage.listChangedCounties(load));
  await progress.during('adding up the map', report.rowsRead, async () => {
    for (const market of markets) {
      const counties = (await listCountiesOf(load, market)).filter((fips) => changed.has(fips));
      await rollUpCounties(client, { market, counties, at });
    }
  });
}

/** If a recipe drops a county, its homes stay. */
async function listCountiesOf({ client, counties }: LoadContext, market: string): Promise<number[]> {
  return [...new Set([...counties, ...(await coverage.listCountiesOf(client, market))])];
}
