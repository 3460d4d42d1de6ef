// `npm run bench -- open [mix]`: how long a market takes to open and what it takes of the memory, made from its sales as
// well as read from its book; then 3,000 markets that share the memory of one process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { Sale } from '../src/insight/avm/attributes.ts';
import { appraise, readHome } from '../src/insight/avm/appraise.ts';
import { openBookInSlices } from '../src/insight/avm/evidence.ts';
import type { Model } from '../src/insight/avm/model.ts';
import { MODEL_HEADER, unpack } from '../src/insight/avm/pack.ts';
import { BOOK_FORMAT, packBook } from '../src/insight/avm/packed-book.ts';
import { openSaleBuffer } from '../src/insight/avm/sales.ts';
import type { Config } from '../src/base/config.ts';
import type { Deps } from '../src/base/deps.ts';
import { open, type Opened } from '../src/operate/open.ts';
import { chooseComparables } from '../src/insight/valuations/grid/comparables.ts';
import { createOpenModels, type OpenModel } from '../src/insight/valuations/open-models.ts';
import { findModelBytes } from '../src/insight/valuations/model-sql.ts';
import { gridOptions } from '../src/insight/valuations/valuations.ts';
import { ms, printTable } from './measure.ts';
import { BENCH_MARKET, seededRandom } from './synthetic.ts';
import { prepareMarket } from './valuation-speed.ts';

const MARKETS = 3000;
/** Homes of the counties by rank, from the largest on; those in between lie on straight lines of the logarithms. */
const HOMES: [rank: number, homes: number][] = [
  [1, 1_000_000],
  [10, 1_000_000],
  [100, 260_000],
  [500, 62_000],
  [1000, 27_000],
  [1500, 14_000],
  [2000, 8_000],
  [2500, 4_500],
  [3000, 1_000],
];
/** Five years at four sales a year of a hundred homes. */
const SALES_PER_HOME = 0.2;
/** Sales of the books that stand for the markets of about their size. */
const CLASSES = [250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 200_000];
/** How long a caller stays in a market, on average, and how many calls are made. */
const MIXES = [
  { name: 'calls anywhere', stay: 1, calls: 200 },
  { name: 'callers stay for 20 calls', stay: 20, calls: 1500 },
  { name: 'callers stay for 100 calls', stay: 100, calls: 3000 },
];
const GIGABYTES = [1, 4];
const AT_ONCE = 8;

export async function run(args: string[], config: Config): Promise<void> {
  if (args[0] === 'alone') return openAlone(config, args[1]);
  const home = await prepareOnce(config);
  if (args[0] !== 'mix')
    for (const way of ['from its sales', 'from its book', 'from its book']) await inProcessOfItsOwn(home, way);
  await measureMix(config, home);
}

async function prepareOnce(config: Config): Promise<string> {
  const { deps, close } = await prepareMarket(config, 1_000_000, 500_000);
  await close();
  return deps.config.home;
}

/** What a market adds to a process shows in one that does nothing else. */
async function inProcessOfItsOwn(home: string, way: string): Promise<void> {
  const bench = fileURLToPath(new URL('./bench.ts', import.meta.url));
  const child = spawn(process.execPath, [bench, 'open', 'alone', way], {
    env: { ...process.env, PLATBOOK_HOME: home },
    stdio: 'inherit',
  });
  await once(child, 'exit');
}

async function openAlone(config: Config, way: string): Promise<void> {
  const { deps, close } = await open({ ...config, logLevel: 'silent', statementTimeoutMs: 600_000 });
  const row = (await deps.models.list()).find(({ market, state }) => market === BENCH_MARKET && state === 'current')!;
  if (way === 'from its sales') await deps.control.query('delete from model_books where hash = $1', [row.hash]);
  const before = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  const stall = monitorEventLoopDelay({ resolution: 5 });
  stall.enable();
  const started = performance.now();
  const { book, bytes } = await deps.models.open(row);
  const seconds = (performance.now() - started) / 1000;
  stall.disable();
  const { user, system } = process.cpuUsage(cpu);
  const { rss } = process.memoryUsage();
  console.log(
    `${book.sales.length.toLocaleString('en')} sales opened ${way}: ${seconds.toFixed(2)} s (${((user + system) / 1e6).toFixed(2)} s CPU), ` +
      `${Math.round((rss - before) / 1e6)} MB more, of which ${Math.round(bytes / 1e6)} MB book; event loop delay max ${ms(stall.max / 1e6)} ms`,
  );
  await close();
}

