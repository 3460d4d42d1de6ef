// Shapes of area summaries and rankings.
import Type, { type Static } from 'typebox';
import * as shape from '../../base/lib/schema.ts';
import { KINDS } from './cells.ts';
import { FIGURES, RANKED_STEPS } from './ranks.ts';
import { SERIES_TYPES, SourceName } from './schema.ts';
import { SEGMENTS } from './segments.ts';

const count = (description: string) => shape.wholeNumber({ minimum: 0, description });
const figure = (description: string) => shape.nullable(shape.decimal({ description }));

const Center = shape.nullable(
  Type.Object(
    { latitude: shape.decimal(), longitude: shape.decimal() },
    { description: 'The middle of its homes; null where none is located.' },
  ),
);

const Area = shape.named('Area', {
  kind: shape.oneOf(KINDS),
  id: shape.text(200),
  name: shape.text(200),
  market: shape.text(60),
  center: Center,
});

const evidence = {
  as_of: shape.nullable(shape.isoDay({ description: 'How far the records reach.' })),
  sources: shape.list(shape.text(80), { description: 'Ids, described in `sources` of the summary.' }),
};

const spread = {
  n: count('Homes whose figure is known.'),
  p25: figure('A quarter of the homes are below this.'),
  median: figure('Null for fewer than five homes.'),
  p75: figure('A quarter of the homes are above this.'),
};
const Spread = Type.Object(spread);

const Classes = shape.list(Type.Object({ segment: shape.oneOf(SEGMENTS), n: count('Homes.') }));

const layer = (what: string, records: string) =>
  shape.nullable(
    Type.Object({
      n: count('Homes that the records cover.'),
      homes_unknown: count('Those of them with records whose status is not published.'),
      records: shape.nullable(
        count(`${records} Null while \`homes_unknown\` is not 0, as are \`homes\` and \`share\`.`),
      ),
      homes: shape.nullable(count(`Homes with ${what}.`)),
      share: figure(`Share of the covered homes with ${what}.`),
      by_year: shape.list(Type.Object({ year: shape.wholeNumber(), n: count('Records of the year.') }), {
        description: 'The last ten years with records.',
      }),
      ...evidence,
    }),
  );

export const AreaSummary = shape.named('AreaSummary', {
  object: shape.oneOf(['area_summary']),
  area: Area,
  bbox: shape.nullable(
    Type.Array(shape.decimal(), {
      minItems: 4,
      maxItems: 4,
      description: 'minLng, minLat, maxLng, maxLat of its homes, without the outermost hundredths.',
    }),
  ),
  updated_at: shape.instant({ description: 'When the figures of the market were last brought up to date.' }),
  stock: Type.Object({
    properties: count('Properties of every type.'),
    homes: count('Residential homes: single-family, condo, townhouse, multi-family and manufactured.'),
    is_complete: Type.Boolean({ description: 'False where only homes that sold are on record.' }),
    by_type: shape.list(Type.Object({ property_type: shape.text(40), n: count('Properties.') })),
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
      histogram: shape.list(
        Type.Object({
          from: shape.wholeNumber(),
          to: shape.nullable(shape.wholeNumber({ description: 'Null for the last, which is open.' })),
          n: count('Homes from `from` to below `to`.'),
        }),
      ),
      as_of: shape.nullable(shape.isoDay({ description: 'The day of the valuations.' })),
      model: shape.nullable(shape.text(80, { description: 'The model version that valued the homes.' })),
    },
    { description: 'Estimated values of the homes as they stand.' },
  ),
  tax_rate: shape.nullable(
    Type.Object(
      { ...spread, ...evidence },
      { description: 'Last property-tax bill over the estimated value, of homes with both: 0.012 is 1.2%.' },
    ),
  ),
  permits: layer('a permit on record', 'Permits on record.'),
  violations: layer('an open violation', 'Open violations. `by_year` counts all, by the day they were opened.'),
  liens: layer('an open tax lien', 'Open tax liens. `by_year` counts all, by the day they were filed.'),
  sources: shape.list(SourceName),
});
export type AreaSummary = Static<typeof AreaSummary>;

export const Ranking = shape.named('Ranking', {
  object: shape.oneOf(['ranking']),
  kind: shape.oneOf(KINDS),
  figure: shape.oneOf(FIGURES),
  order: shape.oneOf(['descending', 'ascending']),
  property_type: shape.oneOf(SERIES_TYPES),
  interval: shape.nullable(shape.oneOf(RANKED_STEPS, { description: 'Null for figures of the homes as they stand.' })),
  period: shape.nullable(shape.text(7, { description: 'Null for figures of the homes as they stand.' })),
  starts_on: shape.nullable(shape.isoDay()),
  ends_on: shape.nullable(shape.isoDay()),
  within: Type.Object({
    markets: shape.list(shape.text(60)),
    county: shape.nullable(shape.text(5)),
    state: shape.nullable(shape.text(2)),
  }),
  updated_at: shape.instant({
    description: 'When the figures were last brought up to date; the earliest, of several markets.',
  }),
  total: count('Areas ranked.'),
  data: shape.list(
    shape.named('RankedArea', {
      rank: shape.wholeNumber({ minimum: 1 }),
      area: Area,
      homes: shape.nullable(count('Residential homes of the area.')),
      n: count('Sales or homes behind the figure.'),
      base_n: shape.nullable(count('Of growth: sales in the period that it starts from.')),
      value: shape.decimal({ description: 'The figure.' }),
    }),
  ),
  withheld_total: count('Areas without the figure.'),
  withheld: shape.list(
    Type.Object({
      area: Area,
      n: count('Sales or homes known.'),
      base_n: shape.nullable(count('Of growth: sales in the period that it starts from.')),
      reason: shape.oneOf(['few', 'not_known', 'coverage_changed'], {
        description:
          '`few`: fewer than the figure needs; growth needs 20 sales in either period. `not_known`: no records to compute ' +
          'it from. `coverage_changed`: the two periods cover different places or types of homes.',
      }),
    }),
    { description: 'Areas without the figure, those with the most records first, up to 500.' },
  ),
  pagination: shape.Pagination,
  sources: shape.list(SourceName),
});
export type Ranking = Static<typeof Ranking>;
