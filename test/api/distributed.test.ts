// The data plane on Citus: where tables lie, which shards a call asks, the change feed while late writers are at work on two
// workers, and counties that move under traffic. Needs a cluster: TEST_CITUS_URL.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DISTRIBUTED_TABLES, distributeTables, isDistributed, rebalance } from '../../src/base/db/distribution.ts';
import { migrate } from '../../src/base/db/migrate.ts';
import type { Queryable } from '../../src/base/db/postgres.ts';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { addWorker } from '../citus.ts';
import { untilFinal } from '../final.ts';
import { testClient, type TestClient } from '../harness.ts';
import { FIPS, rollRow, testville, writeRoll } from '../testville.ts';
import { ANYWAY } from '../anyway.ts';

const isCluster = process.env.TEST_CITUS_URL !== undefined;
const skip = isCluster ? false : 'needs a Citus cluster: TEST_CITUS_URL';
const api = isCluster ? await testClient() : (undefined as unknown as TestClient);
const data = api?.deps.data;
/** A server that belongs to no cluster yet, as host:port, for the test that adds it. */
const { TEST_CITUS_SPARE: SPARE } = process.env;

interface Placement {
  fips: number;
  shard: number;
  host: string;
  port: number;
}

async function listPlacements(): Promise<Placement[]> {
  const { rows } = await data.query<Placement>(
    `select c.fips, s.shardid as shard, s.nodename as host, s.nodeport as port
     from (select fips, get_shard_id_for_distribution_column('data.properties', fips) as shard from counties) c
     join citus_shards s on s.shardid = c.shard order by c.fips`,
  );
  return rows;
}

/** How many homes each county has. */
async function listCounts(): Promise<Record<string, number>> {
  const { rows } = await data.query<{ fips: number; homes: number }>(
    'select fips, count(*)::int as homes from properties group by fips order by fips',
  );
  return Object.fromEntries(rows.map(({ fips, homes }) => [fips, homes]));
}

async function homeIn(fips: number): Promise<string> {
  const { rows } = await data.query(
    `select id from properties where fips = $1 and status = 'active' order by id limit 1`,
    [fips],
  );
  return rows[0].id;
}

/** Writes to a shard and tells of it, as every load does. */
async function change(db: Queryable, fips: number, id: string, note: string): Promise<string> {
  await db.query('update properties set style = $3 where fips = $1 and id = $2', [fips, id, note]);
  const { rows } = await db.query(
    `insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
     select fips, id, market, 'property.updated', 'update', '{style}', '{}', jsonb_build_object('style', style), now()
     from properties where fips = $1 and id = $2 returning fips, seq`,
    [fips, id],
  );
  return `chg_${rows[0].fips}_${rows[0].seq}`;
}

async function readFeed(cursor: string) {
  const { status, body, text } = await api.get(`/changes?limit=500&cursor=${cursor}`);
  assert.equal(status, 200, text);
  return {
    ids: body.data.map(({ id }: { id: string }) => id) as string[],
    next: body.pagination.next_cursor as string,
  };
}

async function cursorOfNow(): Promise<string> {
  await untilFinal(data);
  return (await api.get('/changes?from=now')).body.pagination.next_cursor;
}

/** Two counties whose shards are on different workers. */
async function twoWorkers(): Promise<[Placement, Placement]> {
  const placements = await listPlacements();
  const other = placements.find(({ port, host }) => port !== placements[0].port || host !== placements[0].host);
  assert.ok(other, 'the sandbox lies on one worker only');
  return [placements[0], other];
}

