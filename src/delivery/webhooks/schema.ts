// The shapes of webhooks, deliveries and events.
import Type from 'typebox';
import { EVENT_KINDS } from '../../base/events/kinds.ts';
import { KIND_NAMES } from '../../base/events/names.ts';
import { instant, list, named, namedStrict, nullable, oneOf, page, text, wholeNumber } from '../../base/lib/schema.ts';

const GROUPS = [...new Set(KIND_NAMES.map((name) => (name.includes('.') ? `${name.split('.')[0]}.*` : name)))];
const EVENT_PATTERNS = [...new Set(['*', ...GROUPS, ...KIND_NAMES])];

const url = text(2_000, {
  format: 'uri',
  description: 'A public HTTPS URL on port 443 or 8443.',
  examples: ['https://example.com/platbook'],
});
const description = text(500);
const FORMATS = ['json', 'slack'] as const;
const format = oneOf(FORMATS, {
  default: 'json',
  description: '`slack`: `text` and `blocks` for the URL of a Slack incoming webhook, instead of the event.',
});
const events = Type.Array(oneOf(EVENT_PATTERNS), {
  minItems: 1,
  maxItems: EVENT_PATTERNS.length,
  uniqueItems: true,
  description: 'Event kinds, groups such as `property.*`, or `*` for all.',
  examples: [['property.*', 'batch.completed']],
});

export const Webhook = named('Webhook', {
  object: oneOf(['webhook']),
  id: text(40),
  mode: oneOf(['live', 'test']),
  url,
  description,
  events,
  format,
  status: oneOf(['enabled', 'disabled']),
  disabled_reason: nullable(text(60, { description: '`failing`, `gone` (the receiver returned 410) or `requested`.' })),
  failing_since: nullable(instant({ description: 'When deliveries started failing. Null while they succeed.' })),
  warnings: wholeNumber({
    minimum: 0,
    maximum: 2,
    description: 'Warnings sent, after one and three days of failure.',
  }),
  previous_secret_expires_at: nullable(
    instant({ description: 'Until then, deliveries carry a second signature made with the previous secret.' }),
  ),
  created_at: instant(),
  updated_at: instant(),
});
export const WebhookWithSecret = named('WebhookWithSecret', {
  ...Webhook.properties,
  secret: text(100, { description: 'Verifies signatures. Shown only once.' }),
});
export const WebhookPage = page('WebhookPage', Webhook);

const optional = Type.Optional;
const settings = { description: optional(description), events: optional(events), format: optional(format) };

export const NewWebhook = namedStrict('NewWebhook', { url, ...settings });
export const WebhookPatch = namedStrict('WebhookPatch', {
  url: optional(url),
  ...settings,
  status: Type.Optional(oneOf(['enabled', 'disabled'])),
});
export const SecretRotation = namedStrict('SecretRotation', {
  overlap_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      format: 'int64',
      default: 24,
      description: 'How long both secrets are used to sign.',
    }),
  ),
});
export const Redelivery = namedStrict('Redelivery', {
  since: instant({ description: 'Deliveries created at or after this time that have not arrived are sent again.' }),
  until: Type.Optional(instant({ description: 'Only those created before this time.' })),
});
export const RedeliveryCount = named('RedeliveryCount', {
  object: oneOf(['redelivery']),
  webhook_id: text(40),
  delivery_count: wholeNumber({ minimum: 0 }),
});

export const Event = named('Event', {
  object: oneOf(['event']),
  id: text(40, { description: 'Same as the `webhook-id` header.' }),
  type: oneOf(KIND_NAMES),
  timestamp: instant(),
  sequence: wholeNumber({ description: 'Increases over time. Use it to order events.' }),
  mode: oneOf(['live', 'test']),
  data: Type.Record(Type.String({ maxLength: 60 }), Type.Unknown(), { description: 'See `EventData`.' }),
});
export const EventPage = page('EventPage', Event);

export const TriggeredEvent = namedStrict('TriggeredEvent', {
  type: oneOf(KIND_NAMES, { description: `One of ${Object.keys(EVENT_KINDS).length} kinds.` }),
  data: Type.Optional(
    Type.Record(Type.String({ maxLength: 60 }), Type.Unknown(), {
      description: 'Members of the kind’s data that override those of its example.',
    }),
  ),
});

export const Delivery = named('WebhookDelivery', {
  object: oneOf(['webhook_delivery']),
  id: text(40),
  webhook_id: text(40),
  event_id: text(40),
  event_type: text(60),
  sequence: wholeNumber(),
  status: oneOf(['pending', 'succeeded', 'failed']),
  attempt_count: wholeNumber({ minimum: 0 }),
  next_attempt_at: nullable(instant()),
  last_response_status: nullable(wholeNumber()),
  last_error: nullable(text(1_000)),
  created_at: instant(),
  finished_at: nullable(instant()),
});
export const DeliveryPage = page('WebhookDeliveryPage', Delivery);
export const Attempt = named('WebhookAttempt', {
  attempt: wholeNumber({ minimum: 1 }),
  attempted_at: instant(),
  duration_ms: wholeNumber({ minimum: 0 }),
  response_status: nullable(wholeNumber()),
  response_body: nullable(text(5_000, { description: 'Truncated to 4 kB.' })),
  error: nullable(text(1_000)),
});
export const DeliveryWithLog = named('WebhookDeliveryWithLog', {
  ...Delivery.properties,
  payload: Event,
  attempts: list(Attempt),
});
