// One comparable of the response: its facts, and its adjustments in words and dollars.
import { rounded } from '../../../base/lib/figures.ts';
import type { Attributes } from '../../avm/attributes.ts';
import { DAY_MS, isoDate } from '../../../base/lib/clock.ts';
import { KM_PER_MILE, type ChosenSale, type GridLine } from './grid.ts';
import type { Comparable } from './schema.ts';

/** The subject; `missing` lists the imputed attributes. */
type GridSubject = { attributes: Attributes; missing: string[]; asOf: string };

export function presentComparable(
  subject: GridSubject,
  sale: Omit<ChosenSale, 'parts'>,
  { adjustments, adjustedPrice }: GridLine,
): Comparable {
  const soldOn = isoDate(new Date(sale.soldDay * DAY_MS));
  const miles = rounded(sale.km / KM_PER_MILE, 2);
  const gross = adjustments.reduce((sum, { amount }) => sum + Math.abs(amount), 0);
  const a = sale.attributes;
  const ofSubject = describer({ a: subject.attributes, missing: subject.missing, date: subject.asOf });
  const ofSale = describer({ a, date: soldOn, away: awayFrom(subject.attributes, a, miles) });
  return {
    property_id: sale.propertyId,
    address: sale.address,
    latitude: a.latitude,
    longitude: a.longitude,
    sale_price: sale.priceUsd,
    sale_date: soldOn,
    distance_miles: miles,
    similarity: rounded(sale.similarity, 3),
    weight: sale.weight,
    sqft: a.sqft,
    bedrooms: a.bedrooms,
    bathrooms: a.bathrooms,
    lot_sqft: a.lotSqft,
    year_built: a.yearBuilt,
    price_per_sqft: a.sqft === null ? null : rounded(sale.priceUsd / a.sqft, 0),
    adjustments: adjustments.map(({ feature, amount }) => ({
      feature,
      subject: ofSubject(feature),
      comparable: ofSale(feature),
      amount,
    })),
    adjusted_price: adjustedPrice,
    net_adjustment_rate: rounded((adjustedPrice - sale.priceUsd) / sale.priceUsd, 4),
    gross_adjustment_rate: rounded(gross / sale.priceUsd, 4),
    exceeds: sale.exceeds,
  };
}

/** The attribute behind a line, to mark imputed ones. */
const READ_BY: Record<string, keyof Attributes> = {
  living_area: 'sqft',
  lot_size: 'lotSqft',
  bedrooms: 'bedrooms',
  bathrooms: 'bathrooms',
  garage: 'garageSpaces',
  age: 'yearBuilt',
  renovation: 'effectiveYearBuilt',
  condition: 'condition',
  quality: 'quality',
  units: 'units',
};

type Side = { a: Attributes; date: string; missing?: string[]; away?: string };

/** Describes one side of a line: the value that the line's adjustment reads, in words. */
const describer =
  ({ missing = [], ...side }: Side) =>
  (feature: string): string | null => {
    const text = DESCRIBED[feature] ? DESCRIBED[feature](side) : joined(side.a.extras[feature] ?? null);
    const isFilled = missing.includes(READ_BY[feature] ?? `extras.${feature}`);
    return text !== null && isFilled ? `${text} (filled in)` : text;
  };

/** The distance, and whether the neighborhood is the same if it is only a code. */
function awayFrom(subject: Attributes, { neighborhood }: Attributes, miles: number): string {
  const isCoded = neighborhood !== null && subject.neighborhood !== null && inWords(neighborhood) === null;
  if (!isCoded) return `${miles} mi away`;
  return `${miles} mi away, ${neighborhood === subject.neighborhood ? 'same' : 'another'} neighborhood`;
}

/** The description of a home for each line; other lines show the number on record. */
const DESCRIBED: Record<string, (side: Side) => string | null> = {
  market_change: ({ date }) => date,
  location: ({ a, away }) => joined(away ?? null, inWords(a.neighborhood), a.zip && `ZIP ${a.zip}`),
  age: ({ a }) => withUnknown(a.yearBuilt, (year) => `built ${year}`),
  renovation: ({ a: { effectiveYearBuilt: year, yearBuilt } }) =>
    (year ?? 0) > (yearBuilt ?? Infinity) ? `updated ${year}` : 'not updated',
  condition: ({ a }) => graded(a.condition),
  quality: ({ a }) => graded(a.quality),
  view: ({ a }) => withUnknown(a.extras.view, (grade) => (grade === 0 ? 'no view' : `view of grade ${grade}`)),
  waterfront: ({ a }) => withUnknown(a.extras.waterfront, (is) => (is === 0 ? 'not on water' : 'on water')),
  basement: ({ a }) => withUnknown(a.extras.basement_sqft, (sqft) => `${sqft} sqft`),
  property_type: ({ a }) => a.propertyType?.replaceAll('_', ' ') ?? null,
  units: ({ a }) => joined(a.units),
  style: ({ a }) => a.style,
  exterior: ({ a }) => a.exterior,
  living_area: ({ a }) => withUnknown(a.sqft, (sqft) => `${sqft} sqft`),
  lot_size: ({ a }) => withUnknown(a.lotSqft, (sqft) => `${sqft} sqft`),
  bedrooms: ({ a }) => joined(a.bedrooms),
  bathrooms: ({ a }) => joined(a.bathrooms),
  garage: ({ a }) => joined(a.garageSpaces),
};

const withUnknown = (value: number | null | undefined, say: (value: number) => string): string | null =>
  value === null || value === undefined ? null : say(value);

/** "7" is presented as a grade; "good" as is. */
function graded(text: string | null): string | null {
  return text !== null && text !== '' && Number.isFinite(Number(text)) ? `grade ${text}` : text;
}

const inWords = (text: string | null): string | null => (text !== null && /\p{L}{3}/u.test(text) ? text : null);

function joined(...parts: (string | number | null)[]): string | null {
  return parts.filter((part) => part !== null && part !== '').join(', ') || null;
}
