// The shapes of a property and of its records.
import Type, { type Static } from 'typebox';
import * as shape from '../../base/lib/schema.ts';

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

const whole = (options?: object) => shape.nullable(shape.wholeNumber({ minimum: 0, ...options }));
const words = (maxLength = 200) => shape.nullable(shape.text(maxLength));

const Identifiers = shape.named('Identifiers', {
  apn: shape.text(80, { description: 'Parcel number as the county writes it.' }),
  apn_unformatted: shape.text(80),
  fips: shape.text(5, { description: 'County FIPS code.' }),
  county: words(),
  state: shape.text(2),
  market: shape.text(60),
});

const Address = shape.named('Address', {
  line1: words(),
  unit: words(60),
  city: words(),
  state: shape.text(2),
  zip: words(5),
  zip4: words(4),
  formatted: words(400),
});

const Owner = shape.named('Owner', {
  names: shape.list(shape.text(300)),
  type: shape.nullable(shape.oneOf(OWNER_TYPES)),
  owner_occupied: shape.nullable(Type.Boolean()),
  mailing_address: words(400),
  since: shape.nullable(shape.isoDay()),
  suppressed: Type.Boolean({ description: 'The owner asked not to be shown.' }),
});

const Assessment = shape.named('Assessment', {
  year: shape.wholeNumber(),
  land: whole(),
  improvements: whole(),
  total: whole(),
  market_total: whole(),
  source: shape.text(80),
});
export type Assessment = Static<typeof Assessment>;

const Tax = shape.named('Tax', {
  year: shape.wholeNumber(),
  amount: shape.nullable(shape.decimal({ description: 'Dollars.' })),
  rate: shape.nullable(shape.decimal({ description: 'Of the newest bill: tax over the stored value. 0.012 is 1.2%.' })),
  exemptions: shape.list(shape.text(100)),
  status: words(60),
  source: shape.text(80),
});
export type Tax = Static<typeof Tax>;

const Transaction = Type.Object(
  {
    object: shape.oneOf(['transaction']),
    id: shape.text(40),
    property_id: shape.text(40),
    type: shape.oneOf(['deed', 'mortgage', 'release', 'foreclosure', 'other']),
    document_type: words(),
    document_number: words(80),
    book: words(40),
    page: words(40),
    recording_date: shape.nullable(shape.isoDay()),
    sale_date: shape.nullable(shape.isoDay()),
    date_precision: shape.oneOf(['day', 'month', 'year']),
    price: whole(),
    arms_length: shape.nullable(Type.Boolean()),
    arms_length_reason: words(),
    market_price: shape.nullable(
      Type.Boolean({ description: 'false: left out of comparables, of models and of `last_sale`. null: not known.' }),
    ),
    market_price_reason: shape.nullable(shape.oneOf(MARKET_PRICE_REASONS)),
    market_price_note: words(500),
    buyers: Type.Optional(shape.list(shape.text(300))),
    sellers: Type.Optional(shape.list(shape.text(300))),
    lender: words(300),
    loan_amount: whole(),
    refers_to: shape.list(shape.text(60), {
      description: 'Other instruments this one names: document numbers, or `book/page`.',
    }),
    source: shape.text(80),
  },
  { title: 'Transaction', description: '`buyers` and `sellers` require the `owners:read` scope.' },
);
export type Transaction = Static<typeof Transaction>;

export const Parcel = shape.named('Parcel', {
  lot_sqft: whole(),
  lot_acres: shape.nullable(shape.decimal()),
  zoning: words(),
  land_use_code: words(80),
  land_use: words(),
  legal_description: words(2_000),
  subdivision: words(),
  neighborhood: words(),
  census_tract: words(11),
});
export type Parcel = Static<typeof Parcel>;

