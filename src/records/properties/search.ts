// Runs a search: selects the visible and requested markets and the cheapest index path, then scans by key until the
// page is full.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { fipsOfPropertyId } from '../../base/lib/ids.ts';
import { decodeCursor, encodeCursor, type CursorPosition } from '../../base/lib/cursors.ts';
import { fail } from '../../base/lib/errors.ts';
import * as geo from '../../base/lib/geo.ts';
import { groupByShard, isWorthNaming } from '../../base/db/distribution.ts';
import { mayLieIn, placesOf, type Catalog } from '../markets/catalog.ts';
import type { Filter, Place } from './filter.ts';
import { filterFields, flawOf } from '../../supply/layers/definition.ts';
import { listParcelsAt } from './shapes.ts';
import { listProperties } from './sql.ts';
import { cellsOf, chooseArms, isReadByPlace, MAX_SORTED_CELLS } from './choose-arms.ts';
import { coarsenFilter } from './coarsen-filter.ts';
import * as sql from './search-sql.ts';
import { SORT_TYPES } from './sorts.ts';
import { lastOf } from '../../base/lib/must.ts';

// A polygon may match little of its box: after this many rows, the page is returned as it is, with a cursor.
const MAX_READ = 200_000;
const MAX_BATCH = 5_000;
const FIRST_RING_MILES = 0.25;
/** Counties read first in id order; each further batch has four times as many. */
const FIRST_COUNTIES = 16;

interface Search {
  filter: Filter;
  sort: string | undefined;
  limit: number;
  cursor: string | undefined;
}

export interface Found {
  rows: sql.FoundRow[];
  nextCursor: string | null;
}

type SearchDeps = Pick<Deps, 'dataReplica' | 'secrets' | 'catalog'>;

export async function searchProperties(deps: SearchDeps, mode: KeyMode, search: Search): Promise<Found> {
  const { key, descending } = readSort(search);
  // A cursor belongs to a filter, an order and a key mode, but not to a page size.
  const identity = [search.filter, search.sort ?? 'id', mode];
  const position = search.cursor === undefined ? undefined : decodeCursor(deps.secrets, identity, search.cursor);
  const catalog = await deps.catalog.read();
  const scope = scopeOf(catalog, mode, search.filter);
  if (scope.counties.length === 0) return { rows: [], nextCursor: null };

  const { rows, readUpTo }: Run =
    key === 'distance'
      ? { rows: await findNearest(deps, mode, { search, scope, position }) }
      : await findSorted(deps, { search, catalog, scope, key, descending, position });
  const shown = rows.slice(0, search.limit);
  if (search.filter.place?.kind === 'circle' && key !== 'distance') addDistances(shown, search.filter.place.center);
  const next = rows.length > search.limit ? positionOf(lastOf(shown), key) : readUpTo;
  return { rows: shown, nextCursor: next ? encodeCursor(deps.secrets, identity, next) : null };
}

/** All matching homes, for work that needs them at once; fails if the place has more than `most`. */
export async function listAllMatches(
  deps: Pick<Deps, 'dataReplica' | 'catalog'>,
  mode: KeyMode,
  { filter, most, advice }: { filter: Filter; most: number; advice: string },
): Promise<sql.HomeSpot[]> {
  const { place } = filter;
  const cells = cellsToRead(filter, advice);
  const scope = scopeOf(await deps.catalog.read(), mode, filter);
  if (scope.counties.length === 0) return [];
  const { homes, looked } = await sql.listAmongFirst(deps.dataReplica, filter, scope, { cells, limit: most + 1 });
  if (looked > most) failForMany(most, advice);
  if (place?.kind !== 'polygon') return homes;
  return homes.filter((home) => home.latitude !== null && geo.polygonsHold(place.polygons, home as geo.Point));
}

/** The cells of a place that is read at once. */
export function cellsToRead({ place }: Pick<Filter, 'place'>, advice: string, degrees = geo.FINE_DEGREES) {
  if (place && geo.cellCountOfBox(place.box, geo.FINE_DEGREES) > MAX_SORTED_CELLS)
    fail('area_too_large', `The area is too wide to be read at once. ${advice}`);
  return place && cellsOf(place, degrees);
}

