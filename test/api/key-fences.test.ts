// Fences of keys: no key creates or changes one that can do more than itself, and what has ended stays ended.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../properties.ts';
import { createAccount, createKey, type KeyOptions } from '../../src/customers/accounts/accounts.ts';
import { isAllowedIp, isWithin } from '../../src/customers/accounts/allowed-ips.ts';
import { SCOPES, type Scope } from '../../src/customers/accounts/scopes.ts';
import { testClient } from '../harness.ts';
import { until } from '../until.ts';

const api = await testClient();
const { deps } = api;
const inHours = (hours: number) => new Date(deps.clock().getTime() + hours * 3_600_000);
const search = '/properties/search?limit=1';

async function fenced(options: Partial<KeyOptions> = {}, accountId = api.accountId) {
  const { key, secret } = await createKey(deps, accountId, {
    name: 'fenced',
    mode: 'live',
    scopes: [...SCOPES],
    ...options,
  });
  return { ...key, secret };
}

const make = (key: string, body: object = {}) => api.post('/keys', { name: 'child', ...body }, { key });
const patch = (key: string, id: string, body: object) => api.call('PATCH', `/keys/${id}`, { key, body });

describe('modes', () => {
  it('a sandbox key creates no live key, and does not see, change, rotate or revoke one', async () => {
    const live = await fenced({ mode: 'live' });
    assert.equal((await make(api.testKey, { mode: 'live' })).body.code, 'key_exceeds_caller');
    assert.equal((await api.get(`/keys/${live.id}`)).status, 404);
    assert.equal((await patch(api.testKey, live.id, { name: 'x' })).status, 404);
    assert.equal((await api.post(`/keys/${live.id}/rotate`, {})).status, 404);
    assert.equal((await api.post(`/keys/${live.id}/revoke`)).status, 404);
    const { body } = await api.get('/keys?limit=500');
    assert.deepEqual([...new Set(body.data.map((key: { mode: string }) => key.mode))], ['test']);
  });

  it('a live key manages keys of both modes', async () => {
    const { body } = await make(api.liveKey, { mode: 'test', scopes: ['properties:read'] });
    assert.equal(body.mode, 'test');
    assert.equal((await patch(api.liveKey, body.id, { name: 'renamed' })).status, 200);
  });
});

