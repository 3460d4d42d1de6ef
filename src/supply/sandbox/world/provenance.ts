// Which source a field came from, and what the others say, in a compact shape because it is stored on every row.
//   {"default": "roll", "fields": {"sqft": {"source": "survey", "known_on": "2024-05-01",
//     "others": [{"source": "roll", "value": 1820}]}}}
// `default` is the source of every field not named in `fields`; `others` holds the values that were not chosen.
import { MAGIC_APN } from '../fixtures.ts';
import type { Home } from './homes.ts';
import { randomFor } from './random.ts';
import type { SourceId } from './sources.ts';

type FieldProvenance = {
  source: SourceId;
  known_on?: string;
  others?: { source: SourceId; value: string | number | null }[];
};
export type Provenance = { default: SourceId; fields: Record<string, FieldProvenance> };

const DISAGREEING_SHARE = 0.03;

export function provenanceOf(home: Home): Provenance {
  const fields: Provenance['fields'] = {
    last_sale_price: { source: 'sandbox_recorder' },
    flood_zone: { source: 'sandbox_flood' },
    census_tract: { source: 'sandbox_census' },
  };
  const random = randomFor('provenance', home.id);
  const isMagic = home.apn === MAGIC_APN.disagreement;
  if (home.sqft !== null && (isMagic || random.chance(DISAGREEING_SHARE))) {
    const assessor: SourceId = 'sandbox_assessor';
    const knownOn = `${random.whole(2019, 2025)}-0${random.whole(1, 9)}-15`;
    const field = isMagic ? 'sqft' : random.pick(['sqft', 'year_built', 'bedrooms', 'lot_sqft'] as const);
    const value = { sqft: home.sqft, year_built: home.yearBuilt, bedrooms: home.bedrooms, lot_sqft: home.lotSqft }[
      field
    ];
    if (value !== null) {
      const step = {
        sqft: 10 * random.whole(4, 30),
        year_built: random.whole(1, 9),
        bedrooms: 1,
        lot_sqft: 10 * random.whole(5, 60),
      }[field];
      const other = Math.max(1, value - (random.chance(0.6) ? step : -step));
      fields[field] = { source: 'sandbox_survey', known_on: knownOn, others: [{ source: assessor, value: other }] };
    }
  }
  return { default: 'sandbox_assessor', fields };
}
