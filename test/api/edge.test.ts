// The edge: which IP a request came from, whether it came encrypted, and the limits that all processes keep together.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changeKey } from '../../src/customers/accounts/accounts.ts';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/base/config.ts';
import { createDeps } from '../../src/operate/open.ts';
import { testClient, type TestAnswer, type TestClient } from '../harness.ts';

const direct = await testClient();
const oneHop = await testClient({ settings: { TRUST_PROXY: '1' } });
const twoHops = await testClient({ settings: { TRUST_PROXY: '2' } });
const listed = await testClient({ settings: { TRUST_PROXY: '192.0.2.0/24, 2001:db8::/32, 127.0.0.1' } });

const ENCRYPTED = { 'x-forwarded-proto': 'https' };

/** The IP as an allow-list saw it: the refusal names it. */
async function ipSeenBy(client: TestClient, options: { headers?: Record<string, string>; from?: string }) {
  const key = await client.keyWith(['properties:read']);
  const { data } = (await client.get('/keys?limit=100')).body;
  const changes = { allowed_ips: ['203.0.113.200'] };
  await changeKey(client.deps, { accountId: client.accountId, id: data.at(-1).id, changes });
  const { status, body } = await client.get('/properties/search', { ...options, key });
  assert.equal(status, 403, JSON.stringify(body));
  assert.equal(body.code, 'ip_not_allowed');
  return /from (\S+?)\. /.exec(body.detail)![1];
}

