// The whole country at once: what must cost the same with 3,000 markets as with 10, call by call in turns on both.
// `npm run bench -- country [markets] [homes per market] [calls] [part of what is measured] [cold]`, on PostgreSQL, or on the
// cluster whose coordinator TEST_CITUS_URL names. `cold` asks about another place in each call.
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { insertModelEvents } from '../src/delivery/webhooks/sql.ts';
import { figuresToken } from '../src/insight/analytics/analytics.ts';
import { indexToken } from '../src/insight/analytics/index-rollup.ts';
import { findKeeper } from '../src/insight/analytics/sql.ts';
import { buildApp } from '../src/app.ts';
import { distributeTables } from '../src/base/db/distribution.ts';
import { startEmbedded } from '../src/base/db/embedded.ts';
import { type Client } from '../src/base/db/postgres.ts';
import type { Deps } from '../src/base/deps.ts';
import { DAY_MS } from '../src/base/lib/clock.ts';
import { COARSE_DEGREES, FINE_DEGREES } from '../src/base/lib/geo.ts';
import { formatFips, propertyId } from '../src/base/lib/ids.ts';
import { readCounties } from '../src/supply/catalog/catalog.ts';
import { listFreshness } from '../src/supply/ingest/freshness.ts';
import { rollUpMarketAfter } from '../src/supply/map-aggregates/squares.ts';
import { runSchedule } from '../src/worker.ts';
import { createCitusDatabase, dropCitusDatabase } from '../test/citus.ts';
import { fillAreas, zipOfPlace } from './areas.ts';
import { measureInTurns, ms, printTable } from './measure.ts';
import { openService } from './service.ts';
import { seededRandom } from './synthetic.ts';

const FEW = 10;
const MANY = 3000;
const HOMES = 100;
const CALLS = 200;
/** Homes that are asked about, as many as calls before the first that counts: what is read from the disk once is in memory
    then, since that depends on how much there is and not on how many markets it is in. */
const PLACES = 40;
/** Processes that are started of each size, and the calls that each answers. */
const [STARTS, CALLS_ALONE] = [3, 600];
/** Of the one ZIP code of each county that has figures. */
const SALES = 60;
const LAYERS = ['properties', 'transactions', 'assessments', 'flood', 'tax_liens', 'permits', 'code_violations'];
/** So lately that no monthly source is due. */
const LOADED = new Date(Date.now() - 10 * DAY_MS).toISOString();

interface Subject {
  deps: Deps;
  markets: number;
  call(path: string, body?: unknown): Promise<void>;
  close(): Promise<void>;
}

interface Home {
  id: string;
  fips: number;
  market: string;
  /** Its place in the list of counties, from which its ZIP code of figures follows. */
  k: number;
  latitude: number;
  longitude: number;
}

const marketOf = (fips: number) => `county-${fips}`;

