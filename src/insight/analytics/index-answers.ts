// API answers with price indexes from the roll-up.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import * as analytics from './analytics.ts';
import { endOf, firstDay, LEAST_SALES, monthOf, MONTHS, startOf, startOfPeriod, type Step } from './cells.ts';
import { labelOf } from './points.ts';
import { BAND, BAND_DEVIATIONS, type IndexPoint, type PriceForecast, type PriceIndex } from './index-schema.ts';
import { compareWithFhfa } from './benchmark.ts';
import * as sql from './index-sql.ts';
import methods from './methods.json' with { type: 'json' };
import { indexOf, isClosed, type KeptIndex } from './revisions.ts';
import { isHome, RESIDENTIAL } from './segments.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { lastOf, must } from '../../base/lib/must.ts';

export async function readIndex(
  deps: analytics.ReadDeps,
  mode: KeyMode,
  query: analytics.SeriesQuery,
): Promise<PriceIndex> {
  const { interval: step } = query;
  analytics.checkSpan(query);
  const { kept, last_sale_on, sources, ...shared } = await findKept(deps, mode, query, step);
  const data = kept === null ? [] : listPoints(kept, query, last_sale_on);
  const county = await largestCounty(deps, shared.area.market);
  const place = { kind: query.kind, area: shared.area.id, county };
  const total = (read: (point: IndexPoint) => number) => data.reduce((sum, point) => sum + read(point), 0);
  return {
    object: 'price_index',
    ...shared,
    interval: step,
    base_period: kept && labelOf(kept.base, step),
    band: BAND,
    starts_on: data[0]?.starts_on ?? null,
    ends_on: data.at(-1)?.ends_on ?? null,
    n: total(({ n }) => n),
    n_repeat: total(({ n_repeat }) => n_repeat),
    last_sale_on,
    growth: (kept?.growth ?? []).map(presentGrowth),
    resales: presentResales(kept?.resales ?? []),
    benchmark: await compareWithFhfa(deps.dataReplica, place, kept, step),
    method: methods.index,
    sources,
    data,
  };
}

async function largestCounty(
  { catalog }: Pick<analytics.ReadDeps, 'catalog'>,
  market: string,
): Promise<string | undefined> {
  const counts = (await catalog.read()).countsByMarket.get(market) ?? [];
  const largest = counts.toSorted((a, b) => b.property_count - a.property_count)[0];
  return largest && formatFips(largest.fips);
}

type ForecastQuery = analytics.AreaQuery & { months: number };

export async function readForecast(
  deps: analytics.ReadDeps,
  mode: KeyMode,
  query: ForecastQuery,
): Promise<PriceForecast> {
  const { kept, last_sale_on, sources, ...shared } = await findKept(deps, mode, query, 'month');
  return {
    object: 'price_forecast',
    ...shared,
    ...(kept && !kept.forecast && { withheld: true, reason: 'coverage_changed' as const }),
    base_period: kept && labelOf(kept.base, 'month'),
    from: kept && labelOf(lastMonthOf(kept), 'month'),
    index: kept && indexOf(lastOf(kept.level)),
    band: BAND,
    n: kept === null ? 0 : kept.n.reduce((sum, n) => sum + n, 0),
    last_sale_on,
    method: methods.forecast,
    sources,
    data: kept?.forecast ? forecastOf(kept).data.slice(0, query.months) : [],
  };
}

type Forecast = Pick<KeptIndex, 'first' | 'level' | 'forecast'>;
const lastMonthOf = ({ first, level }: Forecast) => firstDay(monthOf(first) + level.length - 1);

/** The months that an index is forecast for, from its last one. */
export function forecastOf(index: Forecast): { from: string; data: PriceForecast['data'] } {
  const from = lastMonthOf(index);
  const now = lastOf(index.level);
  const { growth: grown, deviation } = must(index.forecast, 'forecast');
  const data = grown.map((growth, k) => {
    const starts = firstDay(monthOf(from) + k + 1);
    const rates = bandOf(growth, deviation[k], rateOf);
    return {
      period: labelOf(starts, 'month'),
      starts_on: starts,
      ends_on: endOf(starts, 'month'),
      index: indexOf(now + growth),
      ...bandOf(now + growth, deviation[k], indexOf),
      growth: rateOf(growth),
      growth_low: rates.low,
      growth_high: rates.high,
    };
  });
  return { from: labelOf(from, 'month'), data };
}

