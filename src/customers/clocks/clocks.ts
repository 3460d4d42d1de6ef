// Test clocks: sandbox accounts with their own current time. Advancing one runs the worker's code at each due instant
// under the clock's time; no money moves.
import type { Static } from 'typebox';
import {
  actorOf,
  createAccount,
  createKey,
  lockAccount,
  recordAct,
  type Actor,
  type Caller,
} from '../accounts/accounts.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { DAY_MS, HOUR_MS } from '../../base/lib/clock.ts';
import { fail } from '../../base/lib/errors.ts';
import { addCard } from '../billing/cards.ts';
import { GRACE_MS } from '../billing/closing.ts';
import { runBilling } from '../billing/due.ts';
import { cancelPlan, choosePlan, choosePlanAfterTrial, resumePlan } from '../billing/plan-changes.ts';
import { createTestBank } from '../billing/test-bank.ts';
import { findSubscription, type SubscriptionRow } from '../billing/sql.ts';
import { addMonths, monthAt, trialPeriod } from '../usage/periods.ts';
import type { NewTestClock, TestClockPatch } from './schema.ts';
import * as sql from './sql.ts';

const MAX_CLOCKS = 10;
const MAX_MONTHS = 24;
/** How far from the present a clock may begin, and end. */
const REACH_MS = 3_653 * DAY_MS;
/** Filters are compared with the records daily; the worker checks for due ones hourly. */
const REFRESH_MS = 25 * HOUR_MS;
const bank = createTestBank();

/** Work of rooms above when an account's time passes: its watchlists. */
export type Passing = (deps: Deps, accountId: string) => Promise<void>;

/** The deps with the clock's time. */
const at = (deps: Deps, instant: Date): Deps => ({ ...deps, clock: () => instant });

export const getClock = async (deps: Pick<Deps, 'control'>, parentId: string, id: string): Promise<sql.ClockRow> =>
  (await sql.findClock(deps.control, parentId, id)) ?? fail('resource_not_found', `No test clock has the id ${id}.`);

type Changes = Static<typeof TestClockPatch>;
type NewClock = Omit<Static<typeof NewTestClock>, 'now' | 'card'> & { now: Date; card: Changes['card'] | null };

/** The key has its maker's scopes, in the sandbox. The secret is returned only here and is not stored. */
export async function createClock(deps: Deps, caller: Caller, ip: string, wanted: NewClock) {
  const { account: parent, key: maker } = caller;
  if (parent.clock_at) fail('invalid_state', 'A test clock has no test clocks of its own.');
  refuseDistant(deps, wanted.now);
  const by = actorOf(caller, ip);
  const { id, secret } = await inTransaction(deps.control, async (client) => {
    await lockAccount(client, parent.id);
    if ((await sql.countClocks(client, parent.id)) >= MAX_CLOCKS)
      fail('invalid_state', `An account has ${MAX_CLOCKS} test clocks at most. Delete one first.`);
    const options = { anchorAt: null, parentId: parent.id };
    const { id } = await createAccount(client, wanted.now, wanted.name, 'trial', options);
    const { scopes, allowed_ips, expires_at, rate_limit_per_hour } = maker;
    const rights = { scopes, allowed_ips, expires_at, rate_limit_per_hour };
    const { secret } = await createKey(deps, id, { name: wanted.name, mode: 'test', ...rights }, client);
    const { name, now } = wanted;
    await recordAct(deps, client, by, 'test_clock.created', { id, account_id: parent.id }, { name, now });
    return { id, secret };
  });
  const { card, plan, interval } = wanted;
  if (card) await changeClock(deps, await getClock(deps, parent.id, id), by, { card });
  if (plan) await changeClock(deps, await getClock(deps, parent.id, id), by, { plan, interval });
  return { clock: await getClock(deps, parent.id, id), secret };
}

/** As the billing page would: a card, then a plan, then its end. */
export async function changeClock(deps: Deps, clock: sql.ClockRow, actor: Actor, changes: Changes): Promise<void> {
  const then = at(deps, clock.clock_at);
  const by = { actor: actor.id, ip: actor.ip };
  const { card, plan, interval = 'month', when, cancels_at_end: cancels } = changes;
  if (card !== undefined) await addCard(then, bank, { account: clock, token: card, by });
  const choose = when === 'trial_end' ? choosePlanAfterTrial : choosePlan;
  if (plan !== undefined) await choose(then, bank, { accountId: clock.id, plan, interval, by });
  if (cancels !== undefined) await (cancels ? cancelPlan : resumePlan)(then, bank, clock.id, by);
  await record(deps, clock, actor, 'changed', { ...changes });
}

/** In the log of the account that the clock belongs to; its own log goes with it. */
const record = (deps: Deps, { id, parent_id }: sql.ClockRow, by: Actor, what: string, details: object) =>
  inTransaction(deps.control, (client) =>
    recordAct(deps, client, by, `test_clock.${what}`, { id, account_id: parent_id }, { ...details }),
  );

/** Stops at each due instant, in order, and does the work due then. After a crash, advancing again finishes the rest,
    since each stop is idempotent. */
export async function advanceClock(
  deps: Deps,
  clock: sql.ClockRow,
  { to, by, passing }: { to: Date; by: Actor; passing: Passing },
): Promise<void> {
  if (to < clock.clock_at) fail('invalid_request', `The clock stands at ${clock.clock_at.toISOString()} already.`);
  if (to > addMonths(clock.clock_at, MAX_MONTHS))
    fail('invalid_request', `Advance by ${MAX_MONTHS} months at most; repeat to go further.`);
  refuseDistant(deps, to);
  for (let stop: Date | undefined = clock.clock_at; stop; stop = await nextStop(deps, clock.id, stop, to)) {
    await sql.moveClock(deps.control, clock.id, stop);
    const then = at(deps, stop);
    await runBilling(then, bank, clock.id);
    await passing(then, clock.id);
  }
  await record(deps, clock, by, 'advanced', { to });
}

/** The next instant at which something is due; at last the goal itself. */
async function nextStop(deps: Deps, id: string, after: Date, to: Date): Promise<Date | undefined> {
  if (after >= to) return undefined;
  const [subscription, anchor, other] = await Promise.all([
    findSubscription(deps.control, id),
    sql.findAnchor(deps.control, id),
    sql.findNextDue(deps.control, id, after, REFRESH_MS),
  ]);
  const due = [anchor && subscription && closingAt(anchor, subscription), other, to];
  return due.filter((each): each is Date => !!each && each > after && each <= to).toSorted((a, b) => +a - +b)[0];
}

/** When the trial or the month that is running will be closed. */
function closingAt(anchor: Date, { status, month_start, next_plan }: SubscriptionRow): Date | undefined {
  if (status === 'trialing') return next_plan ? trialPeriod(anchor).end : undefined;
  if ((status !== 'active' && status !== 'past_due') || !month_start) return undefined;
  return new Date(monthAt(anchor, month_start).end.getTime() + GRACE_MS);
}

export const deleteClock = (deps: Deps, clock: sql.ClockRow, by: Actor): Promise<void> =>
  inTransaction(deps.control, async (client) => {
    await lockAccount(client, clock.id);
    await sql.deleteClock(client, clock.id);
    const { id, name, parent_id: account_id } = clock;
    await recordAct(deps, client, by, 'test_clock.deleted', { id, account_id }, { name });
  });

function refuseDistant(deps: Deps, instant: Date): void {
  if (Math.abs(instant.getTime() - deps.clock().getTime()) > REACH_MS)
    fail('invalid_request', 'A test clock stays within ten years of the present.');
}
