// What others publish of the island: loans by census tract, as lenders report them for a year, and an annual house price
// index by county, ZIP code and tract.
import { dayNumber } from '../src/base/lib/clock.ts';
import type { MadeRecord } from '../src/supply/ingest/source.ts';
import { COUNTIES } from '../src/supply/sandbox/geography.ts';
import { isResidential } from './homes.ts';
import { marketIndex, valueUsd } from './prices.ts';
import { randomFor } from './random.ts';
import type { World } from './world.ts';

const REPORTED = dayNumber('2025-07-01');
/** Of homes in the year, and of applications. */
const [LENT, DENIED] = [0.14, 0.09];
const MOST_UNITS = 4;

/** Values are rounded to the middle of ten thousand, as the bureau does. */
export function* loansOf({ estates }: World): Generator<MadeRecord> {
  for (const { home, tract2020: tract, listed } of estates) {
    const random = randomFor('loans', home.id);
    const isLendable = isResidential(home.type) && (home.units ?? 1) <= MOST_UNITS && home.sqft && home.yearBuilt;
    if (tract === null || listed !== 'always' || !isLendable || !home.condition || !home.quality) continue;
    if (!random.chance(LENT)) continue;
    const isDenied = random.chance(DENIED);
    const value = valueUsd(home, REPORTED) * Math.exp(random.normal(0, 0.05));
    const made = {
      loans: 1,
      median_value: Math.floor(value / 10_000) * 10_000 + 5_000,
      median_ltv: Math.round(1e4 * Math.min(1.02, random.between(0.55, 1))) / 1e4,
      median_rate: Math.round(1e5 * (0.066 + random.normal(0, 0.004))) / 1e5,
    };
    const fields = { tract, ...(!isDenied && made), denial_share: isDenied ? 1 : 0 };
    yield { into: 'layer_values', fields };
  }
}

const [FIRST_YEAR, LAST_YEAR] = [2008, 2025];

/** It follows the market with an error of its own in every place and year, and so differs from ours. */
export function* indexOf({ estates, tracts }: World): Generator<MadeRecord> {
  const zips = new Set(estates.map(({ home }) => home.district.zip));
  const places = [
    ...COUNTIES.map(({ fips, name }) => [`county:${fips}`, name]),
    ...[...zips].sort().map((zip) => [`zip:${zip}`, zip]),
    ...tracts.filter(({ vintage }) => vintage === 2020).map(({ geoid }) => [`tract:${geoid}`, geoid]),
  ];
  for (const [place_code, place_name] of places) {
    const random = randomFor('index', place_code);
    for (let year = FIRST_YEAR; year <= LAST_YEAR; year++) {
      const change = marketIndex(dayNumber(`${year}-07-01`)) - marketIndex(dayNumber(`${FIRST_YEAR}-07-01`));
      const index_value = Math.round(1e4 * Math.exp(change + random.normal(0, 0.008))) / 100;
      yield { into: 'price_indexes', fields: { fips: 0, place_code, place_name, year, quarter: 0, index_value } };
    }
  }
}
