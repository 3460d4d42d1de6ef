// The book of a model: what it says is what the sales say, it is read without computing, and losing it costs nothing.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { appraise, readHome } from '../../src/insight/avm/appraise.ts';
import { openBookInSlices, type Book } from '../../src/insight/avm/evidence.ts';
import type { Model } from '../../src/insight/avm/model.ts';
import { hashOf, pack, unpack } from '../../src/insight/avm/pack.ts';
import { listSales } from '../../src/insight/avm/sales.ts';
import { dayNumber } from '../../src/base/lib/clock.ts';
import { chooseComparables } from '../../src/insight/valuations/grid/comparables.ts';
import { insertModels } from '../../src/insight/valuations/model-sql.ts';
import { createOpenModels, readSales } from '../../src/insight/valuations/open-models.ts';
import { gridOptions } from '../../src/insight/valuations/valuations.ts';
import { testClient } from '../harness.ts';
import { until } from '../until.ts';

const client = await testClient();
const { deps } = client;
deps.travel('2026-11-20T12:00:00Z');
const { data, control, models } = deps;

const { rows: homes } = await data.query<{ id: string }>(
  `select id from properties where market = 'sandbox' and property_type in ('single_family', 'condo', 'townhouse')
     and status = 'active' and latitude is not null and hashtext(id) % 61 = 0 order by id limit 15`,
);

/** The answers without what is random in them. */
async function answers(): Promise<unknown[]> {
  const found = [];
  for (const { id } of homes) {
    const { body } = await client.post('/avm/estimate', { property: { id } });
    const { body: receipt } = await client.get(`/avm/valuations/${body.id}`);
    const { id: _, ...inputs } = receipt.inputs;
    found.push({ ...body, id: undefined, inputs });
  }
  return found;
}

/** What the grid reads of a sale. */
function partsOf({ readParts }: Book, i: number): Float64Array {
  const parts = new Float64Array(50);
  readParts!(i, parts);
  return parts;
}

/** Another process, as far as memory goes. */
const anotherProcess = (changes: object = {}) => createOpenModels({ ...deps, ...changes });
const currentRow = async () => (await models.list()).find(({ state }) => state === 'current')!;
const storedBooks = async () =>
  (
    await control.query<{ hash: string; snapshot: string; chunks: number }>(
      `select hash, snapshot, (select count(*)::int from model_book_chunks c where c.hash = b.hash) as chunks
       from model_books b order by hash`,
    )
  ).rows;

describe('the book of a model', () => {
  it('is written when the model is published', async () => {
    const published = (await models.list()).filter(({ state }) => state !== 'refused').map(({ hash }) => hash);
    assert.deepEqual(
      (await storedBooks()).map(({ hash }) => hash),
      published.toSorted(),
    );
  });

  it('says what the sales say, of every model, to the last bit', async () => {
    const sales = listSales(await readSales(deps, 'sandbox'));
    for (const row of await models.list()) {
      const { rows } = await control.query('select bytes from models where hash = $1', [row.hash]);
      const model = unpack<Model>(rows[0].bytes);
      const made = await openBookInSlices(model, sales);
      const stored = await anotherProcess().open(row);
      assert.equal(stored.book.sales.length, made.sales.length);
      for (let i = 0; i < made.sales.length; i++) {
        assert.deepEqual(stored.book.sales.at(i), made.sales.at(i));
        assert.deepEqual(partsOf(stored.book, i), partsOf(made, i));
      }
      const day = dayNumber('2026-11-20');
      for (let i = 0; i < sales.length; i += 40) {
        const home = { ...sales.at(i), attributes: { ...sales.at(i).attributes, ...(i % 80 === 0 && { sqft: null }) } };
        const [one, other] = [made, stored.book].map((book) => readHome(model, book, home, day));
        // The two number properties differently.
        one.subject.property = other.subject.property = 0;
        assert.deepEqual(other, one);
        assert.deepEqual(appraise(stored.model, other), appraise(model, one));
        const [of, from] = [{ model, book: made }, stored].map((open) => {
          const reading = readHome(open.model, open.book, home, day);
          return chooseComparables({ ...open, reading, appraisal: appraise(open.model, reading) }, gridOptions());
        });
        const shown = ({ sales: chosen, basis }: typeof of) => ({
          basis,
          sales: chosen.map((sale) => ({ ...sale, row: undefined, parts: [...sale.parts!] })),
        });
        assert.deepEqual(shown(from), shown(of));
      }
    }
  });

  it('gives the same answers and receipts however it came about', async () => {
    const before = await answers();
    models.forget();
    assert.deepEqual(await answers(), before);
    await control.query('delete from model_books');
    models.forget();
    assert.deepEqual(await answers(), before);
    assert.ok((await storedBooks()).length > 0);
    models.forget();
    assert.deepEqual(await answers(), before);
  });

  it('is opened without a look at the sales', async () => {
    await models.open(await currentRow());
    const other = await data.connect();
    await other.query('begin');
    await other.query('lock table transactions, properties in access exclusive mode');
    try {
      const opened = await anotherProcess().open(await currentRow());
      assert.ok(opened.book.sales.length > 0);
    } finally {
      await other.query('rollback');
      other.release();
    }
  });

  it('is made again after a load, and by one process only', async () => {
    const row = await currentRow();
    const before = await models.open(row);
    await data.query(
      `insert into loads (source_id, market, state, started_at, finished_at) values ('roll', 'sandbox', 'completed', now(), now())`,
    );
    const opened = await Promise.all([1, 2, 3].map(() => anotherProcess().openLatest(row)));
    const snapshots = new Set(opened.map(({ snapshot }) => snapshot));
    assert.equal(snapshots.size, 1);
    assert.ok(!snapshots.has(before.snapshot));
    const books = (await storedBooks()).filter(({ hash }) => hash === row.hash);
    assert.deepEqual(
      books.map(({ snapshot }) => snapshot),
      [...snapshots],
    );
    // The one in memory serves until it is asked for the latest.
    assert.equal(await models.open(row), before);
    assert.equal((await models.openLatest(row)).snapshot, opened[0].snapshot);
  });
});

