// Events of the account on a laptop: polled over the API, then posted to a local address with the headers and signature of
// a webhook, so that the receiver's own check passes. No public address is needed.
import { createHmac, randomBytes } from 'node:crypto';

const PAUSE_MS = 1_000;
const PAGE = 100;

export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** The body and headers of a delivery, as in production. */
export function deliveryOf({ id, type, timestamp, sequence, mode, data }, secret, nowSeconds) {
  const body = JSON.stringify({ type, timestamp, id, sequence, mode, data });
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${nowSeconds}.${body}`).digest('base64');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Platbook-Webhooks/1',
      'webhook-id': id,
      'webhook-timestamp': String(nowSeconds),
      'webhook-signature': `v1,${signature}`,
    },
  };
}

/** Items of a list that is newest first, oldest first and each once, for as long as the program runs. */
export async function* follow(get, path, query, keyOf) {
  const seen = new Set();
  for (let isFirst = true; ; isFirst = false) {
    const found = [];
    let cursor;
    do {
      const page = await get(path, { ...query, limit: PAGE, ...(cursor && { cursor }) });
      const fresh = page.data.filter((item) => !seen.has(keyOf(item)));
      found.push(...fresh);
      cursor = fresh.length === page.data.length && !isFirst ? page.pagination.next_cursor : undefined;
    } while (cursor);
    for (const item of found.reverse()) {
      seen.add(keyOf(item));
      yield item;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Posts an event to the local receiver and says what it answered. */
export async function forward(event, url, secret) {
  const { body, headers } = deliveryOf(event, secret, Math.floor(Date.now() / 1000));
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return error.cause?.code ?? error.message;
  }
}
