// Shapes for markets and coverage.
import Type, { type Static } from 'typebox';
import { instant, isoDay, list, named, nullable, oneOf, page, text, wholeNumber } from '../../base/lib/schema.ts';

import { FindingSummary } from '../../supply/examination/finding.ts';

const words = (maxLength = 200) => nullable(text(maxLength));

export const Market = named('Market', {
  object: oneOf(['market']),
  id: text(60),
  name: text(200),
  state: text(2),
  description: text(2_000),
  counties: list(Type.Object({ fips: text(5), name: text(100) })),
  property_count: wholeNumber({ minimum: 0 }),
  counts_by_type: Type.Record(Type.String({ maxLength: 40 }), wholeNumber({ minimum: 0 })),
  layers: list(text(40), { description: 'Layers with at least one source.' }),
  is_mapped: Type.Boolean({
    description: 'Whether its records have coordinates. Homes of other markets are found by address or parcel number.',
  }),
  sales_through: nullable(
    isoDay({ description: 'The day up to which sales are known; values rest on none after it.' }),
  ),
});
export const MarketPage = page('MarketPage', Market);

const Source = Type.Object({
  id: text(80),
  name: text(300),
  publisher: text(300),
  url: words(500),
  licence: text(300),
  attribution: text(500),
  cadence: words(100),
});
export type Source = Static<typeof Source>;

export const TiedDocuments = nullable(
  Type.Object(
    { recorded: wholeNumber({ minimum: 0 }), tied: wholeNumber({ minimum: 0 }) },
    {
      title: 'TiedDocuments',
      description:
        'Of the deeds (`transactions`) or mortgages here that do not name a parcel: how many are recorded, and how ' +
        'many of them are tied to one. Null where every document names its parcel.',
    },
  ),
);

export const CoverageItem = named('CoverageItem', {
  market: text(60),
  fips: text(5),
  layer: text(40),
  record_count: wholeNumber({ minimum: 0 }),
  covers_from: nullable(isoDay()),
  covers_to: nullable(isoDay()),
  published_on: nullable(isoDay()),
  documents: TiedDocuments,
  loaded_at: instant(),
  checked_at: nullable(
    instant({ description: 'When we last had what the publisher had: a load, or a look that found nothing new.' }),
  ),
  next_check_at: nullable(instant({ description: 'When we look again; null where nothing new is expected.' })),
  is_stale: Type.Boolean({ description: 'Two new editions should have come out since `checked_at`.' }),
  source: Source,
  findings: nullable(
    list(FindingSummary, {
      description:
        'What the examination of the load noticed. Empty where nothing was found, null for a layer that is not examined.',
    }),
  ),
});
export type CoverageItem = Static<typeof CoverageItem>;

export const Coverage = named('Coverage', {
  object: oneOf(['coverage']),
  property_count: wholeNumber({ minimum: 0 }),
  data: list(CoverageItem),
});

const FieldFill = Type.Object({
  field: text(60, { description: 'The member of a property, as in `structure.year_built`.' }),
  description: text(200),
  share: Type.Number({ minimum: 0, maximum: 1, description: 'Of the properties, how many state it.' }),
  stated_count: wholeNumber({ minimum: 0 }),
  source: nullable(text(80, { description: 'Where most of them have it from; `GET /coverage` describes it.' })),
  license: nullable(text(300)),
  newest_on: nullable(isoDay({ description: 'The newest day that its source covers, or on which it was published.' })),
});

const CountyFields = named('CountyFields', {
  object: oneOf(['county_fields']),
  fips: text(5),
  county: text(100),
  state: text(2),
  market: text(60),
  property_count: wholeNumber({ minimum: 0 }),
  fields: list(FieldFill, { description: 'Every field of the dictionary, those that nobody states with 0.' }),
});
export type CountyFields = Static<typeof CountyFields>;
export const CountyFieldsPage = page('CountyFieldsPage', CountyFields);
