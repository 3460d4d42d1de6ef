// The order in which test files start: the longest first, so that the cores are busy to the end, and short files together in
// one process.
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
const USUAL_BY_FOLDER: Record<string, number> = { 'test/e2e': 20, 'test/api': 5, 'test/repo': 3, 'test/unit': 2 };

/** A file that takes longer has a process of its own. */
const SHORT_SECONDS = 25;
/** Of all the files in a process, so that none is left alone at the end of a run. */
const GROUP_SECONDS = 60;
/** They replace what all of a process share: the global tracer, its environment. */
const ALONE = ['test/api/telemetry.test.ts'];

export function longestFirst(files: readonly string[]): string[] {
  const seconds = readSeconds();
  return files.toSorted((a, b) => secondsOf(seconds, b) - secondsOf(seconds, a));
}

/**
 * Replaces short files by modules in `folder` that run them one after another, each as a block with hooks of its own: loading
 * and compiling the program takes a process longer than most files take.
 */
export function joinShortFiles(files: readonly string[], folder: string): string[] {
  const seconds = readSeconds();
  const isShort = (file: string) =>
    /^test\/(api|unit)\//.test(file) && secondsOf(seconds, file) <= SHORT_SECONDS && !ALONE.includes(file);
  const { short = [], long = [] } = Object.groupBy(files, (file) => (isShort(file) ? 'short' : 'long'));
  const groups: { files: string[]; seconds: number }[] = [];
  for (const file of short) {
    const taken = secondsOf(seconds, file);
    let group = groups.find(
      (other) => dirname(other.files[0]) === dirname(file) && other.seconds + taken <= GROUP_SECONDS,
    );
    if (!group) groups.push((group = { files: [], seconds: 0 }));
    group.files.push(file);
    group.seconds += taken;
  }
  const modules = groups.map((group, n) => {
    const path = join(folder, `group-${n}.mjs`);
    const blocks = group.files.map(
      (file) => `await describe('${file}', () => import(${JSON.stringify(join(ROOT, file))}));\n`,
    );
    writeFileSync(path, `import { describe } from 'node:test';\n${blocks.join('')}`);
    return { path, seconds: group.seconds };
  });
  const alone = long.map((file) => ({ path: join(ROOT, file), seconds: secondsOf(seconds, file) }));
  return [...alone, ...modules].toSorted((a, b) => b.seconds - a.seconds).map(({ path }) => path);
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
