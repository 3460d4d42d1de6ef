// HTTP routes for watchlists.
import { ownerOf, readOwnPage } from '../../customers/accounts/own-sql.ts';
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../../customers/accounts/accounts.ts';
import { askingOf } from '../../customers/accounts/asking.ts';
import { removeOwn } from '../../customers/accounts/remove-own.ts';
import type { Deps } from '../../base/deps.ts';
import { created } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { presentPage, readPage } from '../../base/lib/pages.ts';
import { DELETED, IdParams, Paging } from '../../base/lib/schema.ts';
import { createTurns } from '../../base/lib/turns.ts';
import { analyzePortfolio } from './portfolio.ts';
import { Portfolio, PortfolioQuery } from './portfolio-schema.ts';
import * as shape from './schema.ts';
import { countMembers, listMemberPage, type WatchlistRow } from './sql.ts';
import { changeMembers, changeWatchlist, createWatchlist, getWatchlist, presentWatchlist } from './watchlists.ts';

export function watchlistRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('webhooks', { scope: 'watchlists:read', meter: 'none', liveData: true });
  const writes = operationsOf('webhooks', { scope: 'watchlists:write', meter: 'none', liveData: true });
  const priced = { meter: 'standard', units: 0 } as const;
  /** Summing ten thousand homes takes half a second of CPU: one at a time per account. */
  const oneOfEach = createTurns({ most: Infinity, mostOf: () => 1, mostWaitingOf: 100 });

  const present = async (list: WatchlistRow) =>
    presentWatchlist(list, (await countMembers(deps.control, [list.id])).get(list.id) ?? 0);
  const listOf = (request: FastifyRequest<{ Params: { id: string } }>) =>
    getWatchlist(deps, request.caller, request.params.id);

  app.get(
    '/watchlists',
    reads('list_watchlists', 'List watchlists', { querystring: Paging, response: { 200: shape.WatchlistPage } }),
    async (request) => {
      const page = await readOwnPage<WatchlistRow>(deps, 'watchlists', ownerOf(request.caller), request.query);
      const ids = page.rows.map((row) => row.id);
      const counts = await countMembers(deps.control, ids);
      return presentPage(page, (row) => presentWatchlist(row, counts.get(row.id) ?? 0));
    },
  );

  app.post(
    '/watchlists',
    writes('create_watchlist', 'Create a watchlist', {
      ...priced,
      errors: ['property_not_found', 'geometry_invalid', 'geometry_too_large', 'plan_feature_unavailable'],
      body: shape.NewWatchlist,
      response: { 201: shape.Watchlist },
    }),
    async (request, reply) => {
      const list = await createWatchlist(deps, askingOf(request), request.body);
      return created(reply, 'watchlists', await present(list));
    },
  );

  app.get(
    '/watchlists/:id',
    reads('get_watchlist', 'Get a watchlist', { etag: true, params: IdParams, response: { 200: shape.Watchlist } }),
    async (request) => present(await listOf(request)),
  );

  app.patch(
    '/watchlists/:id',
    writes('update_watchlist', 'Update a watchlist', {
      ...priced,
      errors: ['invalid_state', 'geometry_invalid', 'geometry_too_large'],
      params: IdParams,
      body: shape.WatchlistPatch,
      response: { 200: shape.Watchlist },
    }),
    async (request) => present(await changeWatchlist(deps, askingOf(request), await listOf(request), request.body)),
  );

  app.delete(
    '/watchlists/:id',
    writes('delete_watchlist', 'Delete a watchlist', { liveData: false, params: IdParams, response: DELETED }),
    removeOwn(deps, 'watchlists'),
  );

  app.get(
    '/watchlists/:id/properties',
    reads('list_watchlist_properties', 'List the properties on a watchlist', {
      params: IdParams,
      querystring: Paging,
      response: { 200: shape.MemberPage },
    }),
    async (request) => {
      const list = await listOf(request);
      const listMembers = ([after] = [''], limit: number) => listMemberPage(deps.control, list.id, after, limit);
      const name = ['watchlist_properties', list.id];
      const page = await readPage(deps.secrets, name, request.query, listMembers, (row): [string] => [row.property_id]);
      return presentPage(page, (row) => ({
        object: 'watchlist_property' as const,
        property_id: row.property_id,
        added_at: row.added_at.toISOString(),
      }));
    },
  );

  app.post(
    '/watchlists/:id/properties',
    writes('change_watchlist_properties', 'Add or remove properties', {
      errors: ['resource_not_found', 'property_not_found', 'invalid_state'],
      params: IdParams,
      body: shape.MemberChanges,
      response: { 200: shape.MemberCounts },
    }),
    async (request) => {
      const list = await listOf(request);
      const counts = await changeMembers(deps, list, request.body, actorOf(request.caller, request.ip));
      return { object: 'watchlist_change' as const, watchlist_id: list.id, ...counts };
    },
  );

  app.get(
    '/watchlists/:id/portfolio',
    reads('get_portfolio', 'Get the joint value, exposure and changes of a watchlist', {
      ...priced,
      params: IdParams,
      querystring: PortfolioQuery,
      response: { 200: Portfolio },
    }),
    async (request) => {
      const { since, interval_level: level = 0.8 } = request.query;
      const list = await listOf(request);
      const analyze = () => analyzePortfolio(deps, list, { since, level }, (units) => request.holdUnits(units));
      return oneOfEach(analyze, list.account_id);
    },
  );
}
