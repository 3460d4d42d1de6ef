// Opens what every command needs (database, secret, log, clock, and what is kept in memory) and closes it again.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPlaces } from './address/places.ts';
import { createAreaPlaces } from './analytics/rankings.ts';
import type { Config } from './config.ts';
import { openDatabase, type Database, type Use } from './db/database.ts';
import type { Connections, Deps } from './deps.ts';
import { systemClock } from './lib/clock.ts';
import { deriveSecrets } from './lib/secrets.ts';
import { createMinuteLimits } from './gate/minute-limits.ts';
import { createLog } from './log.ts';
import { createCatalog } from './markets/catalog.ts';
import { createMetrics } from './measures/metrics.ts';
import { createBackground, createMailer } from './people/mail.ts';
import { createPasswords } from './people/passwords.ts';
import { createRecordReader } from './properties/properties.ts';
import { createQualityPrinter } from './quality/printer.ts';
import { createPrinter } from './reports/printer.ts';
import { createOutcomes } from './status/outcomes.ts';
import { openTelemetry } from './telemetry/open-telemetry.ts';
import { createTileCaches } from './tiles/tile-cache.ts';
import { createOpenModels } from './valuations/open-models.ts';
import { createReceiptWriter } from './valuations/receipts.ts';
import { createSharedErrorReader } from './watchlists/portfolio.ts';

export interface Opened {
  deps: Deps;
  database: Database;
  close(): Promise<void>;
}

/** `requests` for a process that only answers them. */
export async function open(config: Config, use: Use = 'sessions'): Promise<Opened> {
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
    secrets: deriveSecrets(config.secret ?? readOrMakeSecret(config.home)),
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

/** Everything that is kept in memory between requests, in one list. */
export function createDeps(connections: Connections): Deps {
  const metrics = createMetrics(connections);
  connections.telemetry.exportMetrics(metrics.registry);
  const models = createOpenModels(connections);
  return {
    ...connections,
    metrics,
    outcomes: createOutcomes(connections),
    catalog: createCatalog(connections),
    records: createRecordReader(connections),
    tiles: createTileCaches(),
    places: createPlaces(connections),
    areaPlaces: createAreaPlaces(connections),
    models,
    sharedErrors: createSharedErrorReader({ models, clock: connections.clock }),
    receipts: createReceiptWriter(connections),
    printer: createPrinter(),
    qualityPrinter: createQualityPrinter(),
    mailer: createMailer(connections),
    background: createBackground(connections),
    passwords: createPasswords(),
    minuteLimits: createMinuteLimits(connections),
  };
}

function readOrMakeSecret(home: string): string {
  const file = join(home, 'secret');
  mkdirSync(home, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
