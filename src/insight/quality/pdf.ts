// Renders the evidence of quality as a PDF for filing: the same figures as its JSON, standard by standard.
import { INK } from '../../base/pdf/colors.ts';
import { drawChart } from '../../base/pdf/chart.ts';
import { openPaper, type Paper } from '../../base/pdf/paper.ts';
import { drawFacts, drawList, drawTable, left, leftOf, right, rightOf, type Cell } from '../../base/pdf/table.ts';
import { asMoney, asNumber, asTitle } from '../../base/lib/figures.ts';
import type { Quality } from './schema.ts';
import { limitsOf } from './wording.ts';
import { must } from '../../base/lib/must.ts';

type Figure = Quality['nondiscrimination']['figures'][number];
type Segment = Quality['confidence']['segments'][number];
type Band = { value: number; low: number; high: number };

const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)}%`;
const signed = (value: number, digits: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
const dayOf = (instant: string | null): string => instant?.slice(0, 10) ?? 'not yet';
const counted = (count: number, one: string, many = `${one}s`): string =>
  `${asNumber(count)} ${count === 1 ? one : many}`;

interface Content {
  quality: Quality;
  author: string;
  account: string;
  market: string;
}

export async function render({ quality, author, account, market }: Content): Promise<Buffer> {
  const paper = await openPaper({
    title: `Evidence of quality: ${market}`,
    author,
    subject: `${quality.rule.name}, ${quality.rule.citation}`,
    keywords: [quality.market, quality.model_version].join(', '),
    createdAt: new Date(quality.measured_at),
    head: { left: author, right: `Evidence of quality  ·  ${market}` },
    foot: `${quality.model_version}  ·  measured ${dayOf(quality.measured_at)}  ·  for ${account}`,
  });
  drawSummary(paper, quality, market);
  drawConfidence(paper, quality);
  drawBenchmarks(paper, quality);
  drawIntegrity(paper, quality);
  drawConflicts(paper, quality);
  drawSample(paper, quality);
  drawNondiscrimination(paper, quality);
  return paper.finish();
}

function drawSummary(paper: Paper, quality: Quality, market: string): void {
  const { confidence, random_sample: sample, nondiscrimination: fair, data_integrity: data, receipts } = quality;
  const all = confidence.segments.find(({ kind }) => kind === 'all');
  const tests = fair.figures.flatMap((figure) => figure.tests);
  const isByOrigin = limitsOf(fair.figures).length === 0;
  const found = tests.filter((test) => test.adjusted_p_value < 0.05).length;
  paper.heading(`Evidence of quality: ${market}`);
  paper.paragraph(
    `What the provider of this automated valuation model can show for the five standards of the interagency rule ` +
      `(${quality.rule.citation}, in force since ${quality.rule.in_force_since}). The rule asks for controls at the ` +
      `institution that uses the model; this is a part of them, not a substitute.`,
  );
  drawFacts(paper, [
    ['Model', quality.model_version],
    ['Tested on sales', `${confidence.window.from} to ${confidence.window.to}`],
    ['Measured on', dayOf(quality.measured_at)],
  ]);
  drawTable(
    paper,
    [left('Standard', 28), left('Evidence', 72)],
    [
      [
        bold('1  High confidence'),
        all
          ? `Median error ${percent(all.median_error_rate)} on ${asNumber(all.sample_size)} unseen sales; ${percent(all.interval_coverage['0.8'] ?? 0)} of prices inside the 80% interval.`
          : 'Not measured.',
      ],
      [
        bold('2  Protection against manipulation'),
        `${counted(receipts.anchored, 'receipt')} of this account anchored in its audit log (${receipts.audit_log.replace('_', ' ')}); ` +
          `${counted(data.sample_seals, 'sealed sample')}, ${data.seals_intact ? 'intact' : 'NOT INTACT'}.`,
      ],
      [
        bold('3  Conflicts of interest'),
        `${counted(quality.conflicts.models_published, 'model')} published, ${quality.conflicts.models_forced} of them against their test; ${quality.conflicts.models_refused} refused.`,
      ],
      [
        bold('4  Random-sample testing'),
        sample.sales === 0
          ? `${asNumber(sample.homes)} homes sampled since ${dayOf(sample.first_sampled_on)}; no sale has followed yet.`
          : `${asNumber(sample.sales)} sales of ${asNumber(sample.homes)} sampled homes compared with values stored before them.`,
      ],
      [
        bold('5  Nondiscrimination'),
        tests.length === 0
          ? 'No figures of census tracts could be measured.'
          : `${found} of ${tests.length} tests of bias, error and coverage by composition of tracts are significant after correction. ${isByOrigin ? '' : 'Shares by race and ethnicity are not among them. '}The model reads no demographics.`,
      ],
    ],
  );
}

const bold = (text: string): Cell => ({ text, bold: true });

const LABELS = ['high', 'medium', 'low'];

/** Sort position: from high to low confidence, and from cheap to expensive. */
function placeOf(segment: string): number {
  if (LABELS.includes(segment)) return LABELS.indexOf(segment);
  return segment.startsWith('under') ? 0 : Number(/\d[\d,]*/.exec(segment)?.[0].replaceAll(',', '') ?? 0);
}

function drawConfidence(paper: Paper, { confidence }: Quality): void {
  paper.heading('1  High confidence in estimates', { room: 200 });
  paper.paragraph(
    'Every sale of the test period was valued with what was known before its day, by a model that had not seen it. No sale is excluded.',
  );
  const kinds: [Segment['kind'], string][] = [
    ['confidence', 'By confidence'],
    ['property_type', 'By property type'],
    ['price_band', 'By price'],
  ];
  const all = confidence.segments.filter(({ kind }) => kind === 'all');
  for (const [kind, title] of kinds) {
    const segments = confidence.segments
      .filter((segment) => segment.kind === kind)
      .toSorted((a, b) => placeOf(a.segment) - placeOf(b.segment));
    if (segments.length === 0) continue;
    paper.subheading(title);
    const rows = [...segments, ...all];
    const columns = [
      leftOf('Segment', 30, (row: Segment) => asTitle(row.segment)),
      rightOf('Sales', 10, (row: Segment) => asNumber(row.sample_size)),
      rightOf('Median error', 12, (row: Segment) => percent(row.median_error_rate)),
      rightOf('Within 10%', 12, (row: Segment) => percent(row.within_10_percent)),
      rightOf('Within 20%', 12, (row: Segment) => percent(row.within_20_percent)),
      rightOf('Value ÷ price', 12, (row: Segment) => row.median_ratio.toFixed(3)),
      rightOf('In 80% interval', 12, (row: Segment) => percent(row.interval_coverage['0.8'] ?? 0)),
    ];
    drawList(paper, rows, columns, { strong: new Set([rows.length - 1]) });
  }
  const quarters = confidence.quarters;
  if (quarters.length < 3) return;
  paper.subheading('By quarter');
  drawChart(paper, {
    alt: `Median error by quarter: ${quarters.map((each) => `${each.quarter} ${percent(each.median_error_rate)}`).join(', ')}`,
    height: 90,
    lines: [
      {
        name: 'Median error',
        color: INK.accent,
        points: quarters.map(({ median_error_rate }, at) => ({ at, value: median_error_rate })),
        hasDots: true,
      },
    ],
    formatValue: (value) => percent(value),
    ticks: quarters.map(({ quarter }, at) => ({ at, label: quarter.slice(2) })),
  });
}

function drawBenchmarks(paper: Paper, { benchmark, lending }: Quality): void {
  const points = (share: number) => signed(100 * share, 2);
  paper.subheading('Beside public figures');
  drawFacts(paper, [
    [
      'FHFA’s house price index',
      benchmark
        ? `${points(benchmark.growth)}% a year from ${benchmark.from_year} to ${benchmark.to_year} (${benchmark.place}); ours ${points(benchmark.own_growth)}%. ` +
          `The difference of ${points(benchmark.difference)} points is ${benchmark.is_beyond ? 'BEYOND' : 'within'} the bound of ${100 * benchmark.bound}.`
        : 'No index to compare with.',
    ],
    [
      'Home Mortgage Disclosure Act',
      lending
        ? `Our median value is ${lending.ratio.toFixed(3)} of that of mortgaged homes at the middle of ${asNumber(lending.tracts)} tracts ` +
          `(${lending.p25.toFixed(3)} to ${lending.p75.toFixed(3)} for half of them), with ${asNumber(lending.loans)} mortgages.`
        : 'No loans to compare with.',
    ],
  ]);
  for (const compared of [benchmark, lending]) if (compared) paper.paragraph(compared.explanation, { size: 9 });
}

function drawIntegrity(paper: Paper, { data_integrity: data, receipts }: Quality): void {
  paper.heading('2  Protection against the manipulation of data');
  drawFacts(paper, [
    ['Receipts anchored', asNumber(receipts.anchored)],
    ['Entries of the audit log that hold them', asNumber(receipts.anchors)],
    ['Last anchored', dayOf(receipts.last_anchored_at)],
    [
      'Audit log',
      receipts.audit_log === 'not_checked'
        ? 'Not checked yet'
        : `${asTitle(receipts.audit_log)}, checked ${dayOf(receipts.audit_log_checked_at)}`,
    ],
    ['Sealed samples', `${data.sample_seals}, ${data.seals_intact ? 'intact' : 'NOT INTACT'}`],
    ['Sales judged by hand', asNumber(data.operator_verdicts)],
  ]);
  paper.paragraph(
    'A receipt holds the request, everything the model read, the model’s hash and the result, and reproduces the value. The root over the ' +
      'receipts of an hour is an entry of the account’s audit log, whose entries are chained by their hashes. ' +
      'GET /api/v1/avm/valuations/{id}/proof leads from a receipt to that entry.',
  );
}

function drawConflicts(paper: Paper, { conflicts }: Quality): void {
  paper.heading('3  Avoidance of conflicts of interest');
  drawFacts(paper, [
    ['Models published', String(conflicts.models_published)],
    ['Refused by their test', String(conflicts.models_refused)],
    ['Published against it', String(conflicts.models_forced)],
  ]);
  paper.paragraph(`The serving model: ${conflicts.decision}.`);
  for (const control of conflicts.controls) paper.paragraph(`•  ${control}`);
}

function drawSample(paper: Paper, { random_sample: sample }: Quality): void {
  paper.heading('4  Random-sample testing');
  paper.paragraph(sample.method.replaceAll(/`([^`]*)`/g, '“$1”'));
  drawFacts(paper, [
    ['Homes', asNumber(sample.homes)],
    [
      'Runs',
      sample.first_sampled_on === sample.last_sampled_on
        ? `${sample.runs}, on ${dayOf(sample.first_sampled_on)}`
        : `${sample.runs}, from ${dayOf(sample.first_sampled_on)} to ${dayOf(sample.last_sampled_on)}`,
    ],
    ['Later sales', asNumber(sample.sales)],
  ]);
  const shown = (figure: number | null, format: (value: number) => string) =>
    figure === null ? 'withheld' : format(figure);
  drawList(
    paper,
    sample.groups,
    [
      leftOf('Group', 30, ({ kind, group }) => (kind === 'age' ? `Value ${group} old` : asTitle(group))),
      rightOf('Sales', 12, ({ sample_size }) => asNumber(sample_size)),
      rightOf('Median error', 14, ({ median_error_rate }) => shown(median_error_rate, percent)),
      rightOf('Within 10%', 14, ({ within_10_percent }) => shown(within_10_percent, percent)),
      rightOf('Value ÷ price', 14, ({ median_ratio }) => shown(median_ratio, (value) => value.toFixed(3))),
      rightOf('In 80% interval', 16, ({ interval_coverage }) => shown(interval_coverage, percent)),
    ],
    { empty: 'No sale has followed yet.' },
  );
}

