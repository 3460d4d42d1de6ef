// The change feed: nothing lost or repeated while others write, filters, formats, waiting, and expiry.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import type { Queryable } from '../../src/base/db/postgres.ts';
import { untilFinal } from '../final.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const { body: homes } = await api.get('/properties/search?limit=20&fields=identifiers,property_type');
const [home] = homes.data;

let serial = 0;
async function write(
  db: Queryable,
  id: string = home.id,
  kind = 'property.updated',
  after: object = { note: ++serial },
) {
  const { rows } = await db.query(
    `insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
     select fips, id, market, $2, 'update', $3, '{}', $4, now() from properties where id = $1 returning fips, seq`,
    [id, kind, Object.keys(after), JSON.stringify(after)],
  );
  return `chg_${rows[0].fips}_${rows[0].seq}`;
}

/** What is final now; `settled` waits for what was written to become final. */
async function feed(query = '') {
  const { status, body, text } = await api.get(`/changes?${query}`);
  assert.equal(status, 200, text);
  return { ids: body.data.map((change: any) => change.id) as string[], data: body.data, ...body.pagination };
}
const settled = async (query: string) => {
  await untilFinal(api.deps.data);
  return feed(query);
};
const now = async () => (await settled('from=now')).next_cursor as string;

describe('a newcomer to the sandbox', () => {
  it('finds the last 30 days of its calendar, whatever day it is', async () => {
    for (const day of ['2026-07-01T12:00:00Z', '2027-02-03T12:00:00Z', '2031-11-16T12:00:00Z']) {
      api.deps.travel(day);
      const { data } = await feed('limit=500');
      assert.ok(data.length > 0, day);
      const instants = data.map((change: any) => change.occurred_at);
      assert.ok(
        instants.every((at: string) => at >= '2026-06-01' && at < '2026-07-01'),
        instants[0],
      );
    }
    api.deps.travel(new Date().toISOString());
  });
});

describe('without gaps', () => {
  it('includes a transaction that commits late, which a reader of the sequence alone would skip', async () => {
    const cursor = await now();
    const [late, early] = [await api.deps.data.connect(), await api.deps.data.connect()];
    const naiveSeen: number[] = [];
    const naive = async () => {
      const { rows } = await api.deps.data.query('select seq from changes where seq > $1 order by seq', [
        Math.max(0, ...naiveSeen),
      ]);
      naiveSeen.push(...rows.map((row) => row.seq));
    };
    await naive();
    const before = naiveSeen.length;
    await late.query('begin');
    const first = await write(late);
    await early.query('begin');
    const second = await write(early);
    await early.query('commit');
    await naive();
    assert.deepEqual((await feed(`cursor=${cursor}`)).ids, [], 'not final while an older transaction runs');
    await late.query('commit');
    await naive();
    assert.deepEqual((await settled(`cursor=${cursor}`)).ids, [first, second]);
    assert.equal(naiveSeen.length - before, 1, 'the naive reader lost one');
    late.release();
    early.release();
  });

  it('shows each change once to a reader that follows its cursor while many write', async () => {
    let cursor = await now();
    const written: string[] = [];
    let isWriting = true;
    const writers = Array.from({ length: 6 }, async (_, w) => {
      const client = await api.deps.data.connect();
      for (let i = 0; i < 15; i++) {
        await client.query('begin');
        const ids = [await write(client), await write(client)];
        await new Promise((resolve) => setTimeout(resolve, (w * 7 + i * 3) % 11));
        await client.query(i % 5 === 4 ? 'rollback' : 'commit');
        if (i % 5 !== 4) written.push(...ids);
      }
      client.release();
    });
    const seen: string[] = [];
    const reader = (async () => {
      for (;;) {
        const isLast = !isWriting;
        const page = await (isLast ? settled : feed)(`limit=7&cursor=${cursor}`);
        seen.push(...page.ids);
        cursor = page.next_cursor;
        if (isLast && !page.has_more) return;
      }
    })();
    await Promise.all(writers);
    isWriting = false;
    await reader;
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual([...seen].sort(), written.sort());
  });
});

