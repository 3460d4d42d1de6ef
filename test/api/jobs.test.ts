// The job engine: each job is done once whatever happens to its workers, and schedules run on time, once, and again after
// an error.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describe, it } from 'node:test';
import { announceCatalog } from '../../src/base/db/catalog-news.ts';
import {
  JobLost,
  startJob,
  submitJobs,
  workOnJob,
  workUntilDone,
  type JobDefinition,
} from '../../src/base/jobs/jobs.ts';
import { listJobs, type Job, type JobProgress } from '../../src/base/jobs/sql.ts';
import { dailyAt, everyMinutes, hourlyAt, nextRun, registerSchedules } from '../../src/base/jobs/schedules.ts';
import { createCatalog } from '../../src/records/markets/catalog.ts';
import { MARKET } from '../../src/supply/sandbox/geography.ts';
import { valueMarket } from '../../src/insight/valuations/bulk.ts';
import { createJobs, drain, startWorker } from '../../src/worker.ts';
import { testDeps } from '../harness.ts';
import { until } from '../until.ts';

const deps = await testDeps({ TRAINING: 'tiny' });
const submit = (...markets: string[]) => submitJobs(deps, markets, { name: 'train', payload: {} });
const training = (run: JobDefinition<'train'>['run']) => ({ train: { attempts: 3, run } });
const ended = async (ids: string[]) =>
  (await listJobs(deps.control, ids)).map(({ subject, state, result, error }) => [subject, state, result ?? error]);

