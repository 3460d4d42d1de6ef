// Composes the response from a model and everything it was given: pure, so that a receipt replays to the same bytes.
import { dayNumber, isoDate } from '../lib/clock.ts';
import { appraise, logLevelOf, type Appraisal } from '../avm/appraise.ts';
import type { Attributes } from '../avm/attributes.ts';
import { explain, type Explanation } from './explanation.ts';
import { buildAdjustments, indicatedValue, type ChosenSale, type GridLine } from './grid.ts';
import { labelOf, type Confidence, type Quantiles } from '../avm/interval.ts';
import type { Model } from '../avm/model.ts';
import type { Comparable, Resolution, Valuation, Warning } from './schema.ts';

/** Everything a response is computed from, as plain JSON, stored in the receipt. NaN is written as null. */
export type Inputs = {
  id: string;
  propertyId: string | null;
  market: string;
  asOf: string;
  marketDay: number;
  level: number;
  /** What the models read. */
  row: (number | null)[];
  /** What the learned comparables reported, where the model has such. */
  reports?: number[];
  attributes: Attributes;
  missing: string[];
  /** Factor on the error where an attribute lies outside the market's usual range. */
  unusualFactor: number;
  intervalLevel: number;
  quantiles: Quantiles;
  nearby: number;
  comparables: (Omit<ChosenSale, 'row' | 'parts'> & { row: PackedRow; parts?: undefined })[];
  errorBasis: Valuation['error_basis'] & { medianError: number };
  resolution: Resolution;
  warnings: Warning[];
  history?: Valuation['history'];
  include: { comparables: boolean; explanation: boolean };
  snapshot: string;
};

/**
 * The row of a comparable in base64, four bytes per number: as decimals, ten rows took longer to write than the rest
 * of the receipt. Migrated receipts have plain numbers.
 */
type PackedRow = string | (number | null)[];

const KM_PER_MILE = 1.609344;
/** With fewer sales nearby, a value is never better than low confidence. */
const MIN_NEARBY = 5;

