// Where the program may connect on a customer's behalf: every way inside is refused, by its spelling or by its name server.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { readConfig } from '../../src/base/config.ts';
import { openDestination } from '../../src/delivery/exports/destinations.ts';
import { createAgents, createLookup, findUrlProblem, type DialPolicy } from '../../src/base/lib/dial.ts';
import { isPublicIp } from '../../src/base/lib/ips.ts';
import { createOutboundFetch } from '../../src/customers/sso/outbound.ts';
import { sendWebhook } from '../../src/delivery/webhooks/send.ts';
import { startNameServer } from '../name-server.ts';

const dns = await startNameServer();
const strict: DialPolicy = { allow: 'none', dnsServers: [dns.address] };

/** Ways to spell a target inside; every one must be refused. */
const INSIDE = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '１２７.０.０.１',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '100.64.0.1',
  '100.127.255.255',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::7f00:1]',
  '[::127.0.0.1]',
  '[::8.8.8.8]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:8.8.8.8]',
  '[::ffff:0:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::8.8.8.8]',
  '[64:ff9b:1::7f00:1]',
  '[64:ff9b:1:ffff::10.0.0.1]',
  '[100::1]',
  '[2001::1]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[2002:7f00:1::]',
  '[2002:808:808::1]',
  '[2606:4700::5efe:7f00:1]',
  '[2606:4700::200:5efe:10.0.0.1]',
  '[3fff::1]',
  '[5f00::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  'localhost',
  'LOCALHOST',
  'x.localhost',
  'localhost.',
  'metadata.google.internal',
  'printer.local',
  'db',
];

function send(url: string, dial: DialPolicy) {
  return sendWebhook({ url, headers: {}, body: '{}', timeoutMs: 10_000, dial });
}

