// The island's census: people, income and homes by tract, counted from the homes, and the zones designated in the
// poorest.
import { dayNumber } from '../src/base/lib/clock.ts';
import type { Area } from './land/areas.ts';
import { COUNTIES, QUILLMOOR, WENDEMERE } from '../src/supply/sandbox/geography.ts';
import { isResidential } from './homes.ts';
import type { Estate } from './estate.ts';
import { valueUsd } from './prices.ts';
import { randomFor } from './random.ts';

export type Tract = {
  fips: number;
  geoid: string;
  vintage: number;
  population: number;
  medianHouseholdIncome: number | null;
  perCapitaIncome: number | null;
  medianHomeValue: number | null;
  ownerOccupiedRate: number | null;
  vacancyRate: number | null;
  povertyRate: number | null;
  unemploymentRate: number | null;
  housingUnits: number;
  internetRate: number | null;
  composition: Composition | null;
};
/** Shares of the invented population; all but `hispanic` are of those who are not Hispanic. */
type Composition = { white: number; black: number; asian: number; hispanic: number };
export type OpportunityZone = { fips: number; geoid: string; tractType: string; designatedOn: string };

/** Each vintage of the survey asks what a home is worth on this day. */
const SURVEYED_ON: Record<number, string> = { 2010: '2012-01-01', 2020: '2022-07-01' };
const ZONES_PER_COUNTY: Record<number, number> = { [WENDEMERE]: 1, [QUILLMOOR]: 1 };
const FEW_HOMES = 15;

export function surveyTracts(
  estates: readonly Estate[],
  areas: readonly Area[],
): { tracts: Tract[]; zones: OpportunityZone[] } {
  const byTract = Map.groupBy(estates, ({ tract2020 }) => tract2020);
  const byOldTract = Map.groupBy(estates, ({ tract2010 }) => tract2010);
  const tracts = areas.map((area) =>
    surveyTract(area, (area.vintage === 2020 ? byTract : byOldTract).get(area.id) ?? []),
  );
  const zones = COUNTIES.flatMap(({ fips }) =>
    tracts
      .filter((tract) => tract.fips === fips && tract.vintage === 2010 && tract.medianHouseholdIncome !== null)
      .sort((a, b) => a.medianHouseholdIncome! - b.medianHouseholdIncome!)
      .slice(0, ZONES_PER_COUNTY[fips])
      .map(({ geoid }) => ({ fips, geoid, tractType: 'low_income_community', designatedOn: '2018-06-14' })),
  );
  return { tracts, zones };
}

function surveyTract(area: Area, estates: readonly Estate[]): Tract {
  const random = randomFor('census', area.id, area.vintage);
  const homes = estates
    .map(({ home }) => home)
    .filter(({ type, units }) => isResidential(type) || (type === 'apartment' && units !== null));
  const housingUnits = homes.reduce((sum, home) => sum + (home.units ?? 1), 0);
  const base = { fips: area.fips, geoid: area.id, vintage: area.vintage, housingUnits };
  if (homes.length < FEW_HOMES) {
    return {
      ...base,
      population: Math.round(housingUnits * 2.3),
      medianHouseholdIncome: null,
      perCapitaIncome: null,
      medianHomeValue: null,
      ownerOccupiedRate: null,
      vacancyRate: null,
      povertyRate: null,
      unemploymentRate: null,
      internetRate: null,
      composition: null,
    };
  }
  const day = dayNumber(SURVEYED_ON[area.vintage]);
  const values = homes
    .filter(({ type }) => type !== 'apartment')
    .map((home) => valueUsd(home, day))
    .sort((a, b) => a - b);
  const medianHomeValue = Math.round(values[Math.floor(values.length / 2)] / 100) * 100;
  const income = Math.round(9.2 * medianHomeValue ** 0.71 * Math.exp(random.normal(0, 0.05)));
  const owned = estates.filter(({ life }) => life.owners.at(-1)!.isOccupant).length;
  const poverty = Math.min(0.42, Math.max(0.025, 0.135 * (78_000 / income) ** 1.6 * Math.exp(random.normal(0, 0.12))));
  const persons = random.between(2.15, 2.75);
  return {
    ...base,
    population: Math.round(housingUnits * persons * 0.93),
    medianHouseholdIncome: income,
    perCapitaIncome: Math.round((income * 1.22) / persons),
    medianHomeValue,
    ownerOccupiedRate: rate(owned / Math.max(1, housingUnits)),
    vacancyRate: rate(random.between(0.03, 0.1)),
    povertyRate: rate(poverty),
    unemploymentRate: rate(0.025 + poverty * random.between(0.15, 0.3)),
    internetRate: rate(Math.min(0.985, 0.97 - poverty * 0.6)),
    composition: inventComposition(area),
  };
}

/** Independent of everything else about a tract: prices on the island know nothing of it. */
function inventComposition({ id, vintage }: Area): Composition {
  const random = randomFor('composition', id, vintage);
  const parts = [random.between(2, 6), random.between(0.2, 2), random.between(0.2, 1.5), random.between(0.2, 2)];
  const whole = parts.reduce((sum, part) => sum + part, 0) + random.between(0.2, 0.5);
  const [white, black, asian, hispanic] = parts.map((part) => rate(part / whole));
  return { white, black, asian, hispanic };
}

const rate = (share: number): number => Math.round(share * 1000) / 1000;
