// Connections and caches that the program opens once and passes down as an argument. Nothing else outlives a request.
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { Pool, Queryable } from './db/postgres.ts';
import type { Replica } from './db/replica.ts';
import type { Clock } from './lib/clock.ts';
import type { Secrets } from './lib/secrets.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

export interface Connections {
  config: Config;
  data: Pool;
  /** The data plane, possibly with slight lag. */
  dataReplica: Queryable;
  replica?: Replica;
  control: Pool;
  /** The planes' URLs bypassing any pooler, for dedicated connections. */
  controlUrl: string;
  dataUrl: string;
  clock: Clock;
  secrets: Secrets;
  log: FastifyBaseLogger;
  telemetry: Telemetry;
}

/** The connections, and the state that rooms keep for the life of the process. A room adds its own member by
    declaration merging, next to the code that creates it (`catalog` in markets/catalog.ts, `models` in
    valuations/open-models.ts …). `createDeps` in open.ts creates and lists all of them. */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Deps extends Connections {}
