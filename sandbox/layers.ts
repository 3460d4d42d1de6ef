// The records of a home that risk layers are made of: permits, tax liens and code violations.
import type { Tax } from './assessments.ts';
import { firstDayOf, isoOf, LAST_DAY } from './dates.ts';
import { WENDEMERE } from '../src/supply/sandbox/geography.ts';
import type { Home } from './homes.ts';
import { randomFor, type Random } from './random.ts';

/** The publisher has no permits from before. */
const PERMITS_FROM = '2012-01-01';

export type Permit = {
  id: string;
  number: string;
  type: string;
  description: string;
  status: string;
  issuedOn: string;
  finalOn: string | null;
  jobValueUsd: number;
};
export type Lien = {
  id: string;
  type: string;
  amountUsd: number;
  taxYear: number;
  filedOn: string;
  status: 'open' | 'released' | 'sold';
  releasedOn: string | null;
  documentNumber: string;
};
export type Violation = {
  id: string;
  caseNumber: string;
  section: string;
  description: string;
  status: 'open' | 'closed';
  openedOn: string;
  closedOn: string | null;
};

export type Layers = {
  permits: Permit[];
  liens: Lien[];
  /** Undefined if the county publishes none. */
  violations: Violation[] | undefined;
};

export function layersOf(home: Home, taxes: readonly Tax[]): Layers {
  return {
    permits: permitsOf(home),
    liens: liensOf(home, taxes),
    violations: home.fips === WENDEMERE ? violationsOf(home) : undefined,
  };
}

const PERMIT_KINDS: [type: string, description: string, low: number, high: number][] = [
  ['roofing', 'Replace roof covering', 7000, 24000],
  ['mechanical', 'Replace furnace and condenser', 5000, 16000],
  ['electrical', 'Service upgrade to 200 A', 2500, 9000],
  ['plumbing', 'Replace water heater', 1200, 4500],
  ['electrical', 'Roof-mounted solar array', 14000, 38000],
  ['building', 'Rear deck', 4000, 22000],
  ['building', 'Finish basement', 15000, 60000],
  ['fence', 'New fence', 1500, 9000],
];

function permitsOf(home: Home): Permit[] {
  const random = randomFor('permits', home.id);
  const permits: Permit[] = [];
  const add = (type: string, description: string, issuedDay: number, jobValueUsd: number) => {
    const issuedOn = isoOf(issuedDay);
    if (issuedOn < PERMITS_FROM || issuedDay > LAST_DAY) return;
    const finalDay = issuedDay + random.whole(20, 320);
    const isLapsed = random.chance(0.07);
    const isFinal = finalDay <= LAST_DAY && !isLapsed;
    const number = `${home.fips === WENDEMERE ? 'BP' : 'Q'}${issuedOn.slice(2, 4)}-${String(random.whole(0, 99_999)).padStart(5, '0')}`;
    permits.push({
      id: `${home.id} ${permits.length} ${number}`,
      number,
      type,
      description,
      status: isFinal ? 'finaled' : isLapsed && finalDay <= LAST_DAY ? 'expired' : 'issued',
      issuedOn,
      finalOn: isFinal ? isoOf(finalDay) : null,
      jobValueUsd,
    });
  };
  if (home.yearBuilt === null) return permits;
  if (home.yearBuilt >= 2012)
    add(
      'new_construction',
      `New ${home.type.replace('_', ' ')}`,
      dayIn(home.yearBuilt - 1, random),
      Math.round((home.sqft! * random.between(120, 190)) / 1000) * 1000,
    );
  if (home.remodelledIn)
    add(
      'remodel',
      random.pick(['Kitchen and bath remodel', 'Interior renovation', 'Addition and remodel']),
      dayIn(home.remodelledIn, random),
      Math.round((home.sqft! * random.between(22, 75)) / 500) * 500,
    );
  const rate = home.type === 'condo' ? 0.2 : 0.95;
  for (let count = poisson(rate * (2026 - home.yearBuilt > 12 ? 1 : 0.3), random); count > 0; count--) {
    const [type, description, low, high] = random.pick(PERMIT_KINDS);
    add(type, description, dayIn(random.whole(2012, 2026), random), Math.round(random.between(low, high) / 100) * 100);
  }
  return permits.sort((a, b) => (a.issuedOn < b.issuedOn ? -1 : 1));
}

