// The series of an ad hoc area: a polygon, a circle, any search result. Computed on demand, therefore limited.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { todayIn } from '../../records/markets/catalog.ts';
import type { Filter } from '../../records/properties/filter.ts';
import {
  cellsToRead,
  failForMany,
  listAllMatches,
  matchesWholeCounties,
  scopeOf,
} from '../../records/properties/search.ts';
import * as analytics from './analytics.ts';
import { createSaleBook, NO_FIGURES, type SaleFact } from './cells.ts';
import { pointsOf } from './points.ts';
import { CUSTOM, type SalesSeries } from './schema.ts';
import { HOME_TYPES, RESIDENTIAL } from './segments.ts';
import { edgeOf, readSquares, SQUARE_DEGREES } from './squares.ts';
import * as sql from './sql.ts';

/** The sales of this many homes are read and counted within about a second. */
const MOST_HOMES = 30_000;
const ADVICE =
  'Draw a smaller area, or narrow it with `market`, `fips`, `zip`, `census_tract` or a radius. For a whole market, county, city or ZIP, GET /analytics/series has the figures ready.';

interface Drawn {
  homes: number;
  markets: string[];
  sales: SaleFact[];
  readAt: Date;
}

/** For requests with only a place and types, from the precomputed squares. */
export async function readFromSquares(
  deps: analytics.ReadDeps,
  mode: KeyMode,
  filter: Filter,
): Promise<Drawn | undefined> {
  const { place, types } = filter;
  if (!place || !matchesWholeCounties({ ...filter, place: undefined, types: [] })) return undefined;
  const cells = cellsToRead(filter, ADVICE, SQUARE_DEGREES)!;
  const scope = scopeOf(await deps.catalog.read(), mode, filter);
  const rollups = await sql.listRollups(deps.dataReplica, scope.markets);
  if (rollups.length < scope.markets.length || rollups.length === 0) return undefined;
  if ((await sql.countInSquares(deps.dataReplica, scope, cells)) > MOST_HOMES) failForMany(MOST_HOMES, ADVICE);
  const edge = edgeOf(place, cells);
  const squares = await sql.listSquares(deps.dataReplica, scope, { cells, edge });
  const { sales, homes } = readSquares(squares, { place, edge, types: new Set(types) });
  const readAt = rollups.map(({ rolled_up_at }) => rolled_up_at).reduce((a, b) => (a < b ? a : b));
  return { homes: [...homes.values()].reduce((sum, n) => sum + n, 0), markets: [...homes.keys()], sales, readAt };
}

export async function readRows(deps: CustomDeps, mode: KeyMode, filter: Filter): Promise<Drawn> {
  const homes = await listAllMatches(deps, mode, { filter, most: MOST_HOMES, advice: ADVICE });
  const markets = [...new Set(homes.map(({ market }) => market))];
  const upTo = todayIn(await deps.catalog.read(), markets[0], deps.clock);
  const rows = await sql.listSalesOfHomes(deps.dataReplica, homes, upTo);
  const sales = rows.map((row) => analytics.factOf(row, markets[0]));
  return { homes: homes.length, markets, sales, readAt: deps.clock() };
}

type CustomDeps = analytics.ReadDeps & Pick<Deps, 'clock'>;

type CustomQuery = Pick<analytics.SeriesQuery, 'interval' | 'property_type' | 'since' | 'until'> & { filter: Filter };

export async function readCustomSeries(
  deps: CustomDeps,
  mode: KeyMode,
  { filter: asked, interval: step, property_type, since, until }: CustomQuery,
): Promise<SalesSeries> {
  analytics.checkSpan({ since, until });
  const types = property_type === RESIDENTIAL ? HOME_TYPES : [property_type];
  const filter = { ...asked, types: [...types] };
  const { homes, markets, sales, readAt } =
    (await readFromSquares(deps, mode, filter)) ?? (await readRows(deps, mode, filter));
  if (markets.length === 0) {
    fail('resource_not_found', 'No homes on record match. Draw another area, or remove a filter.');
  }
  const catalog = await deps.catalog.readCovered(markets.map((market) => ({ market })));
  const rollups = await sql.listRollups(deps.dataReplica, markets);
  const book = createSaleBook(rollups.flatMap((row) => row.first_sale_on ?? []).sort()[0]);
  for (const sale of sales) book.add(sale);
  const unplaced = new Map(
    (await sql.listUnplaced(deps.dataReplica, filter, { step, property_type, markets })).map((row) => [
      row.starts,
      row,
    ]),
  );
  const cells = book.cells(step).map((cell) => ({
    ...cell,
    ...(unplaced.has(cell.starts) && { ...NO_FIGURES, ...unplaced.get(cell.starts) }),
    nFirst: null,
    revisedOn: null,
  }));
  const standing = rollups.every(({ is_roll }) => is_roll) ? homes : null;
  // Up to the last day covered by every market.
  const lastSoldOn = rollups.flatMap((row) => row.last_sale_on ?? []).sort()[0] ?? null;
  const data = pointsOf(cells, { step, since, until, lastSoldOn, homes: standing });
  return {
    object: 'sales_series',
    area: {
      kind: CUSTOM,
      id: CUSTOM,
      name: filter.place ? 'Drawn area' : 'Search',
      market: markets.length === 1 ? markets[0] : null,
    },
    property_type,
    segment: null,
    homes: standing,
    ...analytics.presentSeries(catalog, { step, updatedAt: readAt, data }),
    coverage_changes: analytics.presentChanges(catalog, markets, analytics.changesOf(cells)),
  };
}
