// What the map can be colored by and filtered by on its legend: its name in queries, and how it reads. Pure.
import { compactMoney, percent } from '../format.ts';

const year = (amount: number) => String(Math.round(amount));
const wholePercent = (share: number) => percent(share, 0);
const toDollars = (amount: number) => Number(amount.toPrecision(3));
const toPercent = (share: number) => Math.round(share * 100) / 100;

/** Each is also the name of a range of the search, `min_…` and `max_…`; `round` makes its ends presentable. */
export const FIGURES = {
  value: { label: 'Estimated value', format: compactMoney, round: toDollars },
  value_per_sqft: { label: 'Value per sq ft', format: compactMoney, round: Math.round },
  last_sale_price: { label: 'Last sale price', format: compactMoney, round: toDollars },
  growth: { label: 'Growth per year since last sale', format: wholePercent, round: toPercent },
  assessed_value: { label: 'Assessed value', format: compactMoney, round: toDollars },
  year_built: { label: 'Year built', format: year, round: Math.round },
  uncertainty: { label: 'Uncertainty (FSD)', format: wholePercent, round: toPercent },
} as const satisfies Record<
  string,
  { label: string; format: (amount: number) => string; round: (amount: number) => number }
>;

export type FigureId = keyof typeof FIGURES;
export const FIGURE_IDS = Object.keys(FIGURES) as FigureId[];

export function readFigure(text: string | null): FigureId {
  return FIGURE_IDS.find((id) => id === text) ?? 'value';
}

/** A figure of one home, or the median of several. */
export interface Reading {
  amount: number;
  homes: number;
}

/** Four breaks that split the homes into five groups of equal size, rounded for the legend. */
export function breaksOf(readings: Reading[]): number[] {
  const known = readings.filter(({ amount }) => Number.isFinite(amount)).toSorted((a, b) => a.amount - b.amount);
  const total = known.reduce((sum, { homes }) => sum + homes, 0);
  if (known.length < 5) return [];
  const breaks = [0.2, 0.4, 0.6, 0.8].map((share) => roundOff(quantile(known, total * share)));
  return isIncreasing(breaks) ? breaks : breaksBetween(known.map(({ amount }) => amount));
}

/** The steps of a color scale must be strictly increasing. */
const isIncreasing = (breaks: number[]): boolean => breaks.every((at, index) => index === 0 || at > breaks[index - 1]);

/** Live tiles tell bands apart, not amounts: the bands then share the colors evenly, and few of them the first ones. */
function breaksBetween(sorted: number[]): number[] {
  const bands = [...new Set(sorted)];
  if (bands.length < 2) return [];
  if (bands.length >= 5) return [1, 2, 3, 4].map((step) => bands[Math.round((step * bands.length) / 5)]);
  const breaks = bands.slice(1);
  while (breaks.length < 4) breaks.push(afterBand(breaks.at(-1)!));
  return breaks;
}

/** About where the next band is, for a color that nothing in view has. */
const afterBand = (amount: number): number =>
  amount > 1 && !isYear(amount) ? roundOff(amount * 1.5) : Number((amount + (isYear(amount) ? 10 : 0.05)).toFixed(2));

const isYear = (amount: number): boolean => amount >= 1600 && amount <= 2100 && Number.isInteger(amount);

function quantile(sorted: Reading[], rank: number): number {
  let seen = 0;
  for (const { amount, homes } of sorted) {
    seen += homes;
    if (seen > rank) return amount;
  }
  return sorted.at(-1)!.amount;
}

/** Two digits, or the whole year of a year. */
function roundOff(amount: number): number {
  if (isYear(amount)) return amount;
  if (amount === 0) return 0;
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(amount))) - 1);
  return Number((Math.round(amount / unit) * unit).toPrecision(6));
}

export interface Bin {
  from: number;
  to: number;
  homes: number;
}

const BINS = 28;
/** Live tiles tell bands instead of amounts: so many homes on average have the same one. */
const HOMES_OF_BAND = 3;

/**
 * Bins of equal width between the 1st and the 99th percentile; what lies beyond counts in the first and the last. Bands
 * have a bin each.
 */
export function histogramOf(readings: Reading[]): Bin[] {
  const known = readings.filter(({ amount }) => Number.isFinite(amount)).toSorted((a, b) => a.amount - b.amount);
  if (known.length < 5) return [];
  const bands = [...Map.groupBy(known, ({ amount }) => amount)];
  if (bands.length > 1 && bands.length <= Math.min(BINS, known.length / HOMES_OF_BAND)) return binsOfBands(bands);
  const total = known.reduce((sum, { homes }) => sum + homes, 0);
  const [low, high] = [quantile(known, total * 0.01), quantile(known, total * 0.99)];
  if (high <= low) return [];
  const width = (high - low) / BINS;
  const bins = Array.from({ length: BINS }, (_, index) => ({
    from: low + index * width,
    to: low + (index + 1) * width,
    homes: 0,
  }));
  for (const { amount, homes } of known) {
    const index = Math.max(0, Math.min(BINS - 1, Math.floor((amount - low) / width)));
    bins[index].homes += homes;
  }
  return bins;
}

function binsOfBands(bands: [amount: number, readings: Reading[]][]): Bin[] {
  const between = bands.slice(1).map(([amount], index) => (bands[index][0] + amount) / 2);
  const [first, last] = [bands[0][0], bands.at(-1)![0]];
  const edges = [2 * first - between[0], ...between, 2 * last - between.at(-1)!];
  return bands.map(([, readings], index) => ({
    from: edges[index],
    to: edges[index + 1],
    homes: readings.reduce((sum, { homes }) => sum + homes, 0),
  }));
}

/** Where an amount stands among the bins, which are drawn equally wide: 0 at the first one's start, 1 at the last's end. */
export function placeAmong(bins: Bin[], amount: number): number {
  const index = bins.findLastIndex(({ from }) => amount >= from);
  if (index === -1) return 0;
  const { from, to } = bins[index];
  return (index + Math.min(1, (amount - from) / (to - from))) / bins.length;
}

export function amountAmong(bins: Bin[], place: number): number {
  const index = Math.min(bins.length - 1, Math.floor(place * bins.length));
  const { from, to } = bins[index];
  return from + (place * bins.length - index) * (to - from);
}

/** Which of the five colors an amount has. */
export function stepOf(amount: number, breaks: number[]): number {
  return breaks.filter((at) => amount >= at).length;
}
