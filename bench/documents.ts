// Recorded documents in five tables, as New York publishes them: joined, mapped and loaded, against a plain COPY.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../src/base/config.ts';
import { copyRows, type CopyValue } from '../src/base/db/copy.ts';
import { openDatabase } from '../src/base/db/database.ts';
import { propertyId } from '../src/base/lib/ids.ts';
import { joinRelated } from '../src/supply/ingest/related.ts';
import { fetchFiles } from '../src/supply/ingest/fetch/fetch.ts';
import { findSources, ingest } from '../src/supply/ingest/ingest.ts';
import { readSources } from '../sources/sources.ts';
import { printTable } from './measure.ts';

const DEFAULT_DOCUMENTS = 100_000;
const DOCUMENTS_PER_LOT = 8;
const TYPES = ['DEED', 'MTGE', 'ASST', 'SAT', 'MTGE', 'AGMT', 'SAT', 'DEED'];

const lotOf = (document: number) => Math.floor(document / DOCUMENTS_PER_LOT);
const blockOf = (lot: number) => 1 + Math.floor(lot / 60);
const idOf = (document: number) => `2004${String(document).padStart(12, '0')}`;
const crfnOf = (document: number) => `2004${String(document).padStart(9, '0')}`;
const typeOf = (document: number) => TYPES[document % TYPES.length];
/** No two parties share a name, or a deed would be one within a family. */
const partyOf = (number: number) =>
  ((number * 7919 + 11_881_376) % 308_915_776)
    .toString(26)
    .replaceAll(/[0-9]/g, (digit) => 'qrstuvwxyz'[Number(digit)]);

const TABLES: Record<string, { header: string; rows(document: number): string[] }> = {
  acris_real_property_legals: {
    header: 'DOCUMENT ID,RECORD TYPE,BOROUGH,BLOCK,LOT,PROPERTY TYPE,STREET NUMBER,STREET NAME,UNIT',
    rows: (n) => [`${idOf(n)},L,4,${blockOf(lotOf(n))},${1 + (lotOf(n) % 60)},D1,${1 + (lotOf(n) % 999)},ELM STREET,`],
  },
  acris_real_property_master: {
    header:
      'DOCUMENT ID,RECORD TYPE,CRFN,BOROUGH,DOC. TYPE,DOC. DATE,DOC. AMOUNT,RECORDED / FILED,REEL NBR,REEL PAGE,% TRANSFERRED',
    rows: (n) => {
      const day = `0${1 + (n % 9)}/1${n % 9}/${2004 + (n % DOCUMENTS_PER_LOT) * 2}`;
      return [`${idOf(n)},A,${crfnOf(n)},4,${typeOf(n)},${day},${100_000 + (n % 900) * 1000},${day},0,0,100`];
    },
  },
  acris_real_property_parties: {
    header: 'DOCUMENT ID,RECORD TYPE,PARTY TYPE,NAME',
    rows: (n) => [`${idOf(n)},P,1,${partyOf(n)}`, `${idOf(n)},P,2,${partyOf(n + 1)}`],
  },
  acris_real_property_references: {
    header:
      'DOCUMENT ID,RECORD TYPE,REFERENCE BY CRFN ,REFERENCE BY DOC ID,REFERENCE BY REEL NBR,REFERENCE BY REEL PAGE',
    rows: (n) =>
      ['ASST', 'SAT'].includes(typeOf(n))
        ? [n % 10 === 3 ? `${idOf(n)},X,,${idOf(n - 1)},0,0` : `${idOf(n)},X,${crfnOf(n - 1)},,0,0`]
        : [],
  },
  acris_real_property_remarks: {
    header: 'DOCUMENT ID,RECORD TYPE,REMARK LINE NBR,REMARK TEXT LINE',
    rows: (n) => (n % 10 === 5 ? [`${idOf(n)},R,1,CONSOLIDATION AGREEMENT`] : []),
  },
};

const LOTS =
  'borough,block,lot,zipcode,address,zonedist1,bldgclass,landuse,ownername,lotarea,bldgarea,numfloors,unitsres,unitstotal,assessland,assesstot,yearbuilt,version,latitude,longitude';
