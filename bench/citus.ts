// The service on Citus beside the same PostgreSQL without it, taking turns call by call: `npm run bench -- citus [properties]`.
// TEST_CITUS_URL names a database on a coordinator that knows its workers; the plain database is made on its server too.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { buildApp } from '../src/app.ts';
import { distributeTables } from '../src/base/db/distribution.ts';
import { ingest } from '../src/supply/ingest/ingest.ts';
import { systemClock } from '../src/base/lib/clock.ts';
import { prepareSandbox } from '../src/operate/prepare-sandbox.ts';
import { createCitusDatabase, dropCitusDatabase } from '../test/citus.ts';
import { synthetic, writeRoll } from './ingest.ts';
import { ms, printTable } from './measure.ts';
import { BENCH_STATE, fillSynthetic } from './synthetic.ts';
import { openService } from './service.ts';

const SANDBOX_HOMES = 2_000;
const SIZE = 200_000;
const LOAD_ROWS = 30_000;
/** Both sides take turns, so that whatever else the machine does is shared. */
const COUNTIES_LOADED = [97_001, 97_002, 97_003];
const CALLS = 100;
const FIRST_CALLS = 10;
/** Enough that no answer is one that was just given. */
const HOMES = 60;

type Side = Awaited<ReturnType<typeof openSide>>;

export async function run(args: string[]): Promise<void> {
  const { TEST_CITUS_URL: cluster } = process.env;
  if (!cluster) return console.log('\nCitus: left out, because TEST_CITUS_URL names no coordinator.');
  const size = args.length > 0 ? Number(args[0]) : SIZE;
  const name = `platbook_bench_${process.pid}`;
  const plainUrl = new URL(cluster);
  plainUrl.pathname = `/${name}_plain`;
  const server = new pg.Client({ connectionString: cluster });
  await server.connect();
  await server.query(`create database ${name}_plain`);
  const citusUrl = await createCitusDatabase(cluster, name);
  const folder = mkdtempSync(join(tmpdir(), 'platbook-bench-citus-'));
  try {
    const plain = await openSide(plainUrl.href, { size, isSpread: false });
    const citus = await openSide(citusUrl, { size, isSpread: true });
    await compareReads(plain, citus);
    await compareLoads(plain, citus, folder);
    for (const side of [plain, citus]) await side.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await server.query(`drop database ${name}_plain with (force)`);
    await server.end();
    await dropCitusDatabase(cluster, name);
  }
}

