// The change feed, the relay to watchlists and delta exports after the data was restored on a server that counts its
// transactions from elsewhere: a reader goes on exactly where it was, or is told to start again; it never skips a change.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { NO_TELEMETRY } from '../../src/base/telemetry/telemetry.ts';
import { buildApp } from '../../src/app.ts';
import { startEmbedded } from '../../src/base/db/embedded.ts';
import { beginEpoch, markComplete, readEpochs } from '../../src/base/db/epochs.ts';
import { migrate } from '../../src/base/db/migrate.ts';
import { openPool, type Queryable } from '../../src/base/db/postgres.ts';
import { findPosition, readPresent } from '../../src/delivery/changes/positions.ts';
import { createDeps } from '../../src/operate/open.ts';
import { drain } from '../../src/worker.ts';
import { untilFinal } from '../final.ts';
import { testClient } from '../harness.ts';
import { moveDatabase, useUpTransactions } from '../move-database.ts';
import { urlOfDatabase, withServer } from '../template.ts';
import { until } from '../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-restored-'));
chmodSync(folder, 0o755);
const api = await testClient({ settings: { EXPORT_FOLDER: join(folder, 'exports') } });
const old = api.deps;
await useUpTransactions(old.controlUrl, 20_000);
const server = await startEmbedded(join(folder, 'home'));
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
const { body: homes } = await api.get('/properties/search?limit=3&fields=identifiers');
const [home, watched] = homes.data as { id: string }[];

let serial = 0;
async function write(db: Queryable, id = home.id): Promise<string> {
  const { rows } = await db.query(
    `insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
     select fips, id, market, 'property.updated', 'update', '{note}', '{}', $2, now() from properties where id = $1
     returning fips, seq`,
    [id, JSON.stringify({ note: ++serial })],
  );
  return `chg_${rows[0].fips}_${rows[0].seq}`;
}

/** A Platbook on an empty database of the new server. `planes`: what is restored there; the rest stays where it was. */
async function restoreElsewhere(name: string, planes: ('data' | 'control')[] = ['data', 'control']) {
  await withServer(server.url, (client) => client.query(`create database ${name}`));
  const url = urlOfDatabase(server.url, name);
  const options = { size: 4, statementTimeoutMs: 120_000 };
  const data = openPool(url, 'data', options);
  const control = planes.includes('control') ? openPool(url, 'control', options) : old.control;
  for (const plane of planes) await migrate(plane === 'data' ? data : control, plane);
  await moveDatabase(old.controlUrl, url, planes);
  const { config, clock, secrets, log } = old;
  const controlUrl = planes.includes('control') ? url : old.controlUrl;
  const deps = createDeps({
    config,
    data,
    dataReplica: data,
    control,
    controlUrl,
    dataUrl: url,
    clock,
    secrets,
    log,
    telemetry: NO_TELEMETRY,
  });
  const { app } = await buildApp(deps);
  after(async () => {
    await app.close();
    await Promise.all([data.end(), ...(control === old.control ? [] : [control.end()])]);
  });
  const feed = async (query: string) => {
    await untilFinal(data);
    const { statusCode, payload } = await app.inject({
      url: `/api/v1/changes?${query}`,
      headers: { 'x-api-key': api.testKey },
    });
    const body = JSON.parse(payload);
    return { status: statusCode, code: body.code, detail: body.detail, ids: idsOf(body), cursor: cursorIn(body) };
  };
  return { deps, data, feed };
}

const idsOf = (body: any): string[] => body.data?.map((change: any) => change.id) ?? [];
const cursorIn = (body: any): string => body.pagination?.next_cursor;

async function oldFeed(query: string) {
  await untilFinal(old.data);
  const { body } = await api.get(`/changes?${query}`);
  return { ids: idsOf(body), cursor: cursorIn(body) };
}

describe('a database moved to a server with lower transaction ids', () => {
  it('goes on from a cursor that was complete when it was copied: what is left, then what is new, in order', async () => {
    const { cursor: start } = await oldFeed('from=now');
    const before = [await write(old.data), await write(old.data), await write(old.data)];
    const { ids, cursor } = await oldFeed(`limit=1&cursor=${start}`);
    assert.deepEqual(ids, before.slice(0, 1));
    await untilFinal(old.data);
    await markComplete(old.data);
    const present = await restoreElsewhere('moved');
    // The first that looks begins the epoch: a change written before it would count as an old one.
    await readEpochs(present.data);
    const since = [await write(present.data), await write(present.data)];
    const rest = await present.feed(`cursor=${cursor}`);
    assert.deepEqual(rest.ids, [...before.slice(1), ...since]);
    const later = await write(present.data);
    assert.deepEqual((await present.feed(`cursor=${rest.cursor}`)).ids, [later]);
    const { ids: all } = await present.feed('limit=500');
    assert.deepEqual(all.slice(-6), [...before, ...since, later], 'one order runs through both lives');
  });

  it('refuses with 410 and the way back: a cursor from after the copy, from another copy, and from no known time', async () => {
    await markComplete(old.data);
    const { cursor: start } = await oldFeed('from=now');
    const first = await restoreElsewhere('first_copy');
    const second = await restoreElsewhere('second_copy');
    const lost = await write(old.data);
    const { ids, cursor: afterCopy } = await oldFeed(`cursor=${start}`);
    assert.deepEqual(ids, [lost]);

    await readEpochs(first.data);
    await readEpochs(second.data);
    await write(first.data);
    const { cursor: ofFirst } = await first.feed('from=now');
    for (const cursor of [afterCopy, ofFirst]) {
      const { status, code, detail } = await second.feed(`cursor=${cursor}`);
      assert.deepEqual([status, code], [410, 'cursor_expired']);
      assert.match(detail, /restored.*full export/s);
    }
    // Still refused when the new server has counted past it.
    await useUpTransactions(second.deps.controlUrl, 30_000);
    const isOver = await second.feed(`cursor=${afterCopy}`);
    assert.equal(isOver.status, 410);

    const next = await write(second.data);
    assert.notEqual(next, lost, 'the id of a lost change is not given again');
  });
});

