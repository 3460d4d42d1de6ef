// The shapes of a property and of its records.
import Type, { type Static } from 'typebox';
import {
  decimal,
  instant,
  isoDay,
  latitude,
  list,
  longitude,
  named,
  nullable,
  oneOf,
  page,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';

import { LAYER_COLUMNS } from '../../supply/layers/layers.ts';
import { MARKET_PRICE_REASONS } from './market-price.ts';

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

export const OWNER_TYPES = ['individual', 'company', 'trust', 'government', 'nonprofit', 'bank', 'other'] as const;
export const INCLUDES = [
  'owner',
  'assessments',
  'taxes',
  'transactions',
  'risk',
  'provenance',
  'geometry',
  'lineage',
] as const;
export type Include = (typeof INCLUDES)[number];

const whole = (options?: object) => nullable(wholeNumber({ minimum: 0, ...options }));
const words = (maxLength = 200) => nullable(text(maxLength));

const Identifiers = named('Identifiers', {
  apn: text(80, { description: 'Parcel number as the county writes it.' }),
  apn_unformatted: text(80),
  fips: text(5, { description: 'County FIPS code.' }),
  county: words(),
  state: text(2),
  market: text(60),
});

const Address = named('Address', {
  line1: words(),
  unit: words(60),
  city: words(),
  state: text(2),
  zip: words(5),
  zip4: words(4),
  formatted: words(400),
});

const Owner = named('Owner', {
  names: list(text(300)),
  type: nullable(oneOf(OWNER_TYPES)),
  owner_occupied: nullable(Type.Boolean()),
  mailing_address: words(400),
  since: nullable(isoDay()),
  suppressed: Type.Boolean({ description: 'The owner asked not to be shown.' }),
});

const Assessment = named('Assessment', {
  year: wholeNumber(),
  land: whole(),
  improvements: whole(),
  total: whole(),
  market_total: whole(),
  source: text(80),
});
export type Assessment = Static<typeof Assessment>;

const Tax = named('Tax', {
  year: wholeNumber(),
  amount: nullable(decimal({ description: 'Dollars.' })),
  rate: nullable(decimal({ description: 'Of the newest bill: tax over the stored value. 0.012 is 1.2%.' })),
  exemptions: list(text(100)),
  status: words(60),
  source: text(80),
});
export type Tax = Static<typeof Tax>;

const Transaction = Type.Object(
  {
    object: oneOf(['transaction']),
    id: text(40),
    property_id: text(40),
    type: oneOf(['deed', 'mortgage', 'release', 'foreclosure', 'other']),
    document_type: words(),
    document_number: words(80),
    book: words(40),
    page: words(40),
    recording_date: nullable(isoDay()),
    sale_date: nullable(isoDay()),
    date_precision: oneOf(['day', 'month', 'year']),
    price: whole(),
    arms_length: nullable(Type.Boolean()),
    arms_length_reason: words(),
    market_price: nullable(
      Type.Boolean({ description: 'false: left out of comparables, of models and of `last_sale`. null: not known.' }),
    ),
    market_price_reason: nullable(oneOf(MARKET_PRICE_REASONS)),
    market_price_note: words(500),
    buyers: Type.Optional(list(text(300))),
    sellers: Type.Optional(list(text(300))),
    lender: words(300),
    loan_amount: whole(),
    refers_to: list(text(60), {
      description: 'Other instruments this one names: document numbers, or `book/page`.',
    }),
    source: text(80),
  },
  { title: 'Transaction', description: '`buyers` and `sellers` require the `owners:read` scope.' },
);
export type Transaction = Static<typeof Transaction>;

export const Parcel = named('Parcel', {
  lot_sqft: whole(),
  lot_acres: nullable(decimal()),
  zoning: words(),
  land_use_code: words(80),
  land_use: words(),
  legal_description: words(2_000),
  subdivision: words(),
  neighborhood: words(),
  census_tract: words(11),
});
export type Parcel = Static<typeof Parcel>;

export const Structure = named('Structure', {
  year_built: whole(),
  effective_year_built: whole(),
  stories: nullable(decimal()),
  units: whole(),
  rooms: whole(),
  baths_full: whole(),
  baths_half: whole(),
  garage_spaces: whole(),
  pool: nullable(Type.Boolean()),
  heating: words(),
  cooling: words(),
  exterior: words(),
  foundation: words(),
  condition: words(),
  quality: words(),
  style: words(),
  footprint_sqft: whole({ description: 'Ground area of the building, from aerial images.' }),
});
export type Structure = Static<typeof Structure>;

const LastSale = named('LastSale', { date: isoDay(), price: whole(), transaction_id: words(40) });

const StoredValuation = Type.Object(
  {
    estimated_value: wholeNumber({ minimum: 0 }),
    low: whole(),
    high: whole(),
    fsd: nullable(decimal()),
    model_version: words(80),
    valued_on: nullable(isoDay()),
  },
  { title: 'StoredValuation', description: 'The latest stored value; use `POST /avm/estimate` for a fresh one.' },
);

export const OCCUPANCIES = ['owner_occupied', 'absentee_in_state', 'absentee_out_of_state', 'absentee'] as const;
export const VESTINGS = [
  'sole',
  'joint_tenants',
  'tenants_in_common',
  'tenants_by_entirety',
  'community_property',
  'life_estate',
  'trustee',
] as const;
export const FORECLOSURE_STAGES = ['none', 'notice', 'sale_notice', 'ended_by_deed', 'ended_by_release'] as const;
export const TAX_STAGES = ['none', 'delinquent', 'lien', 'lien_sold'] as const;

const Tenure = Type.Object(
  {
    owned_since: nullable(isoDay()),
    years_owned: nullable(decimal({ minimum: 0 })),
    occupancy: Type.Optional(nullable(oneOf(OCCUPANCIES))),
    vesting: Type.Optional(nullable(oneOf(VESTINGS))),
    foreclosure_stage: nullable(oneOf(FORECLOSURE_STAGES)),
    foreclosure_on: nullable(isoDay({ description: 'Of the last notice on record.' })),
    foreclosure_ended_on: nullable(isoDay()),
    tax_delinquency: nullable(oneOf(TAX_STAGES)),
  },
  {
    title: 'Tenure',
    description:
      '`null` where the records do not reach. `occupancy` and `vesting` follow from names and mailing addresses and require ' +
      'the `owners:read` scope.',
  },
);

const EQUITY_REASONS = [
  'not_valued',
  'mortgages_not_covered',
  'mortgages_partly_covered',
  'balance_not_known',
] as const;

const share = () => nullable(decimal({ minimum: 0 }));
const dollars = () => nullable(wholeNumber());
export const Equity = Type.Object(
  {
    open_loans: whole({ description: 'Mortgages on record without a release; 0 only where all are covered.' }),
    loan_balance: whole({ description: 'Sum of the estimated balances. Not a payoff figure.' }),
    ltv: share(),
    ltv_low: share(),
    ltv_high: share(),
    equity: dollars(),
    equity_low: dollars(),
    equity_high: dollars(),
    free_and_clear: nullable(
      Type.Boolean({ description: 'true only where mortgages, liens and tax liens are covered and none is open.' }),
    ),
    reason: nullable(oneOf(EQUITY_REASONS, { description: 'Why there is no figure.' })),
  },
  {
    title: 'Equity',
    description:
      'The stored value less the estimated balance of the open loans. The ends join the 80% interval of the value with what ' +
      'is not known of the balance: from a fifteen-year loan to one of which nothing was repaid.',
  },
);

export type Equity = Static<typeof Equity>;

/** As they are stored with a property: who lives there may be known of any of them. */
export type EquityColumns = Omit<Equity, 'reason'> & { equity_reason: Equity['reason'] };
export type TenureColumns = Required<Omit<Static<typeof Tenure>, 'years_owned'>> & EquityColumns;

const RiskSummary = Type.Object(LAYER_COLUMNS, {
  title: 'RiskSummary',
  description: '`null` if the layer is not covered; `0` or `false` if it is covered and nothing was found.',
});

const FieldProvenance = named('FieldProvenance', {
  source: text(80),
  known_on: nullable(isoDay()),
  others: list(Type.Object({ source: text(80), value: Type.Unknown() }), {
    description: 'Values that were not chosen.',
  }),
});

const Provenance = named('Provenance', {
  default_source: words(80),
  loaded_at: instant(),
  fields: Type.Record(Type.String({ maxLength: 60 }), FieldProvenance),
  sources: Type.Record(
    Type.String({ maxLength: 80 }),
    Type.Object({ name: text(300), url: words(500), licence: text(300), attribution: text(500) }),
  ),
});

const ParcelGeometry = Type.Object(
  {
    type: oneOf(['Polygon', 'MultiPolygon']),
    coordinates: Type.Unsafe<unknown[]>({ type: 'array', items: {}, maxItems: 100_000 }),
  },
  {
    title: 'ParcelGeometry',
    description: 'The outline of the parcel as GeoJSON, in degrees. A unit has the outline of its lot.',
  },
);

const Relative = Type.Object(
  {
    id: text(40),
    apn: text(80),
    kind: oneOf(['merged', 'split', 'renumbered']),
    happened_on: isoDay(),
    geometry: Type.Optional(nullable(ParcelGeometry)),
  },
  { title: 'RelatedParcel', description: '`geometry` is its last known outline, with `include=lineage,geometry`.' },
);

const Lineage = Type.Object(
  { predecessors: list(Relative), successors: list(Relative) },
  { title: 'Lineage', description: 'Parcels that this one was made from, and parcels that it became.' },
);

export const Property = named('Property', {
  object: oneOf(['property']),
  id: text(40, { examples: ['prop_r5pv00000000000000000'] }),
  identifiers: Type.Optional(Identifiers),
  address: Type.Optional(Address),
  latitude: Type.Optional(nullable(latitude())),
  longitude: Type.Optional(nullable(longitude())),
  geo_precision: Type.Optional(words(40)),
  property_type: Type.Optional(oneOf(PROPERTY_TYPES)),
  sqft: Type.Optional(whole()),
  bedrooms: Type.Optional(whole()),
  bathrooms: Type.Optional(nullable(decimal({ minimum: 0 }))),
  parcel: Type.Optional(Parcel),
  structure: Type.Optional(Structure),
  owner: Type.Optional(nullable(Owner)),
  assessments: Type.Optional(list(Assessment)),
  taxes: Type.Optional(list(Tax)),
  transactions: Type.Optional(list(Transaction)),
  last_sale: Type.Optional(nullable(LastSale)),
  valuation: Type.Optional(nullable(StoredValuation)),
  tenure: Type.Optional(Tenure),
  equity: Type.Optional(Equity),
  risk_summary: Type.Optional(RiskSummary),
  risk: Type.Optional(Type.Unknown({ description: 'The risk report, with `include=risk`.' })),
  provenance: Type.Optional(Provenance),
  geometry: Type.Optional(nullable(ParcelGeometry)),
  lineage: Type.Optional(Lineage),
  distance_miles: Type.Optional(decimal({ minimum: 0, description: 'In searches around a point.' })),
  status: Type.Optional(oneOf(['active', 'retired'])),
  updated_at: Type.Optional(instant()),
});
export type Property = Static<typeof Property>;

export const PropertyFields = Object.keys(Property.properties) as (keyof Property)[];

export const Change = named('Change', {
  object: oneOf(['change']),
  id: text(60),
  property_id: text(40),
  type: text(60, { examples: ['property.updated'] }),
  op: oneOf(['insert', 'update', 'retire']),
  changed_fields: list(text(60)),
  before: Type.Unknown(),
  after: Type.Unknown(),
  occurred_at: instant(),
});

export const PropertyCount = named('PropertyCount', {
  object: oneOf(['count']),
  count: wholeNumber({ minimum: 0 }),
  is_exact: Type.Boolean({ description: 'false: rounded down; 0 then means fewer than 10.' }),
  widened: Type.Array(text(40), {
    maxItems: 40,
    description: 'The ends of ranges that were moved to the edge of a band.',
  }),
});

export const PropertyPage = page('PropertyPage', Property);
export const TransactionPage = page('TransactionPage', Transaction);
export const AssessmentPage = page('AssessmentPage', Assessment);
export const ChangePage = page('ChangePage', Change);
