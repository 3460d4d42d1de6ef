// Apps known by a client ID metadata document: connected by what their own site says of them, and refused when it lies.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { after, describe, it } from 'node:test';
import { makeCertificate } from '../certificate.ts';
import { testClient } from '../harness.ts';
import { answerConsent, askToConnect, exchange, REDIRECT } from '../oauth.ts';
import { signUp, startMailbox } from '../people.ts';

const mailbox = await startMailbox();
// The sites of the apps are on this machine.
const api = await testClient({ settings: { SMTP_URL: mailbox.url, WEBHOOK_ALLOW_PRIVATE: 'loopback' } });
const { app } = api;
const { browser } = await signUp(app, mailbox, 'ada@example.com');

const certificate = await makeCertificate('apps');
tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.ca]);
type Page = { status?: number; headers?: Record<string, string>; body?: string };
const pages = new Map<string, Page>();
const asked: string[] = [];
const site = createServer(certificate, ({ url = '' }, response) => {
  asked.push(url);
  const { status = 200, headers = {}, body = '' } = pages.get(url) ?? { status: 404 };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
});
site.listen(0, '127.0.0.1');
await once(site, 'listening');
after(() => site.close());
const origin = `https://localhost:${(site.address() as AddressInfo).port}`;

/** Publishes a document and returns the id of its client. */
function publish(name: string, metadata: object, page: Page = {}): string {
  const id = `${origin}/${name}`;
  const document = { client_id: id, client_name: 'Lighthouse', redirect_uris: [REDIRECT], ...metadata };
  pages.set(`/${name}`, { body: JSON.stringify(document), ...page });
  return id;
}

describe('an app that is known by its document', () => {
  it('is named by its site, connects, and is asked for its document once', async () => {
    const id = publish('good.json', { client_uri: origin, token_endpoint_auth_method: 'none' });
    const request = await askToConnect(browser, id, { resource: `${api.deps.config.baseUrl}/api/v1` });
    const consent = await browser.send('GET', `${request.answer.headers.location}/request`);
    assert.deepEqual(consent.body.client, {
      name: 'Lighthouse',
      origin: 'an app on this computer',
      is_verified: true,
      redirect_uri: REDIRECT,
      sent_to: 'an app on this computer',
    });
    const back = await answerConsent(browser, request, { allow: true, mode: 'test' });
    const { body: tokens } = await exchange(app, request, back.searchParams.get('code')!);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    assert.equal((await api.get('/properties/search?state=ZZ&limit=1', { key: null, headers })).status, 200);
    assert.deepEqual(
      asked.filter((url) => url === '/good.json'),
      ['/good.json'],
    );
  });

  it('tells where the answer goes, which its document may name beside its own site', async () => {
    const redirect_uri = 'https://elsewhere.example/cb';
    const id = publish('elsewhere.json', { redirect_uris: [redirect_uri] });
    const request = await askToConnect(browser, id, { redirect_uri });
    const consent = await browser.send('GET', `${request.answer.headers.location}/request`);
    assert.deepEqual([consent.body.client.is_verified, consent.body.client.sent_to], [true, 'elsewhere.example']);
  });

  const lies: [name: string, metadata: object, page?: Page][] = [
    ['another’s document', { client_id: 'https://claude.example/client.json' }],
    ['a secret', { client_secret: 'x'.repeat(32) }],
    ['authentication by a secret', { token_endpoint_auth_method: 'client_secret_post' }],
    ['a redirect that runs a script', { redirect_uris: [REDIRECT, 'javascript:alert(1)'] }],
    ['a redirect without encryption', { redirect_uris: ['http://evil.example/cb', REDIRECT] }],
    ['a redirect that opens the system', { redirect_uris: ['ms-msdt:/id', REDIRECT] }],
    ['no redirect that was asked for', { redirect_uris: ['https://good.example/cb'] }],
    ['its size', { client_uri: origin, contacts: Array.from({ length: 100_000 }, () => 'ada@example.com') }],
    ['what is no JSON', {}, { body: '<html>' }],
    ['a list', {}, { body: '[]' }],
    ['an error', {}, { status: 500 }],
  ];
  for (const [index, [what, metadata, page]] of lies.entries()) {
    it(`is refused for ${what}`, async () => {
      const { answer } = await askToConnect(browser, publish(`lie-${index}.json`, metadata, page));
      assert.deepEqual([answer.status, answer.headers.location], [400, undefined], answer.text);
    });
  }

  it('is not looked for where its site redirects to', async () => {
    const target = publish('target.json', {});
    const id = publish('moved.json', {}, { status: 302, headers: { location: target } });
    const { answer } = await askToConnect(browser, id);
    assert.equal(answer.status, 400);
    assert.ok(!asked.includes('/target.json'));
  });

  it('cannot register under an id of its choice', async () => {
    const id = publish('chosen.json', {}, { status: 404 });
    const response = await app.inject({
      method: 'POST',
      url: '/oauth/register',
      headers: { host: 'localhost' },
      payload: { client_id: id, client_name: 'Lighthouse', redirect_uris: [REDIRECT] },
    });
    if (response.statusCode === 201) assert.notEqual(response.json().client_id, id);
    assert.equal((await askToConnect(browser, id)).answer.status, 400);
  });
});
