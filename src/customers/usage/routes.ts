// HTTP routes for usage, plans, the account and the request log. None of them is ever charged.
import Type, { type Static } from 'typebox';
import { visibleMode, type Caller } from '../accounts/accounts.ts';
import { nowOf } from '../accounts/clock-sql.ts';
import { planLimits } from '../accounts/limits.ts';
import { ANNUAL_DISCOUNT_PERCENT, PLANS, termsOf, type MeterName, type Plan } from '../accounts/plans.ts';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { addDays, DAY_MS, isoDate } from '../../base/lib/clock.ts';
import { presentPage, readPage, readSpan, spanPaging } from '../../base/lib/pages.ts';
import { fail } from '../../base/lib/errors.ts';
import { isoDay, oneOf, pageOf, strict, text } from '../../base/lib/schema.ts';
import { listRequests } from './journal-sql.ts';
import * as shape from './schema.ts';
import { readDetail, type RequestDetails } from './details.ts';
import { listDays } from './sql.ts';
import { readUsage, type MeterUsage, type Usage } from './usage.ts';
import { trialPeriod } from './periods.ts';

const MAX_DAYS = 92;

export function usageRoutes(app: App, deps: Deps, usage: Usage, details: RequestDetails): void {
  const reads = operationsOf('usage', { scope: 'usage:read', meter: 'none', openWhileSuspended: true });
  const ofAccount = operationsOf('usage', { scope: 'account:read', meter: 'none', openWhileSuspended: true });

  app.get(
    '/usage',
    reads('get_usage', 'Get current usage and limits', {
      querystring: strict({}),
      response: { 200: shape.UsageReport },
    }),
    async (request) => {
      await usage.flush();
      const { account } = request.caller;
      const { period, standard, avm, hour } = await readUsage(deps, account);
      const elapsed = Math.max(1, nowOf(deps, account).getTime() - period.start.getTime());
      const share = Math.min(1, elapsed / (period.end.getTime() - period.start.getTime()));
      return {
        object: 'usage' as const,
        plan: account.plan,
        period_start: period.start.toISOString(),
        period_end: period.end.toISOString(),
        standard,
        avm,
        hour: { ...hour, remaining: Math.max(0, hour.limit - hour.used) },
        projected_overage_cents:
          project(standard, termsOf(account).overageCentsPerCall, share) +
          project(avm, termsOf(account).overageCentsPerAvmCall, share),
      };
    },
  );

  app.get(
    '/usage/daily',
    reads('list_daily_usage', 'List usage by day, key and route', {
      querystring: strict({
        from: Type.Optional(isoDay({ description: 'First day, in UTC. Defaults to 30 days ago.' })),
        to: Type.Optional(isoDay({ description: 'Last day, in UTC. Defaults to today.' })),
      }),
      response: { 200: shape.DailyUsage },
    }),
    async (request) => {
      await usage.flush();
      const to = request.query.to ?? isoDate(nowOf(deps, request.caller.account));
      const from = request.query.from ?? addDays(to, -29);
      const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
      if (days < 1 || days > MAX_DAYS)
        fail('invalid_request', `Request between 1 and ${MAX_DAYS} days, with \`from\` no later than \`to\`.`);
      const rows = await listDays(deps.control, request.caller.account.id, new Date(from), new Date(addDays(to, 1)));
      const byDay = Map.groupBy(rows, (row) => row.day);
      const data = Array.from({ length: days }, (_, n) => addDays(from, n)).map((day) => {
        const own = byDay.get(day) ?? [];
        return {
          object: 'daily_usage' as const,
          day,
          ...sumMeters(own),
          by_key: [...Map.groupBy(own, (row) => row.key_id)].map(([key_id, group]) => ({
            key_id,
            ...sumMeters(group),
          })),
          by_route: [...Map.groupBy(own, (row) => row.route)].map(([route, group]) => ({ route, ...sumMeters(group) })),
        };
      });
      return pageOf(data, MAX_DAYS, null);
    },
  );

  app.get(
    '/account',
    ofAccount('get_account', 'Get the account and its plan', {
      querystring: strict({}),
      response: { 200: shape.AccountShape },
    }),
    async (request) => {
      const { account, key } = request.caller;
      const isTrial = account.plan === 'trial';
      return {
        object: 'account' as const,
        id: account.id,
        name: account.name,
        status: account.status,
        created_at: account.created_at.toISOString(),
        mode: key.mode,
        trial_ends_at: isTrial && account.anchor_at ? trialPeriod(account.anchor_at).end.toISOString() : null,
        needs_card: isTrial && account.anchor_at === null,
        plan: presentPlan(termsOf(account)),
      };
    },
  );

  app.get(
    '/requests',
    reads('list_requests', 'List requests, newest first', {
      querystring: strict({
        request_id: Type.Optional(text(64, { description: 'The `x-request-id` of a response.' })),
        mode: Type.Optional(oneOf(['live', 'test'])),
        status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
        key_id: Type.Optional(text(60)),
        ...spanPaging,
      }),
      response: { 200: shape.RequestPage },
    }),
    async (request) => {
      await usage.flush();
      const { limit, cursor, ...query } = request.query;
      const { account } = request.caller;
      const { request_id: requestId, key_id: keyId, mode, status } = query;
      const filter = { requestId, mode, status, keyId, ...readSpan(query), only: visibleMode(request.caller) };
      const list = (before: [number] | undefined, most: number) =>
        listRequests(deps.control, account.id, filter, { before: before?.[0], limit: most });
      const name = ['requests', account.id, query];
      const page = await readPage(deps.secrets, name, { limit, cursor }, list, (row): [number] => [row.id]);
      return presentPage(page, presentRequest);
    },
  );

  app.get(
    '/requests/:request_id',
    reads('get_request', 'Get one request with what was asked and answered', {
      openWhileSuspended: false,
      params: Type.Object({ request_id: text(64, { description: 'The `x-request-id` of a response.' }) }),
      querystring: strict({}),
      response: { 200: shape.RequestDetail },
    }),
    async (request) => {
      await Promise.all([usage.flush(), details.settle()]);
      const { account, key } = request.caller;
      const { request_id: requestId } = request.params;
      const [row] = await listRequests(
        deps.control,
        account.id,
        { requestId, only: visibleMode(request.caller) },
        { limit: 1 },
      );
      if (!row) fail('resource_not_found', `The log has no request \`${requestId}\` of this account.`);
      const exchange = mayReadExchange(request.caller, row.key_id)
        ? await readDetail(deps, { accountId: account.id, requestId, mode: key.mode })
        : undefined;
      return { ...presentRequest(row), exchange: exchange ?? null };
    },
  );
}

