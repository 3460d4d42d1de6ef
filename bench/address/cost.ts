// The cost of resolving and of autocomplete on PostgreSQL with many invented addresses, next to one primary key read.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveAddress } from '../../src/records/address/address.ts';
import { createPlaces } from '../../src/records/address/places.ts';
import { indexAddresses } from '../../src/records/address/store/index-addresses.ts';
import { autocomplete } from '../../src/records/address/suggest.ts';
import type { SitusAddress } from '../../src/records/address/parse/canonical.ts';
import { Gazetteer } from '../../src/records/address/parse/gazetteer.ts';
import type { Config } from '../../src/base/config.ts';
import { openDatabase } from '../../src/base/db/database.ts';
import { type Pool, inTransaction } from '../../src/base/db/postgres.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { seeded } from './cases.ts';
import { pick, type Random } from './corruptions.ts';
import { percentile } from './score.ts';

const PER_COUNTY = 100_000;
const STREETS_PER_ZIP = 250;
const ZIPS_PER_COUNTY = 10;
const STATES = ['WI', 'IL', 'OH', 'IA', 'MN'];
const FIRST_ZIP: Record<string, number> = { WI: 53_000, IL: 60_000, OH: 43_000, IA: 50_000, MN: 55_000 };
const QUESTIONS = 2000;
const MAX_INVENTED = 1_000_000;
/** About what the United States has: ZIPs, and the city names within each. */
const ALL_LOCALITIES = 80_000;

/** With `keep`, the filled database is kept for the next run. */
export async function measureCost(config: Config, total: number, keep: boolean): Promise<void> {
  const home = join(tmpdir(), `platbook-bench-${total}`);
  const isolated = {
    ...config,
    home,
    databaseUrl: undefined,
    dataDatabaseUrl: undefined,
    poolSize: 2,
    statementTimeoutMs: 600_000,
  };
  const database = await openDatabase(isolated);
  try {
    const { rows } = await database.data.query('select exists (select 1 from addresses) as is_filled');
    if (!rows[0].is_filled) await fill(database.data, total);
    await describeTables(database.data);
    await measure(database.data, total);
  } finally {
    await database.close();
    if (!keep) rmSync(home, { recursive: true, force: true });
  }
}

