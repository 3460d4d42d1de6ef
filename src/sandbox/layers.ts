// Risk and paper of a home: flood stamp, permits, tax liens and code violations.
import { addDays } from '../lib/clock.ts';
import { recordId } from '../lib/ids.ts';
import type { Tax } from './assessments.ts';
import { areasAt, type Area } from './areas.ts';
import { WENDEMERE } from './geography.ts';
import type { Home } from './homes.ts';
import { randomFor, type Random } from './random.ts';

export const TODAY = '2026-06-30';
/** From when each layer's publisher has records. */
export const COVERS_FROM = { permits: '2012-01-01', tax_liens: '2015-01-01', code_violations: '2016-01-01' };

export type Flood = {
  zone: string;
  subtype: string | null;
  sfha: boolean;
  bfeFt: number | null;
  panel: string;
  effectiveOn: string;
  zones: { zone: string; zone_subtype: string | null; sfha: boolean; share: number }[];
};
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
  flood: Flood;
  permits: Permit[];
  liens: Lien[];
  /** undefined where the county publishes none. */ violations: Violation[] | undefined;
};

export function stampLayers(home: Home, floodAreas: readonly Area[], taxes: readonly Tax[]): Layers {
  return {
    flood: stampFlood(home, floodAreas),
    permits: permitsOf(home),
    liens: liensOf(home, taxes),
    violations: home.fips === WENDEMERE ? violationsOf(home) : undefined,
  };
}

/** The zone is the gravest that the lot touches; five points of the lot give the shares. */
function stampFlood(home: Home, areas: readonly Area[]): Flood {
  const reach = Math.sqrt(Math.min(home.lotSqft ?? 900, 20_000)) / 2 / 365_000;
  const touched = [
    [0, 0],
    [1, 1],
    [1, -1],
    [-1, 1],
    [-1, -1],
  ].map(([east, north]) => {
    const point = { latitude: home.latitude + north * reach, longitude: home.longitude + east * reach };
    return areasAt(areas, point).reduce<Area | undefined>(
      (gravest, area) => (gravest && gravest.rank >= area.rank ? gravest : area),
      undefined,
    );
  });
  const found = touched.filter((area) => area !== undefined).sort((a, b) => b.rank - a.rank);
  const kinds = [...new Set(found)];
  const describe = ({ attributes }: Area) => ({
    zone: attributes.FLD_ZONE as string,
    zone_subtype: attributes.ZONE_SUBTY as string | null,
    sfha: attributes.SFHA_TF === 'T',
  });
  const { attributes } = found[0];
  const first = describe(found[0]);
  const bfe = attributes.STATIC_BFE as number;
  return {
    zone: first.zone,
    subtype: first.zone_subtype,
    sfha: first.sfha,
    bfeFt: bfe === -9999 ? null : bfe,
    panel: attributes.FIRM_PAN as string,
    effectiveOn: attributes.EFF_DATE as string,
    zones: kinds.map((area) => ({
      ...describe(area),
      share: found.filter((other) => other === area).length / found.length,
    })),
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
  const add = (type: string, description: string, issuedOn: string, jobValueUsd: number) => {
    if (issuedOn < COVERS_FROM.permits || issuedOn > TODAY) return;
    const finalOn = addDays(issuedOn, random.whole(20, 320));
    const isOver = random.chance(0.07);
    const isFinal = finalOn <= TODAY && !isOver;
    const number = `${home.fips === WENDEMERE ? 'BP' : 'Q'}${issuedOn.slice(2, 4)}-${String(random.whole(0, 99_999)).padStart(5, '0')}`;
    permits.push({
      id: recordId('permit', home.id, permits.length, number),
      number,
      type,
      description,
      issuedOn,
      jobValueUsd,
      status: isFinal ? 'finaled' : isOver && finalOn <= TODAY ? 'expired' : 'issued',
      finalOn: isFinal ? finalOn : null,
    });
  };
  if (home.yearBuilt === null) return permits;
  if (home.yearBuilt >= 2012)
    add(
      'new_construction',
      `New ${home.type.replace('_', ' ')}`,
      dateIn(home.yearBuilt - 1, random),
      Math.round((home.sqft! * random.between(120, 190)) / 1000) * 1000,
    );
  if (home.remodelledIn)
    add(
      'remodel',
      random.pick(['Kitchen and bath remodel', 'Interior renovation', 'Addition and remodel']),
      dateIn(home.remodelledIn, random),
      Math.round((home.sqft! * random.between(22, 75)) / 500) * 500,
    );
  const rate = home.type === 'condo' ? 0.2 : 0.95;
  for (let count = poisson(rate * (2026 - home.yearBuilt > 12 ? 1 : 0.3), random); count > 0; count--) {
    const [type, description, low, high] = random.pick(PERMIT_KINDS);
    add(type, description, dateIn(random.whole(2012, 2026), random), Math.round(random.between(low, high) / 100) * 100);
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
    const filedOn = addDays(`${tax.year + 1}-05-01`, random.whole(0, 58));
    if (filedOn > TODAY) continue;
    const status =
      tax.status === 'delinquent' ? 'open' : random.weighted({ released: 74, open: 16, sold: 10 } as const);
    const endsOn = addDays(filedOn, random.whole(60, 720));
    const isEnded = status !== 'open' && endsOn <= TODAY;
    const documentNumber = `TL-${tax.year + 1}-${String(random.whole(0, 99_999)).padStart(5, '0')}`;
    liens.push({
      id: recordId('lien', home.id, tax.year),
      type: 'property_tax',
      amountUsd: Math.round((tax.amountCents * 1.12) / 100),
      taxYear: tax.year,
      filedOn,
      status: isEnded ? status : 'open',
      releasedOn: isEnded ? endsOn : null,
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
  for (let count = poisson(0.11 * worn * (home.district.level < -0.2 ? 1.8 : 1), random); count > 0; count--) {
    const [section, description] = random.pick(VIOLATION_KINDS);
    const openedOn = dateIn(random.whole(2016, 2026), random);
    if (openedOn > TODAY) continue;
    const closedOn = addDays(openedOn, random.whole(14, 420));
    const isClosed = closedOn <= TODAY && !random.chance(0.08);
    const caseNumber = `CE-${openedOn.slice(0, 4)}-${String(random.whole(0, 99_999)).padStart(5, '0')}`;
    violations.push({
      id: recordId('viol', home.id, violations.length, caseNumber),
      caseNumber,
      section,
      description,
      status: isClosed ? 'closed' : 'open',
      openedOn,
      closedOn: isClosed ? closedOn : null,
    });
  }
  return violations.sort((a, b) => (a.openedOn < b.openedOn ? -1 : 1));
}

function dateIn(year: number, random: Random): string {
  return addDays(`${year}-01-01`, random.whole(0, 363));
}

function poisson(mean: number, random: Random): number {
  let count = 0;
  for (let product = random.next(); product > Math.exp(-mean); product *= random.next()) count++;
  return count;
}
