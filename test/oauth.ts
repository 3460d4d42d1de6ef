// An app that connects to an account like any third-party program: registers, sends a browser to consent, and exchanges
// the code.
import { createHash, randomBytes } from 'node:crypto';
import type { App } from '../src/base/http/types.ts';
import type { Browser } from './people.ts';

export const REDIRECT = 'http://127.0.0.1:7777/callback';

export const formOf = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

export async function postForm(app: App, url: string, fields: Record<string, string>) {
  const response = await app.inject({
    method: 'POST',
    url,
    headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
    payload: formOf(fields),
  });
  return { status: response.statusCode, body: response.payload === '' ? undefined : response.json() };
}

export async function registerClient(app: App, metadata: object = {}, from = '127.0.0.1') {
  const response = await app.inject({
    method: 'POST',
    url: '/oauth/register',
    remoteAddress: from,
    headers: { host: 'localhost', 'x-forwarded-proto': 'https', 'content-type': 'application/json' },
    payload: { client_name: 'Test assistant', redirect_uris: [REDIRECT], ...metadata },
  });
  return { status: response.statusCode, body: response.json() };
}

export interface Asked {
  clientId: string;
  verifier: string;
  answer: Awaited<ReturnType<Browser['send']>>;
}

/** Sends a browser to the authorization endpoint. Null fields are omitted. */
export async function askToConnect(
  browser: Browser,
  clientId: string,
  fields: Record<string, string | null> = {},
): Promise<Asked> {
  const verifier = randomBytes(32).toString('base64url');
  const all: Record<string, string | null> = {
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'xyz',
    ...fields,
  };
  const query = formOf(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as never);
  return { clientId, verifier, answer: await browser.send('GET', `/oauth/authorize?${query}`) };
}

/** Consents or denies, and follows to the app's redirect URI. */
export async function answerConsent(browser: Browser, { answer }: Asked, decision: object): Promise<URL> {
  const decided = await browser.send('POST', String(answer.headers.location), decision);
  if (decided.status !== 200) throw new Error(decided.text);
  const back = await browser.send('GET', new URL(decided.body.url).pathname);
  return new URL(String(back.headers.location));
}

export const exchange = (app: App, { clientId, verifier }: Asked, code: string, more: Record<string, string> = {}) =>
  postForm(app, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code,
    code_verifier: verifier,
    ...more,
  });

/** The whole flow, up to the tokens. */
export async function connectApp(
  app: App,
  browser: Browser,
  fields: Record<string, string | null> = {},
  decision: object = { mode: 'test' },
) {
  const { body: client } = await registerClient(app);
  const asked = await askToConnect(browser, client.client_id, fields);
  const back = await answerConsent(browser, asked, { allow: true, ...decision });
  const { body } = await exchange(app, asked, back.searchParams.get('code') ?? '');
  return { asked, clientId: client.client_id as string, back, tokens: body };
}
