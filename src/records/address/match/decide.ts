// Turns the remaining comparisons into one answer: a match, an explicit "which of these", or none.
import { type Comparison, DOUBTS, type Doubt, doubtsOf } from './compare.ts';
import type { AddressRecord } from '../parse/canonical.ts';
import { isSameStreet } from '../parse/streets.ts';
import type { StreetVerdict } from './vetoes.ts';

export type MatchQuality = 'exact' | 'standardized' | 'corrected' | 'unit_dropped';
export type AmbiguousReason =
  | 'unit_required'
  | 'suffix_required'
  | 'direction_required'
  | 'city_or_zip_required'
  | 'similar_street_names'
  | 'confirm_spelling'
  | 'zip_and_city_disagree'
  | 'unit_not_on_file'
  | 'several_properties';
export type UnresolvedReason =
  | 'street_not_found'
  | 'number_not_found'
  | 'unit_not_found'
  | 'number_letter_required'
  | 'direction_not_in_record'
  | 'too_many_doubts';

export type Decision =
  | { outcome: 'match'; comparison: Comparison; quality: MatchQuality; score: number }
  | { outcome: 'ambiguous'; reason: AmbiguousReason; records: AddressRecord[] }
  | { outcome: 'not_resolved'; reason: UnresolvedReason; records: AddressRecord[] };

export type MatchPolicy = 'standard' | 'strict';

/** Candidates closer in weight than this are equally good. */
export const TIE = 0.6;
const MAX_WEIGHT = 6;
const SCORE_PER_WEIGHT = 0.08;
const MIN_SCORE = 0.5;
/** Penalty for a second doubt next to a misspelled name. */
const WEAK = doubtsOf('weak');
const STREET = doubtsOf('ending');

/** Doubts about a record's formatting, which do not affect which street was meant. */
const FORM = doubtsOf('form');

export function decide(
  comparisons: readonly Comparison[],
  verdicts: ReadonlyMap<Comparison, StreetVerdict>,
  policy: MatchPolicy,
): Decision {
  const standing = bestPerDoor(comparisons.filter((each) => !each.conflict && !verdicts.get(each)?.vetoed));
  const [top] = standing;
  if (!top) return nothingStands(comparisons);

  const has = (doubt: Doubt): boolean => top.doubts.includes(doubt);
  const records = standing.map(({ record }) => record);
  const unresolved = (reason: UnresolvedReason): Decision => ({ outcome: 'not_resolved', reason, records });
  const ambiguous = (reason: AmbiguousReason, among = records): Decision => ({
    outcome: 'ambiguous',
    reason,
    records: among,
  });

  if (has('unit_not_in_record') && hasOtherUnits(comparisons, top)) {
    return {
      outcome: 'not_resolved',
      reason: 'unit_not_found',
      records: [...records, ...conflicting(comparisons, 'unit')],
    };
  }
  if (has('direction_extra')) return unresolved('direction_not_in_record');
  if (top.weight > MAX_WEIGHT || isTooWeak(top)) return unresolved('too_many_doubts');
  if (top.edits > 0 && verdicts.get(top)?.hasRival) return ambiguous('similar_street_names');
  const isInexact = STREET.some(has) || has('number_range') || has('number_hyphen');
  if (has('zip_differs') && isInexact) return ambiguous('zip_and_city_disagree');

  const rivals = listOtherStreets(comparisons, verdicts, top);
  if (rivals.length > 0)
    return ambiguous(
      missingPart([top, ...rivals]),
      [top, ...rivals].map(({ record }) => record),
    );
  if (has('direction_missing') && (policy === 'strict' || verdicts.get(top)?.hasOtherSide))
    return ambiguous('direction_required');
  const tied = standing.filter((each) => each.weight - top.weight < TIE);
  if (tied.some(({ record }) => record.propertyId !== top.record.propertyId)) {
    return ambiguous(
      reasonOfTie(tied),
      tied.map(({ record }) => record),
    );
  }
  const further = has('number_range') ? listFurtherHouses(comparisons, top) : [];
  if (further.length > 0) return ambiguous('several_properties', [top.record, ...further]);
  const inOtherCity = standing.filter((each) => each.doubts.every((doubt) => doubt === 'zip_differs') && each !== top);
  if (has('city_differs') && inOtherCity.some(({ record }) => record.propertyId !== top.record.propertyId)) {
    return ambiguous('zip_and_city_disagree');
  }
  const isOneProperty = standing.filter(({ record }) => record.propertyId === top.record.propertyId).length > 1;
  if (has('unit_missing') && !isOneProperty) return ambiguous('unit_required');
  if (has('number_letter_missing') && !isOneProperty) return unresolved('number_letter_required');
  if (!top.reading.zip && !top.reading.city) return ambiguous('city_or_zip_required');
  if (top.edits > 0 && policy === 'strict') return ambiguous('confirm_spelling', [top.record]);
  return {
    outcome: 'match',
    comparison: top,
    quality: qualityOf(top),
    score: Math.max(MIN_SCORE, Math.round((1 - top.weight * SCORE_PER_WEIGHT) * 100) / 100),
  };
}

