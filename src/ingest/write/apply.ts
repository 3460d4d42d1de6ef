// Changes the data by what is staged: joins, properties, facts, layers, coverage; all inside the caller's transaction.
import type { Client } from '../../db/postgres.ts';
import { endBeside, type BesideTable } from '../../db/beside.ts';
import { applyClaims } from './claims.ts';
import * as claims from './claims-sql.ts';
import type { LoadStamp } from './claims-sql.ts';
import * as coverage from './coverage-sql.ts';
import * as facts from './facts-sql.ts';
import type { LoadOptions } from '../options.ts';
import type { LoadReport } from '../report.ts';
import { isFloodMapped, restamp } from './restamp.ts';
import type { Dataset, Source, Target } from '../source.ts';
import * as sql from './sql.ts';
import * as stage from './stage-sql.ts';
import { DEFAULTS } from './staging.ts';
import { isJoined, TARGETS } from '../map/targets.ts';

/** From here on fresh statistics are worth the seconds they cost. */
export const MANY_ROWS = 5000;

/** Everything that changes data, in one transaction. */
export async function applyStage(
  client: Client,
  source: Source,
  dataset: Dataset,
  targets: Target[],
  stamp: LoadStamp,
  report: LoadReport,
  options: LoadOptions,
  isBackfill: boolean,
): Promise<void> {
  const counties = source.counties.map((county) => county.fips);
  const market = source.market?.id;
  const isReplay = options.replay !== undefined;
  await claims.createTouched(client);
  await stage.createUnjoined(client);
  for (const target of targets) {
    const counts = report.targets[target]!;
    if (isJoined(dataset, target)) await stage.resolveJoins(client, target);
    if (target === 'transactions') await stage.matchSalesOfOtherSources(client, dataset.id);
    counts.duplicates = await stage.removeDuplicates(client, target, stage.keyOf(target));
  }
  await facts.honourSuppressions(client, new Set(targets));
  let beside: BesideTable[] = [];

  if (targets.includes('properties')) {
    const record = dataset.records.find(({ into }) => into === 'properties')!;
    const counts = report.targets.properties!;
    counts.unjoined = await stage.moveUnjoined(client, 'properties');
    const maxVanishedShare = dataset.checks?.maxVanishedShare ?? DEFAULTS.maxVanishedShare;
    const retire =
      record.complete && !isReplay ? { counties, maxShare: options.force ? 1 : maxVanishedShare } : undefined;
    const result = await applyClaims(
      client,
      stamp,
      counts.staged - counts.duplicates - counts.unjoined,
      dataset.authority ?? 1,
      options.authorityOf,
      counties,
      retire,
      options.willCover ?? [],
      isBackfill,
    );
    Object.assign(counts, { inserted: result.inserted, updated: result.updated, retired: result.retired });
    counts.unchanged = counts.staged - counts.duplicates - counts.unjoined - counts.inserted - counts.updated;
    report.superseded = result.superseded;
    beside = result.beside;
    if (counts.inserted > MANY_ROWS && targets.length > 1) await sql.analyzeTables(client, ['properties']);
  }

  for (const target of targets) {
    if (target === 'properties') continue;
    const counts = report.targets[target]!;
    const record = dataset.records.find(({ into }) => into === target)!;
    const ofProperty = target === 'owners' || TARGETS[target].ofProperty;
    if (ofProperty) counts.unjoined = await stage.moveUnjoined(client, target);
    if (target === 'transactions' && record.bulkParcels) await stage.markBulkSales(client, record.bulkParcels);
    const done =
      target === 'owners'
        ? await facts.applyOwners(client, stamp, isBackfill)
        : await facts.applyFacts(client, target, stamp, isBackfill);
    if (target === 'transactions') await facts.fillSalesOfOtherSources(client, stamp);
    if (record.complete && !isReplay && target !== 'owners')
      counts.retired = await facts.retireVanishedFacts(client, target, stamp, counties);
    counts.inserted = done.inserted;
    counts.updated = done.updated;
    if (done.inserted > MANY_ROWS) await sql.analyzeTables(client, [target]);
    counts.unchanged = counts.staged - counts.duplicates - counts.unjoined - done.inserted - done.updated;
  }
  report.joinRate = joinRateOf(report, targets);
  await finishLayers(client, dataset, targets, stamp, report, market, counties);
  await endBeside(client, beside);
}

function joinRateOf(report: LoadReport, targets: Target[]): number | null {
  let [staged, unjoined] = [0, 0];
  for (const target of targets) {
    if (
      target === 'properties'
        ? report.targets.properties!.unjoined === 0
        : target !== 'owners' && !TARGETS[target].ofProperty
    )
      continue;
    staged += report.targets[target]!.staged;
    unjoined += report.targets[target]!.unjoined;
  }
  return staged === 0 ? null : (staged - unjoined) / staged;
}

const AREA_TARGETS: Target[] = ['areas', 'opportunity_zones'];

async function finishLayers(
  client: Client,
  dataset: Dataset,
  targets: Target[],
  stamp: LoadStamp,
  report: LoadReport,
  market: string | undefined,
  counties: number[],
): Promise<void> {
  const places = market ? counties.map((fips) => ({ fips, market })) : await coverage.listMarketCounties(client);
  const covered = market ? await coverage.listLayersCovered(client, counties, market, dataset.id) : new Set<string>();
  const isNewLayer = dataset.layers.some(({ layer }) => !covered.has(layer));
  if (market && isNewLayer && facts.haveSummaries(targets)) await facts.touchAll(client, counties, market);
  await facts.refreshSummaries(client, targets, stamp.at);

  const hasNewAreas = AREA_TARGETS.some((target) => {
    const counts = report.targets[target];
    return counts !== undefined && counts.inserted + counts.updated + counts.retired > 0;
  });
  const isFlood = dataset.layers.some(({ layer }) => layer === 'flood');
  const placeCounties = [...new Set(places.map((place) => place.fips))];
  if (hasNewAreas) report.stamped = await restamp(client, stamp, placeCounties, null, isFlood && isNewLayer);
  else if (targets.includes('properties') && (await isFloodMapped(client, counties)))
    report.stamped = await restamp(client, stamp, counties, stamp.loadId, true);

  if (!market) {
    for (const id of new Set(places.map((place) => place.market))) await coverage.coverByNation(client, id);
    return;
  }
  for (const place of places) {
    for (const { layer, from, to } of dataset.layers) {
      const recordCount = await coverage.countRecords(client, layer, place.fips, dataset.id);
      await coverage.upsertCoverage(client, stamp, {
        ...place,
        layer,
        from: from ?? null,
        to: to ?? null,
        publishedOn: dataset.publishedOn,
        recordCount,
      });
    }
  }
  if (targets.includes('properties')) {
    await coverage.refreshCounts(client, market);
    await coverage.coverByNation(client, market);
  }
}
