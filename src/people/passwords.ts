// Passwords: argon2id as OWASP sets it (19 MiB, two passes), and what a password must be.
import { hash, verify } from '@node-rs/argon2';
import { fail } from '../lib/errors.ts';

// 2 is argon2id: the package's names are constants that exist only while it is compiled.
const OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MIN_LENGTH = 10;
const MAX_LENGTH = 200;
const COMMON = /^(password|passw0rd|qwerty|letmein|welcome|iloveyou|platbook|123456|abc123|admin)/i;
const MAX_DIFFERENT_IN_BAD = 4;

let decoy: Promise<string> | undefined;

export function checkPassword(password: string, email: string): void {
  const local = email.split('@')[0].toLowerCase();
  const isCommon = COMMON.test(password) && password.length < 16;
  const isMonotonous = new Set(password).size <= MAX_DIFFERENT_IN_BAD;
  const isOwnName = local.length > 3 && password.toLowerCase().includes(local);
  if (password.length < MIN_LENGTH || password.length > MAX_LENGTH || isCommon || isMonotonous || isOwnName) {
    const detail = `Choose a password of ${MIN_LENGTH} characters or more that is not a common word and does not hold your address`;
    fail('invalid_request', `${detail}.`, { errors: [{ pointer: '/body/password', code: 'weak', detail }] });
  }
}

export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

/** Takes as long for a user who does not exist, so that the time tells nobody who does. */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  const known = stored ?? (await (decoy ??= hashPassword('nobody has this password')));
  return (await verify(known, password)) && stored !== undefined;
}
