// HTTP routes for market analysis.
import Type from 'typebox';
import type { Deps } from '../deps.ts';
import type { App } from '../http/types.ts';
import { oneOf } from '../lib/schema.ts';
import { FilterBody, type FilterInput } from '../properties/filter.ts';
import { filterOf } from '../properties/request.ts';
import { readSeries } from './analytics.ts';
import { LEAST_SALES, SEGMENTED_KINDS } from './cells.ts';
import { MOST_HOMES, readCustomSeries } from './custom.ts';
import { areaParameters, periodParameters, SalesSeries } from './schema.ts';
import { RESIDENTIAL, SEGMENTS } from './segments.ts';

const STRICT = { additionalProperties: false };

const { county_fips: _earlier, ...FILTERS } = FilterBody;

export function analyticsRoutes(app: App, deps: Deps): void {
  const config = { scope: 'properties:read', meter: 'standard', mayLag: true } as const;
  const tags = ['analytics'];

  app.get(
    '/analytics/series',
    {
      config: { ...config, errors: ['resource_not_found'], openToGuests: true },
      schema: {
        operationId: 'get_sales_series',
        summary: 'Get sales, prices and what follows from them of an area over time',
        tags,
        description:
          'Arm’s-length sales by month, quarter or year. Every figure comes with its number of sales, its period and its ' +
          `sources. The figures of periods with fewer than ${LEAST_SALES} sales are withheld.`,
        querystring: Type.Object(
          {
            ...areaParameters,
            ...periodParameters,
            segment: Type.Optional(
              oneOf(SEGMENTS, {
                description: `Only residential homes of this many bedrooms, this size, this era, or new or not when sold. By ${SEGMENTED_KINDS.join(', ')}.`,
              }),
            ),
          },
          STRICT,
        ),
        response: { 200: SalesSeries },
      },
    },
    ({ query, caller }) => {
      const { interval = 'month', property_type = RESIDENTIAL, ...rest } = query;
      return readSeries(deps, caller.key.mode, { ...rest, interval, property_type });
    },
  );

  app.post(
    '/analytics/series',
    {
      config: { ...config, errors: ['resource_not_found', 'geometry_invalid', 'geometry_too_large', 'area_too_large'] },
      schema: {
        operationId: 'get_sales_series_of_search',
        summary: 'Get the same of a polygon, or of whatever a search finds',
        tags,
        description:
          'The filters of a search as JSON, `geometry` included, make the area. Computed when asked for, over at most ' +
          `${MOST_HOMES.toLocaleString('en-US')} properties.`,
        body: Type.Object(
          { ...FILTERS, property_type: areaParameters.property_type, ...periodParameters },
          { ...STRICT, title: 'SalesSeriesSearch' },
        ),
        response: { 200: SalesSeries },
      },
    },
    ({ body, caller }) => {
      const { interval = 'month', property_type = RESIDENTIAL, since, until, ...filter } = body;
      const query = { interval, property_type, since, until, filter: filterOf(caller, filter as FilterInput) };
      return readCustomSeries(deps, caller.key.mode, query);
    },
  );
}
