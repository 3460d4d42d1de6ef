// Splits a month into the stretches between plan changes, with the usage in each.
import { termsOf, type MeterName } from '../accounts/plans.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import { type AccountRow } from '../accounts/sql.ts';
import type { Stretch } from '../../base/lib/shares.ts';
import type { UsedStretch } from './rating.ts';
import * as sql from './sql.ts';

type MonthStretches = Record<MeterName, UsedStretch[]>;

/** In a month that is not closed, the last stretch belongs to the current plan. Work that was held in a month and answered
    after its end counts in its last stretch. */
export async function readStretches(db: Queryable, account: AccountRow, month: Stretch): Promise<MonthStretches> {
  const ended = await sql.listStretches(db, account.id, month.start);
  const last = ended.at(-1);
  const plans = last && last.ended_at >= month.end ? ended : [...ended, { ...account, ended_at: month.end }];
  const ends = plans.slice(0, -1).map((row) => row.ended_at);
  const units = await sql.sumEventsByStretch(db, account.id, month.start, ends);
  const stretchesOf = (meter: MeterName): UsedStretch[] =>
    plans.map((row, n) => ({
      start: n === 0 ? month.start : plans[n - 1].ended_at,
      end: row.ended_at,
      terms: termsOf(row),
      used: units.find((sum) => sum.meter === meter && sum.stretch === n)?.units ?? 0,
    }));
  return { standard: stretchesOf('standard'), avm: stretchesOf('avm') };
}

/** Ends the current stretch: usage before `at` stays under the plan the account has now. */
export async function endStretch(db: Queryable, account: AccountRow, month: Stretch, at: Date): Promise<void> {
  await sql.insertStretch(db, {
    account_id: account.id,
    month_start: month.start,
    ended_at: at,
    plan: account.plan,
    contract: account.contract,
  });
}
