// Groups of homes in a tile: from the precomputed squares if every home is shown, else from the homes themselves.
import type { Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { isoDate } from '../../base/lib/clock.ts';
import { COARSE_DEGREES, cellCountOfBox, cellsOfBox, FINE_DEGREES, type Box, type Point } from '../../base/lib/geo.ts';
import { shareOfIds, type IdRange } from '../../base/lib/ids.ts';
import { type SquareRow } from '../../supply/map-aggregates/sql.ts';
import type { Filter } from '../properties/filter.ts';
import { matchesWholeCounties, type MapCondition } from '../properties/search.ts';
import { figureSql, type Figure } from '../../supply/map-aggregates/figures.ts';
import {
  countHomesNear,
  permitsSince,
  readSquares,
  squareDegreesAt,
  wholeSquares,
} from '../../supply/map-aggregates/squares.ts';
import * as sql from './sql.ts';

export interface TileGroup extends SquareRow {
  /** Homes its figures are computed from: fewer than its count where it is estimated from a sample. */
  read: number;
}

/** The fine cells of a tile at zoom 10. */
const MAX_FINE_CELLS = 400;
const MAX_COARSE_CELLS = 100_000;
/** A filtered tile reads up to `read` homes; above that, it reads a sample of the homes in its counties. */
const MOST_HOMES = { read: 100_000, sampled: 30_000 };

interface View {
  z: number;
  box: Box;
  filter: Filter;
  condition: MapCondition;
  figure: Figure;
  isRough: boolean;
  most?: typeof MOST_HOMES;
}

/** Degrees around a tile to include counties from, since a square at its edge is shown whole. */
export const groupMargin = (z: number, filter: Filter): number =>
  matchesWholeCounties(filter) ? squareDegreesAt(z) : 0;

type GroupDeps = Pick<Deps, 'dataReplica' | 'clock'>;

export async function readGroups(deps: GroupDeps, view: View): Promise<TileGroup[]> {
  const { z, box, filter, condition, figure } = view;
  if (!matchesWholeCounties(filter)) return readMatches(deps, view);
  const rows =
    z <= condition.finestZoom
      ? await readSquares(deps.dataReplica, { ...condition, z, box }, figure)
      : await readHomes(deps, view, { box: wholeSquares(z, box) });
  return rows.filter((row) => holds(box, row)).map((row) => ({ ...row, read: row.count }));
}

/** The upper edges of a tile belong to its neighbors, so that each group is in one tile. */
const holds = (box: Box, { latitude, longitude }: Point): boolean =>
  latitude >= box.minLatitude &&
  latitude < box.maxLatitude &&
  longitude >= box.minLongitude &&
  longitude < box.maxLongitude;

async function readMatches(deps: GroupDeps, view: View): Promise<TileGroup[]> {
  const { box, filter, condition } = view;
  const near = filter.place ? intersect(box, filter.place.box) : box;
  const share = await chooseShare(deps.dataReplica, view, near);
  const sample = share < 1 ? condition.counties.map((fips) => shareOfIds(fips, share)) : undefined;
  return (await readHomes(deps, view, { box: near, sample })).map((row) => scaleUp(row, share));
}

const readHomes = (
  { dataReplica, clock }: GroupDeps,
  view: View,
  { box, sample }: { box: Box; sample?: IdRange[] },
): Promise<SquareRow[]> =>
  sql.listTileCells(dataReplica, {
    ...view,
    figure: figureSql(view.figure, view.isRough),
    box,
    sample,
    ...(sample ? { column: 'cell_coarse', cells: undefined } : cellsOf(box)),
    squareDegrees: squareDegreesAt(view.z),
    permitsSince: permitsSince(isoDate(clock())),
  });

const intersect = (a: Box, b: Box): Box => ({
  minLatitude: Math.max(a.minLatitude, b.minLatitude),
  minLongitude: Math.max(a.minLongitude, b.minLongitude),
  maxLatitude: Math.min(a.maxLatitude, b.maxLatitude),
  maxLongitude: Math.min(a.maxLongitude, b.maxLongitude),
});

const isSmall = (box: Box): boolean => cellCountOfBox(box, FINE_DEGREES) <= MAX_FINE_CELLS;

/** The cells by which homes of a box are found. */
function cellsOf(box: Box): { column: 'cell_fine' | 'cell_coarse'; cells: number[] | undefined } {
  if (isSmall(box)) return { column: 'cell_fine', cells: cellsOfBox(box, FINE_DEGREES) };
  // A tile wider than a continent has too many cells to list.
  const isListed = cellCountOfBox(box, COARSE_DEGREES) <= MAX_COARSE_CELLS;
  return { column: 'cell_coarse', cells: isListed ? cellsOfBox(box, COARSE_DEGREES) : undefined };
}

/** The zooms at which groups are as wide as fine and as coarse cells. */
const [FINE_ZOOM, COARSE_ZOOM] = [11, 8];

/** The share of the homes that a filter is applied to. Filters on ZIP codes or tracts have an index of their own. */
async function chooseShare(db: Queryable, { filter, condition, most = MOST_HOMES }: View, box: Box): Promise<number> {
  const { homes, finestZoom } = condition;
  const isIndexed = filter.zips.length > 0 || filter.tracts.length > 0;
  if (isIndexed || homes <= most.read || finestZoom < COARSE_ZOOM) return 1;
  const z = Math.min(finestZoom, isSmall(box) ? FINE_ZOOM : COARSE_ZOOM);
  return (await countHomesNear(db, { ...condition, z, box })) <= most.read ? 1 : most.sampled / homes;
}

function scaleUp({ count, permits, violations, liens, ...row }: SquareRow, share: number): TileGroup {
  const scale = (part: number) => Math.round(part / share);
  const scaleKnown = (part: number | null) => (part === null ? null : scale(part));
  return {
    ...row,
    count: scale(count),
    permits: scaleKnown(permits),
    violations: scaleKnown(violations),
    liens: scaleKnown(liens),
    read: count,
  };
}
