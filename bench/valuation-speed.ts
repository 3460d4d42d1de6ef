// Valuations at scale through HTTP: 1,000,000 properties and 500,000 sales, next to the bare SQL they need.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import type { KeyMode } from '../src/customers/accounts/key-format.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { buildApp } from '../src/app.ts';
import type { Config } from '../src/base/config.ts';
import { inTransaction, type Pool } from '../src/base/db/postgres.ts';
import type { Deps } from '../src/base/deps.ts';
import { dayNumber, isoDate } from '../src/base/lib/clock.ts';
import { randomId } from '../src/base/lib/ids.ts';
import { open, type Opened } from '../src/operate/open.ts';
import { getProperty } from '../src/records/properties/properties.ts';
import { bookEvents } from '../src/customers/usage/booking.ts';
import { insertRequests, type RequestRow } from '../src/customers/usage/journal-sql.ts';
import { admit } from '../src/customers/usage/sql.ts';
import { openFitThreads } from '../src/insight/training/fit/fits.ts';
import { standard } from '../src/insight/training/parameters.ts';
import { makeModels } from '../src/insight/training/training.ts';
import { appraise, readHome } from '../src/insight/avm/appraise.ts';
import { chooseComparables } from '../src/insight/valuations/grid/comparables.ts';
import { buildAdjustments } from '../src/insight/valuations/grid/grid.ts';
import { quantilesOf } from '../src/insight/avm/interval.ts';
import { insertModels } from '../src/insight/valuations/model-sql.ts';
import { modelFor, readSales, type OpenModel } from '../src/insight/valuations/open-models.ts';
import { hashOf, pack } from '../src/insight/avm/pack.ts';
import { attributesOf } from '../src/insight/valuations/records.ts';
import { predictTrees } from '../src/insight/avm/trees.ts';
import { findReceipt, insertReceipts, type ReceiptRow } from '../src/insight/valuations/model-sql.ts';
import { VALUED_TYPES } from '../src/insight/valuations/sql.ts';
import { estimate, gridOptions, hasModel } from '../src/insight/valuations/valuations.ts';
import { valueMarket } from '../src/insight/valuations/bulk.ts';
import type { Load, LoadResult } from './load-thread.ts';
import { ms, printTable } from './measure.ts';
import { BENCH_MARKET, fillSynthetic } from './synthetic.ts';

/** As many trees as a real market's model; they learn from every 50th sale only, but all sales are evidence. */
const PARAMETERS = { ...standard, folds: 2, retrainDays: Infinity, missingSample: 20 };
const LEARN_FROM = 50;
const WARM_UP = 2000;
/** Connections, and how many homes they request. */
const LOADS = [
  [1, 2000],
  [8, 5000],
  [32, 5000],
];

export async function measureSpeed(config: Config, properties = 1_000_000, sales = 500_000): Promise<void> {
  const { deps, close } = await prepareMarket(config, properties, sales);
  const market = await measureOpening(deps);
  const { rows } = await deps.data.query<{ id: string }>(
    `select id from properties where property_type = any ($1) and status = 'active' order by md5(id) limit 14000`,
    [VALUED_TYPES],
  );
  const ids = rows.map(({ id }) => id);
  await measureRequests(
    deps,
    ids,
    `${properties.toLocaleString('en')} properties, ${sales.toLocaleString('en')} sales`,
  );
  await measureSteps(deps, market, ids.slice(0, 1500));
  await measureBulk(deps);
  await close();
}

export async function prepareMarket(config: Config, properties: number, sales: number): Promise<Opened> {
  const home = join(tmpdir(), `platbook-bench-valuation-${properties}`);
  const opened = await open({ ...config, home, logLevel: 'silent', statementTimeoutMs: 600_000 });
  const { deps } = opened;
  await fillSynthetic(deps.data, properties);
  await fillSales(deps.data, sales);
  if (!(await hasModel(deps, BENCH_MARKET))) await publishModel(deps);
  return opened;
}

/** As in a new process: reads the sales and evaluates the model on them. */
async function measureOpening(deps: Deps): Promise<OpenModel> {
  deps.models.forget();
  const started = performance.now();
  const stall = monitorEventLoopDelay({ resolution: 10 });
  stall.enable();
  const model = modelFor(await deps.models.list(), BENCH_MARKET, dayNumber(isoDate(new Date())))!;
  const market = await deps.models.open(model);
  stall.disable();
  const [seconds, megabytes] = [(performance.now() - started) / 1000, process.memoryUsage().rss / 1e6];
  console.log(
    `${market.book.sales.length.toLocaleString('en')} sales opened in ${seconds.toFixed(1)} s, ${Math.round(megabytes)} MB; event loop delay p99 ${ms(stall.percentile(99) / 1e6)} ms, max ${ms(stall.max / 1e6)} ms`,
  );
  return market;
}

