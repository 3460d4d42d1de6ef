// HTTP routes for price indexes.
import Type from 'typebox';
import type { Deps } from '../deps.ts';
import type { App } from '../http/types.ts';
import { wholeNumber } from '../lib/schema.ts';
import { RESIDENTIAL } from './segments.ts';
import { readForecast, readIndex } from './index-answers.ts';
import { PriceForecast, PriceIndex } from './index-schema.ts';
import { MONTHS_AHEAD } from './index/forecast.ts';
import { LEAST_AREA_SALES } from './price-index.ts';
import { areaParameters, periodParameters } from './schema.ts';

export function indexRoutes(app: App, deps: Deps): void {
  app.get(
    '/analytics/index',
    {
      config: { scope: 'properties:read', meter: 'standard', errors: ['resource_not_found'], openToGuests: true },
      schema: {
        operationId: 'get_price_index',
        summary: 'Get the quality-adjusted price index of an area, with its band and growth',
        tags: ['analytics'],
        description:
          'The price level of homes that stay the same, by month, quarter or year, from all sales and resales of the ' +
          `area and its surroundings. Areas with fewer than ${LEAST_AREA_SALES} sales are withheld.`,
        querystring: Type.Object({ ...areaParameters, ...periodParameters }, { additionalProperties: false }),
        response: { 200: PriceIndex },
      },
    },
    ({ query, caller }) => {
      const { interval = 'month', property_type = RESIDENTIAL, ...rest } = query;
      return readIndex(deps, caller.key.mode, { ...rest, interval, property_type });
    },
  );
  app.get(
    '/analytics/forecast',
    {
      config: { scope: 'properties:read', meter: 'standard', errors: ['resource_not_found'], openToGuests: true },
      schema: {
        operationId: 'get_price_forecast',
        summary: 'Get the expected price index of an area for up to 12 months, with its band',
        tags: ['analytics'],
        description:
          'Counted from the last month of the index, which is that of the market’s last sale on record. ' +
          `Areas with fewer than ${LEAST_AREA_SALES} sales are withheld.`,
        querystring: Type.Object(
          {
            ...areaParameters,
            months: Type.Optional(
              wholeNumber({
                minimum: 1,
                maximum: MONTHS_AHEAD,
                default: MONTHS_AHEAD,
                description: 'How many months ahead.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: PriceForecast },
      },
    },
    ({ query, caller }) => {
      const { property_type = RESIDENTIAL, months = MONTHS_AHEAD, ...rest } = query;
      return readForecast(deps, caller.key.mode, { ...rest, property_type, months });
    },
  );
}
