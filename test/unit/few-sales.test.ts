// The Gaussian process of markets with few sales: its equations, its handling of unknown traits, and its accuracy.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { covariance, predictGaussian, type Kernel } from '../../src/insight/avm/gaussian.ts';
import { appraiseAll, readHome } from '../../src/insight/avm/appraise.ts';
import { noAttributes, type Sale } from '../../src/insight/avm/attributes.ts';
import { openBook } from '../../src/insight/avm/evidence.ts';
import { pack, unpack } from '../../src/insight/avm/pack.ts';
import { calibrate } from '../../src/insight/avm/interval.ts';
import { listSales } from '../../src/insight/avm/sales.ts';
import { seededRandom } from '../../src/base/math/random.ts';
import { runFitsHere } from '../../src/insight/training/fit/fits.ts';
import { testSale } from '../../src/insight/training/back-test.ts';
import { fitGaussian } from '../../src/insight/training/fit/gaussian.ts';
import { quick, standard } from '../../src/insight/training/parameters.ts';
import { trainModel } from '../../src/insight/training/stages.ts';
import type { Model } from '../../src/insight/avm/model.ts';

const kernel: Kernel = { linear: 0.1, alike: 0.4, place: 0.2, reach: 2, placeReach: 1, noise: 0.05 };
const trait = (column: number) => ({ column, isLog: false, median: 0, scale: 1 });
const options = { traits: [trait(0), trait(1)], placesFrom: 1, kernel, clip: 1.5 };

/** Homes with a size, a place and a price that follows neither in a straight line. */
function inventRows(count: number) {
  const random = seededRandom(4);
  const values = Float32Array.from({ length: 2 * count }, () => 4 * random() - 2);
  const truth = (at: number) => Math.sin(2 * values[2 * at]) / 2 + Math.abs(values[2 * at + 1]) / 2;
  const target = Float64Array.from({ length: count }, (_, at) => 12 + truth(at) + 0.02 * (random() - 0.5));
  return { matrix: { rows: count, columns: 2, values }, target };
}

describe('a Gaussian process', () => {
  it('has a linear term, a location term, and a term for similar homes near each other', () => {
    const [size, otherSize, place, otherPlace] = [1.5, -0.5, 0.25, 0.75];
    const away = Math.exp(-Math.abs(place - otherPlace) / kernel.placeReach);
    const alike = Math.exp(-Math.abs(size - otherSize) / kernel.reach);
    const expected =
      kernel.linear * (size * otherSize + place * otherPlace) + kernel.place * away + kernel.alike * away * alike;
    const inputs = Float32Array.from([size, place, otherSize, otherPlace]);
    const found = covariance({ ...options }, { inputs, at: 0 }, { inputs, at: 2 });
    assert.ok(Math.abs(found - expected) < 1e-12);
  });

  it('has weights that solve its equations', () => {
    const { matrix, target } = inventRows(40);
    const gaussian = fitGaussian(matrix, target, options);
    const { inputs, weights, center } = gaussian;
    for (const [i, price] of target.entries()) {
      let sum = kernel.noise * weights[i];
      weights.forEach(
        (weight, j) => (sum += weight * covariance(gaussian, { inputs, at: 2 * i }, { inputs, at: 2 * j })),
      );
      assert.ok(Math.abs(center + sum - price) < 1e-9);
    }
  });

  it('values unseen homes', () => {
    const { matrix, target } = inventRows(400);
    const half = { rows: 200, columns: 2, values: matrix.values.subarray(0, 400) };
    const gaussian = fitGaussian(half, target.subarray(0, 200), { ...options, kernel: { ...kernel, noise: 0.001 } });
    const misses = [...target.subarray(200)].map((price, i) =>
      Math.abs(predictGaussian(gaussian, matrix.values, 400 + 2 * i) - price),
    );
    assert.ok(misses.reduce((sum, miss) => sum + miss, 0) / 200 < 0.05);
  });

  it('imputes an unknown trait as typical', () => {
    const { matrix, target } = inventRows(60);
    const gaussian = fitGaussian(matrix, target, options);
    assert.equal(predictGaussian(gaussian, [NaN, 1]), predictGaussian(gaussian, [0, 1]));
  });

  it('clips a price far from all others', () => {
    const { matrix, target } = inventRows(60);
    const [wild, tame] = [Float64Array.from(target), Float64Array.from(target)];
    wild[7] = 40;
    tame[7] = 15;
    assert.deepEqual(fitGaussian(matrix, wild, options).weights, fitGaussian(matrix, tame, options).weights);
  });
});

