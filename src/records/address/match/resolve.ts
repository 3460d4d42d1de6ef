// Resolves a free-form address to one property, or to why it cannot: parse, look up, compare, check doubts, decide.
import { type Comparison, DOUBTS, type Doubt, type Place, compare, compareNames } from './compare.ts';
import type { AddressRecord } from '../parse/canonical.ts';
import * as decisions from './decide.ts';
import type { Gazetteer } from '../parse/gazetteer.ts';
import { numbersToAsk } from '../parse/numbers.ts';
import { type ReadText, type Reading, readAddress } from '../parse/read.ts';
import type { TextReason } from '../parse/reasons.ts';
import type { AddressStore, Spot } from './store.ts';
import { hasStreetDoubt, judgeStreets } from './vetoes.ts';
import { entryOf } from '../../../base/lib/must.ts';

interface AddressCandidate {
  property_id: string;
  address: string;
}

export type Resolution =
  | {
      outcome: 'match';
      property_id: string;
      /** The address as the records write it; null if the text was exact, which saves a round trip. */
      address: string | null;
      match_quality: decisions.MatchQuality;
      match_score: number;
      flags: Doubt[];
    }
  | { outcome: 'ambiguous'; reason: decisions.AmbiguousReason; candidates: AddressCandidate[] }
  | {
      outcome: 'not_resolved';
      reason: NotResolvedReason;
      suggestions: AddressCandidate[];
      /** Of an address outside coverage: the covered ZIP closest to it. */
      nearestZip?: string;
    };

export type NotResolvedReason = TextReason | decisions.UnresolvedReason | 'not_covered' | 'zip_state_conflict';

const MAX_CANDIDATES = 10;
const MAX_SUGGESTIONS = 5;

export async function resolve(
  store: AddressStore,
  text: string,
  policy: decisions.MatchPolicy = 'standard',
): Promise<Resolution> {
  const read = readAddress(text, store.gazetteer);
  const outside = (reason: NotResolvedReason): Resolution => ({
    ...unresolved(reason),
    nearestZip: store.gazetteer.nearestZip(read.state, read.zip),
  });
  if (read.reason === 'puerto_rico' || read.reason === 'us_territory') return outside(read.reason);
  if (read.reason) return unresolved(read.reason);
  if (isZipOfOtherState(read, store)) return unresolved('zip_state_conflict');

  const places = new Map(read.readings.map((reading) => [reading, placeOf(reading, store)]));
  const inZip = uniqueSpots(read.readings.flatMap((reading) => spotsInZip(reading, store)));
  const elsewhere = uniqueSpots(
    read.readings.flatMap((reading) => spotsElsewhere(reading, entryOf(places, reading), store)),
  );
  if (inZip.length + elsewhere.length === 0) return outside('not_covered');

  const decideAmong = async (records: readonly AddressRecord[]): Promise<decisions.Decision> => {
    const comparisons = compareAll(read.readings, records, places);
    const verdicts = isDoubtful(comparisons) ? await judgeStreets(store, comparisons) : new Map();
    return decisions.decide(comparisons, verdicts, policy);
  };
  // The ZIP's few houses with that number resolve most lookups; the city's many are read only if they do not.
  const records = await store.listAt(inZip.length > 0 ? inZip : elsewhere);
  const first = await decideAmong(records);
  const isOver = inZip.length === 0 || elsewhere.length === 0 || isSettled(first);
  const decision = isOver ? first : await decideAmong([...records, ...(await store.listAt(elsewhere))]);
  if (decision.outcome === 'not_resolved' && decision.records.length === 0) {
    if (isPlaceUnknown(read, places, store)) return outside('not_covered');
    return unresolved((await hasStreet(store, read.readings, places)) ? 'number_not_found' : 'street_not_found');
  }
  const isOnlyNumber = decision.outcome === 'not_resolved' && decision.reason === 'street_not_found';
  if (isOnlyNumber && (await hasStreet(store, read.readings, places)))
    return present(store, { ...decision, reason: 'number_not_found' });
  return present(store, decision);
}

/** The text names a ZIP, state or city, and nothing is loaded there. */
function isPlaceUnknown({ state, zip }: ReadText, places: Map<Reading, Place>, { gazetteer }: AddressStore): boolean {
  if (gazetteer.isKnownZip(zip)) return false;
  const known = state || (zip ? gazetteer.stateOfZip(zip) : '');
  if (known !== '' && !gazetteer.isKnownState(known)) return true;
  return zip !== '' && [...places.values()].every(({ cities }) => cities.length === 0);
}

/** If the street exists there at all, only the number is wrong. */
async function hasStreet(store: AddressStore, readings: readonly Reading[], places: Map<Reading, Place>) {
  const { gazetteer } = store;
  const postal = [...places.values()].flatMap((place) => place.zips);
  const zips = [...new Set([...readings.map(({ zip }) => zip), ...postal])].filter((zip) => gazetteer.isKnownZip(zip));
  const cities = [...new Set([...places.values()].flatMap((place) => place.cities))];
  const states = [...new Set([...places.values()].map(({ state }) => state))];
  const fips = [
    ...zips.flatMap((zip) => gazetteer.fipsOfZip(zip)),
    ...states.flatMap((state) => cities.flatMap((city) => gazetteer.fipsOfCity(state, city))),
  ];
  if (fips.length === 0) return false;
  const names = [...new Set(readings.map(({ street }) => street.name))];
  const { streets } = await store.askStreets({ fips, zips, cities, names, keys: [], typed: [] });
  return streets.some((known) =>
    readings.some(
      ({ street }) =>
        known.name === street.name &&
        (known.suffix === street.suffix || street.suffix === '') &&
        (known.pre + known.post === street.pre + street.post || street.pre + street.post === ''),
    ),
  );
}

