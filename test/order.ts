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
  'test/e2e/start.test.ts': 424,
  'test/api/ingest-places.test.ts': 338,
  'test/api/counties.test.ts': 258,
  'test/e2e/backup.test.ts': 254,
  'test/api/wrong-files.test.ts': 245,
  'test/e2e/web-pages.test.ts': 190,
  'test/e2e/web-explore.test.ts': 187,
  'test/api/price-index-seattle.test.ts': 183,
  'test/e2e/web-counties.test.ts': 179,
  'test/e2e/docs.test.ts': 177,
  'test/e2e/training.test.ts': 153,
  'test/api/quality.test.ts': 139,
  'test/unit/valuation.test.ts': 130,
  'test/api/restored-feed.test.ts': 104,
  'test/api/billing-histories.test.ts': 89,
  'test/api/telemetry.test.ts': 84,
  'test/api/batches.test.ts': 80,
  'test/api/fuzz.test.ts': 76,
  'test/api/jobs.test.ts': 67,
  'test/api/retraining.test.ts': 62,
  'test/api/reports.test.ts': 62,
  'test/e2e/web-journeys.test.ts': 61,
  'test/e2e/web-areas.test.ts': 61,
  'test/api/grid-markets.test.ts': 57,
  'test/e2e/failures.test.ts': 53,
  'test/api/neighbors.test.ts': 52,
  'test/repo/promises.test.ts': 50,
  'test/api/books.test.ts': 50,
  'test/api/ingest-large.test.ts': 48,
  'test/e2e/webhook-crash.test.ts': 45,
  'test/api/test-clocks.test.ts': 45,
  'test/e2e/processes.test.ts': 43,
  'test/e2e/county.test.ts': 43,
  'test/e2e/mcp-inspector.test.ts': 42,
  'test/api/search.test.ts': 41,
};
/** The default for an unmeasured file, by folder. */
const USUAL_BY_FOLDER: Record<string, number> = { 'test/e2e': 20, 'test/api': 8, 'test/repo': 3, 'test/unit': 2 };

/** A slower file gets its own process. */
const SHORT_SECONDS = 40;
/** Total per process, so none runs alone at the end. */
const GROUP_SECONDS = 90;
/** They replace process-wide state: the global tracer, the environment. */
const ALONE = ['test/api/telemetry.test.ts'];

export function longestFirst(files: readonly string[]): string[] {
  const seconds = readSeconds();
  return files.toSorted((a, b) => secondsOf(seconds, b) - secondsOf(seconds, a));
}

/** Replaces short files by modules in `folder` that run them in sequence, each as a block with its own hooks: loading
    and compiling the program takes a process longer than most files take. */
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
  mkdirSync(folder, { recursive: true });
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
