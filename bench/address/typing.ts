// How many letters must be typed until the right address is among the first five, next to a plain sorted prefix, on the
// real addresses in PostgreSQL.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveAddress } from '../../src/records/address/address.ts';
import { formatLine } from '../../src/records/address/parse/format.ts';
import { createPlaces } from '../../src/records/address/places.ts';
import { indexAddresses } from '../../src/records/address/store/index-addresses.ts';
import { autocomplete } from '../../src/records/address/suggest.ts';
import type { Config } from '../../src/base/config.ts';
import { openDatabase } from '../../src/base/db/database.ts';
import { type Pool, inTransaction } from '../../src/base/db/postgres.ts';
import { seeded } from './cases.ts';
import { pick } from './corruptions.ts';
import { percentile } from './score.ts';
import type { Situs } from './situs.ts';

const SHOWN = 5;
const TYPED = 300;
const RESOLVED = 5000;

/** With `keep`, the filled database is kept for the next run. */
export async function measureTyping(config: Config, all: readonly Situs[], seed: number, keep: boolean): Promise<void> {
  const home = join(tmpdir(), 'platbook-bench-typing');
  const isolated = { ...config, home, databaseUrl: undefined, dataDatabaseUrl: undefined, statementTimeoutMs: 600_000 };
  const database = await openDatabase(isolated);
  try {
    const { rows } = await database.data.query('select exists (select 1 from addresses) as is_filled');
    if (!rows[0].is_filled) await fill(database.data, all);
    const random = seeded(seed);
    const lines = all.map(formatLine);
    await measureForm(database.data, 'number first', lines, random);
    // Nobody types the unit before the number.
    const houses = all.filter(({ unit }) => unit === '').map(formatLine);
    await measureForm(database.data, 'street first', houses.map(streetFirst), random);
    await measureResolving(database.data, lines, random);
  } finally {
    await database.close();
    if (!keep) rmSync(home, { recursive: true, force: true });
  }
}

async function fill(data: Pool, all: readonly Situs[]): Promise<void> {
  for (const [fips, situs] of Map.groupBy(all, (each) => each.fips)) {
    const sorted = situs.toSorted((a, b) => (a.propertyId < b.propertyId ? -1 : 1));
    await inTransaction(data, (client) =>
      indexAddresses(client, fips, sorted, { words: { suffixes: situs[0].suffixes }, isEmpty: true }),
    );
  }
  await data.query('vacuum analyze');
}

/** `1208 Lantern Hill Dr, Port Ellowby` → `Lantern Hill Dr 1208, Port Ellowby`. */
function streetFirst(line: string): string {
  return line.replace(/^(\S+) ([^,]*)/, '$2 $1');
}

async function measureForm(data: Pool, form: string, lines: readonly string[], random: () => number): Promise<void> {
  const sorted = [...new Set(lines.map((line) => line.toUpperCase()))].sort();
  const counts: Record<'ours' | 'prefix', number[]> = { ours: [], prefix: [] };
  const times: number[] = [];
  for (let asked = 0; asked < TYPED; asked++) {
    const line = pick(lines, random);
    const wanted = form === 'number first' ? line : line.replace(/^([^,]*) (\S+?)(?=,)/, '$2 $1');
    counts.prefix.push(lettersNeeded(line, (typed) => isAmongFirst(sorted, typed.toUpperCase(), line.toUpperCase())));
    counts.ours.push(
      await lettersNeededAsync(line, async (typed) => {
        const start = performance.now();
        const found = await autocomplete({ data }, typed, { mode: 'live' });
        times.push(performance.now() - start);
        return found.slice(0, SHOWN).some(({ address }) => address.toUpperCase() === wanted.toUpperCase());
      }),
    );
  }
  const show = (letters: number[]): string => {
    letters.sort((a, b) => a - b);
    const mean = letters.reduce((sum, each) => sum + each, 0) / letters.length;
    return `median ${percentile(letters, 0.5)}, mean ${mean.toFixed(1)}, p90 ${percentile(letters, 0.9)}`;
  };
  times.sort((a, b) => a - b);
  console.log(`typing, ${form}: ours ${show(counts.ours)}; sorted prefix ${show(counts.prefix)}`);
  console.log(`  p50 ${percentile(times, 0.5).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(2)} ms a letter`);
}

function isAmongFirst(sorted: readonly string[], typed: string, line: string): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < typed) low = middle + 1;
    else high = middle;
  }
  return sorted.slice(low, low + SHOWN).includes(line);
}

/** The whole length if even that does not show it. */
function lettersNeeded(line: string, shows: (typed: string) => boolean): number {
  for (let letters = 1; letters < line.length; letters++) if (shows(line.slice(0, letters))) return letters;
  return line.length;
}

async function lettersNeededAsync(line: string, shows: (typed: string) => Promise<boolean>): Promise<number> {
  for (let letters = 1; letters < line.length; letters++) if (await shows(line.slice(0, letters))) return letters;
  return line.length;
}

async function measureResolving(data: Pool, lines: readonly string[], random: () => number): Promise<void> {
  const places = createPlaces({ data });
  const times: number[] = [];
  for (let asked = 0; asked < RESOLVED; asked++) {
    const line = pick(lines, random);
    const start = performance.now();
    await resolveAddress({ data, places }, line, { mode: 'live' });
    if (asked >= RESOLVED / 10) times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  console.log(`resolving: p50 ${percentile(times, 0.5).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(2)} ms`);
}
