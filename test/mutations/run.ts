// `npm run mutate`: breaks one line at a time in a temporary copy of the tree, runs the nearest tests there, and counts how
// many of the broken programs the tests notice. `npm run mutate -- billing test/unit` takes the files whose path, or the path
// of whose tests, holds a word.
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWeb } from '../../src/operate/build-web.ts';
import { startEmbedded } from '../../src/base/db/embedded.ts';
import { keepGoldenHome } from '../golden-home.ts';
import { makeHome } from '../home.ts';
import { buildTemplate, withServer } from '../template.ts';
import type { Mutation } from './group.ts';
import { GROUPS } from './mutations.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const AT_ONCE = 2;
/** A program that no longer ends is noticed, too. */
const TIMEOUT_MS = 600_000;
const NOT_COPIED = new Set(['node_modules', '.git', '.platbook', '.mirror']);

const running = new Set<ChildProcess>();

type Outcome = 'died' | 'survived';
type Job = Mutation & { file: string; tests: string[] };

async function runMutations(words: string[]): Promise<void> {
  const jobs: Job[] = GROUPS.filter(
    ({ file, tests }) =>
      words.length === 0 || words.some((word) => [file, ...tests].some((path) => path.includes(word))),
  ).flatMap(({ file, tests, mutations }) => mutations.map((mutation) => ({ ...mutation, file, tests })));
  const home = makeHome('platbook-mutations-');
  const database = join(home, 'database');
  let server = await startEmbedded(database);
  const clean = async () => {
    for (const child of running) child.kill('SIGKILL');
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void clean().finally(() => process.exit(130)));
  try {
    const template = await buildTemplate(server.url);
    process.env.PLATBOOK_TEST_TEMPLATE = template;
    // The files of a server can only be copied while it rests.
    await server.stop();
    process.env.PLATBOOK_TEST_GOLDEN_HOME = await keepGoldenHome(database, template);
    server = await startEmbedded(database);
    process.env.PLATBOOK_TEST_SERVER = server.url;
    // Once, before the copies: a test that starts the program as another user could not write it there.
    await buildWeb();
    const copies = Array.from({ length: AT_ONCE }, (_, n) => copyTree(join(home, `copy-${n}`)));
    const tests = [...new Set(jobs.flatMap((job) => job.tests))];
    const broken = await spread(tests, copies, async (test, copy) => ((await runTest(copy, test)) ? [] : [test]));
    if (broken.flat().length > 0) throw new Error(`These fail without any mutation: ${broken.flat().join(', ')}`);
    const outcomes = await spread(jobs, copies, tryMutation);
    report(jobs, outcomes);
  } finally {
    await clean();
  }
}

/** Everything but what is installed; packages are shared by a link. */
function copyTree(folder: string): string {
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) =>
      !path
        .slice(ROOT.length)
        .split(sep)
        .some((part) => NOT_COPIED.has(part)),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function spread<Item, Result>(
  items: Item[],
  copies: string[],
  work: (item: Item, copy: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const runNext = async (copy: string): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at], copy);
  };
  await Promise.all(copies.map(runNext));
  return results;
}

async function tryMutation(job: Job, copy: string): Promise<Outcome> {
  const path = join(copy, job.file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, applyMutation(original, job));
  let outcome: Outcome = 'survived';
  try {
    for (const test of job.tests) {
      if (outcome === 'survived' && !(await runTest(copy, test))) outcome = 'died';
    }
  } finally {
    writeFileSync(path, original);
  }
  process.stdout.write(`${outcome === 'died' ? '✔ died    ' : '✖ survived'} ${job.file}: ${job.breaks}\n`);
  return outcome;
}

function applyMutation(text: string, { find, replace }: Mutation): string {
  const pieces = text.split(find);
  if (pieces.length !== 2) throw new Error(`Found ${pieces.length - 1} times instead of once: ${find}`);
  return pieces.join(replace);
}

/** True when the file passes; ends at the first failure. */
async function runTest(copy: string, test: string): Promise<boolean> {
  const child = spawn(process.execPath, ['--test-reporter=tap', join(copy, test)], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.add(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen = (seen + text).slice(-10_000);
    if (/^\s*not ok /m.test(seen)) child.kill('SIGKILL');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  running.delete(child);
  await dropDatabases(child.pid!);
  return code === 0;
}

/** A test that was ended early leaves its databases behind. */
async function dropDatabases(pid: number): Promise<void> {
  await withServer(process.env.PLATBOOK_TEST_SERVER!, async (client) => {
    const { rows } = await client.query('select datname from pg_database where datname like $1', [
      `platbook\\_test\\_${pid}\\_%`,
    ]);
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  });
}

function report(jobs: Job[], outcomes: Outcome[]): void {
  const survivors = jobs.filter((_, n) => outcomes[n] === 'survived');
  for (const { file, find, replace } of survivors) process.stdout.write(`\n${file}\n- ${find}\n+ ${replace}\n`);
  const died = jobs.length - survivors.length;
  const percent = Math.floor((100 * died) / jobs.length);
  process.stdout.write(`\n${died} of ${jobs.length} mutations died (${percent}%)\n`);
  process.exitCode = survivors.length > 0 ? 1 : 0;
}

await runMutations(process.argv.slice(2));
