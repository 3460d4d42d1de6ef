// What is built on a lot: size, rooms, age, quality and condition, correlated as in a real city and by district.
import { sandboxId } from '../src/supply/sandbox/fixtures.ts';
import type { District, PropertyType } from './land/district.ts';
import { distanceToCoast, distanceToLake, distanceToRiver, pointOf, type Place } from './geography.ts';
import { randomFor, type Random } from './random.ts';

export const CONDITIONS = ['poor', 'fair', 'average', 'good', 'excellent'] as const;
export const QUALITIES = ['low', 'fair', 'average', 'good', 'very_good', 'excellent'] as const;

type Address = { line1: string; unit: string | null };

export type Home = Place & {
  /** Corners of the ground that the lot is cut from. */
  room: Place[];
  /** Of the kilometers that it was placed by. */
  scale: number;
  district: District;
  fips: number;
  id: string;
  apn: string;
  unitKey: string;
  line1: string;
  unit: string | null;
  zip4: string;
  latitude: number;
  longitude: number;
  type: PropertyType;
  sqft: number | null;
  bedrooms: number | null;
  bathsFull: number | null;
  bathsHalf: number | null;
  lotSqft: number | null;
  yearBuilt: number | null;
  effectiveYearBuilt: number | null;
  stories: number | null;
  units: number | null;
  rooms: number | null;
  garageSpaces: number | null;
  pool: boolean | null;
  heating: string | null;
  cooling: string | null;
  exterior: string | null;
  foundation: string | null;
  /** Index into CONDITIONS and QUALITIES. */
  condition: number | null;
  quality: number | null;
  style: string | null;
  subdivision: string | null;
  /** Year of a remodel that raised the condition by one or two steps; before it the home was worse. */
  remodelledIn: number | null;
  remodelSteps: number;
  floor: number;
  waterfront: boolean;
  view: number;
  fireplaces: number;
  basementSqft: number;
  /** What buyers see but records do not show, in logs; the same at every sale of this home. */
  hidden: number;
};

export type Building = Address &
  Place & { apn: string; unitKey: string; type: PropertyType; room: Place[]; floor?: number; floors?: number };

const RESIDENTIAL = new Set<PropertyType>(['single_family', 'condo', 'townhouse', 'multi_family', 'manufactured']);
export const isResidential = (type: PropertyType): boolean => RESIDENTIAL.has(type);

const SIZE: Record<PropertyType, number> = {
  single_family: 1,
  condo: 0.62,
  townhouse: 0.86,
  multi_family: 1.55,
  apartment: 12,
  manufactured: 0.62,
  land: 0,
  commercial: 4.2,
  other: 5,
};
const LOT: Record<PropertyType, number> = {
  single_family: 1,
  condo: 0,
  townhouse: 0.38,
  multi_family: 1.05,
  apartment: 5,
  manufactured: 0.7,
  land: 1.3,
  commercial: 2.8,
  other: 5,
};

export function furnish(district: District, building: Building, scale: number): Home {
  const random = randomFor('home', district.fips, building.apn, building.unitKey);
  const point = pointOf(building, scale);
  const { type } = building;
  const home: Home = {
    ...emptyHome,
    x: building.x,
    y: building.y,
    room: building.room,
    scale,
    district,
    fips: district.fips,
    id: sandboxId(district.fips, building.apn, building.unitKey),
    apn: building.apn,
    unitKey: building.unitKey,
    line1: building.line1,
    unit: building.unit,
    zip4: String(1000 + Math.floor(random.next() * 8999)),
    ...point,
    type,
    subdivision: subdivisionOf(district, building),
    hidden: random.normal(0, 0.055),
    floor: building.floor ?? 1,
    ...setting(building, district, random),
  };
  const lot = district.lotSqft * LOT[type] * Math.exp(random.normal(0, 0.32));
  home.lotSqft = type === 'condo' ? null : roundTo(lot, lot > 43_560 ? 500 : 10);
  if (type !== 'land') build(home, building, random);
  return home;
}

