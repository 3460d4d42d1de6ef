// The network of learned comparables: exact gradients, a market whose truth is known, the same bytes from one seed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  pairsOf,
  predictLearned,
  predictSlots,
  reportOn,
  weighPeers,
  writeHome,
  type AttentionShape,
} from '../../src/insight/avm/attention.ts';
import { predictSecond } from '../../src/insight/avm/model.ts';
import { pack, unpack } from '../../src/insight/avm/pack.ts';
import { NEAR_PEERS, PEERS, writePairs, type PeerData } from '../../src/insight/avm/peers.ts';
import { openWorkbench } from '../../src/base/math/multiply.ts';
import {
  fitAttention,
  learnBatch,
  openTrainingBench,
  predictAttention,
  startAt,
  type AttentionData,
  type AttentionOptions,
} from '../../src/insight/training/fit/attention.ts';
import { seededRandom } from '../../src/base/math/random.ts';

const options: AttentionOptions = {
  knots: 4,
  first: 16,
  second: 8,
  clip: 0.6,
  passes: 12,
  minSteps: 1,
  batch: 64,
  learningRate: 0.01,
  decay: 0.01,
  huber: 0.1,
  seed: 1,
};

const shape: AttentionShape = {
  columns: [0, 1],
  knots: [Float32Array.of(-1, 0, 1), Float32Array.of(0, 0.5, 1)],
  traits: [{ column: 0, isLog: false, median: 0, scale: 1 }],
  places: ['zip'],
  center: 12,
  scale: 0.5,
  clip: options.clip,
  first: options.first,
  second: options.second,
};

/**
 * Homes in 40 places. A price is what the base knows, plus what only the sales of the same place tell, plus a
 * difference in size. One price in twenty is wild.
 */
function invent(n: number, seed: number): AttentionData {
  const random = seededRandom(seed);
  const placeOf = Int32Array.from({ length: n }, () => Math.floor(random() * 40));
  const hidden = Array.from({ length: 40 }, () => 0.6 * (random() - 0.5));
  const size = Float32Array.from({ length: n }, () => 2 * random() - 1);
  const rows = Float32Array.from({ length: 2 * n }, (_, k) => (k % 2 === 0 ? size[k / 2] : random() < 0.1 ? NaN : 0.5));
  const base = Float64Array.from({ length: n }, () => 12 + 0.5 * (random() - 0.5));
  const target = base.map(
    (value, i) => value + hidden[placeOf[i]] + 0.1 * size[i] ** 2 + (random() < 0.05 ? 2 : 0.04 * (random() - 0.5)),
  );
  const peers = new Int32Array(n * PEERS).fill(-1);
  const km = new Float32Array(n * PEERS);
  for (let i = 0; i < n; i++) {
    // Every fourth peer is from the same place.
    for (let p = 0; p < NEAR_PEERS; p++) {
      let sale = Math.floor(random() * n);
      const most = p % 4 === 0 ? 400 : 0;
      for (let tries = 0; tries < most && placeOf[sale] !== placeOf[i]; tries++) sale = Math.floor(random() * n);
      if (sale !== i) peers[i * PEERS + p] = sale;
      km[i * PEERS + p] = random();
    }
  }
  const view: PeerData = {
    east: new Float64Array(n),
    north: new Float64Array(n),
    soldDay: Int32Array.from({ length: n }, (_, i) => 18_000 + (i % 300)),
    residual: target.map((value, i) => value - base[i]),
    detrended: target,
    traits: size,
    places: placeOf,
  };
  return { rows, columns: 2, base, target, peers, km, views: [view], fold: new Uint8Array(n) };
}

const all = (n: number): Int32Array => Int32Array.from({ length: n }, (_, i) => i);

