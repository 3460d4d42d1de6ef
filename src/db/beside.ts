// Builds a table of the data plane anew beside the old one, for a load that brings more rows than there are: its rows meet
// no index to keep, and the indexes are made once, by both cores.
import type { Client } from './postgres.ts';

const NEXT = 'data_next';

/** The tables large enough to be worth it. */
export type BesideTable = 'properties' | 'addresses';

/** Below this many rows the indexes are no matter. */
const LEAST_ROWS = 10_000;

/** Whether the rows to come are twice those there are. What others have made of the table (grants, views, triggers,
    publications) would not come along; then it stays where it is. */
export async function isWorthBuildingBeside(client: Client, table: BesideTable, incoming: number): Promise<boolean> {
  if (incoming < LEAST_ROWS) return false;
  const { rows } = await client.query<{ present: number; is_alone: boolean }>(
    `select (select count(*) from (select 1 from ${table} limit $1) p) as present,
       c.relacl is null and not exists (
         select 1 from pg_depend d where d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
           and d.classid in ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_publication_rel'::regclass)
       ) as is_alone
     from pg_class c where c.oid = '${table}'::regclass`,
    [incoming],
  );
  return rows[0].is_alone && rows[0].present < incoming / 2;
}

/** From here on, for this transaction, the table's name means a copy without indexes. Others read on in the old one; who wants
    to write there waits. */
export async function beginBeside(client: Client, table: BesideTable): Promise<void> {
  await client.query(`lock table data.${table} in exclusive mode`);
  const { rows } = await client.query<{ options: string[] | null }>(
    `select reloptions as options from pg_class where oid = 'data.${table}'::regclass`,
  );
  const options = rows[0].options ? `with (${rows[0].options.join(', ')})` : '';
  await client.query(`create schema ${NEXT}`);
  await client.query(`create table ${NEXT}.${table} (like data.${table} including all excluding indexes) ${options}`);
  await client.query(`insert into ${NEXT}.${table} select * from data.${table}`);
  await client.query(`set local search_path = ${NEXT}, data`);
}

/** When the new rows are in. */
export const keyBeside = (client: Client, table: BesideTable) => indexBeside(client, table, 'key');

/** The key comes as soon as the rows are there, because updates find them by it; the other indexes when all is written. */
async function indexBeside(client: Client, table: BesideTable, which: 'key' | 'others'): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(c.oid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'data.${table}'::regclass and i.indisprimary = $1`,
    [which === 'key'],
  );
  await client.query(`set local maintenance_work_mem = '256MB'`);
  for (const { name, definition } of rows) {
    await client.query(definition.replace(` ON data.${table} `, ` ON ${NEXT}.${table} `));
    if (which === 'key')
      await client.query(`alter table ${NEXT}.${table} add constraint ${name} primary key using index ${name}`);
  }
}

/** The last act of the transaction: readers wait for a moment, and then read the new table. */
export async function endBeside(client: Client, table: BesideTable): Promise<void> {
  await indexBeside(client, table, 'others');
  await client.query(`drop table data.${table}`);
  await client.query(`alter table ${NEXT}.${table} set schema data`);
  await client.query(`drop schema ${NEXT}`);
  await client.query('set local search_path = data');
}
