// The states and territories, from states.csv: codes, names, and where they lie.
import { readFileSync } from 'node:fs';

export interface State {
  /** `55` */
  fips: string;
  /** `WI` */
  code: string;
  name: string;
  /** The first three digits of its ZIP codes, as ranges: `530-532 534-535`. */
  zips: string;
  /** West, south, east and north, rounded outward to whole degrees; empty for unsupported territories. */
  box: number[];
}

export const STATES: readonly State[] = readFileSync(new URL('./states.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [fips, code, name, zips, ...box] = line.split(',');
    return { fips, code, name, zips, box: box.filter((edge) => edge !== '').map(Number) };
  });

/** The state of a county's FIPS code. */
export const stateOfCounty = (fips: number): string | undefined =>
  STATES.find((state) => Number(state.fips) === Math.floor(fips / 1000))?.code;

const prefixesOf = (zips: string): string[] =>
  zips.split(' ').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => String(first + i).padStart(3, '0'));
  });
const ZIP_PREFIXES = new Map(STATES.map(({ code, zips }) => [code, new Set(prefixesOf(zips))]));

/** Whether ZIP codes of the state begin like this one; true for a state whose ZIP codes are not known. */
export const isZipOf = (code: string, zip: string): boolean => ZIP_PREFIXES.get(code)?.has(zip.slice(0, 3)) ?? true;
