// HTTP routes for webhooks and their deliveries.
import { getOwn, ownerOf, readOwnPage } from '../../customers/accounts/own-sql.ts';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { findEvent } from '../../base/events/sql.ts';
import { actorOf } from '../../customers/accounts/accounts.ts';
import { removeOwn } from '../../customers/accounts/remove-own.ts';
import type { Deps } from '../../base/deps.ts';
import { KIND_NAMES } from '../../base/events/names.ts';
import { created } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { byCreation, presentPage, readPage, readSpan, spanPaging } from '../../base/lib/pages.ts';
import { fail } from '../../base/lib/errors.ts';
import { readOneOrMore } from '../../records/properties/parameters.ts';
import { DELETED, IdParams, oneOf, Paging, strict, several } from '../../base/lib/schema.ts';
import { presentDelivery, presentLog, redeliver, redeliverAll, sendPing } from './deliveries.ts';
import { eventRoutes } from './event-routes.ts';
import * as shape from './schema.ts';
import { listAttempts, listDeliveries, type DeliveryRow, type EndpointRow } from './sql.ts';
import { changeEndpoint, createEndpoint, presentEndpoint, rotateSecret } from './webhooks.ts';

const reads = operationsOf('webhooks', { scope: 'webhooks:read', meter: 'none' });
const writes = operationsOf('webhooks', { scope: 'webhooks:write', meter: 'none' });

type WithId = FastifyRequest<{ Params: { id: string } }>;

export function webhookRoutes(app: App, deps: Deps): void {
  endpointRoutes(app, deps);
  actionRoutes(app, deps);
  deliveryRoutes(app, deps);
  eventRoutes(app, deps);
}

const endpointOf = (deps: Deps, request: WithId) =>
  getOwn<EndpointRow>(deps.control, 'webhook_endpoints', ownerOf(request.caller), request.params.id);

const deliveryOf = (deps: Deps, request: WithId) =>
  getOwn<DeliveryRow>(deps.control, 'webhook_deliveries', ownerOf(request.caller), request.params.id);

function endpointRoutes(app: App, deps: Deps): void {
  app.get(
    '/webhooks',
    reads('list_webhooks', 'List webhooks', { querystring: Paging, response: { 200: shape.WebhookPage } }),
    async (request) => {
      const page = await readOwnPage<EndpointRow>(deps, 'webhook_endpoints', ownerOf(request.caller), request.query);
      return presentPage(page, (row) => presentEndpoint(row, deps.secrets));
    },
  );

  app.post(
    '/webhooks',
    writes('create_webhook', 'Create a webhook', {
      errors: ['plan_feature_unavailable'],
      body: shape.NewWebhook,
      response: { 201: shape.WebhookWithSecret },
    }),
    async (request, reply) => {
      const { account, key } = request.caller;
      const options = { ...request.body, by: actorOf(request.caller, request.ip) };
      const { endpoint, secret } = await createEndpoint(deps, account, key.mode, options);
      return created(reply, 'webhooks', { ...presentEndpoint(endpoint, deps.secrets), secret });
    },
  );

  app.get(
    '/webhooks/:id',
    reads('get_webhook', 'Get a webhook', { etag: true, params: IdParams, response: { 200: shape.Webhook } }),
    async (request) => presentEndpoint(await endpointOf(deps, request), deps.secrets),
  );

  app.patch(
    '/webhooks/:id',
    writes('update_webhook', 'Update, disable or enable a webhook', {
      params: IdParams,
      body: shape.WebhookPatch,
      response: { 200: shape.Webhook },
    }),
    async (request) => {
      const by = actorOf(request.caller, request.ip);
      const changed = await changeEndpoint(deps, await endpointOf(deps, request), request.body, by);
      return presentEndpoint(changed, deps.secrets);
    },
  );

  app.delete(
    '/webhooks/:id',
    writes('delete_webhook', 'Delete a webhook and its delivery log', { params: IdParams, response: DELETED }),
    removeOwn(deps, 'webhook_endpoints'),
  );
}

