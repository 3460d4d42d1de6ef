// A street line as its source writes it, without the city, state and ZIP code of the same row and without placeholders.
import type { Value } from '../source.ts';

/** Placeholders for unknown addresses. */
const PLACEHOLDER =
  /^(?:X{2,}|0+|-+)?\s*(?:UNDETERMINED|UNKNOWN|UNASSIGNED|UNADDRESSED|NOT ASSIGNED|NO (?:SITUS|ADDRESS|STREET|NUMBER)|TO BE DETERMINED|TBD|SITUS)\b.*$|^[X0\s-]*$/i;
/** Sentinel house numbers: `0 NORTH SHORE RD`, `XXX MASHELL AV S`. */
const NO_NUMBER = /^(?:X{2,}|0+)\s+(?=\S)/i;

/** `10135 W MARIPOSA ST PHOENIX 85037` in a row of Phoenix, 85037, is 10135 W MARIPOSA ST. */
export function cleanLine({ address_line1, city, zip }: Record<string, Value>, state: string): string | null {
  if (typeof address_line1 !== 'string' || PLACEHOLDER.test(address_line1)) return null;
  // Some programs write nullable numbers as 101.0, others pad them with zeros.
  const line = address_line1
    .replace(NO_NUMBER, '')
    .replace(/^0*(\d+)(?:\.0+)? /, '$1 ')
    .trim();
  // Fast path: most lines contain neither.
  const isNamed = (part: Value) => typeof part === 'string' && line.toUpperCase().includes(part.toUpperCase());
  if (!isNamed(city) && !isNamed(zip)) return line;
  for (const place of placesOf(city ? escape(String(city)) : '', state, zip ? escape(String(zip)) : '')) {
    const street = line.replace(new RegExp(`${place}[\\s,]*$`, 'i'), '');
    // A street named after its city keeps its name.
    if (street !== line && /^\S*\d\S*\s+\S/.test(street)) return street;
  }
  return line;
}

/** The possible place suffixes of a line. A state alone is not one: in Connecticut, ELM CT is a court. */
function* placesOf(city: string, state: string, zip: string): Generator<string> {
  const cityAtEnd = city.replace(/\s+/g, '\\s+');
  const zipAtEnd = `${zip}(?:-?\\d{4})?`;
  if (city && zip) yield `[\\s,]+${cityAtEnd}(?:[\\s,]+${state})?[\\s,]+${zipAtEnd}`;
  if (city && state) yield `[\\s,]+${cityAtEnd}[\\s,]+${state}`;
  if (city) yield `\\s*,\\s*${cityAtEnd}`;
  if (zip) yield `(?:\\s*,\\s*${state})?[\\s,]+${zipAtEnd}`;
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
