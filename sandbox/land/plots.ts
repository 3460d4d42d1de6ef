// The outlines of lots: their share of the street between the neighbors, cut to the area on the roll.
import { pointOf, ringOf, type Place } from '../geography.ts';
import { ringHolds, type Ring } from '../../src/base/lib/geo.ts';
import { signedSqftOf } from '../../src/base/lib/shapes.ts';

const SQFT_PER_SQUARE_KM = 10_763_910;
/** Of the room between the neighbors, where the roll has no area: the grounds of a building of condos. */
const USUAL_SHARE = 0.9;
const BENT_LOT_KM = 0.03;

/** The corners drawn toward the home until the lot has its area; never beyond the room that the street gives it. */
export function outlineOfLot(home: Place & { room: Place[]; scale: number; lotSqft: number | null }): Ring {
  const { scale } = home;
  const ring = wind(ringOf(drawIn(home, home.room), scale));
  if (ringHolds(ring, pointOf(home, scale))) return ring;
  // Where a street bends so sharply that the straight sides of a lot miss the home, the lot is a square around it.
  const side = BENT_LOT_KM / scale;
  return wind(ringOf(drawIn(home, roomAround(home, side, side)), scale));
}

function drawIn({ x, y, scale, lotSqft }: Place & { scale: number; lotSqft: number | null }, room: Place[]): Place[] {
  const roomSqft = areaOf(room) * scale ** 2 * SQFT_PER_SQUARE_KM;
  const share = lotSqft === null ? USUAL_SHARE : Math.min(1, Math.sqrt(lotSqft / roomSqft));
  return room.map((corner) => ({ x: x + share * (corner.x - x), y: y + share * (corner.y - y) }));
}

const wind = (ring: Ring): Ring => (signedSqftOf(ring) > 0 ? ring : ring.toReversed());

/** A rectangle around a place, in kilometers. */
export function roomAround({ x, y }: Place, width: number, depth: number): Place[] {
  const [east, north] = [width / 2, depth / 2];
  return [
    { x: x - east, y: y - north },
    { x: x + east, y: y - north },
    { x: x + east, y: y + north },
    { x: x - east, y: y + north },
  ];
}

function areaOf(corners: Place[]): number {
  const double = corners.reduce((sum, { x, y }, i) => {
    const next = corners[(i + 1) % corners.length];
    return sum + x * next.y - next.x * y;
  }, 0);
  return Math.abs(double) / 2;
}
