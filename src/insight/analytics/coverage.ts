// Tracks which places and types of homes a series of sales covers in each quarter, so no figure compares a county with
// a city because the county's file ended. Pure.

export interface Coordinates {
  latitude: number | null;
  longitude: number | null;
}

/** Squares of about two miles: some thirty sales a quarter in a city, yet fine enough for a source's boundary. */
const SQUARE_DEGREES = 0.04;
/** With fewer sales in a good quarter, zero in another may be chance, so such strata are pooled. */
const LEAST_JUDGED = 12;
/** Sales fell to a third in the crisis of 2008. A quarter with less than a tenth of a good one is not on record. */
const LEAST_ACTIVE = 0.1;
/** A good quarter is the mean of this many best ones. */
const BEST_QUARTERS = 4;
/** Usual sales that must be missing before a gap counts as uncovered. */
const LEAST_MISSED = 20;
/** Coverage has changed if more than this share of usual sales appears or disappears; a year's new construction is
    less. */
const MOST_CHANGED = 0.2;

/** Every home is in one of each, so an unstated one may be any. */
export const EVERYWHERE: readonly string[] = ['zip', 'tract'];
/** If a larger share of nearby sales is in no area of a kind, the rest may be a biased sample. */
export const MOST_UNPLACED = 0.2;

/** Computes the share in no area among all sales of the same quarters, squares and types. */
export function followUnplaced(keys: string[], isPlaced: (sale: number) => boolean) {
  const shares = new Map<string, number>();
  for (const [key, all] of Map.groupBy(keys.keys(), (i) => keys[i]))
    shares.set(key, all.filter((i) => !isPlaced(i)).length / all.length);
  return (own: number[]): number => round(own.reduce((sum, i) => sum + shares.get(keys[i])! / own.length, 0));
}

/** Sales of one type in one square; without coordinates the place name is used. */
export function stratumOf({ latitude, longitude }: Coordinates, type: string | null, place: string | null): string {
  const square = (degrees: number) => Math.floor(degrees / SQUARE_DEGREES);
  const where = latitude === null || longitude === null ? place : `${square(latitude)} ${square(longitude)}`;
  return `${where} ${type}`;
}

export interface CoverageChange {
  /** Quarters since the year 0. */
  quarter: number;
  kind: 'began' | 'ended';
  /** Share of the usual sales of the series. */
  share: number;
}

export type Coverage = ReturnType<typeof followCoverage>;

interface Stratum {
  /** Mean sales per quarter on record. */
  usual: number;
  isActive: boolean[];
}

/** `count` sales; `of` returns the quarter and stratum of each. Records span the first to the last quarter. */
export function followCoverage(
  count: number,
  of: (sale: number) => [quarter: number, stratum: string],
  [first, last]: readonly [first: number, last: number],
) {
  const sold = new Map<string, number[]>();
  for (let i = 0; i < count; i++) {
    const [quarter, name] = of(i);
    if (quarter < first || quarter > last) continue;
    let own = sold.get(name);
    if (!own) sold.set(name, (own = Array<number>(last - first + 1).fill(0)));
    own[quarter - first]++;
  }
  const named = [...sold].filter(([, own]) => goodQuarterOf(own) >= LEAST_JUDGED);
  const numbers = new Map(named.map(([name], number) => [name, number]));
  const small = [...sold].filter(([name]) => !numbers.has(name));
  const rest = Array.from({ length: last - first + 1 }, (_, at) => small.reduce((sum, [, own]) => sum + own[at], 0));
  const strata = [...named.map(([, own]) => own), rest].map(judge);
  const isOn = ({ isActive }: Stratum, quarter: number) => isActive[quarter - first] ?? false;
  /** Usual sales of the strata on record in both of two quarters, cached because every series of an area needs them. */
  const known = new Map<string, number>();
  const inBoth = (a: number, b: number): number => {
    const key = `${a} ${b}`;
    const sum = known.get(key) ?? sumOf(strata, (stratum) => isOn(stratum, a) && isOn(stratum, b));
    known.set(key, sum);
    return sum;
  };
  const all = sumOf(strata, () => true);
  return {
    /** Share of the usual sales on record in a quarter. */
    shareIn: (quarter: number) => (all === 0 ? 0 : inBoth(quarter, quarter) / all),
    /** The share of some quarters' coverage that is also on record at a lag. */
    inCommon(wanted: readonly number[], lag: number) {
      const quarters = wanted.filter((quarter) => quarter <= last);
      if (quarters.every((quarter) => quarter - lag < first)) return { lost: 0, gained: 0 };
      const total = (read: (quarter: number) => number) => quarters.reduce((sum, quarter) => sum + read(quarter), 0);
      const both = total((quarter) => inBoth(quarter, quarter - lag));
      const missing = (of: number) => (of === 0 ? 0 : round(1 - both / of));
      return {
        lost: missing(total((quarter) => inBoth(quarter - lag, quarter - lag))),
        gained: missing(total((quarter) => inBoth(quarter, quarter))),
      };
    },
    /** Whether a stratum is on record in some quarters and at the lag. */
    isInBoth: (name: string, quarters: readonly number[], lag: number) => {
      const stratum = strata[numbers.get(name) ?? named.length];
      return quarters.every((at) => at > last || (isOn(stratum, at) && isOn(stratum, at - lag)));
    },
    changes: listChanges(strata, all, [first, last]),
  };
}

