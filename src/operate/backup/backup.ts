// Backs up a running embedded database and its home: PostgreSQL's online backup (its files plus the write-ahead log
// that makes them consistent), the secret and the other files. Consistent as of the moment it ends.
import type { Dirent } from 'node:fs';
import { open, readdir, readFile, type FileHandle } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { createZstdCompress } from 'node:zlib';
import pg from 'pg';
import type { Config } from '../../base/config.ts';
import { markComplete } from '../../base/db/epochs.ts';
import type { Connections } from '../../base/deps.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { randomId } from '../../base/lib/ids.ts';
import { VERSION } from '../../base/version.ts';
import { pack, readFileChunks, readHandle, type Entry } from './entries.ts';
import { newHeader, seal } from './seal.ts';
import * as sql from './sql.ts';
import type { Target } from './targets.ts';

type BackupDeps = Pick<Connections, 'config' | 'data' | 'control' | 'controlUrl' | 'clock'>;

/** Folders whose contents PostgreSQL recreates at every start, or that belong to the running server. */
const EMPTIED = new Set(
  'pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans'.split(' '),
);
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|pgsql_tmp.*|pg_internal\.init.*|t\d+_\d+.*)$/;
/** Parts of the home that are rebuilt or downloaded again, and the cluster itself, which is read through PostgreSQL. */
const NOT_KEPT = /^(postgres|postgres-.*|postgres\.log|downloads|journal|secret|\.restore-.*|before-restore-.*)$/;

/** Writes a backup and records it, failed or not. Returns its size in bytes. */
export async function backUp(
  deps: BackupDeps,
  target: Target,
  { isScheduled, prepare }: { isScheduled: boolean; prepare?: () => Promise<void> },
): Promise<number> {
  const client = new pg.Client({ connectionString: deps.controlUrl, application_name: 'platbook-backup' });
  client.on('error', () => {});
  await client.connect();
  try {
    if (!(await sql.takeBackupLock(client))) throw new CommandError('Another backup of this database is running.');
    await prepare?.();
    return await listed(deps, { target, isScheduled }, () => write(deps, client, target));
  } finally {
    await client.end().catch(() => {});
  }
}

async function listed(
  { control, clock }: BackupDeps,
  { target, isScheduled }: { target: Target; isScheduled: boolean },
  work: () => Promise<number>,
): Promise<number> {
  const id = randomId('backup');
  await sql.failInterrupted(control, clock());
  await sql.insertBackup(control, { id, target: target.name, is_scheduled: isScheduled, started_at: clock() });
  try {
    const bytes = await work();
    await sql.finishBackup(control, { id, state: 'finished', finished_at: clock(), byte_count: bytes, error: null });
    return bytes;
  } catch (error) {
    const { message } = error as Error;
    await sql.finishBackup(control, { id, state: 'failed', finished_at: clock(), byte_count: null, error: message });
    throw error;
  }
}

async function write(deps: BackupDeps, client: pg.Client, target: Target): Promise<number> {
  const passphrase = await readPassphrase(deps.config);
  const started = await sql.startBackup(client);
  const header = newHeader(
    { version: VERSION, created_at: deps.clock().toISOString(), postgres: started.postgres },
    passphrase !== undefined,
  );
  const compressed = Readable.from(pack(entriesOf(deps, client, started))).compose(createZstdCompress());
  // The source reads ahead of the target, so it must be stopped, and its error ignored, when the target fails.
  compressed.on('error', () => {});
  let bytes = 0;
  try {
    await target.write(counted(seal(compressed, header, passphrase)));
  } finally {
    compressed.destroy();
  }
  return bytes;

  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      bytes += chunk.length;
      yield chunk;
    }
  }
}

/** Undefined if backups are not encrypted. */
export async function readPassphrase({ backup }: Pick<Config, 'backup'>): Promise<string | undefined> {
  if (backup.passphraseFile === undefined) return undefined;
  const text = await readFile(backup.passphraseFile, 'utf8').catch(() => undefined);
  const line = text?.split('\n')[0].trim();
  if (!line)
    throw new CommandError(`BACKUP_PASSPHRASE_FILE: ${backup.passphraseFile} has no passphrase in its first line.`);
  return line;
}

