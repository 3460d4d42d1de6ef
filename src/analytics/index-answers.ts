// Answers with price indexes, as the roll-up keeps them.
import type { KeyMode } from '../accounts/key-format.ts';
import { addDays } from '../lib/clock.ts';
import {
  areaIdOf,
  describeSource,
  failForArea,
  invalid,
  labelOf,
  nameOf,
  visibleMarkets,
  type ReadDeps,
  type SeriesQuery,
} from './analytics.ts';
import { nextStart, startOf, type Step } from './cells.ts';
import { indexOf, type KeptIndex } from './index-revisions.ts';
import { BAND, BAND_DEVIATIONS, type IndexPoint, type PriceIndex } from './index-schema.ts';
import * as sql from './index-sql.ts';
import { isClosed } from './revisions.ts';

const METHOD =
  'Every sale’s price is taken net of what the home’s attributes and its place are worth (least squares over the sales ' +
  'of the market), and homes that sold more than once are compared with themselves. The level by month is a random walk ' +
  'of the market and, inside it, of each area around the one above, estimated with a Kalman smoother: an area with few ' +
  'sales follows the area above. How far levels move and how much prices scatter is estimated from the sales.';

const NOT_HOMES = new Set(['land', 'commercial', 'other']);

export async function readIndex(deps: ReadDeps, mode: KeyMode, query: SeriesQuery): Promise<PriceIndex> {
  const { kind, interval: step, property_type } = query;
  if (query.since && query.until && query.since > query.until) invalid('until', 'must not be before `since`');
  const catalog = await deps.catalog.read();
  const markets = visibleMarkets(catalog, mode, query.market);
  const area = areaIdOf(query);
  const found = await sql.findIndex(deps.dataReplica, { kind, area, step, propertyType: property_type }, markets);
  const holders = [...new Set(found.map(({ market }) => market))];
  if (holders.length === 0) return failForArea(deps, query, markets);
  if (holders.length > 1) {
    invalid('market', `is required: the ${kind} \`${area}\` lies in several markets, ${holders.join(', ')}`);
  }
  const { market, rolled_up_at, last_sale_on } = found[0];
  const kept = found.find((row) => row.property_type === property_type)?.price_index ?? null;
  const data = kept === null ? [] : listPoints(kept, query, last_sale_on);
  const total = (read: (point: IndexPoint) => number) => data.reduce((sum, point) => sum + read(point), 0);
  return {
    object: 'price_index',
    area: { kind, id: area, name: nameOf(catalog, kind, area), market },
    property_type,
    interval: step,
    withheld: kept === null,
    reason: kept !== null ? null : NOT_HOMES.has(property_type) ? 'not_homes' : 'too_few_sales',
    base_period: kept && labelOf(kept.base, step),
    band: BAND,
    starts_on: data[0]?.starts_on ?? null,
    ends_on: data.at(-1)?.ends_on ?? null,
    n: total(({ n }) => n),
    n_repeat: total(({ n_repeat }) => n_repeat),
    last_sale_on,
    growth: (kept?.growth ?? []).map(presentGrowth),
    method: METHOD,
    updated_at: rolled_up_at.toISOString(),
    sources: (kept?.sources ?? []).map((id) => describeSource(catalog, id)),
    data,
  };
}

function listPoints(kept: KeptIndex, { interval: step, since, until }: SeriesQuery, lastSoldOn: string | null) {
  const from = since === undefined ? '' : startOf(since, step);
  const points: IndexPoint[] = [];
  for (let [starts, k] = [kept.first, 0]; k < kept.level.length; k++) {
    if (starts >= from && (until === undefined || starts <= until))
      points.push(pointOf(kept, k, { starts, step, lastSoldOn }));
    starts = nextStart(starts, step);
  }
  return points;
}

function pointOf(
  { level, deviation, n, resold, published }: KeptIndex,
  k: number,
  { starts, step, lastSoldOn }: { starts: string; step: Step; lastSoldOn: string | null },
): IndexPoint {
  const index = indexOf(level[k]);
  return {
    period: labelOf(starts, step),
    starts_on: starts,
    ends_on: addDays(nextStart(starts, step), -1),
    index,
    low: indexOf(level[k] - BAND_DEVIATIONS * deviation[k]),
    high: indexOf(level[k] + BAND_DEVIATIONS * deviation[k]),
    n: n[k],
    n_repeat: resold[k],
    is_open: !isClosed(starts, step, lastSoldOn),
    first_published: published[k],
    is_revised: published[k] !== null && published[k] !== index,
  };
}

function presentGrowth({
  years,
  rate,
  deviation,
  from,
  to,
}: KeptIndex['growth'][number]): PriceIndex['growth'][number] {
  const rateOf = (log: number) => Math.round(1e4 * Math.expm1(log)) / 1e4;
  return {
    years,
    from: labelOf(from, 'month'),
    to: labelOf(to, 'month'),
    rate: rateOf(rate),
    low: rateOf(rate - BAND_DEVIATIONS * deviation),
    high: rateOf(rate + BAND_DEVIATIONS * deviation),
    annual_rate: rateOf(rate / years),
  };
}
