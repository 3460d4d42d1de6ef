// Every kind of event: when it is sent, the shape of its data, and an example. The sender, the docs, OpenAPI, the SDK's
// types and the sandbox's trigger all read this table. The sentences and examples are in kinds.json.
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { decimal, instant, isoDay, list, nullable, oneOf, STRICT, text, wholeNumber } from '../lib/schema.ts';
import written from './kinds.json' with { type: 'json' };
import { KIND_NAMES, type EventKind } from './names.ts';

const shape = <Members extends TProperties>(members: Members, title?: string): TObject<Members> =>
  Type.Object(members, { ...STRICT, ...(title && { title }) });

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

const Membership = shape({
  watchlist_id: id(),
  property_id: id(),
  change_id: Type.Optional(
    text(60, { description: 'The change that caused it; absent where the filter was refreshed.' }),
  ),
});
const BatchCounts = shape({ total: count(), succeeded: count(), failed: count() });
const RunMembers = { export_id: id(), run_id: id() };
const UsageMembers = { meter: oneOf(['standard', 'avm']), used: count(), included: count(), period_start: instant() };
const WebhookMembers = { webhook_id: id(), url: text(2_000) };

/** Changes to a registered loan after closing. */
export const CHANGE_CODES = [
  'mortgage_released',
  'senior_mortgage',
  'junior_mortgage',
  'lien_recorded',
  'position_changed',
  'tax_lien_recorded',
  'tax_lien_ended',
  'foreclosure_notice',
  'foreclosure_ended',
  'title_transferred',
  'violation_opened',
  'permit_issued',
  'flood_zone_changed',
  'ltv_above',
  'ltv_back_below',
] as const;

/** The kinds that reach webhooks through watchlists, because they concern a property rather than an account. */
export type PropertyKind = Extract<EventKind, `property.${string}` | 'valuation.changed'>;
export const PROPERTY_KINDS = KIND_NAMES.filter(
  (name): name is PropertyKind => name.startsWith('property.') || name === 'valuation.changed',
);

const SHAPES = {
  ...(Object.fromEntries(PROPERTY_KINDS.map((name) => [name, PropertyChange])) as {
    [Name in PropertyKind]: typeof PropertyChange;
  }),
  'watchlist.property_added': Membership,
  'watchlist.property_removed': Membership,
  'watchlist.value_changed': shape({
    watchlist_id: id(),
    value_before: count(),
    value_after: count(),
    change_percent: decimal(),
  }),
  'loan.changed': shape({
    loan_id: id(),
    property_id: id(),
    reference: nullable(text(100)),
    changes: list(shape({ code: oneOf(CHANGE_CODES), detail: text(400) })),
    ltv: nullable(decimal()),
  }),
  'batch.completed': shape({ batch_id: id(), counts: BatchCounts }),
  'batch.failed': shape({ batch_id: id(), reason: oneOf(['expired']), counts: BatchCounts }),
  'export.delivered': shape({
    ...RunMembers,
    dataset: text(40),
    row_count: count(),
    manifest: nullable(text(1_000)),
  }),
  'export.failed': shape({ ...RunMembers, reason: text(500) }),
  'usage.threshold_reached': shape({ ...UsageMembers, percent: count() }),
  'usage.quota_exhausted': shape(UsageMembers),
  'api_key.rotated': shape({ key_id: id(), successor_id: id(), old_key_expires_at: instant() }),
  'api_key.expiring': shape({ key_id: id(), name: text(200), expires_at: instant() }),
  'invoice.finalized': shape({ invoice_id: id(), number: text(40), total_cents: count() }),
  'receipts.anchored': shape({
    account_id: id(),
    anchored_at: instant(),
    receipts: count(),
    root: text(64),
    audit_sequence: count(),
    signature: text(100, {
      description: 'Ed25519 over the first four members, in base64; the key is /receipt-key.pem.',
    }),
  }),
  'model.released': shape({ model_version: text(80), market: text(60), trained_on: isoDay() }),
  'webhook.failing': shape({
    ...WebhookMembers,
    warning: wholeNumber({ minimum: 1 }),
    failing_since: instant(),
    disabled_from: instant(),
  }),
  'webhook.disabled': shape({ ...WebhookMembers, reason: oneOf(['failing', 'gone']) }),
  ping: shape({ message: text(200) }),
} satisfies Record<EventKind, TObject>;

export type EventData<Name extends EventKind> = Static<(typeof SHAPES)[Name]>;

interface WrittenChange {
  what: string;
  op?: 'retire';
  before: object | null;
  after: object | null;
}

/** Examples of property changes differ only in the change; the file has the other examples in full. */
const exampleOf = (kind: { example: object } | WrittenChange) =>
  'example' in kind
    ? kind.example
    : {
        watchlist_id: 'wl_00000000000000000000',
        property_id: 'prop_r5pv0000000000000000',
        change_id: 'chg_99001_1',
        op: kind.op ?? 'update',
        changed_fields: kind.after === null ? ['owner'] : Object.keys(kind.after),
        before: kind.before,
        after: kind.after,
        occurred_at: '2026-03-31T12:00:00.000Z',
      };

export const EVENT_KINDS = Object.fromEntries(
  KIND_NAMES.map((name) => {
    const kind = written[name] as { what: string; example: object } | WrittenChange;
    return [name, { what: kind.what, data: SHAPES[name], example: exampleOf(kind) }];
  }),
) as { [Name in EventKind]: { what: string; data: (typeof SHAPES)[Name]; example: EventData<Name> } };

export const EventDataShape = Type.Object(SHAPES, {
  title: 'EventData',
  description: 'The `data` of an event, by its `type`.',
});
