// Formats a model card as a table that reads well in a terminal and in Markdown.
import { headlineOf, type Accuracy, type ModelCard, type Segment } from '../avm/card.ts';

const percent = (share: number): string => (100 * share).toFixed(1);

const accuracyCells = (a: Accuracy): string[] => [
  String(a.n),
  (100 * a.medianError).toFixed(2),
  percent(a.within5),
  percent(a.within10),
  percent(a.within20),
  a.cod.toFixed(1),
  a.prd.toFixed(3),
  a.prb.toFixed(3),
  a.medianRatio.toFixed(3),
];

const coverageCells = ({ coverage, aboveLow }: Segment): string[] =>
  [coverage['0.5'], coverage['0.8'], coverage['0.9'], coverage['0.95'], aboveLow].map(percent);

const SHARES = ['50', '80', '90', '95', 'above low'];
const HEAD = ['', 'n', 'median error %', '≤5%', '≤10%', '≤20%', 'COD', 'PRD', 'PRB', 'ratio', ...SHARES];

const KINDS: Segment['kind'][] = ['property_type', 'price_band', 'confidence', 'tract_income', 'market_price'];

/** One row for the model, one per baseline, then the segments of these kinds. */
export function formatCard(card: ModelCard): string {
  const rowsOf = (name: string, segment: Segment): string[][] => [
    [name, ...accuracyCells(segment), ...coverageCells(segment)],
  ];
  const [headline, all] = [headlineOf(card)!, card.segments.find(({ kind }) => kind === 'all')!];
  const rows = [
    ...rowsOf('**model**', headline),
    ...(headline === all ? [] : rowsOf('all deeds', all)),
    ...card.baselines.map((baseline) => [baseline.name, ...accuracyCells(baseline), ...SHARES.map(() => '')]),
    ...KINDS.flatMap((kind) =>
      card.segments.filter((segment) => segment.kind === kind).flatMap((segment) => rowsOf(segment.name, segment)),
    ),
  ];
  const lines = [HEAD, HEAD.map((_, k) => (k === 0 ? '---' : '--:')), ...rows].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
  return `${card.market}, ${card.window.from} to ${card.window.to}\n\n${lines.join('\n')}\n${formatEquity(card)}`;
}

/** The indicator, then the median ratio of each group from the cheapest homes to the most expensive. */
function formatEquity({ equity }: ModelCard): string {
  if (!equity) return '';
  const dollars = (amount: number): string => `$${Math.round(amount / 1000).toLocaleString('en-US')}k`;
  const rows = equity.groups.map(({ n, from, to, medianRatio, low, high }) => [
    `${dollars(from)}–${dollars(to)}`,
    String(n),
    medianRatio.toFixed(3),
    `${low.toFixed(3)} to ${high.toFixed(3)}`,
  ]);
  const head = ['value', 'n', 'median ratio', '90% interval'];
  const lines = [head, ['---', '--:', '--:', '--:'], ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const { vei, low, high } = equity;
  return `\nvertical equity (VEI) ${vei.toFixed(1)}%, ${low.toFixed(1)} to ${high.toFixed(1)}\n\n${lines.join('\n')}\n`;
}
