// Chooses the features of a market's model, and the attributes expected of a home, from its own sales.
import type { Attributes, Sale } from '../avm/attributes.ts';
import {
  categoryFeatures,
  categoryReaders,
  numberFeatures,
  numberReaders,
  placeOf,
  type FeatureSet,
} from '../avm/features.ts';
import { fillable } from '../avm/fill.ts';
import { mean } from './metrics.ts';

/** A column known for a smaller share of sales than this is left out. */
const MIN_KNOWN = 0.05;
const EXPECTED = 0.95;
/** With less than two years of sales, the day only reveals the season. */
const MIN_DAYS_FOR_DAY = 730;

/** `sales` must be ordered by day. */
export function chooseFeatures(sales: Sale[]): FeatureSet {
  const located = sales.filter((sale) => sale.attributes.latitude !== null && sale.attributes.longitude !== null);
  const origin = {
    latitude: mean(located.map((sale) => sale.attributes.latitude!)) || 0,
    longitude: mean(located.map((sale) => sale.attributes.longitude!)) || 0,
  };
  const extras = [...new Set(sales.flatMap((sale) => Object.keys(sale.attributes.extras)))].toSorted();
  return {
    origin,
    numbers: numberFeatures.filter((name) =>
      isUseful(sales.map((sale) => numberReaders[name](sale.attributes, origin))),
    ),
    extras: extras.filter((name) => isUseful(sales.map((sale) => sale.attributes.extras[name] ?? NaN))),
    places: located.length < MIN_LOCATED * sales.length ? numberPlaces(sales) : null,
    hasDay: sales[sales.length - 1].soldDay - sales[0].soldDay >= MIN_DAYS_FOR_DAY,
    categories: categoryFeatures.filter((name) =>
      hasCategories(sales.map((sale) => categoryReaders[name](sale.attributes))),
    ),
  };
}

/** With coordinates for fewer than half of the sales, the map is synthesized from neighborhoods. */
const MIN_LOCATED = 0.5;

function numberPlaces(sales: Sale[]): Record<string, number> {
  const names = [...new Set(sales.map((sale) => placeOf(sale.attributes)))].toSorted();
  return Object.fromEntries(names.map((name, k) => [name, k]));
}

function isUseful(values: number[]): boolean {
  const known = values.filter((value) => value === value);
  return known.length >= MIN_KNOWN * values.length && known.some((value) => value !== known[0]);
}

function hasCategories(values: (string | null)[]): boolean {
  const known = values.filter((value) => value !== null);
  return known.length >= MIN_KNOWN * values.length && new Set(known).size > 1;
}

/** By property type, the attributes that at least 95% of its sales have. */
export function chooseExpected(sales: Sale[], set: FeatureSet): Record<string, string[]> {
  const names = [...fillable, ...set.extras.map((name) => `extras.${name}`)];
  const isKnown = (a: Attributes, name: string): boolean =>
    name.startsWith('extras.') ? a.extras[name.slice(7)] !== undefined : a[name as keyof Attributes] !== null;
  const expected: Record<string, string[]> = {};
  for (const type of new Set(sales.map((sale) => sale.attributes.propertyType ?? ''))) {
    const own = sales.filter((sale) => (sale.attributes.propertyType ?? '') === type);
    expected[type] = names.filter(
      (name) => own.filter((sale) => isKnown(sale.attributes, name)).length >= EXPECTED * own.length,
    );
  }
  return expected;
}
