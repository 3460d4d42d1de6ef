// Suggestions while typing: addresses once there is a number or one street, streets before, by prefixes in any order.
import type { Pool } from '../../base/db/postgres.ts';
import { type AddressMode, countyRange } from './store/postgres.ts';
import type { Suggestion } from './schema.ts';
import * as sql from './store/sql.ts';
import { editDistance, tolerance } from '../../base/lib/spelling.ts';
import { type Typed, continuesTyped, fitsTyped, readTyped, replaceWord } from './parse/typeahead.ts';

const MAX_SUGGESTIONS = 10;
/** Rows read for each anchor word, to be checked against the other words. */
const MAX_READ = 300;
/** The first letters are assumed correct; otherwise a hundred times as many names would have to be compared. */
const SURE_LETTERS = 3;
const MAX_NAMES = 5_000;
const MAX_CORRECTIONS = 3;

/** Addresses, or streets until a number is typed or only one street is left, whose words start with the words typed, in
    any order. Exact continuations come first. */
export async function autocomplete(
  deps: { data: Pool },
  query: string,
  options: { mode: AddressMode; limit?: number },
): Promise<Suggestion[]> {
  const typed = readTyped(query);
  const limit = Math.min(options.limit ?? MAX_SUGGESTIONS, MAX_SUGGESTIONS);
  if (!typed.text) return [];
  const list = typed.number ? suggestAddresses : suggestStreets;
  const found = await list(deps.data, typed, options.mode);
  if (found.length > 0) return found.slice(0, limit);
  const corrected = await correct(deps.data, typed, options.mode);
  const others = await Promise.all(corrected.map((each) => list(deps.data, each, options.mode)));
  return others.flat().slice(0, limit);
}

/** Spelling corrections, nearest first: a word of four letters or more whose first three start a street name that
    nearly matches. */
async function correct(data: Pool, typed: Typed, mode: AddressMode): Promise<Typed[]> {
  const nearby: { distance: number; typed: Typed }[] = [];
  for (const anchor of typed.anchors.filter((each) => /^[A-Z]{4,}$/.test(each))) {
    const names = await sql.listStreetNames(data, countyRange(mode), anchor.slice(0, SURE_LETTERS), MAX_NAMES);
    const starts = new Map(names.flatMap((name) => nearStart(name, anchor)));
    for (const [start, distance] of starts) nearby.push({ distance, typed: replaceWord(typed, anchor, start) });
  }
  return nearby
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_CORRECTIONS)
    .map(({ typed: meant }) => meant);
}

/** The prefix of the name nearest to the typed text, with its distance; undefined if none is near. */
function nearStart(name: string, typed: string): [start: string, distance: number][] {
  const most = tolerance(typed);
  let best = { start: '', distance: most + 1 };
  for (let length = typed.length - most; length <= Math.min(name.length, typed.length + most); length++) {
    const start = name.slice(0, length);
    const distance = editDistance(start, typed, most);
    if (distance < best.distance) best = { start, distance };
  }
  return best.distance <= most ? [[best.start, best.distance]] : [];
}

async function suggestAddresses(data: Pool, typed: Typed, mode: AddressMode): Promise<Suggestion[]> {
  const asTyped: sql.TypedAddress[] = [];
  const inOtherOrder: sql.TypedAddress[] = [];
  for (const read of readersOf(data, countyRange(mode), typed)) {
    for (const row of await read()) {
      if (continuesTyped(row.line, typed)) asTyped.push(row);
      else if (fitsTyped(row.line, typed.words)) inOtherOrder.push(row);
    }
    if (asTyped.length + inOtherOrder.length >= MAX_SUGGESTIONS) break;
  }
  const byLine = (a: sql.TypedAddress, b: sql.TypedAddress): number => (a.line < b.line ? -1 : 1);
  return oneOfEach([...asTyped.sort(byLine), ...inOtherOrder]);
}

/** Properties that share an address are one suggestion. */
const oneOfEach = (addresses: sql.TypedAddress[]): Suggestion[] =>
  [...Map.groupBy(addresses, ({ line }) => line)].map(([line, rows]) => {
    const properties = new Set(rows.map(({ property_id }) => property_id));
    return suggestion('address', line, properties.size === 1 ? rows[0].property_id : null);
  });

type Reader = () => Promise<sql.TypedAddress[]>;

/** Queries, likeliest first: later ones run only if earlier ones found too little. Ranges that contain the number rank
    after exact house numbers. */
function readersOf(data: Pool, range: sql.CountyRange, typed: Typed): Reader[] {
  const { number, isNumberOpen, mayBeDirection, anchors, words } = typed;
  const isOpen = words.length === 0 && isNumberOpen;
  const byNumber = (isWhole: boolean): Reader => {
    return () => sql.listTypedNumbers(data, range, { number, isOpen, isWhole }, MAX_READ);
  };
  const byName = (isWhole: boolean): Reader[] =>
    anchors.map((prefix) => () => sql.listTypedAddresses(data, range, { number, prefix, isWhole }, MAX_READ));
  if (words.length === 0) return [byNumber(true), byNumber(false)];

  // 1208 W: Water St, or any street on the west side.
  const byEither =
    (isWhole: boolean): Reader =>
    async () =>
      (await Promise.all([byNumber(isWhole), ...byName(isWhole)].map((read) => read()))).flat();
  const byStreet = (isWhole: boolean): Reader[] => (mayBeDirection ? [byEither(isWhole)] : byName(isWhole));
  const onStreet = anchors.map((prefix): Reader => {
    return () => sql.listTypedOnStreets(data, range, { number, prefix }, MAX_READ);
  });
  const byWord = anchors.map((prefix): Reader => {
    return () => sql.listTypedAddressesByWord(data, range, { number, prefix }, MAX_READ);
  });
  return [...byStreet(true), ...(isNumberOpen ? onStreet : []), ...byStreet(false), ...byWord];
}

async function suggestStreets(data: Pool, { anchors, words }: Typed, mode: AddressMode): Promise<Suggestion[]> {
  const range = countyRange(mode);
  const found = new Map<string, sql.TypedStreet>();
  const keep = (rows: readonly sql.TypedStreet[]): void => {
    for (const row of rows) if (fitsTyped(textOf(row), words)) found.set(textOf(row), row);
  };
  for (const anchor of anchors) {
    keep(await sql.listTypedStreets(data, range, anchor, MAX_READ));
    if (found.size > 0) break;
  }
  if (found.size === 0) {
    for (const anchor of anchors) keep(await sql.listTypedStreetsByWord(data, range, anchor, MAX_READ));
  }
  const streets = [...found.values()].sort((a, b) => b.address_count - a.address_count);
  const asStreets = streets.map((row) => suggestion('street', textOf(row), null));
  const isOne = new Set(streets.map(({ label }) => label)).size === 1;
  if (!isOne) return asStreets;
  // Only the house is left to choose, so the street's first houses come before the street itself.
  const houses = (await sql.listHousesOn(data, range, streets[0], MAX_READ)).filter(({ line }) =>
    fitsTyped(line, words),
  );
  const shown = oneOfEach(houses).slice(0, Math.max(0, MAX_SUGGESTIONS - streets.length));
  return [...shown, ...asStreets];
}

const textOf = ({ label, city_label, state, zip }: sql.TypedStreet): string =>
  `${label}, ${city_label}, ${state} ${zip}`.trim();

const suggestion = (type: Suggestion['type'], address: string, propertyId: string | null): Suggestion => ({
  object: 'suggestion',
  type,
  address,
  property_id: propertyId,
});
