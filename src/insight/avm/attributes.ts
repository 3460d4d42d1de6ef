// The attributes of one property for valuation: the same members in every market, null where unknown.

export type Attributes = {
  propertyType: string | null;
  latitude: number | null;
  longitude: number | null;
  sqft: number | null;
  lotSqft: number | null;
  bedrooms: number | null;
  bathrooms: number | null;
  bathsFull: number | null;
  bathsHalf: number | null;
  yearBuilt: number | null;
  effectiveYearBuilt: number | null;
  stories: number | null;
  units: number | null;
  rooms: number | null;
  garageSpaces: number | null;
  condition: string | null;
  quality: string | null;
  style: string | null;
  exterior: string | null;
  zip: string | null;
  city: string | null;
  neighborhood: string | null;
  subdivision: string | null;
  censusTract: string | null;
  /** Attributes that only some markets record, such as waterfront, view or basement area. */
  extras: Record<string, number>;
};

/** An operator's word is final; a publisher reviews long lists, in which digits slip. */
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
  /** Who has confirmed that it is a market price. */
  vouchedBy?: Voucher;
  /** Street line, for display. */
  address: string | null;
};

export const noAttributes: Attributes = {
  propertyType: null,
  latitude: null,
  longitude: null,
  sqft: null,
  lotSqft: null,
  bedrooms: null,
  bathrooms: null,
  bathsFull: null,
  bathsHalf: null,
  yearBuilt: null,
  effectiveYearBuilt: null,
  stories: null,
  units: null,
  rooms: null,
  garageSpaces: null,
  condition: null,
  quality: null,
  style: null,
  exterior: null,
  zip: null,
  city: null,
  neighborhood: null,
  subdivision: null,
  censusTract: null,
  extras: {},
};
