// The condition of a loan from its home's records, and the changes since the last check. Pure.
import { asDay, asMoney, asRatio } from '../../base/lib/figures.ts';
import { pick } from '../../base/lib/pick.ts';
import { monthsBetween, shareLeft, TERM_MONTHS } from '../../records/title/balance.ts';
import { rateOn, type RateSeries } from '../../records/title/rates.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';
import type { TitleReport } from '../../records/title/schema.ts';
import type { Condition, LoanChange, Terms } from './schema.ts';

/** A mortgage is recorded within weeks of its closing. */
const RECORDED_WITHIN_DAYS = 75;
const SAME_AMOUNT = 0.005;

type Mortgage = TitleReport['mortgages'][number];

export function conditionOf(terms: Terms, row: PropertyRow, title: TitleReport, rates: RateSeries): Condition {
  const asOf = title.as_of;
  const { balance, balance_basis } = balanceOf(terms, asOf, rates);
  const own = ownMortgage(terms, title.mortgages);
  const isCovered = title.coverage.mortgages.status !== 'not_covered';
  const open = title.mortgages.filter(({ status }) => status !== 'released');
  const others = open.filter((each) => each !== own);
  const isBefore = (each: Mortgage) => (each.recorded_on ?? '') < (own?.recorded_on ?? '');
  const [deed] = title.chain;
  return {
    as_of: asOf,
    balance,
    balance_basis,
    ...pick(row, ['value', 'value_low', 'valued_on', 'flood_zone', 'flood_sfha']),
    ltv: ratioOf(balance, row.value),
    ltv_at_low: ratioOf(balance, row.value_low),
    mortgage: {
      status: own ? (own.status === 'released' ? 'released' : 'open') : isCovered ? 'not_on_record' : 'not_covered',
      transaction_id: own?.transaction_id ?? null,
      recorded_on: own?.recorded_on ?? null,
      position: own && own.status !== 'released' ? others.filter(isBefore).length + 1 : null,
    },
    senior: own ? others.filter(isBefore).map(debtOf) : null,
    junior: own ? others.filter((each) => !isBefore(each)).map(debtOf) : null,
    liens: title.other_liens.filter(({ status }) => status !== 'released').map(debtOf),
    open_tax_liens: title.open.tax_liens,
    foreclosure: title.flags.some(({ code }) => code === 'foreclosure_pending'),
    last_deed: deed ? { transaction_id: deed.transaction_id, recorded_on: deed.recorded_on ?? deed.sold_on } : null,
    open_violations: title.open.violations,
    last_permit_on: row.last_permit_date,
  };
}

const debtOf = (debt: Mortgage | TitleReport['other_liens'][number]) =>
  pick(debt, ['transaction_id', 'instrument', 'recorded_on', 'amount']);

/** Rounded up: a loan just above a limit must not appear to be at it. */
const ratioOf = (balance: number | null, value: number | null): number | null =>
  balance === null || !value ? null : Math.ceil((balance * 10_000) / value) / 10_000;

type Balance = Pick<Condition, 'balance' | 'balance_basis'>;

function balanceOf(terms: Terms, asOf: string, rates: RateSeries): Balance {
  if (terms.balance !== undefined) return { balance: terms.balance, balance_basis: 'stated' };
  const term = terms.term_months ?? TERM_MONTHS;
  const paid = Math.min(term, monthsBetween(terms.closed_on, asOf));
  const rate = terms.rate ?? rateOn(terms.closed_on, rates)?.rate;
  if (rate === undefined) return { balance: null, balance_basis: 'not_known' };
  return { balance: Math.round(terms.amount * shareLeft(rate / 12, paid, term)), balance_basis: 'scheduled' };
}

function ownMortgage({ amount, closed_on, document_number }: Terms, mortgages: Mortgage[]): Mortgage | undefined {
  if (document_number !== undefined) {
    const wanted = compact(document_number);
    return mortgages.find(({ document_number: number, book, page }) =>
      [number, `${book}/${page}`].some((id) => id !== null && compact(id) === wanted),
    );
  }
  const days = (day: string) => (Date.parse(day) - Date.parse(closed_on)) / 86_400_000;
  const likely = mortgages.filter(
    (each) =>
      each.amount !== null &&
      Math.abs(each.amount - amount) <= SAME_AMOUNT * amount &&
      each.recorded_on !== null &&
      days(each.recorded_on) >= -1 &&
      days(each.recorded_on) <= RECORDED_WITHIN_DAYS,
  );
  // An ambiguous match is not guessed.
  return likely.length === 1 ? likely[0] : undefined;
}

