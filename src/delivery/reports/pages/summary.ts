// The first page: value, loan and the outcome of the rules.
import { INK, type Color } from '../../../base/pdf/colors.ts';
import { PAGE, WIDTH, type Paper } from '../../../base/pdf/paper.ts';
import { drawTable, left, type Cell } from '../../../base/pdf/table.ts';
import { ruleInWords } from '../conditions.ts';
import * as figures from '../../../base/lib/figures.ts';
import type { Report } from '../schema.ts';

const DECISIONS: Record<Report['decision']['outcome'], { word: string; ink: Color; ground: Color }> = {
  pass: { word: 'Pass', ink: INK.good, ground: INK.goodWash },
  refer: { word: 'Refer', ink: INK.warn, ground: INK.warnWash },
  decline: { word: 'Decline', ink: INK.bad, ground: INK.badWash },
  not_evaluated: { word: 'No rules set', ink: INK.faint, ground: INK.wash },
};
const OUTCOME_INK = { pass: INK.good, refer: INK.warn, decline: INK.bad, not_applicable: INK.faint } as const;

export function drawSummary(paper: Paper, report: Report, address: string): void {
  drawSubject(paper, report, address);
  drawValue(paper, report);
  drawTiles(paper, tilesOf(report));
  drawRules(paper, report);
  drawAttention(paper, report);
}

function drawSubject(paper: Paper, { property, decision, reference, loan }: Report, address: string): void {
  const badge = DECISIONS[decision.outcome];
  const badgeWidth = 104;
  const titleWidth = WIDTH - badgeWidth - 24;
  const top = paper.y;
  paper.mark('P', () =>
    paper.put('LENDER’S FILE', PAGE.left, top, { size: 8, weight: 'bold', color: INK.accent, spacing: 0.8 }),
  );
  const size = address.length > 70 ? 15 : 20;
  const style = { size, weight: 'bold', width: titleWidth, maxLines: 3 } as const;
  paper.mark('H1', () => paper.put(address, PAGE.left, top + 13, style));
  paper.pdf.roundedRect(PAGE.right - badgeWidth, top + 2, badgeWidth, 44, 5).fill(badge.ground);
  paper.mark('P', () => {
    const centered = { color: badge.ink, align: 'center', width: badgeWidth } as const;
    paper.put('Outcome of the rules', PAGE.right - badgeWidth, top + 8, { ...centered, size: 7.5 });
    paper.put(badge.word, PAGE.right - badgeWidth, top + 19, { ...centered, size: 15, weight: 'bold' });
  });
  paper.y = top + 13 + paper.heightOf(address, style) + 4;
  const { identifiers } = property;
  const parts = [
    figures.asTitle(property.property_type),
    `Parcel ${identifiers?.apn ?? figures.DASH}`,
    identifiers?.county,
    ...(reference === null ? [] : [`File ${reference}`]),
    ...(loan?.purpose ? [`Purpose: ${figures.asWords(loan.purpose)}`] : []),
  ];
  paper.paragraph(parts.filter(Boolean).join('  ·  '), { width: titleWidth });
  paper.y = Math.max(paper.y, top + 52) + 8;
}

function drawValue(paper: Paper, { valuation, loan }: Report): void {
  const { estimated_value: value, confidence_interval: interval } = valuation;
  const top = paper.y;
  paper.mark('P', () => {
    const title = `Estimated market value as of ${figures.asDay(valuation.as_of)}`;
    paper.put(title, PAGE.left, top, { size: 8.5, color: INK.faint });
    paper.put(figures.asMoney(value), PAGE.left, top + 10, { size: 32, weight: 'bold' });
    const text = `${Math.round(interval.level * 100)}% interval: ${figures.asMoney(interval.low)} to ${figures.asMoney(interval.high)}`;
    paper.put(text, PAGE.left, top + 52, { size: 9.5, color: INK.soft });
  });
  drawScale(
    paper,
    {
      low: interval.low,
      value,
      high: interval.high,
      loan: loan?.amount,
      price: loan?.purchase_price ?? undefined,
      debt: loan?.total_debt === loan?.amount ? undefined : (loan?.total_debt ?? undefined),
    },
    top + 14,
  );
  paper.y = top + 78;
}

