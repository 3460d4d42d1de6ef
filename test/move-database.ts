// Moves a database as a dump and restore would: the rows of every table into the same schema on another server, whose
// transaction ids are unrelated to those in the rows.
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Both must be at the same schema. `planes` may leave one of them as it is. */
export async function moveDatabase(fromUrl: string, toUrl: string, planes = ['data', 'control']): Promise<void> {
  const [source, target] = [await connect(fromUrl), await connect(toUrl)];
  try {
    // What pg_dump does: one snapshot for all tables; constraints are checked at the source.
    await source.query('begin isolation level repeatable read');
    await target.query(`set session_replication_role = replica`);
    const { rows: tables } = await source.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = any($1)`,
      [planes],
    );
    await target.query(`truncate ${tables.map(({ name }) => name).join(', ')} cascade`);
    for (const { name } of tables) {
      await pipeline(source.query(copyTo(`copy ${name} to stdout`)), target.query(copyFrom(`copy ${name} from stdin`)));
    }
    const { rows: sequences } = await source.query<{ name: string; value: string | null }>(
      `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
       from pg_sequences where schemaname = any($1)`,
      [planes],
    );
    for (const { name, value } of sequences) {
      if (value !== null) await target.query('select setval($1, $2)', [name, value]);
    }
    await source.query('commit');
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

/** Advances the server's ids far beyond those of a new one. */
export async function useUpTransactions(url: string, count: number): Promise<void> {
  const client = await connect(url);
  await client.query(`do $$ begin for i in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`);
  await client.end();
}