async function measureRequests(deps: Deps, ids: string[], size: string): Promise<void> {
  const account = await createAccount(deps.control, new Date(), 'Bench', 'enterprise', {
    contract: { rateLimitPerHour: 100_000_000 },
  });
  const { secret } = await createKey(deps, account.id, { name: 'bench', mode: 'live', scopes: [...SCOPES] });
  const { app } = await buildApp(deps);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const send = (some: string[], connections: number): Promise<LoadResult> =>
    sendLoad({
      url: `http://127.0.0.1:${port}/api/v1/avm/estimate`,
      key: secret,
      bodies: some.map((id) => JSON.stringify({ property: { id } })),
      connections,
    });
  // Every home is requested once, so records come from PostgreSQL's cache or from the disk.
  const left = ids.values();
  await send(left.take(WARM_UP).toArray(), 8);
  const rows: (string | number)[][] = [];
  for (const [connections, count] of LOADS) {
    const some = left.take(count).toArray();
    const ours = await withCpu(() => send(some, connections));
    const bare = await withCpu(() => sendBareSql(deps, some, connections));
    const booked = await withCpu(() => sendBareSql(deps, some, connections, { accountId: account.id }));
    for (const [name, sent] of [
      ['service', ours],
      ['its SQL: admission, record, receipt', bare],
      ['its SQL with the booking', booked],
    ] as const) {
      const [rate, p99] = [ours.seconds / sent.seconds, quantile(ours.times, 0.99) / quantile(sent.times, 0.99)];
      const ratios = sent === ours ? ['', ''] : [(1 / rate).toFixed(2), p99.toFixed(2)];
      const [perSecond, cpu] = [Math.round(count / sent.seconds), ms(sent.cpuMs / count)];
      rows.push([connections, name, ...quantiles(sent.times), perSecond, cpu, ...ratios]);
    }
    if (ours.failures > 0) console.log(`${ours.failures} of ${count} were not answered with 200`);
  }
  printTable(
    `POST /avm/estimate at ${size}`,
    ['connections', '', 'p50 ms', 'p99 ms', 'a second', 'CPU ms each', 'service ÷ SQL', 'p99 ÷ SQL'],
    rows,
  );
  await app.close();
}

/** The statements of a valuation and nothing else, as many at once as there are connections; with an account, also the
    transaction that books the call, as one call alone has it booked. */
export async function sendBareSql(
  deps: Deps,
  ids: string[],
  connections: number,
  { mode = 'live', accountId }: { mode?: KeyMode; accountId?: string } = {},
): Promise<{ seconds: number; times: Float64Array }> {
  const receipt = await findAnyReceipt(deps);
  const times = new Float64Array(ids.length);
  const started = performance.now();
  const left = ids.entries();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const [i, id] of left) {
        const sent = performance.now();
        await admit(deps.control, deps.clock(), [ADMISSION]);
        await getProperty(deps, mode, id);
        await insertReceipts(deps.control, [{ ...receipt, id: randomId('val') }]);
        if (accountId !== undefined) await bookOne(deps, accountId);
        times[i] = performance.now() - sent;
      }
    }),
  );
  return { seconds: (performance.now() - started) / 1000, times };
}

async function bookOne(deps: Deps, accountId: string): Promise<void> {
  const now = deps.clock();
  const [id, route] = [randomId('bench'), '/api/v1/avm/estimate'];
  const common = { account_id: accountId, key_id: null, meter: 'avm', units: 1, request_id: id, route } as const;
  const request = { ...common, mode: 'live', at: now, method: 'POST', status: 200, duration_ms: 1, error_code: null };
  await inTransaction(deps.control, async (client) => {
    await bookEvents(client, [{ ...common, id, period_start: START_OF_PERIOD, happened_at: now }], now);
    await insertRequests(client, [request as RequestRow]);
  });
}

/** A month of its own, so that nothing else is counted in it. */
const START_OF_PERIOD = new Date('2001-01-01T00:00:00Z');

const LIMIT = { name: 'hourly', subject: 'bench', amount: 100_000_000, windowSeconds: 3_600 };
const ADMISSION = { n: 0, limits: [LIMIT], hold: null };

async function findAnyReceipt(deps: Deps): Promise<ReceiptRow> {
  const { rows } = await deps.control.query<{ id: string }>('select id from valuations limit 1');
  return (await findReceipt(deps.control, rows[0].id))!;
}

