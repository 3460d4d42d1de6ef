// The canonical form of a record's address, parsed by the same code as input.
import { type LineReading, readLine } from './line.ts';
import { cityKey } from './names.ts';
import { DIRECTIONS, UNIT_DESIGNATORS } from './tables.ts';
import { readWords } from './text.ts';
import { isEmptyUnit, saysUnit, takeUnits, unitKey } from './units.ts';

/** One address of a property as its source writes it. */
export interface SitusAddress {
  fips: number;
  propertyId: string;
  ordinal?: number;
  line1: string;
  unit?: string | null;
  city: string;
  state: string;
  zip: string | null;
}

export interface AddressRecord extends Omit<LineReading, 'form'> {
  fips: number;
  propertyId: string;
  /** Index among the property's addresses: a parcel may have several doors. */
  ordinal: number;
  city: string;
  state: string;
  zip: string;
}

/** A source's own abbreviations: Milwaukee writes TR for Terrace and PK for Parkway. */
export type SuffixMap = Readonly<Record<string, string>>;

/** Undefined if the source gives no house number; such a property cannot be found by address. */
export function canonicalRecord(situs: SitusAddress, suffixes: SuffixMap = {}): AddressRecord | undefined {
  const reading = chooseReading(readLine(withSourceSuffixes(readWords(situs.line1), suffixes)));
  if (!reading) return undefined;
  const ownUnit = situs.unit && !isEmptyUnit(situs.unit) ? unitOfField(situs.unit) : '';
  const isNew = ownUnit !== '' && !saysUnit(reading.unit, ownUnit);
  // 1429A with unit 2 is a different door from 1429 with unit 2.
  const unit = isNew ? reading.unit + ownUnit : reading.unit;
  return {
    fips: situs.fips,
    propertyId: situs.propertyId,
    ordinal: situs.ordinal ?? 0,
    number: reading.number,
    street: reading.street,
    streetText: reading.streetText,
    unit,
    unitInNumber: reading.unitInNumber && ownUnit === '',
    city: cityKey(readWords(situs.city)),
    state: situs.state.toUpperCase(),
    zip: (situs.zip ?? '').slice(0, 5),
  };
}

/** `number|pre|name|suffix|post|unit|zip`: equal keys are the same door. */
export function canonicalKey(record: Pick<AddressRecord, 'number' | 'street' | 'unit' | 'zip'>): string {
  const { pre, name, suffix, post } = record.street;
  return [record.number.key, pre, name, suffix, post, record.unit, record.zip].join('|');
}

/** Spelled out where a suffix can stand: at the end of a street, before a direction, a comma or a unit. */
export function withSourceSuffixes(words: readonly string[], suffixes: SuffixMap): string[] {
  const endsStreet = (next: string | undefined): boolean =>
    next === undefined || /^[,#]$|\d/.test(next) || UNIT_DESIGNATORS.has(next) || DIRECTIONS.has(next);
  return words.map((word, index) => (index > 1 && endsStreet(words[index + 1]) ? (suffixes[word] ?? word) : word));
}

function chooseReading(readings: readonly LineReading[]): LineReading | undefined {
  const special = (form: LineReading['form']) => readings.find((reading) => reading.form === form);
  const first = readings[0];
  if (!first) return undefined;
  const trailing = first.unit || first.number.key.includes('-') ? undefined : special('unit_after_street');
  return special('letter_after_number') ?? trailing ?? first;
}

function unitOfField(text: string): string {
  const words = readWords(text).filter((word) => word !== ',');
  const { unit, rest } = takeUnits(words);
  return unit && rest.every((word) => word === ',') ? unit : unitKey('APT', words.join(''));
}
