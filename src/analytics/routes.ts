// HTTP routes for market analysis.
import Type from 'typebox';
import type { Deps } from '../deps.ts';
import type { App } from '../http/types.ts';
import { readSeries } from './analytics.ts';
import { LEAST_SALES, RESIDENTIAL } from './cells.ts';
import { areaParameters, periodParameters, SalesSeries } from './schema.ts';

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
        querystring: Type.Object({ ...areaParameters, ...periodParameters }, { additionalProperties: false }),
        response: { 200: SalesSeries },
      },
    },
    ({ query, caller }) => {
      const { interval = 'month', property_type = RESIDENTIAL, ...rest } = query;
      return readSeries(deps, caller.key.mode, { ...rest, interval, property_type });
    },
  );
}