describe('a damaged book', () => {
  const damages: [string, string][] = [
    [
      'with a byte changed',
      'update model_book_chunks set bytes = set_byte(bytes, 99, (get_byte(bytes, 99) + 1) % 256)',
    ],
    ['cut off', 'update model_book_chunks set bytes = substring(bytes for length(bytes) - 5)'],
    ['without a chunk', 'delete from model_book_chunks where number = 0'],
    ['of another size', 'update model_books set size = size + 8'],
  ];
  for (const [name, damage] of damages) {
    it(`is made again: ${name}`, async () => {
      const before = await answers();
      await control.query(damage);
      const lines: unknown[] = [];
      const log = { ...deps.log, warn: (...line: unknown[]) => lines.push(line) };
      const row = await currentRow();
      const opened = await anotherProcess({ log }).open(row);
      assert.equal(opened.hash, row.hash);
      assert.match(JSON.stringify(lines), /damaged and is made again/);
      assert.equal(lines.length, 1);
      models.forget();
      assert.deepEqual(await answers(), before);
    });
  }

  it('of an earlier format is made again without a word', async () => {
    await control.query('update model_books set format = 0');
    const lines: unknown[] = [];
    const log = { ...deps.log, warn: (...line: unknown[]) => lines.push(line) };
    await anotherProcess({ log }).open(await currentRow());
    assert.deepEqual(lines, []);
  });
});

describe('a process killed while it writes a book', () => {
  it('leaves the one before whole, and the next process writes it', async () => {
    const row = await currentRow();
    await models.openLatest(row);
    await control.query(`update model_books set snapshot = 'earlier' where hash = $1`, [row.hash]);
    const before = (await storedBooks()).find(({ hash }) => hash === row.hash);
    // Whoever writes a chunk waits in the middle of it.
    const other = await control.connect();
    await other.query('begin');
    await other.query('lock table model_book_chunks in share row exclusive mode');
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../crash-worker.ts', import.meta.url)), 'books', row.version],
      { env: { ...process.env, DATABASE_URL: deps.controlUrl, LOG_LEVEL: 'silent' }, stdio: 'inherit' },
    );
    const ended = once(child, 'exit');
    try {
      await until(async () => {
        const { rows } = await data.query(
          `select 1 from pg_locks where not granted and relation = 'control.model_book_chunks'::regclass`,
        );
        return rows.length > 0;
      });
      child.kill('SIGKILL');
      await ended;
    } finally {
      await other.query('rollback');
      other.release();
    }
    assert.deepEqual(
      (await storedBooks()).filter(({ hash }) => hash === row.hash),
      [before],
    );
    const opened = await anotherProcess().open(row);
    const after = (await storedBooks()).find(({ hash }) => hash === row.hash);
    assert.equal(after?.snapshot, opened.snapshot);
  });
});

describe('open markets', () => {
  it('take no more memory than they may, and the least lately used is closed first', async () => {
    const { rows } = await control.query(`select * from models where state = 'earlier' order by trained_on limit 1`);
    const { created_at: _, ...row } = rows[0];
    const versions = Array.from({ length: 5 }, (__, k) => `copy-${k}`);
    for (const version of versions) {
      const bytes = pack({ ...unpack<Model>(row.bytes), version });
      await insertModels(deps.control, [{ ...row, version, bytes, hash: hashOf(bytes), createdAt: deps.clock() }]);
    }
    models.forget();
    const copies = (await models.list()).filter(({ version }) => version.startsWith('copy-'));
    const { bytes } = await models.open(copies[0]);
    const bounded = anotherProcess({ config: { ...deps.config, openMarketsBytes: 3 * bytes + 1000 } });
    const first = await bounded.open(copies[0]);
    for (const copy of copies.slice(1)) {
      await bounded.open(copy);
      // Used all the time, it stays.
      assert.equal(await bounded.open(copies[0]), first);
      assert.ok(bounded.size().bytes <= 3 * bytes + 1000, JSON.stringify(bounded.size()));
    }
    assert.equal(bounded.size().models, 3);
    await Promise.all(copies.map((copy) => bounded.open(copy)));
    assert.ok(bounded.size().bytes <= 3 * bytes + 1000, JSON.stringify(bounded.size()));
    // One that is larger than all of them together is open while it is used.
    const tiny = anotherProcess({ config: { ...deps.config, openMarketsBytes: 1 } });
    assert.equal((await tiny.open(copies[0])).hash, copies[0].hash);
    assert.equal(tiny.size().models, 1);
    await control.query(`delete from models where version like 'copy-%'`);
    models.forget();
  });

  it('leave the event loop free while they are opened and made', async () => {
    for (const prepare of ['select 1', 'delete from model_books']) {
      await control.query(prepare);
      models.forget();
      const row = await currentRow();
      const opening = models.open(row);
      // A request may take longer than opening does, so the free turns of the event loop are counted.
      let turns = 0;
      const turn = async () => new Promise<'turn'>((resolve) => setImmediate(resolve, 'turn'));
      while ((await Promise.race([opening, turn()])) === 'turn') turns++;
      assert.ok(turns >= 10, `${prepare}: the event loop was free ${turns} times meanwhile`);
    }
  });
});
