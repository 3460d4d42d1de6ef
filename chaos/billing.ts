// Months pass while billing runs are killed and the payment provider's answers get lost. Every month is charged once.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeStripe } from '../test/stripe.ts';
import { run } from './fleet.ts';
import { finish, TERMS } from './setting.ts';
import { listInvoices } from './tenants.ts';
import type { Scene } from './traffic.ts';

const MONTHS = 4;
const KILLS_A_MONTH = 5;
const MONTH_MS = 31 * 86_400_000;

export async function passMonths({ ground, client, random, homes }: Scene, stripe: FakeStripe): Promise<number> {
  let kills = 0;
  for (let month = 1; month <= MONTHS; month++) {
    for (let n = 0; n < 10 * month; n++) {
      await client.insist('GET', `/properties/${random.pick(homes)}`);
      await client.insist('POST', '/avm/estimate', { body: { property: { id: random.pick(homes) } } });
    }
    ground.moveClock(MONTH_MS);
    for (let n = 0; n < KILLS_A_MONTH; n++) {
      stripe.dropAnswers = random.pick([0, 1]);
      const [victim, other] = [run(ground, 'months', ['admin', 'bill']), run(ground, 'months', ['admin', 'bill'])];
      const ended = [once(victim, 'exit'), once(other, 'exit')];
      await sleep(random.between(300, 1_800));
      if (victim.kill('SIGKILL')) kills += 1;
      await Promise.all(ended);
    }
    stripe.dropAnswers = 0;
    // A payment whose answer was lost is asked about again, later.
    for (let hour = 0; hour < 3; hour++) {
      await finish(ground, 'months', ['admin', 'bill']);
      ground.moveClock(3_600_000);
    }
  }
  return kills;
}

export interface Invoice {
  number: string;
  kind: string;
  status: string;
  id: string;
  total_cents: number;
  period_start: string;
  period_end: string;
  lines: { kind: string; meter: string | null; quantity: number; amount_cents: number; period_start: string }[];
}

/** What is wrong with the invoices, given the usage of every day. */
export async function checkInvoices(
  { client, tenants }: Scene,
  stripe: FakeStripe,
): Promise<{ wrong: string[]; count: number }> {
  const wrong: string[] = [];
  const ofTenants = new Set((await Promise.all(tenants.map(listInvoices))).flat().map(({ id }) => id));
  const invoices = (await client.insist('GET', '/invoices?limit=100')).body.data as Invoice[];
  for (const { id, number, status, total_cents } of invoices) {
    const taken = stripe.taken.filter(({ invoiceId }) => invoiceId === id);
    if (status !== 'paid') wrong.push(`invoice ${number} is ${status}`);
    if (taken.length !== 1 || taken[0].amount !== total_cents)
      wrong.push(
        `invoice ${number} of ${total_cents} was taken as ${JSON.stringify(taken.map(({ amount }) => amount))}`,
      );
  }
  const payments = stripe.taken.filter(({ invoiceId }) => !ofTenants.has(invoiceId)).length;
  if (payments !== invoices.length) wrong.push(`${payments} payments for ${invoices.length} invoices`);
  const periods = invoices.map(({ kind, period_start }) => `${kind} ${period_start}`);
  if (new Set(periods).size !== periods.length) wrong.push(`a month was invoiced twice: ${periods.join(', ')}`);
  if (invoices.length !== MONTHS + 1) wrong.push(`${invoices.length} invoices for ${MONTHS + 1} months begun`);
  wrong.push(...(await checkOverage(client, invoices)));
  return { wrong, count: invoices.length };
}

/** Overage on all invoices against the usage that the service reports by day. */
async function checkOverage(client: Scene['client'], invoices: Invoice[]): Promise<string[]> {
  const billed = { standard: 0, avm: 0 };
  for (const { lines } of invoices)
    for (const { kind, meter, amount_cents } of lines)
      if (kind === 'overage') billed[meter as 'standard' | 'avm'] += amount_cents;
  // A renewal closes the month before it, and carries that month's overage.
  const months = invoices.filter(({ kind }) => kind === 'renewal');
  const used: { standard: number; avm: number }[] = [];
  // Calls are made on days well inside of a month, or on the first day of the first one.
  for (const { period_start, period_end } of months) {
    const [from, next] = [period_start.slice(0, 10), period_end.slice(0, 10)];
    const { body } = await client.insist('GET', `/usage/daily?from=${from}&to=${next}`);
    const days = (body.data as { day: string; standard: number; avm: number }[]).filter(({ day }) => day < next);
    used.push({ standard: sum(days.map((day) => day.standard)), avm: sum(days.map((day) => day.avm)) });
  }
  const expected = {
    standard: sum(used.map((month) => Math.max(0, month.standard - TERMS.includedCalls) * TERMS.overageCentsPerCall)),
    avm: sum(used.map((month) => Math.max(0, month.avm - TERMS.includedAvmCalls) * TERMS.overageCentsPerAvmCall)),
  };
  return (['standard', 'avm'] as const)
    .filter((meter) => billed[meter] !== expected[meter])
    .map((meter) => `overage of ${meter}: ${billed[meter]} cents billed, ${expected[meter]} used`);
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
