// The outline of a district: a rounded, uneven shape inside its rectangle; farmland is what the others leave of its
// county.
import { DISTRICTS } from './districts.ts';
import type { District } from './district.ts';
import { coastX, distanceToLake, type Place } from '../geography.ts';

const FARMLAND_BLOCK_M = 300;
const LAKE_RING_KM = 0.5;

export function isFarmland(district: District): boolean {
  return district.blockDepthM > FARMLAND_BLOCK_M;
}

/** `u` and `v` run from -0.5 to 0.5 across the rectangle before rotation. */
export function isInside(district: District, u: number, v: number, place: Place): boolean {
  if (isFarmland(district)) return !DISTRICTS.some((other) => !isFarmland(other) && isNear(other, place));
  if (district.key === 'heron-shore') return distanceToLake(place) < LAKE_RING_KM;
  return Math.hypot(u, v) <= reachOf(district, Math.atan2(v, u));
}

export function placeIn(district: District, u: number, v: number): Place {
  const turn = (district.turn * Math.PI) / 180;
  const [east, north] = [u * district.width, v * district.height];
  return {
    x: district.x + east * Math.cos(turn) - north * Math.sin(turn),
    y: district.y + east * Math.sin(turn) + north * Math.cos(turn),
  };
}

/** `margin` is a share of the rectangle. */
export function outlineOf(district: District, margin = 0.02): Place[] {
  return Array.from({ length: 40 }, (_, step) => {
    const angle = (step / 40) * 2 * Math.PI;
    const reach = isFarmland(district) ? 0.5 : reachOf(district, angle) + margin;
    const place = placeIn(district, reach * Math.cos(angle), reach * Math.sin(angle));
    return { x: Math.min(place.x, coastX(place.y)), y: place.y };
  });
}

/** A superellipse with a different wave for each district. */
function reachOf(district: District, angle: number): number {
  const rounded = 0.5 / (Math.abs(Math.cos(angle)) ** 4 + Math.abs(Math.sin(angle)) ** 4) ** 0.25;
  const phase = district.x * 3 + district.y * 5;
  return rounded * (0.95 + 0.06 * Math.sin(3 * angle + phase) + 0.035 * Math.sin(7 * angle + 2 * phase));
}

function isNear(district: District, place: Place): boolean {
  const turn = (district.turn * Math.PI) / 180;
  const [dx, dy] = [place.x - district.x, place.y - district.y];
  const u = (dx * Math.cos(turn) + dy * Math.sin(turn)) / district.width;
  const v = (dy * Math.cos(turn) - dx * Math.sin(turn)) / district.height;
  return Math.abs(u) < 0.56 && Math.abs(v) < 0.56;
}
