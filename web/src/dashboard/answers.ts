// Response types for the dashboard, derived from the server's schemas.
import type { Static } from 'typebox';
import type { Key, KeyWithSecret } from '../../../src/customers/accounts/schema.ts';
import type { Batch as BatchSchema } from '../../../src/delivery/batches/schema.ts';
import type { BillingShape } from '../../../src/customers/billing/schema.ts';
import type {
  AccountShape,
  DailyUsage,
  RequestDetail,
  RequestEntry,
  UsageReport,
} from '../../../src/customers/usage/schema.ts';
import type {
  Delivery as DeliverySchema,
  DeliveryWithLog,
  Webhook as WebhookSchema,
  WebhookWithSecret,
} from '../../../src/delivery/webhooks/schema.ts';

export type ApiKey = Static<typeof Key>;
export type NewApiKey = Static<typeof KeyWithSecret>;
export type Usage = Static<typeof UsageReport>;
export type Account = Static<typeof AccountShape>;
export type UsageDay = Static<typeof DailyUsage>['data'][number];
export type LoggedRequest = Static<typeof RequestEntry>;
export type FullRequest = Static<typeof RequestDetail>;
export type Webhook = Static<typeof WebhookSchema>;
export type NewWebhook = Static<typeof WebhookWithSecret>;
export type Delivery = Static<typeof DeliverySchema>;
export type DeliveryLog = Static<typeof DeliveryWithLog>;
export type Batch = Static<typeof BatchSchema>;
export type Billing = Static<typeof BillingShape>;
