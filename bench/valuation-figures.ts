// Stores the measured figures of each back-test in docs/lab/figures and draws them as plain SVG, without a library.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { headlineOf, type ModelCard } from '../src/insight/avm/card.ts';

type Figures = {
  market: string;
  window: ModelCard['window'];
  n: number;
  /** Requested coverage → share of prices inside. */
  coverage: Record<string, number>;
  errors: Array<{ name: string; medianError: number }>;
  labels: Array<{ name: string; n: number; covered80: number; within10: number }>;
  bands: Array<{ name: string; n: number; medianError: number; medianRatio: number }>;
};

const FOLDER = join(import.meta.dirname, '../docs/lab/figures');
const FILE = join(FOLDER, 'valuation.json');
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8c6d00'];

export function saveFigures(card: ModelCard): void {
  mkdirSync(FOLDER, { recursive: true });
  const known = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Figures[]) : [];
  const all = [...known.filter(({ market }) => market !== card.market), figuresOf(card)];
  all.sort((a, b) => a.errors[0].medianError - b.errors[0].medianError);
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
  drawFigures(all);
}

function figuresOf(card: ModelCard): Figures {
  const all = card.segments.find(({ kind }) => kind === 'all')!;
  const order = ['high', 'medium', 'low'];
  const firstDollars = (name: string): number =>
    name.startsWith('under') ? 0 : Number(name.replaceAll(',', '').match(/\d+/)![0]);
  return {
    market: card.market,
    window: card.window,
    n: all.n,
    coverage: all.coverage,
    // Of market prices, as the baselines are.
    errors: [{ ...headlineOf(card)!, name: 'this model' }, ...card.baselines].map(({ name, medianError }) => ({
      name,
      medianError,
    })),
    labels: card.segments
      .filter(({ kind }) => kind === 'confidence')
      .toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
      .map(({ name, n, coverage, within10 }) => ({ name, n, covered80: coverage['0.8'], within10 })),
    bands: card.segments
      .filter(({ kind }) => kind === 'price_band')
      .toSorted((a, b) => firstDollars(a.name) - firstDollars(b.name))
      .map(({ name, n, medianError, medianRatio }) => ({ name, n, medianError, medianRatio })),
  };
}

function drawFigures(all: Figures[]): void {
  const write = (name: string, svg: string): void => writeFileSync(join(FOLDER, `valuation-${name}.svg`), svg);
  write('errors', drawErrors(all));
  write('coverage', drawCoverage(all));
  write('labels', drawLabels(all));
  write('bands', drawBands(all));
}

const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
const line = (x1: number, y1: number, x2: number, y2: number, color = '#ddd', more = ''): string =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="${color}" ${more}/>`;
const dot = (x: number, y: number, color: string, r = 4): string =>
  `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r}" fill="${color}"/>`;
const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)}%`;

function sheet(width: number, height: number, title: string, marks: string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#333" role="img" aria-label="${title}">
<rect width="${width}" height="${height}" fill="#fff"/>
${text(16, 24, title, 'font-size="15" font-weight="600"')}
${marks.join('\n')}
</svg>
`;
}

/** Market names at the top of a chart, each in its color. */
function legend(all: Figures[], x: number, y: number): string[] {
  return all.flatMap(({ market }, k) => [
    dot(x + k * 118, y - 4, COLORS[k]),
    text(x + 9 + k * 118, y, market, `fill="${COLORS[k]}"`),
  ]);
}

/** Lines across the chart, with their shares on the left. */
function axis(from: number, to: number, step: number, at: (share: number) => number, x1: number, x2: number): string[] {
  const marks: string[] = [];
  for (let share = from; share <= to + 1e-9; share += step)
    marks.push(line(x1, at(share), x2, at(share)), text(x1 - 8, at(share) + 4, percent(share), 'text-anchor="end"'));
  return marks;
}

/** One row per method, one group per market; shorter is better. */
function drawErrors(all: Figures[]): string {
  const [left, width, row] = [300, 760, 20];
  const longest = Math.max(...all.flatMap(({ errors }) => errors.map(({ medianError }) => medianError)));
  const scale = (width - left - 70) / longest;
  const marks: string[] = [];
  let y = 52;
  all.forEach(({ market, window, n, errors }, k) => {
    marks.push(
      text(16, y, `${market}, ${window.from} to ${window.to}, ${n.toLocaleString('en')} sales`, 'font-weight="600"'),
    );
    for (const { name, medianError } of errors) {
      y += row;
      const isOurs = name.startsWith('this model');
      marks.push(
        text(left - 8, y, name, 'text-anchor="end"'),
        `<rect x="${left}" y="${y - 11}" width="${(medianError * scale).toFixed(1)}" height="14" fill="${isOurs ? COLORS[k] : '#bbb'}"/>`,
        text(left + medianError * scale + 6, y, percent(medianError, 2)),
      );
    }
    y += row + 14;
  });
  return sheet(width, y - 10, 'Median error on unseen prices', marks);
}

