// Loans after closing: registered by a lender, checked whenever their market is loaded and at least daily, with an
// event for each change and a condition kept for every day with one.
import { recordAct } from '../../customers/accounts/accounts.ts';
import type { Asking } from '../../customers/accounts/asking.ts';
import { countOwn, getOwn, ownerOf, type Owner } from '../../customers/accounts/own-sql.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { recordEvent } from '../../base/events/events.ts';
import { checkerOf } from '../../base/http/validation.ts';
import { DAY_MS } from '../../base/lib/clock.ts';
import { ApiError, fail } from '../../base/lib/errors.ts';
import { canonicalJson } from '../../base/math/hashes.ts';
import { randomId } from '../../base/lib/ids.ts';
import { pick } from '../../base/lib/pick.ts';
import { locate } from '../../records/address/locate.ts';
import { getCurrentProperty } from '../../records/properties/properties.ts';
import { readRiskReports } from '../../records/risk/risk.ts';
import { readTitle } from '../../records/title/title.ts';
import { changesBetween, conditionOf } from './condition.ts';
import { Loan, NewLoan, type Condition, type LoanItem } from './schema.ts';
import { presentRow } from '../../base/lib/schema.ts';
import { listLastLoads } from '../../records/markets/sql.ts';
import * as sql from './sql.ts';

/** Enough for a large lender, and in the sandbox for an integration. */
const MAX_LOANS = { live: 100_000, test: 1_000 };
const CHECKED_WITHIN_MS = DAY_MS;

/** Registers one loan and checks it immediately. */
export async function registerLoan(deps: Deps, request: Asking, loan: NewLoan): Promise<sql.LoanRow> {
  const row = await prepare(deps, ownerOf(request.caller), loan);
  await request.holdUnits(1);
  await insert(deps, request, [row]);
  await check(deps, row.id);
  return getOwn<sql.LoanRow>(deps.control, 'loans', ownerOf(request.caller), row.id);
}

interface Outcome extends Pick<LoanItem, 'line' | 'error'> {
  index: number;
  loan_id: string | null;
  reference: string | null;
}

/** Registers many: bad rows are rejected individually, and the good ones are inserted together, so a crash leaves all
    or none. */
export async function registerLoans(deps: Deps, request: Asking, items: LoanItem[]): Promise<Outcome[]> {
  const owner = ownerOf(request.caller);
  const rows: sql.LoanRow[] = [];
  const outcomes: Outcome[] = [];
  for (const [index, { line, loan, error: unread }] of items.entries()) {
    const about = { index, line, reference: (loan as { reference?: string } | null)?.reference ?? null };
    const refuse = (error: LoanItem['error']) => outcomes.push({ ...about, loan_id: null, error });
    if (unread !== null) {
      refuse(unread);
      continue;
    }
    try {
      const row = await prepare(deps, owner, readLoan(loan));
      if (row.reference !== null && rows.some((each) => each.reference === row.reference))
        refuseReference(row.reference);
      rows.push(row);
      outcomes.push({ ...about, loan_id: row.id, error: null });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      refuse({ code: error.code, detail: error.message });
    }
  }
  await request.holdUnits(rows.length);
  await insert(deps, request, rows);
  return outcomes;
}

const readLoan = checkerOf(NewLoan, 'loan');

async function prepare(deps: Deps, owner: Owner, loan: NewLoan): Promise<sql.LoanRow> {
  const { property, match, reference = null, ...terms } = loan;
  const now = deps.clock();
  if (terms.closed_on > now.toISOString().slice(0, 10)) fail('invalid_request', 'A loan cannot close in the future.');
  const { row } = await locate(deps, owner.mode, property, { match, at: '/property' });
  if (reference !== null && (await sql.listReferences(deps.control, owner, [reference])).length > 0)
    refuseReference(reference);
  const id = randomId('loan');
  return { id, ...owner, property_id: row.id, market: row.market, reference, terms, created_at: now, checked_at: null };
}

const refuseReference = (reference: string): never =>
  fail('invalid_request', `A loan with the reference \`${reference}\` is registered.`);

async function insert(deps: Deps, { by, caller }: Asking, rows: sql.LoanRow[]): Promise<void> {
  if (rows.length === 0) return;
  const owner = ownerOf(caller);
  const limit = MAX_LOANS[owner.mode];
  await inTransaction(deps.control, async (client) => {
    if ((await countOwn(client, 'loans', owner)) + rows.length > limit)
      fail('plan_feature_unavailable', `An account can have at most ${limit} loans.`, { limit });
    await sql.insertLoans(client, rows);
    const [{ id }] = rows;
    await recordAct(deps, client, by, 'loans.registered', { id, account_id: owner.account_id }, { count: rows.length });
  });
}

/** Checks every due loan in its own transaction, so a crash repeats only the current one. */
export async function checkLoans(deps: Deps): Promise<void> {
  const loaded = await listLastLoads(deps.data);
  const before = new Date(deps.clock().getTime() - CHECKED_WITHIN_MS);
  const checkNext = () =>
    inTransaction(deps.control, async (client) => {
      const loan = await sql.takeDue(client, before, loaded);
      if (loan) await look(deps, client, loan);
      return loan !== undefined;
    });
  while (await checkNext());
}

const check = (deps: Deps, id: string) =>
  inTransaction(deps.control, async (client) => {
    const loan = await sql.lockLoan(client, id);
    if (loan) await look(deps, client, loan);
  });

async function look(deps: Deps, client: Client, loan: sql.LoanRow): Promise<void> {
  const now = deps.clock();
  const condition = await readCondition(deps, loan);
  const last = await sql.findCondition(client, loan.id, new Date(now.getTime() + 1));
  const changes = condition && last ? changesBetween(last.condition, condition, loan.terms) : [];
  if (condition && (!last || changes.length > 0 || !isSame(last.condition, condition)))
    await sql.insertCondition(client, { loan_id: loan.id, known_at: now, condition, changes });
  if (condition && changes.length > 0)
    await recordEvent(client, {
      accountId: loan.account_id,
      mode: loan.mode,
      type: 'loan.changed',
      data: { loan_id: loan.id, ...pick(loan, ['property_id', 'reference']), changes, ltv: condition.ltv },
    });
  await sql.markChecked(client, loan.id, now);
}

/** Undefined if the property is no longer on record under any number; the last condition stays. */
async function readCondition(deps: Deps, loan: sql.LoanRow): Promise<Condition | undefined> {
  try {
    const row = await getCurrentProperty(deps, loan.mode, loan.property_id);
    const title = await readTitle(deps, row, {
      view: { mode: loan.mode, mayReadOwners: false },
      readRisk: (rows, layers) => readRiskReports(deps, rows, layers),
    });
    return conditionOf(loan.terms, row, title, (await deps.catalog.read()).mortgageRates);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined;
    throw error;
  }
}

/** The date and the scheduled balance change on their own and are not news. */
const isSame = (a: Condition, b: Condition): boolean => {
  const newsOf = ({ as_of: _day, balance: _balance, ltv: _ltv, ltv_at_low: _low, ...rest }: Condition) => rest;
  return canonicalJson(newsOf(a)) === canonicalJson(newsOf(b));
};

export const presentLoan = (loan: sql.LoanRow, condition: Condition | undefined) => ({
  object: 'loan' as const,
  ...presentRow(Loan, loan),
  condition: condition ?? null,
});
