// Shapes of the evidence of quality and of the proof of a receipt.
import Type, { type Static } from 'typebox';
import { decimal, instant, isoDay, list, named, nullable, oneOf, text, wholeNumber } from '../../base/lib/schema.ts';
import { Benchmark } from '../analytics/benchmark.ts';
import { OutlookAccuracy } from '../outlooks/schema.ts';
import { RentAccuracy } from '../rents/schema.ts';
import { AccuracyReport } from '../valuations/schema.ts';

const count = (description?: string) => wholeNumber({ minimum: 0, ...(description && { description }) });
const share = (description?: string) => decimal({ minimum: 0, maximum: 1, ...(description && { description }) });

const Band = Type.Object(
  { value: decimal(), low: decimal(), high: decimal() },
  { description: 'A figure with its 95% confidence band.' },
);
const bands = {
  median_error_rate: Band,
  median_ratio: Band,
  interval_coverage: Band,
};

export const FIGURES = [
  'income',
  'white_share',
  'black_share',
  'asian_share',
  'hispanic_share',
  'minority_rank',
] as const;
export type FigureName = (typeof FIGURES)[number];

const Trend = Type.Object({
  outcome: oneOf(['bias', 'error', 'coverage']),
  slope: decimal({ description: 'Change of the outcome per `unit` of the figure.' }),
  low: decimal(),
  high: decimal(),
  p_value: share('How often a slope as steep comes about when figures are dealt to the tracts at random.'),
  adjusted_p_value: share('The same, corrected for the number of tests in this report (Holm).'),
});

const TractFigure = Type.Object({
  figure: oneOf(FIGURES),
  name: text(120),
  unit: text(60, { description: 'What a slope is per.' }),
  status: oneOf(['measured', 'too_few', 'not_loaded']),
  vintage: Type.Optional(
    nullable(count('Last year of the newest survey that the figure is from; null where none is loaded.')),
  ),
  tracts: count(),
  sales: count(),
  groups: list(
    Type.Object({
      group: oneOf(['lowest_third', 'middle_third', 'highest_third']),
      from: decimal(),
      to: decimal(),
      tracts: count(),
      sample_size: count(),
      hit_rate: share('Share of the sales that could be valued.'),
      ...bands,
    }),
    { description: 'Thirds of the tested sales by the figure of their tract.' },
  ),
  difference: nullable(Type.Object(bands, { description: 'Highest third minus lowest third.' })),
  tests: list(Trend),
});

const SampleGroup = Type.Object({
  kind: oneOf(['all', 'age', 'confidence']),
  group: text(40),
  sample_size: count(),
  withheld: Type.Boolean({ description: 'Too few sales: the figures are null.' }),
  median_error_rate: nullable(decimal()),
  within_10_percent: nullable(share()),
  within_20_percent: nullable(share()),
  median_ratio: nullable(decimal()),
  interval_coverage: nullable(share('Prices inside the stored 80% interval.')),
});