describe('jobs', () => {
  it('are shared by all who work on them, each done once', async () => {
    const subjects = Array.from({ length: 12 }, (_, n) => `market-${String(n).padStart(2, '0')}`);
    const ids = await submit(...subjects);
    assert.deepEqual(await submit(...subjects), ids, 'a market is not queued twice');
    const done: string[] = [];
    const heard: string[] = [];
    let running = 0;
    let most = 0;
    const jobs = training(async ({ subject }) => {
      most = Math.max(most, (running += 1));
      // Until the others are at work as well.
      await until(() => most === 3);
      running -= 1;
      done.push(subject);
      return { subject };
    });
    const worker = async () => {
      while (await workOnJob(deps, jobs));
    };
    const onEnd = ({ subject }: Job) => void heard.push(subject);
    await Promise.all([worker(), worker(), workUntilDone(deps, { ids, jobs, onEnd })]);
    assert.deepEqual(done.toSorted(), subjects);
    assert.deepEqual(heard.toSorted(), subjects, 'whoever asked hears of all of them');
  });

  it('that fail say why, and do not hold up the others', async () => {
    const ids = await submit('poor', 'rich');
    const jobs = training(async ({ subject }) => {
      if (subject === 'poor') throw new Error('Too few sales.');
      return { is_published: true };
    });
    await workUntilDone(deps, { ids, jobs, onEnd: () => {} });
    assert.deepEqual((await ended(ids)).toSorted(), [
      ['poor', 'failed', 'Too few sales.'],
      ['rich', 'done', { is_published: true }],
    ]);
  });

  it('are taken over when their process dies, three times at most; a worker that we stop does not count', async () => {
    const ids = await submit('unlucky');
    let tries = 0;
    const lose = (stopping?: AbortSignal) =>
      workOnJob(
        deps,
        training(async () => {
          tries += 1;
          throw new JobLost('The process that did this ended with SIGKILL.');
        }),
        { stopping },
      );
    for (let n = 0; n < 5; n++) assert.equal(await lose(AbortSignal.abort()), true);
    for (let n = 0; n < 3; n++) assert.equal(await lose(), true);
    assert.equal(await lose(), false);
    assert.equal(tries, 8);
    assert.deepEqual(await ended(ids), [['unlucky', 'failed', 'The process that did this ended with SIGKILL.']]);
  });

  it('of a worker that vanished are claimed by another when its lease ends, three times at most', async () => {
    const ids = await submit('left');
    deps.travel('2030-01-01T00:00:00Z');
    const hanging = Promise.withResolvers<object>();
    const vanish = async () =>
      (await startJob(
        deps,
        training(() => hanging.promise),
      ))!.ended;
    const vanished = [vanish()];
    await until(async () => (await ended(ids))[0][1] === 'running');
    const finish = (by: string) =>
      workOnJob(
        deps,
        training(async () => ({ by })),
      );
    assert.equal(await finish('nobody yet'), false);
    deps.travel('2030-01-01T00:02:00Z');
    assert.equal(await finish('another'), true);
    hanging.resolve({ by: 'the first, too late' });
    await Promise.all(vanished);
    assert.deepEqual(await ended(ids), [['left', 'done', { by: 'another' }]]);

    const always = await submit('always left');
    const lost = Promise.withResolvers<object>();
    for (let minute = 10; minute < 16; minute += 2) {
      deps.travel(`2030-01-01T00:${minute}:00Z`);
      await startJob(
        deps,
        training(() => lost.promise),
      );
    }
    deps.travel('2030-01-01T00:30:00Z');
    assert.equal(await finish('the fourth'), true);
    assert.match(String(await ended(always)), /^always left,failed,The server stopped while this was running/);
    lost.resolve({});
  });

  it('about a folder are claimed on its machine only', async () => {
    const ids = await submitJobs(deps, ['here', 'there'], { name: 'ingest', payload: { from: '/data' }, host: 'away' });
    const load = () => workOnJob(deps, { ingest: { attempts: 1, run: async () => ({ loaded: true }) } });
    assert.equal(await load(), false);
    await deps.control.query(`update jobs set host = $2 where subject = 'here' and id = any ($1)`, [ids, hostname()]);
    assert.equal(await load(), true);
    assert.deepEqual((await ended(ids)).toSorted(), [
      ['here', 'done', { loaded: true }],
      ['there', 'queued', null],
    ]);
    await deps.control.query('delete from jobs');
  });

  it('run in processes of their own, for the worker and for a command, which hears how far they are', async () => {
    const byWorker = await submit('nowhere');
    await drain(deps, ['markets']);
    assert.match(String((await ended(byWorker))[0]), /^nowhere,failed,.*nowhere/);

    const ids = await submitJobs(deps, [MARKET], { name: 'train', payload: { force: true } });
    const heard: Partial<JobProgress>[] = [];
    await workUntilDone(deps, {
      ids,
      jobs: createJobs(deps),
      reporterOf: () => (progress) => void heard.push(progress),
      onEnd: () => {},
    });
    const [job] = await listJobs(deps.control, ids);
    assert.equal(job.state, 'done', job.error ?? '');
    assert.ok(Number(job.result!.valued) > 0);
    assert.equal(job.progress!.phase, 'measuring quality');
    assert.ok(heard.some(({ share }) => share! > 0 && share! < 1));
    assert.ok(heard.some(({ phase }) => phase!.includes('base trees')));
  });
});

