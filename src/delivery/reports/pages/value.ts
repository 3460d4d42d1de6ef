// The value: its history, composition and measured error, and the loan against it.
import { drawBars, drawChart } from '../../../base/pdf/chart.ts';
import { INK } from '../../../base/pdf/colors.ts';
import type { Paper } from '../../../base/pdf/paper.ts';
import { drawFacts, drawTable, left, right } from '../../../base/pdf/table.ts';
import { dayNumber } from '../../../base/lib/clock.ts';
import {
  asDay,
  asMoney,
  asNumber,
  asPercent,
  asShare,
  asShortMoney,
  asSigned,
  asTitle,
  asWords,
} from '../../../base/lib/figures.ts';
import type { Report } from '../schema.ts';

const MOST_BARS = 8;

export function drawValuePage(paper: Paper, report: Report): void {
  paper.heading('Value', { note: `Receipt ${report.receipt.id}`, room: 420 });
  if (report.valuation.explanation) paper.paragraph(report.valuation.explanation.summary);
  drawHistory(paper, report);
  drawContributions(paper, report);
  drawAccuracy(paper, report);
  if (report.loan) drawLoan(paper, report.loan);
}

function drawHistory(paper: Paper, report: Report): void {
  const { valuation } = report;
  const past = (valuation.history ?? []).toReversed();
  const last = {
    date: valuation.as_of,
    value: valuation.estimated_value,
    low: valuation.confidence_interval.low,
    high: valuation.confidence_interval.high,
  };
  const points = [...past.filter(({ date }) => date < last.date), last];
  const from = points[0].date;
  if (points.length < 2) return drawCarriedBack(paper, report);
  drawChart(paper, {
    alt: `Value from ${asDay(from)} to ${asDay(last.date)}, ending at ${asMoney(last.value)}`,
    lines: [
      {
        name: 'Estimated value',
        color: INK.accent,
        points: points.map(({ date, ...point }) => ({ at: dayNumber(date), ...point })),
      },
    ],
    bandName: `${Math.round(valuation.confidence_interval.level * 100)}% interval`,
    formatValue: asShortMoney,
    ticks: yearTicks(from, last.date),
    marks: salesBetween(report, from, last.date),
    height: 105,
  });
}

/** If no earlier values are stored: today's value, scaled back with the area's price index. */
function drawCarriedBack(paper: Paper, report: Report): void {
  const { valuation, market } = report;
  const data = market.index?.data ?? [];
  const now = data.at(-1);
  if (!now || data.length < 2)
    return paper.paragraph('No earlier values of this home are stored, and its area has no price index.', {
      size: 8.5,
      color: INK.faint,
    });
  const { estimated_value: value, confidence_interval: interval } = valuation;
  drawChart(paper, {
    alt: `The value of ${asMoney(value)} carried back to ${asDay(data[0].starts_on)} by the price index`,
    lines: [
      {
        name: `This value, carried back by the price index of ${market.index!.area.name}`,
        color: INK.accent,
        points: data.map(({ starts_on, index }) => {
          const share = index / now.index;
          return {
            at: dayNumber(starts_on),
            value: value * share,
            low: interval.low * share,
            high: interval.high * share,
          };
        }),
      },
    ],
    bandName: `${Math.round(interval.level * 100)}% interval`,
    formatValue: asShortMoney,
    ticks: yearTicks(data[0].starts_on, now.ends_on),
    marks: salesBetween(report, data[0].starts_on, now.ends_on),
    height: 105,
  });
}

/** Arm's-length sales of the home itself. */
const salesBetween = ({ title }: Report, from: string, to: string) =>
  title.chain.flatMap(({ sold_on, price, arms_length }) =>
    sold_on === null || price === null || price <= 1_000 || arms_length === false || sold_on < from || sold_on > to
      ? []
      : [{ at: dayNumber(sold_on), value: price, label: `Sold ${asShortMoney(price)}` }],
  );

