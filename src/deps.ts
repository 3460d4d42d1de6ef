// What the program opens once and passes down as an argument: connections, clock, secrets, log.
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { Pool } from './db/postgres.ts';
import type { Clock } from './lib/clock.ts';
import type { Secrets } from './lib/secrets.ts';

export interface Deps {
  config: Config;
  data: Pool;
  dataReplica: Pool;
  control: Pool;
  controlUrl: string;
  clock: Clock;
  secrets: Secrets;
  log: FastifyBaseLogger;
}