function build(home: Home, building: Building, random: Random): void {
  const { district, type } = home;
  const yearBuilt = Math.min(2025, yearOf(district, type, random));
  const era = (yearBuilt - 1950) / 50;
  const size = random.normal(0, type === 'condo' ? 0.3 : 0.26);
  const bigger = home.waterfront ? 0.12 : 0;
  const sqft = roundTo(district.sqft * SIZE[type] * Math.exp(size + 0.05 * era + bigger), 10);
  const quality =
    district.quality + 0.9 * size + 0.25 * Math.max(0, era) + random.normal(0, 0.65) + (home.waterfront ? 0.3 : 0);
  const age = 2026 - yearBuilt;
  const remodelled = age > 18 && random.chance(Math.min(0.45, 0.12 + age / 300));
  const remodelledIn = remodelled ? random.whole(Math.max(yearBuilt + 12, 1998), 2026) : null;
  const worn = age < 8 ? 1.3 : age < 25 ? 0.5 : 0.05 - age / 260;
  const raw = 2.1 + worn + 0.35 * quality + random.normal(0, 0.62) + (remodelled ? 0.9 : 0);
  home.sqft = sqft;
  home.yearBuilt = yearBuilt;
  home.quality = clamp(Math.round(2.2 + quality), 0, 5);
  home.condition = clamp(Math.round(raw), 0, 4);
  home.remodelledIn = remodelledIn;
  home.remodelSteps = remodelled ? Math.min(home.condition, random.whole(1, 2)) : 0;
  home.effectiveYearBuilt =
    remodelledIn && remodelledIn <= 2025 ? Math.round((yearBuilt + 2 * remodelledIn) / 3) : yearBuilt;
  home.heating = random.weighted(
    age < 45
      ? { forced_air: 60, heat_pump: 32, radiant: 8 }
      : { forced_air: 48, hot_water: 30, steam: 8, heat_pump: 9, none: 5 },
  );
  home.cooling = random.weighted(
    age < 45 ? { central: 78, heat_pump: 16, none: 6 } : { central: 36, window: 28, none: 36 },
  );
  home.exterior = random.weighted(
    age > 70 ? { brick: 42, wood: 38, stone: 8, stucco: 12 } : { vinyl: 40, fiber_cement: 22, brick: 22, stucco: 16 },
  );
  home.foundation = random.weighted(
    district.scheme === 'saints'
      ? { pier: 50, slab: 38, crawl_space: 12 }
      : age > 40
        ? { basement: 62, crawl_space: 26, slab: 12 }
        : { slab: 55, basement: 25, crawl_space: 20 },
  );
  furnishRooms(home, building, random);
}

function furnishRooms(home: Home, building: Building, random: Random): void {
  const { type } = home;
  const sqft = home.sqft!;
  const dwellings = Number(random.weighted({ '2': 68, '3': 20, '4': 12 }));
  home.units = type === 'multi_family' ? dwellings : type === 'apartment' ? Math.max(5, Math.round(sqft / 880)) : 1;
  if (type === 'multi_family') home.sqft = roundTo(sqft * (0.75 + 0.125 * home.units), 10);
  home.stories = building.floors ?? storiesOf(home, random);
  home.style = styleOf(home, random);
  if (!isResidential(type)) {
    home.units = type === 'apartment' ? home.units : null;
    return;
  }
  const perHome = home.sqft! / home.units;
  const bedrooms = clamp(
    Math.round(perHome / 640 + random.normal(type === 'condo' ? 0.1 : 0.35, 0.55)),
    perHome < 520 ? 0 : 1,
    7,
  );
  const modern = home.yearBuilt! > 1975 ? 0.35 : home.remodelledIn ? 0.2 : -0.1;
  const baths = clamp(Math.round((perHome / 950 + modern + random.normal(0.15, 0.4)) * 2) / 2, 1, 6);
  home.bedrooms = bedrooms * home.units;
  home.bathsFull = Math.floor(baths) * home.units;
  home.bathsHalf = baths % 1 === 0 ? 0 : home.units;
  home.rooms = home.bedrooms + home.units * random.whole(2, perHome > 2000 ? 5 : 3);
  const hasCar = type === 'single_family' || type === 'townhouse' || type === 'multi_family';
  const carChance = home.yearBuilt! < 1930 ? 0.35 : home.yearBuilt! < 1965 ? 0.68 : 0.93;
  home.garageSpaces =
    hasCar && random.chance(carChance)
      ? home.sqft! > 2100 && type === 'single_family'
        ? random.whole(2, 3)
        : random.whole(1, 2)
      : type === 'condo' && random.chance(0.55)
        ? 1
        : 0;
  home.pool = type === 'single_family' && random.chance(0.03 + 0.05 * Math.max(0, home.quality! - 2));
  home.fireplaces = type === 'manufactured' ? 0 : clamp(Math.round(home.quality! / 3 + random.normal(-0.3, 0.5)), 0, 3);
  home.basementSqft =
    home.foundation === 'basement' && type !== 'condo'
      ? roundTo((home.sqft! / Math.max(1, home.stories)) * random.between(0.5, 1), 10)
      : 0;
}

