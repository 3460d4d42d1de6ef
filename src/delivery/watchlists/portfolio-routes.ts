// HTTP route for the value of a watchlist.
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { isoDay, strict, text } from '../../base/lib/schema.ts';
import { analyzePortfolio } from './portfolio.ts';
import { Portfolio } from './portfolio-schema.ts';
import { getWatchlist } from './watchlists.ts';

export function portfolioRoutes(app: App, deps: Deps): void {
  app.get(
    '/watchlists/:id/portfolio',
    operationsOf('webhooks')('get_portfolio', 'Get the joint value, exposure and changes of a watchlist', {
      scope: 'watchlists:read',
      meter: 'standard',
      units: 0,
      liveData: true,
      params: Type.Object({ id: text(40) }),
      querystring: strict({
        since: Type.Optional(isoDay({ description: 'Compare with this day. Default: 30 days ago.' })),
        interval_level: Type.Optional(
          Type.Number({ minimum: 0.5, maximum: 0.95, default: 0.8, description: 'Of the joint interval.' }),
        ),
      }),
      response: { 200: Portfolio },
    }),
    async (
      request: FastifyRequest<{ Params: { id: string }; Querystring: { since?: string; interval_level?: number } }>,
    ) => {
      const list = await getWatchlist(deps, request.caller, request.params.id);
      const { since, interval_level: level = 0.8 } = request.query;
      return analyzePortfolio(deps, list, { since, level }, (units) => request.holdUnits(units));
    },
  );
}
