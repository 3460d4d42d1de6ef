// Signatures as specified by Standard Webhooks 1.0: HMAC-SHA-256 over `id.timestamp.body`, one per active secret.
// Pure except for the random bytes of a new secret.
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
// The standard requires 24 to 64 bytes.
const SECRET_BYTES = 32;

export interface StoredSecret {
  secret: string;
  /** null: valid until rotated. */
  expires_at: string | null;
}

export const generateSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export const signWebhook = (secrets: string[], id: string, timestampSeconds: number, body: string): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
    })
    .join(' ');

/** Newest first. */
export const secretsInForce = (stored: StoredSecret[], now: Date): string[] =>
  stored.filter(({ expires_at }) => expires_at === null || new Date(expires_at) > now).map(({ secret }) => secret);
