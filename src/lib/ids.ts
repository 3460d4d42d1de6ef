// Identifiers: property ids that say their county and survive a rebuild, deterministic record ids, random ids.
import { createHash, randomBytes } from 'node:crypto';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const HASH_BITS = 83n;
const PROPERTY_ID = /^prop_[0-9a-hjkmnp-tv-z]{20}$/;

/** 17 bits of county FIPS, then 83 bits of SHA-256(fips | normalised APN | unit), as 20 base-32 characters. */
export function propertyId(fips: number, apn: string, unit = ''): string {
  const digest = createHash('sha256')
    .update(`${formatFips(fips)}|${normalizeApn(apn)}|${unit}`)
    .digest();
  const hash = digest.readBigUInt64BE(0) * (1n << 19n) + (digest.readBigUInt64BE(8) >> 45n);
  return `prop_${base32((BigInt(fips) << HASH_BITS) | hash, 20)}`;
}

export function isPropertyId(text: string): boolean {
  return PROPERTY_ID.test(text) && fipsOfPropertyId(text) <= 99_999;
}

/** The county is the first 17 bits: which shard a property lives in follows from its id alone. */
export function fipsOfPropertyId(id: string): number {
  let head = 0;
  for (const letter of id.slice(5, 9)) head = head * 32 + CROCKFORD.indexOf(letter);
  return head >> 3;
}

/** Publishers write one parcel number with and without dashes, dots and spaces, in either case. */
export function normalizeApn(apn: string): string {
  return apn.toUpperCase().replace(/[^0-9A-Z]/g, '');
}

export function formatFips(fips: number): string {
  return String(fips).padStart(5, '0');
}

/** An id that follows from its parts, so that loading the same record twice finds the first. */
export function recordId(prefix: string, ...parts: (string | number | null | undefined)[]): string {
  const digest = createHash('sha256')
    .update(parts.map((part) => part ?? '').join('|'))
    .digest();
  return `${prefix}_${base32(digest.readBigUInt64BE(0) * (1n << 16n) + (digest.readBigUInt64BE(8) >> 48n), 16)}`;
}

export function randomId(prefix: string): string {
  const bytes = randomBytes(16);
  return `${prefix}_${base32((bytes.readBigUInt64BE(0) << 36n) | (bytes.readBigUInt64BE(8) >> 28n), 20)}`;
}

function base32(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest >>= 5n) text = CROCKFORD[Number(rest & 31n)] + text;
  return text;
}
