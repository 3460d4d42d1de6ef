// Prices a month's usage if the plan changed within it: each part is rated under the plan it was used under. Pure.
import { meterTerms, type MeterName, type Terms } from '../accounts/plans.ts';
import { prorate, type Stretch } from '../../base/lib/shares.ts';
import { lastOf } from '../../base/lib/must.ts';

/** A part of a month under one plan, and what was used in it. */
export interface UsedStretch extends Stretch {
  terms: Terms;
  used: number;
}

interface RatedStretch extends UsedStretch {
  /** Units of this stretch that the fee covers; null means all of them. */
  included: number | null;
  overageUnits: number;
  overageCents: number;
}

/**
 * At any moment a month includes what it would if nothing changed again: each past plan's allowance for the time it
 * ran, to the second, plus the current plan's for the rest of the month. Usage before a change is covered by what was
 * included before it; a larger plan covers only usage after it. So an upgrade never makes earlier usage cheaper, and
 * a customer within the allowance is not charged for upgrading.
 */
export function rateMonth(month: Stretch, meter: MeterName, stretches: UsedStretch[]): RatedStretch[] {
  let passed = 0;
  let covered = 0;
  return stretches.map((stretch) => {
    const { included: allowance, overageCents: rate } = meterTerms(stretch.terms, meter);
    if (allowance === null || rate === null) return { ...stretch, included: null, overageUnits: 0, overageCents: 0 };
    const entitled = passed + prorate(allowance, month, { start: stretch.start, end: month.end });
    passed += prorate(allowance, month, stretch);
    const included = Math.max(0, entitled - covered);
    const overageUnits = Math.max(0, stretch.used - included);
    covered += stretch.used - overageUnits;
    return { ...stretch, included, overageUnits, overageCents: overageUnits * rate };
  });
}

/**
 * The count at which the next unit becomes overage during the last stretch: what it includes plus all earlier usage.
 */
export function allowanceAfter(month: Stretch, meter: MeterName, stretches: UsedStretch[]): number | null {
  const rated = rateMonth(month, meter, stretches);
  const last = lastOf(rated);
  const before = rated.slice(0, -1).reduce((sum, { used }) => sum + used, 0);
  return last.included === null ? null : before + last.included;
}