/** The first of January of each year in between, or both ends if there is none. */
export function yearTicks(from: string, to: string): { at: number; label: string }[] {
  const years = Array.from(
    { length: Number(to.slice(0, 4)) - Number(from.slice(0, 4)) },
    (_, i) => Number(from.slice(0, 4)) + i + 1,
  );
  const every = Math.ceil(years.length / 10);
  const ticks = years
    .filter((_, i) => i % every === 0)
    .map((year) => ({ at: dayNumber(`${year}-01-01`), label: String(year) }));
  return ticks.length > 1 ? ticks : [from, to].map((day) => ({ at: dayNumber(day), label: asDay(day) }));
}

function drawContributions(paper: Paper, { valuation: { explanation } }: Report): void {
  const contributions = explanation?.contributions ?? [];
  if (contributions.length === 0) return;
  paper.subheading('What the value is made of');
  const [typical, ...parts] = contributions.filter(({ amount }) => amount !== 0);
  paper.paragraph(`${asTitle(typical.label)} of this market: ${asMoney(typical.amount)}. From there to this one:`);
  const bySize = parts.toSorted((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  const shown = new Set(bySize.slice(0, MOST_BARS));
  const others = bySize.slice(MOST_BARS);
  const rest = others.reduce((sum, { amount }) => sum + amount, 0);
  drawBars(
    paper,
    [
      ...parts.filter((part) => shown.has(part)).map(({ label, amount }) => ({ name: asTitle(label), amount })),
      ...(others.length > 0
        ? [{ name: others.length === 1 ? 'A smaller part' : `${others.length} smaller parts`, amount: rest }]
        : []),
    ],
    asSigned,
  );
}

function drawAccuracy(paper: Paper, { valuation, receipt }: Report): void {
  const { error_basis: basis } = valuation;
  paper.subheading('How far such values have been off', 100);
  drawFacts(
    paper,
    [
      ['Median error of values like this', asPercent(valuation.median_error_rate)],
      ['Forecast standard deviation', asPercent(valuation.fsd)],
      ['Within ±10% of the price', asPercent(valuation.confidence_score)],
      ['Tested on', `${asNumber(basis.sample_size)} sales, ${asDay(basis.window.from)} to ${asDay(basis.window.to)}`],
      ['Segment', asWords(basis.segment)],
      ['Median error of the segment', asShare(basis.segment_error_rate)],
      ['Model', valuation.model_version],
      ['Sales known up to', asDay(receipt.market_day)],
      [
        'Filled in',
        basis.missing.length === 0
          ? 'Nothing'
          : asWords(basis.missing.map((name) => name.replace(/^extras\./, '')).join(', ')),
      ],
    ],
    3,
  );
}

function drawLoan(paper: Paper, loan: NonNullable<Report['loan']>): void {
  const { existing_mortgages: existing, lent_against: against } = loan;
  paper.subheading('Loan to value', 130);
  const basis = loan.purchase_price === null ? 'Value' : 'Value, or the price where lower';
  drawTable(
    paper,
    [
      left('', 3.2),
      right('Dollars', 1.2),
      right(`Share of ${asMoney(against.value)}`, 1.3),
      right(`At the low end, ${asMoney(against.low)}`, 1.4),
    ],
    [
      ['Loan applied for', asMoney(loan.amount), asPercent(loan.ltv), asPercent(loan.ltv_at_low)],
      [
        existing.treatment === 'paid_off'
          ? 'Existing mortgages, paid off'
          : `Existing mortgages that stay (${asWords(existing.basis)})`,
        asMoney(existing.balance),
        '',
        '',
      ],
      ['Other liens that stay', asMoney(loan.other_liens), '', ''],
      [
        { text: 'Combined', bold: true },
        { text: asMoney(loan.total_debt), bold: true },
        { text: asShare(loan.cltv), bold: true },
        { text: asShare(loan.cltv_at_low), bold: true },
      ],
    ],
    { strong: new Set([3]) },
  );
  paper.paragraph(`Lent against: ${basis.toLowerCase()}. ${loan.note}`, { size: 8.5 });
}
