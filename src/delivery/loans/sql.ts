// Queries of registered loans.
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { insertRow, insertRows } from '../../base/db/rows.ts';
import { changeRows, findRow, listRows, listValues } from '../../base/db/statements.ts';
import type { Owner } from '../../customers/accounts/own-sql.ts';
import type { Stored } from '../../base/lib/schema.ts';
import type { Condition, Loan, LoanChange } from './schema.ts';

export interface LoanRow extends Owner, Stored<typeof Loan, 'condition' | 'mode'> {
  market: string;
}

export interface ConditionRow {
  loan_id: string;
  known_at: Date;
  condition: Condition;
  changes: LoanChange[];
}

export const insertLoans = (db: Queryable, rows: LoanRow[]) => insertRows(db, 'loans', rows);

export const listReferences = (db: Queryable, { account_id, mode }: Owner, references: string[]) =>
  listValues<string>(db)`
    select reference from loans where account_id = ${account_id} and mode = ${mode} and reference = any(${references})`;

/** A loan last checked before an instant, or before its market was loaded; locked. */
export const takeDue = (client: Client, before: Date, loaded: { market: string; at: Date }[]) =>
  findRow<LoanRow>(client)`
    select l.* from loans l
    where l.checked_at is null or l.checked_at < ${before}
      or exists (select from unnest(${loaded.map(({ market }) => market)}::text[], ${loaded.map(({ at }) => at)}::timestamptz[])
        as m (market, at) where m.market = l.market and m.at > l.checked_at)
    order by l.checked_at nulls first, l.id limit 1 for update skip locked`;

export const lockLoan = (client: Client, id: string) =>
  findRow<LoanRow>(client)`select * from loans where id = ${id} for update`;

export const markChecked = (client: Client, id: string, at: Date) =>
  changeRows(client)`update loans set checked_at = ${at} where id = ${id}`;

export const insertCondition = (client: Client, row: ConditionRow) =>
  insertRow(client, 'loan_conditions', {
    ...row,
    condition: JSON.stringify(row.condition),
    changes: JSON.stringify(row.changes),
  });

/** The last condition known by an instant. */
export const findCondition = (db: Queryable, loanId: string, by: Date) =>
  findRow<ConditionRow>(db)`
    select * from loan_conditions where loan_id = ${loanId} and known_at < ${by} order by known_at desc limit 1`;

export const listConditions = (db: Queryable, loanIds: string[]) =>
  listRows<ConditionRow>(db)`
    select distinct on (loan_id) * from loan_conditions where loan_id = any(${loanIds}) order by loan_id, known_at desc`;

/** Newest first, those with changes only. */
export const listChanges = (db: Queryable, loanId: string, before: Date, limit: number) =>
  listRows<ConditionRow>(db)`
    select * from loan_conditions where loan_id = ${loanId} and known_at < ${before} and changes <> '[]'
    order by known_at desc limit ${limit}`;