describe('a data plane restored alone', () => {
  it('tells watchlists of what is new once, and of nothing twice', async () => {
    const list = await api.post('/watchlists', { name: 'test', property_ids: [watched.id] });
    assert.equal(list.status, 201, list.text);
    const events = async () => {
      const { rows } = await old.control.query<{ id: string }>(
        `select data ->> 'change_id' as id from events where data ->> 'watchlist_id' = $1 order by occurred_at, id`,
        [list.body.id],
      );
      return rows.map(({ id }) => id);
    };
    await drain(old, ['watchlists']);
    await markComplete(old.data);
    const told = await write(old.data, watched.id);
    await untilFinal(old.data);
    const present = await restoreElsewhere('data_only', ['data']);
    await drain(old, ['watchlists']);
    const lost = await write(old.data, watched.id);
    await untilFinal(old.data);
    await drain(old, ['watchlists']);
    assert.deepEqual(await events(), [told, lost]);

    await drain(present.deps, ['watchlists']);
    const fresh = await write(present.data, watched.id);
    await untilFinal(present.data);
    await drain(present.deps, ['watchlists']);
    await drain(present.deps, ['watchlists']);
    assert.deepEqual(await events(), [told, lost, fresh]);
  });

  it('sends a delta export on from where it was complete, and everything where it was not', async () => {
    const request = { dataset: 'changes', format: 'ndjson', kind: 'delta', schedule: 'once', name: 'test' };
    const create = async () => {
      const { status, body, text } = await api.post('/exports', { ...request, destination: { type: 'folder' } });
      assert.equal(status, 202, text);
      await drain(old, ['exports']);
      return body.id as string;
    };
    const runAgain = async (id: string, deps: typeof old) => {
      const { status, text } = await api.post(`/exports/${id}/runs`);
      assert.equal(status, 202, text);
      await drain(deps, ['exports']);
      const { rows } = await old.control.query(
        `select state, kind, row_count from export_runs where export_id = $1 order by created_at desc limit 1`,
        [id],
      );
      return rows[0];
    };
    await untilFinal(old.data);
    const complete = await create();
    await write(old.data);
    await untilFinal(old.data);
    await markComplete(old.data);
    const present = await restoreElsewhere('for_exports', ['data']);
    await write(old.data);
    await untilFinal(old.data);
    const incomplete = await create();
    await readEpochs(present.data);
    await write(present.data);
    await untilFinal(present.data);
    const deps = { ...old, ...present.deps };
    assert.deepEqual(await runAgain(complete, deps), { state: 'delivered', kind: 'delta', row_count: 2 });
    assert.equal((await runAgain(incomplete, deps)).kind, 'full');
  });
});

describe('a database put back unseen by PostgreSQL', () => {
  it('takes a place within a transaction that it has not seen for lost, and its own end for the end', async () => {
    // Whatever else the server does moves the end on, so that the end of a moment ago is a place already passed.
    await until(async () => {
      const end = await readPresent(old.data);
      assert.deepEqual(await findPosition(old.data, end), { position: end });
      const found = await findPosition(old.data, { ...end, seq: 1 });
      if ((await readPresent(old.data)).xid !== end.xid) return false;
      assert.ok('lost' in found);
      return true;
    });
  });

  it('refuses a cursor ahead of it, and every later one once an operator has said so', async () => {
    const present = await restoreElsewhere('put_back');
    await readEpochs(present.data);
    await write(present.data);
    await markComplete(present.data);
    const { cursor: complete } = await present.feed('from=earliest&limit=1');
    await write(present.data);
    const { cursor } = await present.feed('from=earliest&limit=500');
    await beginEpoch(present.data, 'always');
    const next = await write(present.data);
    assert.equal((await present.feed(`cursor=${cursor}`)).status, 410);
    assert.equal((await present.feed(`limit=500&cursor=${complete}`)).ids.at(-1), next);
  });
});
