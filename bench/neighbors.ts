// Looks up homes from one account while another sends each known heavy request as often as it may; the p99 of the lookups
// next to that of an idle service, measured before each. Both callers are threads with event loops of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { buildApp } from '../src/app.ts';
import type { Config } from '../src/base/config.ts';
import { open } from '../src/operate/open.ts';
import { prepareSandbox } from '../src/operate/prepare-sandbox.ts';
import { DEMO } from '../src/supply/sandbox/fixtures.ts';
import { drain } from '../src/worker.ts';
import { zip } from '../test/archives.ts';
import { ms, printTable } from './measure.ts';
import { send, type Errand, type Report, type Request } from './sender.ts';

const SECONDS = 10;
const IDLE_SECONDS = 5;
const HEAVY_AT_ONCE = 4;
const TARGET = { ratio: 3, p99Ms: 250 };
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const RELATION = '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>';
const LOOKUP: Request = { path: `/properties/lookup?address=${encodeURIComponent(DEMO.address)}` };

/** `npm run bench -- neighbors [word …]`: every heavy request, or those whose name has a word. */
export async function run(words: string[], config: Config): Promise<void> {
  const { deps, close } = await open(config);
  await prepareSandbox(deps, undefined, config.sandboxProperties);
  const { app } = await buildApp(deps);
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const caller = async (name: string) => {
    const contract = { sandboxRateLimitPerHour: 1_000_000 };
    const account = await createAccount(deps.control, deps.clock(), name, 'pro', { contract });
    const { secret } = await createKey(deps, account.id, { name, mode: 'test', scopes: [...SCOPES] });
    return { origin, secret };
  };
  const [neighbor, heavy] = [await caller('neighbor'), await caller('heavy')];
  const rows: (string | number)[][] = [];
  const compare = async (name: string, begin: () => () => Promise<string>) => {
    const idle = await timeLookups(neighbor, IDLE_SECONDS);
    const end = begin();
    // What is made once, a thread or a statement's plan, is made before it counts.
    await sleep(1_000);
    const beside = await timeLookups(neighbor, SECONDS);
    const figures = [idle.p99, beside.p50, beside.p99].map(ms);
    rows.push([name, ...figures, (beside.p99 / idle.p99).toFixed(1), ms(beside.heldUpMs), beside.busy, await end()]);
    console.log(`${rows.at(-1)!.join(' | ')}`);
  };
  await timeLookups(neighbor, IDLE_SECONDS);
  await compare('nothing', () => async () => '');
  await compare('two programs that only count', burnCores);
  for (const [name, request] of await heavyRequests(heavy, () => drain(deps, ['watchlists']))) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    await compare(name, () => {
      const finish = start({ ...heavy, request, atOnce: HEAVY_AT_ONCE });
      return async () => {
        const { statuses, times } = await finish();
        const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
        return `${answers} in ${ms(percentile(times, 0.5))} ms`;
      };
    });
  }
  printTable(
    `Lookups beside heavy requests (target ≤ ${TARGET.ratio} × idle, ≤ ${TARGET.p99Ms} ms)`,
    ['another account sends', 'idle p99', 'p50 ms', 'p99 ms', '× idle', 'held up', 'loop', 'its answers'],
    rows,
  );
  await app.close();
  await close();
}

/** Begins to send; the returned function ends it. */
function start(errand: Errand): () => Promise<Report> {
  const worker = new Worker(new URL('./sender.ts', import.meta.url), { workerData: errand });
  const report = once(worker, 'message') as Promise<[Report]>;
  return async () => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage('stop');
    const [said] = await report;
    await worker.terminate();
    return said;
  };
}

/** Latencies, the longest 1% of the time for which the service's event loop came late, and how busy it was. */
async function timeLookups(caller: Pick<Errand, 'origin' | 'secret'>, seconds: number) {
  const finish = start({ ...caller, request: LOOKUP, atOnce: 1 });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = performance.eventLoopUtilization();
  delay.enable();
  await sleep(seconds * 1_000);
  delay.disable();
  const { utilization } = performance.eventLoopUtilization(before);
  const { times } = await finish();
  return {
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    heldUpMs: delay.percentile(99) / 1e6,
    busy: `${Math.round(100 * utilization)}%`,
  };
}

const percentile = (times: number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)];

/** What a machine without a free core does to the lookups, whoever took the cores. */
function burnCores(): () => Promise<string> {
  const programs = [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  return async () => {
    for (const program of programs) program.kill('SIGKILL');
    return '';
  };
}

async function heavyRequests(
  caller: Pick<Errand, 'origin' | 'secret'>,
  fillWatchlists: () => Promise<unknown>,
): Promise<[name: string, request: Request][]> {
  const bomb = zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': RELATION,
    'xl/sharedStrings.xml': `<sst>${'<si><t>a</t></si>'.repeat(3_500_000)}</sst>`,
    'xl/worksheets/sheet1.xml': '<worksheet><row r="1"><c t="s"><v>0</v></c></row></worksheet>',
  });
  const csv = `address\n"${'a'.repeat(15_000_000)}"\n`;
  const json = `{"items":[${'{"address":"1 A St"},'.repeat(700_000)}{}]}`;
  const submit = (type: string, body: string | Buffer): Request => ({ path: '/batches', method: 'POST', type, body });
  const post = (path: string, body: object): Request => ({
    path,
    method: 'POST',
    type: 'application/json',
    body: JSON.stringify(body),
  });
  const { headers } = await send(caller, post('/watchlists', { name: 'All', filter: { state: ['ZZ'] } }));
  const location = headers.get('location');
  const portfolio = `${location?.replace('/api/v1', '')}/portfolio`;
  await fillWatchlists();
  const ring = Array.from({ length: 500 }, (_, i) => {
    const angle = (i / 499) * 2 * Math.PI;
    return [-100 + 30 * Math.cos(angle), 40 + 15 * Math.sin(angle)];
  });
  const polygon = {
    geometry: { type: 'Polygon', coordinates: [[...ring.slice(0, -1), ring[0]]] },
    include_total: true,
  };
  return [
    ['an XLSX bomb of 60 MB', submit(XLSX, bomb)],
    ['15 MB of CSV in a cell', submit('text/csv', csv)],
    ['15 MB of JSON', submit('application/json', json)],
    ['the portfolio of every home', { path: portfolio }],
    ['a polygon with its total', post('/properties/search', polygon)],
    ['a PDF about quality', { path: '/avm/quality?market=sandbox&format=pdf' }],
    ['valuations', post('/avm/estimate', { property: { id: DEMO.property_id } })],
  ];
}
