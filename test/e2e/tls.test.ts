// The service with a certificate of its own: HTTPS over HTTP/2 and HTTP/1.1, and a certificate replaced while it serves.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import tls from 'node:tls';
import { readConfig } from '../../src/base/config.ts';
import { makeCertificate } from '../certificate.ts';
import { testClient } from '../harness.ts';
import { until } from '../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-tls-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
const first = await makeCertificate('first');
writeFileSync(files.TLS_CERT, first.cert);
writeFileSync(files.TLS_KEY, first.key);

const api = await testClient({ settings: { ...files, WEBHOOK_ALLOW_PRIVATE: 'loopback' } });
await api.app.listen({ port: 0, host: '127.0.0.1' });
const { port } = api.app.server.address() as AddressInfo;
const origin = `https://127.0.0.1:${port}`;

interface Answer {
  status: number;
  headers: http2.IncomingHttpHeaders;
  body: any;
}

function openSession(ca: string): http2.ClientHttp2Session {
  const session = http2.connect(origin, { ca });
  after(() => session.destroy());
  return session;
}

async function call(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: string,
): Promise<Answer> {
  const stream = session.request(headers);
  const answered = once(stream, 'response');
  stream.end(body);
  const [answer] = (await answered) as [http2.IncomingHttpHeaders];
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) text += chunk;
  const isJson = String(answer['content-type']).includes('json');
  return { status: Number(answer[':status']), headers: answer, body: isJson ? JSON.parse(text) : text };
}

/** The certificate that a new connection is shown, and the protocol it gets. */
async function greet(
  ca: string,
  options: tls.ConnectionOptions = {},
): Promise<{ name: string; protocol: string | null }> {
  const socket = tls.connect({ port, host: '127.0.0.1', ca, ...options });
  try {
    await once(socket, 'secureConnect');
    return { name: String(socket.getPeerCertificate().subject.CN), protocol: socket.getProtocol() };
  } finally {
    socket.destroy();
  }
}

describe('over HTTP/2', () => {
  test('calls are answered and charged as over HTTP/1.1', async () => {
    const session = openSession(first.ca);
    const search = { ':path': '/api/v1/properties/search?limit=1', 'x-api-key': api.liveKey };
    const { status, headers } = await call(session, search);
    assert.equal(status, 200);
    assert.equal(session.alpnProtocol, 'h2');
    assert.equal(headers['x-usage-units'], '1');
    await api.usage.flush();
    const used = async () => (await api.get('/usage', { key: api.liveKey })).body;
    const before = JSON.stringify(await used());
    assert.match(before, /"used":1\b/);
    const many = await Promise.all(Array.from({ length: 20 }, () => call(session, search)));
    assert.ok(many.every((answer) => answer.status === 200));
    await api.usage.flush();
    assert.match(JSON.stringify(await used()), /"used":21\b/);
    assert.equal(
      (await call(session, { ':path': '/api/v1/markets', 'x-api-key': 'wrong' })).body.code,
      'invalid_api_key',
    );
    assert.equal((await call(session, { ':path': '/nowhere' })).status, 404);
    session.close();
  });

  test('the dashboard’s own origin is known by its authority, and another’s is not', async () => {
    const session = openSession(first.ca);
    const form = JSON.stringify({ email: 'nobody@example.com', password: 'not the password' });
    const signIn = (from: string) =>
      call(
        session,
        { ':path': '/session/sign-in', ':method': 'POST', 'content-type': 'application/json', origin: from },
        form,
      );
    assert.equal((await signIn(origin)).body.code, 'invalid_credentials');
    assert.equal((await signIn('https://evil.example.com')).body.code, 'origin_not_allowed');
    session.close();
  });

  test('agents call tools', async () => {
    const session = openSession(first.ca);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const { status } = await call(
      session,
      {
        ':path': '/mcp',
        ':method': 'POST',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': api.testKey,
      },
      body,
    );
    assert.equal(status, 200);
    session.close();
  });
});

describe('the protocol', () => {
  test('is HTTP/1.1 where the client wants it, and never plain', async () => {
    const status = await new Promise<number>((resolve, reject) =>
      https
        .get(`${origin}/api/v1/markets`, { ca: first.ca, headers: { 'x-api-key': api.testKey } }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        })
        .on('error', reject),
    );
    assert.equal(status, 200);
    await assert.rejects(
      new Promise((resolve, reject) => http.get(`http://127.0.0.1:${port}/`, resolve).on('error', reject)),
    );
  });

  test('is TLS 1.3 or 1.2 with forward secrecy, and nothing older', async () => {
    assert.equal((await greet(first.ca)).protocol, 'TLSv1.3');
    assert.equal((await greet(first.ca, { maxVersion: 'TLSv1.2' })).protocol, 'TLSv1.2');
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await assert.rejects(greet(first.ca, old));
    for (const ciphers of ['AES128-SHA', 'AES256-GCM-SHA384', 'ECDHE-ECDSA-AES128-SHA'])
      await assert.rejects(greet(first.ca, { maxVersion: 'TLSv1.2', ciphers }), ciphers);
  });
});