function homesOfRank(rank: number): number {
  const after = HOMES.findIndex(([at]) => at >= rank);
  const [[r1, h1], [r2, h2]] = [HOMES[Math.max(0, after - 1)], HOMES[after]];
  if (r1 === r2) return h2;
  return h1 * (h2 / h1) ** (Math.log(rank / r1) / Math.log(r2 / r1));
}

const classOf = (homes: number): number =>
  CLASSES.reduce((best, sales) =>
    Math.abs(Math.log(sales / (homes * SALES_PER_HOME))) < Math.abs(Math.log(best / (homes * SALES_PER_HOME)))
      ? sales
      : best,
  );

async function measureMix(config: Config, home: string): Promise<void> {
  const mixed = await prepareMix(config, home);
  const { deps } = mixed;
  const listing = performance.now();
  const rows = (await deps.models.list()).toSorted((a, b) => (a.market < b.market ? -1 : 1));
  console.log(`\n${rows.length} models listed in ${ms(performance.now() - listing)} ms`);
  const homes = rows.map((_, k) => homesOfRank(k + 1));
  const total = homes.reduce((sum, each) => sum + each, 0);
  const { rows: sums } = await deps.control.query('select sum(size) as bytes from model_books');
  console.log(`${Math.round(total / 1e6)} million homes, books of ${(Number(sums[0].bytes) / 1e9).toFixed(1)} GB`);
  const table: (string | number)[][] = [];
  for (const { name, ...mix } of MIXES)
    for (const gigabytes of GIGABYTES) {
      table.push([name, gigabytes, ...(await callMix(deps, { ...mix, rows, homes, gigabytes }))]);
      console.log(table.at(-1)!.join('  '));
    }
  printTable(
    `Valuations in ${MARKETS} markets, ${AT_ONCE} callers at a time`,
    [
      'mix',
      'OPEN_MARKETS GB',
      'in memory',
      'p50 ms',
      'p99 ms',
      'of opened p50 ms',
      'p99 ms',
      'open at the end',
      'RSS MB',
    ],
    table,
  );
  await mixed.close();
}

type Mix = {
  rows: Awaited<ReturnType<Deps['models']['list']>>;
  homes: number[];
  stay: number;
  calls: number;
  gigabytes: number;
};