interface Scale {
  low: number;
  value: number;
  high: number;
  loan?: number;
  price?: number;
  /** All debts together, if more than the loan. */
  debt?: number;
}

/** The interval as a bar with the value on it, and the loan on the same scale. */
function drawScale(paper: Paper, { low, value, high, loan, price, debt }: Scale, top: number): void {
  const [left, right] = [PAGE.left + 240, PAGE.right - 14];
  const amounts = [low, value, high, loan ?? low, price ?? value, debt ?? value];
  const [least, most] = [Math.min(...amounts) * 0.97, Math.max(...amounts) * 1.03];
  const x = (amount: number) => left + ((amount - least) / (most - least || 1)) * (right - left);
  const { pdf } = paper;
  const y = top + 20;
  paper.mark(
    'Figure',
    () => {
      pdf.moveTo(left, y).lineTo(right, y).lineWidth(0.6).strokeColor(INK.line).stroke();
      pdf.roundedRect(x(low), y - 4, x(high) - x(low), 8, 4).fill(INK.accentWash);
      pdf.circle(x(value), y, 4.5).fill(INK.accent);
      const label = (text: string, at: number, dy: number, color: Color) => {
        const half = paper.widthOf(text, { size: 8 }) / 2;
        paper.put(text, Math.min(Math.max(at, left + half), right - half + 12), y + dy, {
          size: 8,
          color,
          align: 'center',
        });
      };
      label(`Value ${figures.asMoney(value)}`, x(value), -19, INK.accent);
      for (const [name, amount, dy] of [
        ['Loan', loan, 9],
        ['Price', price, 20],
        ['All debts', debt, 31],
      ] as const) {
        if (amount === undefined) continue;
        pdf
          .moveTo(x(amount), y - 7)
          .lineTo(x(amount), y + 7)
          .lineWidth(1.6)
          .strokeColor(INK.second)
          .stroke();
        label(`${name} ${figures.asMoney(amount)}`, x(amount), dy, INK.second);
      }
    },
    `Value ${figures.asMoney(value)} within its interval from ${figures.asMoney(low)} to ${figures.asMoney(high)}${loan === undefined ? '' : `, with a loan of ${figures.asMoney(loan)}`}`,
  );
}

type Tile = [name: string, value: string, note: string];

function tilesOf({ loan, valuation, title, risk, market }: Report): Tile[] {
  const flood = risk.layers.flood;
  const isKnown = flood?.status === 'found' || flood?.status === 'none_found';
  const hazard = flood?.sfha ? 'special flood hazard area' : 'outside the hazard area';
  const { open } = title;
  const liens = `tax ${figures.asNumber(open.tax_liens)}, other ${figures.asNumber(open.other_liens)}, code ${figures.asNumber(open.violations)}`;
  const change = market.change_1y;
  const changed = change && `${change.basis === 'price_index' ? 'index' : 'median'}, ${change.from} to ${change.to}`;
  return [
    ...(loan ? loanTiles(loan) : []),
    [
      'Confidence',
      figures.asTitle(valuation.confidence),
      `${figures.asPercent(valuation.confidence_score)} within ±10%`,
    ],
    [
      'Forecast std. deviation',
      figures.asPercent(valuation.fsd),
      `median error ${figures.asPercent(valuation.median_error_rate)}`,
    ],
    ['Open mortgages', figures.asNumber(open.mortgages), describeMortgages(title)],
    ['Liens and violations', sumOf([open.tax_liens, open.other_liens, open.violations]), liens],
    ['Flood zone', isKnown ? (flood.zone ?? 'None') : figures.DASH, isKnown ? hazard : 'not known'],
    ['Local prices, one year', change ? figures.asChange(change.change) : figures.DASH, changed ?? 'too few sales'],
  ];
}

