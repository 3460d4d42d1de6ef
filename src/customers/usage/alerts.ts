// Alerts an account when 50%, 80% or 100% of an allowance is used: one event per step, period and meter.
import { modeOfBooks } from '../accounts/clock-sql.ts';
import type { MeterName } from '../accounts/plans.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import { recordEvent } from '../../base/events/events.ts';
import { type AccountRow } from '../accounts/sql.ts';
import type { Stretch } from '../../base/lib/shares.ts';

export interface UsageAlert {
  percent: number;
  meter: MeterName;
  used: number;
  included: number;
  isHardCapped: boolean;
}

/** Runs in the transaction that counts the usage, so an alert is never lost and never sent for uncounted usage. */
export async function announceUsage(client: Queryable, account: AccountRow, alert: UsageAlert, period: Stretch) {
  const { percent, meter, used, included, isHardCapped } = alert;
  const data = { meter, used, included, period_start: period.start.toISOString() };
  const source = `usage:${period.start.toISOString()}:${meter}`;
  const event = { accountId: account.id, mode: modeOfBooks(account) };
  const reached = { ...data, percent };
  const sourceKey = `${source}:${percent}`;
  await recordEvent(client, { ...event, type: 'usage.threshold_reached', data: reached, sourceKey });
  if (percent < 100 || !isHardCapped) return;
  await recordEvent(client, { ...event, type: 'usage.quota_exhausted', data, sourceKey: `${source}:exhausted` });
}
