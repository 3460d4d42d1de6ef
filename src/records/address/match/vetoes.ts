// Checks a doubtful comparison against nearby streets: is the typed street real, and is another spelled as closely?
import { isCommonName, isStreetName } from '../facts/street-names.ts';
import { type Comparison, doubtsOf } from './compare.ts';
import type { Reading } from '../parse/read.ts';
import { isSameSide } from '../parse/streets.ts';
import { editDistance, spellingKeys } from '../../../base/lib/spelling.ts';
import type { AddressStore, LocalStreet } from './store.ts';

const STREET_DOUBTS = new Set(doubtsOf('street'));
/** A real street, as opposed to a data error, has at least this many records and this share of its name. */
const MIN_RECORDS = 3;
const MIN_SHARE = 0.02;
const MIN_BARE_SHARE = 0.1;

export interface StreetVerdict {
  /** Ruled out: the typed name is a street of this city, or a common street name. */
  vetoed: boolean;
  /** Another local street is spelled as closely. */
  hasRival: boolean;
  /** The city has the street in another direction, too. */
  hasOtherSide: boolean;
}

export const hasStreetDoubt = (comparison: Comparison): boolean =>
  comparison.doubts.some((doubt) => STREET_DOUBTS.has(doubt));

/** Checks all doubtful comparisons in one query. */
export async function judgeStreets(
  store: AddressStore,
  comparisons: readonly Comparison[],
): Promise<Map<Comparison, StreetVerdict>> {
  const doubtful = comparisons.filter(hasStreetDoubt);
  const misspelled = doubtful.filter(({ edits }) => edits > 0);
  const { streets, known } = await store.askStreets({
    fips: unique(doubtful.map(({ record }) => record.fips)),
    zips: unique(doubtful.map(({ reading }) => reading.zip)).filter(Boolean),
    cities: unique(doubtful.map(({ record }) => record.city)),
    names: unique(
      doubtful.flatMap(({ reading, record }) => [reading.street.name, record.street.name, reading.plainName]),
    ).filter(Boolean),
    keys: unique(misspelled.flatMap(({ reading, edits }) => spellingKeys(reading.street.name, edits))),
    typed: unique(misspelled.map(({ reading }) => reading.street.name)),
  });
  const realNames = new Set(known);
  return new Map(
    doubtful.map((comparison): [Comparison, StreetVerdict] => [
      comparison,
      {
        vetoed: isRuledOut(comparison, streets, realNames),
        hasRival: comparison.edits > 0 && hasRival(comparison, streets),
        hasOtherSide: hasOtherSide(comparison, streets),
      },
    ]),
  );
}

function isRuledOut(comparison: Comparison, streets: readonly LocalStreet[], realNames: ReadonlySet<string>): boolean {
  const { reading, record, edits, doubts } = comparison;
  const local = streets.filter((street) => isInPlace(street, comparison));
  const isMeant = ({ name }: { name: string }) => name === reading.street.name;
  if (edits > 0 && (realNames.has(reading.street.name) || isAnotherName(reading, record.street.name))) return true;
  if (edits > 0 && streets.some((street) => isMeant(street) && isInCity(street, record))) return true;
  if (reading.plainName && local.some(({ name }) => name === reading.plainName)) return true;

  const named = local.filter(({ name }) => name === record.street.name);
  return (
    (doubts.some((doubt) => doubt.startsWith('direction_')) && isTypedStreetReal(reading, named)) ||
    (doubts.some((doubt) => doubt.startsWith('suffix_')) && isSuffixAnother(reading, named))
  );
}

/** Not a typo: a common name, a plural, or a different first letter, which is rarely mistyped. */
function isAnotherName({ street, streetText }: Reading, known: string): boolean {
  const typed = street.name;
  if (isCommonName(typed) || typed[0] !== known[0] || typed === `${known}S`) return true;
  const words = streetText.split(' ').filter((word) => /^[A-Z]{4,}$/.test(word));
  // Of several words one must be misspelled: Lovers Lake is not Lovers Lane.
  return words.length > 1 && words.every((word) => isStreetName(word));
}

/** The typed direction and suffix make a different street here: 13 Meadow Ln is not 13 W Meadow Ln. */
function isTypedStreetReal({ street }: Reading, named: readonly LocalStreet[]): boolean {
  const asTyped = sum(named.filter((each) => isSameSide(each, street) && each.suffix === street.suffix));
  return asTyped >= MIN_RECORDS && asTyped / sum(named) >= MIN_SHARE;
}

/** Broadway is not Broadway Ter; but if a few records of 56th St lack their suffix, that is a data error. */
function isSuffixAnother({ street }: Reading, named: readonly LocalStreet[]): boolean {
  const side = named.filter((each) => isSameSide(each, street));
  const bare = sum(side.filter(({ suffix }) => suffix === ''));
  const asTyped = sum(side.filter(({ suffix }) => suffix === street.suffix));
  const isBareReal = bare >= MIN_RECORDS && bare / sum(side) >= MIN_BARE_SHARE;
  if (street.suffix === '') return isBareReal;
  const hasOther = side.some(({ suffix }) => suffix !== '' && suffix !== street.suffix);
  return asTyped === 0 ? hasOther : isBareReal;
}

function hasRival(comparison: Comparison, streets: readonly LocalStreet[]): boolean {
  const { reading, record, edits } = comparison;
  return streets.some(
    (street) =>
      street.name !== record.street.name &&
      isInPlace(street, comparison) &&
      editDistance(street.name, reading.street.name, edits) <= edits,
  );
}

/** Citywide: a caller who omits the direction may use the ZIP of the other side. */
function hasOtherSide({ record, doubts }: Comparison, streets: readonly LocalStreet[]): boolean {
  if (!doubts.includes('direction_missing')) return false;
  const { name, suffix } = record.street;
  return streets.some(
    (street) =>
      street.name === name &&
      street.suffix === suffix &&
      isInCity(street, record) &&
      !isSameSide(street, record.street),
  );
}

const isInCity = (street: LocalStreet, { state, city }: Comparison['record']): boolean =>
  street.state === state && street.city === city;

/** The ZIP that was typed and matched, otherwise the record's city. */
function isInPlace(street: LocalStreet, { reading, record }: Comparison): boolean {
  return reading.zip && record.zip === reading.zip ? street.zip === reading.zip : isInCity(street, record);
}

const sum = (streets: readonly LocalStreet[]): number => streets.reduce((total, { records }) => total + records, 0);
const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];
