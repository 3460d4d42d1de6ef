// Reads at scale: the service over HTTP, next to the exact SQL it sends and next to a Fastify route that does nothing.
// `npm run bench -- search [properties] [properties …]` measures all sizes call by call in turns, then reports growth from
// first to last and what it lets expect of the whole country. With --drop, the databases go in the end: ten million
// properties with their addresses are 16 GB.
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import pg from 'pg';
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { buildApp } from '../src/app.ts';
import { startEmbedded } from '../src/base/db/embedded.ts';
import { type Pool } from '../src/base/db/postgres.ts';
import type { Deps } from '../src/base/deps.ts';
import { printCosts, readFootprint, watchCpu, type Footprint } from './growth.ts';
import { measure, measureInTurns, ms, printTable, type Sample } from './measure.ts';
import { openService } from './service.ts';
import { BENCH_STATE, fillAddresses, fillChanges, fillSynthetic, seededRandom } from './synthetic.ts';

const SIZES = [1_000_000];
const agent = new Agent({ keepAlive: true });

export async function run(args: string[]): Promise<void> {
  const given = args.filter((word) => word !== '--drop').map(Number);
  const sizes = given.length > 0 ? given : SIZES;
  const server = await startEmbedded(join(tmpdir(), 'platbook-bench'));
  const subjects: Subject[] = [];
  try {
    for (const size of sizes) subjects.push(await openSubject(server.url, size));
    const nothing = await measureBareRoute();
    const results = await measureSubjects(subjects, nothing);
    for (const result of results) printReads(result, nothing);
    if (sizes.length > 1) printGrowth(results);
    printCosts(results.map(({ footprint, cpu }) => ({ ...footprint, cpu })));
  } finally {
    for (const subject of subjects) await subject.close();
    if (args.includes('--drop')) for (const size of sizes) await dropDatabase(server.url, nameOf(size));
    await server.stop();
  }
}

/** The service on so many properties. */
interface Subject {
  deps: Deps;
  url: string;
  footprint: Footprint;
  cases: Case[];
  close(): Promise<void>;
}

async function openSubject(serverUrl: string, size: number): Promise<Subject> {
  const { deps, close } = await openService(await ensureDatabase(serverUrl, nameOf(size)));
  const { data } = deps;
  await fillSynthetic(data, size);
  await fillChanges(data, size);
  await fillAddresses(data);
  const footprint = await readFootprint(data, size);
  console.log(
    `\n${size.toLocaleString('en')} properties copied in ${footprint.copySeconds.toFixed(0)} s and indexed in ${footprint.indexSeconds.toFixed(0)} s`,
  );
  // Each tile is drawn anew.
  deps.tiles = { ...deps.tiles, properties: (_spot, draw) => draw() };
  const { app } = await buildApp(deps);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = urlOf(app.server);
  const key = await makeKey(deps);
  return {
    deps,
    url,
    footprint,
    cases: await makeCases(data, size, (path) => send(url, path, key)),
    close: async () => {
      await app.close();
      await close();
    },
  };
}

async function measureBareRoute(): Promise<Sample> {
  const bare = Fastify();
  const answer = {
    object: 'list',
    data: Array.from({ length: 25 }, (_, i) => ({ id: `prop_${i}`, sqft: i, city: 'Town' })),
  };
  bare.get('/bare', async () => answer);
  await bare.listen({ port: 0, host: '127.0.0.1' });
  const sample = await measure(() => send(urlOf(bare.server), '/bare', ''));
  await bare.close();
  return sample;
}

/** A case through the service, and its statements alone. */
interface Reading {
  service: Sample;
  sql: Sample;
  statements: number;
}

interface Measured {
  readings: Map<string, Reading>;
  footprint: Footprint;
  /** Milliseconds of CPU per call, of the service and of PostgreSQL. */
  cpu: { service: number; postgres: number };
}

async function measureSubjects(subjects: Subject[], nothing: Sample): Promise<Measured[]> {
  const results = subjects.map(({ footprint }): Measured => ({
    readings: new Map(),
    footprint,
    cpu: { service: 0, postgres: 0 },
  }));
  const cases = subjects[0].cases.length;
  for (let k = 0; k < cases; k++) {
    const calls = await Promise.all(
      subjects.map(async ({ deps, url, cases }) => {
        // Each case has an account of its own: calls that cost nothing are limited by the minute.
        const key = await makeKey(deps);
        const { path, body } = cases[k];
        return (i: number) => send(url, path(i), key, body?.(i));
      }),
    );
    const watches = await Promise.all(subjects.map(({ deps }) => watchCpu(deps.data)));
    const services = await measureInTurns(calls);
    const postgresMs = await Promise.all(watches.map((stop) => stop()));
    const recorded: Sent[][][] = [];
    for (const [n, { deps }] of subjects.entries())
      recorded.push(await recordStatements([deps.data, deps.control], calls[n]));
    const sqls = await measureInTurns(
      recorded.map((calls) => async (i: number) => {
        for (const { pool, statement } of calls[i % calls.length]) await pool.query(statement as never);
      }),
    );
    for (const [n, { readings, cpu }] of results.entries()) {
      const [service, sql] = [services[n], sqls[n]];
      readings.set(subjects[n].cases[k].name, { service, sql, statements: recorded[n][0].length });
      cpu.postgres += postgresMs[n] / (service.count + service.warmUp) / cases;
      cpu.service += (service.cpuUs - nothing.cpuUs / 2) / 1000 / cases;
    }
  }
  return results;
}

