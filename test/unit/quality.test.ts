// The arithmetic behind the evidence of quality: trees of hashes, groups of tracts with bands and tests, corrections.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { canonicalJson, followPath, leafOf, pathOf, rootOf } from '../../src/base/math/hashes.ts';
import { seededRandom } from '../../src/base/math/random.ts';
import { adjustForMany, measureComposition, type Tract } from '../../src/insight/quality/composition.ts';
import { render } from '../../src/insight/quality/pdf.ts';
import type { Quality } from '../../src/insight/quality/schema.ts';
import { readPdf } from '../pdf-text.ts';

describe('a tree of hashes', () => {
  it('has a path from every leaf to its root, and from no other', () => {
    for (let count = 1; count <= 20; count++) {
      const leaves = Array.from({ length: count }, (_, i) => leafOf(`leaf ${i}`));
      const root = rootOf(leaves);
      leaves.forEach((leaf, i) => {
        const path = pathOf(leaves, i);
        assert.ok(followPath(leaf, path).equals(root), `${i} of ${count}`);
        assert.ok(path.length <= Math.ceil(Math.log2(count)));
        assert.equal(followPath(leafOf('another'), path).equals(root), false);
      });
    }
  });

  it('is the one of RFC 6962', () => {
    const sha = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
    const [a, b, c] = ['a', 'b', 'c'].map((text) => sha(Buffer.of(0), Buffer.from(text)));
    const expected = sha(Buffer.of(1), sha(Buffer.of(1), a, b), c);
    assert.ok(rootOf(['a', 'b', 'c'].map(leafOf)).equals(expected));
  });

  it('rests on JSON that has one form only', () => {
    assert.equal(
      canonicalJson({ b: [1, { d: null, c: 'é' }], a: 1.5e-7, 10: 0, 9: -0 }),
      '{"10":0,"9":0,"a":1.5e-7,"b":[1,{"c":"é","d":null}]}',
    );
    assert.equal(canonicalJson({ a: undefined, b: 2 }), canonicalJson({ b: 2 }));
  });
});

describe('composition of tracts', () => {
  /** Tracts with a figure, whose sales share an error of their own. */
  function invent(seed: number, slope: number): Tract[] {
    const random = seededRandom(seed);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Array.from({ length: 45 }, () => {
      const figure = random();
      const shared = 0.03 * normal();
      const logs = Array.from(
        { length: 8 + Math.floor(12 * random()) },
        () => slope * (figure - 0.5) + shared + 0.08 * normal(),
      );
      return { figure, ratios: logs.map(Math.exp), covered: logs.map((log) => Math.abs(log) < 0.11), unvalued: 1 };
    });
  }
  const biasOf = async (seed: number, slope: number) =>
    (await measureComposition(invent(seed, slope), (figure) => 10 * figure))!.trends.find(
      ({ outcome }) => outcome === 'bias',
    )!;

  it('finds a slope that is there, per ten points', async () => {
    const bias = await biasOf(3, -0.2);
    assert.ok(bias.value < -0.012 && bias.value > -0.028, String(bias.value));
    assert.ok(bias.high < 0 && bias.pValue < 0.01);
  });

  it('finds no slope without one: errors shared within tracts are not evidence', async () => {
    const found = [];
    for (let seed = 1; seed <= 12; seed++) found.push(await biasOf(100 + seed, 0));
    assert.ok(found.filter(({ pValue }) => pValue < 0.1).length <= 4, found.map(({ pValue }) => pValue).join(' '));
    assert.ok(found.filter(({ low, high }) => low <= 0 && 0 <= high).length >= 9);
  });

  it('has thirds of whole tracts that add up, with figures inside their bands', async () => {
    const tracts = invent(5, 0);
    const { groups, sales, difference } = (await measureComposition(tracts, (figure) => figure))!;
    assert.equal(
      groups.reduce((sum, group) => sum + group.sales, 0),
      sales,
    );
    assert.equal(
      groups.reduce((sum, group) => sum + group.tracts, 0),
      tracts.length,
    );
    for (const group of groups) {
      assert.ok(Math.abs(group.sales - sales / 3) < 20 && group.hitRate < 1);
      for (const { value, low, high } of [group.error, group.ratio, group.coverage])
        assert.ok(low <= value && value <= high);
    }
    assert.ok(Math.abs(difference.ratio.value - (groups[2].ratio.value - groups[0].ratio.value)) < 1e-12);
  });

  it('reports nothing on few tracts or few sales', async () => {
    assert.equal(await measureComposition(invent(1, 0).slice(0, 9), (figure) => figure), undefined);
    const thin = invent(1, 0).map((tract) => ({ ...tract, ratios: [1, 1], covered: [true, true] }));
    assert.equal(await measureComposition(thin, (figure) => figure), undefined);
  });
});

