// HTTP routes for watchlists.
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { actorOf } from '../../customers/accounts/accounts.ts';
import type { Deps } from '../../base/deps.ts';
import type { App } from '../../base/http/types.ts';
import { byCreation, presentPage, readPage } from '../../base/lib/pages.ts';
import { cursorParameter, limitParameter, STRICT, text } from '../../base/lib/schema.ts';
import {
  MemberChanges,
  MemberCounts,
  MemberPage,
  NewWatchlist,
  Watchlist,
  WatchlistPage,
  WatchlistPatch,
} from './schema.ts';
import { countMembers, listMemberPage, listWatchlists, type WatchlistRow } from './sql.ts';
import {
  changeMembers,
  changeWatchlist,
  createWatchlist,
  deleteWatchlist,
  getWatchlist,
  presentWatchlist,
} from './watchlists.ts';

const TAG = ['webhooks'];
const Params = Type.Object({ id: text(40) });
const Paging = Type.Object({ limit: limitParameter(), cursor: cursorParameter }, STRICT);

export function watchlistRoutes(app: App, deps: Deps): void {
  const reads = { scope: 'watchlists:read', meter: 'none', liveData: true } as const;
  const writes = { scope: 'watchlists:write', meter: 'none', liveData: true } as const;
  const costs = ['quota_exhausted', 'spend_cap_reached', 'insufficient_scope'] as const;
  const paged = { ...reads, errors: ['invalid_cursor', 'cursor_mismatch'] } as const;

  const present = async (list: WatchlistRow) =>
    presentWatchlist(list, (await countMembers(deps.control, [list.id])).get(list.id) ?? 0);
  const askOf = (request: FastifyRequest) => ({
    caller: request.caller,
    by: actorOf(request.caller, request.ip),
    id: request.id,
    route: request.routeOptions.url ?? '/api/v1/watchlists',
  });
  const listOf = (request: FastifyRequest<{ Params: { id: string } }>) =>
    getWatchlist(deps, request.caller.account.id, request.caller.key.mode, request.params.id);

  app.get(
    '/watchlists',
    {
      config: paged,
      schema: {
        operationId: 'list_watchlists',
        summary: 'List watchlists',
        tags: TAG,
        querystring: Paging,
        response: { 200: WatchlistPage },
      },
    },
    async (request) => {
      const { account, key } = request.caller;
      const list = (after: [string, string] | undefined, limit: number) =>
        listWatchlists(deps.control, { accountId: account.id, mode: key.mode, after, limit });
      const name = ['watchlists', account.id, key.mode];
      const page = await readPage(deps.secrets, name, request.query, list, byCreation);
      const counts = await countMembers(
        deps.control,
        page.rows.map((row) => row.id),
      );
      return presentPage(page, (row) => presentWatchlist(row, counts.get(row.id) ?? 0));
    },
  );

  app.post(
    '/watchlists',
    {
      config: {
        ...writes,
        errors: [...costs, 'property_not_found', 'geometry_invalid', 'geometry_too_large', 'plan_feature_unavailable'],
      },
      schema: {
        operationId: 'create_watchlist',
        summary: 'Create a watchlist',
        description:
          'Watches properties by id or by filter. Their changes become events, which are sent to subscribed webhooks. ' +
          'In live mode a filter costs one standard call per 500 matching properties, as a search would; ids are free.',
        tags: TAG,
        body: NewWatchlist,
        response: { 201: Watchlist },
      },
    },
    async (request, reply) => {
      const list = await createWatchlist(deps, askOf(request), request.body);
      return reply
        .code(201)
        .header('location', `/api/v1/watchlists/${list.id}`)
        .send(await present(list));
    },
  );

  app.get(
    '/watchlists/:id',
    {
      config: { ...reads, etag: true },
      schema: {
        operationId: 'get_watchlist',
        summary: 'Get a watchlist',
        tags: TAG,
        params: Params,
        response: { 200: Watchlist },
      },
    },
    async (request) => present(await listOf(request)),
  );

  app.patch(
    '/watchlists/:id',
    {
      config: { ...writes, errors: [...costs, 'invalid_state', 'geometry_invalid', 'geometry_too_large'] },
      schema: {
        operationId: 'update_watchlist',
        summary: 'Update a watchlist',
        description: 'In live mode a new filter costs what creating a watchlist with it costs.',
        tags: TAG,
        params: Params,
        body: WatchlistPatch,
        response: { 200: Watchlist },
      },
    },
    async (request) => present(await changeWatchlist(deps, askOf(request), await listOf(request), request.body)),
  );

  app.delete(
    '/watchlists/:id',
    {
      config: { ...writes, liveData: false },
      schema: {
        operationId: 'delete_watchlist',
        summary: 'Delete a watchlist',
        tags: TAG,
        params: Params,
        response: { 204: Type.Unsafe<undefined>({ type: 'null', description: 'Deleted.' }) },
      },
    },
    async (request, reply) => {
      await deleteWatchlist(deps, await listOf(request), actorOf(request.caller, request.ip));
      return reply.code(204).send();
    },
  );

  app.get(
    '/watchlists/:id/properties',
    {
      config: paged,
      schema: {
        operationId: 'list_watchlist_properties',
        summary: 'List the properties on a watchlist',
        tags: TAG,
        params: Params,
        querystring: Paging,
        response: { 200: MemberPage },
      },
    },
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
    {
      config: { ...writes, errors: ['property_not_found', 'invalid_state'] },
      schema: {
        operationId: 'change_watchlist_properties',
        summary: 'Add or remove properties',
        tags: TAG,
        params: Params,
        body: MemberChanges,
        response: { 200: MemberCounts },
      },
    },
    async (request) => {
      const list = await listOf(request);
      const counts = await changeMembers(deps, list, request.body, actorOf(request.caller, request.ip));
      return { object: 'watchlist_change' as const, watchlist_id: list.id, ...counts };
    },
  );
}
