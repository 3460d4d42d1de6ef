// Verifies Standard Webhooks signatures with Web Crypto, which works in browsers and Node.

import type { Event, EventData } from './types.ts';

/** An event with the data of its `type`: a check of `event.type` narrows `event.data`. */
export type WebhookEvent = {
  [Type in keyof EventData]: Omit<Event, 'type' | 'data'> & { type: Type; data: EventData[Type] };
}[keyof EventData];

export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

type HeaderBag = Headers | Record<string, string | string[] | undefined>;

/** Rejects timestamps further away than this, to prevent replay attacks. */
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Verifies a delivery and returns its event, or throws WebhookVerificationError. `payload` is the raw body, before any
 * JSON parsing. Deliveries can repeat, so ignore a `webhook-id` you have already processed.
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: HeaderBag,
  secret: string | readonly string[],
  now: Date = new Date(),
): Promise<WebhookEvent> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const sentSeconds = Number(timestamp);
  if (!Number.isInteger(sentSeconds) || Math.abs(now.getTime() / 1_000 - sentSeconds) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError('The webhook-timestamp header is invalid or too far from the current time.');
  const signatures = readHeader(headers, 'webhook-signature')
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => part.slice(3));
  const body = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  for (const each of secrets) {
    const key = await importSecret(each);
    for (const signature of signatures)
      if (await isSignedBy(key, signature, `${id}.${timestamp}.${body}`)) return JSON.parse(body) as WebhookEvent;
  }
  throw new WebhookVerificationError('No matching signature. Check the secret, and pass the body unmodified.');
}

function readHeader(headers: HeaderBag, name: string): string {
  const bag = headers as Headers;
  const value =
    typeof bag.get === 'function'
      ? bag.get(name)
      : Object.entries(headers as Record<string, string>).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The ${name} header is missing.`);
  return value;
}

type WebCrypto = typeof globalThis.crypto;
type Subtle = WebCrypto['subtle'];
type HmacKey = Awaited<ReturnType<Subtle['importKey']>>;

/** Web Crypto is a global in browsers and newer Node versions, but not in Node 18. */
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
    throw new WebhookVerificationError('The secret or signature is not valid base64.');
  }
}
