// Adjusts area rents to a home: by bedrooms, by its value relative to its neighbors and, if there are leases, by their
// deviation from the areas. Pure.
import type { RentAccuracy } from './schema.ts';

/** The layers of HUD and of the Census Bureau; both publish gross rents. */
export const RENT_LAYERS = { small_area_rents: 'zip', tract_rents: 'tract' } as const;

/** Assumed until there are leases: between 0 (equal rents in an area) and 1 (equal yields). */
const ELASTICITY = 0.5;
/** Standard deviation of log rents of homes of one size in one area. Also an assumption. */
const SPREAD = 0.22;
/** z-score of an 80% interval. */
const DEVIATIONS = 1.2816;
export const LEVEL = 0.8;
/** HUD adds this share of the four-bedroom rent for each additional bedroom. */
const FURTHER_BEDROOM = 0.15;
const [LEAST_RELATIVE, MOST_RELATIVE] = [0.4, 2.5];

/** The log difference between the leases of a market and their areas. */
export interface Fit {
  level: number;
  elasticity: number;
  /** Per year, since `from`. */
  trend: number;
  from: number;
}
export interface Calibration {
  fit: Fit;
  /** 10th and 90th percentiles of the log errors on held-out leases. */
  low: number;
  high: number;
  accuracy: RentAccuracy;
}

type Vals = Readonly<Record<string, unknown>>;

/** The published rent for a number of bedrooms. */
export function rentOfSize(layer: keyof typeof RENT_LAYERS, vals: Vals, bedrooms: number | null) {
  const at = (name: string) => (typeof vals[name] === 'number' && vals[name] > 0 ? vals[name] : undefined);
  if (layer === 'tract_rents') {
    const size = bedrooms === null ? undefined : at(`bedrooms_${Math.min(bedrooms, 5)}`);
    const rent = size ?? at('median');
    return rent === undefined ? undefined : { rent, bedrooms: size === undefined ? null : bedrooms };
  }
  if (bedrooms === null) return undefined;
  const rent = at(`bedrooms_${Math.min(bedrooms, 4)}`);
  return rent === undefined ? undefined : { rent: rent * (1 + FURTHER_BEDROOM * Math.max(0, bedrooms - 4)), bedrooms };
}

export const relativeValue = (value: number | null, areaValue: number | null): number | null =>
  value === null || areaValue === null ? null : Math.min(MOST_RELATIVE, Math.max(LEAST_RELATIVE, value / areaValue));

/** The mean log rent of the areas. */
export const logOfAreas = (rents: readonly number[]): number =>
  rents.reduce((sum, rent) => sum + Math.log(rent), 0) / rents.length;

export const ASSUMED: Fit = { level: 0, elasticity: ELASTICITY, trend: 0, from: 0 };

export const predict = (fit: Fit, logArea: number, relative: number | null, day: number): number =>
  logArea + fit.level + fit.elasticity * Math.log(relative ?? 1) + fit.trend * ((day - fit.from) / 365.25);

/** One unit's monthly rent with its interval. */
export function estimateUnit(
  rents: readonly number[],
  { relative, isSized, day }: { relative: number | null; isSized: boolean; day: number },
  calibration: Calibration | undefined,
): { rent: number; low: number; high: number } {
  const log = predict(calibration?.fit ?? ASSUMED, logOfAreas(rents), relative, day);
  // The interval is wider if the home's size or value is unknown, or the areas disagree.
  const known = Math.hypot(SPREAD, isSized ? 0 : 0.2, relative === null ? 0.15 : 0);
  const assumed = Math.hypot(known, rents.length > 1 ? Math.log(rents[0] / rents[1]) / 2 : 0.1) * DEVIATIONS;
  const [low, high] = calibration
    ? [calibration.low, calibration.high].map((end) => (end * known) / SPREAD)
    : [-assumed, assumed];
  return { rent: Math.exp(log), low: Math.exp(log + low), high: Math.exp(log + high) };
}
