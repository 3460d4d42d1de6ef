// The plans exactly as published. Limits, metering, invoices, docs and the dashboard read this one table.
import { DAY_MS } from '../../base/lib/clock.ts';

export const PLAN_IDS = ['trial', 'builder', 'pro', 'scale', 'enterprise'] as const;
export type PlanId = (typeof PLAN_IDS)[number];

/** Meters that calls are counted on, each with its own allowance and overage rate. */
export type MeterName = 'standard' | 'avm';

/** Live data that is shown without a charge: map tiles, and counts and suggestions. */
export type Budget = 'tiles' | 'freeReads';

/** A limit of live calls beside those of the hour: `{ name: 'second', amount: 5, windowSeconds: 1 }`. */
export interface PlanLimit {
  /** As response headers name it. */
  name: string;
  amount: number;
  windowSeconds: number;
}

export interface Plan {
  id: PlanId;
  name: string;
  /** null: by contract. */
  priceCentsPerMonth: number | null;
  /** null: unlimited. */
  includedCalls: number | null;
  includedAvmCalls: number | null;
  rateLimitPerHour: number;
  limits?: readonly PlanLimit[];
  /** null: no overage. The allowance is a hard cap (trial) or unlimited (enterprise). */
  overageCentsPerCall: number | null;
  overageCentsPerAvmCall: number | null;
  batchAddresses: number;
  webhooks: number;
  uptimePercent: number | null;
  support: string;
  trialDays: number | null;
  /** Live map tiles, without a charge. An hour with the map takes some 300. */
  tilesPerHour: number;
  /** Live counts and suggestions, without a charge. */
  freeReadsPerHour: number;
  /** Change feed and delivery to object storage. */
  delivery: boolean;
}

export const ANNUAL_DISCOUNT_PERCENT = 20;

const plan = (id: PlanId, name: string, rest: Omit<Plan, 'id' | 'name'>): Plan => ({ id, name, ...rest });

/** The published table says "n/a" for a trial's batches and webhooks, yet "all endpoints". We chose 10 and 1. */
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
    tilesPerHour: 500,
    freeReadsPerHour: 200,
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
    tilesPerHour: 2_000,
    freeReadsPerHour: 1_000,
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
    tilesPerHour: 10_000,
    freeReadsPerHour: 5_000,
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
    tilesPerHour: 30_000,
    freeReadsPerHour: 15_000,
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
    tilesPerHour: 100_000,
    freeReadsPerHour: 50_000,
    delivery: true,
  }),
};

/** Sandbox keys have their own limit, the same on every plan. */
const SANDBOX_RATE_LIMIT_PER_HOUR = 1_000;

/** A contract's changes to a plan's terms. The members are those of the plan. */
export type Contract = Partial<
  Pick<
    Plan,
    | 'priceCentsPerMonth'
    | 'includedCalls'
    | 'includedAvmCalls'
    | 'rateLimitPerHour'
    | 'limits'
    | 'overageCentsPerCall'
    | 'overageCentsPerAvmCall'
    | 'batchAddresses'
    | 'webhooks'
    | 'uptimePercent'
    | 'support'
    | 'delivery'
    | 'tilesPerHour'
    | 'freeReadsPerHour'
  >
> &
  Partial<Pick<Retention, 'exports' | 'exportRunsPerDay' | 'exportBytes'>> & {
    sandboxRateLimitPerHour?: number;
    sandboxExports?: number;
    sandboxExportRunsPerDay?: number;
    sandboxExportBytes?: number;
  };

export type Terms = Plan & { sandboxRateLimitPerHour: number };

/** An account's terms: those of its plan, as changed by its contract. */
export function termsOf(account: { plan: PlanId; contract: Contract | null }): Terms {
  return { sandboxRateLimitPerHour: SANDBOX_RATE_LIMIT_PER_HOUR, ...PLANS[account.plan], ...account.contract };
}

