// API keys: who gets in, who does not and why; creating, changing, rotating, revoking; never in a log.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { createAccount, createKey, revokeKey } from '../../src/customers/accounts/accounts.ts';
import { generateKey, isWellFormedKey } from '../../src/customers/accounts/key-format.ts';
import { DEFAULT_SCOPES, SCOPES } from '../../src/customers/accounts/scopes.ts';
import { testClient, type TestClient } from '../harness.ts';
import { until } from '../until.ts';

const api = await testClient();
const search = '/properties/search?limit=1';

async function make(body: object, key = api.testKey) {
  return api.post('/keys', { name: 'made by a test', ...body }, { key });
}

describe('getting in', () => {
  it('200: by x-api-key or as a bearer token', async () => {
    assert.equal((await api.get(search)).status, 200);
    assert.equal(
      (await api.get(search, { key: null, headers: { authorization: `Bearer ${api.testKey}` } })).status,
      200,
    );
  });

  it('401: missing, malformed, one character flipped, unknown', async () => {
    const flipped = api.testKey.slice(0, 20) + (api.testKey[20] === 'a' ? 'b' : 'a') + api.testKey.slice(21);
    const mistyped = /missing or changed characters/;
    const cases: [string | null, string, RegExp][] = [
      [null, 'missing_api_key', /x-api-key/],
      ['', 'missing_api_key', /x-api-key/],
      ['hello', 'invalid_api_key', mistyped],
      [flipped, 'invalid_api_key', mistyped],
      [api.testKey.replace('test', 'live'), 'invalid_api_key', mistyped],
      [`${api.testKey}a`, 'invalid_api_key', mistyped],
      [generateKey('live'), 'invalid_api_key', /No such key/],
    ];
    for (const [key, code, detail] of cases) {
      const { status, body, headers } = await api.get(search, { key });
      assert.equal(status, 401, String(code));
      assert.equal(body.code, code);
      assert.match(body.detail, detail);
      assert.ok(headers['www-authenticate']);
    }
  });

  it('403: without the required scope, which is named', async () => {
    const key = await api.keyWith(['risk:read']);
    const { status, body } = await api.get(search, { key });
    assert.equal(status, 403);
    assert.equal(body.required_scope, 'properties:read');
  });

  it('403: from an IP that is not on the list; 200 from one that is', async () => {
    const fenced = (await make({ allowed_ips: ['203.0.113.0/24'] })).body.secret;
    assert.equal((await api.get(search, { key: fenced })).body.code, 'ip_not_allowed');
    const open = (await make({ allowed_ips: ['203.0.113.0/24', '127.0.0.0/8'] })).body.secret;
    assert.equal((await api.get(search, { key: open })).status, 200);
  });

  it('401: from the moment it expires; it can no longer be rotated', async () => {
    const expiry = Date.now() + 3_600_000;
    const { secret, id } = (await make({ expires_at: new Date(expiry).toISOString() })).body;
    api.deps.travel(new Date(expiry - 1).toISOString());
    assert.equal((await api.get(search, { key: secret })).status, 200);
    api.deps.travel(new Date(expiry).toISOString());
    assert.equal((await api.get(search, { key: secret })).body.code, 'expired_api_key');
    const rotated = await api.post(`/keys/${id}/rotate`, {});
    assert.equal(rotated.status, 409);
    assert.match(rotated.body.detail, /expired key cannot be rotated/);
    api.deps.travel(new Date().toISOString());
  });
});

