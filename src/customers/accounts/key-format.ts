// The shape of an API key: `sk_live_pb_` or `sk_test_pb_`, 33 random characters, 6 of checksum. The tag `pb` keeps
// secret scanners from reporting our keys as another vendor's; the checksum refuses typos before any database work.
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type KeyMode = 'live' | 'test';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 33;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^sk_(live|test)_pb_[0-9A-Za-z]{39}$/;

export function generateKey(mode: KeyMode): string {
  const body = `sk_${mode}_pb_${base62(BigInt(`0x${randomBytes(24).toString('hex')}`), RANDOM_LENGTH)}`;
  return body + checksum(body);
}

export function isWellFormedKey(key: string): boolean {
  if (!SHAPE.test(key)) return false;
  return checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH);
}

/** Plain numbers hold 32 bits, and every call checks its key, so this must be fast. */
function checksum(body: string): string {
  let text = '';
  for (let rest = crc32(body); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    text = BASE62[rest % 62] + text;
  return text;
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = BASE62[Number(rest % 62n)] + text;
  return text;
}
