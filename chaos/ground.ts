// What the campaign stands on: a home on a small file system, the database behind a door, the settings of every process.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/base/db/embedded.ts';
import { joinCluster, type Cluster, type ClusterUrls } from './cluster.ts';
import { openDoor, type Door } from './door.ts';

/** Room for the database's log, which may take 2 GB, and for the rest. */
const SMALL_DISK_MB = 3_500;
const FILL_BYTES = 1 << 20;
/** Every tenth of a second, and later where a process is paused or has no core. */
const CLOCK_IS_READ_WITHIN_MS = 5_000;

type Server = Awaited<ReturnType<typeof startEmbedded>>;

export interface Ground {
  folder: string;
  home: string;
  /** Whether the home has a file system of its own, which can be filled without harm. */
  hasSmallDisk: boolean;
  door: Door;
  /** Where the data plane is, if it is not in the same database. */
  cluster: Cluster | undefined;
  /** The settings that every process shares. */
  settings: Record<string, string>;
  postmaster(): number;
  stopDatabase(): Promise<void>;
  startDatabase(): Promise<void>;
  /** Takes what is left of the disk, until the returned function is called. */
  fillDisk(): () => void;
  clockOffsetMs: number;
  moveClock(byMs: number): void;
  /** The earliest and the latest instant that a process may take for the present: each reads the clock's file late. */
  presents(): [earliest: number, latest: number];
  leave(): Promise<void>;
}

export async function prepareGround(extra: Record<string, string>, clusterUrls?: ClusterUrls): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-chaos-'));
  spawnSync('chmod', ['755', folder]);
  const disk = join(folder, 'disk');
  mkdirSync(disk, { mode: 0o755 });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_MB}m`, 'tmpfs', disk]);
  const hasSmallDisk = mounted.status === 0;
  const home = join(disk, 'home');
  mkdirSync(home, { mode: 0o755 });
  const clockFile = join(folder, 'clock');
  writeFileSync(clockFile, '0');

  const door = await openDoor();
  const cluster = clusterUrls && (await joinCluster(clusterUrls, `platbook_chaos_${process.pid}`));
  const offsets: { offsetMs: number; until: number }[] = [];
  let server: Server | undefined;
  let stopWatching: (() => void) | undefined;
  const ground: Ground = {
    folder,
    home,
    hasSmallDisk,
    door,
    cluster,
    settings: {},
    clockOffsetMs: 0,
    postmaster: () => Number(readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]),
    async startDatabase() {
      server = await startEmbedded(home);
      door.upstreamPort = Number(new URL(server.url).port);
      stopWatching = server.watch(() => {});
    },
    async stopDatabase() {
      stopWatching?.();
      await server?.stop();
      server = undefined;
    },
    fillDisk() {
      const ballast = join(disk, 'ballast');
      const file = openSync(ballast, 'w');
      const block = Buffer.alloc(FILL_BYTES);
      for (let bytes = FILL_BYTES; bytes >= 512;) {
        try {
          if (writeSync(file, block, 0, bytes) < bytes) bytes = Math.floor(bytes / 2);
        } catch {
          bytes = Math.floor(bytes / 2);
        }
      }
      closeSync(file);
      return () => rmSync(ballast, { force: true });
    },
    moveClock(byMs) {
      offsets.push({ offsetMs: ground.clockOffsetMs, until: performance.now() });
      ground.clockOffsetMs += Math.round(byMs);
      writeFileSync(clockFile, String(ground.clockOffsetMs));
    },
    presents() {
      const since = performance.now() - CLOCK_IS_READ_WITHIN_MS;
      const recent = offsets.filter(({ until }) => until > since).map(({ offsetMs }) => offsetMs);
      const own = [...recent, ground.clockOffsetMs].map((offsetMs) => Date.now() + offsetMs);
      return [Math.min(...own), Math.max(...own)];
    },
    async leave() {
      await ground.stopDatabase();
      door.close();
      await cluster?.leave();
      if (hasSmallDisk) spawnSync('umount', ['-l', disk]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await ground.startDatabase();
  const url = new URL(server!.url);
  url.port = String(door.port);
  ground.settings = {
    DATABASE_URL: url.toString(),
    ...(cluster && { DATA_DATABASE_URL: cluster.url }),
    ...(cluster?.replicaUrl && { DATABASE_REPLICA_URL: cluster.replicaUrl }),
    PLATBOOK_HOME: home,
    CHAOS_CLOCK: clockFile,
    WEBHOOK_ALLOW_PRIVATE: 'loopback',
    SANDBOX_PROPERTIES: '2000',
    // The campaign keeps and kills its processes itself.
    PROCESSES: '1',
    LOG_LEVEL: 'warn',
    ...extra,
  };
  return ground;
}