describe('a data plane on Citus', { skip }, () => {
  it('has its large tables spread, and distributing again changes nothing', async () => {
    assert.equal(await isDistributed(data), true);
    const { rows } = await data.query(
      `select c.relname as name, d.colocationid as side from pg_dist_partition d join pg_class c on c.oid = d.logicalrelid
       where c.relnamespace = 'data'::regnamespace and d.partmethod = 'h'`,
    );
    assert.deepEqual(rows.map(({ name }) => name).sort(), [...DISTRIBUTED_TABLES].sort());
    assert.equal(new Set(rows.map(({ side }) => side)).size, 1, 'all lie side by side');
    assert.deepEqual(await migrate(data, 'data'), []);
    assert.deepEqual(await distributeTables(data, undefined), []);
  });

  it('asks one shard for what is about one county', async () => {
    const [{ fips }] = await listPlacements();
    const id = await homeIn(fips);
    const tasksOf = async (text: string) => {
      const { rows } = await data.query(`explain ${text}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return Number(/Task Count: (\d+)/.exec(plan)?.[1]);
    };
    assert.equal(await tasksOf(`select * from properties where fips = ${fips} and id = '${id}'`), 1);
    const ofMany = `join unnest('{${fips}}'::int[], '{${id}}'::text[]) as k (fips, id) on t.fips = k.fips and t.property_id = k.id`;
    assert.equal(await tasksOf(`select t.* from permits t ${ofMany} where t.fips = any('{${fips}}')`), 1);
  });

  it('finds the same homes by box, ZIP and circle as by looking at every one', async () => {
    const { rows } = await data.query<{ id: string; latitude: number; longitude: number; zip: string }>(
      `select id, latitude, longitude, zip from properties where status = 'active' and latitude is not null and market = 'sandbox'`,
    );
    const [middle] = rows;
    const box = [middle.longitude - 0.05, middle.latitude - 0.05, middle.longitude + 0.05, middle.latitude + 0.05];
    const inBox = rows.filter(
      ({ latitude, longitude }) =>
        longitude >= box[0] && latitude >= box[1] && longitude <= box[2] && latitude <= box[3],
    );
    const count = async (query: string) => (await api.get(`/properties/count?${query}`)).body.count;
    assert.equal(await count(`bbox=${box.join(',')}`), inBox.length);
    assert.equal(await count(`zip=${middle.zip}`), rows.filter(({ zip }) => zip === middle.zip).length);
    for (const sort of ['', '&sort=-value', '&sort=sqft']) {
      const found = new Set<string>();
      for (let more: string | null = ''; more !== null;) {
        const { body } = await api.get(`/properties/search?limit=100&bbox=${box.join(',')}${sort}${more}`);
        for (const home of body.data) found.add(home.id);
        more = body.pagination.next_cursor && `&cursor=${body.pagination.next_cursor}`;
      }
      assert.equal(found.size, inBox.length, sort);
    }
  });
});

describe('the change feed on Citus', { skip }, () => {
  it('numbers changes by the coordinator, whichever worker their rows come from', async () => {
    const [first, second] = await twoWorkers();
    for (const { fips } of [first, second]) {
      const client = await data.connect();
      await client.query('begin');
      const written = await change(client, fips, await homeIn(fips), 'numbered');
      const { rows } = await client.query(
        `select xid::text as xid, (pg_current_xact_id()::text::bigint
           + (select xid_offset from feed_epochs order by number desc limit 1))::text as own from changes where seq = $1`,
        [Number(written.split('_')[2])],
      );
      await client.query('rollback');
      client.release();
      assert.equal(rows[0].xid, rows[0].own);
    }
  });

  it('includes a late writer on one worker after an early one on the other', async () => {
    const [first, second] = await twoWorkers();
    const cursor = await cursorOfNow();
    const [late, early] = [await data.connect(), await data.connect()];
    await late.query('begin');
    const one = await change(late, first.fips, await homeIn(first.fips), 'late');
    await early.query('begin');
    const two = await change(early, second.fips, await homeIn(second.fips), 'early');
    await early.query('commit');
    assert.deepEqual((await readFeed(cursor)).ids, [], 'not final while an older transaction runs');
    await late.query('commit');
    late.release();
    early.release();
    await untilFinal(data);
    assert.deepEqual((await readFeed(cursor)).ids, [one, two]);
  });

  it('shows each change once while many write to both workers and some end late', async () => {
    const places = await twoWorkers();
    const homes = await Promise.all(places.map(({ fips }) => homeIn(fips)));
    let cursor = await cursorOfNow();
    const written: string[] = [];
    const seen: string[] = [];
    let isWriting = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      const client = await data.connect();
      for (let i = 0; i < 10; i++) {
        const side = (writer + i) % 2;
        await client.query('begin');
        // Each writer has a home of its own, so that they wait for nobody's row.
        const { rows } = await client.query(
          `select id from properties where fips = $1 and status = 'active' order by id offset $2 limit 1`,
          [places[side].fips, writer + 1],
        );
        const id = await change(client, places[side].fips, rows[0]?.id ?? homes[side], `${writer} ${i}`);
        await new Promise((resolve) => setTimeout(resolve, (writer * 7 + i * 3) % 11));
        await client.query(i % 5 === 4 ? 'rollback' : 'commit');
        if (i % 5 !== 4) written.push(id);
      }
      client.release();
    });
    const reader = (async () => {
      for (;;) {
        const isLast = !isWriting;
        if (isLast) await untilFinal(data);
        const page = await readFeed(cursor);
        seen.push(...page.ids);
        cursor = page.next;
        if (isLast && page.ids.length === 0) return;
      }
    })();
    await Promise.all(writers);
    isWriting = false;
    await reader;
    assert.deepEqual(seen.toSorted(), written.toSorted());
  });
});

/** Reads and writes a county while `work` is at it; nothing may fail, and nothing of what was written may be missing. */
async function underTraffic(fips: number, work: () => Promise<unknown>): Promise<void> {
  const id = await homeIn(fips);
  const cursor = await cursorOfNow();
  const written: string[] = [];
  const failures: string[] = [];
  const working = new AbortController();
  const { signal } = working;
  const writer = (async () => {
    for (let i = 0; !signal.aborted; i++) {
      const client = await data.connect();
      try {
        await client.query('begin');
        const seen = await change(client, fips, id, `move ${i}`);
        await client.query('commit');
        written.push(seen);
      } catch (error) {
        await client.query('rollback');
        failures.push(String(error));
      } finally {
        client.release();
      }
    }
  })();
  const reader = (async () => {
    while (!signal.aborted) {
      for (const path of [`/properties/${id}`, `/properties/${id}/risk`, '/properties/search?limit=10&sort=-value']) {
        const { status, text } = await api.get(path);
        if (status !== 200) failures.push(`${path} ${text}`);
      }
    }
  })();
  try {
    await work();
  } finally {
    working.abort();
    await Promise.all([writer, reader]);
  }
  assert.deepEqual(failures, []);
  assert.ok(written.length > 0);
  const { rows } = await data.query('select style from properties where fips = $1 and id = $2', [fips, id]);
  assert.equal(rows[0].style, `move ${written.length - 1}`);
  await untilFinal(data);
  const ids: string[] = [];
  for (let page = await readFeed(cursor); page.ids.length > 0; page = await readFeed(page.next)) ids.push(...page.ids);
  assert.deepEqual(
    ids.filter((change) => change.startsWith(`chg_${fips}_`)),
    written,
  );
}

describe('a county that moves to another worker', { skip }, () => {
  for (const mode of ['block_writes', 'force_logical']) {
    it(`keeps every write, and every call is answered meanwhile: ${mode}`, async (test) => {
      const { rows } = await data.query(
        `select from run_command_on_workers('show wal_level') where result <> 'logical'`,
      );
      if (mode === 'force_logical' && rows.length > 0) return test.skip('needs workers with wal_level = logical');
      const [from, to] = await twoWorkers();
      const move = (source: Placement, target: Placement) =>
        data.query('select citus_move_shard_placement($1, $2, $3, $4, $5, shard_transfer_mode => $6)', [
          from.shard,
          source.host,
          source.port,
          target.host,
          target.port,
          mode,
        ]);
      await underTraffic(from.fips, async () => {
        await move(from, to);
        await move(to, from);
      });
    });
  }
});

describe('a worker that is added', { skip: SPARE ? skip : 'needs a spare server: TEST_CITUS_SPARE' }, () => {
  it('takes its part of the counties while they are read, written and loaded', async () => {
    const [host, port] = SPARE!.split(':');
    const [first] = await listPlacements();
    const before = await listCounts();
    const folder = mkdtempSync(join(tmpdir(), 'platbook-moving-'));
    writeRoll(
      folder,
      Array.from({ length: 500 }, (_, i) => rollRow(i)),
    );
    const removeSpare = await addWorker(api.deps.dataUrl, { host, port: Number(port) });
    api.deps.beforeClose(removeSpare);
    const load = () =>
      ingest({ data, clock: () => new Date(), cacheFolder: folder }, [testville], [testville], {
        from: folder,
        datasets: ['roll'],
        accept: ANYWAY,
      });
    const moves: string[] = [];
    try {
      await underTraffic(first.fips, async () => {
        await load();
        const moving = rebalance(data, { onWait: () => {}, onMove: ({ target }) => void moves.push(target) });
        await Promise.all([moving, load(), load()]);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
    assert.deepEqual(moves, [SPARE], 'one shard of four is the part of a third worker');
    const places = await listPlacements();
    assert.ok(places.some(({ port: where }) => where === Number(port)));
    assert.deepEqual({ ...(await listCounts()), [FIPS]: undefined }, { ...before, [FIPS]: undefined });
    assert.equal(await rebalance(data, { onWait: () => {}, onMove: () => {} }), 0, 'once is enough');
  });
});
