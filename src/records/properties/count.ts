// Counts the matches of a filter: from the last load's counts if they suffice, else by a query.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { stepOf } from '../../base/lib/bands.ts';
import * as geo from '../../base/lib/geo.ts';
import { coarsenFilter } from './coarsen-filter.ts';
import type { Filter, Place } from './filter.ts';
import { countMatches, listInCells, type CellCount, type Scope } from './search-sql.ts';
import { cellsOf } from './choose-arms.ts';
import { matchesWholeCounties, scopeOf } from './search.ts';

const MAX_COUNTED_CELLS = 2_000;
/** Homes held in memory while counting in a polygon: about 1 MB. */
const MAX_POINTS = 10_000;

export async function countProperties(deps: Pick<Deps, 'dataReplica' | 'catalog'>, mode: KeyMode, filter: Filter) {
  const catalog = await deps.catalog.read();
  const scope = scopeOf(catalog, mode, filter);
  if (scope.counties.length === 0) return 0;
  if (isCountedAhead(filter)) return scope.rows.reduce((sum, row) => sum + row.property_count, 0);
  const cells = cellsToCount(filter.place);
  const counts = await countMatches(deps.dataReplica, filter, scope, cells);
  if (filter.place?.kind !== 'polygon') return counts.reduce((sum, { n }) => sum + n, 0);
  return countInPolygons(deps, { filter, scope, counts, polygons: filter.place.polygons });
}

/** Whole cells count as PostgreSQL counted them. Only the homes of cells on an edge are read, a limited number at a
    time: a state has millions. */
async function countInPolygons(
  deps: Pick<Deps, 'dataReplica'>,
  {
    filter,
    scope,
    counts,
    polygons,
  }: { filter: Filter; scope: Scope; counts: CellCount[]; polygons: geo.MultiPolygon },
): Promise<number> {
  const edge = geo.edgeCellsOf(polygons, geo.FINE_DEGREES);
  let total = 0;
  const lots: { cells: number[]; homes: number }[] = [];
  for (const { cell, n } of counts) {
    if (!edge.has(cell)) {
      total += geo.polygonsHold(polygons, geo.middleOf(geo.boxOfCell(cell, geo.FINE_DEGREES))) ? n : 0;
      continue;
    }
    const lot = lots.at(-1);
    if (lot && lot.homes + n <= MAX_POINTS) {
      lot.cells.push(cell);
      lot.homes += n;
    } else lots.push({ cells: [cell], homes: n });
  }
  for (const { cells } of lots) {
    const homes = await listInCells(deps.dataReplica, filter, scope, cells);
    total += homes.filter((home) => geo.polygonsHold(polygons, home)).length;
  }
  return total;
}

/** A free live count: exact if the market page shows the same number, else stepped over whole bands. */
export async function countRoughly(
  deps: Pick<Deps, 'dataReplica' | 'catalog'>,
  filter: Filter,
): Promise<{ count: number; is_exact: boolean; widened: string[] }> {
  if (isCountedAhead(filter)) {
    return { count: await countProperties(deps, 'live', filter), is_exact: true, widened: [] };
  }
  const { filter: coarse, widened } = coarsenFilter(filter);
  return { count: stepOf(await countProperties(deps, 'live', coarse)), is_exact: false, widened };
}

function cellsToCount(place: Place | undefined): number[] | undefined {
  if (!place || geo.cellCountOfBox(place.box, geo.FINE_DEGREES) > MAX_COUNTED_CELLS) return undefined;
  return cellsOf(place, geo.FINE_DEGREES);
}

/** Filters on only place and type use counts from the last load. */
const isCountedAhead = (filter: Filter): boolean => matchesWholeCounties({ ...filter, types: [] });
