// What a served valuation states of the home, and what it has to state of a sale that was tested: the same.
import { rounded } from '../src/base/lib/figures.ts';
import type { Valuation } from '../src/insight/valuations/schema.ts';
import type { TestedSale } from '../src/insight/training/back-test.ts';

type Stated = Pick<Valuation, 'estimated_value' | 'confidence' | 'confidence_interval' | 'fsd' | 'median_error_rate'>;

export const statedBy = (valuation: Valuation): Stated => {
  const { estimated_value, confidence, confidence_interval, fsd, median_error_rate } = valuation;
  return { estimated_value, confidence, confidence_interval, fsd, median_error_rate };
};

export function statedByTest({ value: exact, low, high, label, fsd, statedError }: TestedSale): Stated {
  const value = Math.round(exact);
  return {
    estimated_value: value,
    confidence: label,
    confidence_interval: {
      low: Math.round(value * Math.exp(low)),
      high: Math.round(value * Math.exp(high)),
      level: 0.8,
    },
    fsd: rounded(fsd, 4),
    median_error_rate: rounded(statedError, 4),
  };
}
