// Customers whose months end while everything is being broken. The instant at which a call was answered decides which month it
// is charged to; some contracts end with the month, and nothing may be answered after it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../src/base/deps.ts';
import { listRows } from '../src/base/db/statements.ts';
import { createProvider } from '../src/customers/billing/billing.ts';
import { cancelPlan } from '../src/customers/billing/plan-changes.ts';
import { listUnaccounted } from '../src/customers/billing/sql.ts';
import { addMonths } from '../src/customers/usage/periods.ts';
import { readConfig } from '../src/base/config.ts';
import { open } from '../src/operate/open.ts';
import type { Invoice } from './billing.ts';
import { createClient, type Client } from './client.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { checkCharges, readAll, type Check, type RequestLine } from './reconcile.ts';
import { finish, LIMITS, makeCustomer, type Parts } from './setting.ts';
import type { Scene } from './traffic.ts';

/** One month for each time that a fault lets one end, in an hour. */
const TENANTS = 40;
const MINUTE_MS = 60_000;
/** The clock is moved by five minutes on average, some forty times in an hour. */
const LAST_MONTH_ENDS_AFTER_MINUTES = 180;
/** Nearly all calls come from whoever’s month ends next, or has just ended. */
const SHARE_AT_AN_END = 0.7;
const JUST_ENDED_MS = 20_000;
const TERMS = {
  priceCentsPerMonth: 10_000,
  includedCalls: 20,
  overageCentsPerCall: 3,
  includedAvmCalls: 5,
  overageCentsPerAvmCall: 7,
};
const METERS = [
  ['standard', TERMS.includedCalls],
  ['avm', TERMS.includedAvmCalls],
] as const;

export interface Tenant {
  id: string;
  client: Client;
  ledger: Ledger;
  month: { start: Date; end: Date };
  /** Whether the contract ends with the month. */
  cancels: boolean;
}

export async function makeTenants(deps: Deps, { ground, fleet, ledger, random, stripe }: Parts): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (let n = 0; n < TENANTS; n++) {
    const minutes = random.between(0.1, 1) * LAST_MONTH_ENDS_AFTER_MINUTES;
    const start = addMonths(new Date(Date.now() + minutes * MINUTE_MS), -1);
    const then = { ...deps, clock: () => start };
    const { id, key } = await makeCustomer(then, stripe, { ...TERMS, ...LIMITS });
    const cancels = n % 3 === 0;
    if (cancels) await cancelPlan(then, await createProvider(deps), id, { actor: 'chaos' });
    // Answers that must never be seen count for the whole campaign.
    const own = { ...createLedger(), statuses: ledger.statuses, wrong: ledger.wrong };
    const month = { start, end: addMonths(start, 1) };
    const client = createClient({ apis: fleet.apis, ground }, key, own, random);
    tenants.push({ id, client, ledger: own, month, cancels });
  }
  return tenants;
}

/** Batches now and then: their units belong to the month in which they were held, whenever they are done. */
export async function useTenant({ ground, random, homes, tenants }: Scene): Promise<void> {
  const { client } =
    random.next() < SHARE_AT_AN_END
      ? findNextEnd(tenants, Date.now() + ground.clockOffsetMs - JUST_ENDED_MS)
      : random.pick(tenants);
  const property = { id: random.pick(homes) };
  const kind = random.next();
  if (kind < 0.5) await client.call('GET', `/properties/${property.id}`);
  else if (kind < 0.75) await client.call('POST', '/avm/estimate', { body: { property } });
  else if (kind < 0.85) await client.call('POST', '/reports', { body: { property } });
  else {
    const items = Array.from({ length: 20 }, () => ({ property_id: random.pick(homes) }));
    await client.call('POST', '/batches', { body: { items, include: ['property', 'valuation'] } });
  }
}

/** Whose month ends first after an instant; anyone, once all have ended. */
export const findNextEnd = (tenants: Tenant[], after: number): Tenant =>
  tenants
    .filter(({ month }) => month.end.getTime() > after)
    .toSorted((a, b) => a.month.end.getTime() - b.month.end.getTime())[0] ?? tenants[0];

export const listInvoices = async ({ client }: Tenant): Promise<Invoice[]> =>
  (await client.insist('GET', '/invoices?limit=100')).body.data;

/** What was used before the end of a month, as the service tells it, and what is wrong with it. */
interface Used {
  tenant: Tenant;
  lines: RequestLine[];
  batches: Batch[];
  wrong: string[];
}

