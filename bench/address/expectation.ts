// Which properties match what a query states, by plain equality of the publishers' components: the truth to score
// against.
import type { Components, Situs } from './situs.ts';

const SUFFIXES: Record<string, string> = {
  STREET: 'ST', AV: 'AVE', AVENUE: 'AVE', PLACE: 'PL', DRIVE: 'DR', ROAD: 'RD', BL: 'BLVD', BOULEVARD: 'BLVD', COURT: 'CT', LA: 'LN',
  LANE: 'LN', TERRACE: 'TER', PARKWAY: 'PKWY', PK: 'PARK', SQUARE: 'SQ',
}; // prettier-ignore
const ORDINALS = 'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH ELEVENTH TWELFTH'.split(' ');

export type Stated = Partial<Components>;

export interface Door {
  propertyId: string;
  number: string;
  unit: string;
  /** Direction and suffix. */
  street: string;
}

export interface Expectation {
  /** Doors that match everything stated. */
  listFitting(stated: Stated): Door[];
  /** Street names in a ZIP, or in a city if the records have no ZIP. */
  listNames(place: Components): string[];
  hasName(name: string): boolean;
  /** Cities with a street of this name. */
  countPlaces(name: string): number;
  /** Records of the street exactly as written, in the place. */
  countStreet(parts: Components): number;
  /** Doors the property has in all records. */
  countDoors(propertyId: string): number;
  countNumber(parts: Pick<Components, 'city' | 'name' | 'number'>): number;
}

export function expectFrom(all: readonly Situs[]): Expectation {
  const byName = new Map<string, { parts: Components; propertyId: string }[]>();
  const doors = new Map<string, number>();
  const names = new Set<string>();
  const placesOfName = new Map<string, Set<string>>();
  const namesOfPlace = new Map<string, Set<string>>();
  for (const { parts, propertyId } of all) {
    doors.set(propertyId, (doors.get(propertyId) ?? 0) + 1);
    if (!parts) continue;
    const plain = {
      ...parts,
      pre: parts.pre.slice(0, 1),
      name: plainName(parts.name),
      suffix: plainSuffix(parts.suffix),
      unit: plainUnit(parts.unit),
    };
    append(byName, `${parts.state}|${plain.name}`, { parts: plain, propertyId });
    names.add(plain.name);
    placesOfName.set(plain.name, (placesOfName.get(plain.name) ?? new Set()).add(parts.city));
    const place = placeOf(parts);
    if (!namesOfPlace.has(place)) namesOfPlace.set(place, new Set());
    namesOfPlace.get(place)!.add(plain.name);
  }
  const listOf = (state: string, name: string) => byName.get(`${state}|${plainName(name)}`) ?? [];
  return {
    listFitting: (stated) => {
      const found = listOf(stated.state!, stated.name!).filter(
        ({ parts }) =>
          isSameNumber(stated.number!, parts.number) &&
          (stated.pre === undefined || stated.pre.slice(0, 1) === parts.pre) &&
          (stated.suffix === undefined || plainSuffix(stated.suffix) === parts.suffix) &&
          (stated.unit === undefined || plainUnit(stated.unit) === parts.unit) &&
          (stated.city === undefined || stated.city === parts.city) &&
          (stated.zip === undefined || stated.zip === '' || stated.zip === parts.zip),
      );
      return found.map(({ propertyId, parts }) => ({
        propertyId,
        number: parts.number,
        unit: parts.unit,
        street: `${parts.pre} ${parts.suffix}`,
      }));
    },
    listNames: (place) => [...(namesOfPlace.get(placeOf(place)) ?? [])],
    hasName: (name) => names.has(plainName(name)),
    countPlaces: (name) => placesOfName.get(plainName(name))?.size ?? 0,
    countStreet: (asked) =>
      listOf(asked.state, asked.name).filter(
        ({ parts }) =>
          parts.pre === asked.pre.slice(0, 1) &&
          parts.suffix === plainSuffix(asked.suffix) &&
          (asked.zip ? parts.zip === asked.zip : parts.city === asked.city),
      ).length,
    countDoors: (propertyId) => doors.get(propertyId) ?? 0,
    countNumber: (asked) =>
      [...byName.entries()]
        .filter(([key]) => key.endsWith(`|${plainName(asked.name)}`))
        .flatMap(([, list]) => list)
        .filter(({ parts }) => parts.city === asked.city && isSameNumber(asked.number, parts.number)).length,
  };
}

const placeOf = ({ city, zip }: Components): string => zip || city;

/** Letters and digits only; FIRST and 1ST are 1. */
export function plainName(name: string): string {
  const words = name.split(' ').map((word) => {
    const ordinal = ORDINALS.indexOf(word);
    return ordinal >= 0 ? String(ordinal + 1) : word.replace(/^(\d+)(ST|ND|RD|TH)$/, '$1');
  });
  return words
    .map((word, index) => (word === 'ST' && index === 0 ? 'SAINT' : word))
    .join('')
    .replace(/[^A-Z0-9]/g, '');
}

function plainSuffix(suffix: string): string {
  return SUFFIXES[suffix] ?? suffix;
}

export function plainUnit(unit: string): string {
  return unit === 'N/A'
    ? ''
    : unit
        .toUpperCase()
        .replace(/^(APT|UNIT|STE|#)\.? ?/, '')
        .replace(/[^A-Z0-9]/g, '')
        .replace(/^([A-Z]*)0+(?=\d)/, '$1');
}

/** Equal, equal without the hyphen, or inside a range of the record on the same side of the street. */
export function isSameNumber(asked: string, known: string): boolean {
  if (asked === known || asked.replace('-', '') === known.replace('-', '')) return true;
  const [range, house] = [bounds(known), bounds(asked)];
  if (range.high < range.low || house.high < house.low || range.high - range.low > 200) return false;
  const step = (range.high - range.low) % 2 === 0 ? 2 : 1;
  return house.low >= range.low && house.high <= range.high && (house.low - range.low) % step === 0;
}

function bounds(number: string): { low: number; high: number } {
  const [first, last = first] = number.split('-');
  return { low: Number(first), high: Number(last.length < first.length ? first.slice(0, -last.length) + last : last) };
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
