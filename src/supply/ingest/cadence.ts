// Publication cadence, and the resulting next check and staleness.
import { CADENCE_DAYS, DAY_MS, HOUR_MS } from '../../base/lib/clock.ts';

/** A source is stale when two new editions should have come out. */
const STALE_AFTER = 2;

export interface LastLook {
  cadence: string | null;
  /** When our data was last current: a load, or a check that found nothing new. */
  checkedAt: Date | null;
  /** Failed checks since then, and the time of the last one. */
  failures: number;
  failedAt: Date | null;
}

export type Freshness = ReturnType<typeof freshnessOf>;

/** Not due, with no next time, if nothing new is expected. */
export function freshnessOf({ cadence, checkedAt, failures, failedAt }: LastLook, now: Date) {
  const days = CADENCE_DAYS[cadence ?? ''];
  if (days === undefined || !checkedAt) return { checkedAt, nextDueAt: null, isDue: false, isStale: false };
  const regular = checkedAt.getTime() + days * DAY_MS;
  // A publisher that is down is retried after an hour, then with increasing intervals.
  const again = failedAt ? failedAt.getTime() + Math.min(HOUR_MS * 2 ** (failures - 1), DAY_MS) : 0;
  const nextDueAt = new Date(Math.max(regular, again));
  return {
    checkedAt,
    nextDueAt,
    isDue: nextDueAt <= now,
    isStale: now.getTime() > checkedAt.getTime() + STALE_AFTER * days * DAY_MS,
  };
}
