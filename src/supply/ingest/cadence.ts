// How often a publisher brings out new data, and what follows from it: when to look again, and when what we have is stale.
import { CADENCE_DAYS, DAY_MS, HOUR_MS } from '../../base/lib/clock.ts';

/** A source is stale when two new editions should have been there. */
const STALE_AFTER = 2;

export interface LastLook {
  cadence: string | null;
  /** The last time we had what the publisher had: a load, or a look that found nothing new. */
  checkedAt: Date | null;
  /** Looks since then that failed, and when the last of them did. */
  failures: number;
  failedAt: Date | null;
}

export type Freshness = ReturnType<typeof freshnessOf>;

/** Not due, with no next time, where nothing new is expected. */
export function freshnessOf({ cadence, checkedAt, failures, failedAt }: LastLook, now: Date) {
  const days = CADENCE_DAYS[cadence ?? ''];
  if (days === undefined || !checkedAt) return { checkedAt, nextDueAt: null, isDue: false, isStale: false };
  const regular = checkedAt.getTime() + days * DAY_MS;
  // A publisher that is down is asked again after an hour, then less and less often.
  const again = failedAt ? failedAt.getTime() + Math.min(HOUR_MS * 2 ** (failures - 1), DAY_MS) : 0;
  const nextDueAt = new Date(Math.max(regular, again));
  return {
    checkedAt,
    nextDueAt,
    isDue: nextDueAt <= now,
    isStale: now.getTime() > checkedAt.getTime() + STALE_AFTER * days * DAY_MS,
  };
}
