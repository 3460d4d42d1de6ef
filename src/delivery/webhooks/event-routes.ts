// HTTP routes for events, and the sandbox's trigger for them.
import type { Deps } from '../../base/deps.ts';
import { presentEvent, recordEvent, type NewEvent } from '../../base/events/events.ts';
import { EVENT_KINDS } from '../../base/events/kinds.ts';
import { KIND_NAMES } from '../../base/events/names.ts';
import { findEvent, listEvents } from '../../base/events/sql.ts';
import { created } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { presentPage, readPage, readSpan, spanPaging } from '../../base/lib/pages.ts';
import { fail } from '../../base/lib/errors.ts';
import { IdParams, strict, several } from '../../base/lib/schema.ts';
import { readOneOrMore } from '../../records/properties/parameters.ts';
import { Event, EventPage, TriggeredEvent } from './schema.ts';
import { must } from '../../base/lib/must.ts';

const reads = operationsOf('webhooks', { scope: 'webhooks:read', meter: 'none' });

export function eventRoutes(app: App, deps: Deps): void {
  app.get(
    '/events',
    reads('list_events', 'What happened in the account, newest first', {
      querystring: strict({ type: several('Event types.', { words: KIND_NAMES }), ...spanPaging }),
      response: { 200: EventPage },
    }),
    async (request) => {
      const { account, key } = request.caller;
      const { type } = request.query;
      const types = type === undefined ? undefined : readOneOrMore('type', type, KIND_NAMES);
      const span = readSpan(request.query);
      const list = (before: [number] | undefined, limit: number) =>
        listEvents(deps.control, { accountId: account.id, mode: key.mode, types, span, before: before?.[0], limit });
      const name = ['events', account.id, key.mode, types ?? null, span];
      const page = await readPage(deps.secrets, name, request.query, list, (row): [number] => [row.sequence]);
      return presentPage(page, presentEvent);
    },
  );

  app.get(
    '/events/:id',
    reads('get_event', 'Get an event', { params: IdParams, response: { 200: Event } }),
    async (request) => {
      const { account, key } = request.caller;
      const event = await findEvent(deps.control, account.id, key.mode, request.params.id);
      return presentEvent(event ?? fail('resource_not_found', `No event has the id ${request.params.id}.`));
    },
  );

  app.post(
    '/sandbox/events',
    operationsOf('sandbox', { scope: 'webhooks:write', meter: 'none' })(
      'trigger_sandbox_event',
      'Trigger a sandbox event',
      { body: TriggeredEvent, response: { 201: Event } },
    ),
    async (request, reply) => {
      const { account, key } = request.caller;
      if (key.mode !== 'test') fail('invalid_request', 'Only sandbox keys (`sk_test_…`) can trigger events.');
      const { type, data } = request.body;
      const filled = { ...EVENT_KINDS[type].example, ...data };
      const check = request.compileValidationSchema(EVENT_KINDS[type].data, 'body');
      if (!check(filled)) {
        const [{ instancePath, message }] = must(check.errors, 'list of errors');
        fail('invalid_request', `\`data${instancePath.replaceAll('/', '.')}\` of \`${type}\` ${message}.`);
      }
      const event = { accountId: account.id, mode: key.mode, type, data: filled, occurredAt: deps.clock() };
      const id = must(await recordEvent(deps.control, event as NewEvent), 'event');
      const recorded = must(await findEvent(deps.control, account.id, key.mode, id), 'event');
      return created(reply, 'events', presentEvent(recorded));
    },
  );
}
