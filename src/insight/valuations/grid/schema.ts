// The shapes of comparables: each with its adjustments, and the rules they were chosen by.
import Type, { type Static } from 'typebox';
import {
  decimal,
  isoDay,
  latitude,
  list,
  longitude,
  named,
  nullable,
  oneOf,
  text,
  wholeNumber,
} from '../../../base/lib/schema.ts';

const optional = Type.Optional;
const whole = () => nullable(wholeNumber({ minimum: 0 }));
const number = () => nullable(decimal());

const RULES = ['same_property_type', 'max_distance_miles', 'max_age_days', 'max_area_difference'] as const;
const Rules = Type.Object({
  same_property_type: Type.Boolean(),
  max_distance_miles: decimal({ minimum: 0 }),
  max_age_days: wholeNumber({ minimum: 0, description: 'Days from the sale to the day of the valuation.' }),
  max_area_difference: nullable(
    decimal({ minimum: 0, description: 'Of the living area, as a share. Null: any difference.' }),
  ),
});

export const ComparablesBasis = Type.Object(
  {
    rules: Rules,
    applied: Rules,
    widened: list(oneOf(RULES, { description: 'A rule that at least one comparable does not meet.' })),
  },
  {
    title: 'ComparablesBasis',
    description: 'The rules hold wherever five sales meet them. Where not, `applied` has what they were widened to.',
  },
);
export type ComparablesBasis = Static<typeof ComparablesBasis>;

export const Comparable = named('Comparable', {
  property_id: text(120),
  address: nullable(text(300)),
  latitude: optional(nullable(latitude())),
  longitude: optional(nullable(longitude())),
  sale_price: wholeNumber(),
  sale_date: isoDay(),
  distance_miles: decimal(),
  similarity: decimal({ minimum: 0, maximum: 1 }),
  weight: decimal({ minimum: 0, maximum: 1, description: 'Share of the indicated value. The weights sum to 1.' }),
  sqft: number(),
  bedrooms: number(),
  bathrooms: number(),
  lot_sqft: number(),
  year_built: whole(),
  price_per_sqft: number(),
  adjustments: list(
    Type.Object({
      feature: text(60),
      subject: nullable(text(200)),
      comparable: nullable(text(200)),
      amount: wholeNumber({ description: 'Dollars added to the sale price for this difference.' }),
    }),
  ),
  adjusted_price: wholeNumber({ description: '`sale_price` plus all adjustments, to the dollar.' }),
  net_adjustment_rate: decimal({ description: 'Sum of the adjustments as a share of `sale_price`.' }),
  gross_adjustment_rate: decimal({
    minimum: 0,
    description: 'Sum of the adjustments without their signs as a share of `sale_price`.',
  }),
  exceeds: list(oneOf(RULES, { description: 'A rule for comparables that this sale does not meet.' })),
});
export type Comparable = Static<typeof Comparable>;

export const Explanation = Type.Object({
  summary: text(2000),
  /** From the comparables to the estimate. */
  reconciliation: Type.Object({
    comparables_indicated_value: nullable(wholeNumber()),
    model_adjustment: wholeNumber(),
    estimated_value: wholeNumber(),
  }),
  /** From the market's typical home to the estimate. */
  contributions: list(Type.Object({ label: text(60), amount: wholeNumber() })),
});
export type Explanation = Static<typeof Explanation>;
