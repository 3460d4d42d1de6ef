// The states and territories, from states.csv: codes, names, and where they lie.
import { readFileSync } from 'node:fs';
import type { Point } from './geo.ts';

export interface State {
  /** `55` */
  fips: string;
  /** `WI` */
  code: string;
  name: string;
  /** West, south, east and north in whole degrees outward; empty for territories whose records were never read. */
  box: number[];
}

export const STATES: readonly State[] = readFileSync(new URL('./states.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [fips, code, name, ...box] = line.split(',');
    return { fips, code, name, box: box.filter((edge) => edge !== '').map(Number) };
  });

/** The state of a county's FIPS code. */
export const stateOfCounty = (fips: number): string | undefined =>
  STATES.find((state) => Number(state.fips) === Math.floor(fips / 1000))?.code;

/** How many points lie outside the state, as when coordinates are read by the wrong projection; 0 for an unknown state. */
export function countOutside(code: string | undefined, points: Point[]): number {
  const [west, south, east, north] = STATES.find((state) => state.code === code)?.box ?? [];
  return points.filter(
    ({ latitude, longitude }) => longitude < west || longitude > east || latitude < south || latitude > north,
  ).length;
}
