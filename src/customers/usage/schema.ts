// The shapes of usage, plans, the account and the request log.
import Type from 'typebox';
import { PLAN_IDS } from '../accounts/plans.ts';
import * as shape from '../../base/lib/schema.ts';

const count = (options: object = {}) => shape.wholeNumber({ minimum: 0, ...options });
const cents = (options: object = {}) => shape.wholeNumber({ minimum: 0, description: 'Whole cents.', ...options });

const MeterUsage = shape.named('MeterUsage', {
  used: count(),
  reserved: count({ description: 'Held by batches and calls in progress.' }),
  included: shape.nullable(count({ description: 'Null means no monthly limit.' })),
  remaining: shape.nullable(count()),
  overage_units: count(),
  overage_cents: cents(),
});

export const UsageReport = shape.named('Usage', {
  object: shape.oneOf(['usage']),
  plan: shape.oneOf(PLAN_IDS),
  period_start: shape.instant(),
  period_end: shape.instant(),
  standard: MeterUsage,
  avm: MeterUsage,
  hour: shape.named('HourUsage', { limit: count(), used: count(), remaining: count() }),
  projected_overage_cents: cents({
    description: 'Overage at the end of the period if usage continues at the current rate.',
  }),
});

export const DailyUsage = shape.page(
  'DailyUsagePage',
  shape.named('DailyUsage', {
    object: shape.oneOf(['daily_usage']),
    day: shape.isoDay(),
    standard: count(),
    avm: count(),
    by_key: shape.list(Type.Object({ key_id: shape.nullable(shape.text(60)), standard: count(), avm: count() })),
    by_route: shape.list(Type.Object({ route: shape.text(200), standard: count(), avm: count() })),
  }),
);

export const PlanShape = shape.named('Plan', {
  object: shape.oneOf(['plan']),
  id: shape.oneOf(PLAN_IDS),
  name: shape.text(40),
  price_cents_per_month: shape.nullable(cents({ description: 'Null means priced by contract.' })),
  price_cents_per_year: shape.nullable(cents({ description: 'Twelve months, less 20%.' })),
  included_calls: shape.nullable(count({ description: 'Null means no monthly limit.' })),
  included_avm_calls: shape.nullable(count()),
  rate_limit_per_hour: count(),
  limits: shape.list(Type.Object({ name: shape.text(40), amount: count(), window_seconds: count() }), {
    description: 'Every limit of live calls, named as in the `RateLimit-Policy` header.',
  }),
  overage_cents_per_call: shape.nullable(cents({ description: 'Null means overage is not available.' })),
  overage_cents_per_avm_call: shape.nullable(cents()),
  batch_addresses: count(),
  webhooks: count(),
  uptime_percent: shape.nullable(shape.decimal({ minimum: 0, maximum: 100 })),
  support: shape.text(100),
  trial_days: shape.nullable(count()),
  change_feed_and_delivery: Type.Boolean(),
});
export const PlanPage = shape.page('PlanPage', PlanShape);

export const AccountShape = shape.named('Account', {
  object: shape.oneOf(['account']),
  id: shape.text(40),
  name: shape.text(200),
  status: shape.oneOf(['active', 'suspended', 'closed']),
  created_at: shape.instant(),
  mode: shape.oneOf(['live', 'test'], { description: 'Mode of the key making the request.' }),
  trial_ends_at: shape.nullable(shape.instant()),
  needs_card: Type.Boolean({ description: 'True if the trial is waiting for a card to start.' }),
  plan: PlanShape,
});

export const RequestEntry = shape.named('RequestEntry', {
  object: shape.oneOf(['request']),
  request_id: shape.text(64),
  at: shape.instant(),
  mode: shape.oneOf(['live', 'test']),
  key_id: shape.nullable(shape.text(60)),
  method: shape.text(10),
  route: shape.text(200, { description: 'The path template.' }),
  status: shape.wholeNumber({ minimum: 100, maximum: 599 }),
  duration_ms: shape.decimal({ minimum: 0 }),
  meter: shape.oneOf(['standard', 'avm', 'none']),
  units: count(),
  error_code: shape.nullable(shape.text(64)),
});
export const RequestPage = shape.page('RequestPage', RequestEntry);

const headers = Type.Record(Type.String({ maxLength: 60 }), shape.text(2_000));
const KEPT_TEXT_CHARACTERS = 40_000;

export const RequestExchange = shape.named('RequestExchange', {
  url: shape.text(20_000, { description: 'Path and query.' }),
  request_headers: headers,
  request_body: shape.nullable(
    shape.text(KEPT_TEXT_CHARACTERS, { description: 'JSON; null if there was none or it is too long.' }),
  ),
  response_headers: headers,
  response_body: shape.nullable(
    shape.text(KEPT_TEXT_CHARACTERS, { description: 'JSON; null if it is too long, a file or about people.' }),
  ),
  response_bytes: shape.nullable(count()),
});
export const RequestDetail = shape.named('RequestDetail', {
  ...RequestEntry.properties,
  exchange: shape.nullable(RequestExchange),
});
