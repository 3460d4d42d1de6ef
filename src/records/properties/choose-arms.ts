// Chooses a search's index path: by value, by grid cell or by state, and in which ranges.
import * as geo from '../../base/lib/geo.ts';
import type { Catalog } from '../markets/catalog.ts';
import type { Place } from './filter.ts';
import type { Arms, Scope, SortKey } from './search-sql.ts';

// A box of up to this many coarse cells is searched by value cell by cell; a wider one state by state.
const MAX_COARSE_CELLS = 64;
// Below this share of a coarse cell, its fine cells are sorted instead: break-even at 13,000 homes a cell.
const SLIVER_SHARE = 1 / 32;
const FINE_PER_COARSE = (geo.COARSE_DEGREES / geo.FINE_DEGREES) ** 2;
// A box of up to this many fine cells is small enough to sort its contents, and to be read in one scan without a sort;
// planning with a longer list would cost more than reading.
export const MAX_SORTED_CELLS = 400;
// Without a sort, a wider one is read one row of cells at a time, this many rows per scan, until the page is full.
const ROWS_AT_ONCE = 48;
const MAX_GRID_ROWS = 600;

/** The index path, as ranges read one after another until the page is full. */
export function chooseArms(
  catalog: Catalog,
  scope: Scope,
  { place, key, afterKey }: { place: Place | undefined; key: SortKey; afterKey?: string | number | null },
): Arms[] {
  if (key === 'place') return gridRows(place!, Number(afterKey ?? 0));
  const states = Map.groupBy(scope.counties, (fips) => catalog.counties.get(fips)?.state ?? '');
  const fineCells = place ? geo.cellCountOfBox(place.box, geo.FINE_DEGREES) : Infinity;
  if (
    place &&
    key === 'value' &&
    fineCells > 4 &&
    geo.cellCountOfBox(place.box, geo.COARSE_DEGREES) <= MAX_COARSE_CELLS
  ) {
    return [coarseArms(place)];
  }
  if (place && fineCells <= MAX_SORTED_CELLS) return [{ by: 'cells', cells: cellsOf(place, geo.FINE_DEGREES) }];
  return [{ by: 'state', states: [...states.keys()] }];
}

/** A scan of a coarse cell by value skips homes outside of the place. If nearly all are outside, it would skip
    thousands of homes per hit; reading and sorting the fine cells at the edge is cheaper. */
function coarseArms(place: Place): Arms {
  const cells: number[] = [];
  const slivers: number[] = [];
  for (const [coarse, fine] of Map.groupBy(cellsOf(place, geo.FINE_DEGREES), geo.coarseCellOf)) {
    const share = geo.shareInside(geo.boxOfCell(coarse, geo.COARSE_DEGREES), place.box);
    if (share < SLIVER_SHARE || fine.length < SLIVER_SHARE * FINE_PER_COARSE) slivers.push(...fine);
    else cells.push(coarse);
  }
  return { by: 'cell_coarse', cells, slivers };
}

/** Without a sort, a box is read in grid order: south to north, west to east. */
export const isReadByPlace = (place: Place | undefined): boolean =>
  place !== undefined && place.box.maxLatitude - place.box.minLatitude <= MAX_GRID_ROWS * geo.FINE_DEGREES;

function gridRows(place: Place, afterCell: number): Arms[] {
  const ranges = rangesOf(place, geo.FINE_DEGREES).filter(([, last]) => last >= afterCell);
  if (geo.cellCountOfBox(place.box, geo.FINE_DEGREES) <= MAX_SORTED_CELLS) {
    return [{ by: 'cells', cells: geo.listCells(ranges).filter((cell) => cell >= afterCell) }];
  }
  const stretches: Arms[] = [];
  for (let i = 0; i < ranges.length; i += ROWS_AT_ONCE) {
    stretches.push({ by: 'cell_fine', ranges: ranges.slice(i, i + ROWS_AT_ONCE) });
  }
  return stretches;
}

/** A polygon's own cells rather than its box's, since in a dense city thousands of homes outside the polygon would be
    skipped. */
const rangesOf = (place: Place, degrees: number): [first: number, last: number][] =>
  place.kind === 'polygon'
    ? geo.cellRangesOfPolygons(place.polygons, degrees)
    : geo.cellRangesOfBox(place.box, degrees);

export const cellsOf = (place: Place, degrees: number): number[] => geo.listCells(rangesOf(place, degrees));
