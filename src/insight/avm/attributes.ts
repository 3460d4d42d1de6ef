// The attributes of one property for valuation: the same members in every market, null where unknown.

/** A home about which nothing is known. */
export const noAttributes = {
  latitude: null as number | null,
  longitude: null as number | null,
  sqft: null as number | null,
  lotSqft: null as number | null,
  bedrooms: null as number | null,
  bathrooms: null as number | null,
  bathsFull: null as number | null,
  bathsHalf: null as number | null,
  yearBuilt: null as number | null,
  effectiveYearBuilt: null as number | null,
  propertyType: null as string | null,
  stories: null as number | null,
  units: null as number | null,
  rooms: null as number | null,
  garageSpaces: null as number | null,
  condition: null as string | null,
  quality: null as string | null,
  style: null as string | null,
  exterior: null as string | null,
  zip: null as string | null,
  city: null as string | null,
  neighborhood: null as string | null,
  subdivision: null as string | null,
  censusTract: null as string | null,
  /** Attributes that only some markets record, such as waterfront, view or basement area. */
  extras: {} as Record<string, number>,
};
export type Attributes = typeof noAttributes;

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';
/** The attributes under the names used in records and requests. */
export type Stated = { [Name in Exclude<keyof Attributes, 'extras'> as SnakeCase<Name>]: Attributes[Name] };
export const STATED = Object.keys(noAttributes)
  .filter((name) => name !== 'extras')
  .map((name) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]) as [
  keyof Stated,
  Exclude<keyof Attributes, 'extras'>,
][];

/** Latest first: the first day an assessment may be used, and its log relative to the median of its roll. */
export type Assessed = { knownDay: number; ratio: number }[];
/** Among the extras, so that only markets with dated rolls read it. */
export const ASSESSED = 'assessed_value';

/** The attributes with the latest assessment known before the day. */
export function assessedOn(of: Attributes, assessed: Assessed, day: number): Attributes {
  const known = assessed.find(({ knownDay }) => knownDay < day);
  const { [ASSESSED]: _stated, ...extras } = of.extras;
  return { ...of, extras: known ? { ...extras, [ASSESSED]: known.ratio } : extras };
}

/** An operator's confirmation is final. A publisher reviews long lists, where wrong digits slip through. */
export const VOUCHERS = ['operator', 'publisher'] as const;
export type Voucher = (typeof VOUCHERS)[number];

/** A sale that may serve as evidence. Days count from 1970-01-01. */
export type Sale = {
  id: string;
  propertyId: string;
  soldDay: number;
  /** First day on which the sale may be used: once recorded and, if only the month is known, once the month is over. */
  knownDay: number;
  priceUsd: number;
  attributes: Attributes;
  /** Who confirmed that the price is a market price. */
  vouchedBy?: Voucher;
  /** Street line, for display. */
  address: string | null;
};
