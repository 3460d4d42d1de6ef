// When to retry a delivery, and when an endpoint has failed for too long. Pure.
import { createHash } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/lib/clock.ts';

const SECOND_MS = 1_000;
const HOURS = [2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS);
/** The pauses between ten attempts, as Standard Webhooks recommends: 75.5 hours in all. */
export const PAUSES_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, ...HOURS];
const JITTER = 0.2;
const LONGEST_RETRY_AFTER_MS = DAY_MS;

/** The pause after this many attempts, jittered by ±20% per delivery; undefined if there are no more attempts. */
export function pauseAfter(attempts: number, deliveryId: string, retryAfterMs: number | undefined): number | undefined {
  const base = PAUSES_MS[attempts - 1];
  if (base === undefined) return undefined;
  const dice = createHash('sha256').update(`${deliveryId}:${attempts}`).digest().readUInt32BE(0) / 2 ** 32;
  const spread = Math.round(base * (1 + JITTER * (2 * dice - 1)));
  return Math.max(spread, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS));
}

/** Milliseconds from a `Retry-After` header, which holds seconds or an HTTP date. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND_MS;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

const WARN_AFTER_MS = [DAY_MS, 3 * DAY_MS];
export const DISABLE_AFTER_MS = 5 * DAY_MS;

/** One step at a time: no endpoint is disabled without two warnings. */
export function judgeFailing(failingSince: Date, warnings: number, now: Date): 'wait' | 'warn' | 'disable' {
  const failingMs = now.getTime() - failingSince.getTime();
  if (warnings < WARN_AFTER_MS.length) return failingMs >= WARN_AFTER_MS[warnings] ? 'warn' : 'wait';
  return failingMs >= DISABLE_AFTER_MS ? 'disable' : 'wait';
}
