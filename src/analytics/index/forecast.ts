// What the next twelve months are expected to bring, from the same observations that an index is made of. Pure.
import { varianceBetween, type Observations, type Path } from './state-space.ts';
import { expectGrowth, followTrend, type TrendModel } from './trend.ts';

export const MONTHS_AHEAD = 12;

/** Log growth from the last month on, month by month, with its standard deviation. */
export interface Forecast {
  growth: number[];
  deviation: number[];
}

/**
 * Trends of metropolitan areas, fitted to FHFA's index of 404 of them from 1985 to 2004 and tested on the years since
 * (`npm run bench -- analytics`): a quarter's growth keeps nine tenths of its distance to the usual one.
 */
export const METRO_TRENDS: TrendModel = {
  usual: 0.0115 / 3,
  memory: 0.9031 ** (1 / 3),
  levelStep: 6.1e-5 / 3,
  trendStep: 4.9e-5 / 27,
  firstTrend: 0.005 ** 2,
};
/**
 * Sales of a market share more than the smoother knows of. Two indexes, each of half the homes, differ as far as their
 * bands say if the market's part of the variance is so many times as large (`npm run bench -- analytics`).
 */
export const MARKET_WIDTH = 1.8;
/** Fewer years cannot tell a season from a trend. */
const SEASON_YEARS = 3;
/** Of months around their year and season, where too little is known to tell. */
const USUAL_UNREST = 0.01;
/** A month seen in few years is pulled to the mean of the year, as if in so many more it had no season. */
const SEASON_SHRINK = 1.5;

/** `first` is the number of the first month, for the season. */
export function forecastMarket(seen: Observations, { level }: Path, first: number): Forecast {
  const { season, unrest } = seasonOf(level, first);
  const at = (t: number) => season[(first + t) % 12];
  const mean = seen.mean.map((value, t) => value - at(t));
  const last = level.length - 1;
  const state = followTrend({ mean, variance: seen.variance }, METRO_TRENDS);
  const expected = expectGrowth(state, METRO_TRENDS, MONTHS_AHEAD);
  // The index stands where its smoother says, not where the filter does.
  const start = state.level - (level[last] - at(last));
  return {
    growth: expected.map(({ growth }, k) => start + growth + at(last + 1 + k) - at(last)),
    deviation: expected.map(({ variance }) => Math.sqrt(MARKET_WIDTH * (variance + unrest))),
  };
}

/** Areas keep their distance to the market; how far it wanders makes the forecast wider. */
export function forecastArea(market: Forecast, below: { path: Path; walk: number }[]): Forecast {
  const doubt = below.map(({ path, walk }) => {
    const last = path.level.length - 1;
    return { now: varianceBetween(path, Math.max(0, last - MONTHS_AHEAD), last), walk };
  });
  return {
    growth: market.growth,
    deviation: market.deviation.map((deviation, k) =>
      Math.sqrt(doubt.reduce((sum, { now, walk }) => sum + now + (k + 1) * walk, deviation ** 2)),
    ),
  };
}

interface Season {
  /** By calendar month, how far the level stands above the year around it. */
  season: Float64Array;
  /** Variance of months around the year and their season. */
  unrest: number;
}

function seasonOf(level: Float64Array, first: number): Season {
  const above = Float64Array.from(level.subarray(6, -6), (value, k) => value - yearAround(level, k + 6));
  if (level.length < 12 * SEASON_YEARS) return { season: new Float64Array(12), unrest: USUAL_UNREST ** 2 };
  const months = above.map((_, k) => (first + k + 6) % 12);
  const sums = new Float64Array(12);
  const counts = new Float64Array(12).fill(SEASON_SHRINK);
  for (const [k, month] of months.entries()) {
    sums[month] += above[k];
    counts[month]++;
  }
  const raw = sums.map((sum, month) => sum / counts[month]);
  const mean = raw.reduce((sum, value) => sum + value, 0) / 12;
  const season = raw.map((value) => value - mean);
  return { season, unrest: above.reduce((sum, value, k) => sum + (value - season[months[k]]) ** 2, 0) / above.length };
}

/** Mean of the twelve months around a month. */
function yearAround(level: Float64Array, t: number): number {
  let sum = (level[t - 6] + level[t + 6]) / 2;
  for (let k = t - 5; k <= t + 5; k++) sum += level[k];
  return sum / 12;
}
