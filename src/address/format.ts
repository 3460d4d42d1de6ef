// An address as a person writes it on one line, from the words of its source.
import type { SitusAddress } from './canonical.ts';

export function formatLine({ line1, unit, city, state, zip }: SitusAddress): string {
  const street = line1.trim().replace(/\s+/g, ' ');
  const door = unit && !street.toUpperCase().endsWith(unit.toUpperCase()) ? `${street} ${unitText(unit)}` : street;
  return [door, city, `${state} ${zip ?? ''}`.trim()].filter(Boolean).join(', ');
}

/** `4B` → `Unit 4B`; `Apt 4B` stays. */
function unitText(unit: string): string {
  return /^[A-Za-z]{2,} |^#/.test(unit) ? unit : `Unit ${unit}`;
}
