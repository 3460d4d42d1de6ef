// HTTP routes for appraisal reviews.
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../../customers/accounts/accounts.ts';
import { ownerOf, readOwnPage } from '../../customers/accounts/own-sql.ts';
import { removeOwn } from '../../customers/accounts/remove-own.ts';
import type { Deps } from '../../base/deps.ts';
import { created, pdfContent, sendPdf } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { presentPage } from '../../base/lib/pages.ts';
import { DELETED, IdParams, Paging, strict } from '../../base/lib/schema.ts';
import { ESTIMATE_ERRORS } from '../../insight/valuations/schema.ts';
import { createReview, getReview, getReviewPdf } from './reviews.ts';
import { Review, ReviewPage, ReviewRequest } from './schema.ts';
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

  app.post(
    '/reviews',
    writes('create_review', 'Review an appraisal: its comparables, adjustments and value against the records', {
      meter: 'avm',
      units: UNITS,
      errors: ESTIMATE_ERRORS,
      description:
        'For each comparable: whether it exists, sold so and then, and what the record says otherwise; sales that were passed ' +
        'over; adjustments outside of the market’s range; our value as of the effective date; and the questions that follow. ' +
        `Nothing is accepted or refused. Costs ${UNITS} valuation calls; reading it again is free.`,
      body: ReviewRequest,
      response: { 201: Review },
    }),
    async (request, reply) => {
      const review = await createReview(deps, askerOf(request), request.body);
      return created(reply, 'reviews', review);
    },
  );

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