describe('creating and changing', () => {
  it('201: the secret once, well-formed; later only its first and last characters', async () => {
    const { status, body, headers } = await make({ scopes: ['properties:read'], mode: 'test' });
    assert.equal(status, 201);
    assert.ok(isWellFormedKey(body.secret));
    assert.match(body.secret, /^sk_test_pb_/);
    assert.equal(headers.location, `/api/v1/keys/${body.id}`);
    const later = await api.get(`/keys/${body.id}`);
    assert.equal('secret' in later.body, false);
    assert.ok(body.secret.startsWith(later.body.prefix) && body.secret.endsWith(later.body.last_four));
    assert.equal(later.text.includes(body.secret), false);
  });

  it('201: without scopes a key gets the defaults, which exclude key management', async () => {
    assert.deepEqual((await make({})).body.scopes, DEFAULT_SCOPES);
    const { key } = await createKey(api.deps, api.accountId, { name: 'by an operator', mode: 'test' });
    assert.deepEqual(key.scopes, DEFAULT_SCOPES);
    assert.ok(DEFAULT_SCOPES.includes('properties:read') && !DEFAULT_SCOPES.some((scope) => scope.startsWith('keys:')));
  });

  it('403: a key cannot grant scopes it lacks by creating, changing or rotating', async () => {
    const weak = await api.keyWith(['keys:write', 'keys:read', 'risk:read']);
    const strong = (await make({ scopes: ['properties:read'] })).body.id;
    assert.equal((await make({ scopes: ['properties:read'] }, weak)).status, 403);
    assert.equal(
      (await api.call('PATCH', `/keys/${strong}`, { key: weak, body: { scopes: ['properties:read'] } })).status,
      403,
    );
    assert.equal((await api.post(`/keys/${strong}/rotate`, {}, { key: weak })).status, 403);
  });

  it('400: invalid IPs and scopes, a past expiration, unknown members', async () => {
    const wrong = [
      { allowed_ips: ['999.1.1.1'] },
      { allowed_ips: ['10.0.0.0/33'] },
      { scopes: ['everything'] },
      { scopes: [] },
      { expires_at: '2001-01-01T00:00:00Z' },
      { nmae: 'x' },
      { name: '' },
      { rate_limit_per_hour: 0 },
    ];
    for (const body of wrong) assert.equal((await make(body)).status, 400, JSON.stringify(body));
  });

  it('200: a patch changes what it names and takes effect at once', async () => {
    const { id, secret } = (await make({ scopes: ['properties:read', 'risk:read'] })).body;
    assert.equal((await api.get(search, { key: secret })).status, 200);
    const { body } = await api.call('PATCH', `/keys/${id}`, { body: { scopes: ['risk:read'], name: 'narrow' } });
    assert.deepEqual([body.name, body.scopes], ['narrow', ['risk:read']]);
    await until(async () => (await api.get(search, { key: secret })).status === 403);
  });

  it('200: the list pages through every key of the account and no other', async () => {
    const other = await createAccount(api.deps.control, new Date(), 'Other', 'pro');
    const foreign = await createKey(api.deps, other.id, { name: 'foreign', mode: 'test' });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: any } = await api.get(`/keys?limit=3${cursor ? `&cursor=${cursor}` : ''}`, {
        key: api.liveKey,
      });
      seen.push(...body.data.map((key: { id: string }) => key.id));
      cursor = body.pagination.next_cursor;
    } while (cursor);
    const { rows } = await api.deps.control.query('select id from api_keys where account_id = $1', [api.accountId]);
    const whole = await api.get(`/keys?limit=${rows.length}`, { key: api.liveKey });
    assert.deepEqual(
      [whole.body.data.length, whole.body.pagination.has_more, whole.body.pagination.next_cursor],
      [rows.length, false, null],
      'a page that is exactly full is the last one',
    );
    assert.deepEqual(seen.sort(), rows.map((row) => row.id).sort());
    assert.equal(seen.includes(foreign.key.id), false);
  });

  it('404: another account’s key looks exactly like one that does not exist', async () => {
    const other = await createAccount(api.deps.control, new Date(), 'Other', 'pro');
    const { key } = await createKey(api.deps, other.id, { name: 'foreign', mode: 'test' });
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/rotate'],
      ['POST', '/revoke'],
    ]) {
      const body = method === 'PATCH' ? { name: 'x' } : method === 'POST' ? {} : undefined;
      const foreign = await api.call(method, `/keys/${key.id}${path}`, { body });
      const missing = await api.call(method, `/keys/key_00000000000000000000${path}`, { body });
      assert.equal(foreign.status, 404);
      const strip = (answer: any, id: string) => ({
        ...answer.body,
        request_id: '',
        instance: '',
        detail: answer.body.detail.replace(id, ''),
      });
      assert.deepEqual(strip(foreign, key.id), strip(missing, 'key_00000000000000000000'));
    }
  });
});

