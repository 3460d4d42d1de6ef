// Reads at scale: the service over HTTP, next to the exact SQL it sends and next to a Fastify route that does nothing.
// `npm run bench -- search [properties] [properties …]` runs each size in turn, then reports growth from first to last.
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import pg from 'pg';
import { createAccount, createKey } from '../src/accounts/accounts.ts';
import { SCOPES } from '../src/accounts/scopes.ts';
import { buildApp } from '../src/app.ts';
import { startEmbedded } from '../src/db/embedded.ts';
import { type Pool } from '../src/db/postgres.ts';
import { measure, ms, printTable, type Sample } from './measure.ts';
import { openService } from './service.ts';
import { BENCH_STATE, fillSynthetic, seededRandom } from './synthetic.ts';

const SIZES = [1_000_000];
const agent = new Agent({ keepAlive: true });

export async function run(args: string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : SIZES;
  const server = await startEmbedded(join(tmpdir(), 'platbook-bench'));
  try {
    const results: Map<string, Sample>[] = [];
    for (const size of sizes) results.push(await runSize(server.url, size));
    if (sizes.length > 1) printGrowth(sizes, results);
  } finally {
    await server.stop();
  }
}

async function runSize(serverUrl: string, size: number): Promise<Map<string, Sample>> {
  const url = await ensureDatabase(serverUrl, `bench_${size}`);
  const { deps, close } = await openService(url);
  const { data, control } = deps;
  const filledAt = performance.now();
  await fillSynthetic(data, size);
  console.log(
    `\n${size.toLocaleString('en')} properties ready in ${((performance.now() - filledAt) / 1000).toFixed(0)} s`,
  );

  const account = await createAccount(control, new Date(), 'Bench', 'enterprise', {
    contract: { rateLimitPerHour: 100_000_000 },
  });
  const { secret } = await createKey(deps, account.id, { name: 'bench', mode: 'live', scopes: [...SCOPES] });
  const { app } = await buildApp(deps);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const bare = Fastify();
  const answer = {
    object: 'list',
    data: Array.from({ length: 25 }, (_, i) => ({ id: `prop_${i}`, sqft: i, city: 'Town' })),
  };
  bare.get('/bare', async () => answer);
  await bare.listen({ port: 0, host: '127.0.0.1' });

  const call = (base: string, path: string, body?: object) => send(base, path, secret, body);
  const base = portOf(app.server);
  const cases = await makeCases(data, (path) => call(base, path));
  const nothing = await measure(() => call(portOf(bare.server), '/bare'));
  const results = new Map<string, Sample>();
  const rows: (string | number)[][] = [
    ['bare Fastify route', ms(nothing.p50Ms), ms(nothing.p99Ms), Math.round(nothing.cpuUs), '', '', ''],
  ];
  for (const { name, path, body } of cases) {
    const statements = await recordStatements([data, control], () => call(base, path(0), body?.(0)));
    const service = await measure((i) => call(base, path(i), body?.(i)));
    const sql = await measure(async () => {
      for (const { pool, statement } of statements) await pool.query(statement as never);
    });
    results.set(name, service);
    const overhead = (service.p50Ms / (sql.p50Ms + nothing.p50Ms)).toFixed(2);
    rows.push([
      name,
      ms(service.p50Ms),
      ms(service.p99Ms),
      Math.round(service.cpuUs),
      ms(sql.p50Ms),
      statements.length,
      overhead,
    ]);
  }
  printTable(
    `Reads at ${size.toLocaleString('en')} properties`,
    ['case', 'p50 ms', 'p99 ms', 'CPU µs', 'its SQL p50 ms', 'statements', 'service ÷ (SQL + bare route)'],
    rows,
  );
  await app.close();
  await bare.close();
  await close();
  return results;
}

interface Case {
  name: string;
  path(i: number): string;
  body?(i: number): object;
}

async function makeCases(data: Pool, call: (path: string) => Promise<string>): Promise<Case[]> {
  const { rows } = await data.query<{ id: string; latitude: number; longitude: number }>(
    `select id, latitude, longitude from properties tablesample system (0.2) limit 500`,
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
    await deepCursor(call),
  ];
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

/** Every statement a call sends, including its admission, to be replayed without the service around it. */
async function recordStatements(pools: Pool[], work: () => Promise<unknown>): Promise<Sent[]> {
  await work();
  const sent: Sent[] = [];
  const originals = pools.map((pool) => pool.query);
  for (const [i, pool] of pools.entries()) {
    pool.query = function recorded(this: Pool, ...args: unknown[]) {
      const [text, values] = args;
      sent.push({ pool, statement: typeof text === 'string' ? { text, values } : (text as object) });
      return (originals[i] as (...all: unknown[]) => unknown).apply(pool, args);
    } as never;
  }
  await work();
  for (const [i, pool] of pools.entries()) pool.query = originals[i];
  return sent;
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

function printGrowth(sizes: number[], results: Map<string, Sample>[]): void {
  const [first, last] = [results[0], results.at(-1)!];
  printTable(
    `Growth from ${sizes[0].toLocaleString('en')} to ${sizes.at(-1)!.toLocaleString('en')} properties`,
    ['case', 'p50 before', 'p50 after', 'ratio'],
    [...first].map(([name, sample]) => [
      name,
      ms(sample.p50Ms),
      ms(last.get(name)!.p50Ms),
      (last.get(name)!.p50Ms / sample.p50Ms).toFixed(2),
    ]),
  );
}

function portOf(server: { address(): unknown }): string {
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount === 0) await client.query(`create database ${name}`);
  await client.end();
  return serverUrl.replace(/[^/]*$/, name);
}