describe('the IP of a request', () => {
  test('is the socket’s where no proxy is trusted, whatever the headers say', async () => {
    const headers = {
      'x-forwarded-for': '203.0.113.200',
      'x-real-ip': '203.0.113.200',
      forwarded: 'for=203.0.113.200',
    };
    const { body } = await direct.get('/markets', { headers, from: '198.51.100.7' });
    assert.equal(body.code, 'https_required');
    assert.equal(
      (await direct.get('//metrics', { headers: { 'x-forwarded-for': '127.0.0.1' }, from: '198.51.100.7' })).status,
      404,
    );
  });

  test('with one proxy is the last entry of X-Forwarded-For, with two the last but one', async () => {
    const chain = (forwarded: string) => ({
      headers: { ...ENCRYPTED, 'x-forwarded-for': forwarded },
      from: '10.0.0.2',
    });
    assert.equal(await ipSeenBy(oneHop, chain('203.0.113.200, 198.51.100.7')), '198.51.100.7');
    assert.equal(await ipSeenBy(oneHop, chain('127.0.0.1,203.0.113.200,  198.51.100.7 ')), '198.51.100.7');
    assert.equal(await ipSeenBy(twoHops, chain('203.0.113.200, 198.51.100.7, 192.0.2.4')), '198.51.100.7');
  });

  test('with a list of proxies is the last entry that is none of them', async () => {
    const seen = (forwarded: string, from: string) =>
      ipSeenBy(listed, { headers: { ...ENCRYPTED, 'x-forwarded-for': forwarded }, from });
    assert.equal(await seen('203.0.113.200, 198.51.100.7, 192.0.2.4', '192.0.2.9'), '198.51.100.7');
    assert.equal(await seen('203.0.113.200, 198.51.100.7', '::ffff:192.0.2.9'), '198.51.100.7');
    assert.equal(await seen('203.0.113.200, 198.51.100.7', '::ffff:c000:209'), '198.51.100.7');
    assert.equal(await seen('203.0.113.200, 198.51.100.7', '2001:db8::5'), '198.51.100.7');
    const stranger = await listed.get('/markets', {
      headers: { ...ENCRYPTED, 'x-forwarded-for': '203.0.113.200' },
      from: '198.51.100.66',
    });
    assert.equal(stranger.body.code, 'https_required', 'a stranger is no proxy, and its headers say nothing');
  });

  test('has one spelling, and garbage is no IP', async () => {
    const seen = (forwarded: string) =>
      ipSeenBy(oneHop, { headers: { ...ENCRYPTED, 'x-forwarded-for': forwarded }, from: '10.0.0.2' });
    assert.equal(await seen('::ffff:198.51.100.7'), '198.51.100.7');
    assert.equal(await seen('::ffff:c633:6407'), '198.51.100.7');
    assert.equal(await seen('198.51.100.7:51234'), '198.51.100.7');
    assert.equal(await seen('[2001:DB8:0::7]:51234'), '2001:db8::7');
    for (const garbage of [
      'unknown',
      '_hidden',
      '127.1',
      '0x7f.1',
      '999.1.1.1',
      "1' or 1=1",
      '::ffff:',
      'localhost',
      '%00',
    ])
      assert.equal(await seen(garbage), '0.0.0.0', garbage);
  });

  test('a count of hops trusts no peer on the public internet: a client that connects directly is a client', async () => {
    const { body } = await oneHop.get('/markets', {
      headers: { ...ENCRYPTED, 'x-forwarded-for': '203.0.113.200' },
      from: '8.8.8.8',
    });
    assert.equal(body.code, 'https_required');
  });

  test('decides who reads the metrics: this machine, and nobody through a proxy on it', async () => {
    assert.equal((await oneHop.get('//metrics')).status, 200);
    const spoofs: Record<string, string>[] = [
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-for': '198.51.100.7' },
      { 'x-forwarded-for': '::1', ...ENCRYPTED },
      { forwarded: 'for=127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
    ];
    for (const headers of spoofs) {
      for (const client of [direct, oneHop, listed])
        assert.equal((await client.get('//metrics', { headers })).status, 404, JSON.stringify(headers));
    }
    assert.equal((await direct.get('//metrics', { from: '198.51.100.7' })).status, 404);
    assert.equal((await direct.get('//metrics', { from: '::ffff:127.0.0.1' })).status, 200);
  });
});

describe('the setting TRUST_PROXY', () => {
  test('takes false, a number of hops or a list, and refuses what would believe everybody', () => {
    const read = (value: string) => readConfig({ TRUST_PROXY: value }).trustProxy;
    assert.equal(read(''), false);
    assert.equal(read('false'), false);
    assert.equal(read('2'), 2);
    assert.deepEqual(read('10.0.0.0/8, ::1'), ['10.0.0.0/8', '::1']);
    assert.throws(() => read('true'), /would believe whatever a client writes/);
    for (const value of ['0', '-1', '1.5', 'yes', 'loopback', '10.0.0.0/33', '10.0.0', '1,2', 'example.com', ','])
      assert.throws(() => read(value), /TRUST_PROXY must be/, value);
  });
});

describe('an unencrypted request', () => {
  const refused = ({ status, body }: TestAnswer) => {
    assert.equal(status, 403);
    assert.equal(body.code, 'https_required');
    assert.match(body.detail, /unencrypted.*https:\/\//);
  };

  test('from another machine is refused with the reason, with a key, a cookie or a password', async () => {
    const from = '198.51.100.7';
    refused(await direct.get('/markets', { from }));
    refused(await direct.get('/markets', { from, key: null, headers: { cookie: 'platbook_session=x' } }));
    refused(await direct.get('/markets', { from, key: null, headers: { authorization: `Bearer ${direct.testKey}` } }));
    refused(await direct.get('//session', { from, key: null }));
    const body = { email: 'a@example.com', password: 'correct horse battery' };
    const headers = { origin: direct.deps.config.baseUrl };
    refused(await direct.post('//session/sign-in', body, { from, key: null, headers }));
    refused(await direct.post('//mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { from }));
    assert.equal((await direct.get('//livez', { from, key: null })).status, 200, 'what holds no secret is answered');
  });

  test('through a proxy is refused unless a trusted one says that it was encrypted', async () => {
    const forwarded = { 'x-forwarded-for': '198.51.100.7' };
    refused(await oneHop.get('/markets', { headers: forwarded }));
    refused(await oneHop.get('/markets', { headers: { ...forwarded, 'x-forwarded-proto': 'http' } }));
    refused(await oneHop.get('/markets', { headers: { ...forwarded, 'x-forwarded-proto': 'https, http' } }));
    refused(await direct.get('/markets', { headers: { ...forwarded, ...ENCRYPTED } }));
    assert.equal((await oneHop.get('/markets', { headers: { ...forwarded, ...ENCRYPTED } })).status, 200);
    assert.equal(
      (await oneHop.get('/markets', { headers: { ...forwarded, ...ENCRYPTED }, from: '10.0.0.2' })).status,
      200,
    );
  });

  test('from this machine is answered', async () => {
    for (const from of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
      assert.equal((await direct.get('/markets', { from })).status, 200, from);
  });

  test('is not what a tool of an agent sends within the process', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_markets', arguments: {} },
    };
    const { status, text } = await oneHop.post('//mcp', call, {
      headers: {
        'x-forwarded-for': '198.51.100.7',
        ...ENCRYPTED,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
    });
    assert.equal(status, 200);
    assert.doesNotMatch(text, /https_required/);
  });
});

describe('HEAD', () => {
  test('of a metered route is refused and charged nothing; elsewhere it is answered', async () => {
    const before = (await direct.get('/usage', { key: direct.liveKey })).body;
    const head = await direct.call('HEAD', '/properties/search?limit=1', { key: direct.liveKey });
    assert.equal(head.status, 405);
    assert.equal(head.headers.allow, 'GET');
    assert.equal(head.headers['x-usage-units'] ?? '0', '0');
    await direct.usage.flush();
    const after = (await direct.get('/usage', { key: direct.liveKey })).body;
    assert.deepEqual(after, before);
    assert.equal((await direct.call('HEAD', '/markets')).status, 200);
    assert.equal((await direct.call('HEAD', '//livez')).status, 200);
  });
});

describe('reports of a browser that a policy was violated', () => {
  const report = (body: unknown, type = 'application/csp-report', from = '198.51.100.30') =>
    direct.call('POST', '//reports/policy', {
      key: null,
      from,
      headers: { 'content-type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const counted = async (directive: string) => {
    const { text } = await direct.get('//metrics');
    const line = new RegExp(`^content_security_policy_violations_total\\{directive="${directive}"\\} (\\d+)$`, 'm');
    return Number(line.exec(text)?.[1] ?? 0);
  };

  test('are asked for by every policy, and counted by directive in both forms', async () => {
    for (const page of ['//', '//docs']) {
      const { headers } = await direct.get(page, { key: null });
      assert.match(headers['content-security-policy'] ?? '', /; report-uri \/reports\/policy; report-to policy$/, page);
      assert.equal(headers['reporting-endpoints'], 'policy="/reports/policy"');
    }
    assert.equal((await report({ 'csp-report': { 'violated-directive': "script-src 'self'" } })).status, 204);
    const modern = { type: 'csp-violation', body: { effectiveDirective: 'script-src', blockedURL: 'inline' } };
    assert.equal(
      (await report([modern, modern, { type: 'deprecation', body: {} }], 'application/reports+json')).status,
      204,
    );
    assert.equal(await counted('script-src'), 3);
    assert.equal((await report({ 'csp-report': { 'violated-directive': 'x"} 1\nevil{a="' } })).status, 204);
    assert.equal(await counted('other'), 1, 'what a stranger writes is no label');
  });

  test('are small, well-formed and not many', async () => {
    assert.equal((await report('x'.repeat(9_000))).status, 413);
    for (const body of ['', '{', 'null']) assert.ok((await report(body)).status < 500, body);
    assert.equal((await report({}, 'text/plain')).status, 415);
    const answers = [];
    for (let n = 0; n < 70; n++) answers.push((await report({}, 'application/csp-report', '198.51.100.31')).status);
    assert.equal(answers.at(-1), 429);
    assert.equal((await report({}, 'application/csp-report', '198.51.100.32')).status, 204);
  });
});

describe('minute limits over two processes', () => {
  const PROXIED = { settings: { TRUST_PROXY: '1', IP_LIMIT_PER_MINUTE: '500', REFUSAL_LIMIT_PER_MINUTE: '20' } };

  test('count an IP, its guesses and an account’s free calls together, within the stated bound', async () => {
    const first = await testClient(PROXIED);
    first.deps.travel('2026-03-31T12:00:05.000Z');
    const { app: second } = await buildApp(createDeps(first.deps));
    await second.ready();
    first.deps.beforeClose(() => second.close());
    const apps = [first.app, second];
    const get = (n: number, ip: string, key: string) =>
      apps[n % 2].inject({
        url: '/api/v1/markets',
        headers: { 'x-api-key': key, 'x-forwarded-for': ip, ...ENCRYPTED },
      });
    const statuses = async (count: number, ip: (n: number) => string, key: string, lanes: number) => {
      const counts: Record<number, number> = {};
      let next = 0;
      const lane = async () => {
        for (let n = next++; n < count; n = next++) {
          const { statusCode } = await get(n, ip(n), key);
          counts[statusCode] = (counts[statusCode] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      return counts;
    };
    const { perIp, freeCalls } = first.deps.minuteLimits;

    const perIpCounts = await statuses(900, () => '198.51.100.7', first.testKey, 20);
    const ipBound = perIp.limit + 2 * 2 * perIp.portion;
    assert.ok(perIpCounts[200] >= perIp.limit && perIpCounts[200] <= ipBound, JSON.stringify(perIpCounts));

    // One customer's /64 counts as one, so a fresh IPv6 per request gains nothing.
    const ipv6 = await statuses(900, (n) => `2606:4700:1:2::${(n + 1).toString(16)}`, first.testKey, 20);
    assert.ok(ipv6[200] <= ipBound, JSON.stringify(ipv6));

    const guesses = await statuses(60, () => '198.51.100.8', 'wrong', 1);
    assert.ok(guesses[401] >= 20 && guesses[401] <= 22, JSON.stringify(guesses));

    first.deps.travel('2026-03-31T12:01:05.000Z');
    const free = await statuses(4_000, (n) => `198.51.${n % 250}.${Math.floor(n / 250)}`, first.liveKey, 40);
    assert.ok(
      free[200] >= freeCalls.limit && free[200] <= freeCalls.limit + 2 * 2 * freeCalls.portion,
      JSON.stringify(free),
    );
  });
});
