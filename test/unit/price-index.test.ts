// Price indexes of invented markets whose true movement is known, and the smoother against plain linear algebra.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepPublished, type KeptIndex } from '../../src/insight/analytics/revisions.ts';
import { logLikelihood, smooth, varianceBetween } from '../../src/insight/analytics/index/state-space.ts';
import { complete } from '../../src/base/lib/steps.ts';
import { expectGrowth, followTrend } from '../../src/insight/analytics/index/trend.ts';
import { forecastMarket, METRO_TRENDS, SEASONS } from '../../src/insight/analytics/index/forecast.ts';
import { fitKind, indexMarket, openIndexBook, type AreaIndex } from '../../src/insight/analytics/price-index.ts';
import { noAttributes, type Sale } from '../../src/insight/avm/attributes.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { median } from '../../src/base/math/quantiles.ts';

/** Uniform and normal numbers, the same in every run. */
function createRandom(seed: number) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return { uniform, normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()) };
}

const MONTHS = 72;
const POOLS = 50;
const ZIPS = ['00101', '00102', '00103', '00104', '00105', '00106'];

/** A market that grows, falls and grows again, with ZIPs that wander around it and homes of known worth. */
function createWorld(seed: number, sales: number) {
  const { uniform, normal } = createRandom(seed);
  let level = 0;
  const market = Array.from(
    { length: MONTHS },
    (_, t) => (level += (t < 30 ? 0.006 : t < 42 ? -0.008 : 0.007) + 0.004 * normal()),
  );
  const zips = ZIPS.map(() => {
    let deviation = 0;
    return Array.from({ length: MONTHS }, () => (deviation += 0.004 * normal()));
  });
  const homes = Array.from({ length: Math.round(sales * 0.7) }, (_, i) => ({
    id: propertyId(99_001, `home ${i}`),
    zip: Math.floor(ZIPS.length * uniform()),
    sqft: Math.round(900 * Math.exp(0.35 * normal()) + 600),
    own: 0.12 * normal(),
  }));
  const pools = Array.from({ length: POOLS }, (_, pool) => homes.filter((_, k) => k % POOLS === pool));
  const list = Array.from({ length: sales }, (_, i): Sale => {
    const month = Math.floor(MONTHS * uniform());
    // Larger homes sell more often toward the end: medians rise with them, the index must not.
    const pool = pools[i % POOLS];
    const home = pool.reduce(
      (best, each) => (each.sqft > best.sqft && uniform() < month / MONTHS / 2 ? each : best),
      pool[Math.floor(pool.length * uniform())],
    );
    const worth = 12 + 0.8 * Math.log(home.sqft / 1_500) + 0.1 * home.zip + home.own;
    const soldDay = Math.floor(Date.UTC(2018, month, 15) / 86_400_000);
    return {
      id: `sale ${i}`,
      propertyId: home.id,
      soldDay,
      knownDay: soldDay + 14,
      priceUsd: Math.round(Math.exp(worth + market[month] + zips[home.zip][month] + 0.08 * normal())),
      attributes: { ...noAttributes, propertyType: 'single_family', sqft: home.sqft, zip: ZIPS[home.zip] },
      address: null,
    };
  });
  return { sales: list, market, zips };
}

describe('the smoother', () => {
  const mean = Float64Array.from([0.1, NaN, 0.3, 0.2, NaN, 0.5]);
  const variance = Float64Array.from([0.01, Infinity, 0.02, 0.005, Infinity, 0.03]);
  const [walk, prior] = [0.004, 0.2];
  const n = mean.length;
  /** Covariance of the levels before anything is seen. */
  const before = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => prior + walk * Math.min(i, j)),
  );
  const seen = [...variance.keys()].filter((t) => variance[t] !== Infinity);
  const total = seen.map((i) => seen.map((j) => before[i][j] + (i === j ? variance[i] : 0)));

  it('agrees with the joint normal distribution of all months', () => {
    const { level, ...path } = smooth({ mean: mean.map((value) => value || 0), variance }, walk, prior);
    const weights = solve(
      total,
      seen.map((i) => mean[i]),
    );
    const after = (a: number, b: number) => {
      const column = solve(
        total,
        seen.map((i) => before[i][b]),
      );
      return before[a][b] - seen.reduce((sum, i, k) => sum + before[a][i] * column[k], 0);
    };
    for (let t = 0; t < n; t++) {
      close(
        level[t],
        seen.reduce((sum, i, k) => sum + before[t][i] * weights[k], 0),
      );
      close(path.variance[t], after(t, t));
      for (let s = 0; s < n; s++) {
        close(varianceBetween({ level, ...path }, s, t), after(s, s) + after(t, t) - 2 * after(s, t));
      }
    }
  });

  it('knows how likely its observations are', () => {
    const values = seen.map((i) => mean[i]);
    const squares = solve(total, values).reduce((sum, weight, k) => sum + weight * values[k], 0);
    const expected = -0.5 * (squares + Math.log(determinant(total)) + seen.length * Math.log(2 * Math.PI));
    close(logLikelihood({ mean: mean.map((value) => value || 0), variance }, walk, prior), expected);
  });
});

