// `npm start` as a newcomer and as an operator meet it: first start, second start, kill -9, two at once, odd folders.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { readConfig } from '../../src/base/config.ts';
import { readPostmasterFile } from '../../src/base/db/embedded.ts';
import { BARE_ENVIRONMENT } from '../bare-environment.ts';
import { copyGoldenHome } from '../golden-home.ts';
import { TEST_PROPERTIES } from '../template.ts';
import { until } from '../until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RECORDS = readConfig({ PLATBOOK_DATA: process.env.PLATBOOK_DATA }).recordsFolder;
const START_WITHIN_MS = 900_000;
const NOBODY = 65_534;
/** More of them are in `npm run chaos`. */
const ROUNDS_OF_KILLS = 3;
const WRONG_PASSWORD = 'The password in postgres.password is not that of this database.';
const KILLED_AFTER_MS = [1_500, 3_000, 6_000];
const FEW_PROPERTIES = 2_000;
/** Nobody needs root. Where the tests have it, one of them keeps it, in a folder that others cannot enter. */
const plainUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const folders: string[] = [];
const outsideBefore = new Set(listOutside());
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  for (const folder of listOutside()) if (!outsideBefore.has(folder)) rmSync(folder, { recursive: true, force: true });
});

function listOutside(): string[] {
  return existsSync('/var/lib')
    ? readdirSync('/var/lib')
        .filter((name) => name.startsWith('platbook-'))
        .map((name) => `/var/lib/${name}`)
    : [];
}

function makeFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  folders.push(folder);
  return folder;
}

/** For tests that only need a service that runs. */
const built = join(makePlainFolder('platbook-built-'), 'home');

interface Instance {
  child: ChildProcess;
  output(): string;
  credentials(): { base_url: string; test_key: string; live_key: string };
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** What a first start builds is the same for any number of homes; a copy has those of the golden home. */
const environmentOf = (home: string) => ({
  ...BARE_ENVIRONMENT,
  PLATBOOK_HOME: home,
  PORT: '0',
  SANDBOX_PROPERTIES: String(home === built ? TEST_PROPERTIES : FEW_PROPERTIES),
  TRAINING: 'tiny',
  WORKER: 'false',
  PROCESSES: '1',
});

async function start(home: string, user: { uid?: number; gid?: number } = plainUser): Promise<Instance> {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'start'], {
    cwd: ROOT,
    env: environmentOf(home),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const deadline = Date.now() + START_WITHIN_MS;
  while (!output.includes('Ctrl-C stops it') && child.exitCode === null) {
    assert.ok(Date.now() < deadline, output);
    await new Promise((done) => setTimeout(done, 50));
  }
  return {
    child,
    output: () => output,
    credentials: () => JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8')),
    stop: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      return child.exitCode;
    },
  };
}

/** A start that is killed after a while, or once it is ready. */
async function startAndKill(home: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'start'], {
    cwd: ROOT,
    env: environmentOf(home),
    stdio: 'ignore',
  });
  await new Promise((done) => setTimeout(done, afterMs));
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function search({ base_url, test_key }: { base_url: string; test_key: string }): Promise<number> {
  const response = await fetch(`${base_url}/api/v1/properties/search?state=ZZ&limit=1`, {
    headers: { 'x-api-key': test_key },
  });
  return response.status;
}

/** Open to others, so that the cluster stays inside also when root starts it. */
function makeOpenFolder(name: string): string {
  const folder = makeFolder(name);
  chmodSync(folder, 0o755);
  return folder;
}

function makePlainFolder(name: string): string {
  const folder = makeOpenFolder(name);
  if (plainUser.uid) chownSync(folder, plainUser.uid, plainUser.gid);
  return folder;
}

