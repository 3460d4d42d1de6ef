// HTTP routes for the change feed.
import Type from 'typebox';
import { termsOf } from '../../customers/accounts/plans.ts';
import type { Deps } from '../../base/deps.ts';
import { PROPERTY_KINDS } from '../../base/events/kinds.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { fail } from '../../base/lib/errors.ts';
import { cursorParameter, limitParameter, oneOf, pageOf, strict, several } from '../../base/lib/schema.ts';
import { FilterParameters } from '../../records/properties/filter.ts';
import { readOneOrMore } from '../../records/properties/parameters.ts';
import { filterOf, viewOf } from '../../records/properties/request.ts';
import { readFeed } from './changes.ts';
import { CloudEventBatch, FeedPage, toCloudEvent } from './schema.ts';

// A new property is a change but not an event: a market's first load would send one for every home.
const CHANGE_TYPES = ['property.created', ...PROPERTY_KINDS];
const { updated_since: _updated, ...filters } = FilterParameters;

const FeedQuery = strict({
  ...filters,
  type: several('Types of change.', { words: CHANGE_TYPES, examples: ['property.sale_recorded'] }),
  from: Type.Optional(
    oneOf(['earliest', 'now'], { default: 'earliest', description: 'Where to start without a cursor.' }),
  ),
  cursor: cursorParameter,
  limit: limitParameter(100, 500),
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 30, description: 'Seconds to wait if there is nothing new yet.' }),
  ),
  format: Type.Optional(oneOf(['json', 'ndjson', 'cloudevents'], { default: 'json' })),
});

export function changeRoutes(app: App, deps: Deps): void {
  app.get(
    '/changes',
    operationsOf('changes')('list_changes', 'List changes', {
      scope: 'changes:read',
      meter: 'none',
      errors: ['plan_feature_unavailable', 'cursor_expired'],
      querystring: FeedQuery,
      response: {
        200: {
          description: 'The changes after the cursor.',
          content: {
            'application/json': { schema: FeedPage },
            'application/x-ndjson': { schema: Type.String({ maxLength: 50_000_000 }) },
            'application/cloudevents-batch+json': { schema: CloudEventBatch },
          },
        },
      },
    }),
    async (request, reply) => {
      const { account, key } = request.caller;
      if (key.mode === 'live' && !termsOf(account).delivery)
        fail('plan_feature_unavailable', 'The change feed is part of the enterprise plan.');
      const { type, from = 'earliest', cursor, limit = 100, wait = 0, format = 'json', ...input } = request.query;
      const isFiltered = Object.keys(input).length > 0;
      const {
        changes,
        isAtEnd,
        cursor: next,
      } = await readFeed(deps, {
        ...viewOf(request),
        filter: isFiltered ? filterOf(request.caller, input) : undefined,
        kinds: type ? readOneOrMore('type', type, CHANGE_TYPES) : undefined,
        from,
        cursor,
        limit,
        waitSeconds: wait,
      });
      void reply.header('x-next-cursor', next);
      if (format === 'ndjson') {
        void reply.type('application/x-ndjson; charset=utf-8');
        return changes.map((change) => `${JSON.stringify(change)}\n`).join('');
      }
      if (format === 'cloudevents') {
        void reply.type('application/cloudevents-batch+json; charset=utf-8').serializer(JSON.stringify);
        return changes.map(toCloudEvent);
      }
      // There is always a cursor to continue from; has_more says whether to do so immediately.
      const page = pageOf(changes, limit, next);
      return { ...page, pagination: { ...page.pagination, has_more: !isAtEnd } };
    },
  );
}