const compact = (number: string) => number.toUpperCase().replace(/[^0-9A-Z/]/g, '');

/** Facts that appeared or ended since; none on the first check, which is the baseline. */
export function changesBetween(before: Condition, after: Condition, { max_ltv }: Terms): LoanChange[] {
  const changes: LoanChange[] = [];
  const report = (code: LoanChange['code'], detail: string) => changes.push({ code, detail });
  if (before.mortgage.status !== 'released' && after.mortgage.status === 'released')
    report('mortgage_released', 'A release of your mortgage was recorded.');
  for (const debt of newOf([before.senior, before.junior], [after.senior]))
    report(
      'senior_mortgage',
      `A mortgage of ${asMoney(debt.amount)} stands before yours, recorded ${asDay(debt.recorded_on)}.`,
    );
  for (const debt of newOf([before.senior, before.junior], [after.junior]))
    report('junior_mortgage', `A mortgage of ${asMoney(debt.amount)} was recorded ${asDay(debt.recorded_on)}.`);
  for (const debt of newOf([before.liens], [after.liens]))
    report('lien_recorded', `A lien of ${asMoney(debt.amount)} was recorded ${asDay(debt.recorded_on)}.`);
  if (before.mortgage.position !== null && (after.mortgage.position ?? 0) > before.mortgage.position)
    report(
      'position_changed',
      `Your mortgage went from position ${before.mortgage.position} to ${after.mortgage.position}.`,
    );
  if ((after.open_tax_liens ?? 0) > (before.open_tax_liens ?? 0))
    report(
      'tax_lien_recorded',
      `${after.open_tax_liens} tax liens are open; there were ${before.open_tax_liens ?? 'none known'}.`,
    );
  if ((before.open_tax_liens ?? 0) > 0 && after.open_tax_liens === 0)
    report('tax_lien_ended', 'No tax lien is open any longer.');
  if (!before.foreclosure && after.foreclosure) report('foreclosure_notice', 'A notice of foreclosure is on record.');
  if (before.foreclosure && !after.foreclosure) report('foreclosure_ended', 'The notice of foreclosure has ended.');
  if (after.last_deed && before.last_deed?.transaction_id !== after.last_deed.transaction_id && isNewer(before, after))
    report('title_transferred', `A deed was recorded ${asDay(after.last_deed.recorded_on)}.`);
  if ((after.open_violations ?? 0) > (before.open_violations ?? 0))
    report('violation_opened', `${after.open_violations} code violations are open.`);
  if (after.last_permit_on !== null && (before.last_permit_on ?? '') < after.last_permit_on)
    report('permit_issued', `A permit was issued ${asDay(after.last_permit_on)}.`);
  if (before.flood_zone !== null && after.flood_zone !== null && before.flood_zone !== after.flood_zone)
    report('flood_zone_changed', `The flood zone changed from ${before.flood_zone} to ${after.flood_zone}.`);
  changes.push(...ltvChanges(before.ltv, after.ltv, max_ltv));
  return changes;
}

const isNewer = (before: Condition, after: Condition) =>
  (after.last_deed?.recorded_on ?? '') >= (before.last_deed?.recorded_on ?? '');

type Debts = Condition['liens'];

function newOf(before: (Debts | null)[], after: (Debts | null)[]): Debts {
  // If the other debts were unknown before, none counts as new.
  if (before.includes(null)) return [];
  const known = new Set(before.flatMap((debts) => debts ?? []).map(({ transaction_id }) => transaction_id));
  return after.flatMap((debts) => debts ?? []).filter(({ transaction_id }) => !known.has(transaction_id));
}

function ltvChanges(before: number | null, after: number | null, limit: number | undefined): LoanChange[] {
  if (limit === undefined || before === null || after === null || before > limit === after > limit) return [];
  const [code, where] = after > limit ? (['ltv_above', 'above'] as const) : (['ltv_back_below', 'back below'] as const);
  return [
    { code, detail: `Loan-to-value is ${asRatio(after)}, ${where} your ${asRatio(limit)}; it was ${asRatio(before)}.` },
  ];
}