/** The counties of the catalog, in an order of its own, so that the first ten are anywhere. */
function chooseCounties(markets: number) {
  const random = seededRandom(11);
  return [...readCounties().values()]
    .map((county) => ({ ...county, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, markets);
}

/** Rows of counties so far apart that a tile has as many of them among 3,000 as among ten. */
const southOf = (k: number) => 30 + (k % 60) * 0.3;
const westOf = (k: number) => -120 + 2 * Math.floor(k / 60);
/** Letters of ids in place of those of a hash in base 16, evenly over the whole alphabet. */
const LETTERS = '02468acegjmprtwy';
const COUNTIES_AT_ONCE = 20;

const cellSql = (degrees: number) =>
  `(floor((latitude + 90) / ${degrees}) * ${Math.round(360 / degrees)} + floor((longitude + 180) / ${degrees}))::int`;

/** Every county has the same homes, evenly over its box, and made by the server: the program would take ten times as long. */
async function fillHomes(client: Client, counties: ReturnType<typeof chooseCounties>, homes: number): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where schemaname = 'data' and tablename = 'properties' and indexname <> 'properties_pkey'`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (let k = 0; k < counties.length; k += COUNTIES_AT_ONCE) {
    const some = counties.slice(k, k + COUNTIES_AT_ONCE).toSorted((a, b) => a.fips - b.fips);
    const places = some.map((county) => counties.indexOf(county));
    await client.query(
      `insert into properties (fips, id, market, state, apn, apn_normalized, address_line1, city, zip, latitude, longitude,
         geo_precision, cell_fine, cell_coarse, property_type, sqft, bedrooms, year_built, assessed_value, last_sale_date,
         last_sale_price, value, value_low, value_high, valued_on, flood_zone, flood_sfha, open_tax_liens,
         open_violations, permit_count, load_id, created_at, updated_at)
       select fips, id, 'county-' || fips, state, n, n, (100 + n) || ' ELM ST', 'TOWN', 10000 + fips % 89999,
         latitude, longitude, 'parcel', ${cellSql(FINE_DEGREES)}, ${cellSql(COARSE_DEGREES)},
         case when n % 4 = 0 then 'condo' else 'single_family' end, 900 + mixed * 31 % 2500, 1 + mixed % 5,
         1900 + mixed % 120, value - 10000, make_date(2010 + mixed % 16, 5, 1), value - 30000, value,
         (value * 0.9)::bigint, (value * 1.1)::bigint, date '2026-09-01', 'X', false, 0, 0, 0, 1, $6, $6
       from (
         select c.fips, c.state, n, n + c.k as mixed, 150000 + (n::bigint * 7919 + c.k * 104729) % 400000 as value,
           c.head || translate(substr(md5(c.fips || ' ' || n), 1, 16), '0123456789abcdef', '${LETTERS}') as id,
           c.south + n * 618033988749 % 1000000000000 / 1e13 as latitude,
           c.west + n * 754877666246 % 1000000000000 / 1e13 as longitude
         from unnest($1::int[], $2::text[], $3::text[], $4::int[], $7::float8[], $8::float8[])
           as c (fips, state, head, k, south, west), generate_series(0, $5::int - 1) n
       ) homes`,
      [
        some.map(({ fips }) => fips),
        some.map(({ state }) => state),
        some.map(({ fips }) => propertyId(fips, '').slice(0, 'prop_'.length + 4)),
        places,
        homes,
        LOADED,
        places.map(southOf),
        places.map(westOf),
      ],
    );
  }
  await client.query(`set maintenance_work_mem = '512MB'`);
  await client.query('set max_parallel_maintenance_workers = 0');
  for (const { definition } of indexes) await client.query(definition);
}

/** Homes of counties from anywhere, in no order. */
async function listHomes({ data }: Deps, counties: ReturnType<typeof chooseCounties>, homes: number): Promise<Home[]> {
  const places = new Map(counties.map(({ fips }, k) => [fips, k]));
  const numbers = [0, 1, 2].map((n) => String(Math.floor((n * homes) / 3)));
  const { rows } = await data.query<Omit<Home, 'k'>>(
    `select id, fips, market, latitude, longitude from properties
     where fips = any($1) and apn_normalized = any($2) order by md5(id)`,
    [[...places.keys()], numbers],
  );
  return rows.map((home) => ({ ...home, k: places.get(home.fips)! }));
}

async function fill(deps: Deps, client: Client, markets: number, homes: number): Promise<void> {
  const { data, control } = deps;
  const counties = chooseCounties(markets);
  await client.query('set statement_timeout = 0');
  await fillHomes(client, counties, homes);
  const given = [
    counties.map(({ fips }) => fips),
    counties.map(({ name }) => name),
    counties.map(({ state }) => state),
  ];
  const from = 'from unnest($1::int[], $2::text[], $3::text[]) as c(fips, name, state)';
  const places = `select 'county-' || c.fips, c.name, c.state ${from}`;
  await client.query(`insert into markets (id, name, state) ${places}`, given);
  await client.query(`insert into counties (fips, name, state) select c.fips, c.name, c.state ${from}`, given);
  const source = `'county-' || c.fips || '/roll'`;
  await client.query(
    `insert into sources (id, name, publisher, licence, attribution, cadence)
     select ${source}, 'Roll', c.name, 'CC0', c.name, 'monthly' ${from}`,
    given,
  );
  await client.query(
    `insert into coverage (fips, market, layer, source_id, covers_from, covers_to, published_on, loaded_at, record_count)
     select c.fips, 'county-' || c.fips, l, ${source}, '2010-01-01', '2026-09-30', '2026-09-30', '${LOADED}', ${homes}
     ${from} cross join unnest($4::text[]) l`,
    [...given, LAYERS],
  );
  await client.query(
    `insert into property_counts
     select fips, market, property_type, count(*), min(latitude), min(longitude), max(latitude), max(longitude),
       array_agg(distinct zip) from properties group by 1, 2, 3`,
  );
  await client.query(
    `insert into field_counts select fips, market, count(*), '{"sqft": {"stated": ${homes}, "source": null}}' from properties group by 1, 2`,
  );
  await client.query(
    `insert into loads (source_id, market, state, started_at, finished_at, files)
     select ${source}, 'county-' || c.fips, 'completed', '${LOADED}', '${LOADED}', '[{}]' ${from}`,
    given,
  );
  for (const { fips } of counties) await rollUpMarketAfter(deps, marketOf(fips), async () => {});
  await fillAreas(
    data,
    counties.map(({ fips }) => ({ fips, market: marketOf(fips) })),
    1,
    SALES,
  );
  // The figures count as current, so that the schedule looks at every market and leaves each as it is.
  for (const market of counties.map(({ fips }) => marketOf(fips))) {
    const keeper = (await findKeeper(data, market))!;
    await client.query('update sales_rollups set token = $2 where market = $1', [market, figuresToken(keeper)]);
    await client.query(
      'insert into area_index_rollups (fips, market, token, rolled_up_at) values ($1, $2, $3, now())',
      [keeper.fips, market, indexToken(keeper.token)],
    );
  }
  // What was loaded just now is looked at once, and what is measured are the runs after that.
  for (const name of SCHEDULES) await runSchedule(deps, name);
  await client.query('vacuum analyze');
  await control.query(
    `insert into models (version, market, state, trained_on, hash, card, bytes, created_at)
     select m, m, 'current', '2026-09-01', m, '{}', '\\x00', now() - interval '1 hour' from unnest($1::text[]) m`,
    [counties.map(({ fips }) => marketOf(fips))],
  );
  await control.query('vacuum analyze models');
}

/** Filled when it is made; a database whose filling broke off is not kept. */
async function prepareDatabase(serverUrl: string, markets: number, homes: number): Promise<string> {
  const { TEST_CITUS_URL: cluster } = process.env;
  const name = `bench_counties_${markets}_${homes}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 0) {
    if (cluster) await createCitusDatabase(cluster, name);
    else await admin.query(`create database ${name}`);
    const { deps, close } = await openService(url.href);
    if (cluster) await distributeTables(deps.data, undefined);
    const client = await deps.data.connect();
    try {
      await fill(deps, client, markets, homes);
    } catch (error) {
      if (cluster) await dropCitusDatabase(cluster, name);
      else await admin.query(`drop database ${name} with (force)`);
      throw error;
    } finally {
      client.release(true);
      await close();
    }
  }
  await admin.end();
  return url.href;
}

