// Rents of the island, in Wendemere County only: fair market rents by ZIP code, median rents by tract, and a rent roll of
// homes whose owners live elsewhere.
import { dayNumber } from '../src/base/lib/clock.ts';
import { quantile } from '../src/base/math/quantiles.ts';
import { WENDEMERE } from '../src/supply/sandbox/geography.ts';
import type { MadeRecord } from '../src/supply/ingest/source.ts';
import { isoOf } from './dates.ts';
import type { Estate } from './estate.ts';
import { isResidential } from './homes.ts';
import { valueUsd } from './prices.ts';
import { randomFor } from './random.ts';
import { keyOf } from './records.ts';
import type { World } from './world.ts';

/** Rents of each size beside those of two bedrooms. */
const SIZES = [0.74, 0.83, 1, 1.27, 1.46, 1.64];
/** When the survey asked, and when the last lease was signed. */
const [SURVEYED, LAST_LEASE] = [dayNumber('2024-07-01'), dayNumber('2026-05-20')];
/** Rents rise by this share a year, and by so much of what a home is worth more than others of its size. */
const [GROWTH, ELASTICITY] = [0.028, 0.62];
const FEW = 5;
const FIRST_LEASE = dayNumber('2022-06-01');

const sizeOf = (bedrooms: number) => SIZES[Math.min(bedrooms, SIZES.length - 1)];

interface Rented {
  estate: Estate;
  bedrooms: number;
  /** With utilities, on the day of the survey. */
  rent: number;
}

function rentedHomes({ estates }: World): Rented[] {
  return estates.flatMap((estate) => {
    const { home, listed } = estate;
    const { bedrooms, sqft, yearBuilt, condition, quality, units, type } = home;
    const isKnown = [sqft, yearBuilt, condition, quality].every((fact) => fact !== null);
    if (home.fips !== WENDEMERE || listed !== 'always' || bedrooms === null || !isKnown) return [];
    if (!isResidential(type) || (units ?? 1) > 1) return [];
    const typical = 180_000 * sizeOf(bedrooms);
    const rent = 1_150 * sizeOf(bedrooms) * (valueUsd(home, SURVEYED) / typical) ** ELASTICITY;
    return [{ estate, bedrooms, rent: rent * Math.exp(randomFor('rent', home.id).normal(0, 0.07)) }];
  });
}

const sorted = (rents: number[]) => Float64Array.from(rents).sort();
const rounded = (rent: number) => Math.round(rent / 10) * 10;

/** As HUD has them: the fortieth percentile of two bedrooms in the ZIP code, and the other sizes from it. */
export function smallAreaRentsOf(world: World): MadeRecord[] {
  const byZip = Map.groupBy(rentedHomes(world), ({ estate }) => estate.home.district.zip);
  return [...byZip].map(([zip, homes]) => {
    const two = quantile(sorted(homes.map(({ rent, bedrooms }) => rent / sizeOf(bedrooms))), 0.4);
    const sizes = SIZES.slice(0, 5).map((size, n) => [`bedrooms_${n}`, rounded(two * size * 1.04)]);
    return { into: 'layer_values', fields: { zip, ...Object.fromEntries(sizes) } };
  });
}

/** As the survey has them: the median of each size, where enough homes were asked. */
export function tractRentsOf(world: World): MadeRecord[] {
  const byTract = Map.groupBy(rentedHomes(world), ({ estate }) => estate.tract2020);
  return [...byTract].flatMap(([tract, homes]) => {
    if (tract === null || homes.length < FEW) return [];
    const medianOf = (some: Rented[]) =>
      some.length < FEW ? null : Math.round(quantile(sorted(some.map(({ rent }) => rent)), 0.5));
    const sizes = SIZES.map((_, n) => [
      `bedrooms_${n}`,
      medianOf(homes.filter((home) => Math.min(home.bedrooms, 5) === n)),
    ]);
    return [{ into: 'layer_values', fields: { tract, median: medianOf(homes), ...Object.fromEntries(sizes) } }];
  });
}

/** Leases without utilities, as a manager keeps them: of about every second home that its owner does not live in. */
export function* leasesOf(world: World): Generator<MadeRecord> {
  for (const { estate, rent, bedrooms } of rentedHomes(world)) {
    const random = randomFor('leases', estate.home.id);
    if (estate.life.owners.at(-1)?.isOccupant !== false || random.chance(0.5)) continue;
    for (let day = FIRST_LEASE + random.whole(0, 900); day <= LAST_LEASE; day += random.whole(360, 740)) {
      const years = (day - SURVEYED) / 365.25;
      const asked = rent * 0.86 * (1 + GROWTH) ** years * Math.exp(random.normal(0, 0.06));
      const fields = { leased_on: isoOf(day), rent: Math.round(asked / 5) * 5, bedrooms, sqft: estate.home.sqft };
      yield { into: 'rents', property: keyOf(estate), fields };
    }
  }
}