/** A lien follows a tax that stayed unpaid; most are released within two years, some are sold. */
function liensOf(home: Home, taxes: readonly Tax[]): Lien[] {
  const random = randomFor('liens', home.id);
  const liens: Lien[] = [];
  const risk = 0.0028 * (home.district.level < -0.2 ? 2.4 : 1) * (home.type === 'land' ? 2 : 1);
  for (const tax of taxes) {
    if (tax.amountCents === 0 || !(tax.status === 'delinquent' || random.chance(risk))) continue;
    const filedDay = firstDayOf(tax.year + 1) + random.whole(120, 178);
    if (filedDay > LAST_DAY) continue;
    const status =
      tax.status === 'delinquent' ? 'open' : random.weighted({ released: 74, open: 16, sold: 10 } as const);
    const endDay = filedDay + random.whole(60, 720);
    const isEnded = status !== 'open' && endDay <= LAST_DAY;
    const documentNumber = `TL-${tax.year + 1}-${String(random.whole(0, 99_999)).padStart(5, '0')}`;
    liens.push({
      id: `${home.id} ${tax.year}`,
      type: 'property_tax',
      amountUsd: Math.round((tax.amountCents * 1.12) / 100),
      taxYear: tax.year,
      filedOn: isoOf(filedDay),
      status: isEnded ? status : 'open',
      releasedOn: isEnded ? isoOf(endDay) : null,
      documentNumber,
    });
  }
  return liens;
}

const VIOLATION_KINDS: [section: string, description: string][] = [
  ['14-201', 'Exterior paint and siding in disrepair'],
  ['14-210', 'Overgrown vegetation'],
  ['14-305', 'Work without a permit'],
  ['14-118', 'Inoperable vehicle in yard'],
  ['14-402', 'Unsafe porch or stair'],
  ['14-220', 'Accumulation of refuse'],
  ['14-501', 'No heat in rental unit'],
];

function violationsOf(home: Home): Violation[] {
  const random = randomFor('violations', home.id);
  const worn = home.condition === null ? 1.4 : [4, 2, 1, 0.6, 0.4][home.condition];
  const violations: Violation[] = [];
  for (let count = poisson(0.2 * worn * (home.district.level < -0.2 ? 1.8 : 1), random); count > 0; count--) {
    const [section, description] = random.pick(VIOLATION_KINDS);
    const openedDay = dayIn(random.whole(2016, 2026), random);
    if (openedDay > LAST_DAY) continue;
    const openedOn = isoOf(openedDay);
    const closedDay = openedDay + random.whole(14, 420);
    const isClosed = closedDay <= LAST_DAY && !random.chance(0.08);
    const caseNumber = `CE-${openedOn.slice(0, 4)}-${String(random.whole(0, 99_999)).padStart(5, '0')}`;
    violations.push({
      id: `${home.id} ${violations.length} ${caseNumber}`,
      caseNumber,
      section,
      description,
      status: isClosed ? 'closed' : 'open',
      openedOn,
      closedOn: isClosed ? isoOf(closedDay) : null,
    });
  }
  return violations.sort((a, b) => (a.openedOn < b.openedOn ? -1 : 1));
}

function dayIn(year: number, random: Random): number {
  return firstDayOf(year) + random.whole(0, 363);
}

function poisson(mean: number, random: Random): number {
  let count = 0;
  for (let product = random.next(); product > Math.exp(-mean); product *= random.next()) count++;
  return count;
}
