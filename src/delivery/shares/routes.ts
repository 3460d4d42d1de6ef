// HTTP routes for share links: an account creates, lists and revokes them, and anyone with a link can open it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { actorOf } from '../../customers/accounts/accounts.ts';
import { askingOf } from '../../customers/accounts/asking.ts';
import { ownerOf, readOwnPage } from '../../customers/accounts/own-sql.ts';
import { sendPdf } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { ApiError, fail } from '../../base/lib/errors.ts';
import { networkOf } from '../../base/lib/ips.ts';
import { presentPage } from '../../base/lib/pages.ts';
import { IdParams, Paging, text } from '../../base/lib/schema.ts';
import { NewShare, Share, SharePage, ShareWithLink } from './schema.ts';
import { createShare, getShared, openShared, presentShare, readFile, revokeShare, type ShareDeps } from './shares.ts';
import type { ShareRow } from './sql.ts';

export function shareRoutes(app: App, deps: ShareDeps): void {
  const operation = operationsOf('shares', { meter: 'none' });

  app.post(
    '/shares',
    operation('create_share', 'Make a read-only link to a property, an area, a portfolio or a lender’s file', {
      scope: 'shares:write',
      meter: 'standard',
      units: 0,
      liveData: true,
      errors: ['resource_not_found', 'property_not_found', 'property_superseded', 'plan_feature_unavailable'],
      body: NewShare,
      response: { 201: ShareWithLink },
    }),
    async (request, reply) => {
      return reply.code(201).send(await createShare(deps, askingOf(request), request.body));
    },
  );

  app.get(
    '/shares',
    operation('list_shares', 'List share links', {
      scope: 'shares:read',
      querystring: Paging,
      response: { 200: SharePage },
    }),
    async (request) => {
      const page = await readOwnPage<ShareRow>(deps, 'shares', ownerOf(request.caller), request.query);
      return presentPage(page, (row) => presentShare(row, deps.clock()));
    },
  );

  app.post(
    '/shares/:id/revoke',
    operation('revoke_share', 'Revoke a share link at once', {
      scope: 'shares:write',
      params: IdParams,
      response: { 200: Share },
    }),
    (request) => revokeShare(deps, request.caller, actorOf(request.caller, request.ip), request.params.id),
  );
}

type Opening = FastifyRequest<{ Params: { token: string } }>;

/** `takeOpening` counts a network's openings and returns the seconds to wait if it exceeds the limit. */
export function sharedRoutes(
  app: App,
  deps: ShareDeps,
  takeOpening: (network: string) => Promise<number | undefined>,
): void {
  const options = { config: { isHidden: true }, schema: { params: Type.Object({ token: text(100) }) } };
  const shareOf = async (request: Opening, reply: FastifyReply) => {
    void reply.header('x-robots-tag', 'noindex, nofollow, noarchive');
    const wait = await takeOpening(networkOf(request.ip));
    if (wait !== undefined)
      fail('rate_limited', `Too many pages were opened. Try again in ${wait} s.`, { retryAfterSeconds: wait });
    return getShared(deps, request.params.token);
  };

  app.get('/shared/:token', options, async (request: Opening, reply) => {
    try {
      await shareOf(request, reply);
    } catch (error) {
      // The page itself shows the error to a person.
      if (!(error instanceof ApiError) || error.status >= 500 || !app.sendPage) throw error;
      void reply.code(error.status);
    }
    return app.sendPage!(request, reply, 'no-store');
  });

  app.get('/shared/:token/content', options, async (request: Opening, reply) =>
    openShared(deps, await shareOf(request, reply)),
  );

  app.get('/shared/:token/file', options, async (request: Opening, reply) => {
    const share = await shareOf(request, reply);
    return sendPdf(reply, share.subject, await readFile(deps, share));
  });
}