async function openSubject(url: string, markets: number): Promise<Subject> {
  const { deps, close } = await openService(url);
  // As a process that serves: the catalog is read again when it has changed.
  await deps.catalog.start();
  deps.tiles = { ...deps.tiles, properties: (_spot, draw) => draw() };
  const { app } = await buildApp(deps);
  await app.ready();
  const contract = { rateLimitPerHour: 100_000_000 };
  const account = await createAccount(deps.control, new Date(), 'Bench', 'enterprise', { contract });
  const { secret } = await createKey(deps, account.id, { name: 'bench', mode: 'live', scopes: [...SCOPES] });
  const call = async (path: string, body?: unknown) => {
    const answer = await app.inject({
      method: body ? 'POST' : 'GET',
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${secret}` },
      ...(body !== undefined && { payload: body as object }),
    });
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${answer.body.slice(0, 300)}`);
  };
  await call('/properties/search?limit=1');
  const end = async () => {
    await deps.catalog.stop();
    await app.close();
    await close();
  };
  return { deps, markets, call, close: end };
}

/** What a process of its own says of itself: ms since it began, and MB. */
interface Alone {
  startMs: number;
  heap: number;
  rss: number;
  heapLater: number;
  rssLater: number;
}

/** Started anew, then asked for everything in turns. */
async function runAlone(url: string, markets: number, homes: number): Promise<void> {
  const subject = await openSubject(url, markets);
  const startMs = performance.now();
  const memory = () => {
    globalThis.gc!();
    const { heapUsed, rss } = process.memoryUsage();
    return [heapUsed / 1e6, rss / 1e6];
  };
  const [heap, rss] = memory();
  const sample = await listHomes(subject.deps, chooseCounties(markets), homes);
  const cases = Object.values(CASES);
  for (let i = 0; i < CALLS_ALONE; i++) await cases[i % cases.length](subject, sample[(i * 7919) % sample.length]);
  const [heapLater, rssLater] = memory();
  console.log(JSON.stringify({ startMs, heap, rss, heapLater, rssLater } satisfies Alone));
  await subject.close();
}

async function startAlone(url: string, markets: number, homes: number): Promise<Alone> {
  const args = [
    fileURLToPath(import.meta.resolve('./bench.ts')),
    'country',
    'alone',
    url,
    String(markets),
    String(homes),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', ...args]);
  return JSON.parse(stdout) as Alone;
}

type Case = (subject: Subject, home: Home) => Promise<unknown>;

const tileOf = ({ latitude, longitude }: Home, zoom: number) => {
  const radians = (latitude * Math.PI) / 180;
  const x = Math.floor(((longitude + 180) / 360) * 2 ** zoom);
  return `${zoom}/${x}/${Math.floor(((1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2) * 2 ** zoom)}`;
};

const CASES: Record<string, Case> = {
  'one record with its risk': ({ call }, { id }) => call(`/properties/${id}?include=risk`),
  'risk layers': ({ call }, { id }) => call(`/properties/${id}/risk`),
  'search in a county': ({ call }, { fips }) =>
    call(`/properties/search?fips=${formatFips(fips)}&property_type=condo&limit=20`),
  'search around a point': ({ call }, { latitude, longitude }) =>
    call(`/properties/search?latitude=${latitude}&longitude=${longitude}&radius_miles=2&limit=20`),
  'a page of 100 with its risk': ({ call }, { fips }) =>
    call(`/properties/search?fips=${formatFips(fips)}&include=risk&limit=100`),
  'search anywhere': ({ call }) => call('/properties/search?property_type=condo&limit=20'),
  'search anywhere, by value': ({ call }) => call('/properties/search?property_type=condo&sort=-value&limit=20'),
  'count anywhere': ({ call }) => call('/properties/count?property_type=condo'),
  'figures of a ZIP': ({ call }, { k }) => call(`/analytics/series?kind=zip&area=${zipOfPlace(k, 1)}&interval=year`),
  'summary of a ZIP': ({ call }, { k }) => call(`/analytics/summary?kind=zip&area=${zipOfPlace(k, 1)}`),
  'ranking of a market': ({ call }, { market }) =>
    call(`/analytics/rankings?kind=zip&figure=median_price&market=${market}&period=2020`),
  'coverage of a county': ({ call }, { fips }) => call(`/coverage?market=${marketOf(fips)}`),
  'fields of a county': ({ call }, { fips }) => call(`/coverage/fields?fips=${formatFips(fips)}`),
  'tile of homes': ({ call }, home) => call(`/tiles/${tileOf(home, 13)}.mvt`),
  'tile of squares': ({ call }, home) => call(`/tiles/${tileOf(home, 8)}.mvt`),
};

/** Of those that walk the markets, the ones that run every hour or more often. */
const SCHEDULES = 'measure roll-up-squares roll-up-sales file-names measure-quality announce-models mark-feed'.split(
  ' ',
);

/** Work of the worker, whose amount follows what changed and not what there is. */
const ROUNDS: Record<string, Case> = {
  ...Object.fromEntries(
    SCHEDULES.map((name): [string, Case] => [`schedule ${name}`, ({ deps }) => runSchedule(deps, name)]),
  ),
  'model.released, nothing new': ({ deps }) => insertModelEvents(deps.control, new Date(Date.now() - 60_000)),
  'what is due for a refresh': ({ deps }) => listFreshness(deps, 'late'),
};

export async function run(args: string[]): Promise<void> {
  if (args[0] === 'alone') return runAlone(args[1], Number(args[2]), Number(args[3]));
  const [markets = MANY, homes = HOMES, calls = CALLS] = args.map(Number).filter((number) => number > 0);
  const wanted = args.find((arg) => Number.isNaN(Number(arg)) && arg !== 'cold') ?? '';
  const { TEST_CITUS_URL: cluster } = process.env;
  const server = cluster
    ? { url: cluster, stop: async () => {} }
    : await startEmbedded(join(tmpdir(), 'platbook-bench'));
  const subjects: Subject[] = [];
  const lines: (string | number)[][] = [];
  const note = (name: string, [a, b]: number[]) => {
    lines.push([name, ms(a), ms(b), (b / a).toFixed(2)]);
    console.log(lines.at(-1)!.join(' '));
  };
  try {
    const urls: string[] = [];
    for (const size of [FEW, markets]) urls.push(await prepareDatabase(server.url, size, homes));
    if ('a process'.includes(wanted)) await measureAlone(urls, { sizes: [FEW, markets], homes, note });
    for (const [k, size] of [FEW, markets].entries()) subjects.push(await openSubject(urls[k], size));
    const listed = await Promise.all(
      subjects.map(({ deps, markets: size }) => listHomes(deps, chooseCounties(size), homes)),
    );
    const samples = listed.map((list) => list.slice(0, args.includes('cold') ? list.length : PLACES));
    for (const [name, work] of Object.entries({ ...CASES, ...ROUNDS })) {
      if (!name.includes(wanted)) continue;
      try {
        const timings = await measureInTurns(
          subjects.map((subject, k) => (i: number) => work(subject, samples[k][(i * 7919) % samples[k].length])),
          calls,
        );
        note(
          name,
          timings.map(({ p50Ms }) => p50Ms),
        );
      } catch (error) {
        lines.push([name, 'failed', (error as Error).message.slice(0, 80), '']);
      }
    }
    const total = (markets * homes).toLocaleString('en');
    printTable(
      `${markets} markets with ${total} homes against ${FEW}: median ms`,
      ['what', String(FEW), String(markets), 'ratio'],
      lines,
    );
  } finally {
    for (const { close } of subjects) await close();
    await server.stop();
  }
}

interface AloneOptions {
  sizes: number[];
  homes: number;
  note(name: string, values: number[]): void;
}

async function measureAlone(urls: string[], { sizes, homes, note }: AloneOptions): Promise<void> {
  const said: Alone[][] = urls.map(() => []);
  for (let round = 0; round < STARTS; round++)
    for (const [k, url] of urls.entries()) said[k].push(await startAlone(url, sizes[k], homes));
  const medians = (key: keyof Alone) =>
    said.map((list) => list.map((alone) => alone[key]).toSorted((a, b) => a - b)[Math.floor(STARTS / 2)]);
  note('a process: start to the first answer', medians('startMs'));
  note('a process: MB of its heap then', medians('heap'));
  note('a process: MB of it all then', medians('rss'));
  note(`a process: MB of its heap after ${CALLS_ALONE} calls`, medians('heapLater'));
  note(`a process: MB of it all after ${CALLS_ALONE} calls`, medians('rssLater'));
}
