// Formats an address on one line as a person would write it, from the words of its source.
import type { SitusAddress } from './canonical.ts';
import { isEmptyUnit } from './units.ts';
import { UNIT_DESIGNATORS } from './tables.ts';

type Written = Pick<SitusAddress, 'line1' | 'unit' | 'city' | 'state' | 'zip'>;

export function formatLine({ line1, unit, city, state, zip }: Written): string {
  const street = line1.trim().replace(/\s+/g, ' ');
  const isNamed = !unit || isEmptyUnit(unit) || street.toUpperCase().endsWith(` ${unit.toUpperCase()}`);
  const door = isNamed ? tidy(street) : `${tidy(street)} ${unitText(unit)}`;
  return [door, tidy(city), `${state} ${zip ?? ''}`.trim()].filter(Boolean).join(', ');
}

/** `N WATER ST` → `N Water St`; `5TH` → `5th`; `NW` stays. */
export function titleCase(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[\s/-])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/\b(Ne|Nw|Se|Sw|Us|Po)\b/g, (word) => word.toUpperCase())
    .replace(/\bMc([a-z])/g, (_, letter: string) => `Mc${letter.toUpperCase()}`)
    .replace(/\b\d+[a-z]\b/g, (number) => number.toUpperCase());
}

/** Sources written in all caps are title-cased; mixed case is left as is. */
const tidy = (text: string): string => (/[a-z]/.test(text) ? text : titleCase(text));

/** `4b` → `Unit 4B`, `PS 14` → `Unit PS 14`; `Apt 4B` and `Rear` stay. */
function unitText(unit: string): string {
  const isNamed = unit.startsWith('#') || UNIT_DESIGNATORS.has(unit.toUpperCase().split(/[ -]/)[0]);
  return isNamed ? unit : `Unit ${unit.toUpperCase()}`;
}
