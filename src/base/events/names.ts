// The names of all kinds of events, apart from their shapes: the dashboard lists them in a browser.

export const KIND_NAMES = [
  'property.updated',
  'property.sale_recorded',
  'property.owner_changed',
  'property.assessment_updated',
  'property.permit_issued',
  'property.violation_opened',
  'property.violation_closed',
  'property.tax_lien_recorded',
  'property.tax_lien_released',
  'property.flood_zone_changed',
  'property.superseded',
  'valuation.changed',
  'watchlist.property_added',
  'watchlist.property_removed',
  'watchlist.value_changed',
  'batch.completed',
  'batch.failed',
  'export.delivered',
  'export.failed',
  'usage.threshold_reached',
  'usage.quota_exhausted',
  'api_key.rotated',
  'api_key.expiring',
  'invoice.finalized',
  'model.released',
  'webhook.failing',
  'webhook.disabled',
  'ping',
] as const;

export type EventKind = (typeof KIND_NAMES)[number];
