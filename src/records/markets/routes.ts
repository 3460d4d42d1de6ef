// HTTP routes for markets and coverage.
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { pageOf, strict, text } from '../../base/lib/schema.ts';
import { describeCoverage, getMarket, listMarkets } from './markets.ts';
import { Coverage, Market, MarketPage } from './schema.ts';

export function marketRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('markets', {
    scope: 'properties:read',
    meter: 'none',
    liveData: true,
    openToGuests: true,
  });

  app.get(
    '/markets',
    reads('list_markets', 'List the markets this key can see', {
      querystring: strict({}),
      response: { 200: MarketPage },
    }),
    async (request) => pageOf(await listMarkets(deps, request.caller.key.mode), 500, null),
  );

  app.get(
    '/markets/:id',
    reads('get_market', 'Get one market', {
      etag: true,
      params: Type.Object({ id: text(60, { examples: ['sandbox'] }) }),
      response: { 200: Market },
    }),
    (request) => getMarket(deps, request.caller.key.mode, request.params.id),
  );

  app.get(
    '/coverage',
    reads('describe_coverage', 'List what is loaded: layers, places, periods, sources, licenses', {
      querystring: strict({
        market: Type.Optional(text(60, { minLength: 1, description: 'Only this market.', examples: ['sandbox'] })),
      }),
      response: { 200: Coverage },
    }),
    ({ query, caller }) => describeCoverage(deps, caller.key.mode, query.market),
  );
}
