// Opens everything a command needs from PostgreSQL, and closes it in the right order.
import type pg from 'pg';
import type { Config } from '../config.ts';
import { startEmbedded } from './embedded.ts';
import { distributeTables, isDistributed } from './distribution.ts';
import { readEpochs } from './epochs.ts';
import { CommandError } from '../lib/command-error.ts';
import { listPending, migrate } from './migrate.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { refuseWrongSession } from './pooler.ts';
import { directUrls, openPool, type Plane, type Pool, type Queryable } from './postgres.ts';
import { followReplica, type Replica } from './replica.ts';

/** Requests may share sessions with others, so they go through the pooler, if there is one. Everything else (loads,
    training, background work) keeps temporary tables, locks and settings in its session. */
export type Use = 'requests' | 'sessions';

export interface Database {
  data: Pool;
  /** The same plane, from a replica if there is one, for searches that may lag slightly. */
  dataReplica: Queryable;
  replica: Replica | undefined;
  control: Pool;
  /** Bypasses any pooler, for code with its own connection: the queue and listeners. */
  controlUrl: string;
  dataUrl: string;
  isEmbedded: boolean;
  /** Restarts the embedded server whenever it dies, until `close`. Does nothing for a server of the operator's own. */
  watch(report: (message: string) => void): void;
  close(): Promise<void>;
  /** Closes immediately, so work in progress fails: for a process that is about to exit. */
  abandon(): Promise<void>;
}

export async function openDatabase(
  config: Config,
  { use = 'sessions', onError, telemetry }: { use?: Use; onError?: (error: Error) => void; telemetry?: Telemetry } = {},
): Promise<Database> {
  const embedded = config.databaseUrl ? undefined : await startEmbedded(config.home);
  const { control: controlUrl, data: dataUrl } = directUrls(config, embedded?.url);
  const opened: Pool[] = [];
  const connected = new Set<pg.PoolClient>();
  const open = (url: string, plane: Plane, isShared = false) => {
    const { poolSize: size, statementTimeoutMs } = config;
    const pool = openPool(url, plane, { size, statementTimeoutMs, onError, telemetry, isShared });
    opened.push(pool);
    pool.on('connect', (client) => connected.add(client));
    pool.on('remove', (client) => connected.delete(client));
    return pool;
  };
  const pooled = use === 'requests' ? poolerUrls(config) : {};
  const control = pooled.control ? open(pooled.control, 'control', true) : open(controlUrl, 'control');
  const data = pooled.data ? open(pooled.data, 'data', true) : open(dataUrl, 'data');
  const replica = config.replicaUrl
    ? followReplica(data, open(config.replicaUrl, 'data'), config.replicaMaxLagMs)
    : undefined;

  let stopWatching: (() => void) | undefined;
  const closeWith = (endConnections: () => Promise<unknown>) => async () => {
    stopWatching?.();
    await replica?.close();
    await endConnections();
    await embedded?.stop();
  };
  const close = closeWith(() => Promise.all(opened.map((pool) => pool.end())));
  const abandon = closeWith(() => {
    // Resolves when the last connection is released, which may never happen here.
    for (const pool of opened) void pool.end().catch(() => {});
    return Promise.all([...connected].map((client) => (client as unknown as pg.Client).end()));
  });
  try {
    if (pooled.control) await refuseWrongSession(control, 'control');
    if (pooled.data) await refuseWrongSession(data, 'data');
    await settleSchema(config, {
      control: pooled.control ? open(controlUrl, 'control') : control,
      data: pooled.data ? open(dataUrl, 'data') : data,
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    data,
    dataReplica: replica?.reads ?? data,
    replica,
    control,
    controlUrl,
    dataUrl,
    isEmbedded: embedded !== undefined,
    watch: (report) => {
      stopWatching = embedded?.watch(report);
    },
    close,
    abandon,
  };
}

/** The planes that have a pooler in front. */
const poolerUrls = (config: Config): Partial<Record<Plane, string>> => ({
  control: config.directUrl && config.databaseUrl,
  data: config.dataDirectUrl && config.dataDatabaseUrl,
});

async function settleSchema(config: Config, { control, data }: Record<Plane, Pool>): Promise<void> {
  const settle = config.migratesOnStart ? migrate : refusePending;
  await settle(control, 'control');
  await settle(data, 'data');
  // A new table is distributed like the others.
  if (await isDistributed(data)) await distributeTables(data, undefined);
  // Before any write: a restored database's changes must sort after those in the backup.
  await readEpochs(data);
}

async function refusePending(pool: Pool, plane: Plane): Promise<void> {
  const pending = await listPending(pool, plane);
  if (pending.length === 0) return;
  throw new CommandError(
    `The ${plane} plane lacks ${pending.length} migrations, from ${pending[0].name} on. ` +
      'Run `platbook migrate` first, or set MIGRATE_ON_START=true.',
  );
}
