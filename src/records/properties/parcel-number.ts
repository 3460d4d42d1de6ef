// Matches parcel numbers to a spelling: as written, with other separators or zeros, or without any.
import { compactApn } from '../../base/lib/ids.ts';

const partsOf = (apn: string) =>
  apn
    .toUpperCase()
    .split(/[^0-9A-Z]+/)
    .filter((part) => part !== '');
const bare = (part: string) => part.replace(/^0+(?=.)/, '');
const bareSpelling = (apn: string) => partsOf(apn).map(bare).join('-');

/** The compact numbers to look up for a spelling: as is, without zeros, and padded to the county's widths. */
export function compactSpellings(wanted: string, samples: string[]): string[] {
  const parts = partsOf(wanted);
  const spellings = new Set([compactApn(wanted), parts.map(bare).join('')]);
  for (const sample of samples) {
    const widths = partsOf(sample).map((part) => part.length);
    if (parts.length === widths.length)
      spellings.add(parts.map((part, i) => bare(part).padStart(widths[i], '0')).join(''));
    const width = widths.reduce((sum, part) => sum + part, 0);
    if (parts.length === 1) spellings.add(bare(parts[0]).padStart(width, '0'));
  }
  spellings.delete('');
  return [...spellings];
}

/** The parcel numbers on file that match a spelling best: the same text, else the same parts, else all of them. */
export function closestNumbers(wanted: string, onFile: string[]): string[] {
  const text = wanted.trim();
  const same = onFile.filter((apn) => apn === text);
  if (same.length > 0) return same;
  const spelling = bareSpelling(wanted);
  const alike = onFile.filter((apn) => bareSpelling(apn) === spelling);
  return alike.length > 0 ? alike : onFile;
}
