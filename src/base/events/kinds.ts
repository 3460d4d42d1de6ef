// Every kind of event: when it is sent, the shape of its data, and an example. The sender, the docs, OpenAPI, the SDK's
// types and the sandbox's trigger all read this table.
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { decimal, instant, isoDay, list, nullable, oneOf, STRICT, text, wholeNumber } from '../lib/schema.ts';
import { KIND_NAMES, type EventKind } from './names.ts';

interface Kind<Shape extends TObject = TObject> {
  what: string;
  data: Shape;
  example: Static<Shape>;
}

const shape = <Members extends TProperties>(members: Members, title?: string): TObject<Members> =>
  Type.Object(members, { ...STRICT, ...(title && { title }) });

const kind = <Shape extends TObject>(what: string, data: Shape, example: Static<Shape>): Kind<Shape> => ({
  what,
  data,
  example,
});

const id = () => text(40);
const count = () => wholeNumber({ minimum: 0 });

const fields = nullable(Type.Record(Type.String({ maxLength: 60 }), Type.Unknown()));
const PropertyChange = shape(
  {
    watchlist_id: id(),
    property_id: id(),
    change_id: text(60),
    op: oneOf(['insert', 'update', 'retire']),
    changed_fields: list(text(60)),
    before: fields,
    after: fields,
    truncated: Type.Optional(
      Type.Literal(true, {
        description: 'The change is too large to send: `before` and `after` are null. Read the feed.',
      }),
    ),
    occurred_at: instant(),
  },
  'PropertyChangeData',
);

const PROPERTY = 'prop_r5pv0000000000000000';
const WATCHLIST = 'wl_00000000000000000000';
const BATCH = 'batch_00000000000000000000';
const EXPORT = { export_id: 'exp_00000000000000000000', run_id: 'run_00000000000000000000' };
const KEY = 'key_00000000000000000000';
const WEBHOOK = { webhook_id: 'wh_00000000000000000000', url: 'https://example.com/platbook' };

const change = (
  what: string,
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
  op: 'update' | 'retire' = 'update',
) =>
  kind(what, PropertyChange, {
    watchlist_id: WATCHLIST,
    property_id: PROPERTY,
    change_id: 'chg_99001_1',
    op,
    changed_fields: after === null ? ['owner'] : Object.keys(after),
    before,
    after,
    occurred_at: '2026-03-31T12:00:00.000Z',
  });

const Membership = shape({
  watchlist_id: id(),
  property_id: id(),
  change_id: Type.Optional(
    text(60, { description: 'The change that caused it; absent where the filter was refreshed.' }),
  ),
});
const membership = { watchlist_id: WATCHLIST, property_id: PROPERTY, change_id: 'chg_99001_1' };
const BatchCounts = shape({ total: count(), succeeded: count(), failed: count() });
const RunMembers = { export_id: id(), run_id: id() };
const UsageMembers = { meter: oneOf(['standard', 'avm']), used: count(), included: count(), period_start: instant() };
const WebhookMembers = { webhook_id: id(), url: text(2_000) };

