// Line charts with a band, drawn as vectors.
import { INK, type Color } from './colors.ts';
import { drawLine, PAGE, WIDTH, type Paper } from './paper.ts';
import { lastOf } from '../lib/must.ts';

interface ChartPoint {
  /** Places the point; any unit. */
  at: number;
  value: number | null;
  low?: number | null;
  high?: number | null;
}

interface ChartLine {
  name: string;
  color: Color;
  points: readonly ChartPoint[];
  isDashed?: boolean;
  hasDots?: boolean;
}

interface ChartOptions {
  height?: number;
  /** Alternative text for screen readers. */
  alt: string;
  lines: readonly ChartLine[];
  bandName?: string;
  formatValue: (value: number) => string;
  ticks: readonly { at: number; label: string }[];
  /** Further points: sales, a price. */
  marks?: readonly { at: number; value: number; label: string }[];
}

const AXIS = 46;

export function drawChart(paper: Paper, options: ChartOptions): void {
  const { height = 150, lines, marks = [], formatValue, ticks } = options;
  paper.need(height + 34);
  const { pdf } = paper;
  const all = lines.flatMap(({ points }) => points);
  const ats = [...all.map(({ at }) => at), ...marks.map(({ at }) => at), ...ticks.map(({ at }) => at)];
  const values = [
    ...all.flatMap(({ value, low, high }) => [value, low, high]),
    ...marks.map(({ value }) => value),
  ].filter((value) => typeof value === 'number');
  const [fromAt, toAt] = [Math.min(...ats), Math.max(...ats)];
  const grid = niceGrid(Math.min(...values), Math.max(...values));
  const top = paper.y + 16;
  const x = (at: number) => PAGE.left + AXIS + ((at - fromAt) / (toAt - fromAt || 1)) * (WIDTH - AXIS - 8);
  const y = (value: number) => top + height - ((value - grid.from) / (grid.to - grid.from || 1)) * height;

  paper.mark(
    'Figure',
    () => {
      drawLegend(paper, options, paper.y);
      for (const value of grid.lines) {
        drawLine(pdf, [PAGE.left + AXIS, y(value)], [PAGE.right, y(value)], { width: 0.4, color: INK.line });
        paper.put(formatValue(value), PAGE.left + AXIS - 5, y(value) - 5, {
          size: 7.5,
          color: INK.faint,
          align: 'right',
        });
      }
      for (const { at, label } of ticks) {
        drawLine(pdf, [x(at), top + height], [x(at), top + height + 3], { width: 0.5, color: INK.faint });
        paper.put(label, x(at), top + height + 5, { size: 7.5, color: INK.faint, align: 'center' });
      }
      for (const line of lines) {
        for (const run of runsOf(line.points)) drawRun(pdf, line, run, x, y);
      }
      for (const mark of marks) {
        pdf.circle(x(mark.at), y(mark.value), 2.6).lineWidth(1).fillAndStroke(INK.paper, INK.second);
        paper.put(mark.label, x(mark.at), y(mark.value) + (isAbove(mark, lines[0].points) ? -14 : 4), {
          size: 7.5,
          color: INK.second,
          align: 'center',
        });
      }
    },
    options.alt,
  );
  paper.y = top + height + 24;
}

type KnownPoint = ChartPoint & { value: number };

const isKnown = (point: ChartPoint): point is KnownPoint => point.value !== null;