describe('a trend', () => {
  it('is followed, and fades to the usual growth with a growing band', () => {
    const mean = Float64Array.from({ length: 60 }, (_, t) => 0.01 * t);
    const state = followTrend({ mean, variance: mean.map(() => 1e-5) }, METRO_TRENDS);
    assert.ok(Math.abs(state.trend - 0.01) < 0.001, `trend ${state.trend}`);
    const expected = expectGrowth(state, METRO_TRENDS, 12);
    for (let k = 1; k < 12; k++) {
      const step = expected[k].growth - expected[k - 1].growth;
      assert.ok(step > METRO_TRENDS.usual && step < 0.0105);
      assert.ok(expected[k].variance > expected[k - 1].variance);
    }
  });
});

describe('a forecast', () => {
  /** From the end of December, in a market that grows as usual, each month off by its season. */
  function fromDecember(years: number, season: (month: number) => number) {
    const months = 12 * years;
    const mean = Float64Array.from({ length: months }, (_, t) => METRO_TRENDS.usual * t + season(t % 12));
    const seen = { mean, variance: new Float64Array(months).fill(1e-5) };
    return forecastMarket(seen, smooth(seen, 0.007 ** 2, 4), 0);
  }
  const swingOf = ({ growth }: { growth: number[] }) => growth[5] - growth[11] / 2;

  it('has the usual season if there are too few years to estimate it', () => {
    const june = (SEASONS.seattle[5] + SEASONS.milwaukee[5]) / 2;
    const december = (SEASONS.seattle[11] + SEASONS.milwaukee[11]) / 2;
    const { growth } = fromDecember(2, (month) => SEASONS.seattle[month]);
    assert.ok(Math.abs(growth[5] - 6 * METRO_TRENDS.usual - (june - december)) < 0.012, `${growth[5]}`);
    assert.ok(Math.abs(growth[11] - 12 * METRO_TRENDS.usual) < 0.012, `${growth[11]}`);
  });

  it('has the market’s own season if there are enough years', () => {
    const none = swingOf(fromDecember(12, () => 0));
    const usual = swingOf(fromDecember(12, (month) => SEASONS.milwaukee[month]));
    const upside = swingOf(fromDecember(12, (month) => -SEASONS.milwaukee[month]));
    assert.ok(Math.abs(none) < 0.012 && usual > 0.04 && upside < -0.02, `${none} ${usual} ${upside}`);
  });

  it('is less certain if the months are noisier', () => {
    const bandOf = (variance: number) => {
      const seen = { mean: new Float64Array(60), variance: new Float64Array(60).fill(variance) };
      return forecastMarket(seen, smooth(seen, 0.007 ** 2, 4), 0).deviation[0];
    };
    assert.ok(bandOf(0.03 ** 2) > 1.3 * bandOf(0.003 ** 2));
  });
});

