// The limits of calls as rows: whose calls are counted together, how many are admitted, and in which window. Admission,
// response headers and docs read them from here. A further limit of a plan or a contract is one more row in its `limits`.
import { termsOf, type Budget, type Plan, type PlanLimit, type Terms } from './plans.ts';
import type { AccountRow, KeyRow } from './sql.ts';

/** A limit that applies to a call. */
export interface Limit extends PlanLimit {
  /** Calls of the same subject are counted together. */
  subject: string;
}

type Counted = 'calls' | Budget;
type LimitedKey = Pick<KeyRow, 'mode' | 'first_id' | 'rate_limit_per_hour'>;
type Payer = { account: AccountRow; key: LimitedKey };

interface LimitRow extends Pick<Limit, 'name'> {
  counts: Counted;
  subject(caller: Payer): string;
  /** null: no limit of this kind. */
  amount(terms: Terms, caller: Payer): number | null;
}

const HOUR_SECONDS = 3_600;

/** The limits of an hour that every plan has; the plan or the key says how much. */
const LIMITS: readonly LimitRow[] = [
  {
    name: 'hourly',
    counts: 'calls',
    subject: ({ account, key }) => `${account.id}:${key.mode}`,
    amount: (terms, { key }) => (key.mode === 'live' ? terms.rateLimitPerHour : terms.sandboxRateLimitPerHour),
  },
  {
    name: 'key',
    counts: 'calls',
    subject: ({ key }) => key.first_id,
    amount: (_terms, { key }) => key.rate_limit_per_hour,
  },
  {
    name: 'tiles',
    counts: 'tiles',
    subject: ({ account }) => `${account.id}:tiles`,
    amount: (terms) => terms.tilesPerHour,
  },
  {
    name: 'free_reads',
    counts: 'freeReads',
    subject: ({ account }) => `${account.id}:free_reads`,
    amount: (terms) => terms.freeReadsPerHour,
  },
];

/** Every limit that a call of this kind must fit into. */
export function limitsOf(caller: Payer, counts: Counted): Limit[] {
  const { account, key } = caller;
  const terms = termsOf(account);
  const limits = LIMITS.filter((row) => row.counts === counts).flatMap((row): Limit[] => {
    const amount = row.amount(terms, caller);
    return amount === null
      ? []
      : [{ name: row.name, windowSeconds: HOUR_SECONDS, subject: row.subject(caller), amount }];
  });
  if (counts !== 'calls' || key.mode !== 'live') return limits;
  const further = (terms.limits ?? []).map((row) => ({ ...row, subject: `${account.id}:live:${row.name}` }));
  return [...limits, ...further];
}

/** The limits of calls that a plan publishes. */
export const planLimits = (plan: Plan): PlanLimit[] => [
  { name: 'hourly', amount: plan.rateLimitPerHour, windowSeconds: HOUR_SECONDS },
  ...(plan.limits ?? []),
];

export const perWindow = (seconds: number): string =>
  ({ 1: 'per second', 60: 'per minute', [HOUR_SECONDS]: 'per hour' })[seconds] ?? `per ${seconds} s`;

export function describeLimit({ name, amount, windowSeconds }: PlanLimit): string {
  const per = perWindow(windowSeconds);
  if (name === 'tiles') return `The plan includes ${amount} live tiles ${per}.`;
  if (name === 'free_reads') return `The plan includes ${amount} live counts and suggestions ${per}.`;
  return `${name === 'key' ? 'This key' : 'The account'} is limited to ${amount} calls ${per}.`;
}
