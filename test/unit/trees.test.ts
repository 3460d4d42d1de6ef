// Trees against values worked out by hand, against brute force, and on functions whose truth is known.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { binColumns, findBin, findEdges } from '../../src/insight/training/fit/bins.ts';
import { seededRandom } from '../../src/base/math/random.ts';
import { fillHistogram, findSplit, layOut } from '../../src/insight/training/fit/splits.ts';
import { growTrees, type TreeOptions } from '../../src/insight/training/fit/trees.ts';
import { predictRows, predictTrees, type Trees } from '../../src/insight/avm/trees.ts';

const plain: TreeOptions = {
  rounds: 1,
  learningRate: 1,
  leaves: 2,
  minLeafWeight: 1,
  lambda: 0,
  maxBins: 255,
  rowSample: 1,
  columnSample: 1,
  huber: Infinity,
  seed: 1,
};

function matrixOf(rows: number[][]) {
  return { rows: rows.length, columns: rows[0].length, values: Float32Array.from(rows.flat()) };
}

/** A plain walk of the stored layout, one node after the other. */
function walkPlainly({ base, roots, column, threshold, left, right, missingLeft, value }: Trees, row: Float32Array) {
  let sum = base;
  for (let node of roots) {
    while (column[node] >= 0) {
      const asked = row[column[node]];
      const goesLeft = Number.isNaN(asked) ? missingLeft[node] === 1 : asked <= threshold[node];
      node = goesLeft ? left[node] : right[node];
    }
    sum += value[node];
  }
  return sum;
}

describe('binning', () => {
  it('gives each of a few values its own bin, with edges halfway between', () => {
    const edges = findEdges(Float32Array.of(1, 1, 2, 4), 255);
    assert.deepEqual([...edges], [1.5, 3]);
    assert.deepEqual(
      [1, 1.5, 2, 3, 3.01, 9].map((value) => findBin(edges, value)),
      [1, 1, 2, 2, 3, 3],
    );
  });

  it('splits many values into bins of about equal size', () => {
    const edges = findEdges(
      Float32Array.from({ length: 10_000 }, (_, i) => i),
      10,
    );
    assert.equal(edges.length, 9);
    assert.ok(Math.abs(edges[0] - 1000) < 2 && Math.abs(edges[8] - 9000) < 2);
  });

  it('keeps missing values in bin 0', () => {
    const [column] = binColumns(matrixOf([[1], [NaN], [2]]), 255);
    assert.deepEqual([...column.bins], [1, 0, 2]);
    assert.equal(column.hasMissing, true);
  });

  it('never puts a value on the wrong side of an edge because of rounding', () => {
    const close = Float32Array.of(1, Math.fround(1 + 1.2e-7));
    const edges = findEdges(close, 255);
    assert.notEqual(findBin(edges, close[0]), findBin(edges, close[1]));
  });
});

describe('one split', () => {
  it('matches the one worked out by hand', () => {
    // x: 1 2 3 4, y: 0 0 10 14. Mean 6; the best split is between 2 and 3: means 0 and 12.
    const trees = growTrees(matrixOf([[1], [2], [3], [4]]), Float64Array.of(0, 0, 10, 14), plain);
    assert.equal(trees.base, 6);
    assert.equal(trees.threshold[0], 2.5);
    assert.deepEqual(
      [1, 2, 2.5, 2.6, 4].map((x) => predictTrees(trees, [x])),
      [0, 0, 0, 12, 12],
    );
    // Squared error falls from 36+36+16+64 = 152 to 0+0+4+4 = 8.
    assert.ok(Math.abs(trees.gain[0] - 144) < 1e-4);
  });

  it('sends missing values to the better side', () => {
    const rows = matrixOf([[1], [2], [3], [NaN]]);
    const low = growTrees(rows, Float64Array.of(0, 0, 10, 0), plain);
    const high = growTrees(rows, Float64Array.of(0, 0, 10, 10), plain);
    assert.equal(predictTrees(low, [NaN]), 0);
    assert.equal(predictTrees(high, [NaN]), 10);
  });

  it('shrinks leaves by lambda and respects the minimum leaf weight', () => {
    const rows = matrixOf([[1], [2], [3], [4]]);
    const shrunk = growTrees(rows, Float64Array.of(-1, -1, 1, 1), { ...plain, lambda: 2 });
    assert.equal(predictTrees(shrunk, [1]), -0.5);
    const refused = growTrees(rows, Float64Array.of(-1, -1, 1, 1), { ...plain, minLeafWeight: 3 });
    assert.equal(refused.column[0], -1);
  });

  it('clips the pull of an outlier', () => {
    const rows = matrixOf([[1], [1], [2], [2]]);
    const trees = growTrees(rows, Float64Array.of(0, 0, 0, 100), { ...plain, huber: 1 });
    // Median 0; gradients 0 0 0 1: the right leaf's mean gradient is 0.5, not 50.
    assert.equal(predictTrees(trees, [2]), 0.5);
  });

  it('matches brute force on random data with missing values and weights', () => {
    const random = seededRandom(42);
    for (let round = 0; round < 40; round++) {
      const n = 30;
      const rows = Array.from({ length: n }, () => [
        Math.floor(random() * 8),
        random() < 0.2 ? NaN : Math.floor(random() * 6),
        random(),
      ]);
      const gradients = Float64Array.from({ length: n }, () => random() - 0.5);
      const weights = Float64Array.from({ length: n }, () => 0.5 + random());
      const rules = { minLeafWeight: 2, lambda: 1, minGain: 1e-12 };
      const binned = binColumns(matrixOf(rows), 255);
      const layout = layOut(binned, Int32Array.of(0, 1, 2));
      const histogram = new Float64Array(layout.size);
      const all = Int32Array.from({ length: n }, (_, i) => i);
      fillHistogram(histogram, layout, all, 0, n, gradients, weights);
      const sum = (of: Float64Array): number => of.reduce((a, b) => a + b, 0);
      const found = findSplit(histogram, layout, sum(gradients), sum(weights), rules);
      assert.ok(Math.abs((found?.gain ?? 0) - bestGain(rows, gradients, weights, rules)) < 1e-9);
    }
  });
});

