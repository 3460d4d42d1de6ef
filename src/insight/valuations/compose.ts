// Composes the response from a model and its inputs. Pure, so that a receipt replays to the same bytes.
import { rounded } from '../../base/lib/figures.ts';
import { worthByLine, lineNames } from '../avm/adjustments.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import { appraise, logLevelOf, type Appraisal } from '../avm/appraise.ts';
import type { Attributes } from '../avm/attributes.ts';
import { explain } from './grid/explanation.ts';
import { buildAdjustments, indicatedValue, type ChosenSale } from './grid/grid.ts';
import { confidenceOf, spreadAt, type Quantiles } from '../avm/interval.ts';
import type { Model } from '../avm/model.ts';
import { presentComparable } from './grid/present-comparable.ts';
import type { ComparablesBasis } from './grid/schema.ts';
import type { Resolution, Valuation, Warning } from './schema.ts';

/** Everything a response is computed from, as plain JSON, stored in the receipt. NaN is written as null. */
export type Inputs = {
  id: string;
  propertyId: string | null;
  market: string;
  asOf: string;
  marketDay: number;
  level: number;
  /** The feature vector. */
  row: (number | null)[];
  /** Outputs of the learned comparables, if the model has them. */
  reports?: number[];
  attributes: Attributes;
  missing: string[];
  /** The largest distance of an attribute outside the market's usual range, in range widths; 0 if none is outside. */
  beyond: number;
  intervalLevel: number;
  quantiles: Quantiles;
  nearby: number;
  comparables: Omit<ChosenSale, 'parts'>[];
  comparablesBasis: ComparablesBasis;
  errorBasis: Valuation['error_basis'];
  resolution: Resolution;
  warnings: Warning[];
  history?: Valuation['history'];
  include: { comparables: boolean; explanation: boolean };
  snapshot: string;
};

function toRow(values: (number | null)[]): Float32Array {
  const row = new Float32Array(values.length);
  for (let k = 0; k < row.length; k++) row[k] = values[k] ?? NaN;
  return row;
}

export function fromRow(row: Float32Array): (number | null)[] {
  const values: (number | null)[] = [];
  for (const value of row) values.push(Number.isNaN(value) ? null : value);
  return values;
}

/** Results already computed by the caller; a replay recomputes them from the inputs. */
export type AtHand = { appraisal: Appraisal; comparables: ChosenSale[] };

export function compose(model: Model, inputs: Inputs, atHand?: AtHand): Valuation {
  const row = toRow(inputs.row);
  const reading = {
    row,
    ...(inputs.reports && { reports: Float32Array.from(inputs.reports) }),
    attributes: inputs.attributes,
    day: dayNumber(inputs.asOf),
    marketDay: inputs.marketDay,
    level: inputs.level,
    missing: inputs.missing,
    beyond: inputs.beyond,
  };
  const appraisal = atHand?.appraisal ?? appraise(model, reading);
  const value = Math.round(Math.exp(appraisal.logValue));
  const { low, high, fsd, within10, medianError } = spreadAt(appraisal.sigma, inputs.quantiles);
  const confidence = confidenceOf(fsd, inputs);
  const interval = {
    low: Math.round(value * Math.exp(low)),
    high: Math.round(value * Math.exp(high)),
    level: inputs.intervalLevel,
  };
  const { own, lines } = buildAdjustments(model, reading, atHand?.comparables ?? inputs.comparables);
  const worth = worthByLine(model, own);
  return {
    object: 'valuation',
    id: inputs.id,
    property_id: inputs.propertyId,
    estimated_value: value,
    confidence,
    confidence_interval: interval,
    confidence_score: rounded(within10, 3),
    fsd: rounded(fsd, 4),
    median_error_rate: rounded(medianError, 4),
    error_basis: inputs.errorBasis,
    model_version: model.version,
    as_of: inputs.asOf,
    resolution: inputs.resolution,
    ...(inputs.include.comparables && {
      comparables: inputs.comparables.map((sale, k) => presentComparable(inputs, sale, lines[k])),
      comparables_basis: inputs.comparablesBasis,
    }),
    ...(inputs.include.explanation && {
      explanation: explain({
        value,
        typicalValue: Math.round(Math.exp(model.center + logLevelOf(model, reading))),
        parts: lineNames(model).map((name, k): [string, number] => [name, worth[k]]),
        indicated: lines.length === 0 ? null : indicatedValue(lines),
        comparables: lines.length,
        nearby: inputs.nearby,
        widened: inputs.comparablesBasis.widened,
        confidence,
        ...interval,
      }),
    }),
    ...(inputs.history && { history: inputs.history }),
    warnings: inputs.warnings,
  };
}