async function* entriesOf(
  { config, data }: BackupDeps,
  client: pg.Client,
  started: sql.Started,
): AsyncGenerator<Entry> {
  yield* clusterEntries(started.folder);
  yield* homeEntries(config);
  // Opened before the backup's end and read after it, so that a journal booked and deleted in between is complete.
  const journals = await openJournals(join(config.home, 'journal'));
  try {
    await markComplete(data).catch(ignoreOlderSchema);
    const stopped = await sql.stopBackup(client);
    yield textEntry('postgres/backup_label', stopped.label);
    if (stopped.tablespaces !== '') yield textEntry('postgres/tablespace_map', stopped.tablespaces);
    // Archive recovery gives the copy its own timeline, which distinguishes it from the original.
    yield textEntry('postgres/recovery.signal', '');
    yield* logEntries(started, stopped);
    for (const [name, handle] of journals)
      yield { kind: 'file', path: `home/journal/${name}`, content: readHandle(handle) };
  } finally {
    for (const handle of journals.values()) await handle.close();
  }
}

function ignoreOlderSchema(error: Error & { code?: string }): void {
  if (error.code !== '42P01') throw error;
}

const textEntry = (path: string, text: string): Entry => ({ kind: 'file', path, content: [Buffer.from(text)] });

async function* clusterEntries(cluster: string): AsyncGenerator<Entry> {
  const control = join(cluster, 'global/pg_control');
  for await (const { path, item } of walk(cluster, (name) => !LEFT_OUT.test(name))) {
    const inside = relative(cluster, path);
    const [top, ...below] = inside.split('/');
    if (EMPTIED.has(top) && below.length > 0) continue;
    if (path !== control) yield entryOf(`postgres/${inside}`, path, item);
  }
  // Last, because it determines where recovery begins and must not be older than the files.
  yield { kind: 'file', path: 'postgres/global/pg_control', content: readFileChunks(control) };
}

async function* homeEntries(config: Config): AsyncGenerator<Entry> {
  const { home, backup } = config;
  const isKept = (name: string, path: string) =>
    !(NOT_KEPT.test(name) && join(home, name) === path) && !name.startsWith('.work-') && path !== backup.to;
  yield textEntry('home/secret', config.secret ?? (await readFile(join(home, 'secret'), 'utf8')).trim());
  for await (const { path, item } of walk(home, isKept)) {
    if (!/\.(partial|backup)$/.test(path)) yield entryOf(`home/${relative(home, path)}`, path, item);
  }
}

const entryOf = (name: string, path: string, item: Dirent): Entry =>
  item.isDirectory() ? { kind: 'folder', path: name } : { kind: 'file', path: name, content: readFileChunks(path) };

async function* walk(
  folder: string,
  isKept: (name: string, path: string) => boolean,
): AsyncGenerator<{ path: string; item: Dirent }> {
  const items = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const item of items) {
    const path = join(folder, item.name);
    if (!isKept(item.name, path) || (!item.isDirectory() && !item.isFile())) continue;
    yield { path, item };
    if (item.isDirectory()) yield* walk(path, isKept);
  }
}

async function openJournals(folder: string): Promise<Map<string, FileHandle>> {
  const opened = new Map<string, FileHandle>();
  for (const name of await readdir(folder).catch(() => [])) {
    const handle = await open(join(folder, name)).catch(() => undefined);
    if (handle) opened.set(name, handle);
  }
  return opened;
}

/** Every write-ahead log file from the start of the backup to its end; without them its files are inconsistent. */
async function* logEntries(started: sql.Started, stopped: sql.Stopped): AsyncGenerator<Entry> {
  const folder = join(started.folder, 'pg_wal');
  const names = (await readdir(folder)).sort();
  const segments = names.filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= started.firstSegment && name <= stopped.lastSegment,
  );
  const number = (name: string) => segmentNumber(name, started.segmentBytes);
  const expected = number(stopped.lastSegment) - number(started.firstSegment) + 1;
  if (segments.length !== expected) {
    throw new Error(`The log has ${segments.length} of ${expected} files from ${started.firstSegment} on.`);
  }
  for (const name of [...names.filter((each) => each.endsWith('.history')), ...segments])
    yield { kind: 'file', path: `postgres/pg_wal/${name}`, content: readFileChunks(join(folder, name)) };
}

function segmentNumber(name: string, segmentBytes: number): number {
  const perLog = 2 ** 32 / segmentBytes;
  return parseInt(name.slice(8, 16), 16) * perLog + parseInt(name.slice(16), 16);
}
