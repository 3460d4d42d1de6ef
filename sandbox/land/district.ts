// What defines a neighborhood: where it is, how its streets are named, what was built there, since when, and at what
// price.

export const PROPERTY_TYPES = [
  'single_family',
  'condo',
  'townhouse',
  'multi_family',
  'apartment',
  'manufactured',
  'land',
  'commercial',
  'other',
] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

type StreetScheme =
  | 'directional' // 214 E Juniper St, 118 1/2 N 3rd St
  | 'named' // 42 Fernhollow Ct
  | 'saints' // 18 St Brannoc Ave
  | 'queens' // 92-10 41st Ave
  | 'utah' // 1420 E 3300 S
  | 'quadrants' // 1413 Thistle St NW
  | 'wisconsin' // N1652W2123 Kettle Rd, W4512 County Road K
  | 'highways' // 18450 US Highway 902
  | 'park'; // 4400 Gannet Rd, Lot 27

export type District = {
  key: string;
  name: string;
  city: string;
  zip: string;
  fips: number;
  /** Center and extent in kilometers, rotated by `turn` degrees. */
  x: number;
  y: number;
  width: number;
  height: number;
  turn: number;
  /** How far streets deviate from a straight line, in meters. */
  curve: number;
  /** Number of properties out of 20,000. */
  share: number;
  scheme: StreetScheme;
  blockDepthM: number;
  blockLengthM: number;
  /** Weights by parcel, not by property: one condo parcel holds many. */
  types: Partial<Record<PropertyType, number>>;
  condoStyle: 'tower' | 'walkup' | 'garden' | 'conversion';
  years: [first: number, middle: number, last: number];
  sqft: number;
  lotSqft: number;
  /** Mean building quality, in steps of the quality scale. */
  quality: number;
  /** Log of the price level relative to the market's mean. */
  level: number;
  /** Growth over the fifteen years beyond the market's, in logs. */
  drift: number;
  /** Sales per property and year relative to the market's mean. */
  turnover: number;
  ownerOccupied: number;
  zoning: string;
};
