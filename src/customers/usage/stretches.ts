// Splits a month into the stretches between plan changes, with the usage in each.
import { termsOf, type MeterName } from '../accounts/plans.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import { type AccountRow } from '../accounts/sql.ts';
import type { Period } from './periods.ts';
import type { UsedStretch } from './rating.ts';
import * as sql from './sql.ts';

type MonthStretches = Record<MeterName, UsedStretch[]>;

/** The last stretch belongs to the current plan and extends to the end of the month. */
export async function readStretches(db: Queryable, account: AccountRow, month: Period): Promise<MonthStretches> {
  const ended = await sql.listStretches(db, account.id, month.start);
  const units = await sql.sumEventsByStretch(
    db,
    account.id,
    month.start,
    ended.map((row) => row.ended_at),
  );
  const plans = [...ended, { ...account, ended_at: month.end }];
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
export async function endStretch(db: Queryable, account: AccountRow, month: Period, at: Date): Promise<void> {
  await sql.insertStretch(db, {
    account_id: account.id,
    month_start: month.start,
    ended_at: at,
    plan: account.plan,
    contract: account.contract,
  });
}