export function failForMany(most: number, advice: string): never {
  const limit = `More than ${most.toLocaleString('en-US')} properties would have to be looked at`;
  return fail('area_too_large', `${limit}: \`city\` and what homes are like do not make them fewer. ${advice}`);
}

/** A filter as SQL over `properties p`, for tiles, which draw the same homes instead of listing them. `box` and
    `margin` limit the area. */
export async function conditionOf(
  deps: Pick<Deps, 'catalog'>,
  mode: KeyMode,
  { filter, box, margin = 0 }: { filter: Filter; box: geo.Box; margin?: number },
): Promise<MapCondition | undefined> {
  const catalog = await deps.catalog.read();
  const { counties, markets, ...scope } = scopeOf(catalog, mode, filter, (row) => mayLieIn(row, box, margin));
  // Live maps are free, so their filters are as coarse as the figures they show.
  const shown = mode === 'live' ? coarsenFilter(filter).filter : filter;
  if (counties.length === 0) return undefined;
  const within = new Set(counties);
  const there = catalog.visible[mode].filter((row) => within.has(row.fips));
  return {
    where: sql.whereOf(shown, { counties, markets, ...scope }, undefined),
    counties,
    markets,
    homes: there.reduce((sum, row) => sum + row.property_count, 0),
    finestZoom: Math.min(...there.map((row) => row.finest_zoom ?? -1)),
  };
}

/** Which homes: SQL over `properties p`. */
export interface MapCondition {
  where: ReturnType<typeof sql.whereOf>;
  /** Where they can be. */
  counties: number[];
  markets: string[];
  /** Homes in those counties, matching or not. */
  homes: number;
  /** Deepest zoom with precomputed squares for every matched county; −1 if any county has none. */
  finestZoom: number;
}

function readSort(search: Search): { key: sql.SortKey | 'distance'; descending: boolean } {
  const { place } = search.filter;
  if (search.sort === undefined) return { key: isReadByPlace(place) ? 'place' : 'id', descending: false };
  const descending = search.sort.startsWith('-');
  const key = search.sort.replace('-', '') as sql.SortKey | 'distance';
  if (key === 'distance' && place?.kind !== 'circle') {
    fail('invalid_request', 'sort=distance requires latitude, longitude and radius_miles.', {
      errors: [{ pointer: '/sort', code: 'invalid', detail: 'requires a point to measure from' }],
    });
  }
  return { key, descending };
}

/** The markets and counties to search: those visible to the key, narrowed by the filter's place, ZIP codes and types. */
export function scopeOf(
  catalog: Catalog,
  mode: KeyMode,
  filter: Filter,
  isWanted: (row: Catalog['counts'][number]) => boolean = () => true,
): sql.Scope {
  const { place, zips, types } = filter;
  const visible = catalog.visible[mode];
  const rows = visible.filter(
    (row) =>
      isWanted(row) &&
      (place === undefined || mayLieIn(row, place.box)) &&
      (zips.length === 0 || zips.some((zip) => row.zips.includes(zip))) &&
      (types.length === 0 || types.some((type) => type === row.property_type)) &&
      (filter.markets.length === 0 || filter.markets.includes(row.market)) &&
      (filter.counties.length === 0 || filter.counties.includes(row.fips)) &&
      (filter.states.length === 0 || filter.states.includes(catalog.counties.get(row.fips)?.state ?? '')),
  );
  const places = placesOf(rows);
  const leavesOut = filter.markets.length > 0 || filter.counties.length > 0;
  const hidden = catalog.marketIds[mode === 'live' ? 'test' : 'live'];
  const [named, within] = [new Set(places.markets), new Set(places.counties)];
  const isWhole = leavesOut
    ? visible.every(({ fips, market }) => !within.has(fips) || named.has(market))
    : filter.states.length === 0;
  return {
    ...places,
    ...(isWhole && hidden.length <= named.size && { hidden }),
    rows,
    isNarrowed: leavesOut || isWorthNaming(places.counties, catalog.shards),
    layers: layersOf(catalog, filter),
  };
}

