// Market analysis: area figures, precomputed by the loads that change them.
// One room because every figure, index and forecast is derived from the same monthly cells.
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { eachDue } from '../../base/db/due-markets.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import { fail } from '../../base/lib/errors.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { nearestWord } from '../../base/lib/suggest.ts';
import { isVisibleMarket, todayIn, type Catalog, type CoveredCatalog } from '../../records/markets/catalog.ts';
import { createSaleBook, SEGMENTED_KINDS, type Cell, type Kind, type SaleBook, type Step } from './cells.ts';
import { INDEX_RULES, rollUpIndexes } from './index-rollup.ts';
import { pointsOf } from './points.ts';
import { createRankBook, rankStock, type RankRow } from './ranks.ts';
import { reviseCells, type Occasion } from './revisions.ts';
import type { SalesSeries, SeriesPoint } from './schema.ts';
import { isSegment, RESIDENTIAL, type Segment } from './segments.ts';
import { createSquareBook } from './squares.ts';
import { createHomeBook, type HomeBook } from './stock.ts';
import * as sql from './sql.ts';

type RollupDeps = Pick<Deps, 'data' | 'clock' | 'catalog'>;

/** Increment when the figures are computed differently; every market is then recomputed. */
const RULES = 9;
/** If more than this share sold within three years, only sold homes are on record and turnover is meaningless. */
const MOST_LATELY_SOLD = 0.5;
const AREAS_NAMED = 5;
const AREAS_COMPARED = 1_000;

/** Updates the series of changed markets, such as after an upgrade, an operator's verdict or an interrupted load. */
export const rollUpMarkets = (deps: RollupDeps): Promise<void> =>
  eachDue(deps.data, { work: 'figures', rules: `${RULES} ${INDEX_RULES}` }, (market) => rollUpMarket(deps, market));

/** Changes whenever a figure of the market may have changed. */
export const figuresToken = ({ token, valued }: sql.Keeper): string => `${RULES}:${token}:${valued}`;

/** Updates a market's statistics from its sales. Returns how many changed; 0 if no sale can have changed. */
export async function rollUpMarket(deps: RollupDeps, market: string): Promise<number> {
  return (await rollUpFigures(deps, market)) + (await rollUpIndexes(deps, market));
}

const rollUpFigures = async (deps: RollupDeps, market: string): Promise<number> =>
  inTransaction(deps.data, async (client) => {
    await sql.lockMarket(client, market);
    const keeper = await sql.findKeeper(client, market);
    if (keeper === undefined) return 0;
    const { fips } = keeper;
    const token = figuresToken(keeper);
    const before = await sql.findRollup(client, market);
    if (before?.token === token) return 0;

    const today = todayIn(await deps.catalog.read(), market, deps.clock);
    const book = createSaleBook();
    const squares = createSquareBook(market);
    await sql.readSales(client, market, today, (rows) => {
      for (const row of rows) {
        book.add(factOf(row, market));
        squares.addSale(row);
      }
    });
    const homes = createHomeBook();
    await sql.readHomes(client, market, (rows) => {
      for (const row of rows) {
        homes.add(factOf(row, market));
        squares.addHome(row);
      }
    });
    const lastSoldOn = book.lastSoldOn();
    const occasion = { lastSoldOn, lastSoldBefore: before?.last_sale_on ?? null, today };
    const stock = [...homes.stock()];
    const isRoll = book.countLatelySold() <= homes.countAll() * MOST_LATELY_SOLD;
    const { changed, ranks } = await writeSeries(client, { market, fips }, { book, homes, isRoll, occasion });
    await writeRanks(client, { market, fips }, [...ranks, ...rankStock(stock)]);
    await sql.replaceSummaries(client, market, fips, stock);
    await sql.replaceSquares(client, market, squares.squares());
    await sql.upsertRollup(client, {
      fips,
      market,
      token,
      first_sale_on: book.firstSoldOn(),
      last_sale_on: lastSoldOn,
      is_roll: isRoll,
      rolled_up_at: deps.clock(),
    });
    return changed;
  });

interface Books {
  book: SaleBook;
  homes: HomeBook;
  isRoll: boolean;
  occasion: Omit<Occasion, 'step'>;
}

