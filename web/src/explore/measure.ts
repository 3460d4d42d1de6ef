// Lengths and areas on the ground, for the measuring tool. Pure.
import type { Position } from '../map/place.ts';

const FEET_PER_DEGREE = 364_813;
const FEET_PER_MILE = 5_280;
const SQFT_PER_ACRE = 43_560;

export function lengthFeet(line: Position[]): number {
  return line.slice(1).reduce((sum, to, index) => {
    const from = line[index];
    const squeeze = Math.cos((((from[1] + to[1]) / 2) * Math.PI) / 180);
    return sum + Math.hypot((to[0] - from[0]) * squeeze, to[1] - from[1]) * FEET_PER_DEGREE;
  }, 0);
}

export function areaSqft(ring: Position[]): number {
  if (ring.length < 3) return 0;
  const [[x0, y0]] = ring;
  const doubled = ring.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = ring[(index + 1) % ring.length];
    return sum + (x - x0) * (nextY - y0) - (nextX - x0) * (y - y0);
  }, 0);
  return (Math.abs(doubled) / 2) * FEET_PER_DEGREE ** 2 * Math.cos((y0 * Math.PI) / 180);
}

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const TWO = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

export const writeLength = (feet: number): string =>
  feet < 1_000 ? `${WHOLE.format(feet)} ft` : `${TWO.format(feet / FEET_PER_MILE)} mi`;

export const writeArea = (sqft: number): string =>
  sqft < SQFT_PER_ACRE / 2 ? `${WHOLE.format(sqft)} sq ft` : `${TWO.format(sqft / SQFT_PER_ACRE)} acres`;
