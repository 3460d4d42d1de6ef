// The comparables grid as appraisers lay it out: one column per sale, one line per adjustment, to the dollar.
import { titleCase } from '../../../base/lib/title-case.ts';
import { INK } from '../../../base/pdf/colors.ts';
import { WHOLE_PAGE, type Paper } from '../../../base/pdf/paper.ts';
import { drawTable, left, right, type Cell } from '../../../base/pdf/table.ts';
import { asDay, asMoney, asNumber, asPercent, asSigned, asTitle, DASH } from '../../../base/lib/figures.ts';
import { asRules, withAreas } from '../figures.ts';
import type { Report } from '../schema.ts';

type Comparable = NonNullable<Report['valuation']['comparables']>[number];
/** More columns would be too narrow for an address. */
const MOST_COLUMNS = 5;

export function drawGrid(paper: Paper, { valuation }: Report): void {
  const { comparables = [], comparables_basis: basis, explanation } = valuation;
  const note = comparables.length === 1 ? 'One sale' : `${comparables.length} sales`;
  paper.heading('Comparables', { note, room: comparables.length === 0 ? 90 : WHOLE_PAGE });
  if (comparables.length === 0) return paper.paragraph('No comparable sales are known.');
  paper.paragraph(
    'Adjustments are dollars added to the sale price for a difference from the property (S). They add up to the adjusted price, and the adjusted prices, by weight, to the value that the comparables indicate.',
    { size: 8.5 },
  );
  const tables = Math.ceil(comparables.length / MOST_COLUMNS);
  const columns = Math.ceil(comparables.length / tables);
  for (let first = 0; first < comparables.length; first += columns) {
    drawSome(paper, comparables.slice(first, first + columns), { first, columns });
  }
  if (basis) {
    const { applied, widened } = basis;
    paper.paragraph(
      `Chosen within ${asNumber(applied.max_distance_miles)} ${applied.max_distance_miles === 1 ? 'mile' : 'miles'} and ${asNumber(applied.max_age_days)} days` +
        `${applied.max_area_difference === null ? '' : `, living area within ${asPercent(applied.max_area_difference)}`}` +
        `${applied.same_property_type ? ', same property type' : ''}. ` +
        (widened.length === 0
          ? 'Every sale meets the rules for comparables.'
          : `Widened to find enough: ${asRules(widened)}.`),
      { size: 8.5 },
    );
  }
  if (explanation) drawReconciliation(paper, explanation);
}

function drawSome(paper: Paper, some: Comparable[], { first, columns }: { first: number; columns: number }): void {
  const features = [...new Set(some.flatMap(({ adjustments }) => adjustments.map(({ feature }) => feature)))];
  const line = (name: string, cell: (each: Comparable) => Cell, subject = ''): Cell[] => [
    { text: name, color: INK.soft },
    subject,
    ...some.map(cell),
  ];
  const subjectOf = (feature: string) =>
    some.flatMap(({ adjustments }) => adjustments).find((each) => each.feature === feature)?.subject ?? '';
  const rows: Cell[][] = [
    line('Address', (each) => ({ text: each.address ? titleCase(each.address) : DASH, maxLines: 4 })),
    line('Sold', (each) => asDay(each.sale_date)),
    line('Distance', (each) => `${each.distance_miles.toFixed(2)} mi`),
    line('Sale price', (each) => ({ text: asMoney(each.sale_price), bold: true })),
    ...features.map((feature) =>
      line(
        asTitle(feature),
        (each) => {
          const found = each.adjustments.find((adjustment) => adjustment.feature === feature);
          return found ? { text: asSigned(found.amount), note: withAreas(found.comparable ?? '') } : DASH;
        },
        withAreas(subjectOf(feature)),
      ),
    ),
    line('Adjusted price', (each) => ({ text: asMoney(each.adjusted_price), bold: true })),
    line('Net / gross', (each) => `${asPercent(each.net_adjustment_rate)} / ${asPercent(each.gross_adjustment_rate)}`),
    line('Weight', (each) => asPercent(each.weight)),
    ...(some.some(({ exceeds }) => exceeds.length > 0)
      ? [line('Outside the rules', (each) => ({ text: asRules(each.exceeds) || DASH, color: INK.warn }))]
      : []),
  ];
  drawTable(
    paper,
    [
      left('', 1.3),
      left('Property (S)', 1.3),
      ...some.map((_, i) => right(`Comparable ${first + i + 1}`, 1.6)),
      // Columns keep their width if the last table has fewer sales.
      ...Array.from({ length: columns - some.length }, () => left('', 1.6)),
    ],
    rows,
    { size: 8, strong: new Set([3, 4 + features.length]), isWhole: true },
  );
}

function drawReconciliation(
  paper: Paper,
  { reconciliation: sums }: NonNullable<Report['valuation']['explanation']>,
): void {
  paper.subheading('Reconciliation', 84);
  drawTable(
    paper,
    [left('', 4), right('Dollars', 1)],
    [
      ['Value indicated by the comparables, by weight', asMoney(sums.comparables_indicated_value)],
      ['Adjustment by the model, which also reads what the grid does not show', asSigned(sums.model_adjustment)],
      [
        { text: 'Estimated value', bold: true },
        { text: asMoney(sums.estimated_value), bold: true },
      ],
    ],
    { strong: new Set([2]) },
  );
}
