// Rebuilds data-plane tables next to the old ones, for a load with more rows than they hold: its inserts maintain no
// index, and the indexes are built once, on both cores.
import { isDistributed } from './distribution.ts';
import type { Client } from './postgres.ts';

const NEXT = 'data_next';

/** The tables large enough to be worth it. */
export type BesideTable = 'properties' | 'property_claims' | 'changes' | 'addresses';

/** Below this many rows, index upkeep is negligible. */
export const LEAST_ROWS_BESIDE = 10_000;

/** The tables that hold less than half as many rows as will be added. A table with grants, views, triggers or publications
    stays in place, because the copy would lose them. */
export async function listWorthBuildingBeside(
  client: Client,
  tables: BesideTable[],
  incoming: number,
): Promise<BesideTable[]> {
  const worth: BesideTable[] = [];
  // Shards are shared by counties: what is rebuilt would be the rows of others as well.
  if (incoming < LEAST_ROWS_BESIDE || (await isDistributed(client))) return worth;
  for (const table of tables) {
    const { rows } = await client.query<{ present: number; is_alone: boolean }>(
      `select (select count(*) from (select 1 from ${table} limit $1) p) as present,
         c.relacl is null and not exists (
           select 1 from pg_depend d where d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
             and d.classid in ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_publication_rel'::regclass)
         ) as is_alone
       from pg_class c where c.oid = '${table}'::regclass`,
      [incoming],
    );
    if (rows[0].is_alone && rows[0].present < incoming / 2) worth.push(table);
  }
  return worth;
}

/** From here on, in this transaction, the tables' names refer to copies without indexes. Others keep reading the old
    tables; writers wait. */
export async function beginBeside(client: Client, tables: BesideTable[]): Promise<void> {
  if (tables.length === 0) return;
  await client.query(`create schema ${NEXT}`);
  for (const table of tables) {
    await client.query(`lock table data.${table} in exclusive mode`);
    const { rows } = await client.query<{ options: string[] | null }>(
      `select reloptions as options from pg_class where oid = 'data.${table}'::regclass`,
    );
    const options = rows[0].options ? `with (${rows[0].options.join(', ')})` : '';
    await client.query(`create table ${NEXT}.${table} (like data.${table} including all excluding indexes) ${options}`);
    await client.query(`insert into ${NEXT}.${table} select * from data.${table}`);
    if (table === 'changes')
      await client.query(`select setval('${NEXT}.changes_seq_seq', last_value, is_called) from data.changes_seq_seq`);
  }
  await client.query(`set local search_path = ${NEXT}, data`);
}

/** Adds the primary key to a table whose rows are in, for updates that still have to find them. */
export const keyBeside = (client: Client, table: BesideTable) => indexBeside(client, table, true);

async function indexBeside(client: Client, table: BesideTable, keyOnly: boolean): Promise<void> {
  const { rows } = await client.query<{ name: string; is_key: boolean; definition: string }>(
    `select c.relname as name, i.indisprimary as is_key, pg_get_indexdef(c.oid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'data.${table}'::regclass and (i.indisprimary or not $1)
       and to_regclass('${NEXT}.' || c.relname) is null`,
    [keyOnly],
  );
  await client.query(`set local maintenance_work_mem = '256MB'`);
  for (const { name, is_key, definition } of rows) {
    await client.query(definition.replace(` ON data.${table} `, ` ON ${NEXT}.${table} `));
    if (is_key)
      await client.query(`alter table ${NEXT}.${table} add constraint ${name} primary key using index ${name}`);
  }
}

/** The last step of the transaction: readers wait for a moment and then read the new tables. */
export async function endBeside(client: Client, tables: BesideTable[]): Promise<void> {
  if (tables.length === 0) return;
  for (const table of tables) await indexBeside(client, table, false);
  for (const table of tables) {
    await client.query(`drop table data.${table}`);
    await client.query(`alter table ${NEXT}.${table} set schema data`);
  }
  await client.query(`drop schema ${NEXT}`);
  await client.query('set local search_path = data');
}
