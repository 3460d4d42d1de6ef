// Webhook signatures as a third-party verifier sees them, the retry schedule, and which hosts may be dialed.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createLookup, findUrlProblem, isPublicIp } from '../../src/lib/dial.ts';
import { judgeFailing, pauseAfter, PAUSES_MS, readRetryAfter } from '../../src/webhooks/retries.ts';
import { sendWebhook } from '../../src/webhooks/send.ts';
import { generateSecret, secretsInForce, signWebhook } from '../../src/webhooks/signing.ts';

const body = JSON.stringify({ type: 'ping', timestamp: '2026-03-31T12:00:00.000Z', data: { text: 'ö' } });
const now = Math.floor(Date.now() / 1000);
const headersOf = (secrets: string[], at = now, id = 'evt_1') => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': signWebhook(secrets, id, at, body),
});

describe('signatures, verified with the `standardwebhooks` package', () => {
  it('are accepted, but not with a changed body, id or time', () => {
    const secret = generateSecret();
    const outsider = new Webhook(secret);
    assert.deepEqual(outsider.verify(body, headersOf([secret])), JSON.parse(body));
    assert.throws(() => outsider.verify(body.replace('ping', 'pong'), headersOf([secret])));
    assert.throws(() => outsider.verify(body, { ...headersOf([secret]), 'webhook-id': 'evt_2' }));
    assert.throws(() => outsider.verify(body, { ...headersOf([secret]), 'webhook-timestamp': String(now - 1) }));
    assert.throws(() => outsider.verify(body, headersOf([secret], now - 600)), /old/);
    assert.throws(() => outsider.verify(body, headersOf([generateSecret()])));
  });

  it('are made with both secrets, so that old and new verifiers accept', () => {
    const [fresh, old] = [generateSecret(), generateSecret()];
    const headers = headersOf([fresh, old]);
    assert.equal(headers['webhook-signature'].split(' ').length, 2);
    assert.ok(new Webhook(fresh).verify(body, headers));
    assert.ok(new Webhook(old).verify(body, headers));
  });

  it('use secrets of 32 bytes that expire as set', () => {
    const secret = generateSecret();
    assert.equal(Buffer.from(secret.slice('whsec_'.length), 'base64').length, 32);
    const stored = [
      { secret: 'a', expires_at: null },
      { secret: 'b', expires_at: '2026-01-02T00:00:00Z' },
    ];
    assert.deepEqual(secretsInForce(stored, new Date('2026-01-01T23:59:59Z')), ['a', 'b']);
    assert.deepEqual(secretsInForce(stored, new Date('2026-01-02T00:00:00Z')), ['a']);
  });
});

describe('retry schedule', () => {
  it('makes ten attempts over 75 hours and 35 minutes, each pause within 20%', () => {
    assert.equal(PAUSES_MS.length + 1, 10);
    assert.equal(
      PAUSES_MS.reduce((sum, pause) => sum + pause, 0),
      (75 * 60 + 35) * 60_000 + 5_000,
    );
    for (let attempts = 1; attempts <= 9; attempts++) {
      const pauses = Array.from({ length: 200 }, (_, i) => pauseAfter(attempts, `dlv_${i}`, undefined)!);
      const base = PAUSES_MS[attempts - 1];
      assert.ok(Math.min(...pauses) >= base * 0.8 && Math.max(...pauses) <= base * 1.2);
      assert.ok(Math.min(...pauses) < base * 0.85 && Math.max(...pauses) > base * 1.15, 'spread out');
    }
    assert.equal(pauseAfter(10, 'dlv', undefined), undefined);
  });

  it('honors Retry-After as seconds or as a date, up to a day', () => {
    const at = new Date('2026-03-31T12:00:00Z');
    assert.equal(readRetryAfter('120', at), 120_000);
    assert.equal(readRetryAfter('Tue, 31 Mar 2026 12:10:00 GMT', at), 600_000);
    assert.equal(readRetryAfter('soon', at), undefined);
    assert.equal(pauseAfter(1, 'dlv', 120_000), 120_000);
    assert.equal(pauseAfter(1, 'dlv', 10 * 86_400_000), 86_400_000);
    assert.ok(pauseAfter(4, 'dlv', 1_000)! > 3_600_000, 'never earlier than the schedule');
  });

  it('warns after one and three days and disables after five, never without two warnings', () => {
    const since = new Date('2026-01-01T00:00:00Z');
    const after = (hours: number) => new Date(since.getTime() + hours * 3_600_000);
    assert.equal(judgeFailing(since, 0, after(23)), 'wait');
    assert.equal(judgeFailing(since, 0, after(24)), 'warn');
    assert.equal(judgeFailing(since, 1, after(71)), 'wait');
    assert.equal(judgeFailing(since, 1, after(72)), 'warn');
    assert.equal(judgeFailing(since, 0, after(500)), 'warn');
    assert.equal(judgeFailing(since, 2, after(119)), 'wait');
    assert.equal(judgeFailing(since, 2, after(120)), 'disable');
  });
});

