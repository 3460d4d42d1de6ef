// Admits calls: one statement decides for all requests waiting at that moment. Limits and caps are exact across
// processes, an idle server decides in one round trip, and a busy one spreads the cost over many calls.
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../accounts/accounts.ts';
import { isMetered, nowOf } from '../accounts/clock-sql.ts';
import { describeLimit, limitsOf, type Limit } from '../accounts/limits.ts';
import { includedIn, meterTerms, termsOf, type Budget, type MeterName } from '../accounts/plans.ts';
import type { Deps } from '../../base/deps.ts';
import { ApiError } from '../../base/lib/errors.ts';
import { gather } from '../../base/lib/gather.ts';
import { usagePeriod } from './periods.ts';
import * as sql from './sql.ts';
import { entryOf } from '../../base/lib/must.ts';

const MAX_BATCH = 500;
const BLOCKED_SIZE = 50_000;
// A call that fails gives its units back when its journal is booked, a tenth of a second after its response.
const HELD_RETRY_MS = 60;
const HELD_MAX_WAIT_MS = 10_000;
const HELD_RETRY_AFTER_SECONDS = 2;

/** A limit after a decision, for the response headers. */
export interface LimitState {
  name: string;
  limit: number;
  windowSeconds: number;
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
  /** Holds the units of a call that has been admitted and has found out what it costs. */
  hold(caller: Caller, meter: MeterName, units: number): Promise<Admission>;
  /** Counts one free read against its budget, which is separate from the limits of calls. */
  admitFree(caller: Caller, budget: Budget): Promise<void>;
}

export function createAdmissions(deps: Pick<Deps, 'control' | 'clock'>, owner: string): Admissions {
  // A full window opens at a known second; until then, a flood is refused here without reaching PostgreSQL.
  const blocked = new LRUCache<string, { amount: number; untilSecond: number }>({ max: BLOCKED_SIZE });
  /** Calls that wait for the units of others, by account and mode. */
  const waiting = new Map<string, number>();
  let holds = 0;
  const decide = gather(async (requests: sql.AdmissionRequest[]) => {
    const numbered = requests.map((request, n) => ({ ...request, n }));
    const rows = await sql.admit(deps.control, deps.clock(), numbered);
    return rows.toSorted((a, b) => a.n - b.n);
  }, MAX_BATCH);

  function refuseBlocked(limits: Limit[], now: Date): void {
    for (const limit of limits) {
      const block = blocked.get(limit.subject);
      if (block?.amount === limit.amount && now.getTime() < block.untilSecond * 1000)
        throw tooMany(limit, block.untilSecond, now);
    }
  }

  /** The refusal of a request that one of its limits is too small for; until that opens, the process refuses alone. */
  function refuseFull(limits: Limit[], row: sql.AdmissionRow): Refusal {
    const at = row.refused_by! - 1;
    const untilSecond = row.reset_seconds[at] ?? 0;
    blocked.set(limits[at].subject, { amount: limits[at].amount, untilSecond });
    return tooMany(limits[at], untilSecond, deps.clock());
  }

  /** Asks again while calls in progress hold the units; no more of them wait than the smallest limit would admit. */
  async function decideWhenFree(caller: Caller, request: sql.AdmissionRequest): Promise<sql.AdmissionRow> {
    let row = await decide(request);
    if (row.verdict !== 'held') return row;
    const [{ subject, amount }] = limitsOf(caller, 'calls');
    const count = waiting.get(subject) ?? 0;
    if (count >= amount) return row;
    waiting.set(subject, count + 1);
    try {
      const until = performance.now() + HELD_MAX_WAIT_MS;
      while (row.verdict === 'held' && performance.now() < until) {
        await sleep(HELD_RETRY_MS);
        row = await decide(request);
      }
      return row;
    } finally {
      const left = entryOf(waiting, subject) - 1;
      if (left === 0) waiting.delete(subject);
      else waiting.set(subject, left);
    }
  }

  async function admit(caller: Caller, meter: MeterName | 'none', units: number, limits: Limit[]): Promise<Admission> {
    const now = deps.clock();
    const period = usagePeriod(caller.account, nowOf(deps, caller.account));
    const hold =
      isMetered(caller) && meter !== 'none' && units > 0 && mayBeRefused(caller, meter, period.start)
        ? holdFor(caller, { id: `${owner}:${(holds += 1)}`, meter, units, periodStart: period.start, owner })
        : null;
    refuseBlocked(limits, now);
    const row = await decideWhenFree(caller, { limits, hold });
    const states = limitStates(limits, row, deps.clock());
    if (row.verdict === 'admitted') return { limits: states, holdId: hold?.id, periodStart: period.start };
    const refusal = row.verdict === 'rate_limited' ? refuseFull(limits, row) : refuseUnits(row.verdict, meter, hold);
    refusal.limits = states;
    throw refusal;
  }

  return {
    admit: (caller, meter, units) => admit(caller, meter, units, limitsOf(caller, 'calls')),
    hold: (caller, meter, units) => admit(caller, meter, units, []),
    async admitFree(caller, budget) {
      const limits = limitsOf(caller, budget);
      refuseBlocked(limits, deps.clock());
      const row = await decide({ limits, hold: null });
      if (row.verdict !== 'admitted') throw refuseFull(limits, row);
    },
  };
}

