// Keys for separate purposes, all derived from one master secret, so that there is one secret to store and rotate.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  randomBytes,
  sign,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';

type Purpose =
  | 'api-keys'
  | 'cursors'
  | 'stored-secrets'
  | 'sessions'
  | 'audit'
  | 'kept-answers'
  | 'request-details'
  | 'oauth';

export interface Secrets {
  /** HMAC-SHA-256 with the key for a purpose. */
  sign(purpose: Purpose, message: string): Buffer;
  /** AES-256-GCM; the result includes its nonce and tag. */
  encrypt(purpose: Purpose, plaintext: string): Buffer;
  decrypt(purpose: Purpose, ciphertext: Buffer): string;
  /** Ed25519, for statements verified with the public key. Signatures are deterministic. */
  attest(statement: string): Buffer;
  /** PEM. */
  publicKey: string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The PKCS #8 prefix of a 32-byte Ed25519 private key. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

export const ed25519KeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' });

export function deriveSecrets(master: string): Secrets {
  // Cached key objects: creating one from bytes per signature takes five times as long as signing.
  const keys = new Map<Purpose, KeyObject>();
  const keyFor = (purpose: Purpose) => {
    let key = keys.get(purpose);
    if (!key)
      keys.set(purpose, (key = createSecretKey(Buffer.from(hkdfSync('sha256', master, 'platbook', purpose, 32)))));
    return key;
  };
  const attestationKey = ed25519KeyOf(Buffer.from(hkdfSync('sha256', master, 'platbook', 'attestations', 32)));
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
    attest: (statement) => sign(null, Buffer.from(statement), attestationKey),
    publicKey: createPublicKey(attestationKey).export({ format: 'pem', type: 'spki' }).toString(),
  };
}

export const isSameBytes = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
