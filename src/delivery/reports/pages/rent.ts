// The rent: its basis, its yield, and its debt service coverage.
import { INK } from '../../../base/pdf/colors.ts';
import type { Paper } from '../../../base/pdf/paper.ts';
import { drawFacts } from '../../../base/pdf/table.ts';
import { asDay, asMoney, asNumber, asRatio, asWords, DASH } from '../../../base/lib/figures.ts';
import type { Report } from '../schema.ts';

export function drawRent(paper: Paper, { rent: estimate }: Report): void {
  if (!estimate) return;
  const { rent, interval, basis, returns, loan, units, reason } = estimate;
  paper.heading('Rent', { note: `As of ${asDay(estimate.as_of)}`, room: 150 });
  if (rent === null) return paper.paragraph(`There is no estimate of the rent: ${asWords(reason)}.`);
  const ratio = (share: number | null) => (share === null ? DASH : asRatio(share));
  drawFacts(
    paper,
    [
      ['Rent a month', asMoney(rent)],
      ['80% interval', `${asMoney(interval?.low)} to ${asMoney(interval?.high)}`],
      ['Bedrooms', `${asNumber(estimate.bedrooms)}${units > 1 ? ` in each of ${units} units` : ''}`],
      ['Gross yield', ratio(returns.gross_yield)],
      ['Cap rate', ratio(returns.cap_rate)],
      ['Net operating income', asMoney(returns.net_operating_income)],
      ['Property tax a year', asMoney(returns.expenses.taxes)],
      ['Insurance a year', asMoney(returns.expenses.insurance)],
      ...(loan ? coverageFacts(loan) : []),
    ],
    4,
  );
  const why = returns.reason === null ? '' : ` No cap rate or coverage: ${asWords(returns.reason)}.`;
  paper.paragraph(`${basis.statement}${why}`, { size: 8.5 });
  const areas = basis.areas.map(({ kind, id, rent: amount, source }) => `${kind} ${id} ${asMoney(amount)} (${source})`);
  const { accuracy } = basis;
  const tested = accuracy && ` Median error on ${accuracy.tested} later leases ${asRatio(accuracy.median_error_rate)}.`;
  paper.paragraph(`Areas: ${areas.join(', ')}.${tested ?? ''}`, { size: 8.5, color: INK.faint });
}

const coverageFacts = (loan: NonNullable<NonNullable<Report['rent']>['loan']>): [string, string][] => [
  ['Payment a month', `$${loan.payment.toFixed(2)}`],
  ['With tax, insurance, dues', loan.payment_with_costs === null ? DASH : `$${loan.payment_with_costs.toFixed(2)}`],
  ['DSCR', loan.dscr === null ? DASH : String(loan.dscr)],
  ['DSCR at the low end', loan.dscr_at_low === null ? DASH : String(loan.dscr_at_low)],
];