/** The stored members, the same for every account. */
const QualityMembers = {
  market: text(60),
  model_version: text(80),
  measured_at: instant(),
  confidence: Type.Object(
    {
      window: Type.Object({ from: isoDay(), to: isoDay() }),
      segments: AccuracyReport.properties.segments,
      quarters: list(
        Type.Object({
          quarter: text(7, { examples: ['2026-Q1'] }),
          sample_size: count(),
          median_error_rate: decimal(),
          median_ratio: decimal(),
          interval_coverage: share('Prices inside the 80% interval.'),
        }),
      ),
    },
    { description: 'Accuracy on sales the model had not seen, by confidence, segment and time.' },
  ),
  data_integrity: Type.Object({
    operator_verdicts: count('Sales of the market about whose price an operator, not a rule, has decided.'),
    sample_seals: count('Sealed runs of the standing sample.'),
    seals_intact: Type.Boolean({
      description: 'Every seal still follows from the stored values and the seal before it.',
    }),
    last_sealed_at: nullable(instant()),
  }),
  conflicts: Type.Object({
    models_published: count(),
    models_refused: count('Refused because they did worse than the model in service or than a linear baseline.'),
    models_forced: count('Published by an operator although the test would have refused them.'),
    decision: text(300, { description: 'Why the serving model was released.' }),
    controls: list(text(500)),
  }),
  random_sample: Type.Object(
    {
      homes: count('Homes in the latest run.'),
      runs: count(),
      first_sampled_on: nullable(isoDay()),
      last_sampled_on: nullable(isoDay()),
      sales: count('Later sales of sampled homes.'),
      method: text(600),
      groups: list(SampleGroup),
    },
    { description: 'Values stored before a sale, compared with the sale.' },
  ),
  rents: Type.Optional(nullable(RentAccuracy)),
  outlooks: Type.Optional(nullable(OutlookAccuracy)),
  benchmark: Type.Optional(nullable(Benchmark)),
  lending: Type.Optional(
    nullable(
      named('LendingBenchmark', {
        tracts: count('Tracts with ten mortgages and ten valued homes or more.'),
        loans: count('Mortgages in them, as reported under the Home Mortgage Disclosure Act.'),
        ratio: decimal({ description: 'Our median value over that of the mortgaged homes, at the middle of tracts.' }),
        p25: decimal(),
        p75: decimal(),
        explanation: text(600),
      }),
    ),
  ),
  nondiscrimination: Type.Object({
    model_reads_demographics: Type.Literal(false),
    status: oneOf(['measured', 'not_measured']),
    tested_sales: count(),
    sales_with_tract: count(),
    vertical_equity: AccuracyReport.properties.vertical_equity,
    figures: list(TractFigure),
    limits: list(text(500), { description: 'What the data cannot say.' }),
  }),
};

const StoredReport = Type.Object(QualityMembers);
export type QualityReport = Static<typeof StoredReport>;

export const Quality = named('AvmQuality', {
  object: oneOf(['avm_quality']),
  rule: Type.Object({ name: text(200), citation: text(100), in_force_since: isoDay() }),
  ...QualityMembers,
  receipts: Type.Object(
    {
      anchored: count(),
      anchors: count('Entries of the account’s audit log that hold the root of receipts.'),
      last_anchored_at: nullable(instant()),
      audit_log: oneOf(['intact', 'broken', 'not_checked']),
      audit_log_checked_at: nullable(instant()),
    },
    { description: 'The caller’s own receipts.' },
  ),
});
export type Quality = Static<typeof Quality>;

const hex = (description: string) => text(64, { pattern: '^[0-9a-f]{64}$', description });

export const ReceiptProof = named('ReceiptProof', {
  object: oneOf(['receipt_proof']),
  id: text(40),
  status: oneOf(['anchored', 'pending', 'broken'], {
    description: '`pending` until the next hour; `broken` where something was changed afterwards.',
  }),
  flaw: nullable(oneOf(['receipt_changed', 'anchor_changed', 'log_changed'])),
  receipt_hash: hex('SHA-256 over a zero byte and the receipt’s JSON in canonical form (RFC 8785).'),
  anchor: nullable(
    Type.Object({
      account_id: text(40),
      root: hex('Root of the tree (RFC 6962) over the hashes of the receipts anchored together.'),
      receipts: count(),
      path: list(
        Type.Object({
          side: oneOf(['left', 'right']),
          hash: hex('Hash with it: SHA-256 over a one byte, left, right.'),
        }),
      ),
      audit_sequence: count('Entry of the account’s audit log that holds the root.'),
      audit_hash: nullable(hex('Hash of that entry.')),
      anchored_at: instant(),
      signature: text(100, {
        description:
          'Ed25519 over the canonical JSON of `account_id`, `anchored_at`, `receipts` and `root`, as base64. Keep it: with the key at `/receipt-key.pem` it shows later that the root was this one.',
      }),
    }),
  ),
});
export type ReceiptProof = Static<typeof ReceiptProof>;
