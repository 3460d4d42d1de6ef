// Turns lots into parcels: which type goes where, condo buildings with units in several styles, two parcel number
// formats.
import { DISTRICTS } from './land/districts.ts';
import type { District, PropertyType } from './land/district.ts';
import { WENDEMERE } from '../src/supply/sandbox/geography.ts';
import { distanceToCoast, scaleFor } from './geography.ts';
import { furnish, type Building, type Home } from './homes.ts';
import { randomFor, shuffled, type Random } from './random.ts';
import { layLots, type Lot } from './land/streets.ts';

const UNITS_OF_BUILDING = { tower: 64, walkup: 14, garden: 24, conversion: 5 };
const SPARE_LOTS = 1.12;

export function settle(properties: number): Home[] {
  const scale = scaleFor(properties);
  const shares = DISTRICTS.reduce((sum, district) => sum + district.share, 0);
  return DISTRICTS.flatMap((district, index) =>
    settleDistrict(district, index, Math.round((properties * district.share) / shares), scale),
  );
}

function settleDistrict(district: District, index: number, wanted: number, scale: number): Home[] {
  const random = randomFor('parcels', district.key);
  const weights = Object.values(district.types).reduce((sum, weight) => sum + weight, 0);
  const extraUnits = ((district.types.condo ?? 0) / weights) * (UNITS_OF_BUILDING[district.condoStyle] - 1);
  const lots = shuffled(layLots(district, scale, (wanted / (1 + extraUnits)) * SPARE_LOTS), random);
  const buildings: Building[] = [];
  for (const [lotIndex, lot] of lots.entries()) {
    if (buildings.length >= wanted) break;
    const type = typeOf(district, lot, random);
    const apn = parcelNumber(district.fips, index, lotIndex);
    const room = wanted - buildings.length;
    if (type === 'condo') buildings.push(...condoUnits(district, lot, apn, random).slice(0, Math.max(2, room)));
    else buildings.push(plainBuilding(district, lot, { apn, type, lotIndex, random }));
  }
  return buildings.slice(0, wanted).map((building) => furnish(district, building, scale));
}

/** Shops on main streets and corners, towers by the sea, open land away from both. */
function typeOf(district: District, lot: Lot, random: Random): PropertyType {
  const isBusy = lot.isMainStreet || lot.isCorner;
  const types = { ...district.types };
  types.commercial = (types.commercial ?? 0) * (lot.isMainStreet ? 5 : isBusy ? 1.6 : 0.5);
  types.condo = (types.condo ?? 0) * (distanceToCoast(lot) < 0.35 ? 1.6 : 1);
  return random.weighted(types);
}

function plainBuilding(
  district: District,
  lot: Lot,
  { apn, type, lotIndex, random }: { apn: string; type: PropertyType; lotIndex: number; random: Random },
): Building {
  const base = { x: lot.x, y: lot.y, room: lot.room, apn, unitKey: '', type };
  if (district.scheme === 'park') return { ...base, line1: '4400 Gannet Rd', unit: `Lot ${lotIndex + 1}` };
  const isOld = district.scheme === 'directional' || district.scheme === 'quadrants';
  const isRange = type === 'multi_family' && lot.hasSpareNumber && isOld && random.chance(0.55);
  const isRear = !isRange && isOld && type === 'single_family' && lot.hasSpareNumber && random.chance(0.02);
  const number = isRange ? rangeOf(Number(lot.number), random) : isRear ? `${lot.number} 1/2` : lot.number;
  return { ...base, line1: `${number} ${lot.street}`, unit: null };
}

/** Two numbers of one house: `1234-36`, or in full if the hundreds differ or the clerk wrote it that way. */
function rangeOf(number: number, random: Random): string {
  const last = number + 2;
  const isShort = Math.floor(number / 100) === Math.floor(last / 100) && number >= 100 && random.chance(0.8);
  return isShort ? `${number}-${String(last % 100).padStart(2, '0')}` : `${number}-${last}`;
}

function condoUnits(district: District, lot: Lot, apn: string, random: Random): Building[] {
  const line1 = `${lot.number} ${lot.street}`;
  return unitNames(district, random).map(({ unit, floor, floors }, index) => {
    const unitKey = unit.toUpperCase().replace(/[^0-9A-Z]/g, '');
    // One county numbers every unit; the other numbers the building and tells units apart by name.
    const own =
      district.fips === WENDEMERE
        ? { apn: `${apn}-U${String(index + 1).padStart(3, '0')}`, unitKey: '' }
        : { apn, unitKey };
    return { ...own, x: lot.x, y: lot.y, room: lot.room, type: 'condo', line1, unit, floor, floors };
  });
}

type UnitName = { unit: string; floor: number; floors: number };

function unitNames(district: District, random: Random): UnitName[] {
  switch (district.condoStyle) {
    case 'tower': {
      const floors = random.whole(8, 18);
      const perFloor = random.whole(4, 6);
      return Array.from({ length: floors * perFloor }, (_, index) => {
        const floor = Math.floor(index / perFloor) + 1;
        const door = (index % perFloor) + 1;
        return {
          unit: floor === floors ? `PH ${door}` : `Unit ${floor}${String(door).padStart(2, '0')}`,
          floor,
          floors,
        };
      });
    }
    case 'walkup': {
      const floors = random.whole(3, 5);
      const doors = 'ABCD'.slice(0, random.whole(3, 4));
      const isSign = random.chance(0.3);
      return Array.from({ length: floors * doors.length }, (_, index) => {
        const floor = Math.floor(index / doors.length) + 1;
        return { unit: isSign ? `# ${index + 1}` : `Apt ${floor}${doors[index % doors.length]}`, floor, floors };
      });
    }
    case 'garden': {
      const houses = 'ABCDEF'.slice(0, random.whole(2, 4));
      return Array.from({ length: houses.length * 8 }, (_, index) => ({
        unit: `Bldg ${houses[Math.floor(index / 8)]} Apt ${(index % 8) + 1}`,
        floor: index % 8 < 4 ? 1 : 2,
        floors: 2,
      }));
    }
    case 'conversion': {
      const names = random.chance(0.5)
        ? ['Bsmt', 'Fl 1', 'Fl 2', 'Fl 3', 'Rear']
        : ['Unit A', 'Unit B', 'Unit C', 'Unit D'];
      return names.map((unit, index) => ({ unit, floor: Math.min(index + 1, 3), floors: 3 }));
    }
  }
}

function parcelNumber(fips: number, district: number, index: number): string {
  const page = String(Math.floor(index / 40) + 1);
  const parcel = String((index % 40) + 1).padStart(3, '0');
  return fips === WENDEMERE
    ? `${101 + district}-${page.padStart(4, '0')}-${parcel}`
    : `${10 + district}-${page.padStart(2, '0')}-${300 + (index % 4)}-${parcel}`;
}
