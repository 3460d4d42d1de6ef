// The arithmetic behind the evidence of quality: trees of hashes, groups of tracts with bands and tests, corrections.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { canonicalJson, climb, leafOf, pathOf, rootOf } from '../../src/math/hashes.ts';
import { seededRandom } from '../../src/math/random.ts';
import { adjustForMany, measureComposition, type Tract } from '../../src/quality/composition.ts';

describe('a tree of hashes', () => {
  it('has a path from every leaf to its root, and from no other', () => {
    for (let count = 1; count <= 20; count++) {
      const leaves = Array.from({ length: count }, (_, i) => leafOf(`leaf ${i}`));
      const root = rootOf(leaves);
      leaves.forEach((leaf, i) => {
        const path = pathOf(leaves, i);
        assert.ok(climb(leaf, path).equals(root), `${i} of ${count}`);
        assert.ok(path.length <= Math.ceil(Math.log2(count)));
        assert.equal(climb(leafOf('another'), path).equals(root), false);
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

  it('does not find one that is not: errors shared within tracts are no evidence', async () => {
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

  it('says nothing about few tracts or few sales', async () => {
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
