// How a parcel number becomes the key of a property, and how two spellings of it are told from two numbers.
import { compactApn, propertyId } from '../../../base/lib/ids.ts';
import type { Source } from '../source.ts';

const SEPARATORS = /[^0-9A-Za-z]+/;

export function parcelKeysOf({ parcels }: Pick<Source, 'parcels'>) {
  const isFixedWidth = parcels?.fixedWidth === true;
  const prefix = parcels?.prefix === undefined ? '' : `${parcels.prefix}:`;
  return {
    idOf: (fips: number, apn: string, unit: string) =>
      propertyId(fips, prefix + (isFixedWidth ? compactApn(apn) : apn), unit),
    /** The spelling in the file, for comparison: two rows of one property with different spellings are two parcels folded
        into one. Null fits any other spelling: where widths are fixed, a number without separators may be any of those
        with them. */
    spellingOf: (cells: string[]) =>
      isFixedWidth && cells.length === 1 && !SEPARATORS.test(cells[0].trim())
        ? null
        : cells.map(bareSpelling).join('|'),
  };
}

/** Without what spreadsheets change: case, leading zeros of each part, a trailing `.0`, the kind of separator. */
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