function yearOf(district: District, type: PropertyType, random: Random): number {
  const [first, middle, last] = district.years;
  if (type === 'manufactured') return random.whole(1968, 2018);
  // Some homes replaced older ones: infill from recent decades.
  if (random.chance(0.035)) return random.whole(1998, 2025);
  const half = random.chance((middle - first) / (last - first)) ? first : last;
  return Math.round(middle + (half - middle) * (Math.abs(random.normal(0, 0.42)) % 1));
}

function setting(place: Place, district: District, random: Random): Pick<Home, 'waterfront' | 'view'> {
  const nearest = Math.min(distanceToCoast(place), distanceToLake(place));
  const waterfront = nearest < 0.11 || (distanceToRiver(place) < 0.045 && district.quality > 0);
  const reach = nearest < 0.11 ? 3 : nearest < 0.3 ? 1.4 : district.key === 'lantern-hill' ? 0.7 : 0.1;
  return { waterfront, view: clamp(Math.round(reach + random.normal(0, 0.5)), 0, 4) };
}

function storiesOf(home: Home, random: Random): number {
  if (home.type === 'manufactured') return 1;
  if (home.type === 'apartment') return clamp(Math.round(home.units! / 9), 2, 9);
  if (home.type === 'townhouse') return random.chance(0.3) ? 3 : 2;
  if (home.type === 'commercial' || home.type === 'other') return random.whole(1, 3);
  if (home.sqft! > 2000) return random.chance(0.85) ? 2 : 1;
  return Number(random.weighted({ '1': 52, '1.5': 20, '2': 28 }));
}

function styleOf(home: Home, random: Random): string | null {
  const year = home.yearBuilt!;
  switch (home.type) {
    case 'single_family':
      if (year < 1905) return random.weighted({ victorian: 60, colonial: 25, farmhouse: 15 });
      if (year < 1942) return random.weighted({ bungalow: 38, tudor: 18, colonial: 30, foursquare: 14 });
      if (year < 1985) return random.weighted({ ranch: 52, cape_cod: 18, split_level: 20, colonial: 10 });
      return random.weighted({ contemporary: 40, traditional: 42, craftsman: 18 });
    case 'condo':
      return { tower: 'high_rise', walkup: 'mid_rise', garden: 'garden', conversion: 'conversion' }[
        home.district.condoStyle
      ];
    case 'townhouse':
      return year < 1950 ? 'rowhouse' : 'townhouse';
    case 'multi_family':
      return ['duplex', 'duplex', 'duplex', 'triplex', 'fourplex'][home.units!];
    case 'manufactured':
      return home.sqft! > 1150 ? 'double_wide' : 'single_wide';
    default:
      return null;
  }
}

function subdivisionOf(district: District, building: Building): string | null {
  if (district.blockDepthM > 300) return null;
  const quarter = (building.x > district.x ? 1 : 0) + (building.y > district.y ? 2 : 0);
  return `${district.name} ${['First', 'Second', 'Third', 'Fourth'][quarter]} Addition`;
}

const emptyHome = {
  lotSqft: null,
  sqft: null,
  bedrooms: null,
  bathsFull: null,
  bathsHalf: null,
  yearBuilt: null,
  effectiveYearBuilt: null,
  stories: null,
  units: null,
  rooms: null,
  garageSpaces: null,
  pool: null,
  heating: null,
  cooling: null,
  exterior: null,
  foundation: null,
  condition: null,
  quality: null,
  style: null,
  remodelledIn: null,
  remodelSteps: 0,
  fireplaces: 0,
  basementSqft: 0,
};

function roundTo(value: number, step: number): number {
  return Math.round(value / step) * step;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
