// Search by name: how many of the ways in which real names are written lead to their owner, how many of the first five found are
// others, and what a search costs among many owners. Names are read from the machine's data, and none is printed.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../src/base/config.ts';
import { openDatabase } from '../src/base/db/database.ts';
import type { Pool } from '../src/base/db/postgres.ts';
import { propertyId } from '../src/base/lib/ids.ts';
import { fileNames } from '../src/records/owners/filing.ts';
import { readPartyName } from '../src/records/owners/party-name.ts';
import { searchParties } from '../src/records/owners/search.ts';
import { ROLES } from '../src/records/owners/sql.ts';
import { readFilter } from '../src/records/properties/filter.ts';
import { createCatalog } from '../src/records/markets/catalog.ts';
import { compareParties, isOrganization } from '../src/records/title/names.ts';
import { readCsv } from './address/situs.ts';
import { measureInTurns, ms, printTable } from './measure.ts';
import { seededRandom } from './synthetic.ts';

const FIPS = 98_001;
const TESTED = 1_000;
/** Filed as by a load; the database copies them to other counties for the rest. */
const FILED = 500_000;

/** `--file=<names, one a line>` adds names to those in the data; `--owners=10000000` says among how many the cost is measured. */
export async function run(args: string[], config: Config): Promise<void> {
  const option = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
  const names = await readNames(config.recordsFolder, option('file'));
  if (names.length > 0) await withOwners(config, names, measureRecall);
  const owners = Number(option('owners') ?? 1_000_000);
  const invented = inventNames(Math.min(owners, FILED));
  await withOwners(config, invented, async (data, all) => {
    await multiply(data, Math.round(owners / all.length));
    await measureCost(data, all, owners);
  });
}

async function readNames(folder: string, file: string | undefined): Promise<string[]> {
  const found: string[] = file ? readFileSync(file, 'utf8').split('\n') : [];
  const read = async (path: string, columns: string[]) => {
    if (!existsSync(join(folder, path))) return;
    for await (const row of readCsv(join(folder, path))) found.push(...columns.map((name) => row[name] ?? ''));
  };
  await read('milwaukee/parcels.csv.gz', ['owner_name_2026']);
  await read('lyme/recorded_documents.csv.gz', ['GC_Party1', 'GC_Party2']);
  const isName = (name: string) => /[A-Z]{2}/.test(name) && !name.startsWith('PRIVATE OWNER');
  return [...new Set(found.map((name) => name.trim()))].filter(isName);
}

async function withOwners(config: Config, names: string[], measure: (data: Pool, names: string[]) => Promise<void>) {
  const home = join(tmpdir(), `platbook-bench-names-${process.pid}`);
  const isolated = {
    ...config,
    home,
    databaseUrl: undefined,
    dataDatabaseUrl: undefined,
    poolSize: 2,
    statementTimeoutMs: 3_600_000,
  };
  const database = await openDatabase(isolated);
  try {
    await fill(database.data, names);
    await measure(database.data, names);
  } finally {
    await database.close();
    rmSync(home, { recursive: true, force: true });
  }
}

const idOf = (at: number) => propertyId(FIPS, String(at));

async function fill(data: Pool, names: string[]): Promise<void> {
  const ids = names.map((_, at) => idOf(at));
  await data.query(`insert into markets (id, name, state) values ('bench', 'Bench', 'ZY')`);
  await data.query(`insert into counties (fips, name, state) values (${FIPS}, 'Bench', 'ZY')`);
  await data.query(
    `insert into loads (source_id, market, state, started_at) values ('bench', 'bench', 'completed', now())`,
  );
  await data.query(
    `insert into property_counts (fips, market, property_type, property_count) values (${FIPS}, 'bench', 'single_family', $1)`,
    [names.length],
  );
  await data.query(
    `insert into owners (fips, property_id, known_on, names, type, source_id, load_id, loaded_at)
     select ${FIPS}, id, '2026-01-01', array[name], 'individual', 'bench', 1, now() from unnest($1::text[], $2::text[]) as n (id, name)`,
    [ids, names],
  );
  const started = performance.now();
  const filed = await fileNames({ data }, FIPS, 'bench');
  const seconds = (performance.now() - started) / 1000;
  console.log(`${filed.toLocaleString('en')} names filed in ${seconds.toFixed(0)} s`);
  await data.query('vacuum analyze parties, party_keys, name_spellings');
}

