// The plans exactly as published. Limits, metering, invoices, docs and the dashboard read this one table.
import { DAY_MS } from '../../base/lib/clock.ts';
import published from './plans.json' with { type: 'json' };

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

/** The published table says "n/a" for a trial's batches and webhooks, but also "all endpoints". We chose 10 and 1. */
export const PLANS = published as Record<PlanId, Plan>;

/** Sandbox keys have their own limit, the same on every plan. */
const SANDBOX_RATE_LIMIT_PER_HOUR = 1_000;

/** A contract's changes to a plan's terms. The members are those of the plan. */
export type Contract = Partial<Omit<Plan, 'id' | 'name' | 'trialDays'>> &
  Partial<Pick<Retention, 'exports' | 'exportRunsPerDay' | 'exportBytes'>> & {
    sandboxRateLimitPerHour?: number;
    sandboxExports?: number;
    sandboxExportRunsPerDay?: number;
    sandboxExportBytes?: number;
  };

export type Terms = Plan & { sandboxRateLimitPerHour: number };

/** An account's terms: those of its plan, as changed by its contract. */
export const termsOf = (account: { plan: PlanId; contract: Contract | null }): Terms => ({
  sandboxRateLimitPerHour: SANDBOX_RATE_LIMIT_PER_HOUR,
  ...PLANS[account.plan],
  ...account.contract,
});

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

/** The allowance of a period: the plan's own, or the remainder after a plan change within the month. */
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
  /** Batches with stored results; beyond that the oldest results are deleted early. */
  batches: number;
  /** Receipts of valuations. null: as many as were paid for. */
  receipts: number | null;
  /** Receipts and the reports based on them. */
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
  const isLive = mode === 'live';
  return {
    ...given,
    exports: (isLive ? contract.exports : contract.sandboxExports) ?? given.exports,
    exportRunsPerDay: (isLive ? contract.exportRunsPerDay : contract.sandboxExportRunsPerDay) ?? given.exportRunsPerDay,
    exportBytes: (isLive ? contract.exportBytes : contract.sandboxExportBytes) ?? given.exportBytes,
  };
}

const RETENTION_BY_PLAN = PLAN_IDS.flatMap((id) => [
  { plan: id, mode: 'live' as const, retained: RETENTION[id] },
  { plan: id, mode: 'test' as const, retained: SANDBOX_RETENTION },
]);
const [plans, modes] = [RETENTION_BY_PLAN.map(({ plan }) => plan), RETENTION_BY_PLAN.map(({ mode }) => mode)];

/** How many batches keep their results by plan and mode, as columns for a query. */
export const batchesByPlan = () => ({ plans, modes, most: RETENTION_BY_PLAN.map(({ retained }) => retained.batches) });

/** The instants before which rows are deleted by plan and mode, as columns for a query. */
export function retentionCutoffs(days: 'exportDays' | 'receiptDays' | 'eventDays' | 'requestDays', now: Date) {
  const befores = RETENTION_BY_PLAN.map(({ retained }) => new Date(now.getTime() - retained[days] * DAY_MS));
  /** No row younger than `latest` is deleted. */
  return { plans, modes, befores, latest: new Date(Math.max(...befores.map(Number))) };
}

export type RetentionCutoffs = ReturnType<typeof retentionCutoffs>;
