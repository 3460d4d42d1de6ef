// The plans, exactly as published: one table that limits, metering, invoices, docs and the dashboard read.

export const PLAN_IDS = ['trial', 'builder', 'pro', 'scale', 'enterprise'] as const;
export type PlanId = (typeof PLAN_IDS)[number];

/** What calls are counted on; each has its own allowance and overage rate. */
export type MeterName = 'standard' | 'avm';

export interface Plan {
  id: PlanId;
  name: string;
  /** null: by contract. */
  priceCentsPerMonth: number | null;
  /** null: unlimited. */
  includedCalls: number | null;
  includedAvmCalls: number | null;
  rateLimitPerHour: number;
  /** null: no overage, the allowance is a hard cap (trial) or has no end (enterprise). */
  overageCentsPerCall: number | null;
  overageCentsPerAvmCall: number | null;
  batchAddresses: number;
  webhooks: number;
  uptimePercent: number | null;
  support: string;
  trialDays: number | null;
  /** Change feed and delivery to object storage. */
  delivery: boolean;
}

export const ANNUAL_DISCOUNT_PERCENT = 20;

const plan = (id: PlanId, name: string, rest: Omit<Plan, 'id' | 'name'>): Plan => ({ id, name, ...rest });

/** The published table says "n/a" for a trial's batches and webhooks, yet "all endpoints": decided as 10 and 1. */
export const PLANS: Record<PlanId, Plan> = {
  trial: plan('trial', 'Trial', {
    priceCentsPerMonth: 0,
    includedCalls: 1_000,
    includedAvmCalls: 25,
    rateLimitPerHour: 50,
    overageCentsPerCall: null,
    overageCentsPerAvmCall: null,
    batchAddresses: 10,
    webhooks: 1,
    uptimePercent: null,
    support: 'email',
    trialDays: 14,
    delivery: false,
  }),
  builder: plan('builder', 'Builder', {
    priceCentsPerMonth: 29_900,
    includedCalls: 10_000,
    includedAvmCalls: 500,
    rateLimitPerHour: 200,
    overageCentsPerCall: 5,
    overageCentsPerAvmCall: 15,
    batchAddresses: 100,
    webhooks: 5,
    uptimePercent: 99.5,
    support: 'email',
    trialDays: null,
    delivery: false,
  }),
  pro: plan('pro', 'Pro', {
    priceCentsPerMonth: 79_900,
    includedCalls: 100_000,
    includedAvmCalls: 5_000,
    rateLimitPerHour: 1_000,
    overageCentsPerCall: 3,
    overageCentsPerAvmCall: 10,
    batchAddresses: 1_000,
    webhooks: 25,
    uptimePercent: 99.9,
    support: 'priority, 4-hour target',
    trialDays: null,
    delivery: false,
  }),
  scale: plan('scale', 'Scale', {
    priceCentsPerMonth: 149_900,
    includedCalls: 500_000,
    includedAvmCalls: 25_000,
    rateLimitPerHour: 3_000,
    overageCentsPerCall: 2,
    overageCentsPerAvmCall: 8,
    batchAddresses: 1_000,
    webhooks: 100,
    uptimePercent: 99.95,
    support: 'dedicated',
    trialDays: null,
    delivery: false,
  }),
  enterprise: plan('enterprise', 'Enterprise', {
    priceCentsPerMonth: null,
    includedCalls: null,
    includedAvmCalls: null,
    rateLimitPerHour: 10_000,
    overageCentsPerCall: null,
    overageCentsPerAvmCall: null,
    batchAddresses: 10_000,
    webhooks: 500,
    uptimePercent: 99.95,
    support: 'by contract',
    trialDays: null,
    delivery: true,
  }),
};

/** Sandbox keys have a limit of their own, the same on every plan. */
export const SANDBOX_RATE_LIMIT_PER_HOUR = 1_000;

/** What a contract changes in a plan's terms; members as in the plan. */
export type Contract = Partial<
  Pick<
    Plan,
    | 'priceCentsPerMonth'
    | 'includedCalls'
    | 'includedAvmCalls'
    | 'rateLimitPerHour'
    | 'overageCentsPerCall'
    | 'overageCentsPerAvmCall'
    | 'batchAddresses'
    | 'webhooks'
    | 'uptimePercent'
    | 'support'
    | 'delivery'
  >
> & { sandboxRateLimitPerHour?: number };

export type Terms = Plan & { sandboxRateLimitPerHour: number };

/** The terms an account has: its plan's, as its contract changes them. */
export function termsOf(account: { plan: PlanId; contract: Contract | null }): Terms {
  return { sandboxRateLimitPerHour: SANDBOX_RATE_LIMIT_PER_HOUR, ...PLANS[account.plan], ...account.contract };
}

export interface MeterTerms {
  /** null: unlimited. */
  included: number | null;
  /** null: nothing beyond the allowance is sold. */
  overageCents: number | null;
  isHardCapped: boolean;
}

export function meterTerms(terms: Terms, meter: MeterName): MeterTerms {
  const included = meter === 'avm' ? terms.includedAvmCalls : terms.includedCalls;
  const overageCents = meter === 'avm' ? terms.overageCentsPerAvmCall : terms.overageCentsPerCall;
  return { included, overageCents, isHardCapped: included !== null && overageCents === null };
}

/** Units a month includes by meter, counted from its start. */
export interface Allowance {
  month_start: string;
  standard: number | null;
  avm: number | null;
}

/** What is included in a period: the plan's allowance, or what a change of plan in this month made of it. */
export function includedIn(
  account: { plan: PlanId; contract: Contract | null; allowance: Allowance | null },
  meter: MeterName,
  periodStart: Date,
): number | null {
  const { allowance } = account;
  if (allowance?.month_start === periodStart.toISOString()) return allowance[meter];
  return meterTerms(termsOf(account), meter).included;
}
