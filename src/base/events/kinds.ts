// Every kind of event with its description and example data; read by webhooks, docs and the sandbox's trigger.

interface Kind {
  what: string;
  example: Record<string, unknown>;
}

const PROPERTY = 'prop_r5pv0000000000000000';
const WATCHLIST = 'wl_00000000000000000000';

const change = (what: string, before: object | null, after: object | null, op = 'update'): Kind => ({
  what,
  example: {
    watchlist_id: WATCHLIST,
    property_id: PROPERTY,
    change_id: 'chg_99001_1',
    op,
    changed_fields: Object.keys(after ?? {}),
    before,
    after,
    occurred_at: '2026-03-31T12:00:00.000Z',
  },
});

const kind = (what: string, example: Record<string, unknown>): Kind => ({ what, example });

export const EVENT_KINDS = {
  'property.updated': change('An attribute of the record changed.', { sqft: 1800 }, { sqft: 1850 }),
  'property.sale_recorded': change(
    'A sale was recorded.',
    { last_sale_date: '2018-04-27', last_sale_price: 412000 },
    { last_sale_date: '2026-03-20', last_sale_price: 535000 },
  ),
  'property.owner_changed': change('The owner changed.', { owner_type: 'individual' }, { owner_type: 'company' }),
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
  'watchlist.property_added': kind('A property now matches a watchlist’s filter.', {
    watchlist_id: WATCHLIST,
    property_id: PROPERTY,
  }),
  'watchlist.property_removed': kind('A property no longer matches a watchlist’s filter.', {
    watchlist_id: WATCHLIST,
    property_id: PROPERTY,
  }),
  'watchlist.value_changed': kind('The properties of a watchlist together moved by its `total_change_percent`.', {
    watchlist_id: WATCHLIST,
    value_before: 12500000,
    value_after: 12850000,
    change_percent: 2.8,
  }),
  'batch.completed': kind('Every item of a batch is finished.', {
    batch_id: 'batch_00000000000000000000',
    counts: { total: 100, succeeded: 98, failed: 2 },
  }),
  'batch.failed': kind('A batch could not be finished.', {
    batch_id: 'batch_00000000000000000000',
    reason: 'expired',
    counts: { total: 100, succeeded: 40, failed: 0 },
  }),
  'export.delivered': kind('An export run was fully delivered to its destination.', {
    export_id: 'exp_00000000000000000000',
    run_id: 'run_00000000000000000000',
    row_count: 20000,
    manifest: 'dataset=properties/version=1/date=2026-03-31/run=run_00000000000000000000/_manifest.json',
  }),
  'export.failed': kind('An export run failed and will not be retried.', {
    export_id: 'exp_00000000000000000000',
    run_id: 'run_00000000000000000000',
    reason: 'AccessDenied',
  }),
  'usage.threshold_reached': kind('Usage reached 50%, 80% or 100% of an allowance.', {
    meter: 'standard',
    percent: 80,
    used: 80000,
    included: 100000,
  }),
  'usage.quota_exhausted': kind('An allowance with a hard cap is used up.', {
    meter: 'avm',
    used: 25,
    included: 25,
  }),
  'api_key.rotated': kind('A key was rotated.', {
    key_id: 'key_00000000000000000000',
    successor_id: 'key_00000000000000000001',
    old_key_expires_at: '2026-04-01T12:00:00.000Z',
  }),
  'api_key.expiring': kind('A key expires within seven days.', {
    key_id: 'key_00000000000000000000',
    name: 'CI',
    expires_at: '2026-04-07T12:00:00.000Z',
  }),
  'invoice.finalized': kind('An invoice was finalized.', {
    invoice_id: 'inv_00000000000000000000',
    total_cents: 79900,
  }),
  'model.released': kind('A valuation model was released.', { model_version: '2026.03' }),
  'webhook.failing': kind(
    'A webhook has been failing for one day, or for three. These are the two warnings before it is disabled.',
    {
      webhook_id: 'wh_00000000000000000000',
      warning: 1,
      failing_since: '2026-03-30T12:00:00.000Z',
      disabled_from: '2026-04-04T12:00:00.000Z',
    },
  ),
  'webhook.disabled': kind('A webhook was disabled after failing for five days or because the receiver returned 410.', {
    webhook_id: 'wh_00000000000000000000',
    reason: 'failing',
  }),
  ping: kind('A test event, sent on request.', { message: 'This is a test of your webhook.' }),
} as const satisfies Record<string, Kind>;

export type EventKind = keyof typeof EVENT_KINDS;
export const KIND_NAMES = Object.keys(EVENT_KINDS) as EventKind[];

/** The kinds that reach webhooks through watchlists, because they concern a property and not an account. */
export const PROPERTY_KINDS = KIND_NAMES.filter((name) => name.startsWith('property.') || name === 'valuation.changed');