describe('limits are inherited', () => {
  it('a child has the IPs, expiration, hourly limit and spend cap of its maker, and is counted under it', async () => {
    const expires_at = inHours(5);
    const maker = await fenced({
      allowed_ips: ['127.0.0.0/8'],
      expires_at,
      rate_limit_per_hour: 40,
      spend_cap_cents: 500,
    });
    const { status, body } = await make(maker.secret);
    assert.equal(status, 201);
    assert.deepEqual(body.allowed_ips, ['127.0.0.0/8']);
    assert.equal(body.expires_at, expires_at.toISOString());
    assert.deepEqual([body.rate_limit_per_hour, body.spend_cap_cents], [40, 500]);
    assert.equal(body.created_by, maker.id);
    const { rows } = await deps.control.query('select first_id from api_keys where id = $1', [body.id]);
    assert.equal(rows[0].first_id, maker.first_id);
  });

  it('two children of a key with 3 calls an hour have 3 calls an hour together', async () => {
    const maker = await fenced({ mode: 'test', rate_limit_per_hour: 3 });
    const children = [(await make(maker.secret)).body.secret, (await make(maker.secret)).body.secret];
    const passed = [];
    for (let n = 0; n < 4; n++) {
      for (const key of children) if ((await api.get(search, { key })).status === 200) passed.push(key);
    }
    assert.equal(passed.length, 3);
    const stranger = await fenced({ mode: 'test', rate_limit_per_hour: 1 });
    assert.equal((await api.get(search, { key: stranger.secret })).status, 200, 'another key has its own calls');
  });

  it('two children of a key with a spend cap share the cap', async () => {
    const contract = { includedCalls: 0, overageCentsPerCall: 5 };
    const account = await createAccount(deps.control, deps.clock(), 'Capped', 'pro', { contract });
    const maker = await fenced({ spend_cap_cents: 12 }, account.id);
    const children = [(await make(maker.secret)).body.secret, (await make(maker.secret)).body.secret];
    const passed = [];
    for (let n = 0; n < 3; n++) {
      for (const key of children) if ((await api.get(search, { key })).status === 200) passed.push(key);
    }
    assert.equal(passed.length, 2, '12 cents buy two calls at 5 cents');
  });

  it('a child may have tighter limits and no wider ones', async () => {
    const expires_at = inHours(5);
    const maker = await fenced({
      allowed_ips: ['127.0.0.0/8', '10.1.0.0/16', '2001:db8::/32'],
      expires_at,
      rate_limit_per_hour: 40,
      spend_cap_cents: 500,
    });
    const tighter = [
      { allowed_ips: ['127.0.0.1'] },
      { allowed_ips: ['10.1.2.0/24', '2001:db8:1::/48'] },
      { expires_at: inHours(4).toISOString() },
      { rate_limit_per_hour: 40 },
      { spend_cap_cents: 0 },
    ];
    for (const body of tighter) assert.equal((await make(maker.secret, body)).status, 201, JSON.stringify(body));
    const wider = [
      { allowed_ips: [] },
      { allowed_ips: ['127.0.0.1', '10.2.0.1'] },
      { allowed_ips: ['10.0.0.0/8'] },
      { allowed_ips: ['::ffff:10.2.0.1'] },
      { allowed_ips: ['::/0'] },
      { expires_at: null },
      { expires_at: inHours(6).toISOString() },
      { rate_limit_per_hour: null },
      { rate_limit_per_hour: 41 },
      { spend_cap_cents: null },
      { spend_cap_cents: 501 },
    ];
    for (const body of wider) {
      assert.equal((await make(maker.secret, body)).body.code, 'key_exceeds_caller', JSON.stringify(body));
      assert.equal((await patch(maker.secret, maker.id, body)).body.code, 'key_exceeds_caller', JSON.stringify(body));
    }
  });

  it('a key changes, rotates and revokes no key that is stronger than itself', async () => {
    const strong = await fenced();
    const weak = await fenced({ expires_at: inHours(5) });
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'x' }],
      ['POST', '/rotate', {}],
      ['POST', '/revoke', undefined],
    ] as const) {
      const answer = await api.call(method, `/keys/${strong.id}${path}`, { key: weak.secret, body });
      assert.equal(answer.body.code, 'key_exceeds_caller', path);
    }
  });

  it('a key with a limit does not get a second allowance by rotating a key that is counted elsewhere', async () => {
    const [one, two] = [await fenced({ rate_limit_per_hour: 5 }), await fenced({ rate_limit_per_hour: 5 })];
    assert.equal((await api.post(`/keys/${two.id}/rotate`, {}, { key: one.secret })).body.code, 'key_exceeds_caller');
    assert.equal((await api.post(`/keys/${one.id}/rotate`, {}, { key: one.secret })).status, 201);
  });
});

describe('what has ended stays ended', () => {
  it('a key that was rotated without overlap does not come back', async () => {
    const old = await fenced();
    assert.equal((await api.post(`/keys/${old.id}/rotate`, { overlap_hours: 0 }, { key: api.liveKey })).status, 201);
    for (const expires_at of [null, inHours(1).toISOString()]) {
      assert.equal((await patch(api.liveKey, old.id, { expires_at })).body.code, 'invalid_state');
    }
    await until(async () => (await api.get(search, { key: old.secret })).body.code === 'expired_api_key');
  });

  it('a key in its overlap can only be ended sooner or renamed', async () => {
    const old = await fenced({ scopes: ['properties:read', 'risk:read'] });
    await api.post(`/keys/${old.id}/rotate`, { overlap_hours: 10 }, { key: api.liveKey });
    for (const body of [
      { expires_at: null },
      { expires_at: inHours(11).toISOString() },
      { scopes: ['risk:read'] },
      { rate_limit_per_hour: 5 },
    ]) {
      assert.equal((await patch(api.liveKey, old.id, body)).body.code, 'invalid_state', JSON.stringify(body));
    }
    const sooner = inHours(2).toISOString();
    assert.equal((await patch(api.liveKey, old.id, { expires_at: sooner, name: 'old' })).body.expires_at, sooner);
  });

  it('a key that is revoked while it asks is refused, though another process still has it cached', async () => {
    const maker = await fenced();
    assert.equal((await api.get('/keys', { key: maker.secret })).status, 200);
    await deps.control.query('update api_keys set revoked_at = now() where id = $1', [maker.id]);
    assert.equal((await make(maker.secret)).body.code, 'revoked_api_key');
  });
});