/** Rejects conditions on layers and fields that are not loaded: they would match nothing and look like a valid answer. */
function layersOf({ layers }: Catalog, { conditions }: Filter): sql.Scope['layers'] {
  for (const { layer, ...condition } of conditions) {
    const { field } = condition;
    const definition = layers.get(layer);
    const known = definition ? filterFields(definition) : [...layers.keys()];
    const flaw = definition && flawOf(definition, condition);
    if (definition && known.includes(field) && !flaw) continue;
    const what = definition ? `\`${field}\` is not a field of \`${layer}\`` : `\`${layer}\` is not a loaded layer`;
    const detail = flaw ?? `${what}: use ${known.join(', ') || 'none, for none is loaded'}`;
    fail('invalid_request', `${detail}.`, { errors: [{ pointer: '/layer', code: 'invalid', detail }] });
  }
  return layers;
}

interface SortedSearch {
  search: Search;
  catalog: Catalog;
  scope: sql.Scope;
  key: sql.SortKey;
  descending: boolean;
  position: CursorPosition | undefined;
}

interface Run {
  rows: sql.FoundRow[];
  /** Set if reading stopped before the end, so there may be more. */
  readUpTo?: CursorPosition;
}

async function findSorted(
  deps: SearchDeps,
  { search, catalog, scope, key, descending, position }: SortedSearch,
): Promise<Run> {
  const { filter } = search;
  const wanted = search.limit + 1;
  const found: sql.FoundRow[] = [];
  let after = position && { key: position[0], id: String(position[1]) };
  let nulls = key in SORT_TYPES && after !== undefined && after.key === null;
  const stretches =
    key === 'id'
      ? countyStretches(scope, after && fipsOfPropertyId(after.id))
      : chooseArms(catalog, scope, { place: filter.place, key, afterKey: after?.key })
          .values()
          .map((arms) => ({ arms, scope }));
  // Usually one round. More are needed if rows without the sort key follow, if a polygon matches little of its box, or
  // if the first rows of the grid are empty.
  let batchSize = wanted;
  let read = 0;
  for (let stretch = stretches.next(); !stretch.done;) {
    const scan = { filter, ...stretch.value, sort: key, descending, nulls, after, limit: batchSize };
    const rows = await readPage(deps, catalog, scan);
    found.push(...rows.filter((row) => isInside(filter.place, row)));
    read += rows.length;
    if (found.length >= wanted) return { rows: found.slice(0, wanted) };
    if (rows.length === batchSize) {
      const last = lastOf(rows);
      if (read >= MAX_READ) return { rows: found, readUpTo: positionOf(last, key) };
      after = { key: last.sort_key, id: last.id };
      batchSize = Math.min(batchSize * 2, MAX_BATCH);
    } else if (key in SORT_TYPES && !nulls) {
      nulls = true;
      after = undefined;
    } else {
      stretch = stretches.next();
      after = undefined;
    }
  }
  return { rows: found };
}

/** Several merged scans run one shard at a time. */
async function readPage(deps: SearchDeps, { shards }: Catalog, scan: sql.Scan): Promise<sql.FoundRow[]> {
  if (!shards || sql.isOneScan(scan.arms)) return sql.listPage(deps.dataReplica, scan);
  const pages = await Promise.all(
    groupByShard(scan.scope.counties, shards).map((counties) =>
      sql.listKeys(deps.dataReplica, { ...scan, scope: { ...scan.scope, counties, isNarrowed: true } }),
    ),
  );
  const page = pages.flat().toSorted((a, b) => sql.comparePositions(scan, a, b));
  return readInFull(deps, page.slice(0, scan.limit));
}

