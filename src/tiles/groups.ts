// Groups of homes in a tile: from the squares that loads add up where every home is shown, else from the homes themselves.
import type { Queryable } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { isoDate } from '../lib/clock.ts';
import { COARSE_DEGREES, cellCountOfBox, cellsOfBox, FINE_DEGREES, type Box } from '../lib/geo.ts';
import { shareOfIds } from '../lib/ids.ts';
import type { Filter } from '../properties/filter.ts';
import { matchesWholeCounties, type MapCondition } from '../properties/search.ts';
import type { Figure } from '../squares/figures.ts';
import { countHomesNear, permitsSince, readSquares, squareDegreesAt, type SquareRow } from '../squares/squares.ts';
import * as sql from './sql.ts';

export interface TileGroup extends SquareRow {
  /** How many homes its figures come from: fewer than it counts where it is estimated. */
  read: number;
}

/** A tile of zoom 10 has so many. */
const MAX_FINE_CELLS = 400;
const MAX_COARSE_CELLS = 100_000;
/** A filtered tile over more homes than this reads about so many of those in its counties. */
const MOST_HOMES = 100_000;

interface View {
  z: number;
  box: Box;
  filter: Filter;
  condition: MapCondition;
  figure: Figure;
  isRough: boolean;
  mostHomes?: number;
}

/** How far outside of a tile the counties of its groups may begin: a square at its edge is shown as a whole. */
export function groupMargin(z: number, filter: Filter): number {
  return matchesWholeCounties(filter) ? squareDegreesAt(z) : 0;
}

export async function readGroups(deps: Pick<Deps, 'dataReplica' | 'clock'>, view: View): Promise<TileGroup[]> {
  const { z, box, filter, condition, figure } = view;
  const db = deps.dataReplica;
  if (condition.isRolledUp && matchesWholeCounties(filter)) {
    const squares = await readSquares(db, { ...condition, z, box }, figure);
    return squares.map((square) => ({ ...square, read: square.count }));
  }
  const near = filter.place ? intersect(box, filter.place.box) : box;
  const { zoom, ...grid } = gridOf(near);
  const share = await chooseShare(db, view, { z: zoom, box: near });
  const rows = await sql.listTileCells(db, {
    ...view,
    ...grid,
    box: near,
    squareDegrees: squareDegreesAt(z),
    permitsSince: permitsSince(isoDate(deps.clock())),
    ...(share < 1 && { cells: undefined, sample: condition.counties.map((fips) => shareOfIds(fips, share)) }),
  });
  return rows.map((row) => scaleUp(row, share));
}

function intersect(a: Box, b: Box): Box {
  return {
    minLatitude: Math.max(a.minLatitude, b.minLatitude),
    minLongitude: Math.max(a.minLongitude, b.minLongitude),
    maxLatitude: Math.min(a.maxLatitude, b.maxLatitude),
    maxLongitude: Math.min(a.maxLongitude, b.maxLongitude),
  };
}

/** The cells by which homes of a box are found, and the zoom at which groups are as wide as those. */
function gridOf(box: Box): { column: 'cell_fine' | 'cell_coarse'; cells: number[] | undefined; zoom: number } {
  if (cellCountOfBox(box, FINE_DEGREES) <= MAX_FINE_CELLS)
    return { column: 'cell_fine', cells: cellsOfBox(box, FINE_DEGREES), zoom: 11 };
  // A tile wider than a continent has more cells than are worth listing.
  const isListed = cellCountOfBox(box, COARSE_DEGREES) <= MAX_COARSE_CELLS;
  return { column: 'cell_coarse', cells: isListed ? cellsOfBox(box, COARSE_DEGREES) : undefined, zoom: 8 };
}

/** The share of the homes that a filter is applied to. What lies in a few ZIP codes or tracts has an index of its own. */
async function chooseShare(
  db: Queryable,
  { filter, condition, mostHomes = MOST_HOMES }: View,
  near: { z: number; box: Box },
): Promise<number> {
  if (!condition.isRolledUp || condition.homes <= mostHomes || filter.zips.length > 0 || filter.tracts.length > 0)
    return 1;
  return (await countHomesNear(db, { ...condition, ...near })) <= mostHomes ? 1 : mostHomes / condition.homes;
}

function scaleUp({ count, permits, violations, liens, ...row }: SquareRow, share: number): TileGroup {
  const scale = (part: number): number => Math.round(part / share);
  return {
    ...row,
    count: scale(count),
    permits: scale(permits),
    violations: scale(violations),
    liens: scale(liens),
    read: count,
  };
}
