// A home's risk layers: flood stamp, permits, tax liens and code violations.
import { ringHolds } from '../../../base/lib/geo.ts';
import { recordId } from '../../../base/lib/ids.ts';
import type { Tax } from './assessments.ts';
import { MINIMAL_RANK, type Area, type FloodAttributes } from './land/areas.ts';
import { firstDayOf, isoOf, LAST_DAY } from '../dates.ts';
import { WENDEMERE } from '../geography.ts';
import type { Home } from './homes.ts';
import { randomFor, type Random } from './random.ts';

/** From when each layer's publisher has records. */
export const COVERS_FROM = { permits: '2012-01-01', tax_liens: '2021-01-01', code_violations: '2016-01-01' };

type Flood = {
  zone: string;
  subtype: string | null;
  sfha: boolean;
  bfeFt: number | null;
  panel: string;
  effectiveOn: string;
  zones: { zone: string; zone_subtype: string | null; sfha: boolean; share: number }[];
};
type Permit = {
  id: string;
  number: string;
  type: string;
  description: string;
  status: string;
  issuedOn: string;
  finalOn: string | null;
  jobValueUsd: number;
};
type Lien = {
  id: string;
  type: string;
  amountUsd: number;
  taxYear: number;
  filedOn: string;
  status: 'open' | 'released' | 'sold';
  releasedOn: string | null;
  documentNumber: string;
};
type Violation = {
  id: string;
  caseNumber: string;
  section: string;
  description: string;
  status: 'open' | 'closed';
  openedOn: string;
  closedOn: string | null;
};

export type Layers = {
  flood: Flood;
  permits: Permit[];
  liens: Lien[];
  /** Undefined if the county publishes none. */ violations: Violation[] | undefined;
};

export function stampLayers(home: Home, floodAreas: readonly Area[], taxes: readonly Tax[]): Layers {
  return {
    flood: stampFlood(home, floodAreas),
    permits: permitsOf(home),
    liens: liensOf(home, taxes),
    violations: home.fips === WENDEMERE ? violationsOf(home) : undefined,
  };
}

const LOT_POINTS = [
  [0, 0],
  [1, 1],
  [1, -1],
  [-1, 1],
  [-1, -1],
];
const FEET_PER_DEGREE = 365_000;
const UNKNOWN_BFE = -9999;

/** The zone is the most severe one the lot touches; five points of the lot give the shares. */
function stampFlood(home: Home, areas: readonly Area[]): Flood {
  const reach = Math.sqrt(Math.min(home.lotSqft ?? 900, 20_000)) / 2 / FEET_PER_DEGREE;
  const near = areas.filter((area) => isNear(area, home, reach));
  const found = LOT_POINTS.map(([east, north]) => {
    const point = { latitude: home.latitude + north * reach, longitude: home.longitude + east * reach };
    return near.find((area) => area.rank === MINIMAL_RANK || ringHolds(area.rings[0], point))!;
  }).sort((a, b) => b.rank - a.rank);
  const { FLD_ZONE, ZONE_SUBTY, SFHA_TF, STATIC_BFE, FIRM_PAN, EFF_DATE } = found[0].attributes as FloodAttributes;
  const byZone = Map.groupBy(found, ({ attributes }) => `${attributes.FLD_ZONE} ${attributes.ZONE_SUBTY}`);
  return {
    zone: FLD_ZONE,
    subtype: ZONE_SUBTY,
    sfha: SFHA_TF === 'T',
    bfeFt: STATIC_BFE === UNKNOWN_BFE ? null : STATIC_BFE,
    panel: FIRM_PAN,
    effectiveOn: EFF_DATE,
    zones: [...byZone.values()].map((same) => {
      const attributes = same[0].attributes as FloodAttributes;
      const share = same.length / found.length;
      return {
        zone: attributes.FLD_ZONE,
        zone_subtype: attributes.ZONE_SUBTY,
        sfha: attributes.SFHA_TF === 'T',
        share,
      };
    }),
  };
}

/** Areas are sorted most severe first; a point in none falls into the last, the county's area of minimal hazard. */
function isNear({ box, fips, rank }: Area, home: Home, reach: number): boolean {
  if (rank === MINIMAL_RANK) return fips === home.fips;
  return (
    home.longitude >= box.minLongitude - reach &&
    home.longitude <= box.maxLongitude + reach &&
    home.latitude >= box.minLatitude - reach &&
    home.latitude <= box.maxLatitude + reach
  );
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
    if (issuedOn < COVERS_FROM.permits || issuedDay > LAST_DAY) return;
    const finalDay = issuedDay + random.whole(20, 320);
    const isLapsed = random.chance(0.07);
    const isFinal = finalDay <= LAST_DAY && !isLapsed;
    const number = `${home.fips === WENDEMERE ? 'BP' : 'Q'}${issuedOn.slice(2, 4)}-${String(random.whole(0, 99_999)).padStart(5, '0')}`;
    permits.push({
      id: recordId('permit', home.id, permits.length, number),
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
      id: recordId('lien', home.id, tax.year),
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
      id: recordId('viol', home.id, violations.length, caseNumber),
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
