// The joint interval: shared errors are recovered, and random portfolios have the promised coverage.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulateTotal, type ValuedHome } from '../../src/delivery/watchlists/joint-interval.ts';
import {
  estimateSharedErrors,
  placeOf,
  USUAL,
  type PastError,
  type SharedErrors,
} from '../../src/delivery/watchlists/shared-errors.ts';

/** Normal draws that are the same every time. */
function createNormals(seed: number): () => number {
  let state = seed;
  const uniform = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Quantiles of a normal distribution, the same on both sides. */
const NORMAL = (() => {
  const normal = createNormals(3);
  const sides = Float64Array.from({ length: 2000 }, () => Math.abs(normal())).sort();
  const unit = sides[1600] / 1.2816;
  return Float64Array.from([...sides.toReversed().map((size) => -size), ...sides], (size) => size / unit);
})();
const sharedOf = (market: number, neighborhood: number, freedom = 12): SharedErrors => ({
  market,
  neighborhood,
  freedom,
  own: NORMAL,
});
const NOTHING = sharedOf(0, 0);
const home = (more: Partial<ValuedHome> = {}): ValuedHome => ({
  market: 'm',
  place: null,
  value: 400_000,
  low: 340_000,
  high: 470_000,
  carried: 0,
  ...more,
});
const everywhere = (homes: ValuedHome[], shared: SharedErrors) => new Map(homes.map(({ market }) => [market, shared]));
const interval = (homes: ValuedHome[], shared = NOTHING, level = 0.8) =>
  simulateTotal(homes, everywhere(homes, shared), { level });

describe('shared errors', () => {
  /** Two years of sales in twenty neighborhoods. */
  function pastWith(market: number, neighborhood: number, own: number, months = 24): PastError[] {
    const normal = createNormals(11);
    const places = Array.from({ length: 20 }, () => neighborhood * normal());
    return Array.from({ length: months }, () => market * normal()).flatMap((level, month) =>
      Array.from({ length: 200 }, (_, k) => ({
        day: month * 30 + (k % 30),
        place: `p${k % 20}`,
        error: level + places[k % 20] + own * normal(),
        sigma: own,
      })),
    );
  }

  it('are separated from each home’s residual error', () => {
    const found = estimateSharedErrors(pastWith(0.04, 0.03, 0.12));
    assert.ok(found.market > 0.025 && found.market < 0.055, JSON.stringify(found));
    assert.ok(found.neighborhood > 0.02 && found.neighborhood < 0.045, JSON.stringify(found));
  });

  it('are small if errors are independent, never 0 for the market, and the usual ones without past errors', () => {
    const found = estimateSharedErrors(pastWith(0, 0, 0.15));
    assert.ok(found.market >= 0.005 && found.market < 0.02 && found.neighborhood < 0.015, JSON.stringify(found));
    assert.deepEqual(estimateSharedErrors([]), USUAL);
  });

  it('from few months, or from months with few sales, stay near the usual, with few degrees of freedom', () => {
    const few = estimateSharedErrors(pastWith(0.06, 0, 0.12, 2));
    const many = estimateSharedErrors(pastWith(0.06, 0, 0.12, 24));
    assert.ok(USUAL.market < few.market && few.market < many.market, `${few.market} ${many.market}`);
    assert.ok(USUAL.freedom < few.freedom && few.freedom < many.freedom && many.freedom < USUAL.freedom + 24);
    const sparse = estimateSharedErrors(pastWith(0.06, 0, 0.12, 24).filter((_, k) => k % 20 === 0));
    assert.ok(sparse.freedom < few.freedom + 1, `${sparse.freedom}`);
  });

  it('keep the distribution of residual errors, skewed or not', () => {
    const past = pastWith(0.02, 0, 0.1).map((one, k) => (k % 20 === 0 ? { ...one, error: one.error - 0.5 } : one));
    const { own, market } = estimateSharedErrors(past);
    const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
    assert.ok(own[0] < -1.5 * own[own.length - 1] && mean(own) < -0.05, `${own[0]} ${own.at(-1)} ${mean(own)}`);
    assert.ok(Math.abs(own[own.length >> 1]) < 0.02);
    assert.ok(Math.abs(own[Math.floor(0.9 * own.length)] - 1.2816) < 0.02);
    assert.ok(Math.abs(own[Math.floor(0.1 * own.length)] + 1.2816) < 0.02);
    assert.ok(market < 0.035, 'a lopsided distribution is no error of the level');
  });

  it('are not created by a few odd sales', () => {
    const past = pastWith(0, 0, 0.1);
    for (let k = 0; k < past.length; k += 97) past[k] = { ...past[k], error: -3 };
    assert.ok(estimateSharedErrors(past).market < 0.025);
  });

  it('belong to the publisher’s neighborhood, or else to the ZIP', () => {
    assert.equal(placeOf({ neighborhood: 'Old Town', zip: '00101' }), 'Old Town');
    assert.equal(placeOf({ neighborhood: null, zip: '00101' }), '00101');
    assert.equal(placeOf({ neighborhood: null, zip: null }), null);
  });
});

describe('a joint interval', () => {
  it('of one home is its own', () => {
    for (const shared of [NOTHING, sharedOf(0.03, 0.03)]) {
      const { low, high } = interval([home()], shared);
      assert.ok(Math.abs(low / 340_000 - 1) < 0.015 && Math.abs(high / 470_000 - 1) < 0.015, `${low} ${high}`);
    }
  });

  it('is far narrower than the sum of the ends, and widens with the shared part', () => {
    const homes = Array.from({ length: 100 }, (_, k) => home({ place: `p${k % 10}` }));
    const width = ({ low, high }: { low: number; high: number }) => high - low;
    const alone = width(interval(homes));
    const market = width(interval(homes, sharedOf(0.03, 0)));
    const both = width(interval(homes, sharedOf(0.03, 0.05)));
    assert.ok(alone < market && market < both && both < 0.5 * 100 * 130_000, `${alone} ${market} ${both}`);
  });

  it('averages out over markets, and widens with the level and with uncertainty about the shared error', () => {
    const shared = sharedOf(0.04, 0, 24);
    const width = (homes: ValuedHome[], of = shared, level = 0.8) => {
      const { low, high } = interval(homes, of, level);
      return high - low;
    };
    const one = Array.from({ length: 200 }, () => home());
    const many = one.map((each, k) => ({ ...each, market: `m${k % 10}` }));
    assert.ok(width(many) < 0.6 * width(one));
    assert.ok(width(one, shared, 0.95) > width(one));
    assert.ok(width(one, { ...shared, freedom: 3 }) > width(one));
  });

  it('treats the error of an extrapolated level as shared by all homes', () => {
    const wide = { low: 400_000 * Math.exp(-0.23), high: 400_000 * Math.exp(0.23) };
    const homes = Array.from({ length: 1000 }, () => home(wide));
    const carried = homes.map((each) => ({ ...each, carried: 0.1 }));
    const { low, high, shares } = interval(carried, sharedOf(0.01, 0));
    // 80% of a normal distribution with a deviation of 10%, however many homes there are.
    assert.ok(Math.abs(Math.log(low / 400e6) + 0.128) < 0.02, `${low}`);
    assert.ok(Math.abs(Math.log(high / 400e6) - 0.128) < 0.03, `${high}`);
    assert.ok(shares.market > 0.95);
    const fresh = interval(homes, sharedOf(0.01, 0));
    assert.ok(high - low > 5 * (fresh.high - fresh.low));
    // In ten markets it evens out; within one home it is part of the home's own interval.
    const spread = interval(
      carried.map((each, k) => ({ ...each, market: `m${k % 10}` })),
      sharedOf(0.01, 0),
    );
    assert.ok(spread.high - spread.low < 0.5 * (high - low));
    const one = interval(carried.slice(0, 1), sharedOf(0.01, 0));
    assert.ok(Math.abs(Math.log(one.high / 400_000) - 0.23) < 0.02, `${one.high}`);
  });

  it('reports the shared part of the variance, and is deterministic', () => {
    const homes = Array.from({ length: 50 }, (_, k) => home({ place: `p${k % 5}` }));
    const shared = sharedOf(0.03, 0.03);
    const first = interval(homes, shared);
    assert.deepEqual(interval(homes, shared), first);
    const { market, neighborhood, own } = first.shares;
    assert.ok(
      Math.abs(market + neighborhood + own - 1) < 1e-9 && market > neighborhood && market > own && neighborhood > 0,
    );
  });

  it('has the promised coverage on random portfolios', () => {
    const normal = createNormals(5);
    const sizes = { market: 0.03, neighborhood: 0.03, own: 0.12 };
    const spread = Math.hypot(sizes.market, sizes.neighborhood, sizes.own);
    const shared = sharedOf(sizes.market, sizes.neighborhood, 60);
    for (const count of [2, 10, 30]) {
      let inside = 0;
      const trials = 300;
      for (let trial = 0; trial < trials; trial++) {
        const level = sizes.market * normal();
        const places = Array.from({ length: 6 }, () => sizes.neighborhood * normal());
        const values = Array.from({ length: count }, () => 300_000 * Math.exp(0.4 * normal()));
        const homes = values.map((value, k) =>
          home({
            place: `p${k % 6}`,
            value,
            low: value * Math.exp(-1.2816 * spread),
            high: value * Math.exp(1.2816 * spread),
          }),
        );
        const price = values.reduce(
          (sum, value, k) => sum + value * Math.exp(level + places[k % 6] + sizes.own * normal()),
          0,
        );
        const { low, high } = simulateTotal(homes, everywhere(homes, shared), { level: 0.8, draws: 400, seed: trial });
        if (price >= low && price <= high) inside++;
      }
      assert.ok(inside / trials > 0.75 && inside / trials < 0.88, `${count} homes: ${inside / trials}`);
    }
  });

  it('has the promised coverage on portfolios of hundreds of homes with skewed errors, from few months', () => {
    const normal = createNormals(17);
    // One home in ten sells far below its value: the mean of all prices is not the middle of each.
    const own = (k: number) => 0.1 * normal() - (k % 10 === 0 ? 0.25 : 0);
    let inside = 0;
    const trials = 200;
    for (let trial = 0; trial < trials; trial++) {
      const past = Array.from({ length: 8 }, () => 0.012 * normal()).flatMap((level, month) =>
        Array.from({ length: 150 }, (_, k) => ({ day: month * 30, place: null, error: level + own(k), sigma: 0.1 })),
      );
      const middle = past.map(({ error }) => error).sort((a, b) => a - b);
      const at = (share: number) => 300_000 * Math.exp(middle[Math.floor(share * middle.length)]);
      const homes = Array.from({ length: 300 }, () => home({ value: 300_000, low: at(0.1), high: at(0.9) }));
      const level = 0.012 * normal();
      const price = homes.reduce((sum, { value }, k) => sum + value * Math.exp(level + own(k)), 0);
      const shared = estimateSharedErrors(past);
      const { low, high } = simulateTotal(homes, everywhere(homes, shared), {
        level: 0.8,
        draws: 300,
        seed: trial,
      });
      if (price >= low && price <= high) inside++;
    }
    assert.ok(inside / trials > 0.74 && inside / trials < 0.9, `${inside / trials}`);
  });
});
