// The lines of an invoice: the fee of a term, a month's overage, the two halves of a change within a term, credit, tax.
import { meterTerms, type MeterName, type Terms } from '../accounts/plans.ts';
import { prorate, roundedShare, type Stretch } from '../../base/lib/shares.ts';
import { rateMonth, type UsedStretch } from '../usage/rating.ts';
import { termPriceCents, type Interval } from './money.ts';
import type { Static } from 'typebox';
import type { LineShape } from './schema.ts';

export type Line = Static<typeof LineShape>;

const METER_NAMES: Record<MeterName, string> = { standard: 'Calls', avm: 'AVM calls' };
const PPM = 1_000_000;

export function planLine(terms: Terms, interval: Interval, term: Stretch): Line | undefined {
  const price = termPriceCents(terms, interval);
  if (price === null || price === 0) return undefined;
  const description = `${terms.name} plan, ${interval === 'year' ? 'one year' : 'one month'}`;
  return line({ kind: 'plan', description, unitCents: price, stretch: term });
}

/** One line for each stretch of the month with units beyond its allowance, at the rate of the plan they were used
    under, less the amounts already invoiced (`billed`, by meter and start of the stretch). */
export const overageLines = (
  month: Stretch,
  meter: MeterName,
  stretches: UsedStretch[],
  billed: ReadonlyMap<string, number> = new Map(),
): Line[] =>
  rateMonth(month, meter, stretches).flatMap(({ terms, included, overageUnits, start, end }) => {
    const quantity = overageUnits - (billed.get(`${meter} ${start.toISOString()}`) ?? 0);
    if (quantity === 0) return [];
    const description = `${METER_NAMES[meter]} beyond the ${included!.toLocaleString('en-US')} included in ${terms.name}`;
    const unitCents = meterTerms(terms, meter).overageCents!;
    return [line({ kind: 'overage', meter, description, quantity, unitCents, stretch: { start, end } })];
  });

type Upgrade = { before: Terms; after: Terms; interval: Interval; term: Stretch; at: Date };

/** The rest of the term is credited at the old price and charged at the new one. */
export function upgradeLines({ before, after, interval, term, at }: Upgrade): Line[] {
  const rest = { start: at, end: term.end };
  const part = (terms: Terms) => prorate(termPriceCents(terms, interval) ?? 0, term, rest);
  return [
    line({ kind: 'proration', description: `Unused time on ${before.name}`, unitCents: -part(before), stretch: rest }),
    line({ kind: 'proration', description: `Remaining time on ${after.name}`, unitCents: part(after), stretch: rest }),
  ].filter((each) => each.amount_cents !== 0);
}

/** Credits the rest of a term that ends early. */
export function unusedLine(terms: Terms, interval: Interval, term: Stretch, at: Date): Line | undefined {
  const rest = { start: at, end: term.end };
  const unitCents = -prorate(termPriceCents(terms, interval) ?? 0, term, rest);
  if (unitCents === 0) return undefined;
  return line({ kind: 'proration', description: `Unused time on ${terms.name}`, unitCents, stretch: rest });
}

export function taxLine(name: string, ratePpm: number, baseCents: number, at: Date): Line | undefined {
  const unitCents = roundedShare(baseCents, ratePpm, PPM);
  if (unitCents === 0) return undefined;
  const description = `${name} (${ratePpm / (PPM / 100)}%)`;
  return line({ kind: 'tax', description, unitCents, stretch: { start: at, end: at } });
}

export const creditLine = (amountCents: number, at: Date): Line =>
  line({ kind: 'credit', description: 'Credit applied', unitCents: -amountCents, stretch: { start: at, end: at } });

export const sumOf = (lines: Line[]): number => lines.reduce((sum, each) => sum + each.amount_cents, 0);

function line(of: {
  kind: Line['kind'];
  description: string;
  unitCents: number;
  stretch: Stretch;
  quantity?: number;
  meter?: MeterName;
}): Line {
  const { kind, description, unitCents, stretch, quantity = 1, meter = null } = of;
  return {
    kind,
    meter,
    description,
    quantity,
    unit_cents: unitCents,
    amount_cents: quantity * unitCents,
    period_start: stretch.start.toISOString(),
    period_end: stretch.end.toISOString(),
  };
}
