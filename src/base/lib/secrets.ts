// Keys for separate purposes, all derived from one master secret, so that there is one secret to store and rotate.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';

type Purpose = 'api-keys' | 'cursors' | 'stored-secrets' | 'sessions' | 'audit' | 'kept-answers' | 'request-details';

export interface Secrets {
  /** HMAC-SHA-256 with the key for a purpose. */
  sign(purpose: Purpose, message: string): Buffer;
  /** AES-256-GCM; the result includes its nonce and tag. */
  encrypt(purpose: Purpose, plaintext: string): Buffer;
  decrypt(purpose: Purpose, ciphertext: Buffer): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function deriveSecrets(master: string): Secrets {
  // Key objects: from bytes, one would be made for every signature, which takes five times as long as signing.
  const keys = new Map<Purpose, KeyObject>();
  const keyFor = (purpose: Purpose) => {
    let key = keys.get(purpose);
    if (!key)
      keys.set(purpose, (key = createSecretKey(Buffer.from(hkdfSync('sha256', master, 'platbook', purpose, 32)))));
    return key;
  };
  return {
    sign: (purpose, message) => createHmac('sha256', keyFor(purpose)).update(message).digest(),
    encrypt: (purpose, plaintext) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce);
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    decrypt: (purpose, ciphertext) => {
      const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), ciphertext.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(ciphertext.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = ciphertext.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
  };
}

export function isSameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
