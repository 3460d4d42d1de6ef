// Shapes of the price index.
import Type, { type Static } from 'typebox';
import { decimal, instant, isoDay, list, named, nullable, oneOf, text, wholeNumber } from '../../base/lib/schema.ts';
import { Benchmark } from './benchmark.ts';
import { STEPS } from './cells.ts';
import { LEAST_AREA_SALES } from './price-index.ts';
import { AreaName, CoverageChange, SERIES_TYPES, SourceName } from './schema.ts';

const count = (description: string) => wholeNumber({ minimum: 0, description });

/** The coverage of the band. */
export const BAND = 0.8;
/** The z-score of that band. */
export const BAND_DEVIATIONS = 1.2816;

export const IndexPoint = named('PriceIndexPoint', {
  period: text(7, { description: '`2026-03`, `2026-Q1` or `2026`.', examples: ['2026-03'] }),
  starts_on: isoDay(),
  ends_on: isoDay(),
  index: decimal({ minimum: 0, description: 'Price level of a home that stays the same; 100 in the base period.' }),
  low: decimal({ minimum: 0, description: 'Lower end of the band.' }),
  high: decimal({ minimum: 0, description: 'Upper end of the band.' }),
  n: count('Sales of the area in the period. The index also rests on those before, after and around.'),
  n_repeat: count('How many of them are of homes with an earlier sale on record.'),
  is_open: Type.Boolean({ description: 'No later sale of the market is known yet.' }),
  first_published: nullable(
    decimal({ minimum: 0, description: 'The index of the period when it was first published after its end.' }),
  ),
  is_revised: Type.Boolean({ description: 'The index differs from the one first published.' }),
});

const IndexGrowth = named('PriceIndexGrowth', {
  years: wholeNumber({ minimum: 1 }),
  from: text(7, { description: 'First month of the span.', examples: ['2025-03'] }),
  to: text(7, { description: 'Last month of the span.', examples: ['2026-03'] }),
  rate: decimal({ description: 'Growth over the whole span; 0.05 is 5%.' }),
  low: decimal({ description: 'Lower end of the band.' }),
  high: decimal({ description: 'Upper end of the band.' }),
  annual_rate: decimal({ description: 'The same as growth per year.' }),
});

const Resale = named('PriceIndexResales', {
  held_months_from: wholeNumber({ minimum: 0, description: 'Homes held for so many months or more.' }),
  held_months_to: nullable(wholeNumber({ minimum: 0, description: 'And for fewer than so many; null for any more.' })),
  n: count('Resales of the market that this rests on.'),
  gain: decimal({ description: 'What such a home gains above the index, in the middle; 0.03 is 3%.' }),
  low: decimal({ description: 'Lower end of the band of single resales.' }),
  high: decimal({ description: 'Upper end of the band of single resales.' }),
});

const reason = nullable(
  oneOf(['too_few_sales', 'not_homes', 'coverage_changed'], {
    description: `\`coverage_changed\`: most of the area is on record for less than two years, or not up to the last month of its market. \`too_few_sales\`: fewer than ${LEAST_AREA_SALES} sales of such homes in the area, or too few in its market. \`not_homes\`: only homes are adjusted for quality.`,
  }),
);

export const PriceIndex = named('PriceIndex', {
  object: oneOf(['price_index']),
  area: AreaName,
  property_type: oneOf(SERIES_TYPES),
  interval: oneOf(STEPS),
  withheld: Type.Boolean({ description: 'There is no index; `reason` says why.' }),
  reason,
  base_period: nullable(text(7, { description: 'The period that stands at 100.', examples: ['2020-01'] })),
  band: decimal({ description: 'How often the true level lies between `low` and `high`.', examples: [BAND] }),
  starts_on: nullable(isoDay({ description: 'First day of the first period.' })),
  ends_on: nullable(isoDay({ description: 'Last day of the last period.' })),
  n: count('Sales of the area in all periods returned.'),
  n_repeat: count('How many of them are of homes with an earlier sale on record.'),
  last_sale_on: nullable(isoDay({ description: 'The last sale of the market on record.' })),
  growth: list(IndexGrowth, {
    description: 'Over 1, 3 and 5 years up to the last month, where the index is as long.',
  }),
  resales: list(Resale, {
    description:
      'How prices of single homes depart from the index between two sales, by the time held: homes sold again soon have often been renovated.',
  }),
  benchmark: Type.Optional(nullable(Benchmark)),
  method: text(1_000, { description: 'How the index is made, in words.' }),
  updated_at: instant({ description: 'When the indexes of the market were last brought up to date.' }),
  coverage_changes: list(CoverageChange, {
    description:
      'Where parts of the area came on record or went off it. The index is of the last stretch with most of it.',
  }),
  sources: list(SourceName),
  data: list(IndexPoint),
});

const ForecastPoint = named('PriceForecastPoint', {
  period: text(7, { description: 'The month.', examples: ['2026-07'] }),
  starts_on: isoDay(),
  ends_on: isoDay(),
  index: decimal({ minimum: 0, description: 'Expected index of the month; 100 in the base month.' }),
  low: decimal({ minimum: 0, description: 'Lower end of the band.' }),
  high: decimal({ minimum: 0, description: 'Upper end of the band.' }),
  growth: decimal({ description: 'Expected growth since the last month of the index; 0.02 is 2%.' }),
  growth_low: decimal({ description: 'Lower end of the band.' }),
  growth_high: decimal({ description: 'Upper end of the band.' }),
});

export const PriceForecast = named('PriceForecast', {
  object: oneOf(['price_forecast']),
  area: AreaName,
  property_type: oneOf(SERIES_TYPES),
  withheld: Type.Boolean({ description: 'There is no forecast; `reason` says why.' }),
  reason,
  base_period: nullable(text(7, { description: 'The month that stands at 100.', examples: ['2020-01'] })),
  from: nullable(
    text(7, { description: 'The last month of the index, which is forecast from.', examples: ['2026-06'] }),
  ),
  index: nullable(decimal({ minimum: 0, description: 'The index of that month.' })),
  band: decimal({ description: 'How often the index comes to lie between `low` and `high`.', examples: [BAND] }),
  n: count('Sales of the area that its index rests on.'),
  last_sale_on: nullable(isoDay({ description: 'The last sale of the market on record.' })),
  method: text(1_000, { description: 'How the forecast is made, in words.' }),
  updated_at: instant({ description: 'When the forecasts of the market were last brought up to date.' }),
  coverage_changes: list(CoverageChange),
  sources: list(SourceName),
  data: list(ForecastPoint, { description: 'Month by month.' }),
});

export type PriceForecast = Static<typeof PriceForecast>;
export type PriceIndex = Static<typeof PriceIndex>;
export type IndexPoint = Static<typeof IndexPoint>;