function qualityOf({ doubts, edits }: Comparison): MatchQuality {
  if (edits > 0) return 'corrected';
  if (doubts.includes('unit_not_in_record')) return 'unit_dropped';
  return doubts.length > 0 ? 'standardized' : 'exact';
}

/** The least doubtful comparison of each property and unit, best first. */
function bestPerDoor(comparisons: readonly Comparison[]): Comparison[] {
  const best = new Map<string, Comparison>();
  for (const comparison of comparisons) {
    const door = `${comparison.record.propertyId}#${comparison.record.unit}`;
    const before = best.get(door);
    if (!before || comparison.weight < before.weight) best.set(door, comparison);
  }
  return [...best.values()].sort((a, b) => a.weight - b.weight || a.doubts.length - b.doubts.length);
}

/** Two weak signals do not add up: a misspelled name with other doubts, or a guessed city with a street in doubt. */
function isTooWeak({ doubts, edits }: Comparison): boolean {
  const weak = doubts.filter((doubt) => WEAK.includes(doubt)).length;
  if (edits > 0 && (weak > 1 || (edits > 1 && weak > 0))) return true;
  return doubts.includes('city_guessed') && doubts.some((doubt) => STREET.includes(doubt));
}

/** The same street and number, but a different unit on record. */
const hasOtherUnits = (comparisons: readonly Comparison[], top: Comparison): boolean =>
  comparisons.some(
    ({ record, conflict }) =>
      conflict === 'unit' && record.unit !== '' && isSameStreet(record.street, top.record.street),
  );

/** With a direction or suffix missing, the other streets that match, no matter how their records write number and unit. */
function listOtherStreets(
  comparisons: readonly Comparison[],
  verdicts: ReadonlyMap<Comparison, StreetVerdict>,
  top: Comparison,
): Comparison[] {
  if (!top.doubts.includes('direction_missing') && !top.doubts.includes('suffix_missing')) return [];
  const weigh = ({ doubts }: Comparison): number =>
    doubts.reduce((sum, doubt) => sum + (FORM.includes(doubt) ? 0 : DOUBTS[doubt]), 0);
  return comparisons.filter(
    (each) =>
      (each.conflict === undefined || each.conflict === 'unit') &&
      each.edits === top.edits &&
      each.record.propertyId !== top.record.propertyId &&
      !isSameStreet(each.record.street, top.record.street) &&
      verdicts.get(each)?.vetoed !== true &&
      weigh(each) - weigh(top) < TIE,
  );
}

function missingPart(streets: readonly Comparison[]): AmbiguousReason {
  const sides = new Set(streets.map(({ record: { street } }) => `${street.pre} ${street.post}`));
  return sides.size > 1 ? 'direction_required' : 'suffix_required';
}

/** Houses of the queried range that are other properties: 12-14 Pleasant St if 12 and 14 are two properties. */
const listFurtherHouses = (comparisons: readonly Comparison[], top: Comparison): AddressRecord[] =>
  conflicting(comparisons, 'number').filter(
    ({ propertyId, street }) => propertyId !== top.record.propertyId && isSameStreet(street, top.record.street),
  );

function reasonOfTie(tied: readonly Comparison[]): AmbiguousReason {
  const differ = (part: (record: AddressRecord) => string): boolean =>
    new Set(tied.map(({ record }) => part(record))).size > 1;
  if (tied.some(({ doubts }) => doubts.includes('unit_missing'))) return 'unit_required';
  if (isOneHouse(tied) && tied.every(({ doubts }) => doubts.includes('unit_not_in_record'))) return 'unit_not_on_file';
  if (tied.some(({ edits }) => edits > 0)) return 'similar_street_names';
  if (differ(({ street }) => `${street.pre} ${street.post}`)) return 'direction_required';
  if (differ(({ street }) => street.suffix)) return 'suffix_required';
  if (differ(({ state, city, zip }) => `${state}|${city}|${zip}`)) return 'city_or_zip_required';
  return 'several_properties';
}

const isOneHouse = ([first, ...others]: readonly Comparison[]): boolean =>
  others.every(
    ({ record: { street, number } }) =>
      isSameStreet(street, first.record.street) && number.key === first.record.number.key,
  );

function nothingStands(comparisons: readonly Comparison[]): Decision {
  const near = [...comparisons].sort((a, b) => a.weight - b.weight);
  const units = conflicting(near, 'unit').filter((record) => record.unit !== '');
  if (units.length > 0) return { outcome: 'not_resolved', reason: 'unit_not_found', records: units };
  return { outcome: 'not_resolved', reason: 'street_not_found', records: near.map(({ record }) => record) };
}

const conflicting = (comparisons: readonly Comparison[], conflict: Comparison['conflict']): AddressRecord[] =>
  comparisons.filter((each) => each.conflict === conflict).map(({ record }) => record);
