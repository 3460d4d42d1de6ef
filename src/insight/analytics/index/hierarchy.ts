// Quality-adjusted prices smoothed by month in a hierarchy: a random walk for the market, and for each area within it a
// walk around its parent. Homes sold more than once have a random effect. Pure.
import { median } from '../../../base/math/quantiles.ts';
import { forecastArea, forecastMarket, MARKET_WIDTH, type Forecast } from './forecast.ts';
import type { Steps } from '../../../base/lib/steps.ts';
import { logLikelihood, smooth, varianceBetween, type Observations, type Path } from './state-space.ts';

/** Sales in columns, in any order. */
export interface AdjustedSales {
  /** Months since the first one, 0 and up. */
  month: Int32Array;
  /** Log price net of attribute and place effects. */
  adjusted: Float64Array;
  /** The number of the home. */
  home: Int32Array;
  /** Consecutive sales of one home. */
  pairs: [earlier: number, later: number][];
}

/** Areas of one level: the number of each sale's area (-1 where unknown), and of the area above each area. */
export interface Level {
  area: Int32Array;
  parent: Int32Array;
}

interface Hierarchy {
  months: number;
  market: Path;
  /** Observations of the market. */
  seen: Observations;
  /** By level and number of the area: its deviation from the parent area. `walk` is the variance of a monthly step. */
  levels: { paths: Path[]; parent: Int32Array; walk: number }[];
  /** Standard deviation of single sales around the level of their home. */
  noise: number;
  /** Adjusted prices minus the index of each sale's smallest area. */
  errors: Float64Array;
}

/** Residuals are clipped at this many standard deviations. */
const CLIP = 2.5;
const MAD_TO_DEVIATION = 1.4826;
/** Candidate standard deviations of a month's step, in log price. */
const MARKET_WALKS = [0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.03];
const AREA_WALKS = [0, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.008, 0.012];
/** Prior standard deviations of the levels of the market and of its areas. */
const MARKET_PRIOR = 2;
const AREA_PRIORS = [0.02, 0.05, 0.1, 0.2, 0.4];
/** Backfitting iterations over homes, areas and market; more change little. */
const TURNS = 8;
/** Steps and priors are re-estimated in the first iterations. */
const CHOOSING_TURNS = 6;
/** Pairs of sales needed to separate home effects from noise. */
const LEAST_PAIRS = 30;

/** Candidate steps and priors, and the indexes of the chosen ones. */
interface Grid {
  walks: number[];
  priors: number[];
  chosen: [walk: number, prior: number];
}

interface FittedLevel extends Level, Grid {
  seen: Observations[];
  paths: Path[];
  /** The level's contribution to each sale. */
  share: Float64Array;
}

export function* fitHierarchy(
  { month, adjusted, home, pairs }: AdjustedSales,
  areas: Level[],
  months: number,
): Steps<Hierarchy> {
  const count = month.length;
  const everywhere: Level = { area: new Int32Array(count), parent: Int32Array.of(-1) };
  const levels = [everywhere, ...areas].map((level, depth): FittedLevel => {
    const grid: Grid =
      depth === 0
        ? { walks: MARKET_WALKS, priors: [MARKET_PRIOR], chosen: [3, 0] }
        : { walks: AREA_WALKS, priors: AREA_PRIORS, chosen: [3, 2] };
    return { ...level, ...grid, seen: [], paths: [], share: new Float64Array(count) };
  });
  const center = median(adjusted);
  /** The residual of all levels; `homeEffect` is the home effect within it. */
  const errors = adjusted.map((value) => value - center);
  const homeEffect = new Float64Array(count);
  const timesSold = countSales(home);
  let spread = deviationOf(errors);
  let noise = spread;
  for (let turn = 0; turn < TURNS; turn++) {
    const lasting = Math.max(0, spread ** 2 - noise ** 2);
    // The effect of a home sold k times is estimated; for a home sold once it is part of the noise.
    const variance = Float64Array.from(home, (number) => {
      const k = timesSold[number];
      return noise ** 2 + (k === 1 ? lasting : (lasting * noise ** 2) / (k * lasting + noise ** 2));
    });
    for (const level of levels) {
      const rest = errors.map((error, i) => clamp(error - homeEffect[i], CLIP * spread) + level.share[i]);
      yield;
      const seen = observe({ month, months, variance, values: rest }, level);
      if (turn < CHOOSING_TURNS) level.chosen = yield* likeliest(level, seen);
      const [walk, prior] = [level.walks[level.chosen[0]] ** 2, level.priors[level.chosen[1]] ** 2];
      const paths = seen.map((each) => smooth(each, walk, prior));
      level.seen = seen;
      level.paths = paths;
      for (let i = 0; i < count; i++) {
        const share = level.area[i] < 0 ? 0 : paths[level.area[i]].level[month[i]];
        errors[i] -= share - level.share[i];
        level.share[i] = share;
      }
    }
    yield;
    spread = deviationOf(errors);
    noise = Math.min(spread, noiseOfPairs(errors, pairs) ?? spread / Math.SQRT2);
    const ratio = Math.max(0, spread ** 2 - noise ** 2) / noise ** 2;
    shrinkHomeEffects({ errors, home, timesSold, homeEffect, ratio, limit: CLIP * spread });
  }
  const [market, ...below] = levels;
  return {
    months,
    market: market.paths[0],
    seen: market.seen[0],
    levels: below.map(({ paths, parent, walks, chosen }) => ({ paths, parent, walk: walks[chosen[0]] ** 2 })),
    noise,
    errors,
  };
}

