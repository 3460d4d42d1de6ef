// The outlines of lots: their share of the street between the neighbors, cut to the area on the roll.
import { ringOf, type Place } from '../../geography.ts';
import type { Ring } from '../../../lib/geo.ts';
import { signedSqftOf } from '../../../lib/shapes.ts';

const SQFT_PER_SQUARE_KM = 10_763_910;
/** Of the room between the neighbors, where the roll has no area: the grounds of a building of condos. */
const USUAL_SHARE = 0.9;

/** The corners drawn toward the home until the lot has its area; never beyond the room that the street gives it. */
export function outlineOfLot(home: Place & { room: Place[]; lotSqft: number | null }, scale: number): Ring {
  const { room, lotSqft, x, y } = home;
  const roomSqft = areaOf(room) * scale ** 2 * SQFT_PER_SQUARE_KM;
  const share = lotSqft === null ? USUAL_SHARE : Math.min(1, Math.sqrt(lotSqft / roomSqft));
  const corners = room.map((corner) => ({ x: x + share * (corner.x - x), y: y + share * (corner.y - y) }));
  const ring = ringOf(corners, scale);
  return signedSqftOf(ring) > 0 ? ring : ring.toReversed();
}

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
