// A market's price index as stored, and price growth after its last known sales: recent growth fades to the usual
// rate, with growing uncertainty.

/** Log price level relative to the first day, on a grid of days. */
export type IndexCurve = { firstDay: number; stepDays: number; values: Float64Array };

/** Log level on a day: linear between grid points, flat outside them. */
export function indexAt(curve: IndexCurve, day: number): number {
  const at = (day - curve.firstDay) / curve.stepDays;
  const last = curve.values.length - 1;
  if (at <= 0) return curve.values[0];
  if (at >= last) return curve.values[last];
  const low = Math.floor(at);
  return curve.values[low] + (at - low) * (curve.values[low + 1] - curve.values[low]);
}

/**
 * Growth of log price in the last year known, and by month how far prices stand above or below the year around it
 * (empty where too few years are known).
 */
export type Drift = { lastYear: number; season: number[] };

/**
 * Fitted to FHFA's index of 404 metropolitan areas since 1985 (`npm run bench -- valuation drift`): what is left of
 * last year's growth falls by a factor of e in 1.2 years, and in four of five cases the level is off by less than
 * 1.28 × 3.7% a year.
 */
export const USUAL_GROWTH = 0.04;
const MEMORY_YEARS = 1.2;
const DEVIATION_PER_YEAR = 0.037;
/** The level that the forecast starts from is itself only an estimate; this counts in full after two months. */
const LAST_LEVEL_DEVIATION = 0.02;
const LEVEL_DAYS = 60;
const DAYS_PER_YEAR = 365.25;

/** Expected growth of log price from the last day whose price level is known to a later day. */
export function growthBetween(drift: Drift, from: number, to: number): number {
  if (to === from) return 0;
  return trendOver(drift.lastYear, to - from) + seasonOn(drift.season, to) - seasonOn(drift.season, from);
}

export function trendOver(lastYear: number, days: number): number {
  const years = days / DAYS_PER_YEAR;
  const remembered = MEMORY_YEARS * (1 - Math.exp(-years / MEMORY_YEARS));
  return USUAL_GROWTH * years + (lastYear - USUAL_GROWTH) * remembered;
}

/** Linear between the middles of months. */
function seasonOn(season: number[], day: number): number {
  if (season.length === 0) return 0;
  const month = monthOf(day) - 0.5;
  const before = Math.floor(month);
  const share = month - before;
  return (1 - share) * season[(before + 12) % 12] + share * season[(before + 1) % 12];
}

/** 0 … 12, by the share of the year that has passed. */
export function monthOf(day: number): number {
  const years = day / DAYS_PER_YEAR;
  return 12 * (years - Math.floor(years));
}

/** Standard deviation of that expectation. */
export function deviationOver(days: number): number {
  const years = days / DAYS_PER_YEAR;
  return Math.hypot(LAST_LEVEL_DEVIATION * Math.min(1, days / LEVEL_DAYS), DEVIATION_PER_YEAR * years);
}
