// A temporary database for a trial run.
import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';
import { directUrls, openPool, type Client, type Pool } from './postgres.ts';

/** Calls `work` with an empty data plane on the same server, which is always dropped, and the real one to compare with. */
export async function withScratchDatabase<Result>(config: Config, work: (data: Pool, real: Pool) => Promise<Result>) {
  const embedded = config.databaseUrl ? undefined : await startEmbedded(config.home);
  const url = directUrls(config, embedded?.url).data;
  const server = openPool(url, 'data', { size: 1, statementTimeoutMs: 0 });
  const name = `platbook_scratch_${process.pid}_${randomBytes(4).toString('hex')}`;
  const scratchUrl = new URL(url);
  scratchUrl.pathname = `/${name}`;
  const data = openPool(scratchUrl.href, 'data', { size: 5, statementTimeoutMs: 0 });
  try {
    const holder = await createScratch(server, name, data);
    try {
      await migrate(data, 'data');
      return await work(data, server);
    } finally {
      holder.release();
    }
  } finally {
    await data.end();
    await server.query(`drop database if exists ${name} with (force)`);
    await server.end();
    await embedded?.stop();
  }
}

/** Its connection stays open to the end: a scratch database without a connection was left by a killed process, and the
    next one drops it. */
async function createScratch(server: Pool, name: string, data: Pool): Promise<Client> {
  const client = await server.connect();
  try {
    await client.query('select pg_advisory_lock($1::bigint)', [ADVISORY_LOCKS.scratch]);
    const { rows } = await client.query<{ datname: string }>(
      `select datname from pg_database d where datname like 'platbook\\_scratch\\_%' and pg_get_userbyid(datdba) = current_user
         and not exists (select from pg_stat_activity a where a.datid = d.oid)`,
    );
    for (const { datname } of rows) await client.query(`drop database if exists ${datname}`);
    await client.query(`create database ${name}`);
    const holder = await data.connect();
    holder.on('error', () => {});
    return holder;
  } finally {
    // Ends the session, and with it the lock.
    client.release(true);
  }
}