describe('scopes of the account', () => {
  it('are needed for the account and its invoices, and invoices must be granted by name', async () => {
    const usage = await fenced({ scopes: ['usage:read'] });
    assert.equal((await api.get('/account', { key: usage.secret })).body.required_scope, 'account:read');
    assert.equal((await api.get('/invoices', { key: usage.secret })).body.required_scope, 'billing:read');
    const { body } = await make(api.testKey);
    assert.equal(body.scopes.includes('account:read'), true);
    assert.equal(body.scopes.includes('billing:read'), false);
  });
});

describe('lists of IPs', () => {
  const block = fc.oneof(
    fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 32 })).map(([n, bits]) => `10.0.${n}.0/${bits}`),
    fc.integer({ min: 0, max: 1023 }).map((n) => `10.0.${n >> 8}.${n & 255}`),
    fc.integer({ min: 32, max: 128 }).map((bits) => `2001:db8::${bits}/${bits}`),
    fc.integer({ min: 96, max: 128 }).map((bits) => `::ffff:10.0.1.1/${bits}`),
  );

  it('every caller that an inner list allows is allowed by the outer one', () => {
    const caller = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.integer({ min: 0, max: 1023 }).map((n) => `10.0.${n >> 8}.${n & 255}`),
    );
    const lists = fc.array(block, { maxLength: 3 });
    const holds = fc.property(lists, lists, fc.array(caller, { maxLength: 20 }), (inner, outer, callers) => {
      if (!isWithin(inner, outer)) return;
      for (const ip of callers) if (isAllowedIp(ip, inner)) assert.ok(isAllowedIp(ip, outer), ip);
    });
    fc.assert(holds, { numRuns: 2_000 });
  });
});

interface Model {
  id: string;
  secret: string;
  mode: string;
  scopes: string[];
  allowed_ips: string[];
  expires_at: string | null;
  rate_limit_per_hour: number | null;
  spend_cap_cents: number | null;
}

