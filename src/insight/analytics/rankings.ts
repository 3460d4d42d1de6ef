// Ranks the areas of a kind by a figure, from one row per market.
import { LRUCache } from 'lru-cache';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { addDays } from '../../base/lib/clock.ts';
import { decodeCursor, encodeCursor } from '../../base/lib/cursors.ts';
import { fail } from '../../base/lib/errors.ts';
import { type Catalog, type CoveredCatalog } from '../../records/markets/catalog.ts';
import { describeSource, invalid, nameOf, visibleMarkets, type ReadDeps } from './analytics.ts';
import type { Ranking } from './area-schema.ts';
import { endOf, startOf, type Kind } from './cells.ts';
import { labelOf, startOfLabel } from './points.ts';
import { isSalesFigure, leastOf, NOW, rankBy, type AreaFigure, type Figure, type RankedStep } from './ranks.ts';
import { RESIDENTIAL } from './segments.ts';
import type { Stock } from './stock.ts';
import { presentCenter } from './summary.ts';
import * as sql from './sql.ts';
import { entryOf } from '../../base/lib/must.ts';

const WITHHELD_LISTED = 500;
/** Cached in memory, about 150 bytes each. */
const MOST_PLACES = 200_000;

interface RankingQuery {
  kind: Kind;
  figure: Figure;
  market?: string;
  county?: string;
  state?: string;
  property_type: Ranking['property_type'];
  interval: RankedStep;
  period?: string;
  order: Ranking['order'];
  limit: number;
  cursor?: string;
}

interface Period {
  step: RankedStep;
  starts: string;
}

export async function readRanking(
  deps: ReadDeps & Pick<Deps, 'secrets' | 'areaPlaces'>,
  mode: KeyMode,
  query: RankingQuery,
): Promise<Ranking> {
  const { kind, figure, property_type, order, limit } = query;
  const isStock = !isSalesFigure(figure);
  if (isStock && query.period !== undefined)
    invalid('period', `does not go with \`${figure}\`, which is as things stand`);
  if (isStock && property_type !== RESIDENTIAL)
    invalid('property_type', `does not go with \`${figure}\`, which is of all homes`);
  const catalog = await deps.catalog.read();
  const markets = marketsWithin(catalog, mode, query);
  const rollups = await sql.listRollups(deps.dataReplica, markets);
  if (rollups.length === 0) fail('resource_not_found', 'The figures of what is loaded there are not ready yet.');
  const period = isStock ? undefined : readPeriod(query, rollups);
  const key = { kind, propertyType: property_type, ...(period ?? { step: 'stock' as const, starts: NOW }) };
  const [rows, places] = await Promise.all([
    sql.listFigures(deps.dataReplica, markets, key, figure),
    deps.areaPlaces.read(kind, rollups),
  ]);
  const placeOf = (market: string, area: string): Place | undefined => places.get(market)?.get(area);
  const county = query.county === undefined ? undefined : Number(query.county);
  const reached = new Set(rollups.filter((row) => period && reaches(row, period)).map((row) => row.market));
  const areas = [...keptFigures(rows), ...(isStock ? [] : unsoldAreas(rows, places, { figure, reached }))].filter(
    ({ market, area }) => county === undefined || placeOf(market, area)?.fips === county,
  );
  const { ranked, withheld } = rankBy(areas, { isDescending: order === 'descending', least: leastOf(figure) });

  const present = ({ area, market }: { area: string; market: string }) => ({
    kind,
    id: area,
    name: nameOf(catalog, kind, area),
    market,
    center: presentCenter(placeOf(market, area)?.center ?? null),
  });
  const { from, next } = pageOfRanks(deps, mode, { ...query, period: period?.starts }, ranked.length);
  const page = ranked.slice(from, from + limit);
  const holders = new Set(areas.map(({ market }) => market));
  const covered = await deps.catalog.readCovered(areas);
  return {
    object: 'ranking',
    kind,
    figure,
    order,
    property_type,
    interval: period?.step ?? null,
    period: period ? labelOf(period.starts, period.step) : null,
    starts_on: period?.starts ?? null,
    ends_on: period ? endOf(period.starts, period.step) : null,
    within: { markets, county: query.county ?? null, state: query.state?.toUpperCase() ?? null },
    updated_at: new Date(Math.min(...rollups.map((row) => row.rolled_up_at.getTime()))).toISOString(),
    total: ranked.length,
    data: page.map((each, i) => ({
      rank: from + i + 1,
      area: present(each),
      homes: placeOf(each.market, each.area)?.homes ?? null,
      n: each.n,
      base_n: each.base ?? null,
      value: each.value,
    })),
    withheld_total: withheld.length,
    withheld: withheld
      .slice(0, WITHHELD_LISTED)
      .map(({ n, base, reason, ...each }) => ({ area: present(each), n, base_n: base ?? null, reason })),
    pagination: { limit, has_more: next !== null, next_cursor: next, total: null },
    sources: sourcesOf(covered, [...holders], isStock ? figure : 'sales'),
  };
}

interface Place {
  fips: number;
  homes: number;
  center: Stock['center'];
}
type PlacesByMarket = Map<string, Map<string, Place>>;

declare module '../../base/deps.ts' {
  interface Deps {
    areaPlaces: ReturnType<typeof createAreaPlaces>;
  }
}

/** Area locations and home counts, shared by all rankings of a kind and therefore cached. Entries are valid until the
    market is rolled up again. */
