// The shapes of comparables with their adjustments, and of the rules that chose them.
import Type, { type Static } from 'typebox';
import * as shape from '../../../base/lib/schema.ts';

const optional = Type.Optional;
const whole = () => shape.nullable(shape.wholeNumber({ minimum: 0 }));
const number = () => shape.nullable(shape.decimal());

const RULES = ['same_property_type', 'max_distance_miles', 'max_age_days', 'max_area_difference'] as const;
const Rules = Type.Object({
  same_property_type: Type.Boolean(),
  max_distance_miles: shape.decimal({ minimum: 0 }),
  max_age_days: shape.wholeNumber({ minimum: 0, description: 'Days from the sale to the day of the valuation.' }),
  max_area_difference: shape.nullable(
    shape.decimal({ minimum: 0, description: 'Of the living area, as a share. Null: any difference.' }),
  ),
});

export const ComparablesBasis = Type.Object(
  {
    rules: Rules,
    applied: Rules,
    widened: shape.list(shape.oneOf(RULES, { description: 'A rule that at least one comparable does not meet.' })),
  },
  {
    title: 'ComparablesBasis',
    description: 'The rules hold wherever five sales meet them. Where not, `applied` has what they were widened to.',
  },
);
export type ComparablesBasis = Static<typeof ComparablesBasis>;

export const Comparable = shape.named('Comparable', {
  property_id: shape.text(120),
  address: shape.nullable(shape.text(300)),
  latitude: optional(shape.nullable(shape.latitude())),
  longitude: optional(shape.nullable(shape.longitude())),
  sale_price: shape.wholeNumber(),
  sale_date: shape.isoDay(),
  distance_miles: shape.decimal(),
  similarity: shape.decimal({ minimum: 0, maximum: 1 }),
  weight: shape.decimal({ minimum: 0, maximum: 1, description: 'Share of the indicated value. The weights sum to 1.' }),
  sqft: number(),
  bedrooms: number(),
  bathrooms: number(),
  lot_sqft: number(),
  year_built: whole(),
  price_per_sqft: number(),
  adjustments: shape.list(
    Type.Object({
      feature: shape.text(60),
      subject: shape.nullable(shape.text(200)),
      comparable: shape.nullable(shape.text(200)),
      amount: shape.wholeNumber({ description: 'Dollars added to the sale price for this difference.' }),
    }),
  ),
  adjusted_price: shape.wholeNumber({ description: '`sale_price` plus all adjustments, to the dollar.' }),
  net_adjustment_rate: shape.decimal({ description: 'Sum of the adjustments as a share of `sale_price`.' }),
  gross_adjustment_rate: shape.decimal({
    minimum: 0,
    description: 'Sum of the adjustments without their signs as a share of `sale_price`.',
  }),
  exceeds: shape.list(shape.oneOf(RULES, { description: 'A rule for comparables that this sale does not meet.' })),
});
export type Comparable = Static<typeof Comparable>;

export const Explanation = Type.Object({
  summary: shape.text(2000),
  /** From the comparables to the estimate. */
  reconciliation: Type.Object({
    comparables_indicated_value: shape.nullable(shape.wholeNumber()),
    model_adjustment: shape.wholeNumber(),
    estimated_value: shape.wholeNumber(),
  }),
  /** From the market's typical home to the estimate. */
  contributions: shape.list(Type.Object({ label: shape.text(60), amount: shape.wholeNumber() })),
});
export type Explanation = Static<typeof Explanation>;
