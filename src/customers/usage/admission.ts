// Admits calls: one statement decides for all requests waiting at that moment. Limits and caps are exact across
// processes, an idle server decides in one round trip, and a busy one spreads the cost over many calls. Far from its
// limit, a call goes ahead and is counted right after.
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../accounts/accounts.ts';
import { includedIn, meterTerms, termsOf, type Budget, type MeterName } from '../accounts/plans.ts';
import type { Deps } from '../../base/deps.ts';
import { ApiError } from '../../base/lib/errors.ts';
import { gather } from '../../base/lib/gather.ts';
import { createHeadStart } from './head-start.ts';
import { usagePeriod } from './periods.ts';
import * as sql from './sql.ts';
import { entryOf } from '../../base/lib/must.ts';

const HOUR_SECONDS = 3_600;
const MAX_BATCH = 500;
const BLOCKED_SIZE = 50_000;
// A call that fails gives its units back when its journal is booked, a tenth of a second after its response.
const HELD_RETRY_MS = 60;
const HELD_MAX_WAIT_MS = 10_000;
const HELD_RETRY_AFTER_SECONDS = 2;

/** What is left of a limit after a decision, for the response headers. */
export interface LimitState {
  name: 'hourly' | 'key' | 'free' | 'ip' | 'guest' | Budget;
  limit: number;
  remaining: number;
  /** Seconds until the next call leaves the window. */
  resetSeconds: number;
}

export interface Admission {
  limits: LimitState[];
  /** Set if units are held until the outcome of the call is known. */
  holdId: string | undefined;
  periodStart: Date;
}

/** A refusal that still carries the limits for the headers. */
export class Refusal extends ApiError {
  limits: LimitState[] = [];
}

export interface Admissions {
  admit(caller: Caller, meter: MeterName | 'none', units: number): Promise<Admission>;
  /** Counts one call against an hourly budget that is separate from the hourly limit. */
  admitFree(accountId: string, budget: Budget, limit: number): Promise<void>;
  /** When every call admitted so far is counted. */
  settleCounts(): Promise<void>;
}

export function createAdmissions(deps: Pick<Deps, 'control' | 'clock'>, owner: string): Admissions {
  // A full window opens at a known second; until then, a flood is refused here without reaching PostgreSQL.
  const blocked = new LRUCache<string, { limit: number; untilSecond: number }>({ max: BLOCKED_SIZE });
  /** Calls that wait for the units of others, by account and mode. */
  const waiting = new Map<string, number>();
  let holds = 0;
  const decide = gather(async (requests: sql.AdmissionRequest[]) => {
    const rows = await sql.admit(
      deps.control,
      deps.clock(),
      requests.map((request, n) => ({ ...request, n })),
    );
    return rows.toSorted((a, b) => a.n - b.n);
  }, MAX_BATCH);
  const headStart = createHeadStart(decide);

  /** Learns at once, so that the window is told of statements in the order they were made in. */
  async function decideFirst(request: sql.AdmissionRequest): Promise<sql.AdmissionRow> {
    const row = await decide(request);
    headStart.learn(request, row);
    return row;
  }

  function refuseBlocked(request: sql.AdmissionRequest, now: Date): void {
    const second = Math.floor(now.getTime() / 1000);
    for (const [name, subject, limit] of [
      ['hourly', request.subject, request.lim],
      ['key', request.key_subject, request.key_lim],
    ] as const) {
      const block = subject === null ? undefined : blocked.get(subject);
      if (block && block.limit === limit && second < block.untilSecond) throw tooMany(name, block, now);
    }
  }

  /** Asks again while calls in progress hold the units; no more of them wait than the hour would admit. */
  async function decideWhenFree(request: sql.AdmissionRequest): Promise<sql.AdmissionRow> {
    let row = await decideFirst(request);
    if (row.verdict !== 'held') return row;
    const { subject } = request;
    const count = waiting.get(subject) ?? 0;
    if (count >= request.lim) return row;
    waiting.set(subject, count + 1);
    try {
      const until = performance.now() + HELD_MAX_WAIT_MS;
      while (row.verdict === 'held' && performance.now() < until) {
        await sleep(HELD_RETRY_MS);
        row = await decideFirst(request);
      }
      return row;
    } finally {
      const left = entryOf(waiting, subject) - 1;
      if (left === 0) waiting.delete(subject);
      else waiting.set(subject, left);
    }
  }

  return {
    settleCounts: headStart.settle,
    async admitFree(accountId, budget, limit) {
      const subject = `${accountId}:${budget}`;
      const request = { subject, lim: limit, key_subject: null, key_lim: null, hold: null };
      const now = deps.clock();
      const block = blocked.get(subject);
      if (block?.limit === limit && Math.floor(now.getTime() / 1000) < block.untilSecond)
        throw tooMany(budget, block, now);
      const row = await decide(request);
      if (row.verdict === 'admitted') return;
      const full = { limit, untilSecond: row.reset_second ?? 0 };
      blocked.set(subject, full);
      throw tooMany(budget, full, deps.clock());
    },
    async admit(caller, meter, units) {
      const now = deps.clock();
      const terms = termsOf(caller.account);
      const { key, account } = caller;
      const isLive = key.mode === 'live';
      const period = usagePeriod(account, now);
      const hold =
        isLive && meter !== 'none' && units > 0 && mayBeRefused(caller, meter, period.start)
          ? holdFor(caller, { id: `${owner}:${(holds += 1)}`, meter, units, periodStart: period.start, owner })
          : null;
      const request: sql.AdmissionRequest = {
        subject: `${account.id}:${key.mode}`,
        lim: isLive ? terms.rateLimitPerHour : terms.sandboxRateLimitPerHour,
        key_subject: key.rate_limit_per_hour === null ? null : key.first_id,
        key_lim: key.rate_limit_per_hour,
        hold,
      };
      refuseBlocked(request, now);
      let row = headStart.letGo(request);
      if (!row) {
        // Those came before this call, and are told of with it.
        const ahead = headStart.uncounted(request.subject);
        const keyAhead = headStart.uncounted(request.key_subject);
        row = await decideWhenFree(request);
        row = { ...row, used: row.used + ahead, key_used: row.key_used === null ? null : row.key_used + keyAhead };
      }
      const limits = limitStates(request, row, deps.clock());
      if (row.verdict === 'admitted') return { limits, holdId: hold?.id, periodStart: period.start };
      if (row.verdict === 'rate_limited' || row.verdict === 'key_limited') {
        const isKey = row.verdict === 'key_limited';
        const subject = isKey ? request.key_subject! : request.subject;
        const block = {
          limit: isKey ? request.key_lim! : request.lim,
          untilSecond: (isKey ? row.key_reset_second : row.reset_second) ?? 0,
        };
        blocked.set(subject, block);
        throw tooMany(isKey ? 'key' : 'hourly', block, deps.clock(), limits);
      }
      const refusal =
        row.verdict === 'held'
          ? allHeld()
          : new Refusal(row.verdict, describeRefusal(row.verdict, meter as MeterName), {
              limit: row.verdict === 'quota_exhausted' ? (hold?.included ?? undefined) : (hold?.spend_cap ?? undefined),
            });
      refusal.limits = limits;
      throw refusal;
    },
  };
}

