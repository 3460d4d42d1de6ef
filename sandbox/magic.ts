// The homes behind the magic inputs, placed by hand: rows like all others, with stable parcel numbers.
import { DISTRICTS } from './land/districts.ts';
import type { PropertyType } from './land/district.ts';
import { roomAround } from './land/plots.ts';
import { MAGIC_APN } from '../src/supply/sandbox/fixtures.ts';
import { coastX, type Place } from './geography.ts';
import type { Estate } from './estate.ts';
import { furnish, type Home } from './homes.ts';

type MagicHome = Pick<Estate, 'home' | 'listed'> & { saleDays: string[] };

type Plan = {
  apn: string;
  line1: string;
  district: string;
  x: number;
  y: number;
  type?: PropertyType;
  unit?: string;
  floor?: number;
  saleDays?: string[];
  listed?: Estate['listed'];
  change?: Partial<Home>;
  /** Kilometers, if not those of an ordinary lot. */
  room?: Place[];
};

const SOLD_TWICE = ['2015-05-20', '2022-09-14'];
const onSandboxWay = (apn: string, number: number, rest: Partial<Plan> = {}): Plan => ({
  apn,
  line1: `${number} Sandbox Way`,
  district: 'old-town',
  x: 12.15 + (number % 1000) / 800,
  y: 8.86 + (number % 2) * 0.03,
  room: stripOf(number, number),
  ...rest,
});

/** House numbers on Sandbox Way are two and a half meters apart, and so are the lots. */
function stripOf(first: number, last: number): Place[] {
  const [from, to] = [first, last].map((number) => 12.15 + (number % 1000) / 800);
  return roomAround({ x: (from + to) / 2, y: 8.86 + (first % 2) * 0.03 }, to - from + 0.0024, 0.028);
}

const AT_410: Partial<Plan> = { line1: '410 Sandbox Way', listed: 'from_june', saleDays: [] };
const AT_301: Partial<Plan> = { line1: '301 Sandbox Way', listed: 'from_june', saleDays: [] };

const PLANS: readonly Plan[] = [
  {
    apn: MAGIC_APN.demo,
    line1: '1208 Lantern Hill Dr',
    district: 'lantern-hill',
    x: 11.08,
    y: 8.33,
    saleDays: ['2013-06-14', '2018-04-27', '2023-08-30'],
    change: {
      sqft: 2180,
      bedrooms: 4,
      bathsFull: 2,
      bathsHalf: 1,
      rooms: 9,
      lotSqft: 7800,
      yearBuilt: 1927,
      effectiveYearBuilt: 1987,
      stories: 2,
      garageSpaces: 2,
      style: 'tudor',
      exterior: 'brick',
      foundation: 'basement',
      heating: 'hot_water',
      cooling: 'central',
      condition: 3,
      quality: 3,
      remodelledIn: 2017,
      remodelSteps: 1,
      pool: false,
      fireplaces: 1,
      basementSqft: 900,
      hidden: 0.01,
    },
  },
  onSandboxWay(MAGIC_APN.noData, 422, { saleDays: [] }),
  onSandboxWay(MAGIC_APN.rateLimited, 429),
  onSandboxWay(MAGIC_APN.quotaExhausted, 402),
  onSandboxWay(MAGIC_APN.slow, 2000),
  onSandboxWay(MAGIC_APN.serverError, 500),
  onSandboxWay(MAGIC_APN.unavailable, 503),
  onSandboxWay(MAGIC_APN.layerAway, 207),
  // A load links the parcels that leave the roll to the new ones at the same street address.
  onSandboxWay(MAGIC_APN.split, 410, { listed: 'until_june', saleDays: ['2014-03-12'], room: stripOf(410, 414) }),
  onSandboxWay(MAGIC_APN.splitFirst, 412, { ...AT_410, unit: 'Unit A' }),
  onSandboxWay(MAGIC_APN.splitSecond, 414, { ...AT_410, unit: 'Unit B' }),
  onSandboxWay(MAGIC_APN.merged, 301, { unit: 'Unit A', listed: 'until_june', saleDays: ['2012-10-03'] }),
  onSandboxWay(MAGIC_APN.mergedToo, 303, { ...AT_301, unit: 'Unit B', listed: 'until_june' }),
  onSandboxWay(MAGIC_APN.mergedInto, 303, { ...AT_301, room: stripOf(301, 303) }),
  onSandboxWay(MAGIC_APN.commercial, 600, { type: 'commercial' }),
  onSandboxWay(MAGIC_APN.disagreement, 801),
  onSandboxWay(MAGIC_APN.ownerHidden, 805),
  onSandboxWay(MAGIC_APN.titleGap, 701),
  onSandboxWay(MAGIC_APN.titleNames, 703),
  onSandboxWay(MAGIC_APN.titleOrder, 705),
  onSandboxWay(MAGIC_APN.titleLoans, 707),
  onSandboxWay(MAGIC_APN.titleStrays, 709),
  { apn: MAGIC_APN.northLighthouse, line1: '350 N Lighthouse Ave', district: 'old-town', x: 13.9, y: 8.1 },
  { apn: MAGIC_APN.southLighthouse, line1: '350 S Lighthouse Ave', district: 'old-town', x: 13.9, y: 7.4 },
  { apn: MAGIC_APN.marketPort, line1: '77 Market St', district: 'old-town', x: 13.55, y: 7.74 },
  { apn: MAGIC_APN.marketQuillmoor, line1: '77 Market St', district: 'quillmoor', x: 5.12, y: 3.62 },
  {
    apn: MAGIC_APN.coastal,
    line1: '9 Breakwater Ln',
    district: 'saint-orla',
    x: coastX(10.2) - 0.055,
    y: 10.2,
  },
  ...['Unit 101', 'Unit 102', 'Unit 201', 'Unit 202', 'PH 1'].map((unit, index): Plan => ({
    apn: `${MAGIC_APN.condo}-U${String(index + 1).padStart(3, '0')}`,
    line1: '20 Fogbell Ln',
    unit,
    district: 'quayside',
    x: 14.6,
    y: 7.9,
    type: 'condo',
    floor: index < 2 ? 1 : index < 4 ? 2 : 3,
  })),
];

/** A record with too little data to value: an address and nothing else. */
const UNKNOWN: Partial<Home> = {
  sqft: null,
  bedrooms: null,
  bathsFull: null,
  bathsHalf: null,
  rooms: null,
  lotSqft: null,
  yearBuilt: null,
  effectiveYearBuilt: null,
  stories: null,
  units: null,
  garageSpaces: null,
  pool: null,
  heating: null,
  cooling: null,
  exterior: null,
  foundation: null,
  condition: null,
  quality: null,
  style: null,
};

export function settleMagic(scale: number): MagicHome[] {
  return PLANS.map((plan) => {
    const district = DISTRICTS.find(({ key }) => key === plan.district)!;
    const { apn, line1, x, y } = plan;
    const home = furnish(
      district,
      {
        apn,
        line1,
        x,
        y,
        room: plan.room ?? roomAround(plan, 0.022, 0.034),
        unit: plan.unit ?? null,
        unitKey: '',
        type: plan.type ?? 'single_family',
        floor: plan.floor,
        floors: plan.floor ? 3 : undefined,
      },
      scale,
    );
    Object.assign(home, plan.change);
    return { home, saleDays: plan.saleDays ?? SOLD_TWICE, listed: plan.listed ?? 'always' };
  });
}

/** Removed after the home's history is generated, so that sales and taxes follow from what it really is. */
export function forget(home: Home): void {
  if (home.apn === MAGIC_APN.noData) Object.assign(home, UNKNOWN);
}
