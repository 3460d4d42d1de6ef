// A search, step by step: which counties the caller may see and asked for, which way through the indexes is short,
// then page after page by key until the limit is full.
import type { KeyMode } from '../accounts/key-format.ts';
import type { Deps } from '../deps.ts';
import { decodeCursor, encodeCursor, type CursorPosition } from '../lib/cursors.ts';
import { fail } from '../lib/errors.ts';
import {
  boxAround,
  cellCountOfBox,
  cellsOfBox,
  COARSE_DEGREES,
  distanceMiles,
  FINE_DEGREES,
  polygonsHold,
  type Point,
} from '../lib/geo.ts';
import { getCatalog, visibleCounts, type Catalog } from './catalog.ts';
import type { Filter, Place } from './filter.ts';
import {
  countMatches,
  listInCellsOfFilter,
  listPage,
  listPoints,
  type Arms,
  type FoundRow,
  type SortKey,
} from './search-sql.ts';

export const SORTS = [
  'value',
  'sqft',
  'year_built',
  'last_sale_date',
  'last_sale_price',
  'updated_at',
  'distance',
] as const;

// Up to this many cells are walked one by one, each stopping at the limit; a wider box is walked by county.
const MAX_CELLS = 64;
const MAX_SORTED_CELLS = 400;
const MAX_POLYGON_ROUNDS = 200;
const FIRST_RING_MILES = 0.25;

export interface Search {
  filter: Filter;
  sort: string | undefined;
  limit: number;
  cursor: string | undefined;
}

export interface Found {
  rows: FoundRow[];
  nextCursor: string | null;
}

type SearchDeps = Pick<Deps, 'dataReplica' | 'secrets'>;

interface Scope {
  markets: string[];
  counties: number[];
}

export async function searchProperties(deps: SearchDeps, mode: KeyMode, search: Search): Promise<Found> {
  const { key, descending } = readSort(search);
  // What a cursor belongs to: the filter, the order and the kind of key, but not the page size.
  const identity = [search.filter, search.sort ?? 'id', mode];
  const position = search.cursor === undefined ? undefined : decodeCursor(deps.secrets, identity, search.cursor);
  const scope = scopeOf(await getCatalog(deps.dataReplica), mode, search.filter);
  if (scope.counties.length === 0) return { rows: [], nextCursor: null };

  const rows =
    key === 'distance'
      ? await findNearest(deps, search, scope, position)
      : await findSorted(deps, search, scope, key, descending, position);
  const hasMore = rows.length > search.limit;
  const shown = rows.slice(0, search.limit);
  if (search.filter.place?.kind === 'circle') addDistances(shown, search.filter.place.center);
  return {
    rows: shown,
    nextCursor: hasMore ? encodeCursor(deps.secrets, identity, positionOf(shown.at(-1)!, key)) : null,
  };
}

export async function countProperties(deps: Pick<Deps, 'dataReplica'>, mode: KeyMode, filter: Filter): Promise<number> {
  const catalog = await getCatalog(deps.dataReplica);
  const scope = scopeOf(catalog, mode, filter);
  if (scope.counties.length === 0) return 0;
  if (isCountedAhead(filter)) {
    return visibleCounts(catalog, mode)
      .filter((row) => scope.counties.includes(row.fips) && scope.markets.includes(row.market))
      .filter((row) => filter.types.length === 0 || filter.types.some((type) => type === row.property_type))
      .reduce((sum, row) => sum + row.property_count, 0);
  }
  const arms = widestArms(scope, filter.place);
  if (filter.place?.kind !== 'polygon') return countMatches(deps.dataReplica, filter, scope.markets, arms);
  const { polygons } = filter.place;
  const points = await listPoints(deps.dataReplica, filter, scope.markets, arms);
  return points.filter((point) => polygonsHold(polygons, point)).length;
}

function readSort(search: Search): { key: SortKey | 'distance'; descending: boolean } {
  if (search.sort === undefined) return { key: 'id', descending: false };
  const descending = search.sort.startsWith('-');
  const key = search.sort.replace('-', '') as SortKey | 'distance';
  if (key === 'distance' && search.filter.place?.kind !== 'circle') {
    fail('invalid_request', 'sort=distance needs latitude, longitude and radius_miles.', {
      errors: [{ pointer: '/query/sort', code: 'invalid', detail: 'needs a point to measure from' }],
    });
  }
  if (key === 'distance' && descending) fail('invalid_request', 'sort=distance goes from near to far only.');
  return { key, descending };
}

/** The counties and markets to look in: what the key may see, cut down by state, market and county filters. */
function scopeOf(catalog: Catalog, mode: KeyMode, filter: Filter): Scope {
  const rows = visibleCounts(catalog, mode).filter(
    (row) =>
      (filter.markets.length === 0 || filter.markets.includes(row.market)) &&
      (filter.counties.length === 0 || filter.counties.includes(row.fips)) &&
      (filter.states.length === 0 || filter.states.includes(catalog.counties.get(row.fips)?.state ?? '')),
  );
  return {
    markets: [...new Set(rows.map((row) => row.market))],
    counties: [...new Set(rows.map((row) => row.fips))],
  };
}

