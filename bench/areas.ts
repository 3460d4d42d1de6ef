// Figures of areas at the size of a country: the service over HTTP, next to a Fastify route that does nothing.
// `npm run bench -- areas [properties]` makes the roll-ups of so many properties; no request reads anything else.
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import pg from 'pg';
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { createSaleBook, type SaleFact } from '../src/insight/analytics/cells.ts';
import { createRankBook, FIGURES, rankStock } from '../src/insight/analytics/ranks.ts';
import { isSegment } from '../src/insight/analytics/segments.ts';
import { createHomeBook, type HomeFact } from '../src/insight/analytics/stock.ts';
import { buildApp } from '../src/app.ts';
import { startEmbedded } from '../src/base/db/embedded.ts';
import { type Pool } from '../src/base/db/postgres.ts';
import { measure, ms, printTable } from './measure.ts';
import { openService } from './service.ts';
import { seededRandom } from './synthetic.ts';

const PROPERTIES = 10_000_000;
/** About the usual sizes in the United States. */
const [PER_MARKET, PER_ZIP] = [100_000, 2_500];
const [FIRST_FIPS, FIRST_ZIP, YEARS] = [70_001, 10_000, 20];
const SALES_OF_ZIP = 2_000;

export async function run(args: string[]): Promise<void> {
  const properties = Number(args[0] ?? PROPERTIES);
  const server = await startEmbedded(join(tmpdir(), 'platbook-bench'));
  const admin = new pg.Client({ connectionString: server.url });
  const name = `areas_${randomBytes(4).toString('hex')}`;
  try {
    await admin.connect();
    await admin.query(`create database ${name}`);
    await measureAreas(server.url.replace(/\/[^/]*$/, `/${name}`), properties);
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
    await server.stop();
  }
}

async function measureAreas(url: string, properties: number): Promise<void> {
  const { deps, close } = await openService(url);
  const { data, control } = deps;
  const markets = Math.ceil(properties / PER_MARKET);
  const every = `generate_series(0, ${markets - 1}) m`;
  await data.query(
    `insert into markets (id, name, state) select 'm' || m, 'Market ' || m, 'ZY' from ${every};
     insert into counties (fips, name, state) select ${FIRST_FIPS} + m, 'County ' || m, 'ZY' from ${every};
     insert into property_counts select ${FIRST_FIPS} + m, 'm' || m, 'single_family', ${PER_MARKET} from ${every}`,
  );
  const places = Array.from({ length: markets }, (_, m) => ({ fips: FIRST_FIPS + m, market: `m${m}` }));
  const rows = await fillAreas(data, places, PER_MARKET / PER_ZIP);
  const account = await createAccount(control, new Date(), 'Bench', 'enterprise', {
    contract: { rateLimitPerHour: 100_000_000 },
  });
  const key = await createKey(deps, account.id, { name: 'bench', mode: 'live', scopes: [...SCOPES] });
  const { app } = await buildApp(deps);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const bare = Fastify();
  bare.get('/bare', async () => ({ object: 'list', data: [] }));
  await bare.listen({ port: 0, host: '127.0.0.1' });
  const get = async (server: typeof app.server, path: string) => {
    const { port } = server.address() as { port: number };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key.secret } });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  };
  const zip = (i: number) => FIRST_ZIP + ((i * 7_919) % (markets * (PER_MARKET / PER_ZIP)));
  const cases: Record<string, (i: number) => string> = {
    'series of a ZIP by month, 20 years': (i) => `series?kind=zip&area=${zip(i)}`,
    'series of a ZIP by year': (i) => `series?kind=zip&area=${zip(i)}&interval=year`,
    'segment of a ZIP by quarter': (i) => `series?kind=zip&area=${zip(i)}&interval=quarter&segment=bedrooms_3`,
    'summary of a ZIP': (i) => `summary?kind=zip&area=${zip(i)}`,
    'ranking of a market': (i) => `rankings?kind=zip&figure=median_price&market=m${i % markets}&period=2020`,
    [`ranking of a state of ${markets} markets`]: () => 'rankings?kind=zip&figure=price_growth_3y&state=ZY&period=2020',
  };
  const nothing = await measure(() => get(bare.server, '/bare'));
  const results: (string | number)[][] = [['bare Fastify route', ms(nothing.p50Ms), ms(nothing.p99Ms), '']];
  for (const [name, path] of Object.entries(cases)) {
    const sample = await measure((i) => get(app.server, `/api/v1/analytics/${path(i)}`));
    results.push([name, ms(sample.p50Ms), ms(sample.p99Ms), (sample.p50Ms / nothing.p50Ms).toFixed(1)]);
  }
  printTable(
    `Areas of ${properties.toLocaleString('en')} properties, ${rows.toLocaleString('en')} series`,
    ['case', 'p50 ms', 'p99 ms', '÷ bare route'],
    results,
  );
  await app.close();
  await bare.close();
  await close();
}

export interface BenchPlace {
  fips: number;
  market: string;
}

