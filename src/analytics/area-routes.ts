// HTTP routes for what stands in an area, and for areas in order of a figure.
import Type from 'typebox';
import type { Deps } from '../deps.ts';
import type { App } from '../http/types.ts';
import { cursorParameter, limitParameter, oneOf, text } from '../lib/schema.ts';
import { AreaSummary, Ranking } from './area-schema.ts';
import { KINDS } from './cells.ts';
import { readRanking } from './rankings.ts';
import { FIGURES, RANKED_STEPS } from './ranks.ts';
import { areaParameters, SERIES_TYPES } from './schema.ts';
import { RESIDENTIAL } from './segments.ts';
import { readSummary } from './summary.ts';

const { property_type: _type, ...placeParameters } = areaParameters;
const STRICT = { additionalProperties: false };

export function areaRoutes(app: App, deps: Deps): void {
  const config = { scope: 'properties:read', meter: 'standard', mayLag: true, openToGuests: true } as const;
  const tags = ['analytics'];

  app.get(
    '/analytics/summary',
    {
      config: { ...config, errors: ['resource_not_found'] },
      schema: {
        operationId: 'get_area_summary',
        summary: 'Get the homes of an area: stock, values, permits, violations and liens',
        tags,
        description:
          'How many homes, how old and how large, who lives in them, what they are worth, and what is recorded against them. ' +
          'Every part has its number of homes, its sources and its day; null is a part that no source covers.',
        querystring: Type.Object(placeParameters, STRICT),
        response: { 200: AreaSummary },
      },
    },
    ({ query, caller }) => readSummary(deps, caller.key.mode, query),
  );

  app.get(
    '/analytics/rankings',
    {
      config: { ...config, errors: ['resource_not_found', 'invalid_cursor', 'cursor_mismatch'] },
      schema: {
        operationId: 'rank_areas',
        summary: 'Rank the areas of a market, county or state by a figure',
        tags,
        description:
          'By a figure of the sales of a period, or of the homes as they stand. Areas with too few sales or homes are listed apart.',
        querystring: Type.Object(
          {
            kind: oneOf(KINDS, { description: 'What is ranked.', examples: ['zip'] }),
            figure: oneOf(FIGURES, { description: 'What it is ranked by.', examples: ['median_price'] }),
            market: Type.Optional(text(60, { minLength: 1, description: 'Within this market.' })),
            county: Type.Optional(text(5, { minLength: 5, description: 'Or within the county of this FIPS code.' })),
            state: Type.Optional(text(2, { minLength: 2, description: 'Or within this state.' })),
            property_type: Type.Optional(
              oneOf(SERIES_TYPES, { description: 'Of sales: the type of home.', default: RESIDENTIAL }),
            ),
            interval: Type.Optional(oneOf(RANKED_STEPS, { description: 'Length of the period.', default: 'year' })),
            period: Type.Optional(
              text(7, {
                minLength: 4,
                description: '`2025` or `2025-Q4`. The last closed one by default.',
                examples: ['2025'],
              }),
            ),
            order: Type.Optional(oneOf(['descending', 'ascending'], { default: 'descending' })),
            limit: limitParameter(),
            cursor: cursorParameter,
          },
          STRICT,
        ),
        response: { 200: Ranking },
      },
    },
    ({ query, caller }) => {
      const { property_type = RESIDENTIAL, interval = 'year', order = 'descending', limit = 50, ...rest } = query;
      return readRanking(deps, caller.key.mode, { ...rest, property_type, interval, order, limit });
    },
  );
}