/** Searches ring by ring around the center and stops when nothing outside can be closer than the homes found. */
async function findNearest(
  deps: SearchDeps,
  mode: KeyMode,
  { search, scope, position }: Pick<SortedSearch, 'search' | 'scope' | 'position'>,
): Promise<sql.FoundRow[]> {
  const { center, radiusMiles } = search.filter.place as Extract<Place, { kind: 'circle' }>;
  const [afterMiles, afterId] = position ? [Number(position[0]), String(position[1])] : [-1, ''];
  const wanted = search.limit + 1;
  const found: (sql.FoundKey & { distance_miles: number })[] = [];
  const seen = new Set<number>();
  // A point inside a parcel has distance 0, regardless of the parcel's center.
  const inside = await listParcelsAt({ data: deps.dataReplica, catalog: deps.catalog }, mode, center);
  const held = new Set(inside.map(({ id }) => id));
  const first = inside.flatMap(({ cell_fine: cell }) => cell ?? []);
  for (let reach = Math.max(FIRST_RING_MILES, afterMiles * 1.2); ; reach *= 2) {
    const ring = Math.min(reach, radiusMiles);
    const around = [...geo.cellsOfBox(geo.boxAround(center, ring), geo.FINE_DEGREES), ...first];
    const cells = [...new Set(around)].filter((cell) => !seen.has(cell));
    for (const cell of cells) seen.add(cell);
    const spots = cells.length > 0 ? await sql.listInCells(deps.dataReplica, search.filter, scope, cells) : [];
    for (const { fips, id, latitude, longitude } of spots) {
      const miles = held.has(id) ? 0 : geo.distanceMiles(center, { latitude, longitude });
      if (miles > afterMiles || (miles === afterMiles && id > afterId))
        found.push({ fips, id, sort_key: null, distance_miles: miles });
    }
    const within = found.filter(({ distance_miles: miles }) => miles <= ring).length;
    if (within >= wanted || ring === radiusMiles) break;
  }
  found.sort((a, b) => a.distance_miles - b.distance_miles || (a.id < b.id ? -1 : 1));
  return readInFull(deps, found.slice(0, wanted));
}

async function readInFull(deps: SearchDeps, page: sql.FoundKey[]): Promise<sql.FoundRow[]> {
  const rows = new Map((await listProperties(deps.dataReplica, page)).map((row) => [row.id, row as sql.FoundRow]));
  return page.flatMap((key) => {
    const row = rows.get(key.id);
    return row ? [{ ...row, ...key }] : [];
  });
}

function addDistances(rows: sql.FoundRow[], center: geo.Point): void {
  for (const row of rows) row.distance_miles = geo.distanceMiles(center, row as geo.Point);
}

/** Ids begin with their county: the first few usually fill a page, and planning thousands takes longer than a scan. */
function* countyStretches(scope: sql.Scope, afterFips = 0): Generator<{ arms: sql.Arms; scope: sql.Scope }> {
  const rows = scope.rows.filter(({ fips }) => fips >= afterFips).toSorted((a, b) => a.fips - b.fips);
  for (let from = 0, size = FIRST_COUNTIES; from < rows.length; size *= 4) {
    let to = Math.min(from + size, rows.length);
    while (to < rows.length && rows[to].fips === rows[to - 1].fips) to++;
    yield { arms: { by: 'counties' }, scope: { ...scope, ...placesOf(rows.slice(from, to)), isNarrowed: true } };
    from = to;
  }
}

const isInside = (place: Place | undefined, row: sql.FoundRow): boolean =>
  place?.kind !== 'polygon' || geo.polygonsHold(place.polygons, row as geo.Point);

function positionOf(row: sql.FoundRow, key: sql.SortKey | 'distance'): CursorPosition {
  return key === 'distance' ? [row.distance_miles!, row.id] : [row.sort_key, row.id];
}

/** Whether the filter matches every home of its counties. */
export function matchesWholeCounties(filter: Filter): boolean {
  const { states: _states, markets: _markets, counties: _counties, ...rest } = filter;
  return Object.values(rest).every((value) => value === undefined || (Array.isArray(value) && value.length === 0));
}