interface MeterTerms {
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

/** The allowance of a period: the plan's own, or the one that a plan change within the month left. */
export function includedIn(
  account: { plan: PlanId; contract: Contract | null; allowance: Allowance | null },
  meter: MeterName,
  periodStart: Date,
): number | null {
  const { allowance } = account;
  if (allowance?.month_start === periodStart.toISOString()) return allowance[meter];
  return meterTerms(termsOf(account), meter).included;
}

const MB = 1_000_000;
const GB = 1_000 * MB;

/** How much an account may store with us, and for how long. */
interface Retention {
  /** Export definitions, and runs of all of them in a day. */
  exports: number;
  exportRunsPerDay: number;
  /** Files of exports to a folder: bytes of one run and of all together, and days until they are deleted. */
  exportBytes: number;
  exportDays: number;
  /** Batches whose results are stored; beyond that the oldest results are deleted before their time. */
  batches: number;
  /** Receipts of valuations. null: as many as were paid for. */
  receipts: number | null;
  /** Receipts, and the reports that rest on them. */
  receiptDays: number;
  /** Stored reports. null: as many as were paid for. */
  reports: number | null;
  eventDays: number;
  requestDays: number;
}

const retention = (days: Pick<Retention, 'receiptDays' | 'requestDays'>, rest: Partial<Retention> = {}): Retention => ({
  exports: 20,
  exportRunsPerDay: 100,
  exportBytes: 10 * GB,
  exportDays: 14,
  batches: 1_000,
  receipts: null,
  reports: null,
  eventDays: 30,
  ...days,
  ...rest,
});

const RETENTION: Record<PlanId, Retention> = {
  trial: retention({ receiptDays: 90, requestDays: 30 }, { batches: 100 }),
  builder: retention({ receiptDays: 365, requestDays: 30 }),
  pro: retention({ receiptDays: 730, requestDays: 90 }),
  scale: retention({ receiptDays: 1_095, requestDays: 90 }, { batches: 10_000 }),
  enterprise: retention(
    { receiptDays: 2_555, requestDays: 365 },
    { exports: 100, exportRunsPerDay: 1_000, exportBytes: 1_000 * GB, exportDays: 30, batches: 10_000 },
  ),
};

/** The sandbox costs nothing and needs no card: what it stores is small, the same on every plan, and soon deleted. */
export const SANDBOX_RETENTION: Retention = retention(
  { receiptDays: 7, requestDays: 7 },
  {
    exports: 5,
    exportRunsPerDay: 10,
    exportBytes: 100 * MB,
    exportDays: 3,
    batches: 100,
    receipts: 2_000,
    reports: 200,
    eventDays: 7,
  },
);
/** Sandbox files of all accounts together; the oldest are deleted beyond it. */
export const SANDBOX_EXPORT_BYTES_IN_ALL = 5 * GB;

/** The retention of an account: its plan's numbers, as changed by its contract. */
export function retentionOf(
  { plan: id, contract }: { plan: PlanId; contract: Contract | null },
  mode: 'live' | 'test',
): Retention {
  const given = mode === 'test' ? SANDBOX_RETENTION : RETENTION[id];
  if (contract === null) return given;
  const own =
    mode === 'test'
      ? {
          exports: contract.sandboxExports,
          exportRunsPerDay: contract.sandboxExportRunsPerDay,
          exportBytes: contract.sandboxExportBytes,
        }
      : {
          exports: contract.exports,
          exportRunsPerDay: contract.exportRunsPerDay,
          exportBytes: contract.exportBytes,
        };
  return { ...given, ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) };
}

function retentionByPlan() {
  return PLAN_IDS.flatMap((id) =>
    (['live', 'test'] as const).map((mode) => ({
      plan: id,
      mode,
      retained: mode === 'test' ? SANDBOX_RETENTION : RETENTION[id],
    })),
  );
}

/** How many batches keep their results by plan and mode, as columns for a query. */
export function batchesByPlan() {
  const rows = retentionByPlan();
  return {
    plans: rows.map((row) => row.plan),
    modes: rows.map((row) => row.mode),
    most: rows.map((row) => row.retained.batches),
  };
}

/** The instants before which rows are deleted by plan and mode, as columns for a query. */
export function retentionCutoffs(days: 'exportDays' | 'receiptDays' | 'eventDays' | 'requestDays', now: Date) {
  const rows = retentionByPlan().map(({ plan: id, mode, retained }) => ({
    plan: id,
    mode,
    before: new Date(now.getTime() - retained[days] * DAY_MS),
  }));
  return {
    plans: rows.map((row) => row.plan),
    modes: rows.map((row) => row.mode),
    befores: rows.map((row) => row.before),
    /** No row younger than this is deleted. */
    latest: new Date(Math.max(...rows.map((row) => row.before.getTime()))),
  };
}

export type RetentionCutoffs = ReturnType<typeof retentionCutoffs>;