/** Ways to write an internal IP; every one must be refused. */
const INSIDE = [
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '2130706433',
  '017700000001',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fc00::1]',
  '[fe80::1]',
  '[2001:db8::1]',
  'localhost',
  'metadata.google.internal',
  'db',
];

describe('dialing', () => {
  it('refuses every way to write an internal IP', async () => {
    for (const host of INSIDE) {
      assert.ok(findUrlProblem(`https://${host}/hook`, false), host);
      const sent = await sendWebhook({
        url: `https://${host}/hook`,
        headers: {},
        body: '{}',
        timeoutMs: 2_000,
        allowPrivate: false,
        lookup: createLookup(false),
      });
      assert.match(sent.error ?? '', /^refused/, host);
    }
  });

  it('refuses plain http, other ports, user names, fragments and other schemes', () => {
    for (const url of [
      'http://example.com/',
      'https://example.com:22/',
      'https://example.com:8080/',
      'https://user:secret@example.com/',
      'https://example.com/#x',
      'ftp://example.com/',
      'file:///etc/passwd',
      'nonsense',
    ])
      assert.ok(findUrlProblem(url, false), url);
    for (const url of [
      'https://example.com/hook?x=1',
      'https://example.com:8443/',
      'https://93.184.215.14/',
      'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
    ])
      assert.equal(findUrlProblem(url, false), undefined, url);
  });

  it('checks the IP it actually connects to, so that DNS rebinding fails', async () => {
    let hits = 0;
    const server = createServer((_request, response) => response.end(String(hits++)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answers = ['93.184.215.14', '127.0.0.1'];
    const changing: Parameters<typeof createLookup>[1] = (_name, _options, callback) =>
      callback(null, [{ address: answers.length > 1 ? answers.shift()! : answers[0], family: 4 }]);
    // The first lookup is what a check beforehand would have seen.
    await new Promise((resolve) => createLookup(false, changing)('example.com', { all: true }, resolve));
    const sent = await sendWebhook({
      url: `http://rebind.example.com:${port}/`,
      headers: {},
      body: '{}',
      timeoutMs: 2_000,
      allowPrivate: true,
      lookup: createLookup(false, changing),
    });
    assert.match(sent.error ?? '', /not public/);
    assert.equal(hits, 0);
    const mixed: Parameters<typeof createLookup>[1] = (_name, _options, callback) =>
      callback(null, [
        { address: '93.184.215.14', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]);
    const refused = await new Promise((resolve) => createLookup(false, mixed)('example.com', { all: true }, resolve));
    assert.ok(refused instanceof Error, 'one internal IP among several is enough');
    server.close();
  });

  it('tells public IPs from others', () => {
    for (const address of ['8.8.8.8', '93.184.215.14', '2606:4700::1111'])
      assert.equal(isPublicIp(address), true, address);
    for (const address of ['192.0.2.1', '203.0.113.9', '::ffff:8.8.8.8', '2001::1', 'fe80::1%eth0', 'x'])
      assert.equal(isPublicIp(address), false, address);
  });
});