function drawCoverage(all: Figures[]): string {
  const [x0, y0, width, height] = [70, 400, 540, 320];
  const at = (share: number): number => (share - 0.4) / 0.6;
  const y = (share: number): number => y0 - height * at(share);
  const x = (share: number): number => x0 + width * at(share);
  const marks = [
    ...axis(0.4, 1, 0.1, y, x0, x0 + width),
    line(x(0.4), y(0.4), x(1), y(1), '#999', 'stroke-dasharray="4 4"'),
    ...[0.5, 0.8, 0.9, 0.95].map((share) => text(x(share), y0 + 18, percent(share), 'text-anchor="middle"')),
    text(x0 + width / 2, y0 + 38, 'requested', 'text-anchor="middle"'),
    ...legend(all, 24, 48),
    ...all.flatMap(({ coverage }, k) => {
      const points = Object.entries(coverage).map(([level, share]): [number, number] => [x(Number(level)), y(share)]);
      return [
        `<polyline fill="none" stroke="${COLORS[k]}" points="${points.map((point) => point.map((v) => v.toFixed(1)).join(',')).join(' ')}"/>`,
        ...points.map(([px, py]) => dot(px, py, COLORS[k])),
      ];
    }),
  ];
  return sheet(640, 450, 'Prices inside the interval', marks);
}

function drawLabels(all: Figures[]): string {
  const [x0, y0, height, width] = [70, 330, 250, 540];
  const y = (share: number): number => y0 - (height * (share - 0.6)) / 0.4;
  const names = ['high', 'medium', 'low'];
  const marks = [
    `<rect x="${x0}" y="${y(0.82).toFixed(1)}" width="${width}" height="${(y(0.78) - y(0.82)).toFixed(1)}" fill="#e8f3ec"/>`,
    ...axis(0.6, 1, 0.05, y, x0, x0 + width),
    ...names.map((name, j) => text(x0 + (width * (j + 0.5)) / 3, y0 + 20, name, 'text-anchor="middle"')),
    ...legend(all, 24, 48),
    ...all.flatMap(({ labels }, k) =>
      labels.flatMap(({ name, n, covered80 }) => {
        const px = x0 + (width * (names.indexOf(name) + 0.5)) / 3 + (k - (all.length - 1) / 2) * 30;
        const share = Math.max(0.6, covered80);
        // Two standard errors of a share, for labels that few homes get.
        const reach = 2 * Math.sqrt((0.8 * 0.2) / n);
        const ends = [share - reach, share + reach].map((end) => y(Math.max(0.6, Math.min(1, end))));
        return [line(px, ends[0], px, ends[1], COLORS[k]), dot(px, y(share), COLORS[k])];
      }),
    ),
  ];
  return sheet(640, 370, 'Prices inside the 80% interval, by confidence label', marks);
}

function drawBands(all: Figures[]): string {
  const [x0, y0, height, width] = [70, 330, 250, 540];
  const top = Math.ceil(10 * Math.max(...all.flatMap(({ bands }) => bands.map(({ medianError }) => medianError)))) / 10;
  const y = (share: number): number => y0 - (height * share) / top;
  const x = (band: number): number => x0 + (width * (band + 0.5)) / 5;
  const marks = [
    ...axis(0, top, top > 0.3 ? 0.1 : 0.05, y, x0, x0 + width),
    ...['lowest fifth', '2', '3', '4', 'highest fifth'].map((name, band) =>
      text(x(band), y0 + 20, name, 'text-anchor="middle"'),
    ),
    ...legend(all, 24, 48),
    ...all.flatMap(({ bands }, k) => [
      `<polyline fill="none" stroke="${COLORS[k]}" points="${bands.map(({ medianError }, band) => `${x(band).toFixed(1)},${y(medianError).toFixed(1)}`).join(' ')}"/>`,
      ...bands.map(({ medianError }, band) => dot(x(band), y(medianError), COLORS[k])),
    ]),
  ];
  return sheet(640, 370, 'Median error by fifth of value', marks);
}
