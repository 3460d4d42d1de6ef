// Opens the dependencies of every command (database, secret, log, clock, in-memory state) and closes them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createPlaces } from '../records/address/places.ts';
import { createAreaPlaces } from '../insight/analytics/rankings.ts';
import type { Config } from '../base/config.ts';
import { openDatabase, type Database, type Use } from '../base/db/database.ts';
import type { Connections, Deps } from '../base/deps.ts';
import { systemClock } from '../base/lib/clock.ts';
import { readOrMakeSecret } from '../base/lib/secret-file.ts';
import { deriveSecrets } from '../base/lib/secrets.ts';
import { createMinuteLimits } from '../edge/gate/minute-limits.ts';
import { createLog } from '../base/log.ts';
import { createCatalog } from '../records/markets/catalog.ts';
import { createMetrics } from '../base/measures/metrics.ts';
import { createBackground, createMailer } from '../customers/people/mail.ts';
import { createPasswords } from '../customers/people/passwords.ts';
import { createRecordReader } from '../records/properties/properties.ts';
import { createThreads } from '../base/threads/threads.ts';
import { createOutcomes } from '../edge/status/outcomes.ts';
import { openTelemetry } from '../base/telemetry/open-telemetry.ts';
import { createTileCaches } from '../records/tiles/tile-cache.ts';
import { createOpenModels } from '../insight/valuations/open-models.ts';
import { createReceiptWriter } from '../insight/valuations/receipts.ts';
import { createSharedErrorReader } from '../delivery/watchlists/portfolio.ts';

export interface Opened {
  deps: Deps;
  database: Database;
  close(): Promise<void>;
}

/** Use `requests` for a process that only answers requests. */
export async function open(config: Config, use: Use = 'sessions'): Promise<Opened> {
  mkdirSync(config.home, { recursive: true });
  const telemetry = await openTelemetry(config.telemetry, (message) => log.warn(message));
  const log = createLog(config.logLevel, telemetry.isOn ? telemetry.logFields : undefined);
  const onLost = (error: Error) => log.warn({ err: error }, 'database connection lost');
  const database = await openDatabase(config, { use, onError: onLost, telemetry });
  const deps = createDeps({
    config,
    log,
    data: database.data,
    dataReplica: database.dataReplica,
    replica: database.replica,
    control: database.control,
    controlUrl: database.controlUrl,
    dataUrl: database.dataUrl,
    clock: systemClock,
    secrets: deriveSecrets(config.secret ?? readOrMakeSecret(join(config.home, 'secret'), 32)),
    telemetry,
  });
  const close = async () => {
    await deps.background.settle();
    await deps.outcomes.flush();
    await telemetry.close();
    await database.close();
  };
  return { deps, database, close };
}

/** Creates all state that is kept in memory between requests. */
export function createDeps(connections: Connections): Deps {
  const metrics = createMetrics(connections);
  connections.telemetry.exportMetrics(metrics.registry);
  const catalog = createCatalog(connections);
  const models = createOpenModels({ ...connections, catalog });
  return {
    ...connections,
    metrics,
    outcomes: createOutcomes(connections),
    catalog,
    records: createRecordReader(connections),
    tiles: createTileCaches(),
    places: createPlaces(connections),
    areaPlaces: createAreaPlaces(connections),
    models,
    sharedErrors: createSharedErrorReader({ catalog, models, clock: connections.clock }),
    receipts: createReceiptWriter(connections),
    threads: createThreads(),
    mailer: createMailer(connections),
    background: createBackground(connections),
    passwords: createPasswords({
      breachedUrl: connections.config.breachedPasswordsUrl,
      onUnreachable: (error) => connections.log.warn({ err: error }, 'breached passwords were not looked up'),
    }),
    minuteLimits: createMinuteLimits(connections),
  };
}