function actionRoutes(app: App, deps: Deps): void {
  app.post(
    '/webhooks/:id/rotate-secret',
    writes('rotate_webhook_secret', 'Rotate a webhook’s secret', {
      params: IdParams,
      body: shape.SecretRotation,
      response: { 200: shape.WebhookWithSecret },
    }),
    async (request) => {
      const hours = request.body.overlap_hours ?? 24;
      const by = actorOf(request.caller, request.ip);
      const { endpoint, secret } = await rotateSecret(deps, await endpointOf(deps, request), hours, by);
      return { ...presentEndpoint(endpoint, deps.secrets), secret };
    },
  );

  app.post(
    '/webhooks/:id/test',
    writes('test_webhook', 'Send a test event', {
      errors: ['invalid_state'],
      params: IdParams,
      response: { 200: shape.DeliveryWithLog },
    }),
    async (request) => {
      const endpoint = await endpointOf(deps, request);
      if (endpoint.status === 'disabled') fail('invalid_state', 'The webhook is disabled. Enable it first.');
      const id = await sendPing(deps, endpoint);
      return describeDelivery(deps, await getOwn<DeliveryRow>(deps.control, 'webhook_deliveries', endpoint, id));
    },
  );

  app.post(
    '/webhooks/:id/redeliver',
    writes('redeliver_failed', 'Redeliver everything that has not arrived since a given time', {
      params: IdParams,
      body: shape.Redelivery,
      response: { 202: shape.RedeliveryCount },
    }),
    async (request, reply) => {
      const endpoint = await endpointOf(deps, request);
      const count = await redeliverAll(deps, endpoint.id, readSpan(request.body));
      return reply.code(202).send({ object: 'redelivery' as const, webhook_id: endpoint.id, delivery_count: count });
    },
  );
}

function deliveryRoutes(app: App, deps: Deps): void {
  app.get(
    '/webhooks/:id/deliveries',
    reads('list_deliveries', 'List deliveries, newest first', {
      params: IdParams,
      querystring: strict({
        status: Type.Optional(oneOf(['pending', 'succeeded', 'failed'])),
        type: several('Event types.', { words: KIND_NAMES }),
        ...spanPaging,
      }),
      response: { 200: shape.DeliveryPage },
    }),
    async (request) => {
      const endpoint = await endpointOf(deps, request);
      const { status, type } = request.query;
      const eventTypes = type === undefined ? undefined : readOneOrMore('type', type, KIND_NAMES);
      const span = readSpan(request.query);
      const list = (before: [string, string] | undefined, limit: number) =>
        listDeliveries(deps.control, endpoint.id, { status, eventTypes }, { span, before, limit });
      const name = ['deliveries', endpoint.id, status ?? null, eventTypes ?? null, span];
      return presentPage(await readPage(deps.secrets, name, request.query, list, byCreation), presentDelivery);
    },
  );

  app.get(
    '/deliveries/:id',
    reads('get_delivery', 'Get a delivery with its payload and every attempt', {
      params: IdParams,
      response: { 200: shape.DeliveryWithLog },
    }),
    async (request) => describeDelivery(deps, await deliveryOf(deps, request)),
  );

  app.post(
    '/deliveries/:id/redeliver',
    writes('redeliver', 'Redeliver a delivery', { params: IdParams, response: { 202: shape.Delivery } }),
    async (request, reply) =>
      reply.code(202).send(presentDelivery(await redeliver(deps, await deliveryOf(deps, request)))),
  );
}

async function describeDelivery(deps: Deps, delivery: DeliveryRow) {
  const [event, attempts] = await Promise.all([
    findEvent(deps.control, delivery.account_id, delivery.mode, delivery.event_id),
    listAttempts(deps.control, delivery.id),
  ]);
  return presentLog(delivery, event!, attempts);
}
