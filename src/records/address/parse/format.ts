// Formats an address on one line as a person would write it, from the words of its source.
import { titleCase } from '../../../base/lib/title-case.ts';
import type { SitusAddress } from './canonical.ts';
import { isEmptyUnit } from './units.ts';
import { UNIT_DESIGNATORS } from './tables.ts';

type Written = Pick<SitusAddress, 'line1' | 'unit' | 'city' | 'state' | 'zip'>;

export function formatLine({ line1, unit, city, state, zip }: Written): string {
  const street = line1.trim().replace(/\s+/g, ' ');
  const isNamed = !unit || isEmptyUnit(unit) || street.toUpperCase().endsWith(` ${unit.toUpperCase()}`);
  const door = isNamed ? titleCase(street) : `${titleCase(street)} ${unitText(unit)}`;
  return [door, titleCase(city), `${state} ${zip ?? ''}`.trim()].filter(Boolean).join(', ');
}

/** `4b` → `Unit 4B`, `PS 14` → `Unit PS 14`; `Apt 4B` and `Rear` stay. */
function unitText(unit: string): string {
  const isNamed = unit.startsWith('#') || UNIT_DESIGNATORS.has(unit.toUpperCase().split(/[ -]/)[0]);
  return isNamed ? unit : `Unit ${unit.toUpperCase()}`;
}
