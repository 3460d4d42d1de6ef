// The whole country at once: what must cost the same with 3,000 markets as with 10, call by call in turns on both.
// `npm run bench -- country [markets] [homes per market] [calls] [part of what is measured]`, on PostgreSQL, or on the cluster
// whose coordinator TEST_CITUS_URL names.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { insertModelEvents } from '../src/delivery/webhooks/sql.ts';
import { figuresToken } from '../src/insight/analytics/analytics.ts';
import { indexToken } from '../src/insight/analytics/index-rollup.ts';
import { findKeeper } from '../src/insight/analytics/sql.ts';
import { buildApp } from '../src/app.ts';
import { copyRows, type CopyValue } from '../src/base/db/copy.ts';
import { distributeTables } from '../src/base/db/distribution.ts';
import { startEmbedded } from '../src/base/db/embedded.ts';
import type { Deps } from '../src/base/deps.ts';
import { DAY_MS } from '../src/base/lib/clock.ts';
import { cellOf, COARSE_DEGREES, FINE_DEGREES } from '../src/base/lib/geo.ts';
import { formatFips, propertyId } from '../src/base/lib/ids.ts';
import { readCounties } from '../src/supply/catalog/catalog.ts';
import { listFreshness } from '../src/supply/ingest/freshness.ts';
import { rollUpMarketAfter } from '../src/supply/map-aggregates/squares.ts';
import { runSchedule } from '../src/worker.ts';
import { createCitusDatabase } from '../test/citus.ts';
import { fillAreas, zipOfPlace } from './areas.ts';
import { measureInTurns, ms, printTable } from './measure.ts';
import { openService } from './service.ts';
import { seededRandom } from './synthetic.ts';

const FEW = 10;
const MANY = 3000;
const HOMES = 100;
const CALLS = 200;
/** Of the one ZIP code of each county that has figures. */
const SALES = 60;
const LAYERS = ['properties', 'transactions', 'assessments', 'flood', 'tax_liens', 'permits', 'code_violations'];
/** So lately that no monthly source is due. */
const LOADED = new Date(Date.now() - 10 * DAY_MS).toISOString();