type LoggedRow = Awaited<ReturnType<typeof listRequests>>[number];

function presentRequest({ id: _id, account_id: _account, at, ...rest }: LoggedRow) {
  return { object: 'request' as const, at: at.toISOString(), ...rest };
}

/** The price list is for anyone. */
export function planRoutes(app: App): void {
  app.get(
    '/plans',
    operationsOf('usage')('list_plans', 'List plans', {
      description: 'The prices and what each plan includes. It needs no key.',
      querystring: strict({}),
      response: { 200: shape.PlanPage },
    }),
    async () => pageOf(Object.values(PLANS).map(presentPlan), 50, null),
  );
}

function presentPlan(plan: Plan): Static<typeof shape.PlanShape> {
  const { priceCentsPerMonth: monthly } = plan;
  return {
    object: 'plan',
    id: plan.id,
    name: plan.name,
    price_cents_per_month: monthly,
    price_cents_per_year: monthly === null ? null : (monthly * 12 * (100 - ANNUAL_DISCOUNT_PERCENT)) / 100,
    included_calls: plan.includedCalls,
    included_avm_calls: plan.includedAvmCalls,
    rate_limit_per_hour: plan.rateLimitPerHour,
    limits: planLimits(plan).map(({ name, amount, windowSeconds }) => ({
      name,
      amount,
      window_seconds: windowSeconds,
    })),
    overage_cents_per_call: plan.overageCentsPerCall,
    overage_cents_per_avm_call: plan.overageCentsPerAvmCall,
    batch_addresses: plan.batchAddresses,
    webhooks: plan.webhooks,
    uptime_percent: plan.uptimePercent,
    support: plan.support,
    trial_days: plan.trialDays,
    change_feed_and_delivery: plan.delivery,
  };
}

function project(usage: MeterUsage, overageCents: number | null, share: number): number {
  if (usage.included === null || overageCents === null) return 0;
  return Math.max(usage.overage_cents, Math.round(Math.max(0, usage.used / share - usage.included)) * overageCents);
}

function sumMeters(rows: { meter: MeterName; units: number }[]) {
  const sum = (meter: MeterName) => rows.reduce((total, row) => total + (row.meter === meter ? row.units : 0), 0);
  return { standard: sum('standard'), avm: sum('avm') };
}

/** An answer has what its key could read, so a key with fewer scopes must not get it from the log. */
function mayReadExchange({ key, role }: Caller, madeWith: string | null): boolean {
  const isMember = role !== undefined && key.scopes.includes('avm:read') && key.scopes.includes('properties:read');
  return isMember || key.id === madeWith;
}