/** The ways in which a name is written that should lead to it. Undefined where a name cannot be written so. */
const VARIANTS: Record<string, (words: string[], random: () => number, isFirm: boolean) => string | undefined> = {
  'as written': (words) => words.join(' '),
  'words turned around': (words) => [...words.slice(1), words[0]].join(' '),
  'lower case, with commas': (words) => `${words[0]}, ${words.slice(1).join(' ')}`.toLowerCase(),
  'et al': (words) => `${words.join(' ')} ET AL`,
  'trustee, estate': (words, random) =>
    random() < 0.5 ? `${words.join(' ')} TRUSTEE` : `ESTATE OF ${words.join(' ')}`,
  'without LLC, JR and the like': (words) =>
    words.filter((word) => !/^(LLC|INC|CORP|CO|LP|LTD|JR|SR|II|III)$/.test(word)).join(' '),
  'with a suffix': (words, _random, isFirm) => `${words.join(' ')} ${isFirm ? 'L.L.C.' : 'Jr.'}`,
  'given name as an initial': (words, _random, isFirm) =>
    isFirm || words.length < 2 || words[0].length < 4 || words[1].length < 3
      ? undefined
      : [words[0], words[1][0], ...words.slice(2)].join(' '),
  'a letter missing': (words, random) => misspell(words, random, (word, at) => word.slice(0, at) + word.slice(at + 1)),
  'two letters swapped': (words, random) =>
    misspell(words, random, (word, at) => word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1)),
  'another letter': (words, random) =>
    misspell(words, random, (word, at) => `${word.slice(0, at)}E${word.slice(at + 1)}`),
};

/** Of one word of five letters or more, not at its first letter. */
function misspell(
  words: string[],
  random: () => number,
  change: (word: string, at: number) => string,
): string | undefined {
  const long = words.flatMap((word, i) => (/^[A-Z]{5,}$/.test(word) ? [i] : []));
  if (long.length === 0) return undefined;
  const chosen = long[Math.floor(random() * long.length)];
  const at = 2 + Math.floor(random() * (words[chosen].length - 2));
  return words.map((word, i) => (i === chosen ? change(word, at) : word)).join(' ');
}

async function measureRecall(data: Pool, names: string[]): Promise<void> {
  const random = seededRandom(11);
  const find = finderOf(data);
  const step = Math.max(1, Math.floor(names.length / TESTED));
  const tested = names.filter((_, i) => i % step === 0);
  const totals = { asked: 0, found: 0, wrong: 0 };
  const rows: (string | number)[][] = [];
  for (const [kind, write] of Object.entries(VARIANTS)) {
    let [asked, found, wrong] = [0, 0, 0];
    for (const name of tested) {
      const text = write(
        name
          .toUpperCase()
          .split(/[\s,]+/)
          .filter(Boolean),
        random,
        isOrganization(name),
      );
      if (text === undefined || !/[a-z]{2}/i.test(text)) continue;
      const parties = (await find(text)).parties.map(({ party }) => party.name);
      asked++;
      if (parties.includes(name)) found++;
      const isOther = (other: string) =>
        compareParties([other], [name]) === 'different' &&
        !wordsOf(text).every((word) => wordsOf(other).includes(word));
      wrong += parties.slice(0, 5).filter(isOther).length;
    }
    rows.push([kind, asked, share(found, asked), share(wrong, asked)]);
    totals.asked += asked;
    totals.found += found;
    totals.wrong += wrong;
  }
  rows.push(['all', totals.asked, share(totals.found, totals.asked), share(totals.wrong, totals.asked)]);
  const head = ['how it is asked for', 'asked', 'found', 'others among the first five, per question'];
  printTable(`Names found among ${names.length.toLocaleString('en')}`, head, rows);
}