function loanTiles({ ltv, ltv_at_low, cltv, cltv_at_low }: NonNullable<Report['loan']>): Tile[] {
  const atLow = (share: number) => `${figures.asRatio(share)} at the low end`;
  return [
    ['Loan to value', figures.asRatio(ltv), atLow(ltv_at_low)],
    [
      'Combined loan to value',
      cltv === null ? figures.DASH : figures.asRatio(cltv),
      cltv_at_low === null ? 'a debt is not known' : atLow(cltv_at_low),
    ],
  ];
}

function describeMortgages({ open, coverage }: Report['title']): string {
  if (coverage.mortgages.status === 'not_covered') return 'not covered';
  if (coverage.mortgages.status === 'partial')
    return open.mortgages === null ? 'not known: partly covered' : 'on record; others may be open';
  return open.mortgages === 0 ? 'none on record' : `est. balance ${figures.asMoney(open.estimated_balance)}`;
}

/** Uncovered layers may hold liens, so zero among the covered ones is not zero. */
function sumOf(counts: readonly (number | null)[]): string {
  const known = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  if (!counts.includes(null)) return String(known);
  return known === 0 ? figures.DASH : `${known} or more`;
}

function drawTiles(paper: Paper, tiles: readonly Tile[]): void {
  const [columns, gap] = [4, 8];
  const width = (WIDTH - gap * (columns - 1)) / columns;
  const height = 47;
  for (const [at, [name, value, note]] of tiles.entries()) {
    const x = PAGE.left + (at % columns) * (width + gap);
    const y = paper.y + Math.floor(at / columns) * (height + gap);
    paper.pdf.roundedRect(x, y, width, height, 4).fill(INK.wash);
    paper.mark('P', () => {
      const inner = { width: width - 14, maxLines: 1 } as const;
      paper.put(name, x + 7, y + 5, { size: 7.5, color: INK.faint, ...inner });
      paper.put(value, x + 7, y + 14, { size: 14, weight: 'bold', ...inner });
      paper.put(note, x + 7, y + 33, { size: 7.5, color: INK.soft, ...inner });
    });
  }
  paper.y += Math.ceil(tiles.length / columns) * (height + gap) + 8;
}

const RULES_FROM: Record<Report['decision']['rules_from'], string> = {
  account: 'Rules of the account',
  request: 'Rules of the request',
  standard: 'Standard rules',
};

function drawRules(paper: Paper, { decision }: Report): void {
  paper.subheading(RULES_FROM[decision.rules_from]);
  if (decision.rules.length === 0) {
    return paper.paragraph(
      'No rules are set, so nothing was decided. Set them on the dashboard or with PUT /reports/rules.',
    );
  }
  const rows = decision.rules.map((rule): Cell[] => [
    { text: figures.asTitle(rule.outcome), bold: true, color: OUTCOME_INK[rule.outcome] },
    { text: figures.asTitle(ruleInWords(rule)), ...(rule.note !== undefined && { note: rule.note }) },
    rule.reason,
  ]);
  drawTable(paper, [left('Outcome', 1.3), left('Would not pass if', 4), left('Found', 4)], rows);
}

/** Points to check before signing. */
function drawAttention(paper: Paper, { gaps, title }: Report): void {
  const lines = [
    ...title.flags
      .filter(({ code }) => code !== 'non_arms_length')
      .map(({ code, reason }) => `Title, ${figures.asWords(code)}: ${reason}`),
    ...gaps.filter(({ kind }) => kind !== 'withheld').map(({ detail }) => detail),
  ];
  const style = { width: WIDTH - 10, size: 9, color: INK.soft } as const;
  if (lines.length === 0 || paper.y + 60 > PAGE.bottom) return;
  paper.space(2);
  paper.subheading('To look at');
  for (const [at, line] of lines.entries()) {
    const height = paper.heightOf(line, style);
    if (paper.y + height + 14 > PAGE.bottom) {
      const rest = lines.length - at;
      return paper.paragraph(`And ${rest} more under “Title” and “Data gaps”.`, { size: 9, color: INK.faint });
    }
    paper.mark('P', () => {
      paper.put('•', PAGE.left, paper.y, { size: 9, color: INK.accent });
      paper.put(line, PAGE.left + 10, paper.y, style);
    });
    paper.y += height + 2.5;
  }
}