function drawRun(
  pdf: PDFKit.PDFDocument,
  { color, isDashed, hasDots }: ChartLine,
  run: readonly KnownPoint[],
  x: (at: number) => number,
  y: (value: number) => number,
): void {
  const banded = run.flatMap(({ at, low, high }) =>
    typeof low === 'number' && typeof high === 'number' ? [{ at, low, high }] : [],
  );
  if (banded.length > 1) {
    banded.forEach(({ at, high }, i) => (i === 0 ? pdf.moveTo(x(at), y(high)) : pdf.lineTo(x(at), y(high))));
    for (const { at, low } of banded.toReversed()) pdf.lineTo(x(at), y(low));
    pdf.fillOpacity(0.13).fill(color).fillOpacity(1);
  }
  run.forEach(({ at, value }, i) => (i === 0 ? pdf.moveTo(x(at), y(value)) : pdf.lineTo(x(at), y(value))));
  pdf
    .lineWidth(isDashed ? 1 : 1.5)
    .lineJoin('round')
    .strokeColor(color);
  if (isDashed) pdf.dash(3, { space: 2 });
  pdf.stroke().undash();
  if (hasDots || run.length === 1) {
    for (const { at, value } of run) pdf.circle(x(at), y(value), 1.6).fill(color);
  }
}

/** A label is placed on the side of its mark away from the line. */
function isAbove({ at, value }: { at: number; value: number }, points: readonly ChartPoint[]): boolean {
  const known = points.filter(isKnown);
  const nearest = known.reduce((a, b) => (Math.abs(b.at - at) < Math.abs(a.at - at) ? b : a), known[0]);
  return nearest !== undefined && value >= nearest.value;
}

/** The line breaks where a value is withheld. */
function runsOf(points: readonly ChartPoint[]): KnownPoint[][] {
  const runs: KnownPoint[][] = [[]];
  for (const point of points) {
    if (isKnown(point)) lastOf(runs).push(point);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

function drawLegend(paper: Paper, { lines, bandName }: ChartOptions, top: number): void {
  let x = PAGE.left + AXIS;
  const { pdf } = paper;
  const name = (text: string) => {
    paper.put(text, x + 17, top, { size: 7.5, color: INK.soft });
    x += 17 + paper.widthOf(text, { size: 7.5 }) + 16;
  };
  for (const line of lines) {
    pdf
      .moveTo(x, top + 5)
      .lineTo(x + 13, top + 5)
      .lineWidth(1.5)
      .strokeColor(line.color);
    if (line.isDashed) pdf.dash(3, { space: 2 });
    pdf.stroke().undash();
    name(line.name);
  }
  if (bandName !== undefined && lines.length > 0) {
    pdf
      .rect(x, top + 1.5, 13, 7)
      .fillOpacity(0.2)
      .fill(lines[0].color)
      .fillOpacity(1);
    name(bandName);
  }
}

/** Round numbers that enclose the values. */
export function niceGrid(least: number, most: number): { from: number; to: number; lines: number[] } {
  const span = most - least || Math.abs(most) || 1;
  const rough = span / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 2.5, 5].find((factor) => factor * unit >= rough) ?? 10);
  const from = Math.max(0, Math.floor((least - span * 0.05) / step)) * step;
  const to = Math.ceil((most + span * 0.05) / step) * step;
  const lines = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step);
  return { from, to, lines };
}

/** Amounts to the left and right of zero, one bar per line. */
export function drawBars(
  paper: Paper,
  bars: readonly { name: string; amount: number }[],
  format: (amount: number) => string,
): void {
  const line = 13;
  const [labels, amounts] = [128, 64];
  const most = Math.max(1, ...bars.map(({ amount }) => Math.abs(amount)));
  const zero = PAGE.left + labels + (WIDTH - labels - amounts) / 2;
  const reach = (WIDTH - labels - amounts) / 2 - 6;
  for (const { name, amount } of bars) {
    paper.need(line);
    const { pdf, y } = paper;
    const width = (Math.abs(amount) / most) * reach;
    pdf.rect(amount < 0 ? zero - width : zero, y + 2, width, line - 4.5).fill(amount < 0 ? INK.second : INK.accent);
    drawLine(pdf, [zero, y], [zero, y + line], { width: 0.5, color: INK.faint });
    paper.mark('P', () => {
      paper.put(name, PAGE.left, y + 0.5, { size: 8.5, width: labels - 8, maxLines: 1 });
      paper.put(format(amount), PAGE.right, y + 0.5, { size: 8.5, align: 'right' });
    });
    paper.y += line;
  }
  paper.space(10);
}
