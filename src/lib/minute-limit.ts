// A per-minute limit in the memory of one process: a coarse guard against floods, not a promise.
import { LRUCache } from 'lru-cache';

const MINUTE_MS = 60_000;
const MAX_SUBJECTS = 100_000;

export function createMinuteLimit(limit: number) {
  const counts = new LRUCache<string, { minute: number; count: number }>({ max: MAX_SUBJECTS });
  return {
    /** Undefined, or the seconds until the minute is over. */
    take(subject: string, now: Date): number | undefined {
      const minute = Math.floor(now.getTime() / MINUTE_MS);
      let entry = counts.get(subject);
      if (!entry || entry.minute !== minute) counts.set(subject, (entry = { minute, count: 0 }));
      entry.count += 1;
      return entry.count > limit ? Math.ceil(((minute + 1) * MINUTE_MS - now.getTime()) / 1000) : undefined;
    },
    remaining(subject: string, now: Date): number {
      const entry = counts.get(subject);
      const isPresent = entry !== undefined && entry.minute === Math.floor(now.getTime() / MINUTE_MS);
      return Math.max(0, limit - (isPresent ? entry.count : 0));
    },
    isFull(subject: string, now: Date): boolean {
      return this.remaining(subject, now) === 0;
    },
  };
}