/** Writes the series that changed. Returns how many, and the ranking rows. */
async function writeSeries(
  client: Client,
  { market, fips }: { market: string; fips: number },
  { book, homes, isRoll, occasion }: Books,
): Promise<{ changed: number; ranks: RankRow[] }> {
  const keyOf = (key: sql.SeriesKey) => [key.kind, key.area, key.property_type, key.step].join('\n');
  const kept = new Map((await sql.listSeriesOfMarket(client, market)).map((row) => [keyOf(row), row]));
  const ranks = createRankBook();
  const changed: sql.SeriesRow[] = [];
  let count = 0;
  for (const series of book.series()) {
    const { kind, area, group, step, n } = series;
    const key = { kind, area, property_type: group, step };
    const old = kept.get(keyOf(key));
    kept.delete(keyOf(key));
    const standing = (isRoll && homes.countHomes(kind, area, group)) || null;
    const cells = reviseCells(series.cells, old?.cells ?? [], { step, ...occasion });
    if (old?.fips !== fips || old.homes !== standing || !isDeepStrictEqual(old.cells, cells)) {
      changed.push({ ...key, fips, n, homes: standing, cells });
    }
    if (!isSegment(group)) ranks.addSeries(series, standing);
    // Yields to requests: a market has tens of thousands of series.
    if (++count % 100 === 0) await setImmediate();
  }
  await sql.deleteSeries(client, market, [...kept.values(), ...changed]);
  await sql.insertSeries(client, market, changed);
  return { changed: changed.length + kept.size, ranks: ranks.rows() };
}

async function writeRanks(client: Client, { market, fips }: { market: string; fips: number }, rows: RankRow[]) {
  const keyOf = ({ kind, property_type, step, starts }: RankRow) => [kind, property_type, step, starts].join('\n');
  const kept = new Map((await sql.listRankRows(client, market)).map((row) => [keyOf(row), row]));
  const changed = rows.filter((row) => {
    const old = kept.get(keyOf(row));
    kept.delete(keyOf(row));
    return !isDeepStrictEqual(old, row);
  });
  await sql.deleteRankRows(client, market, [...kept.values(), ...changed]);
  await sql.insertRankRows(client, market, fips, changed);
}

/** The facts of a sale or home row, with its areas. */
export const factOf = <Fact>({ city, zip, tract, neighborhood, ...fact }: Fact & sql.AreaNames, market: string) => ({
  ...fact,
  areas: { market, county: formatFips(fact.fips), city, zip, tract, neighborhood },
});

export interface AreaQuery {
  kind: Kind;
  area: string;
  market?: string;
  property_type: SalesSeries['property_type'];
}

export interface SeriesQuery extends AreaQuery {
  interval: Step;
  segment?: Segment;
  since?: string;
  until?: string;
}

export type ReadDeps = Pick<Deps, 'dataReplica' | 'catalog'>;

export async function readSeries(deps: ReadDeps, mode: KeyMode, query: SeriesQuery): Promise<SalesSeries> {
  const { kind, interval: step, property_type, segment } = query;
  checkSpan(query);
  if (segment !== undefined && property_type !== RESIDENTIAL) {
    invalid('segment', `is of \`${RESIDENTIAL}\` homes; leave \`property_type\` out`);
  }
  if (segment !== undefined && !SEGMENTED_KINDS.includes(kind)) {
    const detail = `is kept by ${SEGMENTED_KINDS.join(', ')}; a ${kind} has too few sales. POST /analytics/series takes any filter`;
    invalid('segment', detail);
  }
  const catalog = await deps.catalog.read();
  const markets = visibleMarkets(catalog, mode, query.market);
  const area = areaIdOf(query);
  const key = { kind, area, step, propertyType: segment ?? property_type };
  const found = await sql.findSeries(deps.dataReplica, key, markets);
  const holders = found.length > 0 ? found : await sql.listHolders(deps.dataReplica, { kind, area }, markets);
  const market = oneMarket(holders, kind, area) ?? (await failForArea(deps, query, markets));
  const { rolled_up_at, last_sale_on } = holders[0];
  const { cells, homes } = found[0] ?? { cells: [], homes: null };
  const data = pointsOf(cells, { ...query, step, lastSoldOn: last_sale_on, homes });
  return {
    object: 'sales_series',
    area: { kind, id: area, name: nameOf(catalog, kind, area), market },
    property_type,
    segment: segment ?? null,
    homes,
    ...presentSeries(catalog, { step, updatedAt: rolled_up_at, data }),
    coverage_changes: presentChanges(await deps.catalog.readCovered(holders), [market], changesOf(cells)),
  };
}

/** The coverage changes in the periods of a series. */
export const changesOf = (cells: Cell[]) =>
  cells.flatMap(({ starts: on, coverage = {} }) =>
    (['ended', 'began'] as const).flatMap((kind) =>
      coverage[kind] === undefined ? [] : [{ on, kind, share: coverage[kind] }],
    ),
  );

/** A change names the sources whose records begin or end within this many days of it. */
const NEAR_CHANGE_DAYS = 100;

