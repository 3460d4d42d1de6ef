// Fills in attributes that homes in a market normally have and this one lacks, from the homes sold around it.
import type { Attributes, Sale } from './attributes.ts';
import { median } from '../math/quantiles.ts';

const numeric = [
  'sqft',
  'lotSqft',
  'bedrooms',
  'bathrooms',
  'bathsFull',
  'bathsHalf',
  'yearBuilt',
  'effectiveYearBuilt',
  'stories',
  'units',
  'rooms',
  'garageSpaces',
] as const;
const worded = ['condition', 'quality'] as const;
export const fillable: string[] = [...numeric, ...worded];

/** Names of the expected attributes that are unknown; extras are named `extras.<name>`. */
export function findMissing(a: Attributes, expected: string[]): string[] {
  return expected.filter((name) => {
    if (name.startsWith('extras.')) return a.extras[name.slice(7)] === undefined;
    if (name === 'effectiveYearBuilt' && a.yearBuilt !== null) return false;
    return a[name as keyof Attributes] === null;
  });
}

/** A copy with missing attributes set to the neighbors' median or mode, of the same type where five exist. */
export function fillMissing(a: Attributes, missing: string[], neighbors: Iterable<Sale>): Attributes {
  const filled: Attributes = { ...a, extras: { ...a.extras } };
  const from = pickAlike(a, neighbors);
  for (const name of missing) {
    if (name.startsWith('extras.')) {
      const values = from.map((sale) => sale.attributes.extras[name.slice(7)]).filter((value) => value !== undefined);
      if (values.length > 0) filled.extras[name.slice(7)] = median(values);
    } else if ((numeric as readonly string[]).includes(name)) {
      const key = name as (typeof numeric)[number];
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
    if (alike.length === MOST) break;
  }
  return alike.length >= LEAST ? alike : all.slice(0, MOST);
}

const LEAST = 5;
const MOST = 40;

function commonest(words: (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const word of words) if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null;
}