export function packRow({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

function toRow(values: PackedRow): Float32Array {
  if (typeof values === 'string') return new Float32Array(Uint8Array.from(Buffer.from(values, 'base64')).buffer);
  const row = new Float32Array(values.length);
  for (let k = 0; k < row.length; k++) row[k] = values[k] ?? NaN;
  return row;
}

export function fromRow(row: Float32Array): (number | null)[] {
  const values: (number | null)[] = [];
  for (const value of row) values.push(Number.isNaN(value) ? null : value);
  return values;
}

/** What the caller that made the inputs has already computed; a replay computes it from them. */
export type AtHand = { appraisal: Appraisal; comparables: ChosenSale[] };

export function compose(model: Model, inputs: Inputs, atHand?: AtHand): Valuation {
  const row = toRow(inputs.row);
  const reading = {
    row,
    ...(inputs.reports && { reports: Float32Array.from(inputs.reports) }),
    day: dayNumber(inputs.asOf),
    marketDay: inputs.marketDay,
    level: inputs.level,
    missing: inputs.missing,
  };
  const appraisal = atHand?.appraisal ?? appraise(model, reading);
  const sigma = appraisal.sigma * inputs.unusualFactor;
  const value = Math.round(Math.exp(appraisal.logValue));
  const { low, high, p16, p84, within10 } = inputs.quantiles;
  const fsd = (Math.exp(sigma * p84) - Math.exp(sigma * p16)) / 2;
  const confidence: Confidence = inputs.nearby < MIN_NEARBY ? 'low' : labelOf(fsd);
  const interval = {
    low: Math.round(value * Math.exp(Math.min(0, sigma * low))),
    high: Math.round(value * Math.exp(Math.max(0, sigma * high))),
    level: inputs.intervalLevel,
  };
  const sales = atHand?.comparables ?? inputs.comparables.map((sale) => ({ ...sale, row: toRow(sale.row) }));
  const { own, lines } = buildAdjustments(model, reading, sales);
  const { medianError, ...errorBasis } = inputs.errorBasis;
  return {
    object: 'valuation',
    id: inputs.id,
    property_id: inputs.propertyId,
    estimated_value: value,
    confidence,
    confidence_interval: interval,
    confidence_score: round(within10, 3),
    fsd: round(fsd, 4),
    median_error_rate: round(inputs.quantiles.medianError ?? medianError, 4),
    error_basis: errorBasis,
    model_version: model.version,
    as_of: inputs.asOf,
    resolution: inputs.resolution,
    ...(inputs.include.comparables && {
      comparables: inputs.comparables.map((sale, k) => presentLine(inputs.attributes, sale, lines[k])),
    }),
    ...(inputs.include.explanation && {
      explanation: explanationOf({ model, inputs, reading, own, lines, value, confidence, interval }),
    }),
    ...(inputs.history && { history: inputs.history }),
    warnings: inputs.warnings,
  };
}

function explanationOf(of: {
  model: Model;
  inputs: Inputs;
  reading: { day: number; marketDay: number; level: number };
  own: Float64Array;
  lines: GridLine[];
  value: number;
  confidence: Confidence;
  interval: { low: number; high: number; level: number };
}): Explanation {
  const { model, lines } = of;
  return explain({
    value: of.value,
    typicalValue: Math.round(Math.exp(model.center + logLevelOf(model, of.reading))),
    parts: model.additive.map((part, p): [string, number] => [part.name, of.own[p]]),
    indicated: lines.length === 0 ? null : indicatedValue(lines),
    comparables: lines.length,
    nearby: of.inputs.nearby,
    confidence: of.confidence,
    ...of.interval,
  });
}

export function presentLine(subject: Attributes, sale: Omit<ChosenSale, 'row' | 'parts'>, line: GridLine): Comparable {
  const a = sale.attributes;
  const soldOn = isoDate(new Date(sale.soldDay * 86_400_000));
  return {
    property_id: sale.propertyId,
    address: sale.address,
    latitude: a.latitude,
    longitude: a.longitude,
    sale_price: sale.priceUsd,
    sale_date: soldOn,
    distance_miles: round(sale.km / KM_PER_MILE, 2),
    similarity: round(sale.similarity, 3),
    weight: sale.weight,
    sqft: a.sqft,
    bedrooms: a.bedrooms,
    bathrooms: a.bathrooms,
    lot_sqft: a.lotSqft,
    year_built: a.yearBuilt,
    price_per_sqft: a.sqft === null ? null : round(sale.priceUsd / a.sqft, 0),
    adjustments: line.adjustments.map(({ feature, amount }) => ({
      feature,
      subject: describe(feature, subject),
      comparable: feature === 'market_change' ? soldOn : describe(feature, a),
      amount,
    })),
    adjusted_price: line.adjustedPrice,
  };
}

/** The feature of one home, for display next to the other's. */
function describe(feature: string, a: Attributes): string | null {
  const words = (...parts: (string | number | null)[]): string | null =>
    parts.filter((part) => part !== null && part !== '').join(', ') || null;
  switch (feature) {
    case 'market_change':
      return null;
    case 'location':
      return words(a.neighborhood, a.zip);
    case 'living_area':
      return a.sqft === null ? null : `${a.sqft} sqft`;
    case 'lot_size':
      return a.lotSqft === null ? null : `${a.lotSqft} sqft`;
    case 'age':
      return words(a.yearBuilt);
    case 'bedrooms':
      return words(a.bedrooms);
    case 'bathrooms':
      return words(a.bathrooms);
    case 'condition':
      return a.condition;
    case 'quality':
      return a.quality;
    case 'type_and_style':
      return words(a.propertyType, a.style);
    case 'garage':
      return words(a.garageSpaces);
    default:
      return words(a.extras[feature] ?? null);
  }
}

export function round(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
