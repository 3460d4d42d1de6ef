// The model card: out-of-time accuracy by segment, next to simpler methods.

export type Accuracy = {
  n: number;
  /** Median absolute error as a share of the price. */
  medianError: number;
  within5: number;
  within10: number;
  within20: number;
  /** Median of value ÷ price. */
  medianRatio: number;
  /** Coefficient of dispersion: mean distance of the ratios from their median, as a percentage of it. */
  cod: number;
  /**
   * Price-related differential: mean ratio ÷ price-weighted mean ratio. Above 1, expensive homes are valued too low.
   */
  prd: number;
  /** Price-related bias: change of the ratio per doubling of value. Below 0, expensive homes are valued too low. */
  prb: number;
};

/** Homes of similar value: their median sales ratio with its 90% confidence interval. */
export type ValueGroup = { n: number; from: number; to: number; medianRatio: number; low: number; high: number };

/**
 * Vertical equity as the assessors' association has measured it since 2025. Values and prices are both noisy, so that
 * grouping by either alone shows spurious regressivity. Homes are grouped by a proxy that is half of each.
 */
export type VerticalEquity = {
  /**
   * Vertical equity indicator: median ratio of the most expensive group minus that of the cheapest, in percent of the
   * median ratio. Below 0, expensive homes are valued too low; within ±10 is acceptable.
   */
  vei: number;
  /** Bounds from the ends of the two groups' intervals. The indicator is significant if they exclude 0. */
  low: number;
  high: number;
  /** Ten from 501 sales on, four from 51, two from 20. */
  groups: ValueGroup[];
};

export const SEGMENT_KINDS = [
  'all',
  'property_type',
  'price_band',
  'type_and_band',
  'confidence',
  'tract_income',
  'neighborhood',
  'zip',
  'market_price',
] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

export type Segment = Accuracy & {
  kind: SegmentKind;
  name: string;
  /** Share of sales inside the interval, by level: '0.5', '0.8', '0.9', '0.95'. */
  coverage: Record<string, number>;
  /** Share of the segment's sales that could be valued at all. */
  hitRate: number;
  /** Share of the valued sales with more than low confidence. */
  aboveLow: number;
};

/** Median errors of two models on the same sales. A model is worse if its mean error is larger by more than chance. */
export type Comparison = { since: string; n: number; own: number; serving: number; isWorse: boolean };

export type ModelCard = {
  market: string;
  version: string;
  trainedOn: string;
  sales: number;
  columns: string[];
  window: { from: string; to: string };
  /** Upper ends of the price bands in dollars; the last band is open. */
  bands: number[];
  segments: Segment[];
  baselines: Array<Accuracy & { name: string }>;
  /** Absent where too few sales were tested. */
  equity?: VerticalEquity;
  parameters: Record<string, unknown>;
  /** Against the model in service then, on the same sales since its training; absent where these were too few. */
  comparison?: Comparison;
  decision: string;
};

/** A segment with fewer tested sales than this is too noisy to quote, and a wider one is used. */
const MIN_SEGMENT = 50;

/** `$1,234,567`. A valuation formats a dozen amounts; `toLocaleString` takes ten times as long. */
export function dollars(amount: number): string {
  if (!Number.isSafeInteger(amount) || amount < 0) return `$${amount.toLocaleString('en-US')}`;
  let rest = String(amount);
  let text = '';
  for (; rest.length > 3; rest = rest.slice(0, -3)) text = `,${rest.slice(-3)}${text}`;
  return `$${rest}${text}`;
}

export function bandName(bands: number[], value: number): string {
  const k = bands.findIndex((end) => value < end);
  if (k === 0) return `under ${dollars(bands[0])}`;
  if (k < 0) return `${dollars(bands[bands.length - 1])} and more`;
  return `${dollars(bands[k - 1])}–${dollars(bands[k])}`;
}

/** The model's headline accuracy, on market prices. The segment `all` also has deeds without a market price. */
export const headlineOf = ({ segments }: Pick<ModelCard, 'segments'>): Segment | undefined =>
  segments.find(({ kind, name }) => kind === 'market_price' && name === MARKET_PRICE) ??
  segments.find(({ kind }) => kind === 'all');

export const MARKET_PRICE = 'market price';

/** The narrowest segment with enough tested sales: type and price band, then type, then the whole market. */
export function findSegment(card: ModelCard, propertyType: string, value: number): Segment | undefined {
  const band = bandName(card.bands, value);
  const wanted: Array<[SegmentKind, string]> = [
    ['type_and_band', `${propertyType}, ${band}`],
    ['property_type', propertyType],
    ['all', 'all'],
  ];
  for (const [kind, name] of wanted) {
    const found = card.segments.find((segment) => segment.kind === kind && segment.name === name);
    if (found && found.n >= MIN_SEGMENT) return found;
  }
  return card.segments.find((segment) => segment.kind === 'all');
}
