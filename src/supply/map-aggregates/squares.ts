// Groups of homes on the map. Every change to a county's homes updates its aggregates, in squares sized for each zoom,
// so a tile reads a few hundred rows whether it covers thousands of homes or millions.
import { inTransaction, type Client, type Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { addDays, isoDate } from '../../base/lib/clock.ts';
import { COARSE_DEGREES, FINE_DEGREES, type Box } from '../../base/lib/geo.ts';
import type { Figure } from './figures.ts';
import * as sql from './sql.ts';

/** From this zoom on, a tile is about a mile wide and shows single properties. */
export const PROPERTY_ZOOM = 14;
/** Age limit of a recent permit. */
const PERMIT_DAYS = 730;
/** Permits age without any load: a week is less than 1% of the period. */
const KEPT_DAYS = 7;

/** The grids whose medians are exact, finest first. The last is kept for every county. */
const EXACT_ZOOMS = [13, 12, 11, 10, 9, 8];
const WIDEST_EXACT = 8;
/** A finer grid is kept only if its squares average at least this many homes: with fewer, a tile has few homes to read
    anyway. */
const LEAST_PER_SQUARE = 4;
/** The grids derived from the widest of those, where the country has a few thousand squares. */
const WIDER_ZOOMS = [5, 4, 3];

/** The grid of a zoom. Groups are about sixty pixels apart; from zoom 8 outward they keep the spacing of coarse cells,
    which is at least fifteen pixels. */
const gridOf = (z: number): number => (z > 5 ? Math.max(z, WIDEST_EXACT) : Math.max(z, 3));
const widerSteps = (zoom: number): number => (zoom > 5 ? 0 : 6 - zoom);

export function squareDegreesAt(z: number): number {
  const zoom = gridOf(z);
  return zoom >= WIDEST_EXACT ? FINE_DEGREES * 2 ** (11 - zoom) : COARSE_DEGREES * 2 ** widerSteps(zoom);
}

export const permitsSince = (day: string): string => addDays(day, -PERMIT_DAYS);

/** Recomputes the squares of some counties. Call it in the transaction that changes homes. */
export async function rollUpCounties(
  client: Client,
  { market, counties, at }: { market: string; counties: number[]; at: Date },
): Promise<void> {
  if (counties.length === 0) return;
  await sql.lockMarket(client, market);
  const isRough = !(await sql.isSandbox(client, market));
  const today = isoDate(at);
  for (const fips of counties) {
    const place = { fips, market };
    const finestZoom = await chooseFinest(client, place);
    const zooms = EXACT_ZOOMS.filter((zoom) => zoom <= finestZoom);
    const grids = zooms.map((zoom) => ({ zoom, degrees: squareDegreesAt(zoom) }));
    await sql.deleteSquares(client, place);
    await sql.insertSquares(client, place, { grids, isRough, permitsSince: permitsSince(today) });
    for (const zoom of WIDER_ZOOMS)
      await sql.insertWiderSquares(client, place, { from: WIDEST_EXACT, zoom, steps: widerSteps(zoom) });
    await sql.upsertRollup(client, place, { finestZoom, on: today });
  }
}

async function chooseFinest(client: Client, place: sql.Place): Promise<number> {
  for (const zoom of EXACT_ZOOMS.slice(0, -1)) {
    const { homes, squares } = await sql.countSquares(client, place, squareDegreesAt(zoom));
    if (homes >= squares * LEAST_PER_SQUARE) return zoom;
  }
  return WIDEST_EXACT;
}

type RollUpDeps = Pick<Deps, 'data' | 'clock'>;

/** For a market whose homes change in several transactions; an interrupted one is left to `rollUpDue`. */
export async function rollUpMarketAfter<Result>(
  deps: RollUpDeps,
  market: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const counties = await sql.listCountiesOf(deps.data, market);
  await sql.markDue(deps.data, market, counties);
  const result = await change();
  for (const fips of counties) await rollUpPlace(deps, { fips, market });
  return result;
}

/** Refreshes squares not updated by a load: after an upgrade, a verdict on a sale, an interrupted valuation, or the
    passing of time. */
export async function rollUpDue(deps: RollUpDeps): Promise<void> {
  for (const place of await sql.listDue(deps.data, addDays(isoDate(deps.clock()), -KEPT_DAYS)))
    await rollUpPlace(deps, place);
}

/** One transaction for each county, so that none is long. */
async function rollUpPlace({ data, clock }: RollUpDeps, { fips, market }: sql.Place): Promise<void> {
  await inTransaction(data, (client) => rollUpCounties(client, { market, counties: [fips], at: clock() }));
}

/** Wider than the rounding errors of where a square ends, narrower than anything on the map. */
const EDGE_MARGIN = 1e-9;

interface Sight {
  counties: number[];
  markets: string[];
  z: number;
  box: Box;
}

/** The groups of the squares that a box touches. */
export const readSquares = (db: Queryable, sight: Sight, figure: Figure): Promise<sql.SquareRow[]> =>
  sql.listSquares(db, windowOf(sight), figure);

/** The box of all squares that a box touches. */
export function wholeSquares(z: number, box: Box): Box {
  const degrees = squareDegreesAt(z);
  const { minY, maxY, minX, maxX } = squaresOf(z, box);
  return {
    minLatitude: minY * degrees - EDGE_MARGIN,
    maxLatitude: (maxY + 1) * degrees + EDGE_MARGIN,
    minLongitude: minX * degrees - EDGE_MARGIN,
    maxLongitude: (maxX + 1) * degrees + EDGE_MARGIN,
  };
}

/** How many homes lie in the squares that a box touches. */
export const countHomesNear = (db: Queryable, sight: Sight): Promise<number> => sql.countHomes(db, windowOf(sight));

const windowOf = ({ counties, markets, z, box }: Sight): sql.Window => ({
  counties,
  markets,
  zoom: gridOf(z),
  ...squaresOf(z, box),
});

function squaresOf(z: number, box: Box): Pick<sql.Window, 'minY' | 'maxY' | 'minX' | 'maxX'> {
  const degrees = squareDegreesAt(z);
  return {
    minY: Math.floor(box.minLatitude / degrees),
    maxY: Math.floor(box.maxLatitude / degrees),
    minX: Math.floor(box.minLongitude / degrees),
    maxX: Math.floor(box.maxLongitude / degrees),
  };
}