function printReads({ readings, footprint }: Measured, nothing: Sample): void {
  const rows = [...readings].map(([name, { service, sql, statements }]) => {
    const overhead = (service.p50Ms / (sql.p50Ms + nothing.p50Ms)).toFixed(2);
    const cost = [ms(service.p50Ms), ms(service.p99Ms), Math.round(service.cpuUs)];
    return [name, ...cost, ms(sql.p50Ms), ms(sql.p99Ms), statements, overhead];
  });
  printTable(
    `Reads at ${footprint.properties.toLocaleString('en')} properties`,
    ['case', 'p50 ms', 'p99 ms', 'CPU µs', 'SQL p50 ms', 'SQL p99 ms', 'statements', 'service ÷ (SQL + bare route)'],
    [['bare Fastify route', ms(nothing.p50Ms), ms(nothing.p99Ms), Math.round(nothing.cpuUs), '', '', '', ''], ...rows],
  );
}

async function makeKey(deps: Deps): Promise<string> {
  const contract = { rateLimitPerHour: 100_000_000 };
  const account = await createAccount(deps.control, new Date(), 'Bench', 'enterprise', { contract });
  return (await createKey(deps, account.id, { name: 'bench', mode: 'live', scopes: [...SCOPES] })).secret;
}

interface Case {
  name: string;
  path(i: number): string;
  body?(i: number): object;
}

interface Home {
  id: string;
  latitude: number;
  longitude: number;
  line: string;
  city: string;
  zip: string;
}

async function makeCases(data: Pool, size: number, call: (path: string) => Promise<string>): Promise<Case[]> {
  const { rows } = await data.query<Home>(
    `select id, latitude, longitude, address_line1 as line, city, zip from properties
     tablesample system (${Math.min(100, 200_000 / size)}) limit 500`,
  );
  const random = seededRandom(11);
  const at = (i: number) => rows[i % rows.length];
  const box = (i: number, degrees: number) => {
    const { latitude, longitude } = at(i);
    return [longitude - degrees / 2, latitude - degrees / 2, longitude + degrees / 2, latitude + degrees / 2]
      .map((edge) => edge.toFixed(5))
      .join(',');
  };
  const hexagon = (i: number) =>
    Array.from({ length: 7 }, (_, corner) => {
      const angle = ((corner % 6) * Math.PI) / 3;
      return [at(i).longitude + 0.05 * Math.cos(angle), at(i).latitude + 0.05 * Math.sin(angle)];
    });
  const search = '/api/v1/properties/search?limit=25&';
  const floor = (i: number) => 100_000 + ((i * 7_919) % 200_000) + Math.floor(random() * 10);
  return [
    { name: 'record by id', path: (i) => `/api/v1/properties/${at(i).id}` },
    { name: 'risk report', path: (i) => `/api/v1/properties/${at(i).id}/risk` },
    {
      name: 'state + type + value, by value',
      path: (i) => `${search}state=${BENCH_STATE}&property_type=condo&min_value=${floor(i)}&sort=value`,
    },
    {
      name: 'box 0.2°, type, by value',
      path: (i) => `${search}bbox=${box(i, 0.2)}&property_type=single_family&sort=-value`,
    },
    { name: 'box 0.2°, by id', path: (i) => `${search}bbox=${box(i, 0.2)}` },
    {
      name: 'circle 2 miles, nearest',
      path: (i) => `${search}latitude=${at(i).latitude}&longitude=${at(i).longitude}&radius_miles=2&sort=distance`,
    },
    {
      name: 'polygon, by id',
      path: () => '/api/v1/properties/search',
      body: (i) => ({ limit: 25, geometry: { type: 'Polygon', coordinates: [hexagon(i)] } }),
    },
    {
      name: 'address',
      path: (i) =>
        `/api/v1/properties/lookup?address=${encodeURIComponent(`${at(i).line}, ${at(i).city} ${at(i).zip}`)}`,
    },
    {
      name: 'address as it is typed',
      path: (i) => `/api/v1/properties/autocomplete?q=${encodeURIComponent(at(i).line.slice(0, 8))}`,
    },
    await deepCursor(call),
    {
      name: 'count of a state and type',
      path: () => `/api/v1/properties/count?state=${BENCH_STATE}&property_type=condo`,
    },
    { name: 'count in a box of 0.02°', path: (i) => `/api/v1/properties/count?bbox=${box(i, 0.02)}` },
    { name: 'tile of homes, zoom 16', path: (i) => tileAt(at(i), 16) },
    { name: 'tile of groups, zoom 12', path: (i) => tileAt(at(i), 12) },
    { name: 'tile of groups, zoom 6', path: (i) => tileAt(at(i), 6) },
    { name: 'tile of filtered groups, zoom 12', path: (i) => `${tileAt(at(i), 12)}?min_value=${1000 + (i % 1000)}` },
    { name: 'tile of filtered groups, zoom 6', path: (i) => `${tileAt(at(i), 6)}?min_value=${1000 + (i % 1000)}` },
    await feedCursor(call),
  ];
}