/** The first million are indexed as by a load; beyond that, the database copies them to other counties and ZIPs. */
async function fill(data: Pool, total: number): Promise<void> {
  const invented = Math.min(total, MAX_INVENTED);
  const start = performance.now();
  for (let county = 0; county * PER_COUNTY < invented; county++) {
    await inTransaction(data, (client) => indexAddresses(client, fipsOf(county), addressesOf(county)));
  }
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${invented} addresses indexed in ${seconds.toFixed(0)} s (${Math.round(invented / seconds)} per second)`,
  );
  if (total > invented) await multiply(data, Math.round(total / invented));
  await data.query('vacuum analyze');
}

async function multiply(data: Pool, times: number): Promise<void> {
  const { rows: indexes } = await data.query(
    `select indexname as name, indexdef as definition from pg_indexes where schemaname = 'data' and tablename = 'addresses' and indexname not like '%_pkey'`,
  );
  for (const { name } of indexes) await data.query(`drop index ${name}`);
  for (const table of ['addresses', 'streets', 'street_spellings', 'street_words', 'localities', 'address_loads']) {
    const { rows } = await data.query(
      `select column_name as name from information_schema.columns where table_schema = 'data' and table_name = $1 order by ordinal_position`,
      [table],
    );
    const copied: Record<string, string> = { fips: 'fips + 1000 * copy', zip: '(zip::integer + 40 * copy)::text' };
    const values = rows.map(({ name }) => copied[name] ?? name).join(', ');
    await data.query(`insert into ${table} select ${values} from ${table}, generate_series(1, ${times - 1}) as copy`);
  }
  for (const { definition } of indexes) await data.query(definition);
}

const fipsOf = (county: number): number => 10_001 + county * 2;

/** A county of ten ZIPs in five cities, streets with invented names, numbers as towns have them. */
export function* addressesOf(county: number): Generator<SitusAddress> {
  const random = seeded(county + 1);
  const state = STATES[county % STATES.length];
  const names = Array.from({ length: 1200 }, () => inventName(random));
  for (let zone = 0; zone < ZIPS_PER_COUNTY; zone++) {
    const zip = String(FIRST_ZIP[state] + ((Math.floor(county / STATES.length) * ZIPS_PER_COUNTY + zone) % 1000));
    const city = `${titled(names[zone % 5])} City`;
    for (let street = 0; street < STREETS_PER_ZIP; street++) {
      const text = `${pick(['', 'N ', 'S ', 'E ', 'W '], random)}${pick(names, random)} ${pick(['ST', 'AVE', 'DR', 'CT', 'LN', 'RD'], random)}`;
      const first = 100 * (1 + Math.floor(random() * 60));
      for (let house = 0; house < PER_COUNTY / ZIPS_PER_COUNTY / STREETS_PER_ZIP; house++) {
        const number = first + house * 4;
        const apn = [zone, street, house].map((part) => String(part).padStart(3, '0')).join('-');
        yield {
          fips: fipsOf(county),
          propertyId: propertyId(fipsOf(county), apn),
          line1: `${number} ${text}`,
          city,
          state,
          zip,
        };
      }
    }
  }
}

const SYLLABLES = 'BA LO MI TER VAN SOL QUE RI DO ZEN MAR HOL WIN KES TAN BRI GAR PEN LA FOR'.split(' ');

function inventName(random: Random): string {
  const count = 2 + Math.floor(random() * 3);
  const name = Array.from({ length: count }, () => pick(SYLLABLES, random)).join('');
  return random() < 0.2
    ? `${1 + Math.floor(random() * 120)}TH`
    : random() < 0.15
      ? `${name} ${pick(['PARK', 'HILL', 'CREEK'], random)}`
      : name;
}

const titled = (text: string): string => text[0] + text.slice(1).toLowerCase();

async function describeTables(data: Pool): Promise<void> {
  const { rows } = await data.query(
    `select relname as name, reltuples::bigint as rows, pg_table_size(oid) as heap, pg_indexes_size(oid) as indexes
     from pg_class where relkind = 'r' and relname = any($1)`,
    [['addresses', 'streets', 'street_spellings', 'street_words', 'localities']],
  );
  for (const { name, rows: count, heap, indexes } of rows) {
    console.log(
      `  ${name.padEnd(18)} ${String(count).padStart(10)} rows  ${megabytes(heap)} table  ${megabytes(indexes)} indexes`,
    );
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

async function measure(data: Pool, total: number): Promise<void> {
  const random = seeded(99);
  const invented = Math.min(total, MAX_INVENTED);
  const counties = Math.ceil(invented / PER_COUNTY);
  const sample: SitusAddress[] = [];
  for (let county = 0; county < counties; county++) {
    for (const situs of addressesOf(county)) if (random() < (QUESTIONS * 1.2) / invented) sample.push(situs);
  }
  describePlaces(random);
  const readKey = ({ fips, propertyId }: SitusAddress) =>
    data.query({
      name: 'point',
      text: 'select line from addresses where fips = $1 and property_id = $2',
      values: [fips, propertyId],
    });
  const places = createPlaces({ data });
  const resolve = (write: (situs: SitusAddress) => string) => (situs: SitusAddress) =>
    resolveAddress({ data, places }, write(situs), { mode: 'live' });
  const type = (write: (situs: SitusAddress) => string) => (situs: SitusAddress) =>
    autocomplete({ data }, write(situs), { mode: 'live' });
  const kinds: [name: string, ask: (situs: SitusAddress) => Promise<unknown>][] = [
    ['one read by primary key', readKey],
    ['resolve: as published', resolve(sentenceOf)],
    ['resolve: lower case, no commas', resolve((situs) => sentenceOf(situs).toLowerCase().replaceAll(',', ''))],
    ['resolve: no ZIP', resolve(({ line1, city, state }) => `${line1}, ${city}, ${state}`)],
    ['resolve: no suffix', resolve((situs) => sentenceOf({ ...situs, line1: situs.line1.replace(/ \w+$/, '') }))],
    [
      'resolve: misspelled',
      resolve((situs) => sentenceOf({ ...situs, line1: situs.line1.replace(/([A-Z])([A-Z])([A-Z]+ \w+)$/, '$2$1$3') })),
    ],
    [
      'resolve: absent number',
      resolve((situs) => sentenceOf({ ...situs, line1: situs.line1.replace(/^\d+/, '99999') })),
    ],
    ['resolve: no ZIP, no city', resolve(({ line1, state }) => `${line1}, ${state}`)],
    ['type: number and two letters', type(({ line1 }) => /^\d+ (?:[NSEW] )?\w\w/.exec(line1)?.[0] ?? line1)],
    ['type: number and whole street', type(({ line1 }) => line1)],
    ['type: words out of order', type(({ line1, city }) => `${city} ${line1.split(' ').reverse().join(' ')}`)],
    ['type: street only', type(({ line1 }) => line1.replace(/^\d+ (?:[NSEW] )?/, '').slice(0, 5))],
  ];
  const { rows } = await data.query('select pg_backend_pid() as pid');
  for (const [name, ask] of kinds) {
    for (const situs of sample.slice(0, 200)) await ask(situs);
    const wall: number[] = [];
    const undisturbed: number[] = [];
    for (const situs of sample.slice(200, 200 + QUESTIONS)) {
      const waited = queuedMs(rows[0].pid);
      const start = performance.now();
      await ask(situs);
      const passed = performance.now() - start;
      wall.push(passed);
      undisturbed.push(Math.max(0, passed - (queuedMs(rows[0].pid) - waited)));
    }
    const show = (times: number[]): string => {
      times.sort((first, second) => first - second);
      return `p50 ${percentile(times, 0.5).toFixed(2)} ms  p99 ${percentile(times, 0.99).toFixed(2)} ms`;
    };
    console.log(`  ${name.padEnd(34)} ${show(undisturbed)}   wall clock ${show(wall)}`);
  }
}

/** How long our thread and the database process waited for a CPU: what a busy machine adds. */
function queuedMs(backendPid: number): number {
  const files = [`/proc/${process.pid}/task/${process.pid}/schedstat`, `/proc/${backendPid}/schedstat`];
  return files.reduce(
    (sum, file) => sum + (existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6 : 0),
    0,
  );
}

/** What a process would hold in memory if every place in the country were loaded. */
function describePlaces(random: Random): void {
  const before = memory();
  const localities = Array.from({ length: ALL_LOCALITIES }, (_, index) => ({
    fips: 1001 + Math.floor(index / 26),
    state: STATES[index % STATES.length],
    city: `${inventName(random)}${inventName(random)}`.replaceAll(' ', ''),
    zip: String(10_000 + Math.floor(index / 2)),
  }));
  const gazetteer = new Gazetteer(localities);
  localities.length = 0;
  const places = memory() - before;
  for (const state of STATES) gazetteer.findSimilarCity('WILLOWBROOKE', state);
  console.log(
    `  ${ALL_LOCALITIES} places in memory: ${megabytes(places)}, with the spellings of their cities ${megabytes(memory() - before)}\n`,
  );
}

const sentenceOf = ({ line1, city, state, zip }: SitusAddress): string => `${line1}, ${city}, ${state} ${zip}`;

function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
