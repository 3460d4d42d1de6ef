// Proof that a webhook came from us: Standard Webhooks signatures, checked with the crypto that browsers and Node share.

export interface WebhookEvent<Data = unknown> {
  /** For example `batch.completed`. */
  type: string;
  /** When it happened. */
  timestamp: string;
  data: Data;
}

export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

type HeaderBag = Headers | Record<string, string | string[] | undefined>;

/** Older or newer than this is refused: a recorded delivery cannot be played again later. */
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Checks a delivery and returns its event; throws WebhookVerificationError otherwise. `payload` is the body exactly as it arrived, before any
 * JSON parser. Remember `webhook-id` and ignore one you have seen: deliveries can repeat.
 */
export async function verifyWebhook<Data = unknown>(
  payload: string | Uint8Array,
  headers: HeaderBag,
  secret: string | readonly string[],
  now: Date = new Date(),
): Promise<WebhookEvent<Data>> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const sentSeconds = Number(timestamp);
  if (!Number.isInteger(sentSeconds) || Math.abs(now.getTime() / 1_000 - sentSeconds) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError('The timestamp is missing or too far from now.');
  const signatures = readHeader(headers, 'webhook-signature')
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => part.slice(3));
  const body = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  for (const each of secrets) {
    const key = await importSecret(each);
    for (const signature of signatures)
      if (await isSignedBy(key, signature, `${id}.${timestamp}.${body}`)) return JSON.parse(body) as WebhookEvent<Data>;
  }
  throw new WebhookVerificationError('No signature fits. Is the secret right, and the body untouched?');
}

function readHeader(headers: HeaderBag, name: string): string {
  const bag = headers as Headers;
  const value =
    typeof bag.get === 'function'
      ? bag.get(name)
      : Object.entries(headers as Record<string, string>).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

type WebCrypto = typeof globalThis.crypto;
type Subtle = WebCrypto['subtle'];
type HmacKey = Awaited<ReturnType<Subtle['importKey']>>;

/** Node 18 keeps the web's crypto in a module; browsers and newer Nodes have it at hand. */
async function subtle(): Promise<Subtle> {
  if (globalThis.crypto?.subtle) return globalThis.crypto.subtle;
  const module = 'node:crypto';
  const { webcrypto } = (await import(/* @vite-ignore */ module)) as { webcrypto: WebCrypto };
  return webcrypto.subtle;
}

async function importSecret(secret: string): Promise<HmacKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  return (await subtle()).importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** `verify` compares in constant time. */
async function isSignedBy(key: HmacKey, signature: string, message: string): Promise<boolean> {
  return (await subtle()).verify('HMAC', key, fromBase64(signature), new TextEncoder().encode(message));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    throw new WebhookVerificationError('A secret or signature is not base64.');
  }
}