describe('reading', () => {
  it('filters by kind and by search filters; the cursor moves past what is not shown', async () => {
    const cursor = await now();
    const other = homes.data.find((one: any) => one.property_type !== home.property_type) ?? homes.data[1];
    const mine = await write(api.deps.data, home.id, 'property.sale_recorded');
    await write(api.deps.data, other.id, 'property.updated');
    const byKind = await settled(`type=property.sale_recorded&from=now`);
    const again = await write(api.deps.data, home.id, 'property.sale_recorded');
    await write(api.deps.data, home.id, 'property.updated');
    assert.deepEqual((await settled(`type=property.sale_recorded&cursor=${byKind.next_cursor}`)).ids, [again]);
    assert.equal(
      (await api.get(`/changes?type=property.updated&cursor=${byKind.next_cursor}`)).body.code,
      'cursor_mismatch',
    );
    for (const path of ['/changes?type=,', '/events?type=,']) {
      const { status, body } = await api.get(path);
      assert.equal(status, 400, path);
      assert.match(body.detail, /names nothing/);
    }
    const all = await feed(`cursor=${cursor}`);
    assert.equal(all.ids[0], mine);
    assert.equal(all.ids.length, 4);
    const here = await feed(`fips=${home.identifiers.fips}&property_type=${home.property_type}`);
    assert.ok(here.data.length > 0);
    assert.ok(
      here.data.every((change: any) => change.property_id !== other.id || other.property_type === home.property_type),
    );
    assert.deepEqual((await feed('market=nowhere')).ids, []);
  });

  it('returns the same changes as JSON, NDJSON and CloudEvents', async () => {
    const cursor = await now();
    await write(api.deps.data);
    await write(api.deps.data);
    const { data } = await settled(`cursor=${cursor}`);
    const ndjson = await api.get(`/changes?format=ndjson&cursor=${cursor}`);
    assert.deepEqual(
      ndjson.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      data,
    );
    const next = ndjson.headers['x-next-cursor']!;
    assert.deepEqual((await feed(`cursor=${next}`)).ids, []);
    const cloud = await api.get(`/changes?format=cloudevents&cursor=${cursor}`);
    assert.match(cloud.headers['content-type']!, /^application\/cloudevents-batch\+json/);
    assert.deepEqual(
      cloud.body.map((event: any) => event.data),
      data,
    );
    assert.deepEqual(Object.keys(cloud.body[0]).sort(), [
      'data',
      'datacontenttype',
      'id',
      'source',
      'specversion',
      'subject',
      'time',
      'type',
    ]);
  });

  it('responds as soon as there is something with `wait`', async () => {
    const cursor = await now();
    const waiting = feed(`wait=30&cursor=${cursor}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const id = await write(api.deps.data);
    let { ids } = await waiting;
    // A long transaction of another test may keep the change from becoming final for more than one wait.
    while (ids.length === 0) ({ ids } = await feed(`wait=30&cursor=${cursor}`));
    assert.deepEqual(ids, [id]);
  });

  it('includes people’s names only with owners:read, and not where suppressed', async () => {
    const cursor = await now();
    await write(api.deps.data, home.id, 'property.owner_changed', { names: ['A. PERSON'], type: 'individual' });
    await untilFinal(api.deps.data);
    const plain = await api.keyWith(['changes:read']);
    const without = await api.get(`/changes?cursor=${cursor}`, { key: plain });
    assert.deepEqual(without.body.data[0].after, { type: 'individual' });
    assert.deepEqual((await feed(`cursor=${cursor}`)).data[0].after.names, ['A. PERSON']);
    await api.deps.data.query(
      `insert into owner_suppressions (fips, property_id, reason, suppressed_at)
       select fips, id, 'asked for', now() from properties where id = $1`,
      [home.id],
    );
    assert.deepEqual((await feed(`cursor=${cursor}`)).data[0].after, { type: 'individual' });
    await api.deps.data.query('delete from owner_suppressions where property_id = $1', [home.id]);
  });
});

describe('access and retention', () => {
  it('returns 403 to a live key without the enterprise plan and 200 with it', async () => {
    const refused = await api.get('/changes', { key: api.liveKey });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, 'plan_feature_unavailable');
    const account = await createAccount(api.deps.control, api.deps.clock(), 'Big', 'enterprise');
    const { secret } = await createKey(api.deps, account.id, { name: 'x', mode: 'live', scopes: [...SCOPES] });
    const allowed = await api.get('/changes', { key: secret });
    assert.equal(allowed.status, 200);
    assert.deepEqual(allowed.body.data, [], 'and nothing from the sandbox');
  });

  it('returns 410 for a cursor older than 30 days, and says how to recover', async () => {
    const cursor = await now();
    api.deps.travel(new Date(Date.now() + 31 * 86_400_000).toISOString());
    const { status, body } = await api.get(`/changes?cursor=${cursor}`);
    assert.equal(status, 410);
    assert.equal(body.code, 'cursor_expired');
    assert.match(body.detail, /full export/);
    assert.equal((await api.get('/changes?cursor=abc')).body.code, 'invalid_cursor');
  });
});