function drawNondiscrimination(paper: Paper, { nondiscrimination: fair }: Quality): void {
  paper.heading('5  Nondiscrimination', { room: 260 });
  paper.paragraph(
    'The model reads no demographics; a test of the program fails if it does. Tested sales are grouped in thirds by a figure of their ' +
      'census tract, each with its 95% band. A slope says how bias, error and coverage change with the figure; its p-value comes from ' +
      'dealing the figures to the tracts at random, and the adjusted one allows for the number of tests.',
  );
  const { vertical_equity: equity } = fair;
  if (equity)
    paper.paragraph(
      `Cheap and expensive homes: vertical equity indicator ${signed(equity.vei, 1)}% (${signed(equity.low, 1)} to ${signed(equity.high, 1)}), ${Math.abs(equity.vei) <= 10 ? 'within' : 'beyond'} the ±10 of the assessors’ standard.`,
    );
  for (const figure of fair.figures) drawFigure(paper, figure);
  paper.subheading('What the data cannot say');
  for (const limit of fair.limits) paper.paragraph(`•  ${limit}`, { size: 9 });
}

const band = ({ value, low, high }: Band, format: (value: number) => string): Cell => ({
  text: format(value),
  note: `${format(low)} to ${format(high)}`,
});

const FIGURE_HEIGHT = 250;

