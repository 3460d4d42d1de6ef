// What the roll of May says that the roll of June corrects: a few areas, conditions and assessments.
import { MAGIC_APN, sandboxId } from '../src/supply/sandbox/fixtures.ts';
import { WENDEMERE } from '../src/supply/sandbox/geography.ts';
import type { Assessment } from './assessments.ts';
import type { Home } from './homes.ts';
import { randomFor } from './random.ts';

/** The values before they were corrected; undefined where nothing was. */
export type Correction = { sqft?: number; condition?: number; assessedTotal?: number };

const CORRECTED_SHARE = 0.006;
const REASSESSED_SHARE = 0.004;

export function correctionOf(home: Home, assessments: readonly Assessment[]): Correction {
  const random = randomFor('corrections', home.id);
  const correction: Correction = {};
  const isDemo = home.id === sandboxId(WENDEMERE, MAGIC_APN.demo);
  if (home.sqft !== null && random.chance(CORRECTED_SHARE)) correction.sqft = home.sqft - 10 * random.whole(2, 18);
  else if ((home.condition ?? 0) > 0 && (isDemo || random.chance(CORRECTED_SHARE)))
    correction.condition = home.condition! - 1;
  const latest = assessments.at(-1);
  if (latest && random.chance(REASSESSED_SHARE)) correction.assessedTotal = Math.round((latest.total * 1.06) / 10) * 10;
  return correction;
}
