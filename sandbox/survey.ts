// The building survey: it measured a few homes and found something else than the roll says.
import { MAGIC_APN } from '../src/supply/sandbox/fixtures.ts';
import type { Home } from './homes.ts';
import { randomFor } from './random.ts';

type SurveyedField = 'sqft' | 'year_built' | 'bedrooms' | 'lot_sqft';
export type Disagreement = { field: SurveyedField; surveyed: number; onRoll: number; surveyedOn: string };

const DISAGREEING_SHARE = 0.03;

export function disagreementOn(home: Home): Disagreement | undefined {
  const random = randomFor('provenance', home.id);
  const isMagic = home.apn === MAGIC_APN.disagreement;
  if (home.sqft === null || !(isMagic || random.chance(DISAGREEING_SHARE))) return undefined;
  const surveyedOn = `${random.whole(2019, 2025)}-0${random.whole(1, 9)}-15`;
  const field = isMagic ? 'sqft' : random.pick(['sqft', 'year_built', 'bedrooms', 'lot_sqft'] as const);
  const surveyed = { sqft: home.sqft, year_built: home.yearBuilt, bedrooms: home.bedrooms, lot_sqft: home.lotSqft }[
    field
  ];
  if (surveyed === null) return undefined;
  const step = {
    sqft: 10 * random.whole(4, 30),
    year_built: random.whole(1, 9),
    bedrooms: 1,
    lot_sqft: 10 * random.whole(5, 60),
  }[field];
  return { field, surveyed, onRoll: Math.max(1, surveyed - (random.chance(0.6) ? step : -step)), surveyedOn };
}