describe('schedules', () => {
  const at = (instant: string) => new Date(`2031-05-04T${instant}Z`);
  const first = (schedule: Parameters<typeof nextRun>[0], after: string) =>
    nextRun(schedule, at(after)).toISOString().slice(11, 19);

  it('are counted from midnight UTC', () => {
    assert.equal(first(everyMinutes(5), '10:00:00'), '10:05:00');
    assert.equal(first(everyMinutes(5), '10:04:59.999'), '10:05:00');
    assert.equal(first(hourlyAt(7), '10:06:59'), '10:07:00');
    assert.equal(first(hourlyAt(7), '10:07:00'), '11:07:00');
    assert.equal(first(dailyAt(3, 23), '00:00:00'), '03:23:00');
    assert.equal(nextRun(dailyAt(3, 23), at('03:23:00')).toISOString(), '2031-05-05T03:23:00.000Z');
  });

  const travel = (instant: string) => deps.travel(at(instant).toISOString());
  const row = async (subject: string) =>
    (
      await deps.control.query<{ state: string; run_at: Date; attempts: number; error: string | null }>(
        `select state, run_at, attempts, error from jobs where name = 'schedule' and subject = $1`,
        [subject],
      )
    ).rows[0];
  const runAt = async (subject: string) => (await row(subject)).run_at.toISOString().slice(11, 19);
  const tick = (run: () => Promise<void>, stopping?: AbortSignal) =>
    workOnJob(deps, { schedule: { ...createJobs(deps).schedule, run } }, { stopping });
  const register = (schedules: Parameters<typeof registerSchedules>[1]) =>
    registerSchedules(deps.control, schedules, deps.clock());

  it('run once after downtime, in one process, and then at their next time without drift', async () => {
    travel('10:01:17');
    await register({ sweep: everyMinutes(5) });
    let runs = 0;
    const sweep = async () => void (runs += 1);
    assert.equal(await tick(sweep), false, 'not due');
    travel('12:33:20');
    await register({ sweep: everyMinutes(5) });
    assert.equal(await runAt('sweep'), '10:05:00', 'a worker that starts does not skip what is due');
    const ticks = await Promise.all([tick(sweep), tick(sweep), tick(sweep)]);
    assert.deepEqual(ticks.toSorted(), [false, false, true]);
    assert.deepEqual([runs, await runAt('sweep')], [1, '12:35:00']);
    travel('12:35:44');
    assert.equal(await tick(sweep), true);
    assert.equal(await runAt('sweep'), '12:40:00');
  });

  it('that fail are tried again after a wait that doubles, then at their next time', async () => {
    travel('13:00:00');
    await register({ sweep: hourlyAt(0) });
    assert.equal(await row('gone'), undefined);
    travel('14:00:00');
    const fail = async () => Promise.reject(new Error('away'));
    const waits: string[] = [];
    for (const instant of ['14:00:00', '14:00:10', '14:00:30']) {
      travel(instant);
      assert.equal(await tick(fail), true, instant);
      assert.equal(await tick(fail), false, 'not before its wait is over');
      waits.push(await runAt('sweep'));
    }
    assert.deepEqual(waits, ['14:00:10', '14:00:30', '15:00:00']);
    const { state, attempts, error } = await row('sweep');
    assert.deepEqual([state, attempts, error], ['queued', 0, 'away']);
  });

  it('are released when their worker stops, claimed when it dies, and changed or deleted when a worker starts', async () => {
    travel('15:00:01');
    assert.equal(await tick(async () => Promise.reject(new Error('closing')), AbortSignal.abort()), true);
    assert.equal(await runAt('sweep'), '15:00:00');
    const hanging = Promise.withResolvers<void>();
    const { schedule } = createJobs(deps);
    const dead = await startJob(deps, { schedule: { ...schedule, run: () => hanging.promise } });
    assert.equal(await tick(async () => {}), false);
    travel('15:02:00');
    assert.equal(await tick(async () => {}), true);
    assert.equal(await runAt('sweep'), '16:00:00');
    travel('16:00:00');
    const other = await startJob(deps, { schedule: { ...schedule, run: async () => hanging.promise } });
    hanging.resolve();
    await Promise.all([dead!.ended, other!.ended]);
    assert.equal(await runAt('sweep'), '17:00:00', 'whoever lost the lease cannot end what another has claimed');

    await register({ other: hourlyAt(30), sweep: hourlyAt(20) });
    assert.equal(await runAt('sweep'), '16:20:00');
    await register({ other: hourlyAt(30) });
    assert.equal(await row('sweep'), undefined);
  });

  it('are registered and run by a worker, which counts every run', async () => {
    travel('18:00:30');
    const worker = await startWorker(deps);
    try {
      assert.equal(await runAt('start-exports'), '18:01:00');
      travel('18:01:05');
      await until(async () => (await runAt('start-exports')) === '18:02:00');
      const { rows } = await deps.control.query(
        `select value from measurements where name = 'platbook_job_runs_total'
           and labels = '{"job": "start-exports", "outcome": "succeeded"}'`,
      );
      assert.deepEqual(rows, [{ value: 1 }]);
    } finally {
      await worker.stop();
    }
    const { rows } = await deps.control.query(`select 1 from jobs where state = 'running'`);
    assert.deepEqual(rows, [], 'a worker that stopped holds nothing');
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