/** A server inside that must never be reached, and how often it was. */
async function startInside(): Promise<{ port: number; hits: () => number }> {
  let hits = 0;
  const server = createServer((_request, response) => response.end(String((hits += 1))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, hits: () => hits };
}

describe('a URL', () => {
  it('that leads inside is refused in every spelling', async () => {
    for (const host of INSIDE) {
      assert.ok(findUrlProblem(`https://${host}/hook`, 'none'), host);
      assert.match((await send(`https://${host}/hook`, strict)).error ?? '', /^refused/, host);
    }
  });

  it('must be HTTPS, without odd ports, usernames, fragments and other schemes', () => {
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
      for (const allow of ['none', 'loopback'] as const) assert.ok(findUrlProblem(url, allow), url);
    for (const url of [
      'https://example.com/hook?x=1',
      'https://example.com:8443/',
      'https://93.184.215.14/',
      'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
    ])
      assert.equal(findUrlProblem(url, 'none'), undefined, url);
  });

  it('may lead to this machine, and no further, where the operator allows loopback', () => {
    for (const url of ['http://127.0.0.1:9/', 'http://localhost:3000/', 'https://[::1]:8/', 'http://127.1/'])
      assert.equal(findUrlProblem(url, 'loopback'), undefined, url);
    for (const url of [
      'http://10.0.0.1/',
      'https://10.0.0.1/',
      'https://169.254.169.254/',
      'https://[fe80::1]/',
      'https://db/',
    ])
      assert.ok(findUrlProblem(url, 'loopback'), url);
  });
});

describe('an IP', () => {
  it('is public or it is not', () => {
    for (const ip of ['8.8.8.8', '93.184.215.14', '2606:4700::1111']) assert.equal(isPublicIp(ip), true, ip);
    for (const ip of ['192.0.2.1', '::ffff:8.8.8.8', '::8.8.8.8', '2001::1', 'fe80::1%eth0', '127.1', 'x', ''])
      assert.equal(isPublicIp(ip), false, ip);
  });
});

describe('a name', () => {
  it('that leads inside by its name server is refused when it is dialed', async () => {
    const inside = await startInside();
    for (const ip of [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      '::7f00:1',
      '::ffff:7f00:1',
      'fe80::1',
      '64:ff9b::7f00:1',
    ]) {
      dns.records['evil.example.com'] = [[ip]];
      const { error, status } = await send('https://evil.example.com/hook', strict);
      assert.equal(status, null);
      assert.match(error ?? '', /does not resolve to a public IP/, ip);
    }
    dns.records['mixed.example.com'] = [['93.184.215.14', '127.0.0.1']];
    assert.match((await send('https://mixed.example.com/', strict)).error ?? '', /public IP/, 'one inside is enough');
    assert.match((await send('https://absent.example.com/', strict)).error ?? '', /ENOTFOUND/);
    assert.equal(inside.hits(), 0);
  });

  it('that changes its answer between two questions is judged by the answer that is dialed', async () => {
    const inside = await startInside();
    const ask = () =>
      new Promise<unknown>((resolve) =>
        createLookup(strict)('rebind.example.com', { all: true }, (error, found) => resolve(error ?? found)),
      );
    dns.records['rebind.example.com'] = [['93.184.215.14'], ['127.0.0.1']];
    assert.deepEqual(await ask(), [{ address: '93.184.215.14', family: 4 }], 'a check beforehand is passed');
    dns.asked.length = 0;
    // The agent is used directly: the URL alone would already be refused for its port.
    const agents = createAgents(strict, { keepAlive: false });
    const { request } = await import('node:http');
    const error = await new Promise<Error>((resolve) =>
      request(`http://rebind.example.com:${inside.port}/`, { agent: agents.http })
        .on('error', resolve)
        .on('response', () => resolve(new Error('reached')))
        .end(),
    );
    assert.match(error.message, /does not resolve to a public IP/);
    assert.equal(inside.hits(), 0);
    assert.deepEqual(dns.asked, ['rebind.example.com'], 'asked once: nothing is looked up between check and dial');
  });

  it('leads to this machine where loopback is allowed, and not to other private networks', async () => {
    const inside = await startInside();
    const dial: DialPolicy = { allow: 'loopback', dnsServers: [dns.address] };
    dns.records['hook.localhost'] = [['127.0.0.1']];
    assert.equal((await send(`http://hook.localhost:${inside.port}/`, dial)).status, 200);
    dns.records['hook.localhost'] = [['10.0.0.1']];
    assert.match((await send(`http://hook.localhost:${inside.port}/`, dial)).error ?? '', /public IP/);
    assert.equal(inside.hits(), 1);
  });
});

describe('a redirect', () => {
  it('is not followed', async () => {
    const inside = await startInside();
    const server = createServer((_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    assert.equal((await send(url, { allow: 'loopback' })).status, 302);
    assert.equal(inside.hits(), 0);
  });
});

describe('a bucket of an export', () => {
  const key = { access_key_id: 'AKIA', secret_access_key: 'secret' };
  const config = { ...readConfig({}), dnsServers: [dns.address] };
  const bucket = (endpoint: string) =>
    openDestination({ config }, 'acct_x', { type: 's3', bucket: 'customer', endpoint }, key);

  it('is refused when its endpoint is written as inside, in every spelling', () => {
    for (const host of INSIDE) assert.throws(() => bucket(`https://${host}/`), /The endpoint must/, host);
  });

  it('is refused when its name leads inside at the moment of the upload, with and without an endpoint of its own', async () => {
    dns.records['storage.example.com'] = [['93.184.215.14'], ['127.0.0.1']];
    const file = new URL(import.meta.url).pathname;
    await new Promise((resolve) => createLookup(strict)('storage.example.com', { all: true }, resolve));
    await assert.rejects(bucket('https://storage.example.com').put('x', file), /does not resolve to a public IP/);
    dns.records['customer.s3.us-east-1.amazonaws.com'] = [['169.254.169.254']];
    const aws = openDestination({ config }, 'acct_x', { type: 's3', bucket: 'customer', region: 'us-east-1' }, key);
    await assert.rejects(aws.put('x', file), /does not resolve to a public IP/);
  });

  it('never uses the keys of this machine', () => {
    assert.throws(
      () => openDestination({ config }, 'acct_x', { type: 's3', bucket: 'customer' }, undefined),
      /no access key/,
    );
  });
});

describe('an identity provider', () => {
  it('is not followed inside by an IP or a name that its own documents give', async () => {
    const inside = await startInside();
    const plain = { method: 'GET', headers: {}, body: null, redirect: 'manual' } as const;
    dns.records['idp.example.com'] = [['127.0.0.1']];
    for (const [url, problem] of [
      [`https://127.0.0.1:${inside.port}/token`, /not a public IP/],
      ['https://[::7f00:1]/token', /not a public IP/],
      ['https://idp.example.com/token', /does not resolve to a public IP/],
    ] as const)
      await assert.rejects(Promise.resolve(createOutboundFetch(strict)(url, plain)), problem, url);
    assert.equal(inside.hits(), 0);
  });
});

describe('an agent', () => {
  it('refuses an IP written in the URL, which no lookup sees', async () => {
    const inside = await startInside();
    const { request } = await import('node:http');
    const agents = createAgents(strict, { keepAlive: true });
    const error = await new Promise<Error>((resolve) =>
      request(`http://127.0.0.1:${inside.port}/`, { agent: agents.http })
        .on('error', resolve)
        .on('response', () => resolve(new Error('reached')))
        .end(),
    );
    assert.match(error.message, /not a public IP/);
    assert.equal(inside.hits(), 0);
  });
});
