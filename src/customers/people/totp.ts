// Two-factor codes (RFC 6238: SHA-1, 30 seconds, six digits) and the base-32 text that an authenticator app reads.
import { createHmac, randomBytes } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_SECONDS = 30;
// A phone's clock may be half a minute off either way.
const DRIFT_STEPS = 1;

export function generateTotpSecret(): string {
  const bits = [...randomBytes(20)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[parseInt(five, 2)]).join('');
}

export function totpAt(secret: string, step: number): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => parseInt(eight, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = digest[19] & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

export const stepAt = (now: Date): number => Math.floor(now.getTime() / 1000 / STEP_SECONDS);

/** The time step of a code, if newer than the last one used, which prevents reuse of an observed code. */
export function findTotpStep(secret: string, code: string, now: Date, lastStep: number): number | undefined {
  const present = stepAt(now);
  for (let step = present - DRIFT_STEPS; step <= present + DRIFT_STEPS; step++) {
    if (step > lastStep && totpAt(secret, step) === code) return step;
  }
  return undefined;
}

export const totpUrl = (secret: string, email: string): string =>
  `otpauth://totp/Platbook:${encodeURIComponent(email)}?secret=${secret}&issuer=Platbook&digits=6&period=30`;
