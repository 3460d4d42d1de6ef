// Loading: rows per second from file to finished load against a plain COPY of the same rows, and memory at 1× and 10×.
import { createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../src/base/config.ts';
import { copyRows, type CopyValue } from '../src/base/db/copy.ts';
import { openDatabase } from '../src/base/db/database.ts';
import type { Pool } from '../src/base/db/postgres.ts';
import {
  constant,
  latitude,
  longitude,
  positive,
  text,
  upper,
  yearBuilt,
  zip,
} from '../src/supply/ingest/map/fields.ts';
import { findSources, ingest } from '../src/supply/ingest/ingest.ts';
import type { Source } from '../src/supply/ingest/source.ts';
import { propertyId } from '../src/base/lib/ids.ts';
import { readSources } from '../sources/sources.ts';
import { printTable } from './measure.ts';

const DEFAULT_ROWS = 200_000;
const COLUMNS = ['pin', 'address', 'zip', 'lat', 'lon', 'sqft', 'beds', 'lot', 'built'] as const;

export function synthetic(fips: number): Source {
  return {
    id: `bench-${fips}`,
    market: { id: `bench-${fips}`, name: 'Bench', state: 'ZZ', description: 'Invented' },
    counties: [{ fips, name: 'Bench County', state: 'ZZ' }],
    datasets: [
      {
        id: `bench-${fips}/roll`,
        name: 'Roll',
        publisher: 'Nobody',
        landingPage: 'https://bench.example',
        licence: 'CC0',
        attribution: 'Nobody',
        cadence: 'once',
        publishedOn: '2026-01-01',
        format: { type: 'csv' },
        files: [{ path: `roll-${fips}.csv` }],
        key: { fips, apn: text('pin') },
        records: [
          {
            into: 'properties',
            complete: true,
            fields: {
              address_line1: upper('address'),
              city: constant('BENCH'),
              zip: zip('zip'),
              latitude: latitude('lat'),
              longitude: longitude('lon'),
              property_type: constant('single_family'),
              sqft: positive('sqft'),
              bedrooms: positive('beds'),
              lot_sqft: positive('lot'),
              year_built: yearBuilt('built'),
            },
          },
        ],
        layers: [{ layer: 'properties' }],
      },
    ],
  };
}

function cellsOf(i: number): (string | number)[] {
  return [
    `B${String(i).padStart(9, '0')}`,
    `${1 + (i % 9999)} N ${1 + (i % 200)}TH ST`,
    53_200 + (i % 40),
    42.9 + ((i * 7919) % 300_000) / 1e6,
    -88.1 + ((i * 104_729) % 300_000) / 1e6,
    700 + ((i * 31) % 3000),
    1 + (i % 5),
    3000 + ((i * 17) % 9000),
    1880 + (i % 140),
  ];
}

export async function writeRoll(path: string, rows: number): Promise<void> {
  const file = createWriteStream(path);
  file.write(`${COLUMNS.join(',')}\n`);
  for (let i = 0; i < rows; i += 10_000) {
    let chunk = '';
    for (let j = i; j < Math.min(rows, i + 10_000); j++) chunk += `${cellsOf(j).join(',')}\n`;
    if (!file.write(chunk)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

/** The floor: the same rows, ready-made, copied into a table with the same columns and indexes. */
async function copyPlainly(pool: Pool, fips: number, rows: number, withIndexes: boolean): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('drop table if exists bench_copy');
    await client.query(
      `create table bench_copy (like properties including defaults ${withIndexes ? 'including indexes' : ''})`,
    );
    const columns =
      'fips,id,market,state,apn,apn_normalized,address_line1,city,zip,latitude,longitude,property_type,sqft,bedrooms,lot_sqft,year_built,load_id,created_at,updated_at';
    const now = new Date();
    function* values(): Generator<CopyValue[]> {
      for (let i = 0; i < rows; i++) {
        const [pin, address, code, lat, lon, sqft, beds, lot, built] = cellsOf(i);
        yield [
          fips,
          propertyId(fips, pin as string),
          'bench',
          'ZY',
          pin,
          pin,
          address,
          'BENCH',
          String(code),
          lat,
          lon,
          'single_family',
          sqft,
          beds,
          lot,
          built,
          1,
          now,
          now,
        ];
      }
    }
    const start = performance.now();
    await copyRows(client, 'bench_copy', columns.split(','), values());
    return (performance.now() - start) / 1000;
  } finally {
    await client.query('drop table if exists bench_copy').catch(() => {});
    client.release();
  }
}

const maxMegabytes = () => Math.round(process.resourceUsage().maxRSS / 1024);
const rate = (rows: number, seconds: number) => Math.round(rows / seconds).toLocaleString('en');

/** `--rows 1000000` for the full size; `--places` also loads Milwaukee and Chicago from the folder of public
    records. */
export async function run(args: string[], config: Config): Promise<void> {
  const rows = Number(args[args.indexOf('--rows') + 1]) || DEFAULT_ROWS;
  const folder = mkdtempSync(join(tmpdir(), 'platbook-bench-'));
  const database = await openDatabase({ ...config, databaseUrl: config.databaseUrl, home: join(folder, 'home') });
  const deps = { data: database.data, clock: () => new Date(), cacheFolder: folder };
  const lines: (string | number)[][] = [];
  const time = async (label: string, count: number, work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    const seconds = (performance.now() - start) / 1000;
    lines.push([label, count.toLocaleString('en'), seconds.toFixed(1), rate(count, seconds), maxMegabytes()]);
    return seconds;
  };
  try {
    const [small, large] = [synthetic(99_801), synthetic(99_802)];
    await writeRoll(join(folder, 'roll-99801.csv'), rows / 10);
    await writeRoll(join(folder, 'roll-99802.csv'), rows);
    const load =
      (source: Source, ...ids: string[]) =>
      () =>
        ingest(deps, [source], [source], { from: folder, accept: { ids, by: 'bench' } });
    await time('load, 1×', rows / 10, load(small));
    const loaded = await time('load, 10×', rows, load(large));
    await time('load again, nothing changed', rows, load(large, 'unchanged'));
    const bare = await copyPlainly(database.data, 99_802, rows, false);
    lines.push([
      'plain COPY, no indexes',
      rows.toLocaleString('en'),
      bare.toFixed(1),
      rate(rows, bare),
      maxMegabytes(),
    ]);
    const floor = await copyPlainly(database.data, 99_802, rows, true);
    lines.push([
      'plain COPY, same indexes',
      rows.toLocaleString('en'),
      floor.toFixed(1),
      rate(rows, floor),
      maxMegabytes(),
    ]);
    const ratio = (seconds: number) => (seconds / loaded).toFixed(2);
    lines.push(['rate of the load ÷ COPY, same indexes', '', '', ratio(floor), '']);
    lines.push(['rate of the load ÷ COPY, no indexes', '', '', ratio(bare), '']);
    if (args.includes('--places') && existsSync(config.recordsFolder)) {
      for (const name of ['us-census', 'us-opportunity-zones', 'milwaukee-wi', 'chicago-il']) {
        const { sources } = findSources(readSources(), [name]);
        let read = 0;
        await time(name, 0, async () => {
          const reports = await ingest(deps, sources, readSources(), { from: config.recordsFolder });
          read = reports.reduce((sum, report) => sum + report.rowsRead, 0);
        });
        lines.at(-1)![1] = read.toLocaleString('en');
        lines.at(-1)![3] = rate(read, Number(lines.at(-1)![2]));
      }
    }
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
  printTable('Loading properties: file to finished load', ['what', 'rows', 's', 'rows/s', 'max MB so far'], lines);
}