function compareAll(
  readings: readonly Reading[],
  records: readonly AddressRecord[],
  places: ReadonlyMap<Reading, Place>,
): Comparison[] {
  const byName = Map.groupBy(records, ({ street }) => street.name);
  const comparisons: Comparison[] = [];
  for (const reading of readings) {
    for (const [name, named] of byName) {
      const edits = compareNames(reading, name);
      if (edits === undefined) continue;
      for (const record of named) {
        const comparison = compare(reading, record, entryOf(places, reading), edits);
        if (comparison) comparisons.push(comparison);
      }
    }
  }
  return comparisons;
}

/** No other ZIP in the city could have less doubt: a name misspelled here is not a street there either. */
function isSettled(decision: decisions.Decision): boolean {
  if (decision.outcome === 'match') {
    const { weight, doubts, edits } = decision.comparison;
    const leastElsewhere = DOUBTS.zip_differs + (edits > 0 ? DOUBTS.street_spelling : 0);
    return weight + decisions.TIE < leastElsewhere && !doubts.includes('city_differs');
  }
  return decision.outcome === 'ambiguous' || decision.reason === 'unit_not_found';
}

/** A clean comparison decides, unless a doubtful one weighs about the same. */
function isDoubtful(comparisons: readonly Comparison[]): boolean {
  const standing = comparisons.filter(({ conflict }) => !conflict);
  const clean = standing.filter((each) => !hasStreetDoubt(each)).map(({ weight }) => weight);
  const least = Math.min(...clean, Number.POSITIVE_INFINITY);
  return standing.some((each) => hasStreetDoubt(each) && each.weight < least + 1);
}

function isZipOfOtherState({ state, zip }: ReadText, store: AddressStore): boolean {
  const stateOfZip = zip ? store.gazetteer.stateOfZip(zip) : '';
  return state !== '' && stateOfZip !== '' && state !== stateOfZip;
}

function placeOf({ city, cityGuessed, state, zip }: Reading, { gazetteer }: AddressStore): Place {
  const known = state || (zip ? gazetteer.stateOfZip(zip) : '');
  const states = known ? [known] : gazetteer.statesOfCity(city);
  const cities = states.flatMap((each) => gazetteer.listCities(each, city));
  const zips = city ? states.flatMap((each) => gazetteer.listPostalZips(each, city)) : [];
  const isKnown = cities.length + zips.length > 0;
  if (isKnown || !city || cityGuessed) return { state: known, cities, zips, cityCorrected: false };
  const similar = gazetteer.findSimilarCity(city, known);
  return { state: known, cities: similar ? [similar] : [], zips: [], cityCorrected: similar !== undefined };
}

const spotsInZip = ({ number, zip }: Reading, { gazetteer }: AddressStore): Spot[] =>
  gazetteer.isKnownZip(zip) ? numbersToAsk(number).map((house) => spotInZip(house, zip, gazetteer)) : [];

const spotInZip = (number: string, zip: string, gazetteer: Gazetteer): Spot => ({
  by: 'zip',
  fips: gazetteer.fipsOfZip(zip),
  number,
  zip,
});

/** In the city or, if neither ZIP nor city is given, wherever a street has the name. */
function spotsElsewhere(reading: Reading, place: Place, { gazetteer }: AddressStore): Spot[] {
  const { zip, city, street } = reading;
  const states = (name: string): string[] => (place.state ? [place.state] : gazetteer.statesOfCity(name));
  return numbersToAsk(reading.number).flatMap((number): Spot[] => {
    if (!city && !gazetteer.isKnownZip(zip)) return [{ by: 'name', state: place.state, number, name: street.name }];
    const inCities = place.cities.flatMap((name) =>
      states(name).map((state): Spot => ({
        by: 'city',
        fips: gazetteer.fipsOfCity(state, name),
        number,
        state,
        city: name,
      })),
    );
    return [...inCities, ...place.zips.map((each): Spot => spotInZip(number, each, gazetteer))];
  });
}

const uniqueSpots = (spots: readonly Spot[]): Spot[] => [
  ...new Map(spots.map((spot) => [JSON.stringify(spot), spot])).values(),
];

async function present(store: AddressStore, decision: decisions.Decision): Promise<Resolution> {
  if (decision.outcome === 'match') {
    const { comparison, quality, score } = decision;
    const address = quality === 'exact' ? null : (await store.listLines([comparison.record]))[0];
    const { propertyId } = comparison.record;
    return {
      outcome: 'match',
      property_id: propertyId,
      address,
      match_quality: quality,
      match_score: score,
      flags: comparison.doubts,
    };
  }
  const limit = decision.outcome === 'ambiguous' ? MAX_CANDIDATES : MAX_SUGGESTIONS;
  const records = onePerDoor(decision.records).slice(0, limit);
  const lines = records.length > 0 ? await store.listLines(records) : [];
  const candidates = records.map((record, index) => ({ property_id: record.propertyId, address: lines[index] }));
  return decision.outcome === 'ambiguous'
    ? { outcome: 'ambiguous', reason: decision.reason, candidates }
    : { outcome: 'not_resolved', reason: decision.reason, suggestions: candidates };
}

const onePerDoor = (records: readonly AddressRecord[]): AddressRecord[] => [
  ...new Map(records.map((record) => [`${record.propertyId}#${record.unit}`, record])).values(),
];

const unresolved = (reason: NotResolvedReason): Extract<Resolution, { outcome: 'not_resolved' }> => ({
  outcome: 'not_resolved',
  reason,
  suggestions: [],
});
