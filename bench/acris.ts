// New York's recorded documents at scale: invented tables of ACRIS and the lots of PLUTO, loaded by the shipped recipe, phase
// by phase at several sizes. What grows faster than the rows shows in the rates.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSources } from '../sources/sources.ts';
import type { Config } from '../src/base/config.ts';
import { withScratchDatabase } from '../src/base/db/scratch.ts';
import { findSources, ingest } from '../src/supply/ingest/ingest.ts';
import type { Progress } from '../src/supply/ingest/progress.ts';
import { printTable } from './measure.ts';
import { seededRandom } from './synthetic.ts';

const SIZES = [300_000, 1_000_000, 3_000_000];
/** Rows of all tables for each document, as in the real ones. */
const ROWS_PER_DOCUMENT = 1 + 1.05 + 2.4 + 0.45 + 0.3;
const DOCUMENTS_PER_LOT = 6;

const HEADERS = {
  pluto:
    'borough,block,lot,address,zipcode,latitude,longitude,bldgclass,landuse,zonedist1,bldgarea,lotarea,yearbuilt,numfloors,unitstotal,unitsres,ownername,assesstot,assessland,version',
  acris_real_property_master:
    'DOCUMENT ID,RECORD TYPE,CRFN,BOROUGH,DOC. TYPE,DOC. DATE,DOC. AMOUNT,RECORDED / FILED,MODIFIED DATE,REEL YEAR,REEL NBR,REEL PAGE,% TRANSFERRED,GOOD THROUGH DATE',
  acris_real_property_legals:
    'DOCUMENT ID,RECORD TYPE,BOROUGH,BLOCK,LOT,EASEMENT,PARTIAL LOT,AIR RIGHTS,SUBTERRANEAN RIGHTS,PROPERTY TYPE,STREET NUMBER,STREET NAME,UNIT,GOOD THROUGH DATE',
  acris_real_property_parties:
    'DOCUMENT ID,RECORD TYPE,PARTY TYPE,NAME,ADDRESS 1,ADDRESS 2,COUNTRY,CITY,STATE,ZIP,GOOD THROUGH DATE',
  acris_real_property_references:
    'DOCUMENT ID,RECORD TYPE,REFERENCE BY CRFN ,REFERENCE BY DOC ID,REFERENCE BY REEL YEAR,REFERENCE BY REEL BOROUGH,REFERENCE BY REEL NBR,REFERENCE BY REEL PAGE,Not_Used_1,Not_Used_2,GOOD THROUGH DATE',
  acris_real_property_remarks: 'DOCUMENT ID,RECORD TYPE,REMARK LINE NBR,REMARK TEXT LINE,GOOD THROUGH DATE',
};
type Table = keyof typeof HEADERS;

const TYPES = 'DEED MTGE MTGE ASST SAT SAT AGMT DEED MTGE SAT'.split(' ');
const END = '10/31/2026';

