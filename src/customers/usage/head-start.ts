// Lets a call go ahead of its count where its limit is far away, so that a caller who waits for each answer does not
// also wait for a round trip that can only say yes. The count follows within milliseconds, with those of other calls.
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { AdmissionRequest, AdmissionRow } from './sql.ts';
import { entryOf } from '../../base/lib/must.ts';

/** What is known of a window counts for so long. */
const FRESH_MS = 1_000;
/** So many calls, and so large a share of the limit, must be left: more than all processes could use up meanwhile. */
const LEAST_LEFT = 1_000;
const LEAST_SHARE_LEFT = 0.01;
/** Calls of one subject that a process has let go and not counted yet. */
const MOST_AHEAD = 20;
const COUNT_AFTER_MS = 20;
const SUBJECTS = 50_000;

interface Window {
  limit: number;
  used: number;
  resetSecond: number | null;
  knownAt: number;
}

interface HeadStart {
  /** Undefined if the call must be decided first. */
  letGo(request: AdmissionRequest): AdmissionRow | undefined;
  learn(request: AdmissionRequest, row: AdmissionRow): void;
  /** Calls of a subject that went ahead and that no statement has counted yet. */
  uncounted(subject: string | null): number;
  /** When all that were let go so far are counted. */
  settle(): Promise<void>;
}

export function createHeadStart(count: (request: AdmissionRequest) => Promise<AdmissionRow>): HeadStart {
  const windows = new LRUCache<string, Window>({ max: SUBJECTS });
  const ahead = new Map<string, number>();
  const going: AdmissionRequest[] = [];
  let counting: Promise<void> | undefined;

  function isFar(subject: string, limit: number): boolean {
    const window = windows.get(subject);
    if (!window || window.limit !== limit || performance.now() - window.knownAt > FRESH_MS) return false;
    const own = ahead.get(subject) ?? 0;
    return own < MOST_AHEAD && limit - window.used - own >= Math.max(LEAST_LEFT, LEAST_SHARE_LEFT * limit);
  }

  function addTo(subject: string, calls: number): void {
    const sum = (ahead.get(subject) ?? 0) + calls;
    if (sum === 0) ahead.delete(subject);
    else ahead.set(subject, sum);
  }

  const usedBy = (subject: string): number => entryOf(windows, subject).used + entryOf(ahead, subject);

  async function countAll(): Promise<void> {
    while (going.length > 0) {
      await sleep(COUNT_AFTER_MS);
      await Promise.all(
        going.splice(0).map(async (request) => {
          try {
            const row = await count(request);
            learn(request, row);
          } catch {
            // The database is away. The next call is decided first, and is told so.
            for (const subject of subjectsOf(request)) windows.delete(subject);
          } finally {
            for (const subject of subjectsOf(request)) addTo(subject, -1);
          }
        }),
      );
    }
    counting = undefined;
  }

  function learn(request: AdmissionRequest, row: AdmissionRow): void {
    const knownAt = performance.now();
    windows.set(request.subject, { limit: request.lim, used: row.used, resetSecond: row.reset_second, knownAt });
    if (request.key_subject !== null)
      windows.set(request.key_subject, {
        limit: request.key_lim!,
        used: row.key_used ?? 0,
        resetSecond: row.key_reset_second,
        knownAt,
      });
  }

  return {
    letGo(request) {
      const { subject, lim, key_subject, key_lim, hold } = request;
      if (hold !== null || !isFar(subject, lim) || (key_subject !== null && !isFar(key_subject, key_lim!)))
        return undefined;
      for (const each of subjectsOf(request)) addTo(each, 1);
      going.push(request);
      counting ??= countAll();
      return {
        n: 0,
        verdict: 'admitted',
        used: usedBy(subject),
        reset_second: entryOf(windows, subject).resetSecond,
        key_used: key_subject === null ? null : usedBy(key_subject),
        key_reset_second: key_subject === null ? null : entryOf(windows, key_subject).resetSecond,
      };
    },
    learn,
    uncounted: (subject) => going.filter((request) => subjectsOf(request).includes(subject!)).length,
    settle: async () => counting,
  };
}

const subjectsOf = ({ subject, key_subject }: AdmissionRequest): string[] =>
  key_subject === null ? [subject] : [subject, key_subject];
