// Starts a restored cluster next to its destination: PostgreSQL replays the included WAL, answers once, and stops.
import { spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CommandError } from '../lib/command-error.ts';
import * as embedded from './embedded.ts';

const POLL_MS = 50;

export interface RecoveryPlace {
  /** Where the cluster belongs. */
  cluster: string;
  isRunning(): boolean;
  /** The major version of the server that will run it. */
  postgres: number;
  recover(folder: string, password: string): Promise<void>;
}

export function openRecovery(home: string): RecoveryPlace {
  const place = embedded.choosePlace(home);
  const binaries = embedded.prepareBinaries(place);
  const { stdout } = spawnSync(join(binaries, 'postgres'), ['--version'], { encoding: 'utf8' });
  return {
    cluster: place.cluster,
    isRunning: () => {
      const pid = Number(embedded.readPostmasterFile(place.cluster)?.[0] ?? 0);
      return embedded.isServerOf(pid, place.cluster);
    },
    postgres: Number(/\d+/.exec(stdout)?.[0]),
    recover: (folder, password) => recover({ ...place, cluster: folder }, binaries, password),
  };
}

async function recover(place: embedded.Place, binaries: string, password: string): Promise<void> {
  giveTo(place.cluster, place.user);
  const port = await embedded.findFreePort();
  // There is no archive: everything needed is in pg_wal. Setting restore_command is what starts a new timeline.
  const server = embedded.launch(place, binaries, port, { restore_command: 'false' });
  const url = embedded.connectionUrl(port, password);
  try {
    await embedded.waitUntilReady(url, place, server);
    await untilRecovered(url, server);
  } catch (error) {
    throw new CommandError(`PostgreSQL could not bring the backup up; its log is ${place.log}`, { cause: error });
  } finally {
    await stopServer(place.cluster);
  }
}

async function stopServer(cluster: string): Promise<void> {
  const pid = Number(embedded.readPostmasterFile(cluster)?.[0] ?? 0);
  if (!embedded.isServerOf(pid, cluster)) return;
  process.kill(pid, 'SIGINT');
  while (embedded.isServerOf(pid, cluster)) await sleep(POLL_MS);
}

/** Reading is possible before the end of recovery, writing only after it. */
async function untilRecovered(url: string, server: ChildProcess): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ is_over: boolean }>('select not pg_is_in_recovery() as is_over');
      if (rows[0].is_over) break;
      if (embedded.hasExited(server)) throw new Error('PostgreSQL stopped during recovery');
      await sleep(POLL_MS);
    }
    // After this checkpoint the copy no longer needs the WAL it came with.
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

/** PostgreSQL requires files owned by its user and unreadable by others. */
function giveTo(folder: string, user: embedded.Place['user']): void {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  chmodSync(folder, 0o700);
  if (user) for (const path of [folder, ...paths]) if (existsSync(path)) chownSync(path, user.uid, user.gid);
}