async function callMix(deps: Deps, { rows, homes, stay, calls, gigabytes }: Mix): Promise<(string | number)[]> {
  const models = createOpenModels({ ...deps, config: { ...deps.config, openMarketsBytes: gigabytes * 1e9 } });
  const random = seededRandom(5);
  const ends = homes.map(
    (
      (sum) => (each: number) =>
        (sum += each)
    )(0),
  );
  const pick = (): number => {
    const at = random() * ends[ends.length - 1];
    return ends.findIndex((end) => end > at);
  };
  let left = calls;
  const [times, opened]: [number[], number[]] = [[], []];
  const seen = new WeakSet<OpenModel>();
  const caller = async (): Promise<void> => {
    let market = pick();
    while (left-- > 0) {
      if (random() < 1 / stay) market = pick();
      const started = performance.now();
      const open = await models.open(rows[market]);
      valueOne(open, random);
      const time = performance.now() - started;
      times.push(time);
      if (!seen.has(open)) opened.push(time);
      seen.add(open);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  const of = (list: number[], share: number): string =>
    ms(list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? 0);
  const { models: count } = models.size();
  return [
    `${((100 * (times.length - opened.length)) / times.length).toFixed(1)}%`,
    of(times, 0.5),
    of(times, 0.99),
    of(opened, 0.5),
    of(opened, 0.99),
    count,
    Math.round(process.memoryUsage().rss / 1e6),
  ];
}

function valueOne({ model, book }: OpenModel, random: () => number): void {
  const i = Math.floor(random() * book.sales.length);
  const reading = readHome(model, book, book.sales.at(i), book.evidence.soldDay[i]);
  chooseComparables({ model, book, reading, appraisal: appraise(model, reading) }, gridOptions());
}

/** A database with books of every class, each of which stands for all the markets of about its size. */
async function prepareMix(config: Config, home: string): Promise<Opened> {
  const mixed = await open({
    ...config,
    home: join(tmpdir(), 'platbook-bench-markets'),
    logLevel: 'silent',
    statementTimeoutMs: 600_000,
  });
  const { control } = mixed.deps;
  const { rows } = await control.query(`select to_regclass('class_chunks') as done`);
  if (rows[0].done !== null) return mixed;
  const big = await open({ ...config, home, logLevel: 'silent', statementTimeoutMs: 600_000 });
  const row = (await big.deps.models.list()).find(
    ({ market, state }) => market === BENCH_MARKET && state === 'current',
  )!;
  const model = unpack<Model>((await findModelBytes(big.deps.control, row.hash))!);
  const { book, card } = await big.deps.models.open(row);
  const byCounty = Array.from({ length: book.sales.length }, (_, i) => i).toSorted((a, b) =>
    book.sales.at(a).propertyId < book.sales.at(b).propertyId ? -1 : 1,
  );
  await control.query('create table class_chunks as select *, 0::bigint as size from model_book_chunks with no data');
  for (const sales of CLASSES) {
    const { size, pieces } = await packOf(
      model,
      byCounty.slice(0, sales).map((i) => book.sales.at(i)),
    );
    const whole = Buffer.concat(pieces);
    for (let first = 0; first < size; first += CHUNK_BYTES)
      await control.query('insert into class_chunks (hash, number, bytes, size) values ($1, $2, $3, $4)', [
        String(sales),
        first / CHUNK_BYTES,
        await promisify(zstdCompress)(whole.subarray(first, first + CHUNK_BYTES)),
        size,
      ]);
    console.log(`book of ${sales.toLocaleString('en')} sales: ${(size / 1e6).toFixed(1)} MB`);
  }
  await big.close();
  // Thousands of books of their own would fill the disk: a book is read from the chunks of its class.
  await control.query(
    `drop table model_book_chunks;
     alter table class_chunks alter column bytes set storage external;
     create index on class_chunks (hash, number);
     create view model_book_chunks as
       select b.hash, c.number, c.bytes from model_books b join class_chunks c on c.hash = split_part(b.hash, '-', 2)`,
  );
  for (let rank = 1; rank <= MARKETS; rank++) {
    const market = `market-${String(rank).padStart(4, '0')}`;
    const hash = `${rank}-${classOf(homesOfRank(rank))}`;
    await control.query(
      `insert into models (version, market, state, trained_on, hash, card, bytes, created_at)
       values ($1, $1, 'current', '2026-01-01', $2, $3, $4, now())`,
      [market, hash, JSON.stringify(card), MODEL_HEADER],
    );
    await control.query(
      `insert into model_books (hash, snapshot, format, size, created_at)
       select $1, '0:0', $2, size, now() from class_chunks where hash = $3 limit 1`,
      [hash, BOOK_FORMAT, hash.split('-')[1]],
    );
  }
  await control.query('vacuum analyze class_chunks');
  return mixed;
}

const CHUNK_BYTES = 4 << 20;

async function packOf(model: Model, some: Sale[]) {
  const buffer = openSaleBuffer();
  for (const sale of some) buffer.put(sale);
  return packBook(model, await openBookInSlices(model, buffer.close()), new Map());
}