export function createAreaPlaces({ dataReplica }: Pick<Deps, 'dataReplica'>) {
  const kept = new LRUCache<string, Map<string, Place>>({
    maxSize: MOST_PLACES,
    sizeCalculation: (places) => places.size + 1,
  });
  return {
    async read(kind: Kind, rollups: { market: string; rolled_up_at: Date }[]): Promise<PlacesByMarket> {
      const keyOf = new Map(
        rollups.map(({ market, rolled_up_at }) => [market, `${kind}\n${market}\n${rolled_up_at.getTime()}`]),
      );
      const known: PlacesByMarket = new Map();
      const missing: string[] = [];
      for (const [market, key] of keyOf) {
        const places = kept.get(key);
        if (places) known.set(market, places);
        else missing.push(market);
      }
      if (missing.length === 0) return known;
      for (const row of await sql.listPlaces(dataReplica, missing, kind)) {
        const places = placesOf(row);
        kept.set(entryOf(keyOf, row.market), places);
        known.set(row.market, places);
      }
      return known;
    },
  };
}

const placesOf = ({ areas, homes, places: { fips, centers } }: sql.PlacesRow): Map<string, Place> =>
  new Map(areas.map((area, i) => [area, { fips: fips[i], homes: homes.counts[i], center: centers[i] }]));

/** An area in a row has homes or sales. If none has the figure, the figure is unknown, not withheld for small n. */
const keptFigures = (rows: sql.FigureRow[]): AreaFigure[] =>
  rows.flatMap(({ market, areas, column: { values, counts, bases } }) =>
    areas.map((area, i) => ({
      market,
      area,
      value: values[i],
      n: counts[i],
      base: bases?.[i],
      isUnknown: counts[i] === 0,
    })),
  );

/** Areas with homes but no row for the period: no sales if the records cover the period, otherwise unknown. */
function unsoldAreas(
  rows: sql.FigureRow[],
  places: PlacesByMarket,
  { figure, reached }: { figure: Figure; reached: Set<string> },
): AreaFigure[] {
  const sold = new Map(rows.map(({ market, areas }) => [market, new Set(areas)]));
  return [...places].flatMap(([market, homesOf]) => {
    const isReached = reached.has(market);
    const unsold = [...homesOf].filter(([area, { homes }]) => homes > 0 && !sold.get(market)?.has(area));
    const value = figure === 'sales' && isReached ? 0 : null;
    return unsold.map(([area]) => ({ market, area, value, n: 0, isUnknown: !isReached }));
  });
}

const reaches = ({ first_sale_on, last_sale_on }: sql.RollupRow, { starts, step }: Period): boolean =>
  first_sale_on !== null && last_sale_on !== null && first_sale_on <= endOf(starts, step) && starts <= last_sale_on;

/** The markets to rank: the given one, those of a county or state, or the only one. */
function marketsWithin(catalog: Catalog, mode: KeyMode, { market, county, state }: RankingQuery): string[] {
  if ([market, county, state].filter((each) => each !== undefined).length > 1) {
    invalid('market', 'does not go with `county` or `state`; name one of the three');
  }
  const visible = visibleMarkets(catalog, mode, market);
  const names = catalog.marketIds[mode];
  if (market === undefined && county === undefined && state === undefined && visible.length > 1) {
    invalid('market', `is required, or \`county\` or \`state\`: this key sees ${names.slice(0, 20).join(', ')}`);
  }
  if (county !== undefined && !/^\d{5}$/.test(county)) invalid('county', 'must be a five-digit FIPS code');
  const counts = market === undefined ? catalog.visible[mode] : (catalog.countsByMarket.get(visible[0]) ?? []);
  const held = counts.filter(
    (row) =>
      (county === undefined || row.fips === Number(county)) &&
      (state === undefined || catalog.counties.get(row.fips)?.state === state.toUpperCase()),
  );
  const found = [...new Set(held.map((row) => row.market))].sort();
  if (found.length > 0) return found;
  return fail(
    'resource_not_found',
    `Nothing is loaded there. Markets that this key sees: ${names.slice(0, 20).join(', ')}.`,
  );
}

/** The requested period, or the last one that is closed in any of the markets. */
function readPeriod({ interval: step, period }: RankingQuery, rollups: sql.RollupRow[]): Period {
  if (period !== undefined) {
    const starts = startOfLabel(period.trim(), step);
    return starts ? { step, starts } : invalid('period', `must look like ${step === 'year' ? '`2025`' : '`2025-Q4`'}`);
  }
  const last = rollups
    .flatMap((row) => row.last_sale_on ?? [])
    .sort()
    .at(-1);
  if (last === undefined) fail('resource_not_found', 'No sales are on record there.');
  return { step, starts: startOf(addDays(startOf(last, step), -1), step) };
}

function pageOfRanks(
  { secrets }: Pick<Deps, 'secrets'>,
  mode: KeyMode,
  { limit, cursor, ...query }: RankingQuery,
  total: number,
): { from: number; next: string | null } {
  const identity = ['ranking', mode, query];
  const from = cursor === undefined ? 0 : Number(decodeCursor(secrets, identity, cursor)[0]);
  const end = from + limit;
  return { from, next: end < total ? encodeCursor(secrets, identity, [end]) : null };
}

const LAYERS: Partial<Record<Figure, string>> = {
  sales: 'transactions',
  tax_rate: 'taxes',
  permit_share: 'permits',
  open_violation_share: 'code_violations',
  open_lien_share: 'tax_liens',
};

function sourcesOf(catalog: CoveredCatalog, markets: string[], figure: Figure): Ranking['sources'] {
  const layer = LAYERS[figure] ?? 'properties';
  const rows = markets.flatMap((market) => catalog.coverage.ofMarket(market).filter((row) => row.layer === layer));
  return [...new Set(rows.map((row) => row.source_id))].sort().map((id) => describeSource(catalog, id));
}