describe('npm start', () => {
  /** Where the first test builds the sandbox. */
  const home = join(makePlainFolder('platbook start '), 'data directory');
  before(() => copyGoldenHome(built, plainUser));

  it('ends a first start at once when told, its database too', async () => {
    const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'start'], {
      cwd: ROOT,
      env: environmentOf(home),
      ...plainUser,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until(() => output.includes('% ') || child.exitCode !== null);
    assert.equal(child.exitCode, null, output);
    // On a quiet machine it is training by then.
    await sleep(5_000);
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null || child.signalCode !== null);
    assert.equal(child.exitCode, 0, output);
    assert.equal(existsSync(join(home, 'postgres/postmaster.pid')), false);
  });

  it('serves without root from a folder with spaces, keeps its data, survives kill -9, refuses a second instance, stops cleanly', async () => {
    const first = await start(home);
    const credentials = first.credentials();
    assert.match(first.output(), /Building the sandbox market/);
    assert.ok(first.output().includes(`x-api-key: ${credentials.test_key}`), 'a curl to paste');
    assert.equal(statSync(join(home, 'credentials.json')).mode & 0o777, 0o600);
    assert.equal(await search(credentials), 200);
    assert.equal((await fetch(credentials.base_url)).status, 200, 'the web app, whoever has built it');

    const second = await start(home);
    assert.equal(await second.stop('SIGTERM'), 1);
    assert.match(second.output(), /already running/);
    assert.equal(await search(credentials), 200, 'the first goes on');

    await first.stop('SIGKILL');
    assert.ok(existsSync(join(home, 'postgres/postmaster.pid')), 'the database outlives a killed process');
    const third = await start(home);
    assert.doesNotMatch(third.output(), /sandbox market █/, 'nothing is built again');
    const again = third.credentials();
    assert.deepEqual([again.test_key, again.live_key], [credentials.test_key, credentials.live_key]);
    assert.equal(await search(again), 200);

    assert.equal(await third.stop('SIGTERM'), 0);
    assert.equal(existsSync(join(home, 'postgres/postmaster.pid')), false, 'the database stops with the program');
  });

  it('brings the database back when its postmaster is killed, and tells the truth meanwhile', async () => {
    const instance = await start(built);
    const credentials = instance.credentials();
    const postmaster = () => Number(readPostmasterFile(join(built, 'postgres'))?.[0] ?? 0);
    const ready = async () => (await fetch(`${credentials.base_url}/readyz`)).status;
    for (let round = 0; round < ROUNDS_OF_KILLS; round++) {
      const killed = postmaster();
      process.kill(killed, 'SIGKILL');
      await until(() => instance.child.exitCode !== null || ![0, killed].includes(postmaster()));
      assert.equal(instance.child.exitCode, null, instance.output());
      // Until it is back, the answer is that it is not; how long that takes depends on the machine.
      await until(async () => {
        const status = await ready();
        assert.ok(status === 200 || status === 503, `readyz answered ${status}`);
        return status === 200;
      });
      if (round % 2 === 0) await until(async () => (await search(credentials)) === 200);
      // Killed again while whoever restarted it is still connected: that process must not die of it.
      else await sleep(10 * round);
    }
    assert.equal(await instance.stop('SIGTERM'), 0, instance.output());
    assert.equal(existsSync(join(built, 'postgres/postmaster.pid')), false);
  });

  it('is not left without a database by commands that come and go beside it, nor are they by each other', async () => {
    const fresh = join(makeOpenFolder('platbook-beside-'), 'home');
    const alone = await Promise.all([1, 2, 3].map(() => runCommand(['markets'], { PLATBOOK_HOME: fresh })));
    assert.deepEqual(
      alone.map(({ code, output }) => [code, output]),
      alone.map(() => [0, '']),
    );
    writeFileSync(join(fresh, 'postgres.password'), 'another');
    const locked = await runCommand(['markets'], { PLATBOOK_HOME: fresh });
    assert.deepEqual([locked.code, locked.output.trim()], [1, WRONG_PASSWORD]);
    await until(() => !existsSync(join(fresh, 'postgres/postmaster.pid')));
    const instance = await start(built);
    const beside = await Promise.all([1, 2, 3].map(() => runCommand(['markets'], { PLATBOOK_HOME: built }, plainUser)));
    assert.deepEqual(
      beside.map(({ code }) => code),
      [0, 0, 0],
    );
    assert.equal(await search(instance.credentials()), 200);
    if (existsSync(RECORDS)) {
      const load = await runCommand(['ingest', 'lyme-nh'], { PLATBOOK_HOME: built, PLATBOOK_DATA: RECORDS }, plainUser);
      assert.equal(load.code, 0, load.output);
    }
    assert.equal(await instance.stop('SIGTERM'), 0);
  });

  it('goes on where a first start was killed, at whatever moment, for root inside a private folder', async () => {
    const parent = makeFolder('platbook-private-');
    chmodSync(parent, 0o700);
    const killed = join(parent, 'home');
    for (const afterMs of KILLED_AFTER_MS) await startAndKill(killed, afterMs);
    const instance = await start(killed, {});
    const { base_url, test_key } = instance.credentials();
    const valued = await fetch(`${base_url}/api/v1/properties/search?state=ZZ&min_value=1&limit=1&include_total=true`, {
      headers: { 'x-api-key': test_key },
    });
    assert.ok(((await valued.json()) as { pagination: { total: number } }).pagination.total > 500);
    assert.equal(await instance.stop('SIGTERM'), 0);
  });

  it('ends with one sentence when it cannot start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const freePort = (free.address() as AddressInfo).port;
    free.close();
    const server = process.env.PLATBOOK_TEST_SERVER!;
    const home = makeFolder('platbook-sentence-');
    const file = join(home, 'file');
    writeFileSync(file, '');
    const cases: [settings: Record<string, string>, sentence: RegExp][] = [
      [{ DATABASE_URL: `postgres://me@127.0.0.1:${freePort}/none` }, /cannot be reached .*DATABASE_URL/],
      [{ DATABASE_URL: server.replace(/:[^:@/]+@/, ':wrong@') }, /refused the connection.*DATABASE_URL/],
      [{ DATABASE_URL: server.replace(/[^/]*$/, 'no_such_database') }, /does not exist/],
      [{ PLATBOOK_HOME: join(file, 'inside') }, /not a directory/i],
      [
        { PORT: port, PLATBOOK_HOME: join(home, 'taken'), SANDBOX_PROPERTIES: '2000', TRAINING: 'tiny' },
        /Port \d+ is in use/,
      ],
    ];
    const ends = await Promise.all(cases.map(([settings]) => runCommand(['start'], settings)));
    for (const [i, { code, output }] of ends.entries()) {
      assert.equal(code, 1, output);
      const lines = output
        .trim()
        .split('\n')
        .filter((line) => !line.includes('%'));
      assert.match(lines.at(-1)!, cases[i][1]);
      assert.doesNotMatch(output, /^ {4}at /m, 'no stack');
    }
    taken.close();
  });

  it('says what is wrong with a wrong setting', async () => {
    const { code, output } = await runCommand(['start'], { PORT: 'eighty' });
    assert.equal(code, 1);
    assert.match(output, /PORT must be a whole number/);
  });

  it('says in a sentence why a command cannot be carried out', async () => {
    for (const [args, reason] of [
      [['ingest', 'atlantis'], /^Unknown source atlantis\. Known sources: .*milwaukee-wi.*\.\n$/],
      [['replay'], /^Name the receipts to replay: val_…\n$/],
      [['value'], /^Name the markets to value\.\n$/],
    ] as const) {
      const { code, output } = await runCommand(args);
      assert.equal(code, 1);
      assert.match(output, reason);
    }
  });
});

/** A command that ends by itself, and what it complained of. */
async function runCommand(
  args: readonly string[],
  settings: Record<string, string> = {},
  user: { uid?: number; gid?: number } = {},
) {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), ...args], {
    env: { ...BARE_ENVIRONMENT, PLATBOOK_HOME: makeFolder('platbook-command-'), ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user,
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'exit');
  return { code: child.exitCode, output };
}
