// `npm test`: one PostgreSQL, one template database with the sandbox market, the longest test files first, each in its
// own process with databases cloned from the template; ends with the counts.
import { execFile } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { buildWeb } from '../src/operate/build-web.ts';
import { startEmbedded } from '../src/base/db/embedded.ts';
import { dropCitusDatabase } from './citus.ts';
import { prepareChromium } from './chromium.ts';
import { keepGoldenHome, needsGoldenHome } from './golden-home.ts';
import { makeHome } from './home.ts';
import { joinShortFiles, longestFirst, rememberSeconds } from './order.ts';
import { countSkipped, describeSkipped, skippedBlock, type Skipped } from './skipped.ts';
import { buildTemplate, withServer } from './template.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The timeout of one file if its watchdog, which accounts for load, could not end it. */
const HANGS_AFTER_MS = 3_600_000;
const WATCHDOG = `--import=${new URL('watchdog.ts', import.meta.url)}`;

/** Two more than the cores, because files that wait for a browser or a child process leave their core idle. */
const FILES_AT_ONCE = Math.min(8, availableParallelism() + 2);

/** A run is as long as its slowest files make it. */
const SLOWEST_NAMED = 12;

/** Failures are listed at the very end, so they are visible in the last lines. */
interface Counts {
  passed: number;
  skipped: Skipped[];
  failures: string[];
  /** By file. */
  seconds: Map<string, number>;
}

/** `npm test -- search risk` runs the files whose path contains one of the words. */
async function runTests(words: string[]): Promise<void> {
  const isWhole = words.length === 0;
  const files = longestFirst(
    globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => isWhole || words.some((word) => file.includes(word))),
  );
  const { pure = [], others = [] } = Object.groupBy(files, (file) =>
    file.startsWith('test/unit/') ? 'pure' : 'others',
  );
  const home = makeHome('platbook-test-');
  const isOwnServer = others.length > 0 && !process.env.TEST_DATABASE_URL;
  let server: Awaited<ReturnType<typeof startEmbedded>> | undefined;
  const counts: Counts = { passed: 0, skipped: [], failures: [], seconds: new Map() };
  const checks = isWhole ? runStaticChecks(counts) : undefined;
  // Tests without a database use the core left idle while one is built.
  const early = runFiles(joinShortFiles(pure, join(home, 'pure')), counts, 1);
  try {
    if (others.length > 0) {
      if (isOwnServer) server = await startEmbedded(home);
      if (server) await neverSync(server.url);
      const template = await buildTemplate(process.env.TEST_DATABASE_URL ?? server!.url, process.env.TEST_CITUS_URL);
      process.env.PLATBOOK_TEST_TEMPLATE = template;
      if (others.some(needsGoldenHome)) {
        // A server's files can only be copied while it is stopped.
        await server?.stop();
        process.env.PLATBOOK_TEST_GOLDEN_HOME = await keepGoldenHome(home, server && template);
        server &&= await startEmbedded(home);
      }
      process.env.PLATBOOK_TEST_SERVER = process.env.TEST_DATABASE_URL ?? server!.url;
      // Once, before several test processes could try.
      if (others.some((file) => file.startsWith('test/e2e'))) {
        await buildWeb();
        process.env.PLATBOOK_TEST_CHROMIUM = prepareChromium(join(home, 'chromium')) ?? '';
      }
      await runFiles(joinShortFiles(others, join(home, 'others')), counts, FILES_AT_ONCE);
    }
  } catch (error) {
    counts.failures.push(`✖ what the tests stand on: ${inspect(error)}\n`);
  } finally {
    await Promise.all([early, checks]);
    reportSeconds(counts);
    const { TEST_CITUS_URL: citus, PLATBOOK_TEST_TEMPLATE: template } = process.env;
    if (citus && template) await dropCitusDatabase(citus, template);
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  }
  const { passed, failures, skipped } = counts;
  process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;
  const more = skipped.length > 0 ? `, ${countSkipped(skipped)} skipped` : '';
  process.stdout.write(
    `\n${failures.join('')}${describeSkipped(skipped)}${passed} passed, ${failures.length} failed${more}\n`,
  );
}

/** Test data need not survive a crash. Tests that kill a server start their own. */
async function neverSync(serverUrl: string): Promise<void> {
  await withServer(serverUrl, async (client) => {
    for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
      await client.query(`alter system set ${setting} = off`);
    await client.query('select pg_reload_conf()');
  });
}

/** Format, lint and types count as one test: code that does not check does not pass. */
function runStaticChecks(counts: Counts): Promise<void> {
  return new Promise((done) => {
    execFile(process.execPath, [join(ROOT, 'test/check.ts')], (error, stdout, stderr) => {
      if (error) counts.failures.push(`✖ npm run check\n${stdout}${stderr}\n`);
      else counts.passed++;
      done();
    });
  });
}

async function runFiles(files: string[], counts: Counts, concurrency: number): Promise<void> {
  if (files.length === 0) return;
  const stream = run({ files, concurrency, timeout: HANGS_AFTER_MS, execArgv: [WATCHDOG] });
  stream.on('test:pass', ({ skip, todo, details, file = '', line = 1 }) => {
    const reason = skip ?? todo;
    if (details.type === 'suite') {
      if (reason !== undefined) counts.skipped.push(skippedBlock(file, line, String(reason)));
    } else if (reason === undefined) counts.passed++;
    else counts.skipped.push({ count: 1, reason: String(reason), file });
  });
  stream.on('test:fail', ({ details, name, file }) => {
    // A block fails with its tests, which are counted separately, or by its own hook.
    const { failureType } = details.error as { failureType?: string };
    if (details.type === 'suite' && failureType === 'subtestsFailed') return;
    counts.failures.push(`✖ ${relative(ROOT, file ?? '')}: ${name}\n`);
  });
  for (const event of ['test:pass', 'test:fail'] as const) {
    stream.on(event, ({ name, file = '', nesting, details }) => {
      // A file that shares its process is a block with its path as name.
      const path = name.endsWith('.test.ts') ? name : relative(ROOT, file);
      if (nesting === 0) counts.seconds.set(path, (counts.seconds.get(path) ?? 0) + details.duration_ms / 1000);
    });
  }
  const report = stream.compose(new spec());
  report.pipe(process.stdout, { end: false });
  await new Promise((resolve, reject) => report.on('end', resolve).on('error', reject));
}

function reportSeconds({ seconds }: Counts): void {
  rememberSeconds(seconds);
  const slowest = [...seconds].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST_NAMED);
  for (const [file, taken] of slowest) process.stdout.write(`${Math.round(taken)} s  ${file}\n`);
}

await runTests(process.argv.slice(2));
