// Streets and house numbers: every lot of a district with its location and the first line of its address.
import type { District } from './district.ts';
import { isInCounty, isWater, type Place } from '../geography.ts';
import { streetNames } from '../names.ts';
import { isInside, placeIn } from './outlines.ts';
import { randomFor, type Random } from '../random.ts';

export type Lot = Place & {
  /** As written: `214`, `92-10`, `N1652W2123`. */
  number: string;
  /** What follows the number: `E Juniper St`. */
  street: string;
  /** Room for a second number on the same lot: a duplex may write `1234-36`, a rear house `1234 1/2`. */
  hasSpareNumber: boolean;
  isMainStreet: boolean;
  isCorner: boolean;
  /** Corners of the ground between the street, the neighbors and the lot behind. */
  room: Place[];
};

/** A street as a scheme names it; `cross` streets run north to south. */
interface Position {
  row: number;
  column: number;
  cross: boolean;
  /** 0 or 1: the even and the odd side of the street. */
  side: number;
  block: number;
  offset: number;
  u: number;
  v: number;
}
export type Grid = { rows: number; columns: number; names: string[]; suffixes: string[] };

const SUFFIXES = {
  town: ['St', 'St', 'St', 'Ave', 'Ave', 'Pl', 'Ter'],
  suburb: ['Dr', 'Ln', 'Ct', 'Way', 'Cir', 'Rd', 'Trl', 'Ave', 'Loop', 'Pl'],
  rural: ['Rd', 'Rd', 'Ln', 'Trl'],
};
const SAINTS = ['Brannoc', 'Orla', 'Tamsel', 'Wendel', 'Ellow', 'Corvin', 'Perrin', 'Nerys', 'Osric', 'Kerens'];

/** About `wanted` lots, evenly spaced along both sides of every street. */
export function layLots(district: District, scale: number, wanted: number): Lot[] {
  const lots = layEvenly(district, scale, wanted);
  // Water and the outline remove some, so place them closer together to have enough left.
  return lots.length >= wanted ? lots : layEvenly(district, scale, (wanted * wanted) / lots.length);
}

function layEvenly(district: District, scale: number, wanted: number): Lot[] {
  const random = randomFor('streets', district.key);
  const grid = makeGrid(district, scale, random);
  const { rows, columns } = grid;
  const perSide = Math.max(columns, Math.ceil(wanted / (rows * 2)));
  const plan: Plan = { district, scale, grid, taken: new Set(), random };
  const lots: Lot[] = [];
  for (let row = 0; row < rows; row++) {
    const shift = random.between(0.2, 0.8);
    for (let slot = 0; slot < perSide * 2; slot++) {
      const along = (Math.floor(slot / 2) + shift + random.between(-0.2, 0.2)) / perSide;
      const from = (Math.floor(slot / 2) + shift - 0.5) / perSide;
      const lot = layLot(plan, { row, along, side: slot % 2, from, to: from + 1 / perSide });
      if (lot) lots.push(lot);
    }
  }
  return lots;
}

/** The same streets that the lots were laid along. */
export function gridOf(district: District, scale: number): Grid {
  return makeGrid(district, scale, randomFor('streets', district.key));
}

function makeGrid(district: District, scale: number, random: Random): Grid {
  const widthM = district.width * scale * 1000;
  const heightM = district.height * scale * 1000;
  const rows = Math.max(2, Math.round(heightM / district.blockDepthM));
  const columns = Math.max(2, Math.round(widthM / district.blockLengthM));
  return nameGrid(district, rows, columns, random);
}

interface Plan {
  district: District;
  scale: number;
  grid: Grid;
  /** Numbers and streets already given to a lot. */
  taken: Set<string>;
  random: Random;
}

/** Where a lot is in its district; `from` and `to` are its ends along the street. */
type Slot = { row: number; along: number; side: number; from: number; to: number };

/** Shares of the distance between two streets: where a lot begins next to the street, and ends at the one behind. */
const [FRONT, BACK] = [0.06, 0.5];

function roomOf({ district, scale, grid }: Plan, at: Slot): Place[] {
  const rowGap = 1 / grid.rows;
  const street = (at.row + 0.5) * rowGap - 0.5;
  const away = at.side === 0 ? -rowGap : rowGap;
  const corner = (along: number, share: number) => placeOf(district, scale, along - 0.5, street + share * away);
  return [corner(at.from, FRONT), corner(at.to, FRONT), corner(at.to, BACK), corner(at.from, BACK)];
}

function layLot(plan: Plan, at: Slot): Lot | undefined {
  const { district, scale, grid, taken, random } = plan;
  const rowGap = 1 / grid.rows;
  const column = Math.min(grid.columns - 1, Math.floor(at.along * grid.columns));
  const withinBlock = at.along * grid.columns - column;
  const isCorner = withinBlock < 0.12;
  const cross = isCorner && random.chance(0.55);
  const u = at.along - 0.5;
  const v = (at.row + 0.5) * rowGap - 0.5 + (at.side === 0 ? -1 : 1) * rowGap * random.between(0.2, 0.3);
  const place = placeOf(district, scale, u, v);
  if (!isInside(district, u, v, place) || isWater(place) || !isInCounty(district.fips, place)) return undefined;

  const position: Position = cross
    ? { row: at.row, column, cross, side: at.side, block: at.row, offset: at.side === 0 ? 0.25 : 0.75, u, v }
    : { row: at.row, column, cross, side: at.side, block: column, offset: withinBlock, u, v };
  const street = streetNameAt(district, grid, position);
  for (let step = 0; step < 45; step++) {
    const number = numberOf(district, grid, position, step);
    const key = `${number} ${street}`;
    if (taken.has(key)) continue;
    taken.add(key);
    const spare = `${numberOf(district, grid, position, step + 1)} ${street}`;
    const hasSpareNumber = /^\d{2,5}$/.test(number) && !taken.has(spare);
    if (hasSpareNumber) taken.add(spare);
    const isMainStreet = !cross && at.row === Math.floor(grid.rows / 2);
    return { ...place, number, street, hasSpareNumber, isMainStreet, isCorner, room: roomOf(plan, at) };
  }
  return undefined;
}