/** Another party whose name has every word as it was asked for is no mistake. */
const wordsOf = (text: string) => readPartyName(text).words;

const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;

function finderOf(data: Pool) {
  const catalog = createCatalog({ data });
  return (name: string) =>
    searchParties({ data, catalog }, 'live', { name, roles: [...ROLES], filter: readFilter({}), limit: 100 });
}

/** Family and given names as unevenly spread as real ones: the commonest of 60,000 is had by about one in a hundred. */
function inventNames(count: number): string[] {
  const random = seededRandom(5);
  const syllables = 'BA LO MI TER VAN SOL QUE RI DO ZEN MAR HOL WIN KES TAN BRI GAR PEN LA FOR STEIN SON MAN LEY'.split(
    ' ',
  );
  const word = (at: number, most: number) => {
    let text = '';
    for (let left = at + most, i = 0; left > 0 || i < 2; left = Math.floor(left / syllables.length), i++)
      text += syllables[left % syllables.length];
    return text;
  };
  const draw = (most: number) => Math.floor(most ** random()) - 1;
  return Array.from({ length: count }, () => {
    const middle = random() < 0.5 ? ` ${String.fromCharCode(65 + Math.floor(random() * 26))}` : '';
    return `${word(draw(60_000), 60_000)} ${word(draw(3_000), 3_000)}${middle}`;
  });
}

async function multiply(data: Pool, times: number): Promise<void> {
  if (times < 2) return;
  await data.query('alter table party_keys drop constraint party_keys_pkey');
  const copies = `generate_series(1, ${times - 1}) as copy`;
  await data.query(
    `insert into parties select fips + copy, property_id, ordinal, role, name, keys, owner_id, mailing_key, transaction_id, dated_on
     from parties, ${copies}`,
  );
  await data.query(`insert into party_keys select key, fips + copy, property_id, ordinal from party_keys, ${copies}`);
  await data.query(`insert into counties select ${FIPS} + copy, 'Bench', 'ZY' from ${copies}`);
  await data.query(
    `insert into property_counts (fips, market, property_type, property_count)
     select ${FIPS} + copy, market, property_type, property_count from property_counts, ${copies}`,
  );
  await data.query(`set maintenance_work_mem = '512MB'`);
  await data.query('alter table party_keys add primary key (key, fips, property_id, ordinal)');
  await data.query('vacuum analyze parties, party_keys');
}

async function measureCost(data: Pool, names: string[], owners: number): Promise<void> {
  const random = seededRandom(3);
  const find = finderOf(data);
  const asked = Array.from({ length: 600 }, () => names[Math.floor(random() * names.length)]);
  const misspelled = asked.map(
    (name) => misspell(name.split(' '), random, (word, at) => word.slice(0, at) + word.slice(at + 1)) ?? name,
  );
  const short = asked.map((name) => name.replace(/ (\w)\w*/, ' $1'));
  const baseline = (i: number) =>
    data.query('select * from parties where fips = $1 and property_id = $2', [
      FIPS,
      idOf(Math.floor((i * 7919) % names.length)),
    ]);
  const kinds: [string, (i: number) => Promise<unknown>][] = [
    ['a row by its key (baseline)', baseline],
    ['a full name', (i) => find(asked[i % asked.length])],
    ['a family name and an initial', (i) => find(short[i % short.length])],
    ['a misspelled name', (i) => find(misspelled[i % misspelled.length])],
  ];
  const samples = await measureInTurns(
    kinds.map(([, work]) => work),
    400,
  );
  const { rows } = await data.query(
    `select pg_size_pretty(sum(pg_total_relation_size(c::regclass))) as size from unnest(array['parties', 'party_keys', 'name_spellings']) as c`,
  );
  printTable(
    `Search by name among ${owners.toLocaleString('en')} owners (${rows[0].size})`,
    ['search', 'p50 ms', 'p99 ms'],
    samples.map((sample, i) => [kinds[i][0], ms(sample.p50Ms), ms(sample.p99Ms)]),
  );
}
