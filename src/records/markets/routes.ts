// HTTP routes for markets and coverage.
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { presentPage, readPage } from '../../base/lib/pages.ts';
import { cursorParameter, limitParameter, pageOf, strict, text } from '../../base/lib/schema.ts';
import { describeCoverage, getMarket, listMarkets } from './markets.ts';
import { presentFields } from './fields.ts';
import { Coverage, CountyFieldsPage, Market, MarketPage } from './schema.ts';
import { listFieldCounts } from './sql.ts';

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

/** Public, without a key: coverage can be checked before buying. */
export function fieldRoutes(app: App, deps: Deps): void {
  app.get(
    '/coverage/fields',
    operationsOf('markets')('list_field_coverage', 'List which fields are stated, county by county', {
      querystring: strict({
        market: Type.Optional(text(60, { minLength: 1, description: 'Only this market.', examples: ['sandbox'] })),
        fips: Type.Optional(text(5, { pattern: '^[0-9]{5}$', description: 'Only this county.' })),
        limit: limitParameter(20, 100),
        cursor: cursorParameter,
      }),
      response: { 200: CountyFieldsPage },
    }),
    async ({ query: { limit, cursor, market, fips } }) => {
      const catalog = await deps.catalog.read();
      const of = {
        market: market?.toLowerCase(),
        hidden: catalog.marketIds.test,
        fips: fips === undefined ? undefined : Number(fips),
      };
      const list = (after: [number, string] | undefined, most: number) =>
        listFieldCounts(deps.dataReplica, { ...of, after, limit: most });
      const name = ['coverage/fields', market, fips];
      const page = await readPage(deps.secrets, name, { limit, cursor }, list, (row): [number, string] => [
        row.fips,
        row.market,
      ]);
      const covered = await deps.catalog.readCovered(page.rows);
      return presentPage(page, (row) => presentFields(row, covered));
    },
  );
}