/** Whether a call's units could be refused: under a hard cap, or by a key's spend cap on a plan with overage. */
function mayBeRefused(caller: Caller, meter: MeterName, periodStart: Date): boolean {
  return meterTerms(termsOf(caller.account), meter).isHardCapped || hasSpendCap(caller, meter, periodStart);
}

function hasSpendCap({ account, key }: Caller, meter: MeterName, periodStart: Date): boolean {
  const { overageCents } = meterTerms(termsOf(account), meter);
  return key.spend_cap_cents !== null && overageCents !== null && includedIn(account, meter, periodStart) !== null;
}

export function holdFor(caller: Caller, { id, meter, units, periodStart, owner }: HoldOptions): sql.HoldRequest {
  const { account, key } = caller;
  const { overageCents, isHardCapped } = meterTerms(termsOf(account), meter);
  return {
    id,
    account: account.id,
    key: key.id,
    meter,
    period: periodStart,
    units,
    included: includedIn(account, meter, periodStart),
    capped: isHardCapped,
    overage_cents: overageCents,
    spend_cap: hasSpendCap(caller, meter, periodStart) ? key.spend_cap_cents : null,
    owner,
  };
}

interface HoldOptions {
  id: string;
  meter: MeterName;
  units: number;
  periodStart: Date;
  /** The process that must end the hold; null if it outlives the request. */
  owner: string | null;
}

/** The allowance is not used up, but calls in progress hold all that is left of it. */
export function allHeld(): Refusal {
  return new Refusal(
    'rate_limited',
    'Calls in progress hold the rest of the allowance. Try again when they have ended.',
    {
      retryAfterSeconds: HELD_RETRY_AFTER_SECONDS,
    },
  );
}

export function describeRefusal(verdict: 'quota_exhausted' | 'spend_cap_reached', meter: MeterName): string {
  return verdict === 'quota_exhausted'
    ? `The allowance of ${meter === 'avm' ? 'AVM' : 'standard'} calls is used up. Choose a plan in the dashboard to continue.`
    : 'This key has reached its overage spend cap for the period. Raise its `spend_cap_cents` or use another key.';
}

function limitStates(request: sql.AdmissionRequest, row: sql.AdmissionRow, now: Date): LimitState[] {
  const state = (name: LimitState['name'], limit: number, used: number, resetSecond: number | null): LimitState => ({
    name,
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: secondsUntil(resetSecond ?? 0, now),
  });
  const limits = [state('hourly', request.lim, row.used, row.reset_second)];
  if (request.key_lim !== null) limits.push(state('key', request.key_lim, row.key_used ?? 0, row.key_reset_second));
  return limits;
}

function secondsUntil(second: number, now: Date): number {
  return Math.min(HOUR_SECONDS, Math.max(0, Math.ceil(second - now.getTime() / 1000)));
}

function describeLimit(name: LimitState['name'], limit: number): string {
  if (name === 'tiles') return `The plan includes ${limit} live tiles an hour.`;
  if (name === 'looks') return `The plan includes ${limit} live counts and suggestions an hour.`;
  return `${name === 'key' ? 'This key' : 'The account'} is limited to ${limit} calls per hour.`;
}

function tooMany(
  name: LimitState['name'],
  block: { limit: number; untilSecond: number },
  now: Date,
  limits?: LimitState[],
): Refusal {
  const retryAfterSeconds = Math.max(1, secondsUntil(block.untilSecond, now));
  const refusal = new Refusal(
    'rate_limited',
    `${describeLimit(name, block.limit)} Try again in ${retryAfterSeconds} s.`,
    { limit: block.limit, retryAfterSeconds },
  );
  refusal.limits = limits ?? [{ name, limit: block.limit, remaining: 0, resetSeconds: retryAfterSeconds }];
  return refusal;
}
