// HTTP routes for market analysis.
import Type from 'typebox';
import type { Deps } from '../deps.ts';
import type { App } from '../http/types.ts';
import { isoDay, oneOf, text } from '../lib/schema.ts';
import { readSeries } from './analytics.ts';
import { KINDS, LEAST_SALES, RESIDENTIAL, STEPS } from './cells.ts';
import { SalesSeries, SERIES_TYPES } from './schema.ts';

export function analyticsRoutes(app: App, deps: Deps): void {
  app.get(
    '/analytics/series',
    {
      config: { scope: 'properties:read', meter: 'standard', errors: ['resource_not_found'], mayLag: true },
      schema: {
        operationId: 'get_sales_series',
        summary: 'Get sales, prices and prices per square foot of an area over time',
        tags: ['analytics'],
        description:
          'Arm’s-length sales by month, quarter or year. Every figure comes with its number of sales, its period and its ' +
          `sources. The figures of periods with fewer than ${LEAST_SALES} sales are withheld.`,
        querystring: Type.Object(
          {
            kind: oneOf(KINDS, { description: 'What the area is.', examples: ['zip'] }),
            area: text(200, {
              minLength: 1,
              description:
                'The area: a market id, a five-digit county FIPS code, a city, a ZIP code, an eleven-digit tract GEOID or a neighborhood.',
              examples: ['00103'],
            }),
            market: Type.Optional(
              text(60, {
                minLength: 1,
                description: 'Only needed where an area of this name lies in several markets.',
              }),
            ),
            interval: Type.Optional(oneOf(STEPS, { description: 'Length of a period.', default: 'month' })),
            property_type: Type.Optional(
              oneOf(SERIES_TYPES, {
                description: `One type, or \`${RESIDENTIAL}\`: single-family, condo, townhouse, multi-family and manufactured together.`,
                default: RESIDENTIAL,
              }),
            ),
            since: Type.Optional(isoDay({ description: 'From the period that holds this day on.' })),
            until: Type.Optional(isoDay({ description: 'Up to the period that holds this day.' })),
          },
          { additionalProperties: false },
        ),
        response: { 200: SalesSeries },
      },
    },
    ({ query, caller }) => {
      const { interval = 'month', property_type = RESIDENTIAL, ...rest } = query;
      return readSeries(deps, caller.key.mode, { ...rest, interval, property_type });
    },
  );
}