interface Subject {
  deps: Deps;
  markets: number;
  startMs: number;
  heapMb: number;
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

function* homesOf(counties: ReturnType<typeof chooseCounties>, homes: number): Generator<Home & { state: string }> {
  const random = seededRandom(12);
  for (const [k, { fips, state }] of counties.entries())
    for (let n = 0; n < homes; n++) {
      // Rows of counties so far apart that a tile has as many of them among 3,000 as among ten.
      const [south, west] = [30 + (k % 60) * 0.3, -120 + 2 * Math.floor(k / 60)];
      const [latitude, longitude] = [south + random() * 0.1, west + random() * 0.1];
      yield { id: propertyId(fips, String(n)), fips, market: marketOf(fips), k, state, latitude, longitude };
    }
}

const COLUMNS =
  'fips,id,market,state,apn,apn_normalized,address_line1,city,zip,latitude,longitude,geo_precision,cell_fine,cell_coarse,property_type,sqft,bedrooms,year_built,assessed_value,last_sale_date,last_sale_price,value,value_low,value_high,valued_on,flood_zone,flood_sfha,open_tax_liens,open_violations,permit_count,provenance,load_id,created_at,updated_at';

function* rowsOf(counties: ReturnType<typeof chooseCounties>, homes: number): Generator<CopyValue[]> {
  const now = new Date(LOADED);
  let n = 0;
  for (const home of homesOf(counties, homes)) {
    const at = n++ % homes;
    const value = 150_000 + ((n * 7919) % 400_000);
    yield [
      home.fips,
      home.id,
      home.market,
      home.state,
      String(at),
      String(at),
      `${100 + at} ELM ST`,
      'TOWN',
      String(10_000 + (home.fips % 89_999)),
      home.latitude,
      home.longitude,
      'parcel',
      cellOf(home, FINE_DEGREES),
      cellOf(home, COARSE_DEGREES),
      at % 4 === 0 ? 'condo' : 'single_family',
      900 + ((n * 31) % 2500),
      1 + (n % 5),
      1900 + (n % 120),
      value - 10_000,
      `20${10 + (n % 16)}-05-01`,
      value - 30_000,
      value,
      Math.round(value * 0.9),
      Math.round(value * 1.1),
      '2026-09-01',
      'X',
      false,
      0,
      0,
      0,
      {},
      1,
      now,
      now,
    ];
  }
}

async function fill(deps: Deps, markets: number, homes: number): Promise<void> {
  const { data, control } = deps;
  const { rows } = await data.query<{ n: number }>('select count(*)::int as n from markets');
  if (rows[0].n === markets) return;
  const counties = chooseCounties(markets);
  const client = await data.connect();
  await client.query('set statement_timeout = 0');
  await copyRows(client, 'properties', COLUMNS.split(','), rowsOf(counties, homes));
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
  client.release(true);
  await control.query(
    `insert into models (version, market, state, trained_on, hash, card, bytes, created_at)
     select m, m, 'current', '2026-09-01', m, '{}', '\\x00', now() - interval '1 hour' from unnest($1::text[]) m`,
    [counties.map(({ fips }) => marketOf(fips))],
  );
  await control.query('vacuum analyze models');
}

async function openSubject(serverUrl: string, markets: number, homes: number): Promise<Subject> {
  const { TEST_CITUS_URL: cluster } = process.env;
  const name = `bench_counties_${markets}_${homes}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 0 && cluster) await createCitusDatabase(cluster, name);
  else if (rowCount === 0) await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const filled = await openService(url.href);
  if (cluster) await distributeTables(filled.deps.data, undefined);
  await fill(filled.deps, markets, homes);
  await filled.close();
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const started = performance.now();
  const { deps, close } = await openService(url.href);
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
  const startMs = performance.now() - started;
  globalThis.gc?.();
  const heapMb = (process.memoryUsage().heapUsed - before) / 1e6;
  const end = async () => {
    await deps.catalog.stop();
    await app.close();
    await close();
  };
  return { deps, markets, startMs, heapMb, call, close: end };
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
  const [markets = MANY, homes = HOMES, calls = CALLS] = args.map(Number).filter((number) => number > 0);
  const { TEST_CITUS_URL: cluster } = process.env;
  const server = cluster
    ? { url: cluster, stop: async () => {} }
    : await startEmbedded(join(tmpdir(), 'platbook-bench'));
  const subjects: Subject[] = [];
  try {
    // The first to be opened also compiles the program.
    for (const size of [FEW, markets]) await (await openSubject(server.url, size, homes)).close();
    for (const size of [FEW, markets]) subjects.push(await openSubject(server.url, size, homes));
    const [few, many] = subjects;
    const lines: (string | number)[][] = [
      ['start to the first answer', ms(few.startMs), ms(many.startMs), (many.startMs / few.startMs).toFixed(2)],
      ['memory of the heap, MB', few.heapMb.toFixed(1), many.heapMb.toFixed(1), ''],
    ];
    const samples = subjects.map((subject) => [...homesOf(chooseCounties(subject.markets), 3)]);
    const wanted = args.find((arg) => Number.isNaN(Number(arg))) ?? '';
    for (const [name, work] of Object.entries({ ...CASES, ...ROUNDS })) {
      if (!name.includes(wanted)) continue;
      try {
        const timings = await measureInTurns(
          subjects.map((subject, k) => (i: number) => work(subject, samples[k][(i * 7919) % samples[k].length])),
          calls,
        );
        const [a, b] = timings.map(({ p50Ms }) => p50Ms);
        lines.push([name, ms(a), ms(b), (b / a).toFixed(2)]);
        console.log(lines.at(-1)!.join(' '));
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
