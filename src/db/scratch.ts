// A database that exists only while something is tried out in it.
import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';
import { openPool, type Pool } from './postgres.ts';

/** Calls `work` with an empty data plane on the same server, and drops it whatever happens. */
export async function withScratchDatabase<Result>(
  config: Config,
  work: (data: Pool) => Promise<Result>,
): Promise<Result> {
  const embedded = config.databaseUrl ? undefined : await startEmbedded(config.home);
  const url = config.dataDatabaseUrl ?? config.databaseUrl ?? embedded!.url;
  const server = openPool(url, 'data', { size: 1, statementTimeoutMs: 0 });
  const name = `platbook_scratch_${process.pid}_${randomBytes(4).toString('hex')}`;
  try {
    await server.query(`create database ${name}`);
    const scratchUrl = new URL(url);
    scratchUrl.pathname = `/${name}`;
    const data = openPool(scratchUrl.href, 'data', { size: 4, statementTimeoutMs: 0 });
    try {
      await migrate(data, 'data');
      return await work(data);
    } finally {
      await data.end();
      await server.query(`drop database if exists ${name} with (force)`);
    }
  } finally {
    await server.end();
    await embedded?.stop();
  }
}
