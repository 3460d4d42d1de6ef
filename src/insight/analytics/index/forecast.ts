// Twelve-month forecast from the observations behind an index. Pure.
import { varianceBetween, type Observations, type Path } from './state-space.ts';
import { expectGrowth, followTrend, type TrendModel } from './trend.ts';

export const MONTHS_AHEAD = 12;

/** Cumulative log growth from the last month, by month ahead, with its standard deviation. */
export interface Forecast {
  growth: number[];
  deviation: number[];
}

/** Trends of metropolitan areas, fitted to FHFA's index of 404 of them from 1985 to 2004 and tested on the years since
    (`npm run bench -- analytics`): a quarter's growth keeps nine tenths of its deviation from the usual one. */
export const METRO_TRENDS: TrendModel = {
  usual: 0.0115 / 3,
  memory: 0.9031 ** (1 / 3),
  levelStep: 6.1e-5 / 3,
  trendStep: 4.9e-5 / 27,
  firstTrend: 0.005 ** 2,
};
/** Sales of a market share shocks that the smoother does not model. With the market's variance inflated by this factor,
    indexes of two random halves of the homes differ by as much as their bands predict (`npm run bench -- analytics`). */
export const MARKET_WIDTH = 1.8;
/**
 * Seasonal factors of log price by calendar month, measured on the two markets with years of sales: highest in June,
 * lowest around the turn of the year.
 */
export const SEASONS = {
  seattle: [-0.027, -0.015, -0.0055, 0.0085, 0.017, 0.0182, 0.0128, 0.0081, 0.0056, 0.0009, -0.0039, -0.0198],
  milwaukee: [-0.0265, -0.0161, 0.0021, 0.0111, 0.0177, 0.0266, 0.0205, 0.0137, 0.0055, -0.0042, -0.018, -0.0325],
};
const USUAL_SEASON = SEASONS.seattle.map((above, month) => (above + SEASONS.milwaukee[month]) / 2);
/** Prior weight of the usual season, in years. */
const USUAL_YEARS = 3;
/** Years needed to separate a season from a trend. */
const SEASON_YEARS = 3;
/** Standard deviation of months around year and season, if there is too little data to estimate it. */
const USUAL_VARIATION = 0.01;

/** `first` is the number of the first month, for the season; `usual` is the prior season. */
export function forecastMarket(seen: Observations, path: Path, first: number, usual = USUAL_SEASON): Forecast {
  const { level } = path;
  const { season, variation } = seasonOf(path, first, usual);
  const at = (t: number) => season[(first + t) % 12];
  const mean = seen.mean.map((value, t) => value - at(t));
  const last = level.length - 1;
  const state = followTrend({ mean, variance: seen.variance }, METRO_TRENDS);
  const expected = expectGrowth(state, METRO_TRENDS, MONTHS_AHEAD);
  // The forecast starts from the smoothed level, which the index shows, not from the filtered one.
  const start = state.level - (level[last] - at(last));
  return {
    growth: expected.map(({ growth }, k) => start + growth + at(last + 1 + k) - at(last)),
    deviation: expected.map(({ variance }) => Math.sqrt(MARKET_WIDTH * (variance + variation))),
  };
}

/** An area keeps its offset from the market; the random walk of that offset widens the forecast. */
export function forecastArea(market: Forecast, below: { path: Path; walk: number }[]): Forecast {
  const added = below.map(({ path, walk }) => {
    const last = path.level.length - 1;
    return { now: varianceBetween(path, Math.max(0, last - MONTHS_AHEAD), last), walk };
  });
  return {
    growth: market.growth,
    deviation: market.deviation.map((deviation, k) =>
      Math.sqrt(added.reduce((sum, { now, walk }) => sum + now + (k + 1) * walk, deviation ** 2)),
    ),
  };
}

/** By calendar month, the level's deviation from the surrounding year, and the variance around both. */
function seasonOf({ level, variance }: Path, first: number, usual: readonly number[]) {
  // Smoothing removes variance; this adds it back.
  const smoothed = variance.reduce((sum, value) => sum + value, 0) / variance.length;
  if (level.length < 12 * SEASON_YEARS)
    return { season: Float64Array.from(usual), variation: USUAL_VARIATION ** 2 + smoothed };
  const above = Float64Array.from(level.subarray(6, -6), (value, k) => value - yearAround(level, k + 6));
  const months = above.map((_, k) => (first + k + 6) % 12);
  const sums = Float64Array.from(usual, (value) => USUAL_YEARS * value);
  const counts = new Float64Array(12).fill(USUAL_YEARS);
  for (const [k, month] of months.entries()) {
    sums[month] += above[k];
    counts[month]++;
  }
  const raw = sums.map((sum, month) => sum / counts[month]);
  const mean = raw.reduce((sum, value) => sum + value, 0) / 12;
  const season = raw.map((value) => value - mean);
  const around = above.reduce((sum, value, k) => sum + (value - season[months[k]]) ** 2, 0) / above.length;
  return { season, variation: around + smoothed };
}

/** Mean of the twelve months around a month. */
function yearAround(level: Float64Array, t: number): number {
  let sum = (level[t - 6] + level[t + 6]) / 2;
  for (let k = t - 5; k <= t + 5; k++) sum += level[k];
  return sum / 12;
}
