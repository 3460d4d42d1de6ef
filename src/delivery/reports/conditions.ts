// The conditions that a lender's rules can test, and their limits. Pure.
import { fail } from '../../base/lib/errors.ts';
import { CONDITION_PATTERN } from '../../supply/layers/condition.ts';
import type { LimitKind } from '../../supply/layers/layer.ts';
import { LAYER_NAMES, LAYER_RULES, type LayerRuleName } from '../../supply/layers/layers.ts';
import { nearestWord } from '../../base/lib/suggest.ts';
import { asRatio } from '../../base/lib/figures.ts';
import { PROPERTY_TYPES } from '../../records/properties/schema.ts';
import { TITLE_FLAGS } from '../../records/title/schema.ts';

const share = (most = 10): LimitKind => ({ kind: 'share', most });
const count = (most = 1_000): LimitKind => ({ kind: 'count', most });
const days = (most = 3_650): LimitKind => ({ kind: 'days', most });
const words = (list: readonly string[] | RegExp, isOptional = false): LimitKind => ({
  kind: 'words',
  words: list,
  isOptional,
});

export const LEVELS = ['low', 'medium', 'high'] as const;
/** Parts that a file can lack: the title, a risk layer, or something about the home. */
export const MISSABLE = ['title', ...LAYER_NAMES, 'attributes', 'comparables', 'market', 'existing_balance'] as const;

type Condition = readonly [limit: LimitKind, sentence: string];
const LAYER_CONDITIONS = Object.fromEntries(
  LAYER_RULES.map(({ rule, limit, sentence }): [string, Condition] => [rule, [limit, sentence]]),
) as Record<LayerRuleName, Condition>;

/** Each with the kind of its limit, and its test in words. */
const CONDITIONS = {
  confidence_below: [{ kind: 'level' }, 'the confidence is below {}'],
  fsd_above: [share(2), 'the forecast standard deviation is above {}'],
  interval_wider_than: [share(5), 'the interval is wider than {} of the value'],
  ltv_above: [share(), 'loan to value is above {}'],
  ltv_at_low_above: [share(), 'loan to the low end of the interval is above {}'],
  cltv_above: [share(), 'combined loan to value is above {}'],
  cltv_at_low_above: [share(), 'combined loan to the low end is above {}'],
  dscr_below: [share(), 'the rent covers less than {} of payment, taxes, insurance and dues'],
  payoff_not_covered: [{ kind: 'none' }, 'the loan or price does not cover the payoff of the mortgages on record'],
  price_outside_interval: [{ kind: 'none' }, 'the purchase price is outside of the interval of the value'],
  gross_adjustment_above: [share(), 'the comparables’ gross adjustment, averaged by weight, is above {}'],
  largest_gross_adjustment_above: [share(), 'the gross adjustment of a comparable is above {}'],
  net_adjustment_above: [share(), 'the comparables’ net adjustment, averaged by weight, is more than {} up or down'],
  comparables_fewer_than: [count(25), 'there are fewer than {} comparables'],
  comparables_widened: [{ kind: 'none' }, 'a rule for comparables had to be widened'],
  value_older_than_days: [days(), 'the value is older than {} days'],
  sales_older_than_days: [days(), 'the latest known sales are more than {} days older than the value'],
  prices_fell_more_than: [share(1), 'local prices fell by more than {} in a year'],
  ...LAYER_CONDITIONS,
  layer_matches: [words(CONDITION_PATTERN), 'a layer loaded by recipe meets {}'],
  open_mortgages_above: [count(), 'more than {} mortgages are open'],
  open_tax_liens_above: [count(), 'more than {} tax liens are open'],
  open_liens_above: [count(), 'more than {} other liens are open'],
  open_permits_above: [count(), 'more than {} permits are open'],
  open_violations_above: [count(), 'more than {} code violations are open'],
  title_flags: [words(TITLE_FLAGS, true), 'the title is flagged with {}'],
  property_type_in: [words(PROPERTY_TYPES), 'the home is of type {}'],
  data_missing: [words(MISSABLE), 'one of these is not known: {}'],
} as const satisfies Record<string, Condition>;

