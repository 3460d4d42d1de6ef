// What the other streets of the place say about a doubtful comparison: is the typed street itself real, is another as near?
import type { Comparison, Doubt } from './compare.ts';
import { editDistance, spellingKeys } from './spelling.ts';
import type { AddressStore, LocalStreet } from './store.ts';

const STREET_DOUBTS: ReadonlySet<Doubt> = new Set([
  'street_spelling',
  'suffix_missing',
  'suffix_extra',
  'suffix_in_name',
  'direction_moved',
  'direction_missing',
  'direction_extra',
]);
/** A street of its own, not a slip in somebody's file: at least so many records and such a share of its name. */
const MIN_RECORDS = 3;
const MIN_SHARE = 0.02;

export interface StreetVerdict {
  /** Ruled out: what was typed is a street of its own here, or its name is one elsewhere. */
  vetoed: boolean;
  /** Another street of the place is spelt as nearly. */
  hasRival: boolean;
}

export function hasStreetDoubt(comparison: Comparison): boolean {
  return comparison.doubts.some((doubt) => STREET_DOUBTS.has(doubt));
}

/** Asks about all doubtful comparisons at once. */
export async function judgeStreets(
  store: AddressStore,
  comparisons: readonly Comparison[],
): Promise<Map<Comparison, StreetVerdict>> {
  const doubtful = comparisons.filter(hasStreetDoubt);
  const misspelt = doubtful.filter(({ edits }) => edits > 0);
  const { streets, known } = await store.askStreets({
    fips: unique(doubtful.map(({ record }) => record.fips)),
    zips: unique(doubtful.map(({ reading }) => reading.zip)).filter(Boolean),
    cities: unique(doubtful.map(({ record }) => record.city)),
    names: unique(
      doubtful.flatMap(({ reading, record }) => [reading.street.name, record.street.name, reading.plainName]),
    ).filter(Boolean),
    keys: unique(misspelt.flatMap(({ reading, edits }) => spellingKeys(reading.street.name, edits))),
    typed: unique(misspelt.map(({ reading }) => reading.street.name)),
  });
  const realNames = new Set(known);
  return new Map(
    doubtful.map((comparison): [Comparison, StreetVerdict] => [
      comparison,
      {
        vetoed: isRuledOut(comparison, streets, realNames),
        hasRival: comparison.edits > 0 && hasRival(comparison, streets),
      },
    ]),
  );
}

function isRuledOut(comparison: Comparison, streets: readonly LocalStreet[], realNames: ReadonlySet<string>): boolean {
  const { reading, record, edits } = comparison;
  const local = streets.filter((street) => isInPlace(street, comparison));
  if (edits > 0 && (realNames.has(reading.street.name) || local.some(({ name }) => name === reading.street.name)))
    return true;
  if (reading.plainName && local.some(({ name }) => name === reading.plainName)) return true;

  // the typed direction and suffix make a street of their own here: 13 Meadow Ln is not 13 W Meadow Ln
  const named = local.filter(({ name }) => name === record.street.name);
  const total = sum(named);
  const asTyped = sum(
    named.filter(
      ({ pre, suffix, post }) =>
        pre === reading.street.pre && suffix === reading.street.suffix && post === reading.street.post,
    ),
  );
  const differs = comparison.doubts.some((doubt) => doubt.startsWith('suffix_') || doubt.startsWith('direction_'));
  return differs && asTyped >= MIN_RECORDS && asTyped / total >= MIN_SHARE;
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

/** The ZIP that was typed and matched, else the record's city. */
function isInPlace(street: LocalStreet, { reading, record }: Comparison): boolean {
  if (reading.zip && record.zip === reading.zip) return street.zip === reading.zip;
  return street.state === record.state && street.city === record.city;
}

const sum = (streets: readonly LocalStreet[]): number => streets.reduce((total, { records }) => total + records, 0);
const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];
