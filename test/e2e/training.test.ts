// Training as an operator runs it: beside other commands, and again after it was killed.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BARE_ENVIRONMENT } from '../bare-environment.ts';
import { cloneDatabase } from '../harness.ts';
import { until } from '../until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Of the fits of a training when it is killed. */
const LEAST_KEPT = 4;
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-training-'));
  folders.push(folder);
  // The server may run as another user.
  chmodSync(folder, 0o755);
  return folder;
}

function run(args: string[], environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...BARE_ENVIRONMENT, TMPDIR: process.env.TMPDIR, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function finish(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, output };
}

describe('two processes with one embedded database', () => {
  it('do not stop it for each other, even while one has no connection in its pools', async () => {
    const environment = { PLATBOOK_HOME: makeFolder() };
    const idle = run([join(ROOT, 'test/idle-process.ts')], environment);
    idle.stderr!.on('data', () => {});
    const lines = createInterface({ input: idle.stdout! })[Symbol.asyncIterator]();
    const ask = async (): Promise<string> => {
      idle.stdin!.write('query\n');
      return (await lines.next()).value as string;
    };
    try {
      assert.equal((await lines.next()).value, 'idle');
      for (const command of [['migrate'], ['markets'], ['train', 'nowhere']]) {
        await finish(run([join(ROOT, 'src/main.ts'), ...command], environment));
        assert.ok(existsSync(join(environment.PLATBOOK_HOME, 'postgres/postmaster.pid')), command.join(' '));
      }
      const started = await ask();
      assert.match(started, /^\d{4}-/);
      assert.equal(await ask(), started, 'it is the same server');
    } finally {
      idle.stdin!.end('end\n');
      if (idle.exitCode === null) await once(idle, 'exit');
    }
    assert.ok(!existsSync(join(environment.PLATBOOK_HOME, 'postgres/postmaster.pid')), 'the last one stops it');
  });
});

describe('platbook train', () => {
  it('goes on after kill -9 where it stopped, to the same model', async () => {
    const database = await cloneDatabase();
    try {
      const train = (home: string) =>
        run([join(ROOT, 'src/main.ts'), 'train', 'sandbox', '--force'], {
          DATABASE_URL: database.url,
          PLATBOOK_HOME: home,
          LOG_LEVEL: 'silent',
          TRAINING: 'tiny',
        });
      const versionIn = (output: string) => /sandbox {2}(sandbox-\S+) {2}/.exec(output)?.[1];
      const whole = await finish(train(makeFolder()));
      assert.equal(whole.code, 0, whole.output);
      assert.doesNotMatch(whole.output, /resumed/);

      const home = makeFolder();
      const kept = () => {
        const market = join(home, 'training/sandbox');
        return existsSync(market) ? readdirSync(market, { recursive: true }).length - 1 : 0;
      };
      const killed = train(home);
      const ended = finish(killed);
      await until(() => kept() >= LEAST_KEPT || killed.exitCode !== null);
      killed.kill('SIGKILL');
      assert.equal((await ended).code, null, 'it was killed before it was done');
      const finished = kept();

      const resumed = await finish(train(home));
      assert.equal(resumed.code, 0, resumed.output);
      const [, reused, fits] = /resumed: (\d+) of (\d+) fits/.exec(resumed.output) ?? [];
      assert.ok(
        Number(reused) >= LEAST_KEPT && Number(reused) <= finished && Number(fits) > Number(reused),
        resumed.output,
      );
      assert.equal(versionIn(resumed.output), versionIn(whole.output));
      assert.equal(existsSync(join(home, 'training/sandbox')), false, 'nothing is left once it is published');
    } finally {
      await database.drop();
    }
  });
});
