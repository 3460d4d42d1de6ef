// Rebuilds data-plane tables for a load that adds more rows than they hold: rows are copied into new tables without
// indexes, the indexes are built once, on both cores, and the new tables replace the old ones.
import { changeRows, raw } from './statements.ts';
import { isDistributed } from './distribution.ts';
import type { Client } from './postgres.ts';

const NEXT = 'data_next';

/** The tables that can be rebuilt; the others are too small to benefit. */
export type RebuildableTable = 'properties' | 'property_claims' | 'changes' | 'addresses';

/** Below this many new rows, maintaining the indexes costs next to nothing. */
export const LEAST_ROWS_TO_REBUILD = 10_000;

/** The tables that hold less than half as many rows as the load will add. One with grants, views, triggers or
    publications is not rebuilt, because the copy would lose them. */
export async function tablesToRebuild(client: Client, tables: RebuildableTable[], incoming: number) {
  const chosen: RebuildableTable[] = [];
  // Counties share shards, so a rebuild would copy the rows of other counties as well.
  if (incoming < LEAST_ROWS_TO_REBUILD || (await isDistributed(client))) return chosen;
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
    if (rows[0].is_alone && rows[0].present < incoming / 2) chosen.push(table);
  }
  return chosen;
}

/** From here on, the tables' names refer to unindexed copies in this transaction. Other readers see the old tables;
    writers wait. */
export async function beginRebuild(client: Client, tables: RebuildableTable[]): Promise<void> {
  if (tables.length === 0) return;
  await changeRows(client)`create schema if not exists ${raw(NEXT)}`;
  for (const table of tables) {
    await client.query(`lock table data.${table} in exclusive mode`);
    const { rows } = await client.query<{ options: string[] | null }>(
      `select reloptions as options from pg_class where oid = 'data.${table}'::regclass`,
    );
    const options = rows[0].options ? `with (${rows[0].options.join(', ')})` : '';
    await client.query(`create table ${NEXT}.${table} (like data.${table} including all excluding indexes) ${options}`);
    await client.query(`insert into ${NEXT}.${table} select * from data.${table}`);
    if (table === 'changes')
      await changeRows(client)`
        select setval('${raw(NEXT)}.changes_seq_seq', last_value, is_called) from data.changes_seq_seq`;
  }
  await changeRows(client)`set local search_path = ${raw(NEXT)}, data`;
}

/** Adds the primary key once the rows are in, for the updates by key that follow. */
export const addPrimaryKey = (client: Client, table: RebuildableTable) => addIndexes(client, table, true);

interface MissingIndex {
  name: string;
  is_key: boolean;
  definition: string;
}

async function addIndexes(client: Client, table: RebuildableTable, keyOnly: boolean, onIndex?: () => void) {
  const rows = await listMissing(client, table, keyOnly);
  await changeRows(client)`set local maintenance_work_mem = '256MB'`;
  for (const { name, is_key, definition } of rows) {
    await client.query(definition.replace(` ON data.${table} `, ` ON ${NEXT}.${table} `));
    if (is_key)
      await client.query(`alter table ${NEXT}.${table} add constraint ${name} primary key using index ${name}`);
    onIndex?.();
  }
}

async function listMissing(client: Client, table: RebuildableTable, keyOnly: boolean): Promise<MissingIndex[]> {
  const { rows } = await client.query<MissingIndex>(
    `select c.relname as name, i.indisprimary as is_key, pg_get_indexdef(c.oid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'data.${table}'::regclass and (i.indisprimary or not $1)
       and to_regclass('${NEXT}.' || c.relname) is null`,
    [keyOnly],
  );
  return rows;
}

/** Index builds take nearly all of a rebuild's time; `onIndex` reports how many are done. */
export async function buildIndexes(
  client: Client,
  tables: RebuildableTable[],
  onIndex?: (built: number, all: number) => void,
): Promise<void> {
  let [built, all] = [0, 0];
  for (const table of tables) all += (await listMissing(client, table, false)).length;
  for (const table of tables) await addIndexes(client, table, false, () => onIndex?.(++built, all));
}

/** The last step of the transaction: readers block briefly and then see the new tables. */
export async function endRebuild(client: Client, tables: RebuildableTable[]): Promise<void> {
  if (tables.length === 0) return;
  for (const table of tables) {
    await client.query(`drop table data.${table}`);
    await client.query(`alter table ${NEXT}.${table} set schema data`);
  }
  await changeRows(client)`drop schema ${raw(NEXT)}`;
  await client.query('set local search_path = data');
}
