// Market analysis: series of sales by area, kept up to date by the loads that change them and read as they are.
import { setImmediate } from 'node:timers/promises';
import type { KeyMode } from '../accounts/key-format.ts';
import { inTransaction } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { addDays } from '../lib/clock.ts';
import { fail } from '../lib/errors.ts';
import { formatFips } from '../lib/ids.ts';
import { nearestWord } from '../lib/suggest.ts';
import { isVisibleMarket, type Catalog } from '../markets/catalog.ts';
import { todayIn } from '../sandbox/dates.ts';
import { createSaleBook, nextStart, startOf, type Kind, type Step } from './cells.ts';
import { rollUpIndexes } from './index-rollup.ts';
import { isClosed, isSameSeries, reviseCells, type KeptCell } from './revisions.ts';
import type { SalesSeries, SeriesPoint } from './schema.ts';
import * as sql from './sql.ts';

type RollupDeps = Pick<Deps, 'data' | 'clock'>;

/** Increment when the figures are computed differently; every market is then computed anew. */
const RULES = 1;
const AREAS_NAMED = 5;
const AREAS_COMPARED = 1_000;

/** Brings the series of every market up to date: after an upgrade, an operator's verdict, a load that was cut short. */
export async function rollUpMarkets(deps: RollupDeps & Pick<Deps, 'catalog'>): Promise<void> {
  const { markets } = await deps.catalog.read();
  for (const market of markets.keys()) await rollUpMarket(deps, market);
}

/** Brings the statistics of a market up to date with its sales. Returns how many changed: none if no sale can have. */
export async function rollUpMarket(deps: RollupDeps, market: string): Promise<number> {
  return (await rollUpSeries(deps, market)) + (await rollUpIndexes(deps, market));
}

async function rollUpSeries(deps: RollupDeps, market: string): Promise<number> {
  return inTransaction(deps.data, async (client) => {
    await sql.lockMarket(client, market);
    const fips = await sql.findKeeper(client, market);
    if (fips === undefined) return 0;
    const token = `${RULES}:${await sql.findToken(client, market)}`;
    const before = await sql.findRollup(client, market);
    if (before?.token === token) return 0;

    const today = todayIn(market, deps.clock);
    const book = createSaleBook();
    await sql.readSales(client, market, today, (rows) => {
      for (const row of rows) book.add(factOf(row, market));
    });
    const lastSoldOn = book.lastSoldOn();
    const keyOf = (key: sql.SeriesKey) => [key.kind, key.area, key.property_type, key.step].join('\n');
    const kept = new Map((await sql.listSeriesOfMarket(client, market)).map((row) => [keyOf(row), row]));
    const changed: sql.SeriesRow[] = [];
    let count = 0;
    for (const { kind, area, propertyType, step, n, cells } of book.series()) {
      const key = { kind, area, property_type: propertyType, step };
      const old = kept.get(keyOf(key));
      kept.delete(keyOf(key));
      const occasion = { step, lastSoldOn, lastSoldBefore: before?.last_sale_on ?? null, today };
      const revised = reviseCells(cells, old?.cells ?? [], occasion);
      if (old?.fips !== fips || !isSameSeries(old.cells, revised)) changed.push({ ...key, fips, n, cells: revised });
      // Other requests have their turn: a market has tens of thousands of series.
      if (++count % 100 === 0) await setImmediate();
    }
    await sql.deleteSeries(client, market, [...kept.values(), ...changed]);
    await sql.insertSeries(client, market, changed);
    await sql.upsertRollup(client, market, { fips, token, last_sale_on: lastSoldOn, rolled_up_at: deps.clock() });
    return changed.length + kept.size;
  });
}

function factOf(row: sql.SaleRow, market: string) {
  return {
    soldOn: row.sale_date,
    isYearOnly: row.date_precision === 'year',
    price: row.price,
    sqft: row.sqft,
    propertyType: row.property_type,
    source: row.source_id,
    areas: {
      market,
      county: formatFips(row.fips),
      city: row.city,
      zip: row.zip,
      tract: row.census_tract,
      neighborhood: row.neighborhood,
    },
  };
}

export interface AreaQuery {
  kind: Kind;
  area: string;
  market?: string;
  property_type: SalesSeries['property_type'];
}

export interface SeriesQuery extends AreaQuery {
  interval: Step;
  since?: string;
  until?: string;
}

export type ReadDeps = Pick<Deps, 'dataReplica' | 'catalog'>;

export async function readSeries(deps: ReadDeps, mode: KeyMode, query: SeriesQuery): Promise<SalesSeries> {
  const { kind, interval: step, property_type } = query;
  if (query.since && query.until && query.since > query.until) invalid('until', 'must not be before `since`');
  const catalog = await deps.catalog.read();
  const markets = visibleMarkets(catalog, mode, query.market);
  const area = areaIdOf(query);
  const found = await sql.findSeries(deps.dataReplica, { kind, area, step, propertyType: property_type }, markets);
  const holders = [...new Set(found.map(({ market }) => market))];
  if (holders.length === 0) return failForArea(deps, query, markets);
  if (holders.length > 1) {
    invalid('market', `is required: the ${kind} \`${area}\` lies in several markets, ${holders.join(', ')}`);
  }
  const { market, rolled_up_at, last_sale_on } = found[0];
  const cells = found.find((row) => row.cells !== null)?.cells ?? [];
  const data = fillPeriods(cells, query).map((cell) => presentCell(cell, step, last_sale_on));
  const sources = [...new Set(data.flatMap((point) => point.sources))].sort();
  return {
    object: 'sales_series',
    area: { kind, id: area, name: nameOf(catalog, kind, area), market },
    property_type,
    interval: step,
    starts_on: data[0]?.starts_on ?? null,
    ends_on: data.at(-1)?.ends_on ?? null,
    n: data.reduce((total, { n }) => total + n, 0),
    updated_at: rolled_up_at.toISOString(),
    sources: sources.map((id) => describeSource(catalog, id)),
    data,
  };
}