it('Holm’s correction, as in the textbook', () => {
  assert.deepEqual(
    adjustForMany([0.01, 0.04, 0.03, 0.005]).map((p) => Math.round(p * 1_000) / 1_000),
    [0.03, 0.06, 0.06, 0.02],
  );
  assert.deepEqual(adjustForMany([0.9, 0.8]), [1, 1]);
  assert.deepEqual(adjustForMany([]), []);
});

describe('the PDF of the evidence', () => {
  const segment = (kind: string, name: string) => ({
    kind,
    segment: name,
    sample_size: 500,
    median_error_rate: 0.07,
    within_10_percent: 0.6,
    within_20_percent: 0.85,
    median_ratio: 1,
    interval_coverage: { '0.8': 0.8 },
  });
  const noFigure = { figure: 'black_share', name: 'Share', unit: '1', status: 'not_loaded', tracts: 0, sales: 0 };
  /** A market just begun: one run of the sample, nothing anchored, no shares by race and ethnicity. */
  const quality = {
    rule: { name: 'Rule', citation: '89 FR 64538', in_force_since: '2025-10-01' },
    market: 'm',
    model_version: 'm-1',
    measured_at: '2026-11-17T00:00:00Z',
    confidence: {
      window: { from: '2025-01-01', to: '2025-12-31' },
      segments: [
        ...['high', 'low', 'medium'].map((name) => segment('confidence', name)),
        ...['$1,000,000 and more', '$290,000–$1,000,000', 'under $290,000'].map((name) => segment('price_band', name)),
      ],
      quarters: [],
    },
    data_integrity: { operator_verdicts: 0, sample_seals: 1, seals_intact: true, last_sealed_at: null },
    conflicts: { models_published: 1, models_refused: 0, models_forced: 0, decision: 'published', controls: [] },
    random_sample: {
      homes: 10,
      runs: 1,
      first_sampled_on: '2026-11-17',
      last_sampled_on: '2026-11-17',
      sales: 0,
      method: 'By `a hash`.',
      groups: [],
    },
    nondiscrimination: {
      figures: [{ ...noFigure, groups: [], difference: null, tests: [] }],
      limits: [],
      vertical_equity: { vei: -10.9, low: -14, high: -8 },
    },
    receipts: { anchored: 0, anchors: 0, last_anchored_at: null, audit_log: 'not_checked', audit_log_checked_at: null },
  } as unknown as Quality;

  it('has its groups in order, and words counts of zero and one correctly', async () => {
    const bytes = await render({ quality, author: 'P', account: 'A', market: 'M' });
    const text = readPdf(bytes).pages.join(' ').replaceAll(/\s+/g, ' ');
    const inOrder = (...words: string[]) =>
      assert.deepEqual(
        words.toSorted((a, b) => text.indexOf(a) - text.indexOf(b)),
        words,
        text,
      );
    inOrder('By confidence', 'High 500', 'Medium 500', 'Low 500');
    inOrder('Under $290,000', '$290,000–$1,000,000', '$1,000,000 and more');
    for (const words of [
      '1 sealed sample, intact',
      'Not checked yet',
      '1, on 2026-11-17',
      '“a hash”',
      'beyond the ±10',
    ])
      assert.ok(text.includes(words), `${words}: ${text}`);
  });
});