/** Waits for what is under way, reads what everyone has used, and lets every month end that has not yet. */
export async function endMonths({ ground, tenants }: Scene): Promise<Used[]> {
  const last = Math.max(...tenants.map(({ month }) => month.end.getTime()));
  const { deps, close } = await open(readConfig({ ...process.env, ...ground.settings }));
  const all: Used[] = [];
  for (const tenant of tenants) all.push(await readUsed(deps, tenant));
  await close();
  ground.moveClock(Math.max(0, last - Date.now() - ground.clockOffsetMs) + 60 * MINUTE_MS);
  for (let hour = 0; hour < 3; hour++) {
    await finish(ground, 'months', ['admin', 'bill']);
    ground.moveClock(60 * MINUTE_MS);
  }
  return all;
}

/** Compares the invoices of months with the calls made in them, once the next month is billed as well: what was booked after
    the closing of its month, because its process was killed while the clock was moved, is on the next invoice. */
export async function checkTenants({ ground }: Scene, all: Used[]): Promise<Check> {
  const wrong: string[] = [];
  let [compared, atTheEnd] = [0, 0];
  for (const used of all) {
    const found = await checkMonth(used);
    wrong.push(...[...used.wrong, ...found.wrong].map((line) => `${used.tenant.id}: ${line}`));
    compared += used.lines.length + used.batches.length;
    atTheEnd += found.atTheEnd;
  }
  const { deps, close } = await open(readConfig({ ...process.env, ...ground.settings }));
  const unaccounted = await listUnaccounted(deps.control, new Date(Date.now() + ground.clockOffsetMs));
  await close();
  wrong.push(...unaccounted.map((row) => `not accounted for: ${JSON.stringify(row)}`));
  return { what: `a month’s end moves no call to another month (${atTheEnd} were under way at one)`, compared, wrong };
}

interface Batch {
  created_at: Date;
  finished_at: Date | null;
  standard: number;
  avm: number;
}

/** From the database: an account whose contract has ended is shown its usage and invoices, but not its batches. */
const listBatches = ({ control }: Deps, { id }: Tenant) =>
  listRows<Batch>(control)`select created_at, finished_at, used_standard as standard, used_avm as avm
    from batches where account_id = ${id}`;

async function readUsed(deps: Deps, tenant: Tenant): Promise<Used> {
  let batches = await listBatches(deps, tenant);
  for (; batches.some(({ finished_at }) => !finished_at); batches = await listBatches(deps, tenant)) await sleep(500);
  const wrong: string[] = [];
  const lines = (await readAll(tenant.client, '/requests?mode=live&limit=100')) as RequestLine[];
  const usage = { standard: 0, avm: 0 };
  for (const batch of batches) for (const [meter] of METERS) usage[meter] += batch[meter];
  for await (const check of checkCharges(tenant.client, tenant.ledger, usage)) wrong.push(...check.wrong);
  return { tenant, lines, batches, wrong };
}

/** A call belongs to the month in which it was admitted; one that was under way at the end, to either. */
async function checkMonth({ tenant, lines, batches }: Used): Promise<{ atTheEnd: number; wrong: string[] }> {
  const { ledger, month, cancels } = tenant;
  const wrong: string[] = [];
  const invoices = await listInvoices(tenant);
  const end = month.end.getTime();
  const charged = lines.filter(({ units }) => units > 0);
  const spanOf = ({ request_id }: RequestLine) => ledger.calls.get(request_id)?.span ?? [-Infinity, Infinity];
  const before = charged.filter((line) => spanOf(line)[1] < end);
  const underWay = charged.filter((line) => spanOf(line)[0] < end && spanOf(line)[1] >= end);
  const held = batches.filter(({ created_at }) => created_at.getTime() < end);
  for (const [meter, included] of METERS) {
    const unitsOf = (some: RequestLine[]) => sum(some.map((line) => (line.meter === meter ? line.units : 0)));
    const least = unitsOf(before) + sum(held.map((batch) => batch[meter]));
    const [from, to] = [least, least + unitsOf(underWay)].map((used) => Math.max(0, used - included));
    const billed = sum(
      invoices
        .flatMap((invoice) => invoice.lines)
        .filter((line) => line.kind === 'overage' && line.meter === meter && Date.parse(line.period_start) < end)
        .map(({ quantity }) => quantity),
    );
    if (billed < from || billed > to) wrong.push(`${billed} ${meter} units of overage billed, ${from} to ${to} used`);
  }
  const late = charged.length - before.length - underWay.length + batches.length - held.length;
  if (cancels && late > 0) wrong.push(`${late} calls were answered after the contract had ended`);
  return { atTheEnd: underWay.length, wrong };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
