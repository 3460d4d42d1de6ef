// The shape of a portfolio: a watchlist with the joint value of its homes.
import Type, { type Static } from 'typebox';
import { decimal, isoDay, list, named, nullable, oneOf, strict, text, wholeNumber } from '../../base/lib/schema.ts';

const whole = (options: object = {}) => wholeNumber({ minimum: 0, ...options });
const share = (description?: string) => decimal({ minimum: 0, maximum: 1, ...(description && { description }) });

export const PortfolioQuery = strict({
  since: Type.Optional(isoDay({ description: 'Compare with this day. Default: 30 days ago.' })),
  interval_level: Type.Optional(
    Type.Number({ minimum: 0.5, maximum: 0.95, default: 0.8, description: 'Of the joint interval.' }),
  ),
});

const Holdings = { property_count: whole(), value: whole(), share: share('Of the total value.') };

const Area = named('PortfolioArea', { kind: oneOf(['state', 'market', 'city', 'zip']), name: text(120), ...Holdings });
const TypeHoldings = named('PortfolioType', { property_type: text(40), ...Holdings });

const RiskExposure = Type.Object(
  {
    layer: text(60),
    title: text(500),
    ...Holdings,
    not_known_count: whole({
      description:
        'Properties where no source covers the layer or it does not say what is open; not counted as free of it.',
    }),
  },
  {
    title: 'PortfolioRisk',
    description:
      'Properties in a flood hazard area or zone, with an open lien or violation, or where a layer loaded by recipe reads `bad`.',
  },
);

const Mover = named('PortfolioMover', {
  property_id: text(40),
  value_then: whole(),
  value_now: whole(),
  change: decimal(),
});

export const Portfolio = named('Portfolio', {
  object: oneOf(['portfolio']),
  watchlist_id: text(40),
  name: text(100),
  as_of: isoDay(),
  property_count: whole(),
  valued_count: whole(),
  total: nullable(
    named('PortfolioTotal', {
      value: whole({ description: 'Sum of the stored values.' }),
      low: whole(),
      high: whole(),
      interval_level: decimal(),
      sum_of_lows: whole({ description: 'For comparison: the sum of each home’s low end, at 80%.' }),
      sum_of_highs: whole(),
      error_shares: Type.Object(
        { market: share(), neighborhood: share(), own: share() },
        {
          title: 'ErrorShares',
          description: 'How much of the variance is the level of the markets, the neighborhoods, and each home’s own.',
        },
      ),
      valued_from: isoDay(),
      valued_to: isoDay(),
    }),
  ),
  unvalued: list(Type.Object({ property_id: text(40), reason: oneOf(['not_valued', 'retired', 'not_visible']) }), {
    description: 'At most 100 of the properties without a stored value.',
  }),
  exposure: Type.Object({
    areas: list(Area, { description: 'By state, market, city and ZIP; at most 50 of each, largest first.' }),
    property_types: list(TypeHoldings),
    risk: list(RiskExposure),
  }),
  since: named('PortfolioSince', {
    day: isoDay(),
    value_then: nullable(whole({ description: 'Of the properties that had a value then and have one now.' })),
    value_now: nullable(whole()),
    change: nullable(decimal({ description: 'Share: 0.02 is up 2%.' })),
    changes: list(Type.Object({ type: text(60), changes: whole(), properties: whole() })),
    largest_moves: list(Mover),
  }),
  alerts: Type.Object(
    {
      total_change_percent: nullable(decimal()),
      last_told_value: nullable(whole()),
      events: list(text(60)),
    },
    { title: 'PortfolioAlerts', description: 'What the watchlist reports by itself, through events and webhooks.' },
  ),
});
export type Portfolio = Static<typeof Portfolio>;