/** One ZIP computed as a load would, then written under so many ZIPs of every place. */
export async function fillAreas(data: Pool, places: BenchPlace[], zips: number, sales = SALES_OF_ZIP): Promise<number> {
  const random = seededRandom(5);
  const areas = { market: null, county: null, city: null, zip: 'Z', tract: null, neighborhood: null };
  const traits = () => ({
    propertyType: random() < 0.7 ? 'single_family' : 'condo',
    sqft: 700 + Math.round(random() * 2_500),
    bedrooms: 1 + Math.floor(random() * 5),
    yearBuilt: 1900 + Math.floor(random() * 120),
  });
  const book = createSaleBook();
  for (let i = 0; i < sales; i++) {
    const soldOn = new Date(Date.UTC(2005, 0, 1 + Math.floor(random() * YEARS * 365))).toISOString().slice(0, 10);
    const price = 100_000 + Math.round(random() * 500_000);
    const sale: SaleFact = {
      ...traits(),
      home: `h${i % 1_500}`,
      soldOn,
      isYearOnly: false,
      latitude: null,
      longitude: null,
      price,
      assessed: price * 0.9,
      source: 'bench',
      areas,
    };
    book.add(sale);
  }
  const homes = createHomeBook();
  for (let i = 0; i < PER_ZIP; i++) {
    const counted = { unknown: 0, n: Math.floor(random() * 3), byYear: { 2023: 1 } };
    const home: HomeFact = {
      ...traits(),
      fips: FIRST_FIPS,
      areas,
      taxRate: 0.012,
      latitude: 40 + random() / 50,
      longitude: -100 + random() / 50,
      isOwnerOccupied: random() < 0.6,
      value: 100_000 + Math.round(random() * 500_000),
      valuedOn: '2025-01-01',
      model: 'bench',
      permits: counted,
      violations: counted,
      liens: counted,
    };
    homes.add(home);
  }
  await data.query(
    `create table bench_places (m int, fips int, market text);
     insert into bench_places select ord - 1, fips, market from json_to_recordset('${JSON.stringify(places.map((place, m) => ({ ...place, ord: m + 1 })))}')
       as p(ord int, fips int, market text);
     insert into sales_rollups (fips, market, token, first_sale_on, last_sale_on, is_roll, rolled_up_at)
       select fips, market, '', '2005-01-01', '2024-12-31', true, now() from bench_places`,
  );
  const every = `bench_places, generate_series(0, ${zips - 1}) z`;
  const zipOf = `(${FIRST_ZIP} + m * ${zips} + z)::text`;
  let rows = 0;
  const ranks = createRankBook();
  for (const series of book.series()) {
    if (!isSegment(series.group)) ranks.addSeries(series, PER_ZIP);
    const cells = series.cells.map((cell) => ({ ...cell, nFirst: cell.n, revisedOn: null }));
    const { rowCount } = await data.query(
      `insert into sales_series (fips, market, kind, area, property_type, step, n, homes, cells)
       select fips, market, 'zip', ${zipOf}, $1, $2, $3, $4, $5 from ${every}`,
      [series.group, series.step, series.n, PER_ZIP, JSON.stringify(cells)],
    );
    rows += rowCount!;
  }
  const [stock] = homes.stock();
  await data.query(
    `insert into area_summaries (fips, market, kind, area, homes, summary)
     select fips, market, 'zip', ${zipOf}, ${PER_ZIP}, $1 from ${every}`,
    [JSON.stringify(stock)],
  );
  const repeat = ([value]: unknown[]) => Array.from({ length: zips }, () => value);
  for (const { property_type, step, starts, figures, places: where } of [...ranks.rows(), ...rankStock([stock])]) {
    const columns = FIGURES.filter((figure) => figures[figure]);
    const cells = columns.map((figure) => {
      const { values, counts } = figures[figure]!;
      return JSON.stringify({ values: repeat(values), counts: repeat(counts) });
    });
    const sides = places.map(({ fips }, m) => ({
      names: Array.from({ length: zips }, (_, z) => String(FIRST_ZIP + m * zips + z)),
      places: where && { fips: repeat([fips]), centers: repeat(where.centers) },
    }));
    await data.query(
      `insert into area_rankings (fips, market, kind, property_type, step, starts, names, places, ${columns.join(', ')})
       select fips, market, 'zip', $1, $2, $3, side -> 'names', nullif((side -> 'places')::text, 'null')::json,
         ${columns.map((_, i) => `$${i + 5}`).join(', ')}
       from bench_places join json_array_elements($4::json) with ordinality as sides (side, number) on number = m + 1`,
      [property_type, step, starts, JSON.stringify(sides), ...cells],
    );
  }
  await data.query('analyze sales_series; analyze area_summaries; analyze area_rankings');
  return rows;
}

/** The ZIP code of a place, as it was written. */
export const zipOfPlace = (m: number, zips: number): string => String(FIRST_ZIP + m * zips);