function refuseUnits(
  verdict: 'held' | 'quota_exhausted' | 'spend_cap_reached',
  meter: MeterName | 'none',
  hold: sql.HoldRequest | null,
): Refusal {
  if (verdict === 'held') return allHeld();
  const limit = (verdict === 'quota_exhausted' ? hold?.included : hold?.spend_cap) ?? undefined;
  return new Refusal(verdict, describeRefusal(verdict, meter as MeterName), { limit });
}

/** Whether a call's units could be refused: under a hard cap, or by a key's spend cap on a plan with overage. */
const mayBeRefused = (caller: Caller, meter: MeterName, periodStart: Date): boolean =>
  meterTerms(termsOf(caller.account), meter).isHardCapped || hasSpendCap(caller, meter, periodStart);

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
export const allHeld = (): Refusal =>
  new Refusal('rate_limited', 'Calls in progress hold the rest of the allowance. Try again when they have ended.', {
    retryAfterSeconds: HELD_RETRY_AFTER_SECONDS,
  });

export const describeRefusal = (verdict: 'quota_exhausted' | 'spend_cap_reached', meter: MeterName): string =>
  verdict === 'quota_exhausted'
    ? `The allowance of ${meter === 'avm' ? 'AVM' : 'standard'} calls is used up. Choose a plan in the dashboard to continue.`
    : 'This key has reached its overage spend cap for the period. Raise its `spend_cap_cents` or use another key.';

const limitStates = (limits: Limit[], row: sql.AdmissionRow, now: Date): LimitState[] =>
  limits.map(({ name, amount, windowSeconds }, i) => ({
    name,
    limit: amount,
    windowSeconds,
    remaining: Math.max(0, amount - row.used[i]),
    resetSeconds: secondsUntil(row.reset_seconds[i] ?? 0, now, windowSeconds),
  }));

const secondsUntil = (second: number, now: Date, windowSeconds: number): number =>
  Math.min(windowSeconds, Math.max(0, Math.ceil(second - now.getTime() / 1000)));

function tooMany(limit: Limit, untilSecond: number, now: Date): Refusal {
  const { name, amount, windowSeconds } = limit;
  const retryAfterSeconds = Math.max(1, secondsUntil(untilSecond, now, windowSeconds));
  const refusal = new Refusal('rate_limited', `${describeLimit(limit)} Try again in ${retryAfterSeconds} s.`, {
    limit: amount,
    retryAfterSeconds,
  });
  refusal.limits = [{ name, limit: amount, windowSeconds, remaining: 0, resetSeconds: retryAfterSeconds }];
  return refusal;
}