export function placeOf(district: District, scale: number, u: number, v: number): Place {
  const swing = district.curve / 1000 / scale;
  const east = (swing * 0.6 * Math.sin(v * 7 + 1)) / district.width;
  const north = (swing * Math.sin(u * 9 + v * 3)) / district.height;
  return placeIn(district, u + east, v + north);
}

function nameGrid(district: District, rows: number, columns: number, random: Random): Grid {
  const kind = { named: 'suburb', saints: 'suburb', wisconsin: 'rural', highways: 'rural' } as const;
  const suffixes = SUFFIXES[kind[district.scheme as keyof typeof kind] ?? 'town'];
  const count = rows + columns;
  const names = streetNames(random, count);
  names[Math.floor(rows / 2)] = 'Main';
  const chosen = names.map(() => random.pick(suffixes));
  chosen[Math.floor(rows / 2)] = 'St';
  // Adjacent streets whose names differ only by suffix: `Heron Ln` next to `Heron Ct`.
  for (let index = 3; index < rows; index += 9) {
    names[index] = names[index - 1];
    chosen[index] = suffixes.find((suffix) => suffix !== chosen[index - 1])!;
  }
  return { rows, columns, names, suffixes: chosen };
}

export function streetNameAt(
  district: District,
  grid: Grid,
  at: Pick<Position, 'row' | 'column' | 'cross' | 'u' | 'v'>,
): string {
  const index = at.cross ? grid.rows + at.column : at.row;
  const name = `${grid.names[index]} ${grid.suffixes[index]}`;
  switch (district.scheme) {
    case 'directional':
      return at.cross ? `${at.v < 0 ? 'S' : 'N'} ${ordinal(at.column + 1)} St` : `${at.u < 0 ? 'W' : 'E'} ${name}`;
    case 'saints':
      return index % 3 === 0
        ? `${index % 2 === 0 ? 'St' : 'Saint'} ${SAINTS[index % SAINTS.length]} ${grid.suffixes[index]}`
        : name;
    case 'queens':
      return at.cross ? `${ordinal(88 + at.column)} St` : `${ordinal(40 + at.row)} Ave`;
    case 'utah':
      return at.cross ? utahAxis(at.column - grid.columns / 2, 'E', 'W') : utahAxis(at.row - grid.rows / 2, 'N', 'S');
    case 'quadrants':
      return `${at.cross ? `${ordinal(at.column + 1)} St` : name} ${at.v < 0 ? 'S' : 'N'}${at.u < 0 ? 'W' : 'E'}`;
    case 'wisconsin':
      return index % 3 === 0 ? `County Road ${'KPHJZ'[index % 5]}${index % 2 === 0 ? '' : 'P'}` : name;
    case 'highways':
      return ['US Highway 902', name, `State Route ${44 + index}`, `County Road ${12 + index}`][index % 4];
    case 'park':
      return 'Gannet Rd';
    default:
      return name;
  }
}

function numberOf(district: District, grid: Grid, at: Position, step: number): string {
  const { side } = at;
  const inBlock = (2 * (Math.floor(at.offset * 47) + step)) % 98;
  const fromCenter = (block: number, blocks: number) => Math.floor(Math.abs(block + 0.5 - blocks / 2)) + 1;
  switch (district.scheme) {
    case 'directional':
    case 'quadrants': {
      const block = at.cross ? fromCenter(at.block, grid.rows) : fromCenter(at.block, grid.columns);
      return String(block * 100 + inBlock + side);
    }
    case 'queens':
      return `${at.cross ? 40 + at.row : 88 + at.column}-${String(1 + inBlock + side).padStart(2, '0')}`;
    case 'utah': {
      const block = at.cross ? at.row - grid.rows / 2 : at.column - grid.columns / 2;
      const direction = at.cross ? (block < 0 ? 'S' : 'N') : block < 0 ? 'W' : 'E';
      return `${Math.floor(Math.abs(block)) * 100 + 100 + inBlock + side} ${direction}`;
    }
    case 'wisconsin': {
      const east = 4000 + at.column * 700 + Math.floor(at.offset * 690) + 2 * step + side;
      return at.row % 2 === 0 ? `W${east}` : `N${1200 + at.row * 60}W${east}`;
    }
    case 'highways':
      return String(14_000 + at.block * 800 + Math.floor(at.offset * 395) * 2 + 2 * step + side);
    case 'park':
      return `4400 ${at.row}.${at.column}.${inBlock + side}`;
    default:
      return String((at.block + 1 + (district.zip.charCodeAt(4) % 7)) * 100 + inBlock + side);
  }
}

function utahAxis(blocks: number, positive: string, negative: string): string {
  const coordinate = Math.floor(Math.abs(blocks)) * 100 + 100;
  return `${coordinate} ${blocks < 0 ? negative : positive}`;
}

function ordinal(number: number): string {
  const tail = number % 100 > 10 && number % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${tail}`;
}
