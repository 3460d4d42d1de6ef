// Screens implausible attributes, which count as unknown, and imputes missing ones from the homes sold nearby.
import type { Attributes, Sale } from './attributes.ts';
import { median, quantile } from '../../base/math/quantiles.ts';

/** A number outside these ranges is a typo or a placeholder in any market. */
export const POSSIBLE = {
  sqft: [100, 100_000],
  lotSqft: [100, 500_000_000],
  bedrooms: [0, 50],
  bathrooms: [0, 50],
  bathsFull: [0, 50],
  bathsHalf: [0, 50],
  yearBuilt: [1600, 2100],
  effectiveYearBuilt: [1600, 2100],
  stories: [0.5, 150],
  units: [1, 1000],
  rooms: [1, 200],
  garageSpaces: [0, 50],
} as const satisfies Record<string, readonly [number, number]>;
type Numeric = keyof typeof POSSIBLE;
const numeric = Object.keys(POSSIBLE) as Numeric[];
const worded = ['condition', 'quality'] as const;
export const fillable: string[] = [...numeric, ...worded];

export type Ranges = Record<Numeric, readonly [number, number]>;

const MIN_VALUES = 100;

/** Plausible ranges of one market: the range of 99% of its sales, widened for true exceptions such as farms. */
export const plausibleRanges = (sales: Sale[]): Ranges =>
  Object.fromEntries(
    numeric.map((name) => {
      const [least, most] = POSSIBLE[name];
      const sorted = Float64Array.from(
        sales.flatMap(({ attributes }) => attributes[name] ?? []).filter((value) => value >= least && value <= most),
      ).sort();
      if (sorted.length < MIN_VALUES) return [name, POSSIBLE[name]];
      const [low, high] = [quantile(sorted, 0.005), quantile(sorted, 0.995)];
      const market =
        name === 'sqft' || name === 'lotSqft'
          ? [low / 5, high * 20]
          : name === 'yearBuilt' || name === 'effectiveYearBuilt'
            ? [low - 100, most]
            : [least, 3 * high + 3];
      return [name, [Math.max(least, market[0]), Math.min(most, market[1])]];
    }),
  ) as Ranges;

/** A recorded attribute that is treated as unknown. */
type Implausible = { name: string; value: number };

const MIN_SQFT_PER_BEDROOM = 50;

/** More bedrooms than fit into the living area. */
export const isCrowded = ({ sqft, bedrooms }: Attributes): boolean =>
  sqft !== null && bedrooms !== null && bedrooms > 4 && sqft / bedrooms < MIN_SQFT_PER_BEDROOM;

export const yearOf = (day: number): number => new Date(day * 86_400_000).getUTCFullYear();

/**
 * A home's attributes without those implausible on the day: a home may be built by the end of the next year. Attributes
 * that the caller vouches for are always kept.
 */
export function keepPlausible(a: Attributes, ranges: Ranges, day: number, vouched?: ReadonlySet<string>) {
  const implausible: Implausible[] = [];
  for (const name of numeric) {
    const value = a[name];
    const isYear = name === 'yearBuilt' || name === 'effectiveYearBuilt';
    const most = isYear ? Math.min(ranges[name][1], yearOf(day) + 1) : ranges[name][1];
    if (value === null || (value >= ranges[name][0] && value <= most) || vouched?.has(name)) continue;
    implausible.push({ name, value });
  }
  if (isCrowded(a) && implausible.length === 0 && !vouched?.has('bedrooms'))
    implausible.push({ name: 'bedrooms', value: a.bedrooms! });
  if (implausible.length === 0) return { attributes: a, implausible };
  return { attributes: { ...a, ...Object.fromEntries(implausible.map(({ name }) => [name, null])) }, implausible };
}

export function withPlausible(sale: Sale, ranges: Ranges): Sale {
  const { attributes, implausible } = keepPlausible(sale.attributes, ranges, sale.soldDay);
  return implausible.length === 0 ? sale : { ...sale, attributes };
}

/** The attributes expected for the home's type that are unknown; extras are named `extras.<name>`. */
export const findMissing = (a: Attributes, expected: Record<string, string[]>): string[] =>
  (expected[a.propertyType ?? ''] ?? []).filter((name) => {
    if (name.startsWith('extras.')) return a.extras[name.slice(7)] === undefined;
    if (name === 'effectiveYearBuilt' && a.yearBuilt !== null) return false;
    return a[name as keyof Attributes] === null;
  });

/** A copy with missing attributes imputed by the neighbors' median or mode, of the same type where five exist. */
export function fillMissing(a: Attributes, missing: string[], neighbors: Iterable<Sale>): Attributes {
  const filled: Attributes = { ...a, extras: { ...a.extras } };
  const from = pickAlike(a, neighbors);
  for (const name of missing) {
    if (name.startsWith('extras.')) {
      const values = from.map((sale) => sale.attributes.extras[name.slice(7)]).filter((value) => value !== undefined);
      if (values.length > 0) filled.extras[name.slice(7)] = median(values);
    } else if ((numeric as readonly string[]).includes(name)) {
      const key = name as Numeric;
      const values = from.map((sale) => sale.attributes[key]).filter((value) => value !== null);
      if (values.length > 0) filled[key] = median(values);
    } else {
      const key = name as (typeof worded)[number];
      filled[key] = commonest(from.map((sale) => sale.attributes[key]));
    }
  }
  if (filled.effectiveYearBuilt === null) filled.effectiveYearBuilt = filled.yearBuilt;
  return filled;
}

/** The nearest of the same type; the iterator is read only as far as needed. */
function pickAlike(a: Attributes, neighbors: Iterable<Sale>): Sale[] {
  const [alike, all]: Sale[][] = [[], []];
  for (const sale of neighbors) {
    all.push(sale);
    if (sale.attributes.propertyType === a.propertyType) alike.push(sale);
    if (alike.length === MAX_ALIKE) break;
  }
  return alike.length >= MIN_ALIKE ? alike : all.slice(0, MAX_ALIKE);
}

const MIN_ALIKE = 5;
const MAX_ALIKE = 40;

function commonest(words: (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const word of words) if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null;
}