describe('learned comparables', () => {
  it('has the gradient that finite differences have', () => {
    const data = invent(200, 5);
    const bench = openTrainingBench(shape, 16);
    startAt(bench, seededRandom(3));
    // Weights that start at 0 would hide what depends on them.
    const random = seededRandom(4);
    const names = [
      'pair',
      'pairBias',
      'heads',
      'adjustment',
      'mix',
      'first',
      'firstBias',
      'second',
      'secondBias',
      'out',
    ];
    const learned = names as ('pair' | 'mix' | 'out')[];
    for (const name of learned)
      for (let k = 0; k < bench.arrays[name].length; k++) bench.arrays[name][k] += 0.02 * (random() - 0.5);
    const rows = all(16);
    const clip = 10;
    // Huber's loss within the clip: half the square over the clip.
    const loss = (): number => {
      const peersOf = (i: number) => ({
        sale: data.peers.subarray(i * PEERS, (i + 1) * PEERS),
        km: data.km.subarray(i * PEERS, (i + 1) * PEERS),
      });
      let sum = 0;
      for (const i of rows) {
        const [view] = data.views;
        const traits = view.traits.subarray(i, i + 1);
        const subject = { east: 0, north: 0, day: view.soldDay[i], traits, places: view.places.subarray(i, i + 1) };
        writePairs(pairsOf(bench, 0), subject, view, peersOf(i));
        writeHome(bench, 0, data.rows, i * 2);
        weighPeers(bench, view, [peersOf(i)]);
        const [scaled] = predictSlots(bench, [(data.base[i] - shape.center) / shape.scale]);
        sum += (scaled - (data.target[i] - shape.center) / shape.scale) ** 2 / (2 * clip);
      }
      return sum / rows.length;
    };
    learnBatch({ data, bench, clip }, rows);
    const checked: Record<string, number> = {};
    for (const name of learned) {
      const gradient = bench.arrays[`d_${name}`].slice();
      const largest = gradient.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      for (let k = 0; k < gradient.length; k += Math.ceil(gradient.length / 25)) {
        if (Math.abs(gradient[k]) < largest / 20) continue;
        const weights = bench.arrays[name];
        const before = weights[k];
        const step = 0.01;
        weights[k] = before + step;
        const up = loss();
        weights[k] = before - step;
        const down = loss();
        weights[k] = before;
        const measured = (up - down) / (2 * step);
        assert.ok(
          Math.abs(measured - gradient[k]) < 0.05 * Math.abs(gradient[k]) + 2e-6,
          `${name} ${k}: ${gradient[k]} computed, ${measured} measured`,
        );
        checked[name] = (checked[name] ?? 0) + 1;
      }
    }
    for (const name of learned) assert.ok(checked[name] > 0, `${name} was not checked`);
  });

  it('learns which sales are informative about a home, and is robust to outlier prices', () => {
    const n = 3000;
    const data = invent(n, 1);
    const network = fitAttention(data, shape, all(n).subarray(0, 2500), options);
    const later = all(n).subarray(2500);
    const errors = predictAttention(data, network, later).map((value, k) => Math.abs(value - data.target[later[k]]));
    const base = Float64Array.from(later, (i) => Math.abs(data.base[i] - data.target[i]));
    const middle = (values: Float64Array): number => values.toSorted()[values.length >> 1];
    assert.ok(middle(base) > 0.13, `the base alone errs by ${middle(base)}`);
    assert.ok(middle(errors) < 0.05, `the network errs by ${middle(errors)}`);
  });

  it('is bit-identical for one seed, survives being stored, and predicts one home as it does many', () => {
    const data = invent(400, 3);
    const short = { ...options, passes: 2 };
    const network = fitAttention(data, shape, all(400), short);
    assert.deepEqual(pack(network), pack(fitAttention(data, shape, all(400), short)));
    assert.notDeepEqual(pack(network), pack(fitAttention(data, shape, all(400), { ...short, seed: 2 })));
    const stored = unpack<typeof network>(pack(network));
    const together = predictAttention(data, network, all(400));
    const [view] = data.views;
    for (const i of [0, 7, 99, 399]) {
      const peers = {
        sale: data.peers.subarray(i * PEERS, (i + 1) * PEERS),
        km: data.km.subarray(i * PEERS, (i + 1) * PEERS),
      };
      const traits = view.traits.subarray(i, i + 1);
      const subject = { east: 0, north: 0, day: view.soldDay[i], traits, places: view.places.subarray(i, i + 1) };
      const reports = reportOn(stored, view, subject, peers);
      assert.equal(predictLearned(stored, data.rows.subarray(2 * i), reports, data.base[i]), together[i]);
    }
  });

  it('has its share in the second stage, and none without reports', () => {
    const data = invent(400, 3);
    const attention = fitAttention(data, shape, all(400), { ...options, passes: 2 });
    const [learned] = predictAttention(data, attention, all(400));
    const [view] = data.views;
    const subject = {
      east: 0,
      north: 0,
      day: view.soldDay[0],
      traits: view.traits.subarray(0, 1),
      places: view.places.subarray(0, 1),
    };
    const peers = { sale: data.peers.subarray(0, PEERS), km: data.km.subarray(0, PEERS) };
    const row = data.rows.subarray(0, 2);
    const reports = reportOn(attention, view, subject, peers);
    const trees = learned + 1;
    const shareOf = (input: { row: Float32Array; reports?: Float32Array }) =>
      Math.round(
        100 * (trees - predictSecond({ attention, gaussian: null, networkShare: 0.25 }, input, data.base[0], trees)),
      ) / 100;
    assert.equal(shareOf({ row, reports }), 0.25);
    assert.equal(shareOf({ row }), 0);
  });

  it('predicts without any sale to compare with', () => {
    const data = invent(400, 3);
    const network = fitAttention(data, shape, all(400), { ...options, passes: 2 });
    data.peers.fill(-1);
    const alone = predictAttention(data, network, all(400));
    assert.ok(alone.every((value, i) => Math.abs(value - data.base[i]) < 1));
  });
});