/** The stored index of an area and type, with the members common to every answer. */
async function findKept(deps: analytics.ReadDeps, mode: KeyMode, query: analytics.AreaQuery, step: Step) {
  const { kind, property_type } = query;
  const catalog = await deps.catalog.read();
  const markets = analytics.visibleMarkets(catalog, mode, query.market);
  const area = analytics.areaIdOf(query);
  const found = await sql.findIndex(deps.dataReplica, { kind, area, step, propertyType: property_type }, markets);
  const market = analytics.oneMarket(found, kind, area) ?? (await analytics.failForArea(deps, query, markets));
  const { rolled_up_at, last_sale_on } = found[0];
  const stored = found.find((row) => row.property_type === property_type)?.price_index ?? null;
  const kept = stored !== null && stored.level.length > 0 ? stored : null;
  const changes = (stored?.changes ?? []).map(({ quarter, ...change }) => ({
    on: firstDay(quarter * MONTHS.quarter),
    ...change,
  }));
  return {
    kept,
    area: { kind, id: area, name: analytics.nameOf(catalog, kind, area), market },
    property_type,
    withheld: kept === null,
    reason: kept !== null ? null : stored === null ? reasonOf(property_type) : ('coverage_changed' as const),
    coverage_changes: analytics.presentChanges(await deps.catalog.readCovered(found), [market], changes),
    last_sale_on,
    updated_at: rolled_up_at.toISOString(),
    sources: (kept?.sources ?? []).map((id) => analytics.describeSource(catalog, id)),
  };
}

const reasonOf = (propertyType: analytics.AreaQuery['property_type']): PriceIndex['reason'] =>
  propertyType === RESIDENTIAL || isHome(propertyType) ? 'too_few_sales' : 'not_homes';

function listPoints(
  kept: KeptIndex,
  { interval: step, since, until }: analytics.SeriesQuery,
  lastSoldOn: string | null,
) {
  const from = since === undefined ? '' : startOf(since, step);
  const points = kept.level.map((_, k) => {
    const starts = startOfPeriod(kept.first, k, step);
    return pointOf(kept, k, { starts, step, lastSoldOn });
  });
  return points.filter(({ starts_on }) => starts_on >= from && (until === undefined || starts_on <= until));
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
    ends_on: endOf(starts, step),
    index,
    ...bandOf(level[k], deviation[k], indexOf),
    n: n[k],
    n_repeat: resold[k],
    is_open: !isClosed(starts, step, lastSoldOn),
    first_published: published[k],
    is_revised: published[k] !== null && published[k] !== index,
  };
}

const presentGrowth = ({ years, rate, deviation, from, to }: KeptIndex['growth'][number]) => ({
  years,
  from: labelOf(from, 'month'),
  to: labelOf(to, 'month'),
  rate: rateOf(rate),
  ...bandOf(rate, deviation, rateOf),
  annual_rate: rateOf(rate / years),
});

const presentResales = (resales: KeptIndex['resales']): PriceIndex['resales'] =>
  resales
    .map(({ from, n, gain, deviation }, k) => ({
      held_months_from: from,
      held_months_to: resales[k + 1]?.from ?? null,
      n,
      gain: rateOf(gain),
      ...bandOf(gain, deviation, rateOf),
    }))
    .filter(({ n }) => n >= LEAST_SALES);

const rateOf = (log: number): number => Math.round(1e4 * Math.expm1(log)) / 1e4;

/** The bounds of the band around a log level, in the unit of the answer. */
const bandOf = (log: number, deviation: number, present: (log: number) => number) => ({
  low: present(log - BAND_DEVIATIONS * deviation),
  high: present(log + BAND_DEVIATIONS * deviation),
});