async function measureBulk(deps: Deps): Promise<void> {
  const bulk = await valueMarket(deps, BENCH_MARKET);
  console.log(
    `\nbulk: ${bulk.valued.toLocaleString('en')} homes valued and written in ${bulk.seconds} s, ${Math.round(bulk.valued / bulk.seconds).toLocaleString('en')} per second`,
  );
}

/** Half of the homes, sold in the last three years at about their value. */
async function fillSales(data: Pool, count: number): Promise<void> {
  const { rows } = await data.query<{ n: string }>('select count(*) as n from transactions');
  if (Number(rows[0].n) === count) return;
  await data.query('truncate transactions');
  // A hash of the id instead of a random generator, for the same sales on every machine.
  const share = (salt: string): string => `(('x' || substr(md5(id || '${salt}'), 1, 7))::bit(28)::int / 268435456.0)`;
  await data.query(
    `insert into transactions (fips, property_id, id, market, type, sale_date, date_precision, price, arms_length, known_on, source_id, load_id, loaded_at)
     select fips, id, 'txn_' || substr(id, 6), market, 'deed', sold, 'day', value * exp(0.25 * (${share('p')} - 0.5)), true, sold, 'bench', 1, now()
     from (select *, current_date - 20 - (1080 * ${share('d')})::int as sold
           from properties where property_type = any ($1) order by md5(id || 's') limit $2) homes`,
    [VALUED_TYPES, count],
  );
  await data.query('vacuum analyze transactions');
}

async function publishModel(deps: Deps): Promise<void> {
  const sales = await readSales(deps, BENCH_MARKET);
  const some = sales.filter((_, i) => i % LEARN_FROM === 0);
  console.log(`training on ${some.length} of ${sales.length} synthetic sales …`);
  const threads = openFitThreads(2);
  const { current, card } = await makeModels({ market: BENCH_MARKET, parameters: PARAMETERS, run: threads.run }, some);
  await threads.close();
  const bytes = pack(current);
  const { market, version } = current;
  const row = { version, market, state: 'current' as const, trained_on: card.trainedOn, hash: hashOf(bytes), card };
  await insertModels(deps.control, [{ ...row, bytes, createdAt: deps.clock() }]);
  deps.models.forget();
}

export function sendLoad(load: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    new Worker(new URL('./load-thread.ts', import.meta.url), { workerData: load })
      .once('message', resolve)
      .once('error', reject);
  });
}

/** On a busy machine, CPU time of the service's thread says more than elapsed time. */
async function withCpu<Result>(work: () => Promise<Result>): Promise<Result & { cpuMs: number }> {
  const before = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(before);
  return { ...result, cpuMs: (user + system) / 1000 };
}

const quantile = (times: Float64Array, share: number): number => times.toSorted()[Math.floor(times.length * share)];

function quantiles(times: Float64Array): [string, string] {
  return [ms(quantile(times, 0.5)), ms(quantile(times, 0.99))];
}

/** The steps of one valuation, one after the other on this thread. */
async function measureSteps(deps: Deps, market: OpenModel, ids: string[]): Promise<void> {
  const { model, book } = market;
  const day = dayNumber(isoDate(new Date()));
  const steps = new Map<string, number[]>();
  const time = async <Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> => {
    const started = performance.now();
    const result = await work();
    const times = steps.get(name);
    if (times) times.push(performance.now() - started);
    else steps.set(name, [performance.now() - started]);
    return result;
  };
  const receipt = await findAnyReceipt(deps);
  for (const id of ids) {
    await time('SQL: admission', () => admit(deps.control, deps.clock(), [ADMISSION]));
    const { row } = await time('SQL: record', () => getProperty(deps, 'live', id));
    const home = { attributes: attributesOf(row), propertyId: id };
    const reading = await time('neighbors and features', () => readHome(model, book, home, day));
    const appraisal = await time('model (three sets of trees)', () => appraise(model, reading));
    await time('  of which one set of trees', () => predictTrees(model.base, reading.row));
    await time('interval', () =>
      quantilesOf(market.calibrationOn(day), { ...appraisal, type: row.property_type }, 0.8),
    );
    await time('comparables and grid', () =>
      buildAdjustments(model, reading, chooseComparables({ model, book, reading, appraisal }, gridOptions()).sales),
    );
    await time('SQL: receipt', () => insertReceipts(deps.control, [{ ...receipt, id: randomId('val') }]));
    const asker = { mode: 'live' as const, accountId: receipt.account_id };
    await time('everything except HTTP and admission', () => estimate(deps, asker, { property: { id } }));
  }
  printTable(
    'One valuation, step by step',
    ['step', 'p50 ms', 'p99 ms'],
    [...steps].map(([name, times]) => [name, ...quantiles(Float64Array.from(times))]),
  );
}
