// The assessor's view: a market value that lags behind sales, a capped assessment, and the tax bill with its
// exemptions.
import { firstDayOf } from './dates.ts';
import { QUILLMOOR, WENDEMERE } from '../src/supply/sandbox/geography.ts';
import { isResidential, type Home } from './homes.ts';
import { valueUsd } from './prices.ts';
import { randomFor, type Random } from './random.ts';
import type { Life } from './sales.ts';

export type Assessment = {
  year: number;
  land: number;
  improvements: number;
  total: number;
  marketTotal: number;
  knownOn: string;
};
export type Tax = { year: number; amountCents: number; exemptions: string[]; status: string; knownOn: string };

/** Bills are kept for six years, assessments for ten. */
const BILLED_YEARS = { first: 2020, last: 2025 };
const ASSESSMENT_YEARS = Array.from({ length: 10 }, (_, index) => 2017 + index);
const LEVEL: Record<number, number> = { [WENDEMERE]: 0.85, [QUILLMOOR]: 0.7 };
const TAX_RATE: Record<number, number> = { [WENDEMERE]: 0.0142, [QUILLMOOR]: 0.0171 };
/** A homestead's assessment may rise this much per year until it is sold. */
const HOMESTEAD_CAP = 1.04;

export function assess(home: Home, life: Life): { assessments: Assessment[]; taxes: Tax[] } {
  const random = randomFor('assessor', home.id);
  const isCity = home.fips === WENDEMERE;
  const level = LEVEL[home.fips];
  const landShare =
    home.type === 'land'
      ? 1
      : Math.min(0.75, 0.26 + (home.waterfront ? 0.22 : 0) + Math.max(0, home.district.level) * 0.3);
  const opinion = Math.exp(random.normal(-0.03, 0.085));
  const assessments: Assessment[] = [];
  let marketTotal = 0;
  let total = 0;
  for (const year of ASSESSMENT_YEARS) {
    if (home.yearBuilt !== null && home.yearBuilt >= year && home.yearBuilt > 2017) continue;
    const isReappraised = isCity || year % 2 === 1 || marketTotal === 0;
    const sale = life.transactions.find((deed) => deed.armsLength && deed.recordedOn.startsWith(String(year - 1)));
    if (isReappraised) {
      const modelled = valueUsd(home, firstDayOf(year - 1)) * opinion * Math.exp(random.normal(0, 0.025));
      marketTotal = Math.round((sale ? 0.35 * modelled + 0.65 * sale.priceUsd! * 0.95 : modelled) / 100) * 100;
    }
    const uncapped = marketTotal * level;
    const isCapped = isResidential(home.type) && ownerDuring(life, year)?.isOccupant && !sale && total > 0;
    total = Math.round((isCapped ? Math.min(uncapped, total * HOMESTEAD_CAP) : uncapped) / 10) * 10;
    const land = Math.round((total * landShare) / 10) * 10;
    assessments.push({
      year,
      land,
      improvements: total - land,
      total,
      marketTotal,
      knownOn: `${year}-03-${isCity ? '15' : '31'}`,
    });
  }
  return {
    assessments,
    taxes: assessments
      .filter(({ year }) => year >= BILLED_YEARS.first && year <= BILLED_YEARS.last)
      .map((assessment) => bill(home, life, assessment, random)),
  };
}

function bill(home: Home, life: Life, { year, total }: Assessment, random: Random): Tax {
  const owner = ownerDuring(life, year);
  const exemptions: string[] = [];
  let relief = 0;
  if (owner?.isOccupant) {
    exemptions.push('homestead');
    relief += 25_000;
    // A household's exemptions persist from year to year, so they derive from the name rather than a random draw.
    const household = owner.names[0].length * 7 + owner.names[0].charCodeAt(2);
    if (household % 6 === 0) exemptions.push('senior');
    if (household % 19 === 1) exemptions.push('veteran');
    relief += (exemptions.length - 1) * 15_000;
  }
  const isExempt = owner?.type === 'government' || owner?.type === 'nonprofit';
  if (isExempt) exemptions.push('public_use');
  const rate = TAX_RATE[home.fips];
  const amountCents = isExempt ? 0 : Math.round(Math.max(0, total - relief) * rate * (1 + 0.01 * (year - 2017)) * 100);
  const isLate =
    amountCents > 0 && random.chance((year === 2025 ? 0.013 : 0.003) * (home.district.level < -0.2 ? 2 : 1));
  const isHalf = !isLate && year === 2025 && random.chance(0.12);
  return {
    year,
    amountCents,
    exemptions,
    status: isExempt ? 'exempt' : isLate ? 'delinquent' : isHalf ? 'partially_paid' : 'paid',
    knownOn: `${year}-11-01`,
  };
}

function ownerDuring(life: Life, year: number) {
  const day = `${year}-01-01`;
  return life.owners.find((owner) => owner.since <= day && (owner.endedOn === null || owner.endedOn > day));
}