describe('apps that sign in, over HTTP/2', () => {
  const session = () => openSession(first.ca);
  const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  const authorize = (clientId: string, redirect: string) => {
    const fields = { client_id: clientId, redirect_uri: redirect, response_type: 'code', code_challenge: CHALLENGE };
    return `/oauth/authorize?${new URLSearchParams({ ...fields, code_challenge_method: 'S256' })}`;
  };

  test('register, are sent to consent, and are refused a wrong code', async () => {
    const metadata = await call(session(), { ':path': '/.well-known/oauth-authorization-server' });
    assert.deepEqual([metadata.status, metadata.body.issuer], [200, api.deps.config.baseUrl]);
    const redirect = 'https://app.example/callback';
    const registered = await call(
      session(),
      { ':path': '/oauth/register', ':method': 'POST', 'content-type': 'application/json' },
      JSON.stringify({ redirect_uris: [redirect] }),
    );
    assert.equal(registered.status, 201);
    const asked = await call(session(), { ':path': authorize(registered.body.client_id, redirect) });
    assert.equal(asked.status, 303);
    assert.match(String(asked.headers.location), /^\/oauth\/consent\//);
    const refused = await call(
      session(),
      { ':path': '/oauth/token', ':method': 'POST', 'content-type': 'application/x-www-form-urlencoded' },
      `grant_type=authorization_code&client_id=${registered.body.client_id}&code=x&redirect_uri=${redirect}&code_verifier=${'x'.repeat(43)}`,
    );
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant']);
  });

  test('are known by a document at their own address, which must name itself and lead nowhere else', async () => {
    const documents: Record<string, { status: number; body?: object; headers?: Record<string, string> }> = {};
    const certificate = await makeCertificate('client');
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.ca]);
    const publisher = https.createServer(certificate, ({ url = '' }, response) => {
      const { status, body, headers } = documents[url] ?? { status: 404 };
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    });
    publisher.listen(0, '127.0.0.1');
    await once(publisher, 'listening');
    after(() => publisher.close());
    const site = `https://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
    const redirect = 'https://app.example/callback';
    const about = (path: string) => ({ client_id: `${site}${path}`, client_name: 'App', redirect_uris: [redirect] });
    documents['/good.json'] = { status: 200, body: about('/good.json') };
    documents['/borrowed.json'] = { status: 200, body: about('/good.json') };
    documents['/secret.json'] = { status: 200, body: { ...about('/secret.json'), client_secret: 'x' } };
    documents['/moved.json'] = { status: 302, headers: { location: `${site}/good.json` } };
    documents['/large.json'] = { status: 200, body: { ...about('/large.json'), filler: 'x'.repeat(100_000) } };
    const statusOf = async (path: string) =>
      (await call(session(), { ':path': authorize(`${site}${path}`, redirect) })).status;
    assert.equal(await statusOf('/good.json'), 303);
    for (const path of ['/borrowed.json', '/secret.json', '/moved.json', '/large.json', '/none.json'])
      assert.equal(await statusOf(path), 400, path);
  });
});

describe('the certificate', () => {
  test('is replaced on new connections when its files change; open ones go on, and a broken pair changes nothing', async () => {
    const open = openSession(first.ca);
    const markets = { ':path': '/api/v1/markets', 'x-api-key': api.testKey };
    assert.equal((await call(open, markets)).status, 200);
    const second = await makeCertificate('second');
    const replace = (file: string, text: string) => {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    };
    replace(files.TLS_CERT, second.cert);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    assert.equal((await greet(first.ca)).name, 'first', 'the new certificate and the old key do not belong together');
    replace(files.TLS_KEY, second.key);
    await until(async () => (await greet(second.ca).catch(() => undefined))?.name === 'second');
    assert.equal((await call(open, markets)).status, 200, 'on the connection opened before');
    open.close();
  });

  test('and its key are set together, and make BASE_URL https', () => {
    assert.equal(readConfig({ ...files, PORT: '8443' }).baseUrl, 'https://127.0.0.1:8443');
    assert.equal(readConfig({ PORT: '8080' }).baseUrl, 'http://127.0.0.1:8080');
    assert.throws(() => readConfig({ TLS_CERT: 'x' }), /belong together/);
    assert.throws(() => readConfig({ TLS_KEY: 'x' }), /belong together/);
  });
});
