// What buyers pay: place × size × quality × age × condition × time, plus what records do not show and the luck of a
// sale.
import { yearOfDay } from './dates.ts';
import type { PropertyType } from './land/district.ts';
import { distanceToCoast, distanceToLake, distanceToRiver } from './geography.ts';
import type { Home } from './homes.ts';
import type { Random } from './random.ts';

/** Price of 1,800 square feet in an average home on an average street in July 2011. */
const BASE_PRICE_USD = 205_000;

/** The market's level in logs: a dip, a long rise, the boom of 2020–2022, a correction, a slow rise. */
const INDEX: [year: number, level: number][] = [
  [2000, -0.3],
  [2006.5, 0.12],
  [2009, 0.04],
  [2011.5, 0],
  [2012.2, -0.05],
  [2014, 0.08],
  [2016, 0.2],
  [2018.5, 0.35],
  [2020.3, 0.41],
  [2022.4, 0.74],
  [2023.2, 0.66],
  [2024.5, 0.73],
  [2026.5, 0.81],
];
const TYPE_LEVEL: Record<PropertyType, number> = {
  single_family: 0,
  condo: -0.02,
  townhouse: -0.06,
  multi_family: -0.17,
  apartment: -0.3,
  manufactured: -0.55,
  land: 0,
  commercial: -0.1,
  other: -0.3,
};
const SIZE_POWER: Record<PropertyType, number> = {
  single_family: 0.66,
  condo: 0.86,
  townhouse: 0.7,
  multi_family: 0.62,
  apartment: 0.92,
  manufactured: 0.6,
  land: 0,
  commercial: 0.85,
  other: 0.8,
};
const CONDITION_STEP = [-0.27, -0.11, 0, 0.075, 0.14];
const QUALITY_STEP = [-0.24, -0.11, 0, 0.11, 0.23, 0.37];
/** The luck of one sale: mostly ±9%, occasionally a bargain or a bidding war. */
const SALE_SIGMA = 0.085;
const RARE_SALE_SIGMA = 0.24;
const RARE_SHARE = 0.045;

export function marketIndex(day: number): number {
  const year = yearOfDay(day);
  let index = 1;
  while (index < INDEX.length - 1 && INDEX[index][0] < year) index++;
  const [[fromYear, from], [toYear, to]] = [INDEX[index - 1], INDEX[index]];
  const season = 0.014 * Math.sin(2 * Math.PI * (year - 0.2));
  return from + ((to - from) * (year - fromYear)) / (toYear - fromYear) + season;
}

/** The log of a home's value on a day, in the condition it was in then. */
export function logValue(home: Home, day: number): number {
  const years = yearOfDay(day) - 2011.5;
  return (
    Math.log(BASE_PRICE_USD) +
    locationLevel(home) +
    homeLevel(home, day) +
    home.hidden +
    marketIndex(day) +
    (home.district.drift * years) / 15
  );
}

export function valueUsd(home: Home, day: number): number {
  return Math.exp(logValue(home, day));
}

/** A price as contracts state it: rounded to hundreds, thousands or five thousands. */
export function salePriceUsd(home: Home, day: number, random: Random, discount = 0): number {
  const luck = random.normal(0, random.chance(RARE_SHARE) ? RARE_SALE_SIGMA : SALE_SIGMA);
  const price = Math.exp(logValue(home, day) + luck + discount);
  const step = random.chance(0.35) ? 5000 : random.chance(0.7) ? 1000 : 100;
  return Math.max(5000, Math.round(price / step) * step);
}

export function conditionOn(home: Home, day: number): number | null {
  if (home.condition === null) return null;
  const isAfter = home.remodelledIn === null || yearOfDay(day) >= home.remodelledIn + 0.5;
  return isAfter ? home.condition : home.condition - home.remodelSteps;
}

/** Smooth across the island, so that nearby streets cost about the same: sea, lake, river, works and distance to the
    harbor. */
function locationLevel(home: Home): number {
  const { x, y, district } = home;
  const sea = distanceToCoast(home);
  const lake = distanceToLake(home);
  const river = distanceToRiver(home);
  const harbor = Math.hypot(x - 14.2, y - 7.4);
  const works = Math.hypot(x - 13.1, y - 4.5);
  return (
    district.level +
    0.24 * Math.exp(-sea / 0.28) +
    0.3 * Math.exp(-Math.max(0, lake) / 0.14) +
    0.05 * Math.exp(-river / 0.15) +
    0.1 * Math.exp(-harbor / 2.2) -
    0.13 * Math.exp(-works / 0.7) +
    0.05 * Math.sin(2.9 * x + 1.1) * Math.cos(3.4 * y + 0.3) +
    0.035 * Math.sin(6.1 * x - 4.3 * y)
  );
}

function homeLevel(home: Home, day: number): number {
  if (home.type === 'land') return landLevel(home);
  const age = Math.max(0, Math.min(120, yearOfDay(day) - home.yearBuilt!));
  const baths = home.bathsFull === null ? 0 : home.bathsFull + 0.5 * home.bathsHalf!;
  const bathsExpected = home.sqft! / 950 + 0.3;
  const isSold = home.bedrooms !== null;
  return (
    TYPE_LEVEL[home.type] +
    SIZE_POWER[home.type] * Math.log(home.sqft! / 1800) +
    (home.lotSqft ? 0.085 * Math.log(home.lotSqft / 6000) : 0) +
    ageLevel(age) +
    CONDITION_STEP[conditionOn(home, day)!] +
    QUALITY_STEP[home.quality!] +
    (isSold ? 0.045 * Math.max(-1.5, Math.min(1.5, baths - bathsExpected)) : 0) +
    (isSold && home.bedrooms! / home.units! <= 1 && home.type === 'single_family' ? -0.06 : 0) +
    0.028 * (home.garageSpaces ?? 0) +
    (home.pool ? 0.035 : 0) +
    0.012 * home.fireplaces +
    (home.basementSqft * 0.035) / 1000 +
    (home.waterfront ? 0.16 : 0) +
    0.022 * home.view +
    (home.type === 'condo' ? 0.008 * Math.min(20, home.floor) : 0)
  );
}

/** New homes cost more, homes from the sixties least, and very old ones have charm. */
function ageLevel(age: number): number {
  return age < 60 ? 0.13 - 0.0042 * age : -0.122 + 0.0016 * (age - 60);
}

function landLevel(home: Home): number {
  return -1.25 + 0.42 * Math.log(home.lotSqft! / 6000) + (home.waterfront ? 0.45 : 0);
}