async function findSorted(
  deps: SearchDeps,
  search: Search,
  scope: Scope,
  key: SortKey,
  descending: boolean,
  position: CursorPosition | undefined,
): Promise<FoundRow[]> {
  const arms = chooseArms(scope, search.filter.place, key);
  const wanted = search.limit + 1;
  const found: FoundRow[] = [];
  let after = position && { key: position[0] as string | null, id: String(position[1]) };
  let nulls = key !== 'id' && after !== undefined && after.key === null;
  // One round is the rule. More come when rows without the sort key follow, or when a polygon lets few of its box through.
  for (let round = 0; round < MAX_POLYGON_ROUNDS; round++) {
    const scan = {
      filter: search.filter,
      markets: scope.markets,
      arms,
      sort: key,
      descending,
      nulls,
      after,
      limit: wanted,
    };
    const rows = await listPage(deps.dataReplica, scan);
    found.push(...rows.filter((row) => isInside(search.filter.place, row)));
    if (found.length >= wanted) return found.slice(0, wanted);
    if (rows.length === wanted) {
      const last = rows.at(-1)!;
      after = { key: last.sort_key, id: last.id };
    } else if (key !== 'id' && !nulls) {
      nulls = true;
      after = undefined;
    } else {
      return found;
    }
  }
  return found;
}

/** Ring by ring around the centre: a ring is done when nothing outside it could be nearer than what was found. */
async function findNearest(
  deps: SearchDeps,
  search: Search,
  scope: Scope,
  position: CursorPosition | undefined,
): Promise<FoundRow[]> {
  const { center, radiusMiles } = search.filter.place as Extract<Place, { kind: 'circle' }>;
  const [afterMiles, afterId] = position ? [Number(position[0]), String(position[1])] : [-1, ''];
  const wanted = search.limit + 1;
  const found: FoundRow[] = [];
  const seen = new Set<number>();
  for (let reach = Math.max(FIRST_RING_MILES, afterMiles * 1.2); ; reach *= 2) {
    const ring = Math.min(reach, radiusMiles);
    const cells = cellsOfBox(boxAround(center, ring), FINE_DEGREES).filter((cell) => !seen.has(cell));
    for (const cell of cells) seen.add(cell);
    const rows =
      cells.length > 0
        ? await listInCellsOfFilter(deps.dataReplica, search.filter, scope.markets, scope.counties, cells)
        : [];
    addDistances(rows, center);
    found.push(...rows.filter((row) => isAfter(row, afterMiles, afterId)));
    const within = found.filter((row) => row.distance_miles! <= ring).length;
    if (within >= wanted || ring === radiusMiles) break;
  }
  found.sort((a, b) => a.distance_miles! - b.distance_miles! || (a.id < b.id ? -1 : 1));
  return found.slice(0, wanted);
}

function isAfter(row: FoundRow, miles: number, id: string): boolean {
  return row.distance_miles! > miles || (row.distance_miles === miles && row.id > id);
}

function addDistances(rows: FoundRow[], center: Point): void {
  for (const row of rows) row.distance_miles = distanceMiles(center, row as Point);
}

function chooseArms(scope: Scope, place: Place | undefined, key: SortKey): Arms {
  const { counties } = scope;
  if (!place) return { by: 'county', counties };
  const fineCells = cellCountOfBox(place.box, FINE_DEGREES);
  // The fine grid is kept in order of id, the coarse one in order of value; other orders sort what few cells hold.
  if (key === 'value' && fineCells > 4 && cellCountOfBox(place.box, COARSE_DEGREES) <= MAX_CELLS) {
    return { by: 'cell_coarse', cells: cellsOfBox(place.box, COARSE_DEGREES), counties };
  }
  const reach = key === 'id' ? MAX_CELLS : MAX_SORTED_CELLS;
  if (fineCells <= reach) return { by: 'cell_fine', cells: cellsOfBox(place.box, FINE_DEGREES), counties };
  return { by: 'county', counties };
}

function widestArms(scope: Scope, place: Place | undefined): Arms {
  const { counties } = scope;
  if (!place || cellCountOfBox(place.box, FINE_DEGREES) > 2_000) return { by: 'county', counties };
  return { by: 'cell_fine', cells: cellsOfBox(place.box, FINE_DEGREES), counties };
}

function isInside(place: Place | undefined, row: FoundRow): boolean {
  return place?.kind !== 'polygon' || polygonsHold(place.polygons, row as Point);
}

function positionOf(row: FoundRow, key: SortKey | 'distance'): CursorPosition {
  return [key === 'distance' ? row.distance_miles! : row.sort_key, row.id];
}

/** Filters on place and type alone were counted after the last load. */
function isCountedAhead(filter: Filter): boolean {
  const { states: _states, markets: _markets, counties: _counties, types: _types, ...rest } = filter;
  return Object.values(rest).every((value) => value === undefined || (Array.isArray(value) && value.length === 0));
}