export const EVENT_KINDS = {
  'property.updated': change('An attribute of the record changed.', { sqft: 1800 }, { sqft: 1850 }),
  'property.sale_recorded': change(
    'A sale was recorded.',
    { last_sale_date: '2018-04-27', last_sale_price: 412000 },
    { last_sale_date: '2026-03-20', last_sale_price: 535000 },
  ),
  'property.owner_changed': change('The owner changed; who it is, the record says.', null, null),
  'property.assessment_updated': change(
    'The assessed value changed.',
    { assessed_value: 398000 },
    { assessed_value: 421000 },
  ),
  'property.permit_issued': change(
    'A permit was issued.',
    { permit_count: 2 },
    { permit_count: 3, last_permit_date: '2026-03-28' },
  ),
  'property.violation_opened': change('A code violation was opened.', { open_violations: 0 }, { open_violations: 1 }),
  'property.violation_closed': change('A code violation was closed.', { open_violations: 1 }, { open_violations: 0 }),
  'property.tax_lien_recorded': change('A tax lien was recorded.', { open_tax_liens: 0 }, { open_tax_liens: 1 }),
  'property.tax_lien_released': change('A tax lien was released.', { open_tax_liens: 1 }, { open_tax_liens: 0 }),
  'property.flood_zone_changed': change(
    'The flood zone changed.',
    { flood_zone: 'X', flood_sfha: false },
    { flood_zone: 'AE', flood_sfha: true },
  ),
  'property.superseded': change(
    'The parcel was merged or split.',
    { status: 'active' },
    { status: 'retired', successors: [PROPERTY] },
    'retire',
  ),
  'valuation.changed': change(
    'The stored value moved by at least the watchlist’s threshold.',
    { value: 500000 },
    { value: 535000 },
  ),
  'watchlist.property_added': kind('A property now matches a watchlist’s filter.', Membership, membership),
  'watchlist.property_removed': kind('A property no longer matches a watchlist’s filter.', Membership, membership),
  'watchlist.value_changed': kind(
    'The properties of a watchlist together moved by its `total_change_percent`.',
    shape({ watchlist_id: id(), value_before: count(), value_after: count(), change_percent: decimal() }),
    { watchlist_id: WATCHLIST, value_before: 12500000, value_after: 12850000, change_percent: 2.8 },
  ),
  'batch.completed': kind('Every item of a batch is finished.', shape({ batch_id: id(), counts: BatchCounts }), {
    batch_id: BATCH,
    counts: { total: 100, succeeded: 98, failed: 2 },
  }),
  'batch.failed': kind(
    'A batch could not be finished.',
    shape({ batch_id: id(), reason: oneOf(['expired']), counts: BatchCounts }),
    { batch_id: BATCH, reason: 'expired', counts: { total: 100, succeeded: 40, failed: 0 } },
  ),
  'export.delivered': kind(
    'An export run was fully delivered to its destination.',
    shape({ ...RunMembers, dataset: text(40), row_count: count(), manifest: nullable(text(1_000)) }),
    {
      ...EXPORT,
      dataset: 'properties',
      row_count: 20000,
      manifest: `dataset=properties/version=1/date=2026-03-31/run=${EXPORT.run_id}/_manifest.json`,
    },
  ),
  'export.failed': kind('An export run failed and will not be retried.', shape({ ...RunMembers, reason: text(500) }), {
    ...EXPORT,
    reason: 'AccessDenied',
  }),
  'usage.threshold_reached': kind(
    'Usage reached 50%, 80% or 100% of an allowance.',
    shape({ ...UsageMembers, percent: count() }),
    { meter: 'standard', used: 80000, included: 100000, period_start: '2026-03-01T00:00:00.000Z', percent: 80 },
  ),
  'usage.quota_exhausted': kind('An allowance with a hard cap is used up.', shape(UsageMembers), {
    meter: 'avm',
    used: 25,
    included: 25,
    period_start: '2026-03-01T00:00:00.000Z',
  }),
  'api_key.rotated': kind(
    'A key was rotated.',
    shape({ key_id: id(), successor_id: id(), old_key_expires_at: instant() }),
    { key_id: KEY, successor_id: 'key_00000000000000000001', old_key_expires_at: '2026-04-01T12:00:00.000Z' },
  ),
  'api_key.expiring': kind(
    'A key expires within seven days.',
    shape({ key_id: id(), name: text(200), expires_at: instant() }),
    { key_id: KEY, name: 'CI', expires_at: '2026-04-07T12:00:00.000Z' },
  ),
  'invoice.finalized': kind(
    'An invoice was finalized.',
    shape({ invoice_id: id(), number: text(40), total_cents: count() }),
    { invoice_id: 'inv_00000000000000000000', number: 'PB-2026-000001', total_cents: 79900 },
  ),
  'model.released': kind(
    'A valuation model was released.',
    shape({ model_version: text(80), market: text(60), trained_on: isoDay() }),
    { model_version: 'sandbox-2026-03-31', market: 'sandbox', trained_on: '2026-03-31' },
  ),
  'webhook.failing': kind(
    'A webhook has been failing for one day, or for three. These are the two warnings before it is disabled.',
    shape({
      ...WebhookMembers,
      warning: wholeNumber({ minimum: 1 }),
      failing_since: instant(),
      disabled_from: instant(),
    }),
    {
      ...WEBHOOK,
      warning: 1,
      failing_since: '2026-03-30T12:00:00.000Z',
      disabled_from: '2026-04-04T12:00:00.000Z',
    },
  ),
  'webhook.disabled': kind(
    'A webhook was disabled after failing for five days or because the receiver returned 410.',
    shape({ ...WebhookMembers, reason: oneOf(['failing', 'gone']) }),
    { ...WEBHOOK, reason: 'failing' },
  ),
  ping: kind('A test event, sent on request.', shape({ message: text(200) }), {
    message: 'This is a test of your webhook.',
  }),
} as const satisfies Record<EventKind, Kind>;

export type EventData<Name extends EventKind> = Static<(typeof EVENT_KINDS)[Name]['data']>;

/** The kinds that reach webhooks through watchlists, because they concern a property and not an account. */
export type PropertyKind = Extract<EventKind, `property.${string}` | 'valuation.changed'>;
export const PROPERTY_KINDS = KIND_NAMES.filter(
  (name): name is PropertyKind => name.startsWith('property.') || name === 'valuation.changed',
);

export const EventDataShape = Type.Object(
  Object.fromEntries(KIND_NAMES.map((name) => [name, EVENT_KINDS[name].data])),
  { title: 'EventData', description: 'The `data` of an event, by its `type`.' },
);
