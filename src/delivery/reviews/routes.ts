// HTTP routes for appraisal reviews.
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../../customers/accounts/accounts.ts';
import { ownerOf, readOwnPage } from '../../customers/accounts/own-sql.ts';
import { removeOwn } from '../../customers/accounts/remove-own.ts';
import type { Deps } from '../../base/deps.ts';
import { created, pdfContent, sendPdf } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { checkerOf } from '../../base/http/validation.ts';
import { presentPage } from '../../base/lib/pages.ts';
import { DELETED, IdParams, Paging, strict } from '../../base/lib/schema.ts';
import { ESTIMATE_ERRORS } from '../../insight/valuations/schema.ts';
import { createReview, getReview, getReviewPdf } from './reviews.ts';
import { Review, ReviewPage, ReviewRequest, UAD_BODY, UAD_TYPES } from './schema.ts';
import type { ReviewRow } from './sql.ts';

/** A value, and a lookup with its deeds for every comparable. */
const UNITS = 2;

export function reviewRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('reports', { scope: 'reports:read', meter: 'none' });
  const writes = operationsOf('reports', { scope: 'reports:write', meter: 'none' });
  const askerOf = (request: FastifyRequest) => ({
    ...ownerOf(request.caller),
    by: actorOf(request.caller, request.ip),
    claimId: request.claimId,
  });

  // A separate scope, because no other route of reviews takes a file.
  void app.register(async (scope) => {
    for (const type of UAD_TYPES)
      scope.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    (scope as App).post(
      '/reviews',
      writes('create_review', 'Review an appraisal: its comparables, adjustments and value against the records', {
        meter: 'avm',
        units: UNITS,
        errors: ESTIMATE_ERRORS,
        body: { content: { 'application/json': { schema: ReviewRequest }, ...UAD_BODY } },
        response: { 201: Review },
      }),
      async (request, reply) => {
        const { appraisal, unsold } = await readRequest(deps, request);
        return created(reply, 'reviews', await createReview(deps, askerOf(request), appraisal, unsold));
      },
    );
  });

  app.get(
    '/reviews',
    reads('list_reviews', 'List appraisal reviews', { querystring: Paging, response: { 200: ReviewPage } }),
    async (request) =>
      presentPage(
        await readOwnPage<ReviewRow>(deps, 'reviews', ownerOf(request.caller), request.query),
        ({ id, property_id, reference, created_at }) => ({
          object: 'review_summary' as const,
          id,
          property_id,
          reference,
          created_at: created_at.toISOString(),
        }),
      ),
  );

  app.get(
    '/reviews/:id',
    reads('get_review', 'Get an appraisal review as it was made', {
      params: IdParams,
      querystring: strict({}),
      response: { 200: Review },
    }),
    (request) => getReview(deps, ownerOf(request.caller), request.params.id),
  );

  app.get(
    '/reviews/:id/pdf',
    reads('get_review_pdf', 'Get an appraisal review as a PDF', {
      params: IdParams,
      querystring: strict({}),
      response: { 200: { content: pdfContent(20_000_000) } },
    }),
    async (request, reply) =>
      sendPdf(reply, request.params.id, await getReviewPdf(deps, ownerOf(request.caller), request.params.id)),
  );

  app.delete(
    '/reviews/:id',
    writes('delete_review', 'Delete an appraisal review', { params: IdParams, response: DELETED }),
    removeOwn(deps, 'reviews'),
  );
}

const checkRequest = checkerOf(ReviewRequest, 'appraisal');

async function readRequest(deps: Deps, { body, caller }: FastifyRequest) {
  if (!Buffer.isBuffer(body)) return { appraisal: body as ReviewRequest, unsold: [] };
  const place = { file: new URL('./uad.ts', import.meta.url), name: 'readUad', account: caller.account.id };
  const { request, unsold } = await deps.threads.run<typeof import('./uad.ts').readUad>(place, body);
  return { appraisal: checkRequest(request), unsold };
}
