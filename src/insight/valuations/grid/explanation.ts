// Explains an estimate in words and numbers; every dollar column adds up to the estimate.
import { dollars } from '../../avm/card.ts';
import type { Confidence } from '../../avm/interval.ts';
import type { ComparablesBasis, Explanation } from './schema.ts';
import words from './words.json' with { type: 'json' };

type Step = Explanation['contributions'][number];

type Rule = ComparablesBasis['widened'][number];
const WORDS: Record<string, string> = words.parts;
const BEYOND: Record<Rule, string> = words.beyond;

type Explained = {
  value: number;
  typicalValue: number;
  parts: Array<[string, number]>;
  indicated: number | null;
  comparables: number;
  nearby: number;
  /** Rules that some comparables do not meet, because too few sales do. */
  widened: Rule[];
  confidence: Confidence;
  low: number;
  high: number;
  level: number;
};

/**
 * `parts` are log contributions relative to the typical home, applied one after another so that the dollars add up.
 */
export function explain(input: Explained): Explanation {
  const contributions: Step[] = [{ label: 'typical_home', amount: input.typicalValue }];
  let log = Math.log(input.typicalValue);
  let before = input.typicalValue;
  for (const [label, step] of input.parts) {
    log += step;
    const after = Math.round(Math.exp(log));
    contributions.push({ label, amount: after - before });
    before = after;
  }
  contributions.push({ label: 'nearby_sales_and_details', amount: input.value - before });
  const modelAdjustment = input.indicated === null ? 0 : input.value - input.indicated;
  return {
    summary: summarize(input, contributions, modelAdjustment),
    reconciliation: {
      comparables_indicated_value: input.indicated,
      model_adjustment: modelAdjustment,
      estimated_value: input.value,
    },
    contributions,
  };
}

function summarize(input: Explained, contributions: Step[], modelAdjustment: number): string {
  const strongest = contributions
    .filter((step) => step.label in WORDS)
    .toSorted((a, b) => Math.abs(b.amount) - Math.abs(a.amount))
    .slice(0, 3)
    .map(
      (step) =>
        `${WORDS[step.label]} ${step.amount >= 0 ? 'adds' : 'subtracts'} about ${dollars(Math.abs(step.amount))}`,
    );
  const opening =
    input.indicated === null
      ? `The home is valued at ${dollars(input.value)}.`
      : `${input.comparables} similar homes sold nearby, adjusted to match this one, indicate ${dollars(input.indicated)}` +
        (modelAdjustment === 0
          ? ', and the model agrees.'
          : `; the model, which weighs ${input.nearby} nearby sales, ${modelAdjustment > 0 ? 'adds' : 'subtracts'} ` +
            `${dollars(Math.abs(modelAdjustment))} for a value of ${dollars(input.value)}.`);
  const against =
    strongest.length > 0
      ? ` Compared with the market's typical home at ${dollars(input.typicalValue)}, ${strongest.join(', ')}.`
      : '';
  const range = ` The ${Math.round(input.level * 100)}% interval is ${dollars(input.low)} to ${dollars(input.high)}.`;
  const beyond = input.widened.map((rule) => BEYOND[rule]).join(' or ');
  const rules = beyond === '' ? '' : ` Too few sales met every rule for comparables, so some are ${beyond}.`;
  return opening + rules + against + range;
}