function countSales(home: Int32Array): Int32Array {
  const times = new Int32Array(home.reduce((most, number) => Math.max(most, number), -1) + 1);
  for (const number of home) times[number]++;
  return times;
}

interface Seen {
  month: Int32Array;
  months: number;
  variance: Float64Array;
  values: Float64Array;
}

/** Precision-weighted means by area and month. */
function observe({ month, months, variance, values }: Seen, { area, parent }: Level): Observations[] {
  const found = Array.from(parent, () => ({ mean: new Float64Array(months), variance: new Float64Array(months) }));
  for (let i = 0; i < values.length; i++) {
    if (area[i] < 0) continue;
    const weight = 1 / variance[i];
    found[area[i]].mean[month[i]] += weight * values[i];
    found[area[i]].variance[month[i]] += weight;
  }
  for (const seen of found) {
    for (let t = 0; t < months; t++) {
      if (seen.variance[t] > 0) seen.mean[t] /= seen.variance[t];
      seen.variance[t] = seen.variance[t] > 0 ? 1 / seen.variance[t] : Infinity;
    }
  }
  return found;
}

/** Hill climb to the step and prior that maximize the joint likelihood of a level's areas. */
function* likeliest({ walks, priors, chosen }: Grid, seen: Observations[]): Steps<Grid['chosen']> {
  const tried = new Map<string, number>();
  const score = ([walk, prior]: Grid['chosen']): number => {
    const key = `${walk} ${prior}`;
    const known = tried.get(key);
    if (known !== undefined) return known;
    const sum = seen.reduce((all, each) => all + logLikelihood(each, walks[walk] ** 2, priors[prior] ** 2), 0);
    tried.set(key, sum);
    return sum;
  };
  for (let at = chosen; ;) {
    let best = at;
    for (const [up, across] of NEIGHBORS) {
      const near: Grid['chosen'] = [at[0] + up, at[1] + across];
      if (near[0] in walks && near[1] in priors && score(near) > score(best)) best = near;
      yield;
    }
    if (best === at) return at;
    at = best;
  }
}

const NEIGHBORS = [-1, 0, 1].flatMap((walk) => [-1, 0, 1].map((prior) => [walk, prior]));

const deviationOf = (errors: Float64Array): number => MAD_TO_DEVIATION * median(errors.map(Math.abs)) || 1e-6;

const clamp = (value: number, limit: number): number => Math.max(-limit, Math.min(limit, value));

/** Noise of single sales, from differences between sales of one home; undefined with too few pairs. */
function noiseOfPairs(errors: Float64Array, pairs: AdjustedSales['pairs']): number | undefined {
  if (pairs.length < LEAST_PAIRS) return undefined;
  return deviationOf(Float64Array.from(pairs, ([earlier, later]) => errors[later] - errors[earlier])) / Math.SQRT2;
}

/** Effects of homes with repeat sales, relative to their adjusted price and shrunk toward zero. */
function shrinkHomeEffects(of: {
  errors: Float64Array;
  home: Int32Array;
  timesSold: Int32Array;
  homeEffect: Float64Array;
  /** Variance of home effects ÷ variance of the noise. */
  ratio: number;
  limit: number;
}): void {
  const { errors, home, timesSold, homeEffect, ratio, limit } = of;
  const sums = new Float64Array(timesSold.length);
  errors.forEach((error, i) => (sums[home[i]] += clamp(error, limit)));
  for (let i = 0; i < homeEffect.length; i++) {
    const k = timesSold[home[i]];
    homeEffect[i] = k === 1 ? 0 : (sums[home[i]] * ratio) / (k * ratio + 1);
  }
}

/** Log index of an area by month, the variance between any two months, and the forecast. */
export interface Curve {
  level: Float64Array;
  varianceBetween(a: number, b: number): number;
  forecast: Forecast;
}

/** An area is given by its level (0 is just below the market) and its number there; without a place, the market. */
export function readCurves(
  fitted: Hierarchy,
  first: number,
  usualSeason?: number[],
): (place?: { depth: number; number: number }) => Curve {
  const { months, market, seen, levels } = fitted;
  const ahead = forecastMarket(seen, market, first, usualSeason);
  return (place) => {
    const below: { path: Path; walk: number }[] = [];
    for (let { depth, number } = place ?? { depth: -1, number: -1 }; depth >= 0 && number >= 0; depth--) {
      below.push({ path: levels[depth].paths[number], walk: levels[depth].walk });
      number = levels[depth].parent[number];
    }
    return {
      level: Float64Array.from({ length: months }, (_, t) =>
        below.reduce((sum, { path }) => sum + path.level[t], market.level[t]),
      ),
      varianceBetween: (a, b) =>
        below.reduce(
          (sum, { path }) => sum + varianceBetween(path, a, b),
          MARKET_WIDTH * varianceBetween(market, a, b),
        ),
      forecast: forecastArea(ahead, below),
    };
  };
}
