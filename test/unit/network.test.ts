// The spline network: functions whose truth is known, gaps, outliers, and the same bytes from the same seed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fitNetwork, type NetworkOptions } from '../../src/training/fit/network.ts';
import { seededRandom } from '../../src/training/fit/random.ts';
import { placeOnKnots, predictNetwork } from '../../src/avm/network.ts';
import { pack, unpack } from '../../src/avm/pack.ts';

const options: NetworkOptions = {
  knots: 8,
  first: 16,
  second: 8,
  epochs: 30,
  minSteps: 1,
  batch: 64,
  learningRate: 0.01,
  decay: 0.01,
  huber: 0.1,
  seed: 1,
};

/** A bend, a product of two columns, and a column that matters only when unknown; one price in twenty is wild. */
function invent(n: number, seed: number, wildShare = 0.05) {
  const random = seededRandom(seed);
  const values = new Float32Array(n * 3);
  const truth = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const [a, b, c] = [random() * 4, random() * 2 - 1, random() < 0.2 ? NaN : random()];
    values.set([a, b, c], i * 3);
    truth[i] = 5 + Math.abs(a - 2) + a * b + (Number.isNaN(c) ? 1 : 0);
  }
  const target = truth.map((value) => value + (random() < wildShare ? 10 : 0.05 * (random() - 0.5)));
  return { matrix: { rows: n, columns: 3, values }, truth, target };
}

describe('spline network', () => {
  it('learns bends, products and gaps, and is not misled by wild prices', () => {
    const seen = invent(3000, 1);
    const unseen = invent(500, 2);
    const network = fitNetwork(seen.matrix, seen.target, options);
    const errors = Array.from(unseen.truth, (value, i) =>
      Math.abs(predictNetwork(network, unseen.matrix.values, i * 3) - value),
    );
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    assert.ok(mean < 0.1, `mean error ${mean}`);
  });

  it('is bit-identical for the same seed, different for another, and survives being stored', () => {
    const { matrix, target } = invent(400, 3);
    const short = { ...options, epochs: 2 };
    const network = fitNetwork(matrix, target, short);
    assert.deepEqual(pack(network), pack(fitNetwork(matrix, target, short)));
    assert.notDeepEqual(pack(network), pack(fitNetwork(matrix, target, { ...short, seed: 2 })));
    const stored = unpack<typeof network>(pack(network));
    assert.equal(predictNetwork(stored, matrix.values, 30), predictNetwork(network, matrix.values, 30));
  });

  it('clamps a value beyond the seen range to the outermost', () => {
    const { matrix, target } = invent(400, 4);
    const network = fitNetwork(matrix, target, { ...options, epochs: 2 });
    const [low, high] = [network.knots[0][0], network.knots[0].at(-1)!];
    assert.equal(predictNetwork(network, [-1e6, 0, 0.5]), predictNetwork(network, [low, 0, 0.5]));
    assert.equal(predictNetwork(network, [1e6, 0, 0.5]), predictNetwork(network, [high, 0, 0.5]));
  });

  it('places a value between its knots, and an unknown one after them', () => {
    const knots = Float32Array.of(1, 2, 4);
    assert.deepEqual(
      [0, 1, 1.25, 2, 3, 4, 9, NaN].map((value) => placeOnKnots(knots, value)),
      [0, 0, 0.25, 1, 1.5, 2, 2, 3],
    );
    assert.equal(placeOnKnots(Float32Array.of(7), 7), 0);
  });
});
