// HTTP routes for markets and coverage.
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import type { App } from '../../base/http/types.ts';
import { pageOf, STRICT, text } from '../../base/lib/schema.ts';
import { describeCoverage, getMarket, listMarkets } from './markets.ts';
import { Coverage, Market, MarketPage } from './schema.ts';

export function marketRoutes(app: App, deps: Deps): void {
  const config = { scope: 'properties:read', meter: 'none', liveData: true, openToGuests: true } as const;
  const tags = ['markets'];

  app.get(
    '/markets',
    {
      config,
      schema: {
        operationId: 'list_markets',
        summary: 'List the markets this key can see',
        tags,
        querystring: Type.Object({}, STRICT),
        response: { 200: MarketPage },
      },
    },
    async (request) => pageOf(await listMarkets(deps, request.caller.key.mode), 500, null),
  );

  app.get(
    '/markets/:id',
    {
      config: { ...config, etag: true },
      schema: {
        operationId: 'get_market',
        summary: 'Get one market',
        tags,
        params: Type.Object({ id: text(60, { examples: ['sandbox'] }) }),
        response: { 200: Market },
      },
    },
    (request) => getMarket(deps, request.caller.key.mode, request.params.id),
  );

  app.get(
    '/coverage',
    {
      config,
      schema: {
        operationId: 'describe_coverage',
        summary: 'List what is loaded: layers, places, periods, sources, licenses',
        tags,
        querystring: Type.Object(
          {
            market: Type.Optional(text(60, { minLength: 1, description: 'Only this market.', examples: ['sandbox'] })),
          },
          STRICT,
        ),
        response: { 200: Coverage },
      },
    },
    ({ query, caller }) => describeCoverage(deps, caller.key.mode, query.market),
  );
}
