// Signs in through the browser: OAuth 2.1 with PKCE and a callback to this computer. Tokens are refreshed when they end.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { alone, clearCredentials, readCredentials, saveCredentials } from './credentials.mjs';

const REFRESH_BEFORE_MS = 60_000;
const WAIT_MS = 5 * 60_000;

const random = () => randomBytes(32).toString('base64url');

async function post(url, fields, isJson = false) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' },
    body: isJson ? JSON.stringify(fields) : new URLSearchParams(fields),
  });
  const text = await response.text();
  const body = text === '' ? {} : JSON.parse(text);
  if (!response.ok) throw new Error(body.error_description ?? body.detail ?? `${url} answered ${response.status}`);
  return body;
}

async function discover(server) {
  const response = await fetch(`${server}/.well-known/oauth-authorization-server`);
  if (!response.ok) throw new Error(`${server} is not a Platbook server (${response.status}).`);
  const metadata = await response.json();
  if (metadata.issuer !== server) throw new Error(`${server} calls itself ${metadata.issuer}. Use that with --url.`);
  return metadata;
}

/** Waits for the browser to come back with the code. */
function waitForCallback() {
  const server = createServer();
  const ready = new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
  const called = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Nobody signed in within five minutes.')), WAIT_MS);
    server.on('request', (request, response) => {
      const url = new URL(request.url, 'http://127.0.0.1');
      if (url.pathname !== '/callback') return response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' });
      response.end(url.searchParams.has('code') ? 'Signed in. You can close this page.' : 'Not signed in.');
      clearTimeout(timer);
      server.close();
      return resolve(url.searchParams);
    });
  });
  return { ready, called };
}

function openBrowser(url) {
  if (process.env.PLATBOOK_BROWSER === 'none') return;
  const [command, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform] ?? ['xdg-open'];
  const opened = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  opened.on('error', () => {});
  opened.unref();
}

const keep = (server, clientId, tokens, rest = {}) => ({
  ...rest,
  server,
  clientId,
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token,
  expiresAt: Date.now() + tokens.expires_in * 1000,
});

export async function login(server, say) {
  const metadata = await discover(server);
  const { ready, called } = waitForCallback();
  const redirect = `http://127.0.0.1:${await ready}/callback`;
  const client = await post(
    metadata.registration_endpoint,
    { client_name: 'Platbook command line', redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
    true,
  );
  const [state, verifier] = [random(), random()];
  const resource = `${server}/api/v1`;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    resource,
  });
  const url = `${metadata.authorization_endpoint}?${query}`;
  say(`Sign in and allow access in your browser. If it does not open, go to:\n${url}`);
  openBrowser(url);
  const answer = await called;
  if (answer.get('state') !== state || answer.get('iss') !== server)
    throw new Error('The answer came from another sign-in.');
  if (!answer.has('code')) throw new Error(`Not signed in: ${answer.get('error_description') ?? answer.get('error')}`);
  const tokens = await post(metadata.token_endpoint, {
    grant_type: 'authorization_code',
    code: answer.get('code'),
    redirect_uri: redirect,
    client_id: client.client_id,
    code_verifier: verifier,
    resource,
  });
  return saveCredentials(keep(server, client.client_id, tokens));
}

/** Ends the access at the server as well. */
export async function logout() {
  const { server, clientId, refreshToken } = readCredentials() ?? {};
  if (refreshToken)
    await post(`${server}/oauth/revoke`, { token: refreshToken, client_id: clientId }).catch(() => undefined);
  clearCredentials();
}

/** A key, or an access token that is good for another minute. */
export async function currentToken() {
  const isFresh = (kept) => kept?.key || kept?.expiresAt > Date.now() + REFRESH_BEFORE_MS;
  const tokenOf = (kept) => kept.key ?? kept.accessToken;
  const kept = readCredentials();
  if (!kept) return undefined;
  if (isFresh(kept)) return tokenOf(kept);
  return alone(async () => {
    // Another command may have refreshed it meanwhile.
    const { server, clientId, refreshToken, ...rest } = readCredentials() ?? {};
    if (isFresh(rest)) return tokenOf(rest);
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId };
    const tokens = await post(`${server}/oauth/token`, fields).catch(() => undefined);
    if (!tokens) return undefined;
    saveCredentials(keep(server, clientId, tokens, rest));
    return tokens.access_token;
  });
}