function bestGain(
  rows: number[][],
  gradients: Float64Array,
  weights: Float64Array,
  rules: { minLeafWeight: number; lambda: number },
): number {
  const score = (members: number[]): number => {
    const weight = members.reduce((sum, i) => sum + weights[i], 0);
    return members.reduce((sum, i) => sum + gradients[i], 0) ** 2 / (weight + rules.lambda);
  };
  const heavy = (members: number[]): boolean => members.reduce((sum, i) => sum + weights[i], 0) >= rules.minLeafWeight;
  const all = rows.map((_, i) => i);
  let best = 0;
  for (let column = 0; column < rows[0].length; column++) {
    for (const cut of rows.map((row) => row[column]).filter((value) => !Number.isNaN(value))) {
      for (const missingLeft of [true, false]) {
        const left = all.filter((i) => (Number.isNaN(rows[i][column]) ? missingLeft : rows[i][column] <= cut));
        const right = all.filter((i) => !left.includes(i));
        if (heavy(left) && heavy(right)) best = Math.max(best, score(left) + score(right) - score(all));
      }
    }
  }
  return best;
}

describe('boosting', () => {
  const random = seededRandom(7);
  const n = 4000;
  const rows = Array.from({ length: n }, () => [random() * 10, random() * 10, random()]);
  const truth = rows.map(([a, b]) => Math.sin(a) + (b > 5 ? 2 : 0));
  const target = Float64Array.from(truth, (value) => value + 0.1 * (random() - 0.5));
  const options = {
    ...plain,
    rounds: 150,
    learningRate: 0.1,
    leaves: 15,
    minLeafWeight: 10,
    lambda: 1,
    rowSample: 0.7,
    columnSample: 0.7,
  };

  it('learns a known function to within its noise', () => {
    const trees = growTrees(matrixOf(rows), target, options);
    const errors = Array.from({ length: 500 }, () => {
      const [a, b] = [0.2 + random() * 9.6, random() < 0.5 ? 2 : 8];
      return Math.abs(predictTrees(trees, [a, b, random()]) - Math.sin(a) - (b > 5 ? 2 : 0));
    });
    assert.ok(errors.reduce((sum, error) => sum + error, 0) / 500 < 0.05);
  });

  it('gives the same trees for the same seed and different ones for another', () => {
    const once = growTrees(matrixOf(rows), target, { ...options, rounds: 20 });
    assert.deepEqual(growTrees(matrixOf(rows), target, { ...options, rounds: 20 }), once);
    assert.notDeepEqual(growTrees(matrixOf(rows), target, { ...options, rounds: 20, seed: 2 }).value, once.value);
  });

  it('predicts identically to the last bit by plain walk, row by row, and in blocks', () => {
    const gaps = rows.slice(0, 301).map((row) => row.map((value) => (random() < 0.2 ? NaN : value - 5)));
    gaps[0][0] = -0;
    const trees = growTrees(matrixOf(gaps), target.subarray(0, 301), { ...options, rounds: 21 });
    const plainly = gaps.map((row) => walkPlainly(trees, Float32Array.from(row)));
    assert.ok(new Set(plainly).size > 100);
    assert.deepEqual([...predictRows(trees, matrixOf(gaps).values)], plainly);
    assert.deepEqual(
      gaps.map((row) => predictTrees(trees, Float32Array.from(row))),
      plainly,
    );
  });

  it('treats a row’s weight like repetitions of the row', () => {
    const twice = matrixOf([[1], [2], [2], [3]]);
    const weighted = matrixOf([[1], [2], [3]]);
    const one = growTrees(twice, Float64Array.of(0, 6, 6, 9), plain);
    const other = growTrees(weighted, Float64Array.of(0, 6, 9), plain, Float64Array.of(1, 2, 1));
    assert.deepEqual(
      [1, 2, 3].map((x) => predictTrees(other, [x])),
      [1, 2, 3].map((x) => predictTrees(one, [x])),
    );
  });
});
