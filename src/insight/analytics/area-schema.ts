// Shapes of area summaries and rankings.
import Type, { type Static } from 'typebox';
import {
  decimal,
  instant,
  isoDay,
  list,
  named,
  nullable,
  oneOf,
  Pagination,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';
import { KINDS } from './cells.ts';
import { FIGURES, RANKED_STEPS } from './ranks.ts';
import { SERIES_TYPES, SourceName } from './schema.ts';
import { SEGMENTS } from './segments.ts';

const count = (description: string) => wholeNumber({ minimum: 0, description });
const figure = (description: string) => nullable(decimal({ description }));

const Center = nullable(
  Type.Object(
    { latitude: decimal(), longitude: decimal() },
    { description: 'The middle of its homes; null where none is located.' },
  ),
);

const Area = named('Area', {
  kind: oneOf(KINDS),
  id: text(200),
  name: text(200),
  market: text(60),
  center: Center,
});

const evidence = {
  as_of: nullable(isoDay({ description: 'How far the records reach.' })),
  sources: list(text(80), { description: 'Ids, described in `sources` of the summary.' }),
};

const spread = {
  n: count('Homes whose figure is known.'),
  p25: figure('A quarter of the homes are below this.'),
  median: figure('Null for fewer than five homes.'),
  p75: figure('A quarter of the homes are above this.'),
};
const Spread = Type.Object(spread);

const Classes = list(Type.Object({ segment: oneOf(SEGMENTS), n: count('Homes.') }));

const layer = (what: string, records: string) =>
  nullable(
    Type.Object({
      n: count('Homes that the records cover.'),
      homes_unknown: count('Those of them with records whose status is not published.'),
      records: nullable(count(`${records} Null while \`homes_unknown\` is not 0, as are \`homes\` and \`share\`.`)),
      homes: nullable(count(`Homes with ${what}.`)),
      share: figure(`Share of the covered homes with ${what}.`),
      by_year: list(Type.Object({ year: wholeNumber(), n: count('Records of the year.') }), {
        description: 'The last ten years with records.',
      }),
      ...evidence,
    }),
  );

export const AreaSummary = named('AreaSummary', {
  object: oneOf(['area_summary']),
  area: Area,
  bbox: nullable(
    Type.Array(decimal(), {
      minItems: 4,
      maxItems: 4,
      description: 'minLng, minLat, maxLng, maxLat of its homes, without the outermost hundredths.',
    }),
  ),
  updated_at: instant({ description: 'When the figures of the market were last brought up to date.' }),
  stock: Type.Object({
    properties: count('Properties of every type.'),
    homes: count('Residential homes: single-family, condo, townhouse, multi-family and manufactured.'),
    is_complete: Type.Boolean({ description: 'False where only homes that sold are on record.' }),
    by_type: list(Type.Object({ property_type: text(40), n: count('Properties.') })),
    bedrooms: Classes,
    sizes: Classes,
    eras: Classes,
    year_built: Spread,
    sqft: Spread,
    owner_occupied: Type.Object({
      n: count('Homes of which it is known.'),
      share: figure('Share whose owner lives there; null for fewer than 20 homes.'),
    }),
    ...evidence,
  }),
  values: Type.Object(
    {
      ...spread,
      p10: figure('A tenth of the homes are below this.'),
      p90: figure('A tenth of the homes are above this.'),
      histogram: list(
        Type.Object({
          from: wholeNumber(),
          to: nullable(wholeNumber({ description: 'Null for the last, which is open.' })),
          n: count('Homes from `from` to below `to`.'),
        }),
      ),
      as_of: nullable(isoDay({ description: 'The day of the valuations.' })),
      model: nullable(text(80, { description: 'The model version that valued the homes.' })),
    },
    { description: 'Estimated values of the homes as they stand.' },
  ),
  tax_rate: nullable(
    Type.Object(
      { ...spread, ...evidence },
      { description: 'Last property-tax bill over the estimated value, of homes with both: 0.012 is 1.2%.' },
    ),
  ),
  permits: layer('a permit on record', 'Permits on record.'),
  violations: layer('an open violation', 'Open violations. `by_year` counts all, by the day they were opened.'),
  liens: layer('an open tax lien', 'Open tax liens. `by_year` counts all, by the day they were filed.'),
  sources: list(SourceName),
});
export type AreaSummary = Static<typeof AreaSummary>;

export const Ranking = named('Ranking', {
  object: oneOf(['ranking']),
  kind: oneOf(KINDS),
  figure: oneOf(FIGURES),
  order: oneOf(['descending', 'ascending']),
  property_type: oneOf(SERIES_TYPES),
  interval: nullable(oneOf(RANKED_STEPS, { description: 'Null for figures of the homes as they stand.' })),
  period: nullable(text(7, { description: 'Null for figures of the homes as they stand.' })),
  starts_on: nullable(isoDay()),
  ends_on: nullable(isoDay()),
  within: Type.Object({
    markets: list(text(60)),
    county: nullable(text(5)),
    state: nullable(text(2)),
  }),
  updated_at: instant({
    description: 'When the figures were last brought up to date; the earliest, of several markets.',
  }),
  total: count('Areas ranked.'),
  data: list(
    named('RankedArea', {
      rank: wholeNumber({ minimum: 1 }),
      area: Area,
      homes: nullable(count('Residential homes of the area.')),
      n: count('Sales or homes behind the figure.'),
      base_n: nullable(count('Of growth: sales in the period that it starts from.')),
      value: decimal({ description: 'The figure.' }),
    }),
  ),
  withheld_total: count('Areas without the figure.'),
  withheld: list(
    Type.Object({
      area: Area,
      n: count('Sales or homes known.'),
      base_n: nullable(count('Of growth: sales in the period that it starts from.')),
      reason: oneOf(['few', 'not_known', 'coverage_changed'], {
        description:
          '`few`: fewer than the figure needs; growth needs 20 sales in either period. `not_known`: no records to compute ' +
          'it from. `coverage_changed`: the two periods cover different places or types of homes.',
      }),
    }),
    { description: 'Areas without the figure, those with the most records first, up to 500.' },
  ),
  pagination: Pagination,
  sources: list(SourceName),
});
export type Ranking = Static<typeof Ranking>;