function tileAt({ latitude, longitude }: { latitude: number; longitude: number }, z: number): string {
  const radians = (latitude * Math.PI) / 180;
  const x = Math.floor(((longitude + 180) / 360) * 2 ** z);
  const y = Math.floor(((1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2) * 2 ** z);
  return `/api/v1/tiles/${z}/${x}/${y}.mvt`;
}

/** From the middle of what the feed holds, as a reader who has been here before. */
async function feedCursor(call: (path: string) => Promise<string>): Promise<Case> {
  let cursor = '';
  for (let page = 0; page < 10; page++) {
    const answer = await call(`/api/v1/changes?limit=500${cursor && `&cursor=${cursor}`}`);
    cursor = (JSON.parse(answer) as { pagination: { next_cursor: string } }).pagination.next_cursor;
  }
  return { name: 'feed, 100 changes', path: () => `/api/v1/changes?limit=100&cursor=${cursor}` };
}

/** The page after ten thousand others: a keyset does not care how deep it is. */
async function deepCursor(call: (path: string) => Promise<string>): Promise<Case> {
  const path = `/api/v1/properties/search?state=${BENCH_STATE}&sort=value&`;
  let cursor = '';
  for (let page = 0; page < 20; page++) {
    const { pagination } = JSON.parse(await call(`${path}limit=500&fields=sqft${cursor && `&cursor=${cursor}`}`)) as {
      pagination: { next_cursor: string };
    };
    cursor = pagination.next_cursor;
  }
  return { name: 'page 401 of a state, by value', path: () => `${path}limit=25&cursor=${cursor}` };
}

interface Sent {
  pool: Pool;
  statement: object;
}

/** Numbers that no call has had, so that nothing is in a cache. */
const UNASKED = 1_000_000;
/** The first calls of a second are kept for the log, in the background: not what a call waits for. */
const CALLS_BEFORE = 20;
const CALLS_RECORDED = 40;

/** Every statement that a call waits for, to be replayed without the service around it, of several calls. */
async function recordStatements(pools: Pool[], work: (i: number) => Promise<unknown>): Promise<Sent[][]> {
  for (let i = 0; i < CALLS_BEFORE; i++) await work(UNASKED + i);
  let sent: Sent[] = [];
  const originals = pools.map((pool) => pool.query);
  for (const [i, pool] of pools.entries()) {
    pool.query = function recorded(this: Pool, ...args: unknown[]) {
      const [text, values] = args;
      sent.push({ pool, statement: typeof text === 'string' ? { text, values } : (text as object) });
      return (originals[i] as (...all: unknown[]) => unknown).apply(pool, args);
    } as never;
  }
  const calls: Sent[][] = [];
  for (let i = 0; i < CALLS_RECORDED; i++) {
    sent = [];
    await work(UNASKED + CALLS_BEFORE + i);
    calls.push(sent);
  }
  for (const [i, pool] of pools.entries()) pool.query = originals[i];
  return calls;
}

function send(base: string, path: string, key: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const payload = body && JSON.stringify(body);
    const outgoing = httpRequest(
      `${base}${path}`,
      {
        agent,
        method: payload ? 'POST' : 'GET',
        headers: {
          'x-api-key': key,
          ...(payload && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        },
      },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk) => (text += chunk))
          .on('end', () => {
            if (response.statusCode === 200) resolve(text);
            else reject(new Error(`${path}: ${response.statusCode} ${text}`));
          });
      },
    );
    outgoing.on('error', reject).end(payload);
  });
}

function printGrowth(results: Measured[]): void {
  const sizes = results.map(({ footprint }) => `${footprint.properties / 1e6} M`);
  const of = (name: string, quantile: 'p50Ms' | 'p99Ms') =>
    results.map(({ readings }) => readings.get(name)!.service[quantile]);
  const columns = (name: string, quantile: 'p50Ms' | 'p99Ms') => {
    const times = of(name, quantile);
    return [...times.map(ms), (times.at(-1)! / times[0]).toFixed(2)];
  };
  printTable(
    `Growth from ${sizes[0]} to ${sizes.at(-1)} properties`,
    ['case', ...sizes.map((size) => `p50 ms ${size}`), 'ratio', ...sizes.map((size) => `p99 ms ${size}`), 'ratio'],
    [...results[0].readings.keys()].map((name) => [name, ...columns(name, 'p50Ms'), ...columns(name, 'p99Ms')]),
  );
}

function urlOf(server: { address(): unknown }): string {
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const nameOf = (size: number): string => `bench_${size}`;

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`drop database ${name} with (force)`);
  await client.end();
}

async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount === 0) await client.query(`create database ${name}`);
  await client.end();
  return serverUrl.replace(/[^/]*$/, name);
}
