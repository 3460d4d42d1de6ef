// The lines of an invoice: the fee of a term, overage of a month, and the two halves of a change in the middle of a term.
import { meterTerms, type MeterName, type Terms } from '../accounts/plans.ts';
import { prorate, termPriceCents, type Interval } from './money.ts';

export interface Line {
  kind: 'plan' | 'overage' | 'proration' | 'credit';
  meter: MeterName | null;
  description: string;
  quantity: number;
  unit_cents: number;
  amount_cents: number;
  period_start: string;
  period_end: string;
}

export interface Stretch {
  start: Date;
  end: Date;
}

const METER_NAMES: Record<MeterName, string> = { standard: 'Calls', avm: 'AVM calls' };

export function planLine(terms: Terms, interval: Interval, term: Stretch): Line | undefined {
  const price = termPriceCents(terms, interval);
  if (price === null || price === 0) return undefined;
  return line('plan', `${terms.name} plan, ${interval === 'year' ? 'one year' : 'one month'}`, 1, price, term);
}

/** Units beyond the allowance, at the plan's rate; none where there is nothing to sell or nothing used. */
export function overageLine(terms: Terms, meter: MeterName, used: number, month: Stretch): Line | undefined {
  const { included, overageCents } = meterTerms(terms, meter);
  if (included === null || overageCents === null || used <= included) return undefined;
  const description = `${METER_NAMES[meter]} beyond the ${included.toLocaleString('en-US')} included in ${terms.name}`;
  return { ...line('overage', description, used - included, overageCents, month), meter };
}

/** What is left of the term is given back at the old price and charged at the new one. */
export function upgradeLines(before: Terms, after: Terms, interval: Interval, term: Stretch, at: Date): Line[] {
  const rest = { start: at, end: term.end };
  const part = (terms: Terms) => prorate(termPriceCents(terms, interval) ?? 0, term.start, term.end, at, term.end);
  return [
    line('proration', `Unused time on ${before.name}`, 1, -part(before), rest),
    line('proration', `Remaining time on ${after.name}`, 1, part(after), rest),
  ].filter((each) => each.amount_cents !== 0);
}

export function creditLine(amountCents: number, at: Date): Line {
  return line('credit', 'Credit applied', 1, -amountCents, { start: at, end: at });
}

export function sumOf(lines: Line[]): number {
  return lines.reduce((sum, each) => sum + each.amount_cents, 0);
}

function line(kind: Line['kind'], description: string, quantity: number, unitCents: number, stretch: Stretch): Line {
  return {
    kind,
    meter: null,
    description,
    quantity,
    unit_cents: unitCents,
    amount_cents: quantity * unitCents,
    period_start: stretch.start.toISOString(),
    period_end: stretch.end.toISOString(),
  };
}