async function writeTables(folder: string, rows: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const files = new Map<Table, ReturnType<typeof createWriteStream>>();
  const texts = new Map<Table, string>();
  for (const [name, header] of Object.entries(HEADERS) as [Table, string][]) {
    files.set(name, createWriteStream(join(folder, `${name}.csv`)));
    texts.set(name, `${header}\n`);
  }
  const put = (name: Table, cells: (string | number)[]) => texts.set(name, `${texts.get(name)}${cells.join(',')}\n`);
  const flush = async () => {
    for (const [name, file] of files) {
      if (!file.write(texts.get(name)!)) await once(file, 'drain');
      texts.set(name, '');
    }
  };
  const documents = Math.round(rows / ROWS_PER_DOCUMENT);
  const lots = Math.ceil(documents / DOCUMENTS_PER_LOT);
  const random = seededRandom(17);
  const lotOf = (i: number) => [1 + (i % 4), 1 + (Math.floor(i / 4) % 9000), 1 + Math.floor(i / 36_000)] as const;
  for (let i = 0; i < lots; i++) {
    const [borough, block, lot] = lotOf(i);
    const [latitude, longitude] = [40.6 + random() * 0.25, -74 + random() * 0.25];
    put('pluto', [
      borough, block, lot, `${1 + (i % 999)} EAST ${1 + (i % 190)} STREET`, 10_001 + (i % 60), latitude.toFixed(6),
      longitude.toFixed(6), 'A1', 1, 'R3-2', 900 + (i % 4000), 2000, 1900 + (i % 120), 2, 1, 1, 'PRIVATE OWNER',
      30_000 + Math.floor(random() * 60_000), 9000 + Math.floor(random() * 9000), '25v2.1',
    ]); // prettier-ignore
    if (i % 5000 === 0) await flush();
  }
  for (let d = 0; d < documents; d++) {
    const [borough, block, lot] = lotOf(d % lots);
    const type = TYPES[Math.floor(d / lots) % TYPES.length];
    const year = 2003 + Math.floor((d / documents) * 22);
    const [month, day] = [1 + (d % 12), 1 + (d % 28)];
    const date = `${String(month).padStart(2, '0')}/${String(day).padStart(2, '0')}/${year}`;
    const idOf = (n: number) => `2${String(n).padStart(15, '0')}`;
    const crfnOf = (n: number) => `20${String(n).padStart(11, '0')}`;
    const id = idOf(d);
    put('acris_real_property_master', [
      id, 'A', crfnOf(d), borough, type, date, 200_000 + (d % 900) * 1000, date, date, 0, 0, 0, 0, END,
    ]); // prettier-ignore
    for (let n = 0; n < (d % 20 === 0 ? 2 : 1); n++)
      put('acris_real_property_legals', [
        id, 'L', borough, block, lot + n, 'N', 'E', 'N', 'N', 'D1', 1 + (d % 999), 'MAIN STREET', '', END,
      ]); // prettier-ignore
    for (let n = 0; n < (d % 5 < 2 ? 3 : 2); n++)
      put('acris_real_property_parties', [
        id, 'P', n === 0 ? 1 : 2, `PRIVATE OWNER ${(d * 7 + n) % 99_991}`, '1 PRIVATE ST', '', 'US', 'NEW YORK', 'NY',
        10_001, END,
      ]); // prettier-ignore
    if ((type === 'ASST' || type === 'SAT' || type === 'AGMT') && d >= lots)
      put('acris_real_property_references', [id, 'X', d % 3 ? crfnOf(d - lots) : '', d % 3 ? '' : idOf(d - lots), 0, 0, 0, 0, '', '', END]); // prettier-ignore
    if (d % 10 < 3)
      put('acris_real_property_remarks', [id, 'R', 1, type === 'AGMT' ? 'CONSOLIDATION AGREEMENT' : 'WATER', END]);
    if (d % 5000 === 0) await flush();
  }
  await flush();
  for (const file of files.values()) {
    file.end();
    await once(file, 'finish');
  }
}

/** Seconds by phase, with what is read before the first of them. */
function follow(phases: Map<string, number>): () => Progress {
  const add = (name: string, begun: number) =>
    phases.set(name, (phases.get(name) ?? 0) + (performance.now() - begun) / 1000);
  return () => {
    let last = performance.now();
    return {
      advance() {
        add('reading and mapping', last);
        last = performance.now();
      },
      async during(what, _rows, work) {
        const begun = performance.now();
        try {
          return await work(() => {});
        } finally {
          add(what, begun);
          last = performance.now();
        }
      },
      received() {},
      done() {},
    };
  };
}

/** `npm run bench -- acris [rows of all tables …]` */
export async function run(args: string[], config: Config): Promise<void> {
  const given = args.map(Number).filter((number) => number > 0);
  const lines: (string | number)[][] = [];
  for (const rows of given.length > 0 ? given : SIZES) {
    const folder = mkdtempSync(join(tmpdir(), 'platbook-acris-'));
    try {
      await writeTables(folder, rows);
      await withScratchDatabase(config, async (data) => {
        const { sources } = findSources(readSources(), ['new-york-ny']);
        const phases = new Map<string, number>();
        const deps = { data, clock: () => new Date(), cacheFolder: join(folder, 'cache') };
        const load = async (dataset: string, makeProgress?: () => Progress) => {
          const begun = performance.now();
          const [report] = await ingest({ ...deps, makeProgress }, sources, readSources(), {
            from: folder,
            datasets: [dataset],
          });
          return { report, seconds: (performance.now() - begun) / 1000 };
        };
        await load('pluto');
        const before = process.cpuUsage();
        const { report, seconds } = await load('documents', follow(phases));
        const { user, system } = process.cpuUsage(before);
        const per = (time: number) => `${time.toFixed(1)} s, ${Math.round((time / rows) * 1e6)} µs`;
        const { inserted = 0 } = report.targets.transactions ?? {};
        console.log(
          `${rows.toLocaleString('en')} rows: ${inserted.toLocaleString('en')} documents of lots in ${per(seconds)} a row, ` +
            `${Math.round(rows / seconds).toLocaleString('en')} rows a second, ${report.rowsQuarantined} set aside`,
        );
        for (const [name, time] of phases) lines.push([rows.toLocaleString('en'), name, per(time)]);
        lines.push([rows.toLocaleString('en'), 'all', per(seconds)]);
        lines.push([rows.toLocaleString('en'), 'time of this process alone', per((user + system) / 1e6)]);
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const rss = Math.round(process.resourceUsage().maxRSS / 1024);
  printTable(`Recorded documents of New York by phase, peak ${rss} MB`, ['rows', 'phase', 's and µs a row'], lines);
}