function drawFigure(paper: Paper, figure: Figure): void {
  if (figure.status !== 'measured') {
    const why =
      figure.status === 'not_loaded'
        ? 'not loaded for this market'
        : `too few: ${figure.sales} sales in ${figure.tracts} tracts`;
    paper.paragraph(`${figure.name}: ${why}.`, { color: INK.faint });
    return;
  }
  // A figure stays on one page.
  paper.need(FIGURE_HEIGHT);
  paper.subheading(figure.vintage ? `${figure.name}, survey of ${figure.vintage}` : figure.name);
  const difference = must(figure.difference, 'difference between the groups');
  const format = figure.figure === 'income' ? asMoney : (value: number) => percent(value, 0);
  drawTable(
    paper,
    [
      left('Tested sales', 24),
      right('Tracts', 8),
      right('Sales', 10),
      right('Median error', 18),
      right('Value ÷ price', 20),
      right('In 80% interval', 20),
    ],
    [
      ...figure.groups.map((group): Cell[] => [
        { text: asTitle(group.group), note: `${format(group.from)} to ${format(group.to)}` },
        asNumber(group.tracts),
        asNumber(group.sample_size),
        band(group.median_error_rate, percent),
        band(group.median_ratio, (value) => value.toFixed(3)),
        band(group.interval_coverage, percent),
      ]),
      [
        bold('Highest minus lowest'),
        '',
        '',
        band(difference.median_error_rate, (value) => `${signed(100 * value, 1)} pt`),
        band(difference.median_ratio, (value) => signed(value, 3)),
        band(difference.interval_coverage, (value) => `${signed(100 * value, 1)} pt`),
      ],
    ],
    { strong: new Set([figure.groups.length]) },
  );
  drawList(
    paper,
    figure.tests,
    [
      leftOf(`Change per ${figure.unit}`, 28, ({ outcome }) => asTitle(outcome)),
      rightOf('Slope', 18, ({ slope }) => signed(slope, 4)),
      rightOf('95% band', 26, ({ low, high }) => `${signed(low, 4)} to ${signed(high, 4)}`),
      rightOf('p', 14, ({ p_value }) => p_value.toFixed(3)),
      rightOf('Adjusted p', 14, ({ adjusted_p_value: p }) => ({
        text: p.toFixed(3),
        ...(p < 0.05 && { bold: true, color: INK.bad }),
      })),
    ],
    { size: 8 },
  );
}
