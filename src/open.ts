// Opens what every command needs (database, secret, log, clock) and closes it again.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { openDatabase, type Database } from './db/database.ts';
import type { Deps } from './deps.ts';
import { systemClock } from './lib/clock.ts';
import { deriveSecrets } from './lib/secrets.ts';
import { createLog } from './log.ts';

export interface Opened {
  deps: Deps;
  database: Database;
  close(): Promise<void>;
}

export async function open(config: Config): Promise<Opened> {
  const log = createLog(config.logLevel);
  const database = await openDatabase(config, (error) => log.warn({ err: error }, 'a database connection was lost'));
  const deps: Deps = {
    config,
    log,
    data: database.data,
    dataReplica: database.dataReplica,
    control: database.control,
    controlUrl: database.controlUrl,
    clock: systemClock,
    secrets: deriveSecrets(config.secret ?? readOrMakeSecret(config.home)),
  };
  return { deps, database, close: () => database.close() };
}

function readOrMakeSecret(home: string): string {
  const file = join(home, 'secret');
  mkdirSync(home, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
