// Identifiers: property ids that encode their county and survive a rebuild, deterministic record ids, random ids.
import { hash, randomFillSync } from 'node:crypto';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const FIPS_BITS = 17;
const PROPERTY_ID = /^prop_[0-9a-hjkmnp-tv-z]{20}$/;

/** 17 bits of county FIPS, then 83 bits of SHA-256(fips | parcel key | unit), as 20 base-32 characters. The key is the
    parcel number as written, so 7-41 and 74-1 stay two parcels; if a county's numbers have fixed-width parts,
    separators carry no information and the key is the compact number. */
export function propertyId(fips: number, key: string, unit = ''): string {
  const digest = hash('sha256', `${formatFips(fips)}|${key}|${unit}`, 'binary');
  return `prop_${base32(digest, 20, fips, FIPS_BITS)}`;
}

export const isPropertyId = (text: string): boolean => PROPERTY_ID.test(text) && fipsOfPropertyId(text) <= 99_999;

/** The county is the first 17 bits, so a property's shard follows from its id alone. */
export function fipsOfPropertyId(id: string): number {
  let head = 0;
  for (const letter of id.slice(5, 9)) head = head * 32 + CROCKFORD.indexOf(letter);
  return head >> 3;
}

/** An id in a county, encoded like a property's: 17 bits of county, then 83 bits of a hash. */
export const countyId = (prefix: string, fips: number, key: string): string =>
  `${prefix}_${base32(hash('sha256', `${prefix}|${formatFips(fips)}|${key}`, 'binary'), 20, fips, FIPS_BITS)}`;

export const fipsOfCountyId = (id: string): number => fipsOfPropertyId(`prop_${id.slice(id.indexOf('_') + 1)}`);

export interface IdRange {
  fips: number;
  from: string;
  /** The first id after it. */
  to: string;
}

const RANGE_LETTERS = 10;

/** An id range with a given share of a county's properties: a stable, effectively random sample, since ids are hashes. */
export function shareOfIds(fips: number, share: number): IdRange {
  const steps = 2 ** (5 * RANGE_LETTERS - FIPS_BITS);
  const idAt = (step: number): string => {
    let letters = '';
    for (let left = fips * steps + step, i = 0; i < RANGE_LETTERS; i++, left = Math.floor(left / 32))
      letters = CROCKFORD[left % 32] + letters;
    return `prop_${letters}`;
  };
  return { fips, from: idAt(0), to: idAt(Math.min(steps, Math.ceil(share * steps))) };
}

/** A parcel number in uppercase without dashes, dots and spaces: the same for every spelling, but different numbers may
    collide. */
export const compactApn = (apn: string): string => apn.toUpperCase().replace(/[^0-9A-Z]/g, '');

export const formatFips = (fips: number): string => String(fips).padStart(5, '0');

/** An id derived from its parts, so reloading a record finds the existing row. */
export const recordId = (prefix: string, ...parts: (string | number | null | undefined)[]): string =>
  `${prefix}_${base32(hash('sha256', parts.map((part) => part ?? '').join('|'), 'binary'), 16)}`;

export const randomId = (prefix: string): string => `${prefix}_${base32(drawRandom(16).toString('latin1'), 20)}`;

export const randomHex = (bytes: number): string => drawRandom(bytes).toString('hex');

// Generating 16 random bytes takes as long as a thousand, so they are generated ahead; each is used once.
const drawn = Buffer.allocUnsafeSlow(4096);
let used = drawn.length;

function drawRandom(bytes: number): Buffer {
  if (used + bytes > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  return drawn.subarray(used, (used += bytes));
}

/** Encodes the bits of `head` and then of the bytes, five per character. Bytes come as a Latin-1 string: a million ids
    take one second this way and four through buffers. */
function base32(bytes: string, length: number, head = 0, headBits = 0): string {
  let text = '';
  let at = 0;
  for (let bits = head, left = headBits; text.length < length;) {
    if (left < 5) {
      bits = ((bits & ((1 << left) - 1)) << 8) | bytes.charCodeAt(at++);
      left += 8;
    }
    left -= 5;
    text += CROCKFORD[(bits >>> left) & 31];
  }
  return text;
}
