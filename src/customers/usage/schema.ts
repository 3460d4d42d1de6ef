// The shapes of usage, plans, the account and the request log.
import Type from 'typebox';
import { PLAN_IDS } from '../accounts/plans.ts';
import {
  decimal,
  instant,
  isoDay,
  list,
  named,
  nullable,
  oneOf,
  page,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';

const count = (options: object = {}) => wholeNumber({ minimum: 0, ...options });
const cents = (options: object = {}) => wholeNumber({ minimum: 0, description: 'Whole cents.', ...options });

const MeterUsage = named('MeterUsage', {
  used: count(),
  reserved: count({ description: 'Held by batches and calls in progress.' }),
  included: nullable(count({ description: 'Null means no monthly limit.' })),
  remaining: nullable(count()),
  overage_units: count(),
  overage_cents: cents(),
});

export const UsageReport = named('Usage', {
  object: oneOf(['usage']),
  plan: oneOf(PLAN_IDS),
  period_start: instant(),
  period_end: instant(),
  standard: MeterUsage,
  avm: MeterUsage,
  hour: named('HourUsage', { limit: count(), used: count(), remaining: count() }),
  projected_overage_cents: cents({
    description: 'Overage at the end of the period if usage continues at the current rate.',
  }),
});

export const DailyUsage = page(
  'DailyUsagePage',
  named('DailyUsage', {
    object: oneOf(['daily_usage']),
    day: isoDay(),
    standard: count(),
    avm: count(),
    by_key: list(Type.Object({ key_id: nullable(text(60)), standard: count(), avm: count() })),
    by_route: list(Type.Object({ route: text(200), standard: count(), avm: count() })),
  }),
);

export const PlanShape = named('Plan', {
  object: oneOf(['plan']),
  id: oneOf(PLAN_IDS),
  name: text(40),
  price_cents_per_month: nullable(cents({ description: 'Null means priced by contract.' })),
  price_cents_per_year: nullable(cents({ description: 'Twelve months, less 20%.' })),
  included_calls: nullable(count({ description: 'Null means no monthly limit.' })),
  included_avm_calls: nullable(count()),
  rate_limit_per_hour: count(),
  limits: list(Type.Object({ name: text(40), amount: count(), window_seconds: count() }), {
    description: 'Every limit of live calls, named as in the `RateLimit-Policy` header.',
  }),
  overage_cents_per_call: nullable(cents({ description: 'Null means overage is not available.' })),
  overage_cents_per_avm_call: nullable(cents()),
  batch_addresses: count(),
  webhooks: count(),
  uptime_percent: nullable(decimal({ minimum: 0, maximum: 100 })),
  support: text(100),
  trial_days: nullable(count()),
  change_feed_and_delivery: Type.Boolean(),
});
export const PlanPage = page('PlanPage', PlanShape);

export const AccountShape = named('Account', {
  object: oneOf(['account']),
  id: text(40),
  name: text(200),
  status: oneOf(['active', 'suspended', 'closed']),
  created_at: instant(),
  mode: oneOf(['live', 'test'], { description: 'Mode of the key making the request.' }),
  trial_ends_at: nullable(instant()),
  needs_card: Type.Boolean({ description: 'True if the trial is waiting for a card to start.' }),
  plan: PlanShape,
});

export const RequestEntry = named('RequestEntry', {
  object: oneOf(['request']),
  request_id: text(64),
  at: instant(),
  mode: oneOf(['live', 'test']),
  key_id: nullable(text(60)),
  method: text(10),
  route: text(200, { description: 'The path template.' }),
  status: wholeNumber({ minimum: 100, maximum: 599 }),
  duration_ms: decimal({ minimum: 0 }),
  meter: oneOf(['standard', 'avm', 'none']),
  units: count(),
  error_code: nullable(text(64)),
});
export const RequestPage = page('RequestPage', RequestEntry);

const headers = Type.Record(Type.String({ maxLength: 60 }), text(2_000));
const KEPT_TEXT_CHARACTERS = 40_000;

export const RequestExchange = named('RequestExchange', {
  url: text(20_000, { description: 'Path and query.' }),
  request_headers: headers,
  request_body: nullable(
    text(KEPT_TEXT_CHARACTERS, { description: 'JSON; null if there was none or it is too long.' }),
  ),
  response_headers: headers,
  response_body: nullable(
    text(KEPT_TEXT_CHARACTERS, { description: 'JSON; null if it is too long, a file or about people.' }),
  ),
  response_bytes: nullable(count()),
});
export const RequestDetail = named('RequestDetail', {
  ...RequestEntry.properties,
  exchange: nullable(RequestExchange),
});