describe('products and sigmoids', () => {
  it('are those of plain arithmetic, for all shapes that fit the tiles', () => {
    const random = seededRandom(8);
    for (const [m, k, n] of [
      [4, 1, 8],
      [8, 3, 16],
      [60, 129, 64],
      [4, 500, 104],
    ]) {
      const { arrays, addProduct } = openWorkbench({ a: m * k, b: k * n, plain: m * n, turned: m * n });
      for (const name of ['a', 'b'] as const) arrays[name].forEach((_, i) => (arrays[name][i] = random() - 0.5));
      arrays.plain.fill(1);
      addProduct({ a: arrays.a, b: arrays.b, sum: arrays.plain, m, k, n });
      addProduct({ a: arrays.a, b: arrays.b, sum: arrays.turned, m, k, n, isTransposed: true });
      for (let i = 0; i < m; i++) {
        for (let j = 0; j < n; j++) {
          let [plain, turned] = [1, 0];
          for (let l = 0; l < k; l++) {
            plain += arrays.a[i * k + l] * arrays.b[l * n + j];
            turned += arrays.a[l * m + i] * arrays.b[l * n + j];
          }
          assert.ok(Math.abs(arrays.plain[i * n + j] - plain) < 1e-4, `${m} × ${k} × ${n}`);
          assert.ok(Math.abs(arrays.turned[i * n + j] - turned) < 1e-4, `${m} × ${k} × ${n} turned`);
        }
      }
    }
    const { arrays, writeSigmoids } = openWorkbench({ of: 4000, to: 4000 });
    arrays.of.forEach((_, i) => (arrays.of[i] = (i - 2000) / 40));
    arrays.of[0] = -1e30;
    arrays.of[1] = 1e30;
    writeSigmoids(arrays.of, arrays.to);
    arrays.of.forEach((x, i) => assert.ok(Math.abs(arrays.to[i] - 1 / (1 + Math.exp(-x))) < 1e-6, `${x}`));
  });
});