const sumOf = (strata: Stratum[], fits: (stratum: Stratum) => boolean): number =>
  strata.reduce((total, stratum) => total + (fits(stratum) ? stratum.usual : 0), 0);

/** Growth of less than half of either period's coverage would describe another area. */
const MOST_LEFT_OUT = 0.5;
export const hasMuchInCommon = ({ lost, gained }: { lost: number; gained: number }): boolean =>
  Math.max(lost, gained) <= MOST_LEFT_OUT;

export const isChanged = ({ lost, gained }: { lost: number; gained: number }): boolean =>
  lost > MOST_CHANGED || gained > MOST_CHANGED;

const goodQuarterOf = (sold: number[]): number =>
  sold
    .toSorted((a, b) => b - a)
    .slice(0, BEST_QUARTERS)
    .reduce((sum, n) => sum + n / BEST_QUARTERS, 0);

/** A stratum is uncovered where it lacks sales for too long to be chance. */
function judge(sold: number[]): Stratum {
  const least = LEAST_ACTIVE * goodQuarterOf(sold);
  const low = sold.map((n) => n < least);
  const usual = meanOf(sold.filter((_, at) => !low[at]));
  const isActive = sold.map(() => true);
  for (let from = 0, to = 0; from < sold.length; from = to) {
    while (to < sold.length && low[to] === low[from]) to++;
    if (low[from] && usual * (to - from) >= LEAST_MISSED) isActive.fill(false, from, to);
  }
  // The first and last quarter may be partial.
  const end = isActive.length - 1;
  isActive[0] ||= isActive[1] ?? false;
  isActive[end] ||= isActive[end - 1] ?? false;
  return { usual: meanOf(sold.filter((_, at) => isActive[at])), isActive };
}

const meanOf = (counts: number[]): number => counts.reduce((sum, n) => sum + n, 0) / Math.max(1, counts.length);

function listChanges(strata: Stratum[], all: number, [first, last]: readonly [number, number]): CoverageChange[] {
  const changes: CoverageChange[] = [];
  for (let at = 1; at <= last - first; at++) {
    const ended = round(sumOf(strata, ({ isActive }) => isActive[at - 1] && !isActive[at]) / all);
    const began = round(sumOf(strata, ({ isActive }) => !isActive[at - 1] && isActive[at]) / all);
    if (ended > MOST_CHANGED) changes.push({ quarter: first + at, kind: 'ended', share: ended });
    if (began > MOST_CHANGED) changes.push({ quarter: first + at, kind: 'began', share: began });
  }
  return changes;
}

const round = (share: number): number => Math.round(share * 1_000) / 1_000;
