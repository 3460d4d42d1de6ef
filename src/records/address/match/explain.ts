// Explains why an address was not resolved and what to do next; the one place that turns an outcome into an error.
import { type CoveredPlace, fail } from '../../../base/lib/errors.ts';
import { STATE as SANDBOX_STATE } from '../../../supply/sandbox/geography.ts';
import type { AmbiguousReason } from './decide.ts';
import type { NotResolvedReason, Resolution } from './resolve.ts';

const AMBIGUOUS: Record<AmbiguousReason, string> = {
  unit_required: 'The building has several units. Add the unit, or use the id of a candidate.',
  suffix_required: 'Several streets share this name. Add the suffix (St, Ave, …), or use the id of a candidate.',
  direction_required: 'The street has several directions here. Add N, S, E or W, or use the id of a candidate.',
  city_or_zip_required: 'The street line matches, but the place is unclear. Add the city and state, or the ZIP code.',
  similar_street_names:
    'The street name is misspelled and matches several streets. Correct it, or use the id of a candidate.',
  confirm_spelling: 'The street name may be misspelled. Confirm the candidate by its id, or retry with match=standard.',
  zip_and_city_disagree:
    'The ZIP code and the city point to different places. Correct one, or use the id of a candidate.',
  unit_not_on_file:
    'Several properties share this address, and the records do not say which unit each one is. Use the id of a candidate, or the county FIPS and parcel number.',
  several_properties: 'Several properties have this address. Use the id of a candidate.',
};

const NOT_RESOLVED: Record<NotResolvedReason, string> = {
  empty: 'The text contains no address.',
  not_latin: 'The address is not in Latin letters. Write it as US mail would: 12 Main St, Flushing, NY 11354.',
  po_box: 'A post office box is not a property. Send the street address.',
  rural_route:
    'A rural route and box identify a mail stop, not a property. Send the street address, or the county FIPS and parcel number.',
  military: 'Military mail addresses do not identify a property.',
  general_delivery: 'General delivery does not identify a property.',
  puerto_rico: 'Puerto Rico is not covered.',
  us_territory: 'US territories are not covered.',
  foreign: 'The address is outside the United States.',
  intersection: 'An intersection is not an address. Send the house number.',
  near_an_address:
    'The text says what is near an address, not which property is meant. Send its own address, or the county FIPS and parcel number.',
  no_house_number: 'No house number followed by a street name was found.',
  not_covered: 'No records are loaded for this place.',
  zip_state_conflict: 'The ZIP code is in another state. Correct one of them.',
  street_not_found: 'No matching street has this house number. Check the number, street and ZIP code.',
  number_not_found: 'The street is on record, but this house number is not.',
  unit_not_found: 'The building is on record, but this unit is not.',
  number_letter_required: 'The number has letters on record (12A, 12B). Add the letter.',
  direction_not_in_record: 'The street on record does not have this direction. Check it.',
  too_many_doubts: 'Too much differs from the nearest record to be sure. Check the number, street, city and ZIP code.',
};

const OUTSIDE: ReadonlySet<NotResolvedReason> = new Set(['not_covered', 'puerto_rico', 'us_territory']);

/** A resolution with the name of the covered place nearest to an address outside. */
export type Explained = Resolution & { nearest?: CoveredPlace };

/** Returns the match, or throws the error an API caller should see. */
export function requireMatch(resolution: Explained): Extract<Resolution, { outcome: 'match' }> {
  if (resolution.outcome === 'match') return resolution;
  const { reason } = resolution;
  if (resolution.outcome === 'ambiguous') {
    fail('address_ambiguous', AMBIGUOUS[resolution.reason], { reason, candidates: resolution.candidates });
  }
  if (OUTSIDE.has(resolution.reason)) {
    const { nearest } = resolution;
    const detail = [NOT_RESOLVED[resolution.reason], ...(nearest ? [directTo(nearest)] : []), 'See /coverage.'].join(
      ' ',
    );
    fail('out_of_coverage', detail, { reason, ...(nearest && { nearest_covered: nearest }) });
  }
  fail('address_not_resolved', NOT_RESOLVED[resolution.reason], { reason, suggestions: resolution.suggestions });
}

function directTo({ city, state, zip }: CoveredPlace): string {
  const where = [city, `${state} ${zip}`].filter(Boolean).join(', ');
  return state === SANDBOX_STATE
    ? `Test keys see the sandbox only, such as ${where}.`
    : `The nearest covered place is ${where}.`;
}