describe('rotating and revoking', () => {
  it('201: same rights under a new secret; the old one works until the overlap ends', async () => {
    const old = (await make({ scopes: ['properties:read'] })).body;
    const fresh = (await api.post(`/keys/${old.id}/rotate`, { overlap_hours: 1 })).body;
    assert.notEqual(fresh.id, old.id);
    assert.deepEqual(fresh.scopes, old.scopes);
    for (const key of [old.secret, fresh.secret]) assert.equal((await api.get(search, { key })).status, 200);
    api.deps.travel(new Date(Date.now() + 3_601_000).toISOString());
    await until(async () => (await api.get(search, { key: old.secret })).body.code === 'expired_api_key');
    assert.equal((await api.get(search, { key: fresh.secret })).status, 200);
    api.deps.travel(new Date().toISOString());
    assert.equal((await api.post(`/keys/${old.id}/rotate`, {})).body.code, 'invalid_state', 'rotated once already');
  });

  it('201: an overlap never outlasts the key’s own expiration', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const old = (await make({ expires_at: soon })).body;
    await api.post(`/keys/${old.id}/rotate`, { overlap_hours: 24 });
    assert.equal((await api.get(`/keys/${old.id}`)).body.expires_at, soon);
  });

  it('200: revoking takes effect at once, is final, and can be repeated', async () => {
    const { id, secret } = (await make({})).body;
    assert.equal((await api.get(search, { key: secret })).status, 200);
    assert.equal((await api.post(`/keys/${id}/revoke`)).status, 200);
    await until(async () => (await api.get(search, { key: secret })).body.code === 'revoked_api_key');
    const first = (await api.get(`/keys/${id}`)).body.revoked_at;
    assert.equal((await api.post(`/keys/${id}/revoke`)).body.revoked_at, first);
    assert.equal((await api.call('PATCH', `/keys/${id}`, { body: { name: 'x' } })).body.code, 'invalid_state');
  });

  it('409: the last working live key of an account cannot be revoked', async () => {
    const { body } = await api.get('/keys?limit=500', { key: api.liveKey });
    const live = body.data.filter((key: { mode: string }) => key.mode === 'live');
    assert.equal(live.length, 1);
    const { body: refused } = await api.post(`/keys/${live[0].id}/revoke`, {}, { key: api.liveKey });
    assert.equal(refused.code, 'invalid_state');
  });

  it('of two live keys that are revoked at once, one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const account = await createAccount(api.deps.control, api.deps.clock(), 'Race', 'builder');
      const make = () => createKey(api.deps, account.id, { name: 'live', mode: 'live' });
      const ids = [(await make()).key.id, (await make()).key.id];
      const outcomes = await Promise.allSettled(ids.map((id) => revokeKey(api.deps, { accountId: account.id, id })));
      assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    }
  });
});

describe('across processes', () => {
  it('a key revoked here is refused by another process without a restart, and no key is in its log', async (t) => {
    const worker = await startProcess(api);
    t.after(() => worker.stop());
    const { id, secret } = (await make({})).body;
    assert.equal((await worker.get(search, secret)).status, 200);
    await api.post(`/keys/${id}/revoke`);
    await until(async () => (await worker.get(search, secret)).status === 401);

    await worker.get(`/properties/search?bad=${secret}`, secret);
    await worker.get('/nowhere', secret);
    const log = worker.log();
    assert.ok(log.includes('listening') || log.includes('Server listening'), 'the log is really captured');
    for (const key of [secret, api.testKey, api.liveKey])
      assert.equal(log.includes(key.slice(11, 40)), false, 'a key reached the log');
  });
});

describe('properties of keys', () => {
  it('every scope can be granted and read back', async () => {
    const { body } = await make({ scopes: [...SCOPES] });
    assert.deepEqual([...body.scopes].sort(), [...SCOPES].sort());
  });
});

/** A second API process on the same database. */
async function startProcess(client: TestClient) {
  const child = spawn(process.execPath, ['test/serve.ts'], {
    env: {
      ...process.env,
      DATABASE_URL: client.deps.controlUrl,
      PLATBOOK_SECRET: client.deps.config.secret,
      PORT: '0',
      LOG_LEVEL: 'trace',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await until(async () => /PORT=\d+/.test(log));
  const port = /PORT=(\d+)/.exec(log)![1];
  return {
    log: () => log,
    get: (path: string, key: string) =>
      fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers: { 'x-api-key': key } }),
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
