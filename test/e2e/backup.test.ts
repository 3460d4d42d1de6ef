// The restore drill: under traffic a backup is made, the machine is lost, and the backup comes back in another home, on
// another port and as another user, with everything in it. Then whatever can go wrong with a backup.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createZstdCompress } from 'node:zlib';
import pg from 'pg';
import { backUpIfDue, measureBackups } from '../../src/operate/backup/schedule.ts';
import { readConfig } from '../../src/base/config.ts';
import { startEmbedded } from '../../src/base/db/embedded.ts';
import { open } from '../../src/operate/open.ts';
import { openRecovery } from '../../src/base/db/recovery.ts';
import { pack, type Entry } from '../../src/operate/backup/entries.ts';
import { verifyBackup } from '../../src/operate/backup/restore.ts';
import { newHeader, seal } from '../../src/operate/backup/seal.ts';
import { openTarget } from '../../src/operate/backup/targets.ts';
import { runRestore } from '../../src/operate/commands/restore.ts';
import { BARE_ENVIRONMENT } from '../bare-environment.ts';
import { copyGoldenHome } from '../golden-home.ts';
import { startReceiver } from '../receiver.ts';
import { TEST_PROPERTIES } from '../template.ts';
import { until } from '../until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOBODY = 65_534;
const other = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined;

const parent = mkdtempSync(join(tmpdir(), 'platbook-backup-'));
chmodSync(parent, 0o755);
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});
const home = join(parent, 'first');
const backup = join(parent, 'kept/platbook.backup');
const passphraseFile = join(parent, 'passphrase');
writeFileSync(passphraseFile, 'correct horse battery staple\n', { mode: 0o644 });

type User = { uid: number; gid: number } | undefined;
const environmentOf = (folder: string, more: Record<string, string> = {}) => ({
  ...BARE_ENVIRONMENT,
  PLATBOOK_HOME: folder,
  PORT: '0',
  SANDBOX_PROPERTIES: String(TEST_PROPERTIES),
  PROCESSES: '1',
  WEBHOOK_ALLOW_PRIVATE: 'loopback',
  BACKUP_PASSPHRASE_FILE: passphraseFile,
  ...more,
});

interface Ran {
  code: number | null;
  output: string;
}