async function openSide(url: string, { size, isSpread }: { size: number; isSpread: boolean }) {
  const { deps, close: closeDatabase } = await openService(url);
  const { data, control } = deps;
  if (isSpread) await distributeTables(data, undefined);
  await fillSynthetic(data, size);
  await prepareSandbox(deps, undefined, SANDBOX_HOMES);
  await data.query('vacuum analyze');
  const account = await createAccount(control, new Date(), 'Bench', 'enterprise', {
    contract: { rateLimitPerHour: 100_000_000, sandboxRateLimitPerHour: 100_000_000 },
  });
  const keyOf = async (mode: 'live' | 'test') =>
    (await createKey(deps, account.id, { name: mode, mode, scopes: [...SCOPES] })).secret;
  const keys = { live: await keyOf('live'), test: await keyOf('test') };
  const { app } = await buildApp(deps);
  await app.ready();
  const call = async ({ mode, path, body }: Call) => {
    const answer = await app.inject({
      method: body ? 'POST' : 'GET',
      url: `/api/v1${path}`,
      headers: { 'x-api-key': keys[mode] },
      ...(body && { payload: body }),
    });
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${answer.payload}`);
    return answer.json();
  };
  const close = async () => {
    await app.close();
    await closeDatabase();
  };
  return { data, call, close };
}

interface Call {
  mode: 'live' | 'test';
  path: string;
  body?: object;
}

async function compareReads(plain: Side, citus: Side): Promise<void> {
  const sandbox = await listHomes(plain);
  const { rows } = await plain.data.query<{ id: string; fips: number; latitude: number; longitude: number }>(
    `select id, fips, latitude, longitude from properties where state = '${BENCH_STATE}' order by md5(id) limit 500`,
  );
  const home = (i: number) => sandbox[i % sandbox.length];
  const spot = (i: number) => rows[i % rows.length];
  const search = '/properties/search?limit=25';
  const floor = (i: number) => 100_000 + ((i * 7_919) % 200_000);
  const box = (i: number, half = 0.1) => {
    const { latitude, longitude } = spot(i);
    return [longitude - half, latitude - half, longitude + half, latitude + half].map((x) => x.toFixed(5)).join(',');
  };
  const cases: Record<string, (i: number) => Call> = {
    record: (i) => recordOf(home(i)),
    risk: (i) => riskOf(home(i)),
    address: (i) => addressOf(home(i)),
    valuation: (i) => valueOf(home(i)),
    'county search': (i) => ({
      mode: 'live',
      path: `${search}&fips=${spot(i).fips}&min_value=${floor(i)}&sort=value`,
    }),
    'state search': (i) => ({ mode: 'live', path: `${search}&state=${BENCH_STATE}&min_value=${floor(i)}&sort=value` }),
    'box search': (i) => ({ mode: 'live', path: `${search}&bbox=${box(i)}` }),
    'box search, by value': (i) => ({ mode: 'live', path: `${search}&bbox=${box(i)}&sort=-value` }),
  };
  const lines: (string | number)[][] = [];
  for (const [name, make] of Object.entries(cases)) {
    const times: [number[], number[]] = [[], []];
    for (let i = 0; i < CALLS + FIRST_CALLS; i++) {
      for (const [side, { call }] of [plain, citus].entries()) {
        const start = performance.now();
        await call(make(i));
        if (i >= FIRST_CALLS) times[side].push(performance.now() - start);
      }
    }
    const [without, spread] = times.map((list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]);
    lines.push([name, ms(without), ms(spread), (spread / without).toFixed(2)]);
  }
  printTable(`Reads, ${CALLS} of each`, ['call', 'PostgreSQL p50 ms', 'Citus p50 ms', 'ratio'], lines);
}

interface Home {
  id: string;
  address: { line1: string; city: string; state: string; zip: string };
}

const recordOf = ({ id }: Home): Call => ({
  mode: 'test',
  path: `/properties/${id}?include=transactions,assessments`,
});
const riskOf = ({ id }: Home): Call => ({ mode: 'test', path: `/properties/${id}/risk` });
const valueOf = ({ id }: Home): Call => ({ mode: 'test', path: '/avm/estimate', body: { property: { id } } });
const addressOf = (home: Home): Call => ({
  mode: 'test',
  path: `/properties/lookup?${new URLSearchParams({ address: lineOf(home) })}`,
});

/** Homes of the sandbox that answer as homes do: some are there to practice errors with. */
async function listHomes({ call }: Side): Promise<Home[]> {
  const { data } = await call({ mode: 'test', path: '/properties/search?limit=200&property_type=single_family' });
  const homes: Home[] = [];
  for (const home of data as Home[]) {
    const isPlain = await Promise.all([recordOf, riskOf, valueOf, addressOf].map((make) => call(make(home)))).then(
      () => true,
      () => false,
    );
    if (isPlain) homes.push(home);
    if (homes.length === HOMES) break;
  }
  return homes;
}

const lineOf = ({ address: { line1, city, state, zip } }: { address: Record<string, string> }) =>
  `${line1}, ${city}, ${state} ${zip}`;

/** First loads of counties into a data plane that holds others, then loads that find nothing new. */
async function compareLoads(plain: Side, citus: Side, folder: string): Promise<void> {
  const lines: (string | number)[][] = [];
  for (const fips of COUNTIES_LOADED) await writeRoll(join(folder, `roll-${fips}.csv`), LOAD_ROWS);
  for (const [name, ...ids] of [['first loads'], ['the same files again', 'unchanged']]) {
    const seconds = [0, 0];
    for (const fips of COUNTIES_LOADED) {
      const source = synthetic(fips);
      for (const [side, { data }] of [plain, citus].entries()) {
        const start = performance.now();
        const accept = { ids, by: 'bench' };
        await ingest({ data, clock: systemClock, cacheFolder: folder }, [source], [source], { from: folder, accept });
        seconds[side] += (performance.now() - start) / 1000;
      }
    }
    lines.push([name, seconds[0].toFixed(1), seconds[1].toFixed(1), (seconds[1] / seconds[0]).toFixed(2)]);
  }
  printTable(
    `${COUNTIES_LOADED.length} counties of ${LOAD_ROWS.toLocaleString('en')} properties`,
    ['load', 'PostgreSQL s', 'Citus s', 'ratio'],
    lines,
  );
}
