// Shapes of the market analysis.
import Type, { type Static } from 'typebox';
import {
  decimal,
  instant,
  isoDay,
  list,
  named,
  nullable,
  oneOf,
  strict,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';
import { PROPERTY_TYPES } from '../../records/properties/schema.ts';
import { KINDS, LEAST_SALES, STEPS } from './cells.ts';
import { RESIDENTIAL, SEGMENTS } from './segments.ts';

export const SERIES_TYPES = [RESIDENTIAL, ...PROPERTY_TYPES] as const;

/** Parameters that select an area and its homes, the same for every figure. */
export const areaParameters = {
  kind: oneOf(KINDS, { description: 'What the area is.', examples: ['zip'] }),
  area: text(200, {
    minLength: 1,
    description:
      'The area: a market id, a five-digit county FIPS code, a city, a ZIP code, an eleven-digit tract GEOID or a neighborhood.',
    examples: ['00103'],
  }),
  market: Type.Optional(
    text(60, { minLength: 1, description: 'Only needed where an area of this name lies in several markets.' }),
  ),
  property_type: Type.Optional(
    oneOf(SERIES_TYPES, {
      description: `One type, or \`${RESIDENTIAL}\`: single-family, condo, townhouse, multi-family and manufactured together.`,
      default: RESIDENTIAL,
    }),
  ),
};

/** A single area, such as one to share or subscribe to. */
export const AreaKey = strict({ kind: areaParameters.kind, area: areaParameters.area, market: areaParameters.market });
export type AreaKey = Static<typeof AreaKey>;

/** Parameters that select periods. */
export const periodParameters = {
  interval: Type.Optional(oneOf(STEPS, { description: 'Length of a period.', default: 'month' })),
  since: Type.Optional(isoDay({ description: 'From the period that holds this day on.' })),
  until: Type.Optional(isoDay({ description: 'Up to the period that holds this day.' })),
};

const count = (description: string) => wholeNumber({ minimum: 0, description });
const dollars = (description: string) => nullable(wholeNumber({ minimum: 0, description }));
const share = (description: string) => nullable(decimal({ description }));
const perSqft = (description: string) => nullable(decimal({ minimum: 0, description }));

export const AreaName = Type.Object({ kind: oneOf(KINDS), id: text(200), name: text(200), market: text(60) });
export const SourceName = Type.Object({
  id: text(80),
  name: text(300),
  publisher: text(300),
  url: nullable(text(500)),
  licence: text(300),
  attribution: text(500),
});

export const CoverageChange = named('CoverageChange', {
  on: isoDay({ description: 'First day of the period with the change.' }),
  kind: oneOf(['began', 'ended']),
  share: decimal({ description: 'Of the usual sales of the area.' }),
  sources: list(text(80), { description: 'Ids of sources whose records of sales begin or end about then.' }),
});

export const SeriesPoint = named('SalesSeriesPoint', {
  period: text(7, { description: '`2026-03`, `2026-Q1` or `2026`.', examples: ['2026-03'] }),
  starts_on: isoDay(),
  ends_on: isoDay(),
  n: count('Sales in the period.'),
  withheld: Type.Boolean({ description: `Fewer than ${LEAST_SALES} sales, or an \`unplaced_share\`: no figures.` }),
  unplaced_share: share('Of the sales around, those whose ZIP code or tract is not on record; null up to a fifth.'),
  median_price: dollars('Median price.'),
  price_p25: dollars('A quarter of the sales were below this price.'),
  price_p75: dollars('A quarter of the sales were above this price.'),
  n_with_sqft: count('Sales whose living area is known.'),
  median_price_per_sqft: perSqft(
    `Median price per square foot of living area; null where fewer than ${LEAST_SALES} sales have one on record.`,
  ),
  price_per_sqft_p25: perSqft('A quarter of the sales were below this.'),
  price_per_sqft_p75: perSqft('A quarter of the sales were above this.'),
  price_growth_1y: share('Change of the median price since the same period a year before; 0.05 is 5% up.'),
  price_growth_3y: share('The same since three years before, in all.'),
  price_growth_5y: share('The same since five years before, in all.'),
  price_per_sqft_growth_1y: share('Change of the median price per square foot since a year before.'),
  price_per_sqft_growth_3y: share('The same since three years before, in all.'),
  price_per_sqft_growth_5y: share('The same since five years before, in all.'),
  growth_bases: list(
    named('GrowthBase', {
      years: wholeNumber({ minimum: 1 }),
      n: count('Sales in the period that growth over these years starts from.'),
      n_with_sqft: count('Those of them whose living area is known.'),
      coverage_changed: nullable(
        Type.Object(
          {
            lost: decimal({ description: 'Share of the usual sales then that is no longer on record.' }),
            gained: decimal(),
            common: nullable(
              Type.Object(
                { n: count('In this period.'), base_n: count('In the earlier one.') },
                { description: 'Sales of what both periods cover; null where they are too few.' },
              ),
            ),
          },
          {
            description:
              'The two periods cover different places or types of homes: growth is that of what both cover, or withheld.',
          },
        ),
      ),
    }),
    { description: 'What growth over one, three and five years rests on.' },
  ),
  dispersion: share(
    'How far prices per square foot lie apart: the quartiles’ difference over their sum. 0 if all were equal.',
  ),
  turnover: share(
    'Sales over the homes of the area as they stand today. Null where only homes that sold are on record.',
  ),
  n_with_assessment: count('Sales of homes with an assessment of the year of the sale or one of the two before.'),
  price_to_assessment: share('Median of price over assessment.'),
  price_to_assessment_dispersion: share('Mean distance from that median, as a share of it.'),
  n_traced: count('Sales before which a whole year of sales is on record.'),
  resale_share: share('Share of them that followed another sale of the home within a year.'),
  is_open: Type.Boolean({
    description: 'No later sale of the market is known yet: more sales of the period may come.',
  }),
  late_sales: count('Sales that arrived after the figures of the period were first published in full.'),
  revised_on: nullable(isoDay({ description: 'When the published figures of the period last changed.' })),
  sources: list(text(80), { description: 'Ids of the sources of the sales, described in `sources` of the series.' }),
});

/** The kind of a polygon or filter. */
export const CUSTOM = 'custom';

export const SalesSeries = named('SalesSeries', {
  object: oneOf(['sales_series']),
  area: Type.Object({
    kind: oneOf([...KINDS, CUSTOM], { description: `\`${CUSTOM}\` for a polygon or a filter.` }),
    id: text(200),
    name: text(200),
    market: nullable(text(60, { description: 'Null for a polygon or a filter over several markets.' })),
  }),
  property_type: oneOf(SERIES_TYPES),
  segment: nullable(oneOf(SEGMENTS)),
  homes: nullable(count('Homes of the area, type and segment as they stand today; turnover is of these.')),
  interval: oneOf(STEPS),
  starts_on: nullable(isoDay({ description: 'First day of the first period; null without sales.' })),
  ends_on: nullable(isoDay({ description: 'Last day of the last period.' })),
  n: count('Sales in all periods returned.'),
  updated_at: instant({ description: 'When the statistics of the market were last brought up to date.' }),
  coverage_changes: list(CoverageChange, {
    description:
      'Where sources began or ended in a part of the area: figures before and after are of different places.',
  }),
  sources: list(SourceName),
  data: list(SeriesPoint, { description: 'Every period from the first to the last, those without sales included.' }),
});

export type SalesSeries = Static<typeof SalesSeries>;
export type SeriesPoint = Static<typeof SeriesPoint>;