describe('random keys and random operations', () => {
  const IPS = [
    '127.0.0.1',
    '127.0.0.0/8',
    '10.0.0.0/8',
    '10.1.0.0/16',
    '10.1.2.3',
    '0.0.0.0/0',
    '::/0',
    '2001:db8::/32',
  ];
  const SOME: Scope[] = ['keys:read', 'keys:write', 'properties:read', 'owners:read', 'billing:read'];
  const options = fc.record(
    {
      mode: fc.constantFrom('live', 'test'),
      scopes: fc.subarray(SOME, { minLength: 1 }),
      allowed_ips: fc.subarray(IPS),
      expires_at: fc.option(fc.integer({ min: 1, max: 9 })),
      rate_limit_per_hour: fc.option(fc.integer({ min: 1, max: 4 }).map((n) => n * 100_000)),
      spend_cap_cents: fc.option(fc.integer({ min: 0, max: 4 })),
    },
    { requiredKeys: [] },
  );
  const operation = fc.record({
    kind: fc.constantFrom('create', 'create', 'change', 'change', 'rotate', 'revoke'),
    by: fc.nat(),
    target: fc.nat(),
    options,
    overlap: fc.constantFrom(0, 0, 5),
  });

  const more = (value: number | null, bound: number | null) => bound !== null && (value === null || value > bound);
  const at = (instant: string | null) => (instant === null ? null : Date.parse(instant));

  async function endOf(id: string): Promise<string | null> {
    const { rows } = await deps.control.query<{ expires_at: Date | null }>(
      'select expires_at from api_keys where id = $1',
      [id],
    );
    return rows[0].expires_at?.toISOString() ?? null;
  }

  /** Written without the code under test: what one key could do that another could not. */
  function canDoMore(key: Model, than: Model): boolean {
    const probes = ['127.0.0.1', '127.9.9.9', '10.1.2.3', '10.1.9.9', '10.9.9.9', '8.8.8.8', '2001:db8::1', '2400::1'];
    return (
      (key.mode === 'live' && than.mode === 'test') ||
      key.scopes.some((scope) => !than.scopes.includes(scope)) ||
      probes.some((ip) => isAllowedIp(ip, key.allowed_ips) && !isAllowedIp(ip, than.allowed_ips)) ||
      more(at(key.expires_at), at(than.expires_at)) ||
      more(key.rate_limit_per_hour, than.rate_limit_per_hour) ||
      more(key.spend_cap_cents, than.spend_cap_cents)
    );
  }

  it('never yield a key that can do more than its maker, nor bring back one that ended', async () => {
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
        const account = await createAccount(deps.control, deps.clock(), 'Random', 'enterprise');
        const keys: Model[] = [];
        for (const mode of ['live', 'test', 'live'] as const) {
          const { key, secret } = await createKey(deps, account.id, { name: mode, mode, scopes: [...SOME] });
          keys.push({ ...key, secret, expires_at: null });
        }
        const ended = new Set<string>();
        for (const { kind, by, target, options: given, overlap } of operations) {
          const [maker, key] = [keys[by % keys.length], keys[target % keys.length]];
          const { mode, expires_at, ...rest } = given;
          const body = {
            ...rest,
            ...(expires_at !== undefined && {
              expires_at: expires_at === null ? null : inHours(expires_at).toISOString(),
            }),
          };
          const before = { maker: { ...maker }, key: { ...key } };
          const [path, method, sent] = {
            create: ['', 'POST', { name: 'x', ...body, ...(mode && { mode }) }] as const,
            change: [`/${key.id}`, 'PATCH', { name: 'x', ...body }] as const,
            rotate: [`/${key.id}/rotate`, 'POST', { overlap_hours: overlap }] as const,
            revoke: [`/${key.id}/revoke`, 'POST', undefined] as const,
          }[kind];
          const { status, body: got } = await api.call(method, `/keys${path}`, { key: maker.secret, body: sent });
          if (status >= 300) continue;
          changes += 1;
          assert.equal(ended.has(maker.id), false, 'a key that ended changed something');
          assert.equal(canDoMore(got, before.maker), false, `${kind} reaches further than its maker`);
          if (kind !== 'create') assert.equal(canDoMore(before.key, before.maker), false, `${kind} of a stronger key`);
          if (kind === 'create' || kind === 'rotate') keys.push(got);
          if (kind === 'change') Object.assign(key, got);
          if (kind === 'revoke' || (kind === 'rotate' && overlap === 0)) ended.add(key.id);
          if (kind === 'rotate') {
            key.expires_at = await endOf(key.id);
            const stays = more(at(key.expires_at), inHours(overlap).getTime());
            assert.equal(
              stays || canDoMore(key, before.key),
              false,
              'rotated, and works longer than its overlap or its own end',
            );
          }
        }
        const { rows } = await deps.control.query(
          'select id from api_keys where id = any ($1) and revoked_at is null and (expires_at is null or expires_at > $2)',
          [[...ended], deps.clock()],
        );
        assert.deepEqual(rows, [], 'a key that ended works again');
      }),
      { numRuns: 60 },
    );
    assert.ok(changes > 100, `only ${changes} operations passed`);
  });
});