/** An area as it is kept, however the caller writes it. */
export function areaIdOf({ kind, area }: AreaQuery): string {
  return kind === 'market' ? area.trim().toLowerCase() : area.trim().toUpperCase();
}

export function visibleMarkets(catalog: Catalog, mode: KeyMode, wanted: string | undefined): string[] {
  const visible = [...catalog.markets.keys()].filter((market) => isVisibleMarket(catalog, market, mode));
  if (wanted === undefined) return visible;
  const market = wanted.trim().toLowerCase();
  if (visible.includes(market)) return [market];
  const near = nearestWord(market, visible);
  return fail(
    'resource_not_found',
    `No market \`${wanted}\` is visible to this key${near ? `; did you mean \`${near}\`?` : ''}. /markets lists them.`,
  );
}

/** Names areas that there are, so that the next request is right. */
export async function failForArea(deps: ReadDeps, { kind, area }: AreaQuery, markets: string[]): Promise<never> {
  const areas = await sql.listLargestAreas(deps.dataReplica, kind, markets, AREAS_COMPARED);
  const names = [...new Set(areas.map((each) => each.area))];
  if (names.length === 0) {
    fail('resource_not_found', `There are no statistics by ${kind} where this key can look. Try another \`kind\`.`);
  }
  const near = nearestWord(area, names);
  const others = names.slice(0, AREAS_NAMED).map((name) => `\`${name}\``);
  return fail(
    'resource_not_found',
    `No sales are on record for the ${kind} \`${area}\`${near ? `; did you mean \`${near}\`?` : ''}. ` +
      `Those with the most sales: ${others.join(', ')}.`,
    {
      suggestions: near
        ? [near, ...names.filter((name) => name !== near).slice(0, AREAS_NAMED - 1)]
        : names.slice(0, AREAS_NAMED),
    },
  );
}

const nothing = (starts: string): KeptCell => ({
  starts,
  n: 0,
  prices: null,
  nSqft: 0,
  perSqft: null,
  sources: [],
  nFirst: null,
  revisedOn: null,
});

/** Every period from the first with sales to the last, as far as asked for. */
function fillPeriods(cells: KeptCell[], { interval: step, since, until }: SeriesQuery): KeptCell[] {
  const from = since === undefined ? undefined : startOf(since, step);
  const wanted = cells.filter(
    ({ starts }) => (from === undefined || starts >= from) && (until === undefined || starts <= until),
  );
  const filled: KeptCell[] = [];
  for (const cell of wanted) {
    for (let gap = filled.at(-1); gap && nextStart(gap.starts, step) < cell.starts; gap = filled.at(-1)) {
      filled.push(nothing(nextStart(gap.starts, step)));
    }
    filled.push(cell);
  }
  return filled;
}

function presentCell(cell: KeptCell, step: Step, lastSoldOn: string | null): SeriesPoint {
  const [priceLow, price, priceHigh] = cell.prices ?? [null, null, null];
  const [perSqftLow, perSqft, perSqftHigh] = cell.perSqft ?? [null, null, null];
  return {
    period: labelOf(cell.starts, step),
    starts_on: cell.starts,
    ends_on: addDays(nextStart(cell.starts, step), -1),
    n: cell.n,
    withheld: cell.prices === null,
    median_price: price,
    price_p25: priceLow,
    price_p75: priceHigh,
    n_with_sqft: cell.nSqft,
    median_price_per_sqft: perSqft,
    price_per_sqft_p25: perSqftLow,
    price_per_sqft_p75: perSqftHigh,
    is_open: !isClosed(cell.starts, step, lastSoldOn),
    late_sales: cell.nFirst === null ? 0 : Math.max(0, cell.n - cell.nFirst),
    revised_on: cell.revisedOn,
    sources: cell.sources,
  };
}

export function labelOf(starts: string, step: Step): string {
  if (step === 'year') return starts.slice(0, 4);
  return step === 'month' ? starts.slice(0, 7) : `${starts.slice(0, 4)}-Q${Math.ceil(Number(starts.slice(5, 7)) / 3)}`;
}

export function nameOf(catalog: Catalog, kind: Kind, area: string): string {
  if (kind === 'market') return catalog.markets.get(area)?.name ?? area;
  if (kind === 'county') return catalog.counties.get(Number(area))?.name ?? area;
  return area;
}

export function describeSource(catalog: Catalog, id: string): SalesSeries['sources'][number] {
  const { name, publisher, url, licence, attribution } = catalog.sources.get(id) ?? {
    name: id,
    publisher: '',
    url: null,
    licence: '',
    attribution: '',
  };
  return { id, name, publisher, url, licence, attribution };
}

export function invalid(name: string, detail: string): never {
  return fail('invalid_request', `${name} ${detail}.`, { errors: [{ pointer: `/${name}`, code: 'invalid', detail }] });
}
