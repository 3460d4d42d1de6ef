// HTTP routes for valuations: estimates, receipts, comparables, models and their measured accuracy.
import Type from 'typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { decimal, page, pageOf, strict, text, wholeNumber } from '../../base/lib/schema.ts';
import { getCurrentProperty } from '../../records/properties/properties.ts';
import { Comparable } from './grid/schema.ts';
import * as shape from './schema.ts';
import { estimate, listComparables } from './valuations.ts';
import { describeAccuracy, describeModels } from './reports.ts';
import { getReceipt } from './receipts.ts';

const operation = operationsOf('valuations');

const metered = operationsOf('valuations', { scope: 'avm:read', meter: 'avm', errors: shape.ESTIMATE_ERRORS });

export function valuationRoutes(app: App, deps: Deps): void {
  async function answer(request: FastifyRequest, reply: FastifyReply, wanted: shape.EstimateRequest) {
    const { key, account, isGuest } = request.caller;
    const asker = { mode: key.mode, accountId: isGuest ? undefined : account.id };
    const { result, json } = await estimate(deps, asker, wanted);
    if (result.object === 'valuation_dry_run') request.usageUnits = 0;
    // compose.ts builds it member by member; validating its shape would take as long as running the model.
    return reply.type('application/json; charset=utf-8').send(json);
  }

  app.post(
    '/avm/estimate',
    metered('estimate_value', 'Value a property', {
      openToGuests: true,
      body: shape.EstimateRequest,
      response: { 200: Type.Union([shape.Valuation, shape.DryRun]) },
    }),
    (request, reply) => answer(request, reply, request.body),
  );

  app.get(
    '/avm/estimate',
    metered('estimate_value_by_query', 'Value a property by query', {
      querystring: shape.EstimateQuery,
      response: { 200: Type.Union([shape.Valuation, shape.DryRun]) },
    }),
    (request, reply) => answer(request, reply, shape.readEstimateQuery(request.query)),
  );

  app.get(
    '/avm/valuations/:id',
    operation('get_valuation', 'Get a valuation receipt', {
      scope: 'avm:read',
      meter: 'none',
      errors: ['resource_not_found'],
      params: Type.Object({ id: text(40, { pattern: '^val_[0-9a-z]{20}$' }) }),
      querystring: strict({}),
      response: { 200: shape.Receipt },
    }),
    (request) => {
      const { key, account } = request.caller;
      return getReceipt(deps, { mode: key.mode, accountId: account.id }, request.params.id);
    },
  );

  const market = Type.Optional(
    text(60, { minLength: 1, description: 'One market. Defaults to every market the key can see.' }),
  );

  app.get(
    '/avm/models',
    operation('list_models', 'List valuation models, newest first within a market', {
      scope: 'avm:read',
      meter: 'none',
      querystring: strict({ market }),
      response: { 200: page('ModelPage', shape.ModelShape) },
    }),
    async (request) => pageOf(await describeModels(deps, request.caller.key.mode, request.query.market), 500, null),
  );

  app.get(
    '/avm/accuracy',
    operation('get_accuracy', 'Get measured accuracy against prices the models had not seen', {
      scope: 'avm:read',
      meter: 'none',
      errors: ['resource_not_found'],
      openToGuests: true,
      querystring: strict({
        market,
        segment: Type.Optional(text(120, { minLength: 1, description: 'A segment kind or a segment name.' })),
      }),
      response: { 200: page('AccuracyPage', shape.AccuracyReport) },
    }),
    async (request) =>
      pageOf(
        await describeAccuracy(deps, request.caller.key.mode, request.query.market, request.query.segment),
        500,
        null,
      ),
  );

  app.get(
    '/properties/:id/comparables',
    operation('list_comparables', 'List similar homes sold nearby, adjusted to match this one', {
      scope: 'properties:read',
      meter: 'standard',
      errors: ['property_not_found', 'property_superseded', 'insufficient_data', 'unsupported_property_type'],
      params: Type.Object({ id: text(120, { minLength: 1 }) }),
      querystring: strict({
        count: Type.Optional(wholeNumber({ minimum: 1, maximum: 25, default: 10 })),
        max_distance_miles: Type.Optional(decimal({ minimum: 0.05, maximum: 9 })),
        max_age_days: Type.Optional(wholeNumber({ minimum: 30, maximum: 1100 })),
      }),
      response: { 200: page('ComparablePage', Comparable) },
    }),
    async (request) => {
      const row = await getCurrentProperty(deps, request.caller.key.mode, request.params.id);
      return pageOf(await listComparables(deps, row, request.query), request.query.count ?? 10, null);
    },
  );
}