describe('an index', () => {
  it('recovers the movement of the market and of its areas, which medians miss', () => {
    const { sales, market, zips } = createWorld(7, 6_000);
    const book = complete(openIndexBook(sales))!;
    const [whole] = complete(fitKind(book, 'world', 'market', false)).areas;
    const truth = market.map((value, t) => value + zips.reduce((sum, path) => sum + path[t], 0) / ZIPS.length);
    const grown = (path: ArrayLike<number>) => path[MONTHS - 1] - path[0];
    assert.ok(Math.abs(grown(whole.curve.level) - grown(truth)) < 0.03);
    const errors = truth.map((value, t) => whole.curve.level[t] - whole.curve.level[0] - value + truth[0]);
    assert.ok(median(errors.map(Math.abs)) < 0.015);
    const inMonth = (t: number) =>
      sales.filter((_, i) => book.columns.month[i] === t).map(({ priceUsd }) => Math.log(priceUsd));
    assert.ok(Math.abs(median(inMonth(MONTHS - 1)) - median(inMonth(0)) - grown(truth)) > 0.1);
    for (const { area, curve } of complete(fitKind(book, 'world', 'zip', false)).areas) {
      const own = market.map((value, t) => value + zips[ZIPS.indexOf(area)][t]);
      assert.ok(Math.abs(grown(curve.level) - grown(own)) < 0.06, area);
    }
  });

  it('has a band that covers four of five true levels', () => {
    let [inside, all] = [0, 0];
    for (const seed of [1, 2, 3, 4]) {
      const { sales, market, zips } = createWorld(seed, 2_500);
      for (const { area, curve } of complete(fitKind(complete(openIndexBook(sales))!, 'world', 'zip', false)).areas) {
        const own = market.map((value, t) => value + zips[ZIPS.indexOf(area)][t]);
        for (let t = 12; t < MONTHS; t += 12) {
          const miss = curve.level[t] - curve.level[0] - own[t] + own[0];
          if (Math.abs(miss) < 1.2816 * Math.sqrt(curve.varianceBetween(0, t))) inside++;
          all++;
        }
      }
    }
    assert.ok(inside / all > 0.7 && inside / all < 0.95, `${inside} of ${all}`);
  });

  it('of an area with few sales stays close to its parent, and has a wider band', () => {
    const { sales } = createWorld(11, 3_000);
    const few = sales.filter(({ attributes }, i) => attributes.zip !== '00106' || i % 20 === 0);
    const { areas } = complete(fitKind(complete(openIndexBook(few))!, 'world', 'zip', false));
    const widthOf = (zip: string) => areas.find(({ area }) => area === zip)!.curve.varianceBetween(0, MONTHS - 1);
    assert.ok(widthOf('00106') > widthOf('00101'));
  });

  it('does not exist for a market or area with too few sales', () => {
    const { sales } = createWorld(5, 400);
    assert.deepEqual([...indexMarket(sales.slice(0, 60), 'world')].filter(Boolean), []);
    const rare = sales.map((sale, i) => ({
      ...sale,
      attributes: { ...sale.attributes, zip: i < 10 ? '00999' : '00101' },
    }));
    const zips = new Set(
      [...indexMarket(rare, 'world')].flatMap((index) => (index?.kind === 'zip' ? [index.area] : [])),
    );
    assert.deepEqual([...zips], ['00101']);
  });
});

describe('a published index', () => {
  const index = (level: number[]): AreaIndex => ({
    kind: 'market',
    area: 'world',
    propertyType: 'residential',
    step: 'month',
    first: '2026-01-01',
    base: '2026-01-01',
    level,
    deviation: level.map(() => 0.01),
    n: level.map(() => 9),
    resold: level.map(() => 1),
    growth: [],
    resales: [],
    changes: [],
    marketBase: '2026-01-01',
  });

  it('is kept next to the index once a period is closed', () => {
    const first = keepPublished(index([0, 0.01, 0.02]), undefined, '2026-03-14');
    assert.deepEqual(first.published, [100, 101.01, null]);
    const later = keepPublished(index([0, 0.02, 0.03, 0.04]), first as KeptIndex, '2026-04-20');
    assert.deepEqual(later.published, [100, 101.01, 103.05, null]);
  });

  it('starts over if the base moves, because the figures are not comparable', () => {
    const first = keepPublished(index([0, 0.01, 0.02]), undefined, '2026-03-14');
    const moved = { ...index([0, 0.01]), first: '2026-02-01', base: '2026-02-01' };
    assert.deepEqual(keepPublished(moved, first as KeptIndex, '2026-03-14').published, [100, null]);
  });
});

const close = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

/** Gauss–Jordan; the matrices here are small and positive definite. */
function eliminate(matrix: number[][], right: number[]): { x: number[]; determinant: number } {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  let product = 1;
  for (const [c, pivot] of rows.entries()) {
    product *= pivot[c];
    const scaled = pivot.map((value) => value / pivot[c]);
    for (const [r, row] of rows.entries()) {
      rows[r] = r === c ? scaled : row.map((value, k) => value - row[c] * scaled[k]);
    }
  }
  return { x: rows.map((row) => row.at(-1)!), determinant: product };
}
const solve = (matrix: number[][], right: number[]) => eliminate(matrix, right).x;
const determinant = (matrix: number[][]) =>
  eliminate(
    matrix,
    matrix.map(() => 0),
  ).determinant;