export type RuleName = keyof typeof CONDITIONS;
export const RULE_NAMES = Object.keys(CONDITIONS) as RuleName[];

const SAMPLES: Record<LimitKind['kind'], string> = {
  share: 'a share such as 0.8 for 80%',
  count: 'a whole number from 0',
  days: 'a whole number of days',
  level: 'medium or high',
  words: 'a list of words',
  none: 'no limit',
};

export const describeConditions = (): string =>
  RULE_NAMES.map((name) => {
    const [limit, sentence] = CONDITIONS[name];
    return `\`${name}\` (${SAMPLES[limit.kind]}): ${sentence.replace('{}', 'the limit')}.`;
  }).join(' ');

/** A rule in words: "loan to value is above 80%". */
export function ruleInWords({ when, limit }: { when: RuleName; limit?: number | string | string[] }): string {
  const [{ kind }, sentence] = CONDITIONS[when];
  if (limit === undefined) return sentence.replace('{}', 'anything');
  const words = [limit]
    .flat()
    .map((each) => (kind === 'share' ? asRatio(Number(each)) : String(each).replaceAll('_', ' ')));
  return sentence.replace('{}', words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words[0]);
}

/** Rejects rules whose limit does not fit their condition, with the position of each. */
export function checkRules(rules: readonly { when: RuleName; limit?: unknown }[]): void {
  const errors = rules.flatMap(({ when, limit }, at) => {
    const problem = problemOf(CONDITIONS[when][0], limit);
    return problem
      ? [{ pointer: `/body/rules/${at}/limit`, code: 'invalid_limit', detail: `of \`${when}\` ${problem}` }]
      : [];
  });
  if (errors.length > 0)
    fail('invalid_request', `${errors[0].pointer.slice(1).replaceAll('/', '.')} ${errors[0].detail}.`, { errors });
}

function problemOf(wanted: LimitKind, limit: unknown): string | undefined {
  switch (wanted.kind) {
    case 'none':
      return limit === undefined ? undefined : 'must be left out: there is nothing to compare with';
    case 'level':
      return limit === 'medium' || limit === 'high' ? undefined : 'must be `medium` or `high`';
    case 'share':
      if (typeof limit !== 'number') return 'must be a number: 0.8 is 80%';
      if (limit > wanted.most && limit <= wanted.most * 100)
        return `must be a share between 0 and ${wanted.most}: did you mean ${limit / 100} for ${limit}%?`;
      return limit >= 0 && limit <= wanted.most ? undefined : `must be a share between 0 and ${wanted.most}`;
    case 'count':
    case 'days': {
      const isWhole = typeof limit === 'number' && Number.isInteger(limit) && limit >= 0 && limit <= wanted.most;
      return isWhole ? undefined : `must be a whole number between 0 and ${wanted.most}`;
    }
    case 'words':
      return problemOfWords(wanted, limit);
  }
}

function problemOfWords(wanted: Extract<LimitKind, { kind: 'words' }>, limit: unknown): string | undefined {
  if (limit === undefined && wanted.isOptional) return undefined;
  if (!Array.isArray(limit) || limit.length === 0) return 'must be a list of at least one word';
  const { words: known } = wanted;
  if (known instanceof RegExp) {
    const odd = limit.find((word: string) => !known.test(word));
    const sample =
      known === CONDITION_PATTERN ? 'a condition such as `hazards.risk_score:60..`' : 'the name of a zone such as `AE`';
    return odd === undefined ? undefined : `has \`${odd}\`, which is not ${sample}`;
  }
  const unknown = limit.find((word: string) => !known.includes(word));
  if (unknown === undefined) return undefined;
  const near = nearestWord(unknown, known as string[]);
  return `has \`${unknown}\`, which is not one of ${known.join(', ')}${near ? `; did you mean \`${near}\`?` : ''}`;
}
