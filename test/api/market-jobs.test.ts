// Loads and trainings that any number of workers take: each is done once, and none is lost with its worker.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describe, it } from 'node:test';
import { announceCatalog } from '../../src/base/db/catalog-news.ts';
import { JobLost, submitJobs, workOnJob, workUntilDone } from '../../src/base/jobs/jobs.ts';
import { type JobRow, listJobs } from '../../src/base/jobs/sql.ts';
import { createCatalog } from '../../src/records/markets/catalog.ts';
import { performApart } from '../../src/operate/perform-apart.ts';
import { MARKET } from '../../src/supply/sandbox/geography.ts';
import { valueMarket } from '../../src/insight/valuations/bulk.ts';
import { drain } from '../../src/worker.ts';
import { testDeps } from '../harness.ts';
import { until } from '../until.ts';

const deps = await testDeps();
const ended = async (ids: string[]) =>
  (await listJobs(deps.control, ids)).map(({ subject, state, result }) => [subject, state, result]);

describe('jobs on markets', () => {
  it('are shared by all who work on them, each done once', async () => {
    const subjects = Array.from({ length: 12 }, (_, n) => `market-${String(n).padStart(2, '0')}`);
    const ids = await submitJobs(deps, 'train', subjects, {});
    assert.deepEqual(await submitJobs(deps, 'train', subjects, {}), ids, 'a market is not queued twice');
    const done: string[] = [];
    const told: string[] = [];
    let running = 0;
    let most = 0;
    const perform = async ({ subject }: JobRow) => {
      most = Math.max(most, (running += 1));
      // Until the others are at work as well.
      await until(() => most === 3);
      running -= 1;
      done.push(subject);
      return `${subject} trained`;
    };
    const worker = async () => {
      while (await workOnJob(deps, perform));
    };
    const onEnd = ({ subject }: JobRow) => void told.push(subject);
    await Promise.all([worker(), worker(), workUntilDone(deps, { ids, perform, onEnd })]);
    assert.deepEqual(done.toSorted(), subjects);
    assert.deepEqual(told.toSorted(), subjects, 'whoever asked hears of all of them');
  });

  it('that fail say why, and do not keep the others', async () => {
    const ids = await submitJobs(deps, 'train', ['poor', 'rich'], {});
    const perform = async ({ subject }: JobRow) => {
      if (subject === 'poor') throw new Error('Too few sales.\nat line 7');
      return 'published';
    };
    await workUntilDone(deps, { ids, perform, onEnd: () => {} });
    assert.deepEqual((await ended(ids)).toSorted(), [
      ['poor', 'failed', 'Too few sales.'],
      ['rich', 'done', 'published'],
    ]);
  });

  it('are taken over when a worker is lost, three times at most; one that we stop does not count', async () => {
    const ids = await submitJobs(deps, 'train', ['unlucky'], {});
    let tries = 0;
    const lose = (isOurs: boolean) =>
      workOnJob(deps, async () => {
        tries += 1;
        throw new JobLost('The process that did this ended with SIGKILL.', isOurs);
      });
    for (let n = 0; n < 5; n++) assert.equal(await lose(true), true);
    for (let n = 0; n < 3; n++) assert.equal(await lose(false), true);
    assert.equal(await lose(false), false);
    assert.equal(tries, 8);
    assert.deepEqual(await ended(ids), [['unlucky', 'failed', 'The process that did this ended with SIGKILL.']]);
  });

  it('of a worker that vanished are free again when its lease is over', async () => {
    const ids = await submitJobs(deps, 'train', ['left'], {});
    deps.travel('2030-01-01T00:00:00Z');
    const hanging = Promise.withResolvers<string>();
    const vanished = workOnJob(deps, () => hanging.promise);
    await until(async () => (await ended(ids))[0][1] === 'running');
    assert.equal(await workOnJob(deps, async () => 'too early'), false);
    deps.travel('2030-01-01T00:01:00Z');
    assert.equal(await workOnJob(deps, async () => 'by another'), true);
    hanging.resolve('after all');
    await vanished;
    assert.deepEqual(await ended(ids), [['left', 'done', 'by another']], 'what it says after all is not heard');
  });

  it('about a folder are taken on its machine only', async () => {
    const ids = await submitJobs(deps, 'ingest', ['here', 'there'], { from: '/data', host: 'elsewhere' });
    assert.equal(await workOnJob(deps, async () => 'loaded'), false);
    await deps.control.query(
      `update market_jobs set options = options || $2 where subject = 'here' and id = any ($1)`,
      [ids, { host: hostname() }],
    );
    assert.equal(await workOnJob(deps, async () => 'loaded'), true);
    assert.deepEqual((await ended(ids)).toSorted(), [
      ['here', 'done', 'loaded'],
      ['there', 'waiting', null],
    ]);
    await deps.control.query('delete from market_jobs');
  });

  it('are done in processes of their own, by the worker and by a command, which hears how far it is', async () => {
    const byWorker = await submitJobs(deps, 'train', ['nowhere'], { force: true });
    await drain(deps, ['markets']);
    assert.match(String((await ended(byWorker))[0]), /^nowhere,failed,.*nowhere/);

    const ids = await submitJobs(deps, 'train', [MARKET], { force: true });
    const told: string[] = [];
    const tell = { report: (line: string) => void told.push(line), progress: () => void told.push('progress') };
    await workUntilDone(deps, {
      ids,
      perform: (job) => performApart({ config: deps.config, job }, { tell }),
      onEnd: () => {},
    });
    assert.match(String((await ended(ids))[0]), new RegExp(`^${MARKET},done,.* homes valued by`, 's'));
    assert.ok(told.includes('progress') && told.some((line) => line.startsWith('3 base trees')), told.join('\n'));
  });
});

describe('what is loaded', () => {
  it('is read again when a change is announced, and not before', async () => {
    const catalog = createCatalog(deps);
    await catalog.start();
    const first = await catalog.read();
    assert.equal(await catalog.read(), first);
    await deps.data.query(`update markets set description = 'Changed.' where id = $1`, [MARKET]);
    assert.equal(await catalog.read(), first);
    await announceCatalog(deps.data);
    await until(async () => (await catalog.read()).markets.get(MARKET)!.description === 'Changed.');
    await catalog.stop();
  });
});

describe('values of a market', () => {
  it('that did not change are not written again', async () => {
    await valueMarket(deps, MARKET);
    const read = async (table: string) =>
      (
        await deps.data.query<{ rows: string }>(
          `select string_agg(xmin::text, ',' order by fips, ctid) as rows from ${table}`,
        )
      ).rows[0].rows;
    const before = [await read('properties'), await read('property_values')];
    await valueMarket(deps, MARKET);
    assert.deepEqual([await read('properties'), await read('property_values')], before);
    await deps.data.query(
      `update properties set value_low = 1 where id = (select min(id) from properties where value_low is not null)`,
    );
    await valueMarket(deps, MARKET);
    const { rows } = await deps.data.query('select 1 from properties where value_low = 1');
    assert.deepEqual(rows, []);
  });
});