/** A county whose prices follow a wavy surface, which trees approximate by steps. */
function inventSales(count: number, noise = 0.04): Sale[] {
  const random = seededRandom(9);
  return Array.from({ length: count }, (_, i): Sale => {
    const [sqft, latitude, longitude] = [900 + 2200 * random(), 43 + 0.2 * random(), -88 + 0.2 * random()];
    const soldDay = 18_000 + Math.floor((900 * i) / count);
    const place = Math.sin(30 * (latitude - 43)) + Math.cos(25 * (longitude + 88));
    const log = 12 + 0.8 * Math.log(sqft / 1500) + 0.25 * place + noise * (random() - 0.5);
    return {
      id: `sale_${String(i).padStart(5, '0')}`,
      propertyId: `home_${i}`,
      soldDay,
      knownDay: soldDay + 14,
      priceUsd: Math.round(Math.exp(log)),
      attributes: { ...noAttributes, propertyType: 'single_family', latitude, longitude, sqft },
      address: null,
    };
  });
}

describe('a market of few sales', async () => {
  const sales = inventSales(700);
  const [known, later] = [sales.slice(0, 400), sales.slice(450)];
  const cut = known[known.length - 1].knownDay;
  const train = (kernel: Kernel | null, attentionSales = 2_000) =>
    trainModel(
      { market: 'test', parameters: { ...quick, attention: null, kernel, attentionSales }, run: runFitsHere },
      known,
      cut,
    );
  const errorOf = (model: Model) => {
    const book = openBook(model, listSales(known));
    const values = appraiseAll(
      model,
      later.map((sale) => readHome(model, book, sale, sale.soldDay)),
    );
    const misses = values.map(({ logValue }, i) => Math.abs(logValue - Math.log(later[i].priceUsd)));
    return misses.toSorted((a, b) => a - b)[misses.length >> 1];
  };
  const [without, having] = [await train(null), await train(standard.kernel)];

  it('is valued more accurately with a Gaussian process than by trees alone', () => {
    assert.ok(having.gaussian);
    assert.equal(without.gaussian, null);
    assert.ok(errorOf(having) < 0.9 * errorOf(without));
  });

  it('gets the same values from its stored model', () => {
    assert.equal(errorOf(unpack<Model>(pack(having))), errorOf(having));
  });

  it('has intervals with the promised coverage before any later sale is known', async () => {
    const noisy = inventSales(2_400, 0.5);
    const some = noisy.filter((_, i) => i < 1_600 && i % 4 === 0);
    const model = await trainModel(
      { market: 'test', parameters: { ...quick, attention: null }, run: runFitsHere },
      some,
      some[some.length - 1].knownDay,
    );
    const book = openBook(model, listSales(some));
    const calibration = calibrate(model.scores, Infinity, model.calibration);
    const tested = noisy
      .filter((sale) => !some.includes(sale))
      .map((sale) => testSale({ model, book, calibration }, sale));
    const inside = tested.filter(({ covered }) => covered[0.8]).length / tested.length;
    assert.ok(inside > 0.77 && inside < 0.83, String(inside));
  });

  it('has no Gaussian process if sales suffice for a network', async () => {
    assert.equal((await train(standard.kernel, 300)).gaussian, null);
  });
});
