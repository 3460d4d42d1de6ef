// Months pass while billing runs are killed and the payment provider's answers get lost. Every month is charged once.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeStripe } from '../test/stripe.ts';
import { run } from './fleet.ts';
import { finish, TERMS } from './setting.ts';
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

interface Invoice {
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
  { client }: Scene,
  stripe: FakeStripe,
): Promise<{ wrong: string[]; count: number }> {
  const wrong: string[] = [];
  const invoices = (await client.insist('GET', '/invoices?limit=100')).body.data as Invoice[];
  for (const { id, number, status, total_cents } of invoices) {
    const taken = stripe.taken.filter(({ invoiceId }) => invoiceId === id);
    if (status !== 'paid') wrong.push(`invoice ${number} is ${status}`);
    if (taken.length !== 1 || taken[0].amount !== total_cents)
      wrong.push(
        `invoice ${number} of ${total_cents} was taken as ${JSON.stringify(taken.map(({ amount }) => amount))}`,
      );
  }
  if (stripe.taken.length !== invoices.length)
    wrong.push(`${stripe.taken.length} payments for ${invoices.length} invoices`);
  const starts = invoices.map(({ period_start }) => period_start);
  if (new Set(starts).size !== starts.length) wrong.push(`a month was invoiced twice: ${starts.join(', ')}`);
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
  const months = invoices.map(({ period_start }) => period_start).toSorted();
  const from = months[0].slice(0, 10);
  const used = months.slice(0, -1).map(() => ({ standard: 0, avm: 0 }));
  const { body } = await client.insist('GET', `/usage/daily?from=${from}&to=${months.at(-1)!.slice(0, 10)}`);
  // All calls of a month are made on days well inside of it, except on the first day of the first one.
  for (const { day, standard, avm } of body.data as { day: string; standard: number; avm: number }[]) {
    const index = months.findLastIndex((start) => start.slice(0, 10) <= day);
    if (used[index] === undefined) continue;
    used[index].standard += standard;
    used[index].avm += avm;
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
