// Opens everything a command needs from PostgreSQL, and closes it in the right order.
import type { Config } from '../config.ts';
import { startEmbedded } from './embedded.ts';
import { readEpochs } from './epochs.ts';
import { CommandError } from '../lib/command-error.ts';
import { listPending, migrate } from './migrate.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { openPool, type Plane, type Pool } from './postgres.ts';

export interface Database {
  data: Pool;
  /** The same plane, possibly a replica, for searches that may lag slightly. */
  dataReplica: Pool;
  control: Pool;
  /** The URL of the control plane, for parts with their own connection (the queue, the key listener). */
  controlUrl: string;
  isEmbedded: boolean;
  /** Restarts the embedded server whenever it dies, until `close`. Does nothing for a server of the operator's own. */
  watch(report: (message: string) => void): void;
  close(): Promise<void>;
}

export async function openDatabase(
  config: Config,
  onError?: (error: Error) => void,
  telemetry?: Telemetry,
): Promise<Database> {
  const embedded = config.databaseUrl ? undefined : await startEmbedded(config.home);
  const controlUrl = config.databaseUrl ?? embedded!.url;
  const dataUrl = config.dataDatabaseUrl ?? controlUrl;
  const open = (url: string, plane: Plane) =>
    openPool(url, plane, { size: config.poolSize, statementTimeoutMs: config.statementTimeoutMs, onError, telemetry });
  const data = open(dataUrl, 'data');
  const control = open(controlUrl, 'control');
  const dataReplica = config.replicaUrl ? open(config.replicaUrl, 'data') : data;

  let stopWatching: (() => void) | undefined;
  const close = async () => {
    stopWatching?.();
    await Promise.all([...new Set([data, dataReplica, control])].map((pool) => pool.end()));
    await embedded?.stop();
  };
  try {
    const settle = config.migratesOnStart ? migrate : refusePending;
    await settle(control, 'control');
    await settle(data, 'data');
    // Before anything is written: what a restored database writes must come after what came with it.
    await readEpochs(data);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    data,
    dataReplica,
    control,
    controlUrl,
    isEmbedded: embedded !== undefined,
    watch: (report) => {
      stopWatching = embedded?.watch(report);
    },
    close,
  };
}

async function refusePending(pool: Pool, plane: Plane): Promise<void> {
  const pending = await listPending(pool, plane);
  if (pending.length === 0) return;
  throw new CommandError(
    `The ${plane} plane lacks ${pending.length} migrations, from ${pending[0].name} on. ` +
      'Run `platbook migrate` first, or set MIGRATE_ON_START=true.',
  );
}