export const Structure = shape.named('Structure', {
  year_built: whole(),
  effective_year_built: whole(),
  stories: shape.nullable(shape.decimal()),
  units: whole(),
  rooms: whole(),
  baths_full: whole(),
  baths_half: whole(),
  garage_spaces: whole(),
  pool: shape.nullable(Type.Boolean()),
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

const LastSale = shape.named('LastSale', { date: shape.isoDay(), price: whole(), transaction_id: words(40) });

const StoredValuation = Type.Object(
  {
    estimated_value: shape.wholeNumber({ minimum: 0 }),
    low: whole(),
    high: whole(),
    fsd: shape.nullable(shape.decimal()),
    model_version: words(80),
    valued_on: shape.nullable(shape.isoDay()),
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
    owned_since: shape.nullable(shape.isoDay()),
    years_owned: shape.nullable(shape.decimal({ minimum: 0 })),
    occupancy: Type.Optional(shape.nullable(shape.oneOf(OCCUPANCIES))),
    vesting: Type.Optional(shape.nullable(shape.oneOf(VESTINGS))),
    foreclosure_stage: shape.nullable(shape.oneOf(FORECLOSURE_STAGES)),
    foreclosure_on: shape.nullable(shape.isoDay({ description: 'Of the last notice on record.' })),
    foreclosure_ended_on: shape.nullable(shape.isoDay()),
    tax_delinquency: shape.nullable(shape.oneOf(TAX_STAGES)),
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

const share = () => shape.nullable(shape.decimal({ minimum: 0 }));
const dollars = () => shape.nullable(shape.wholeNumber());
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
    free_and_clear: shape.nullable(
      Type.Boolean({ description: 'true only where mortgages, liens and tax liens are covered and none is open.' }),
    ),
    reason: shape.nullable(shape.oneOf(EQUITY_REASONS, { description: 'Why there is no figure.' })),
  },
  {
    title: 'Equity',
    description:
      'The stored value less the estimated balance of the open loans. The ends join the 80% interval of the value with what ' +
      'is not known of the balance: from a fifteen-year loan to one of which nothing was repaid.',
  },
);

export type Equity = Static<typeof Equity>;

/** The stored form with a property; occupancy may be known for any of them. */
export type EquityColumns = Omit<Equity, 'reason'> & { equity_reason: Equity['reason'] };
export type TenureColumns = Required<Omit<Static<typeof Tenure>, 'years_owned'>> & EquityColumns;

const RiskSummary = Type.Object(LAYER_COLUMNS, {
  title: 'RiskSummary',
  description: '`null` if the layer is not covered; `0` or `false` if it is covered and nothing was found.',
});

const FieldProvenance = shape.named('FieldProvenance', {
  source: shape.text(80),
  known_on: shape.nullable(shape.isoDay()),
  others: shape.list(Type.Object({ source: shape.text(80), value: Type.Unknown() }), {
    description: 'Values that were not chosen.',
  }),
});

const Provenance = shape.named('Provenance', {
  default_source: words(80),
  loaded_at: shape.instant(),
  fields: Type.Record(Type.String({ maxLength: 60 }), FieldProvenance),
  sources: Type.Record(
    Type.String({ maxLength: 80 }),
    Type.Object({ name: shape.text(300), url: words(500), licence: shape.text(300), attribution: shape.text(500) }),
  ),
});

const ParcelGeometry = Type.Object(
  {
    type: shape.oneOf(['Polygon', 'MultiPolygon']),
    coordinates: Type.Unsafe<unknown[]>({ type: 'array', items: {}, maxItems: 100_000 }),
  },
  {
    title: 'ParcelGeometry',
    description: 'The outline of the parcel as GeoJSON, in degrees. A unit has the outline of its lot.',
  },
);

const Relative = Type.Object(
  {
    id: shape.text(40),
    apn: shape.text(80),
    kind: shape.oneOf(['merged', 'split', 'renumbered']),
    happened_on: shape.isoDay(),
    geometry: Type.Optional(shape.nullable(ParcelGeometry)),
  },
  { title: 'RelatedParcel', description: '`geometry` is its last known outline, with `include=lineage,geometry`.' },
);

const Lineage = Type.Object(
  { predecessors: shape.list(Relative), successors: shape.list(Relative) },
  { title: 'Lineage', description: 'Parcels that this one was made from, and parcels that it became.' },
);

export const Property = shape.named('Property', {
  object: shape.oneOf(['property']),
  id: shape.text(40, { examples: ['prop_r5pv00000000000000000'] }),
  identifiers: Type.Optional(Identifiers),
  address: Type.Optional(Address),
  latitude: Type.Optional(shape.nullable(shape.latitude())),
  longitude: Type.Optional(shape.nullable(shape.longitude())),
  geo_precision: Type.Optional(words(40)),
  property_type: Type.Optional(shape.oneOf(PROPERTY_TYPES)),
  sqft: Type.Optional(whole()),
  bedrooms: Type.Optional(whole()),
  bathrooms: Type.Optional(shape.nullable(shape.decimal({ minimum: 0 }))),
  parcel: Type.Optional(Parcel),
  structure: Type.Optional(Structure),
  owner: Type.Optional(shape.nullable(Owner)),
  assessments: Type.Optional(shape.list(Assessment)),
  taxes: Type.Optional(shape.list(Tax)),
  transactions: Type.Optional(shape.list(Transaction)),
  last_sale: Type.Optional(shape.nullable(LastSale)),
  valuation: Type.Optional(shape.nullable(StoredValuation)),
  tenure: Type.Optional(Tenure),
  equity: Type.Optional(Equity),
  risk_summary: Type.Optional(RiskSummary),
  risk: Type.Optional(Type.Unknown({ description: 'The risk report, with `include=risk`.' })),
  provenance: Type.Optional(Provenance),
  geometry: Type.Optional(shape.nullable(ParcelGeometry)),
  lineage: Type.Optional(Lineage),
  distance_miles: Type.Optional(shape.decimal({ minimum: 0, description: 'In searches around a point.' })),
  status: Type.Optional(shape.oneOf(['active', 'retired'])),
  updated_at: Type.Optional(shape.instant()),
});
export type Property = Static<typeof Property>;

export const PropertyFields = Object.keys(Property.properties) as (keyof Property)[];

export const Change = shape.named('Change', {
  object: shape.oneOf(['change']),
  id: shape.text(60),
  property_id: shape.text(40),
  type: shape.text(60, { examples: ['property.updated'] }),
  op: shape.oneOf(['insert', 'update', 'retire']),
  changed_fields: shape.list(shape.text(60)),
  before: Type.Unknown(),
  after: Type.Unknown(),
  occurred_at: shape.instant(),
});

export const PropertyCount = shape.named('PropertyCount', {
  object: shape.oneOf(['count']),
  count: shape.wholeNumber({ minimum: 0 }),
  is_exact: Type.Boolean({ description: 'false: rounded down; 0 then means fewer than 10.' }),
  widened: Type.Array(shape.text(40), {
    maxItems: 40,
    description: 'The ends of ranges that were moved to the edge of a band.',
  }),
});

export const PropertyPage = shape.page('PropertyPage', Property);
export const TransactionPage = shape.page('TransactionPage', Transaction);
export const AssessmentPage = shape.page('AssessmentPage', Assessment);
export const ChangePage = shape.page('ChangePage', Change);