async function run(
  folder: string,
  args: string[],
  more: { env?: Record<string, string>; user?: User } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), ...args], {
    cwd: ROOT,
    env: environmentOf(folder, more.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...more.user,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

interface Instance {
  child: ChildProcess;
  call(path: string, body?: unknown, key?: string): Promise<{ status: number; body: any }>;
  stop(signal: NodeJS.Signals): Promise<void>;
}

async function start(folder: string, user?: User): Promise<Instance> {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'start'], {
    cwd: ROOT,
    env: environmentOf(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('Ctrl-C stops it') || child.exitCode !== null);
  assert.equal(child.exitCode, null, output);
  const { base_url, test_key } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));
  return {
    child,
    async call(path, body, key = test_key) {
      const response = await fetch(`${base_url}/api/v1${path}`, {
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    async stop(signal) {
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Something that the feed shows, written as a load would. */
async function writeChange(folder: string): Promise<void> {
  const [, , , port] = readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(join(folder, 'postgres.password'), 'utf8');
  const client = new pg.Client({ connectionString: `postgres://platbook:${password}@127.0.0.1:${port}/platbook` });
  await client.connect();
  await client.query(
    `insert into data.changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
     select fips, id, market, 'property.updated', 'update', '{note}', '{}', '{"note": 1}', now() from data.properties limit 1`,
  );
  await client.end();
}

/** A customer with live usage and an invoice. */
async function makePayer(instance: Instance) {
  const created = await run(home, ['admin', 'create', 'Drill', 'enterprise']);
  const [account] = created.output.split('\n');
  const key = /Live key (\S+)/.exec(created.output)![1];
  const contract = await run(home, ['admin', 'contract', account, '{"priceCentsPerMonth":1000}']);
  assert.match(contract.output, /First invoice/);
  for (let n = 0; n < 7; n++) {
    const { status } = await instance.call('/properties/search?state=ZZ&limit=1', undefined, key);
    assert.equal(status, 200);
  }
  const books = async (from: Instance) => {
    const { body: usage } = await from.call('/usage', undefined, key);
    const { body: invoices } = await from.call('/invoices', undefined, key);
    return { used: usage.standard.used, invoices: invoices.data };
  };
  const booksBefore = await books(instance);
  assert.equal(booksBefore.used, 7);
  assert.equal(booksBefore.invoices.length, 1);
  return { books, booksBefore };
}

describe('the restore drill', () => {
  it('brings back keys, usage, receipts, webhooks with their secrets and feed cursors, elsewhere and as another user', async () => {
    copyGoldenHome(home);
    const first = await start(home);
    const receiver = await startReceiver();
    const hook = await first.call('/webhooks', { url: `${receiver.url}/hook` });
    assert.equal(hook.status, 201, JSON.stringify(hook.body));
    const { body: homes } = await first.call(
      '/properties/search?limit=20&property_type=single_family&fields=identifiers',
    );
    const [{ id: subject }] = homes.data;
    const payer = await makePayer(first);

    // Traffic before, during and after the backup; what was answered before it began must come back.
    const ending = new AbortController();
    const answered: { id: string; value: number; at: number }[] = [];
    const statuses = new Set<number>();
    const traffic = (async () => {
      while (!ending.signal.aborted) {
        const { status, body } = await first.call('/avm/estimate', { property: { id: subject } });
        statuses.add(status);
        if (status === 200) answered.push({ id: body.id, value: body.estimated_value, at: Date.now() });
        statuses.add((await first.call('/properties/search?state=ZZ&limit=5')).status);
      }
    })();
    await until(() => answered.length >= 5);
    const feed = async (instance: Instance, query: string) => instance.call(`/changes?${query}`);
    const early = (await feed(first, 'from=now')).body.pagination.next_cursor;
    await writeChange(home);

    const began = Date.now();
    const made = await run(home, ['backup', backup]);
    assert.equal(made.code, 0, made.output);
    assert.match(made.output, /encrypted/);
    const countAtBackup = answered.length;
    await until(() => answered.length > countAtBackup);
    await writeChange(home);
    let late: any;
    await until(async () => {
      late = (await feed(first, 'from=earliest&limit=500')).body;
      return late.data.at(-1)?.changed_fields[0] === 'note';
    });
    ending.abort();
    await traffic;
    assert.deepEqual([...statuses], [200], 'nobody noticed the backup');

    // The machine is gone.
    await first.stop('SIGKILL');
    const pid = Number(readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });

    const second = join(parent, 'second');
    mkdirSync(second, { mode: 0o700 });
    if (other) {
      chownSync(second, other.uid, other.gid);
      chownSync(join(parent, 'kept'), other.uid, other.gid);
      chownSync(backup, other.uid, other.gid);
    }
    const restored = await run(second, ['restore', backup], { user: other });
    assert.equal(restored.code, 0, restored.output);

    const again = await start(second, other);
    for (const { id, value } of answered.filter(({ at }) => at < began)) {
      const { status, body } = await again.call(`/avm/valuations/${id}`);
      assert.deepEqual([status, body.result?.estimated_value], [200, value]);
    }
    assert.deepEqual(await payer.books(again), payer.booksBefore, 'usage and invoices');
    const continued = await feed(again, `limit=500&cursor=${early}`);
    assert.equal(continued.status, 200);
    assert.equal(continued.body.data.at(-1).changed_fields[0], 'note');
    const refused = await feed(again, `cursor=${late.pagination.next_cursor}`);
    assert.deepEqual([refused.status, refused.body.code], [410, 'cursor_expired']);

    receiver.received.length = 0;
    assert.ok((await again.call(`/webhooks/${hook.body.id}/test`, {})).status < 300);
    await until(() => receiver.received.length > 0);
    const { Webhook } = await import('standardwebhooks');
    const [{ body: sent, headers }] = receiver.received;
    new Webhook(hook.body.secret).verify(sent, headers as Record<string, string>);

    const { body: fresh } = await again.call('/avm/estimate', { property: { id: subject } });
    assert.equal(fresh.estimated_value, answered[0].value);
    await again.stop('SIGTERM');
    const replay = await run(second, ['replay', answered[0].id], { user: other });
    assert.deepEqual([replay.code, /same value/.test(replay.output)], [0, true], replay.output);
  });
});

/** Three frames, with the passphrase of the drill. */
async function makeSmallBackup(file: string): Promise<Buffer> {
  const entries = (async function* (): AsyncGenerator<Entry> {
    yield { kind: 'file', path: 'home/secret', content: [Buffer.from('s'.repeat(40))] };
    yield { kind: 'file', path: 'home/postgres.password', content: [Buffer.from('word')] };
    yield { kind: 'file', path: 'postgres/PG_VERSION', content: [randomBytes(2_500_000)] };
  })();
  const about = { version: '1.0.0', created_at: new Date().toISOString(), postgres: openRecovery(parent).postgres };
  const packed = Readable.from(pack(entries)).compose(createZstdCompress());
  const passphrase = readFileSync(passphraseFile, 'utf8').trim();
  await writeFile(file, seal(packed, newHeader(about, true), passphrase));
  return readFileSync(file);
}

describe('a restore', () => {
  it('refuses a file that was cut, changed, or opened with another passphrase, and leaves the home as it was', async () => {
    const target = join(parent, 'refused');
    const damaged = join(parent, 'damaged.backup');
    const whole = await makeSmallBackup(damaged);
    const write = (bytes: Uint8Array) => () => writeFileSync(damaged, bytes);
    const flip = (at: number) => () => {
      const bytes = Buffer.from(whole);
      bytes[at] ^= 1;
      writeFileSync(damaged, bytes);
    };
    const cases: [what: string, damage: () => void, env: Record<string, string>, says: RegExp][] = [
      ['cut', write(whole.subarray(0, -100)), {}, /cut short/],
      ['cut at a frame', write(whole.subarray(0, 200)), {}, /cut short/],
      ['changed header', flip(40), {}, /changed|not a Platbook|cut/],
      ['changed in the first frame', flip(5_000), {}, /changed/],
      ['changed at the end', flip(whole.length - 5), {}, /changed/],
      ['with more behind it', write(Buffer.concat([whole, Buffer.from('x')])), {}, /changed/],
      [
        'another passphrase',
        write(whole),
        { BACKUP_PASSPHRASE_FILE: join(ROOT, 'package.json') },
        /passphrase is wrong/,
      ],
      ['no passphrase', write(whole), { BACKUP_PASSPHRASE_FILE: '' }, /encrypted. Set BACKUP_PASSPHRASE_FILE/],
      ['not a backup', write(Buffer.from('hello there, this is not a backup')), {}, /not a Platbook backup/],
      ['another secret', write(whole), { PLATBOOK_SECRET: 'x'.repeat(40) }, /PLATBOOK_SECRET is not the secret/],
    ];
    const left = () =>
      existsSync(target) ? readdirSync(target).filter((name) => !/^postgres(\.log|-binaries)$/.test(name)) : [];
    for (const [what, damage, env, says] of cases) {
      damage();
      await assert.rejects(runRestore(readConfig(environmentOf(target, env)), [damaged]), says, what);
      assert.deepEqual(left(), [], what);
    }
    const { code, output } = await run(target, ['restore', damaged], { env: { BACKUP_PASSPHRASE_FILE: '' } });
    assert.deepEqual([code, /^The backup is encrypted\..*\n$/.test(output), left()], [1, true, []], output);
    rmSync(damaged);
    assert.equal((await run(target, ['restore', backup, '--verify'])).code, 0);
  });

  it('writes over a home only when told, and keeps aside what was there', async () => {
    const used = join(parent, 'used');
    mkdirSync(used, { recursive: true });
    writeFileSync(join(used, 'secret'), 'precious');
    const refused = await run(used, ['restore', backup]);
    assert.deepEqual([refused.code, /--replace/.test(refused.output)], [1, true], refused.output);
    assert.equal(readFileSync(join(used, 'secret'), 'utf8'), 'precious');
    const replaced = await run(used, ['restore', backup, '--replace']);
    assert.equal(replaced.code, 0, replaced.output);
    const aside = readdirSync(used).find((name) => name.startsWith('before-restore-'))!;
    assert.equal(readFileSync(join(used, aside, 'secret'), 'utf8'), 'precious');
    // One that was interrupted while moving: nothing starts on it.
    writeFileSync(join(used, 'restore-in-progress'), '');
    const halfway = await run(used, ['markets']);
    assert.deepEqual([halfway.code, /restore into .* was interrupted/.test(halfway.output)], [1, true], halfway.output);
    rmSync(join(used, 'restore-in-progress'));
    assert.equal((await run(used, ['markets'])).code, 0);
  });
});

describe('a backup', () => {
  const used = join(parent, 'used');

  it('says what to do where there is nothing, and with a server of one’s own', async () => {
    const own = await run(used, ['backup', backup], { env: { DATABASE_URL: 'postgres://127.0.0.1:1/x' } });
    assert.deepEqual([own.code, /its own tools/.test(own.output)], [1, true]);
    const nothing = await run(join(parent, 'nowhere'), ['backup', backup]);
    assert.deepEqual([nothing.code, /nothing to back up/.test(nothing.output)], [1, true]);
  });

  it('that is killed leaves nothing that is called a backup, and the next one is made', async () => {
    const server = await startEmbedded(used);
    const file = join(parent, 'killed/it.backup');
    const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'backup', file], {
      cwd: ROOT,
      env: environmentOf(used),
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await until(() => existsSync(`${file}.partial`) || child.exitCode !== null);
    child.kill('SIGKILL');
    await ended;
    if (existsSync(file)) assert.equal((await run(used, ['restore', file, '--verify'])).code, 0);
    else assert.equal((await run(used, ['restore', file])).code, 1);
    const next = await run(used, ['backup', file]);
    assert.equal(next.code, 0, next.output);
    assert.equal((await run(used, ['restore', file, '--verify'])).code, 0);
    await server.stop();
  });

  it('on a full disk fails with a sentence and leaves nothing', async (test) => {
    const small = join(parent, 'small');
    mkdirSync(small);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small]).status !== 0)
      return test.skip('a disk that is full soon can only be made by root');
    try {
      const { code, output } = await run(used, ['backup', join(small, 'it.backup')]);
      assert.deepEqual([code, /No space is left/.test(output)], [1, true], output);
      assert.deepEqual(readdirSync(small), []);
    } finally {
      spawnSync('umount', [small]);
    }
  });

  it('by schedule goes to a folder or a bucket, keeps the last ones, and shows its failures', async () => {
    const S3rver = createRequire(import.meta.url)('@20minutes/s3rver');
    const storage = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      // It computes another signature than AWS for a list of a bucket.
      allowMismatchedSignatures: true,
      directory: join(parent, 's3'),
      configureBuckets: [{ name: 'backups', configs: [] }],
    });
    const { port } = await storage.run();
    process.env.AWS_ACCESS_KEY_ID = 'S3RVER';
    process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER';
    process.env.AWS_REGION = 'us-east-1';
    const settings = {
      PLATBOOK_HOME: used,
      LOG_LEVEL: 'silent',
      BACKUP_EVERY_HOURS: '6',
      BACKUP_KEEP: '2',
      BACKUP_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    };
    const folder = join(parent, 'shelf');
    const { deps, close } = await open(readConfig(settings));
    try {
      const list = async () => {
        const { rows } = await deps.control.query(
          'select state, target from backups where is_scheduled order by started_at',
        );
        return rows as { state: string; target: string }[];
      };
      let now = Date.now();
      const tick = async (hours: number, to: string, keep = 2) => {
        now += hours * 3_600_000;
        const config = { ...deps.config, backup: { ...deps.config.backup, to, keep } };
        await backUpIfDue({ ...deps, config, clock: () => new Date(now) });
      };
      mkdirSync(folder);
      writeFileSync(join(folder, 'platbook-20200101T000000Z.backup.partial'), 'left by a crash');
      writeFileSync(join(folder, 'notes.txt'), 'not ours');
      for (const hours of [0, 1, 6, 6]) await tick(hours, folder);
      assert.equal((await list()).length, 3, 'one hour later none is due');
      const kept = readdirSync(folder).sort();
      assert.equal(kept.length, 3);
      assert.equal(kept[0], 'notes.txt');
      assert.deepEqual(
        kept.slice(1).map((name) => join(folder, name)),
        (await list()).slice(1).map(({ target }) => target),
      );
      for (const hours of [6, 6]) await tick(hours, 's3://backups/nightly', 1);
      const [deleted, last] = (await list()).slice(-2).map(({ target }) => target);
      await assert.rejects(verifyBackup(deps.config, openTarget(deleted, deps.config.backup)));
      const verified = await run(used, ['restore', last, '--verify'], { env: { ...settings, ...keys() } });
      assert.equal(verified.code, 0, verified.output);

      await tick(6, join(folder, 'notes.txt'));
      assert.equal((await list()).at(-1)!.state, 'failed');
      const measured = new Map((await measureBackups(deps)).map(({ name, value }) => [name, value]));
      assert.equal(measured.get('platbook_backup_failures'), 1);
      assert.ok(measured.get('platbook_backup_last_success_timestamp_seconds')! > 0);
    } finally {
      await close();
      await storage.close();
    }
  });
});

function keys(): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'us-east-1' };
}
