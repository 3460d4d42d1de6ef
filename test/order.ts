// The order in which test files start: the longest first, so that the cores are busy to the end, and the short unit files
// together in a few processes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Seconds by file, as the last run of this machine measured them. */
const MEASURED = join(ROOT, 'node_modules/.cache/platbook/test-seconds.json');

/** For a first run: the files that took longest on two cores, with their seconds. */
const USUAL_SECONDS: Record<string, number> = {
  'test/api/ingest-places.test.ts': 180,
  'test/e2e/start.test.ts': 150,
  'test/e2e/backup.test.ts': 120,
  'test/e2e/training.test.ts': 100,
  'test/api/telemetry.test.ts': 93,
  'test/api/upgrade.test.ts': 93,
  'test/api/restored-feed.test.ts': 78,
  'test/api/sign-in-safety.test.ts': 75,
  'test/api/counties.test.ts': 70,
  'test/api/quality.test.ts': 62,
  'test/api/grid-markets.test.ts': 60,
  'test/api/price-index-seattle.test.ts': 58,
  'test/api/market-jobs.test.ts': 51,
  'test/repo/promises.test.ts': 32,
  'test/api/analytics-markets.test.ts': 30,
  'test/unit/ingest-counts.test.ts': 28,
  'test/e2e/rolling-upgrade.test.ts': 22,
};
/** For a file of which nothing is known, by its folder. */
const USUAL_BY_FOLDER: Record<string, number> = { 'test/e2e': 20, 'test/api': 10, 'test/repo': 3, 'test/unit': 2 };

/** A unit file that takes longer runs beside the others, in a process of its own. */
const SHORT_SECONDS = 8;
const UNIT_PROCESSES = 2;
/** Hooks outside of any block would run around the tests of every file in the process. */
const TOP_LEVEL_HOOK = /^(before|after|beforeEach|afterEach)\(/m;

export function longestFirst(files: readonly string[]): string[] {
  const seconds = readSeconds();
  return files.toSorted((a, b) => secondsOf(seconds, b) - secondsOf(seconds, a));
}

/** Replaces short unit files by a few modules in `folder` that import them: a process costs more than most of their tests. */
export function joinUnitFiles(files: readonly string[], folder: string): string[] {
  const seconds = readSeconds();
  const isShort = (file: string) =>
    file.startsWith('test/unit/') &&
    secondsOf(seconds, file) <= SHORT_SECONDS &&
    !TOP_LEVEL_HOOK.test(readFileSync(join(ROOT, file), 'utf8'));
  const { joined = [], alone = [] } = Object.groupBy(files, (file) => (isShort(file) ? 'joined' : 'alone'));
  const modules = Array.from({ length: UNIT_PROCESSES }, (_, n) => {
    const path = join(folder, `unit-${n}.mjs`);
    const own = joined.filter((_, at) => at % UNIT_PROCESSES === n);
    writeFileSync(path, own.map((file) => `import ${JSON.stringify(join(ROOT, file))};\n`).join(''));
    return path;
  });
  return [...alone.map((file) => join(ROOT, file)), ...modules];
}

export function rememberSeconds(measured: ReadonlyMap<string, number>): void {
  mkdirSync(dirname(MEASURED), { recursive: true });
  const all = { ...readSeconds(), ...Object.fromEntries(measured) };
  writeFileSync(MEASURED, `${JSON.stringify(all, null, 1)}\n`);
}

function readSeconds(): Record<string, number> {
  try {
    return { ...USUAL_SECONDS, ...JSON.parse(readFileSync(MEASURED, 'utf8')) };
  } catch {
    return USUAL_SECONDS;
  }
}

function secondsOf(seconds: Record<string, number>, file: string): number {
  return seconds[file] ?? USUAL_BY_FOLDER[dirname(file)] ?? 0;
}
