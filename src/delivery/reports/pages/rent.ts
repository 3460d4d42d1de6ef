// The rent: what it rests on, what it earns, and how it covers the loan.
import { INK } from '../../../base/pdf/colors.ts';
import type { Paper } from '../../../base/pdf/paper.ts';
import { drawFacts, drawList, leftOf, rightOf } from '../../../base/pdf/table.ts';
import { asDay, asMoney, asNumber, asRatio, asTitle, asWords, DASH } from '../../../base/lib/figures.ts';
import type { Report } from '../schema.ts';

export function drawRent(paper: Paper, { rent: estimate }: Report): void {
  if (!estimate) return;
  const { rent, interval, basis, returns, loan, units, reason } = estimate;
  paper.heading('Rent', { note: `As of ${asDay(estimate.as_of)}`, room: 220 });
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
  drawList(paper, basis.areas, [
    leftOf('Area', 1.4, ({ kind, id }) => `${kind === 'zip' ? 'ZIP' : 'Tract'} ${id}`),
    leftOf('Table', 2.4, ({ layer }) => asTitle(layer)),
    leftOf('Bedrooms', 1, ({ bedrooms }) => (bedrooms === null ? 'all sizes' : asNumber(bedrooms))),
    rightOf('Gross rent', 1, (area) => asMoney(area.rent)),
    leftOf('Source', 2, ({ source }) => source ?? DASH),
  ]);
  if (basis.accuracy)
    paper.paragraph(
      `Measured on ${asNumber(basis.accuracy.tested)} leases from ${asDay(basis.accuracy.tested_from)} on: median error ` +
        `${asRatio(basis.accuracy.median_error_rate)}, ${asRatio(basis.accuracy.interval_coverage)} inside of the interval.`,
      { size: 8.5, color: INK.faint },
    );
}

const coverageFacts = (loan: NonNullable<NonNullable<Report['rent']>['loan']>): [string, string][] => [
  ['Payment a month', `$${loan.payment.toFixed(2)}`],
  ['With tax, insurance, dues', loan.payment_with_costs === null ? DASH : `$${loan.payment_with_costs.toFixed(2)}`],
  ['DSCR', loan.dscr === null ? DASH : String(loan.dscr)],
  ['DSCR at the low end', loan.dscr_at_low === null ? DASH : String(loan.dscr_at_low)],
];
