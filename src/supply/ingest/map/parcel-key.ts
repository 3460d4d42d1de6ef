// Maps a parcel number to a property key, and distinguishes two spellings of a number from two numbers.
import { compactApn, propertyId } from '../../../base/lib/ids.ts';
import type { Source } from '../source.ts';

const SEPARATORS = /[^0-9A-Za-z]+/;

export function parcelKeysOf({ parcels }: Pick<Source, 'parcels'>) {
  const isFixedWidth = parcels?.fixedWidth === true;
  const prefix = parcels?.prefix === undefined ? '' : `${parcels.prefix}:`;
  return {
    idOf: (fips: number, apn: string, unit: string) =>
      propertyId(fips, prefix + (isFixedWidth ? compactApn(apn) : apn), unit),
    /** The spelling in the file, for comparison: two rows of one property with different spellings are two parcels
        merged into one. Null matches any spelling: with fixed widths, a number without separators may be any of those
        with them. */
    spellingOf: (cells: string[]) =>
      isFixedWidth && cells.length === 1 && !SEPARATORS.test(cells[0].trim())
        ? null
        : cells.map(bareSpelling).join('|'),
  };
}

/** Normalizes what spreadsheets change: case, leading zeros of each part, a trailing `.0`, the separator. */
function bareSpelling(cell: string): string {
  if (/^[1-9]\d*$/.test(cell)) return cell;
  return cell
    .trim()
    .toUpperCase()
    .replace(/\.0$/, '')
    .split(SEPARATORS)
    .filter((part) => part !== '')
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join('-');
}