/** Changes with the sources that begin or end around then. */
export const presentChanges = (
  { coverage }: CoveredCatalog,
  markets: string[],
  changes: Omit<SalesSeries['coverage_changes'][number], 'sources'>[],
): SalesSeries['coverage_changes'] =>
  changes.map((change) => {
    const near = markets.flatMap(coverage.ofMarket).filter(({ layer, covers_from, covers_to }) => {
      const day = change.kind === 'began' ? covers_from : covers_to;
      return (
        layer === 'transactions' && day !== null && Math.abs(dayNumber(day) - dayNumber(change.on)) <= NEAR_CHANGE_DAYS
      );
    });
    return { ...change, sources: [...new Set(near.map(({ source_id }) => source_id))].sort() };
  });

/** Members shared by every series. */
export function presentSeries(
  catalog: Catalog,
  { step, updatedAt, data }: { step: Step; updatedAt: Date; data: SeriesPoint[] },
) {
  const sources = [...new Set(data.flatMap((point) => point.sources))].sort();
  return {
    interval: step,
    starts_on: data[0]?.starts_on ?? null,
    ends_on: data.at(-1)?.ends_on ?? null,
    n: data.reduce((total, { n }) => total + n, 0),
    updated_at: updatedAt.toISOString(),
    sources: sources.map((id) => describeSource(catalog, id)),
    data,
  };
}

export function checkSpan({ since, until }: { since?: string; until?: string }): void {
  if (since && until && since > until) invalid('until', 'must not be before `since`');
}

/** The canonical form of a caller's area. */
export const areaIdOf = ({ kind, area }: Pick<AreaQuery, 'kind' | 'area'>): string =>
  kind === 'market' ? area.trim().toLowerCase() : area.trim().toUpperCase();

/** The market that holds an area; undefined if none does. */
export function oneMarket(found: { market: string }[], kind: Kind, area: string): string | undefined {
  const holders = [...new Set(found.map(({ market }) => market))];
  if (holders.length > 1) {
    invalid('market', `is required: the ${kind} \`${area}\` lies in several markets, ${holders.join(', ')}`);
  }
  return holders[0];
}

export function visibleMarkets(catalog: Catalog, mode: KeyMode, wanted: string | undefined): string[] {
  if (wanted === undefined) return catalog.marketIds[mode];
  const market = wanted.trim().toLowerCase();
  if (isVisibleMarket(catalog, market, mode)) return [market];
  const near = nearestWord(market, catalog.marketIds[mode]);
  return fail(
    'resource_not_found',
    `No market \`${wanted}\` is visible to this key.${near ? ` Did you mean \`${near}\`?` : ''} /markets lists them.`,
  );
}

/** Fails with the names of existing areas, so that the next request succeeds. */
export async function failForArea(
  deps: ReadDeps,
  { kind, area }: Pick<AreaQuery, 'kind' | 'area'>,
  markets: string[],
  what: 'sales' | 'homes' = 'sales',
): Promise<never> {
  const areas = await sql.listLargestAreas(deps.dataReplica, kind, markets, AREAS_COMPARED);
  const names = [...new Set(areas.map((each) => each.area))];
  if (names.length === 0) {
    fail('resource_not_found', `There are no statistics by ${kind} where this key can look. Try another \`kind\`.`);
  }
  const near = nearestWord(area, names);
  const nearestFirst = near ? [near, ...names.filter((name) => name !== near)] : names;
  const others = names.slice(0, AREAS_NAMED).map((name) => `\`${name}\``);
  return fail(
    'resource_not_found',
    `No ${what} are on record for the ${kind} \`${area}\`.${near ? ` Did you mean \`${near}\`?` : ''} ` +
      `Those with the most sales: ${others.join(', ')}.`,
    { suggestions: nearestFirst.slice(0, AREAS_NAMED) },
  );
}

export function nameOf(catalog: Catalog, kind: Kind, area: string): string {
  if (kind === 'market') return catalog.markets.get(area)?.name ?? area;
  return kind === 'county' ? (catalog.counties.get(Number(area))?.name ?? area) : area;
}

type SourceName = SalesSeries['sources'][number];

export function describeSource(catalog: Catalog, id: string): SourceName {
  const known: Partial<SourceName> = catalog.sources.get(id) ?? {};
  const { name = id, publisher = '', url = null, licence = '', attribution = '' } = known;
  return { id, name, publisher, url, licence, attribution };
}

export function invalid(name: string, detail: string): never {
  return fail('invalid_request', `${name} ${detail}.`, { errors: [{ pointer: `/${name}`, code: 'invalid', detail }] });
}