const lot = (n: number) =>
  `QN,${blockOf(n)},${1 + (n % 60)},11355,${1 + (n % 999)} ELM STREET,R4,A5,1,${partyOf(n)},${1500 + (n % 37) * 100},${900 + (n % 171) * 10},${1 + (n % 3)},1,1,${9000 + (n % 89) * 100},${40_000 + (n % 311) * 100},${1900 + (n % 97)},26v1,${(40.6 + (n % 1000) / 8000).toFixed(6)},${(-73.9 + ((n * 7) % 1000) / 8000).toFixed(6)}`;

async function writeTable(path: string, header: string, lines: Iterable<string>): Promise<number> {
  const file = createWriteStream(path);
  let [text, rows] = [`${header}\n`, 0];
  for (const line of lines) {
    text += `${line}\n`;
    rows++;
    if (text.length < 1 << 20) continue;
    if (!file.write(text)) await once(file, 'drain');
    text = '';
  }
  file.end(text);
  await once(file, 'finish');
  return rows;
}

const COPIED =
  'fips,property_id,id,market,type,document_number,recording_date,sale_date,buyers,sellers,refers_to,known_on,source_id,load_id';

function* copied(documents: number): Generator<CopyValue[]> {
  for (let n = 0; n < documents; n++) {
    const home = propertyId(36_081, `4${blockOf(lotOf(n))}-${lotOf(n)}`);
    const parties = [[partyOf(n)], [partyOf(n + 1)], n > 0 ? [crfnOf(n - 1)] : []];
    yield [
      36_081,
      home,
      `txn_${n}`,
      'new-york-ny',
      'deed',
      crfnOf(n),
      '2010-01-01',
      '2010-01-01',
      ...parties,
      '2010-01-01',
      'bench',
      1,
    ];
  }
}

/** `--documents 2000000` makes some ten million rows in the five tables. */
export async function run(args: string[], config: Config): Promise<void> {
  const documents = Number(args[args.indexOf('--documents') + 1]) || DEFAULT_DOCUMENTS;
  const folder = mkdtempSync(join(tmpdir(), 'platbook-bench-'));
  const database = await openDatabase({ ...config, databaseUrl: config.databaseUrl, home: join(folder, 'home') });
  const lines: (string | number)[][] = [];
  const time = async (label: string, rows: number, work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    const seconds = (performance.now() - start) / 1000;
    const most = Math.round(process.resourceUsage().maxRSS / 1024);
    lines.push([
      label,
      rows.toLocaleString('en'),
      seconds.toFixed(1),
      Math.round(rows / seconds).toLocaleString('en'),
      most,
    ]);
    return seconds;
  };
  try {
    function* each<Item>(count: number, of: (n: number) => Item[]) {
      for (let n = 0; n < count; n++) yield* of(n);
    }
    let rows = 0;
    for (const [name, table] of Object.entries(TABLES))
      rows += await writeTable(join(folder, `${name}.csv`), table.header, each(documents, table.rows));
    const lots = Math.ceil(documents / DOCUMENTS_PER_LOT);
    await writeTable(
      join(folder, 'pluto.csv'),
      LOTS,
      each(lots, (n) => [lot(n)]),
    );
    const { sources } = findSources(readSources(), ['new-york-ny']);
    const place = { from: folder, cache: folder };
    const load = (dataset: string) =>
      ingest({ data: database.data, clock: () => new Date(), cacheFolder: folder }, sources, readSources(), {
        from: folder,
        datasets: [dataset],
      });
    const dataset = sources[0].datasets.find(({ id }) => id.endsWith('/documents'))!;
    await time('lots, file to finished load', lots, () => load('pluto'));
    await time('five tables, joined', rows, async () =>
      joinRelated(dataset, await fetchFiles(dataset, dataset.files, place), place),
    );
    const loaded = await time('documents, joined to finished load', documents, () => load('documents'));
    const client = await database.data.connect();
    await client.query('set statement_timeout = 0');
    await client.query('create table bench_copy (like transactions including defaults including indexes)');
    const floor = await time('documents, plain COPY with the same indexes', documents, () =>
      copyRows(client, 'bench_copy', COPIED.split(','), copied(documents)),
    );
    client.release(true);
    lines.push(['rate of the load ÷ COPY', '', '', (floor / loaded).toFixed(2), '']);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
  printTable('Recorded documents in five tables', ['what', 'rows', 's', 'rows/s', 'max MB so far'], lines);
}
