// The data plane on Citus: tables with rows per property are distributed over the workers by county; small tables and
// the change feed stay on the coordinator. Without Citus, everything here is a no-op.
import { changeRows, hasRow, listRows, raw } from './statements.ts';
import { CommandError } from '../lib/command-error.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import type { Client, Pool, Queryable } from './postgres.ts';

/** Distributed tables, colocated: a county's rows of every table are on the same worker. */
export const DISTRIBUTED_TABLES =
  `properties owners assessments taxes transactions flood_stamps layer_stamps tax_liens permits code_violations
  areas map_lines map_squares parcel_shapes lineage property_claims property_keys property_values addresses
  sale_verdicts tested_sales sampled_values owner_suppressions parties party_keys rents untied_documents`.split(/\s+/);

const COLOCATED = `'fips', colocate_with => 'data.properties'`;
/** A statewide statement queries every shard, so more shards than rebalancing needs would cost time. */
const SHARDS_PER_WORKER = 2;

/** Whether the tables of this database are distributed. */
export const isDistributed = async (db: Queryable): Promise<boolean> => (await listDistributed(db)).has('properties');

async function listDistributed(db: Queryable): Promise<Set<string>> {
  const catalogs = await listRows(db)`
    select where to_regclass('pg_catalog.pg_dist_partition') is not null`;
  if (catalogs.length === 0) return new Set();
  const rows = await listRows<{ name: string }>(db)`
    select c.relname as name from pg_dist_partition d join pg_class c on c.oid = d.logicalrelid
    where c.relnamespace = to_regnamespace('data') and d.partmethod = 'h'`;
  return new Set(rows.map(({ name }) => name));
}

export interface Shards {
  /** The shard of each county. */
  of: Map<number, number>;
  total: number;
}

/** Undefined if nothing is distributed. */
export async function readShards(db: Queryable, counties: number[]): Promise<Shards | undefined> {
  if (!(await isDistributed(db))) return undefined;
  const rows = await listRows<{ fips: number; shard: number; total: number }>(db)`
    select fips, get_shard_id_for_distribution_column('data.properties', fips) as shard,
      (select count(*)::integer from pg_dist_shard where logicalrelid = 'data.properties'::regclass) as total
    from unnest(${counties}::int[]) as c (fips)`;
  return { of: new Map(rows.map(({ fips, shard }) => [fips, shard])), total: rows[0]?.total ?? 0 };
}

/** Distributes the remaining tables and returns their names. Blocks writers but not readers. */
export async function distributeTables(pool: Pool, shards: number | undefined, onTable?: (name: string) => void) {
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    await changeRows(client)`select pg_advisory_lock(${ADVISORY_LOCKS.migration}::bigint)`;
    const done = await listDistributed(client);
    const missing = DISTRIBUTED_TABLES.filter((name) => !done.has(name));
    for (const name of missing) {
      const how =
        name === 'properties' ? `'fips', shard_count => ${shards ?? (await chooseShards(client))}` : COLOCATED;
      await changeRows(client)`
        select create_distributed_table('data.${raw(name)}', ${raw(how)})`;
      // The rows are on the workers now; the local copy would only take up disk space.
      await changeRows(client)`
        select truncate_local_data_after_distributing_table('data.${raw(name)}')`;
      onTable?.(name);
    }
    await numberChangesHere(client);
    return missing;
  } finally {
    // Ends the session, and with it the lock and the setting.
    client.release(true);
  }
}

/** A change carries the id of its transaction. If rows are selected from shards, Citus lets the workers compute that
    default, each with its own transaction counter, and the feed would miss some. A trigger always runs on the
    coordinator. Call again when the default has changed. */
export async function numberChangesHere(client: Client): Promise<void> {
  const rows = await listRows<{ transaction: string }>(client)`
    select pg_get_expr(d.adbin, d.adrelid) as transaction from pg_attrdef d
    join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where d.adrelid = 'data.changes'::regclass and a.attname = 'xid'`;
  await changeRows(client)`
    create or replace function data.number_change() returns trigger language plpgsql as
    $$ begin new.xid := ${raw(rows[0].transaction)}; return new; end $$`;
  await changeRows(client)`
    create or replace trigger number_change before insert on data.changes for each row execute function data.number_change()`;
}

const chooseShards = async (db: Queryable): Promise<number> => SHARDS_PER_WORKER * (await listWorkers(db)).length;

/** The workers that can hold counties, by the names the coordinator uses. */
export const listWorkers = (db: Queryable) =>
  listRows<{ host: string; port: number }>(db)`
    select nodename as host, nodeport as port from pg_dist_node
    where isactive and shouldhaveshards and noderole = 'primary' order by nodename, nodeport`;

/** The Citus version of this database; throws if Citus is missing or too old. */
export async function findCluster(db: Queryable): Promise<{ version: string }> {
  const rows = await listRows<{ version: string | null }>(db)`
    select (select extversion from pg_extension where extname = 'citus') as version`;
  const { version } = rows[0];
  if (version === null) {
    throw new CommandError(
      'The data database has no Citus. Point DATA_DATABASE_URL at a coordinator, and run `create extension citus` in ' +
        'the database on it and on every worker, then `select citus_add_node(...)` on the coordinator for each worker.',
    );
  }
  if (Number.parseInt(version) < 12)
    throw new CommandError(`The data database has Citus ${version}. Version 12 or later is needed.`);
  return { version };
}

/** Whether the control plane is in the same database. */
export const holdsAccounts = (db: Queryable) => hasRow(db)`select where to_regnamespace('control') is not null`;

/** A single-shard statement may use features that a multi-shard one may not, such as a limit in a lateral. */
export function groupByShard(counties: number[], shards: Shards | undefined): number[][] {
  if (!shards) return [counties];
  return [...Map.groupBy(counties, (fips) => shards.of.get(fips)).values()];
}

/** Whether listing the counties saves shard queries. If they are on all shards, a list of hundreds costs more planning
    time per shard than it saves. */
export const isWorthNaming = (counties: number[], shards: Shards | undefined): boolean =>
  shards !== undefined && groupByShard(counties, shards).length < shards.total;

/** Analyzes the tables that some counties' rows were written to; of a distributed table, only their shards. */
export async function analyzeCounties(
  client: Client,
  tables: string[],
  { counties, columnsOf }: { counties: number[]; columnsOf(table: string): string },
): Promise<void> {
  const spread = await listDistributed(client);
  const whole = tables.filter((name) => !spread.has(name) || counties.length === 0);
  if (whole.length > 0)
    await changeRows(client)`
      analyze ${raw(whole.map((name) => `${name} ${columnsOf(name)}`).join(', '))}`;
  if (whole.length === tables.length) return;
  await changeRows(client)`
    select master_run_on_worker(array_agg(n.nodename::text), array_agg(n.nodeport), array_agg('analyze ' || s.shard), true)
    from (
      select distinct get_shard_id_for_distribution_column(t.name::regclass, c.fips) as id,
        shard_name(t.name::regclass, get_shard_id_for_distribution_column(t.name::regclass, c.fips)) as shard
      from unnest(${tables.filter((name) => !whole.includes(name))}::text[]) as t (name), unnest(${counties}::int[]) as c (fips)
    ) s
    join pg_dist_placement p on p.shardid = s.id
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`;
}

const STAGE = 'data_stage_';

/** Creates a schema for the session's staging tables, colocated with the shards; without Citus it uses temporary
    tables. */
export async function openStage(client: Client): Promise<void> {
  if (!(await isDistributed(client))) return;
  await dropLeftStages(client);
  const rows = await listRows<{ pid: number }>(client)`select pg_backend_pid() as pid`;
  await changeRows(client)`create schema ${raw(STAGE)}${raw(rows[0].pid)}`;
  await changeRows(client)`set search_path = ${raw(STAGE)}${raw(rows[0].pid)}, data`;
}

export async function closeStage(client: Client): Promise<void> {
  const schema = await findStage(client).catch(() => undefined);
  // A schema that cannot be dropped now is left to the next load.
  if (schema) await client.query(`drop schema ${schema} cascade`).catch(() => {});
}

async function findStage(client: Client): Promise<string | undefined> {
  const rows = await listRows<{ name: string }>(client)`select current_schema() as name`;
  return rows[0].name?.startsWith(STAGE) ? rows[0].name : undefined;
}

/** A killed process leaves its schema behind; its name contains the id of a session that no longer exists. */
async function dropLeftStages(client: Client): Promise<void> {
  const rows = await listRows<{ nspname: string }>(client)`
    select nspname from pg_namespace n where nspname like 'data\\_stage\\_%'
    and not exists (select from pg_stat_activity a where a.pid::text = substring(n.nspname from '\\d+$'))`;
  for (const { nspname } of rows) await changeRows(client)`drop schema if exists ${raw(nspname)} cascade`;
}

/** Drops the tables of all stages. Call only while no load is running, when all of them are leftovers. */
async function emptyStages(client: Client): Promise<void> {
  await dropLeftStages(client);
  const rows = await listRows<{ name: string }>(client)`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname like 'data\\_stage\\_%'`;
  for (const { name } of rows) await changeRows(client)`drop table ${raw(name)}`;
}

/** Creates a session table from a query's result and returns its row count. It replaces an earlier one of the same
    name, as a temporary table would shadow it. Next to a distributed table it is colocated, so joining the two moves no
    rows. */
export async function createStageTable(
  client: Client,
  name: string,
  query: string,
  { beside = 'properties', values = [] }: { beside?: string; values?: unknown[] } = {},
): Promise<number> {
  const isSpread = DISTRIBUTED_TABLES.includes(beside);
  const schema = isSpread ? await findStage(client) : undefined;
  if (!schema) {
    await changeRows(client)`drop table if exists ${raw(name)}`;
    const { rowCount } = await client.query(`create temp table ${name} as ${query}`, values);
    return rowCount ?? 0;
  }
  const isEmpty = /\bwith no data$/.test(query);
  await changeRows(client)`drop table if exists ${raw(schema)}.${raw(name)}, pg_temp.${raw(name)}`;
  await client.query(`create unlogged table ${schema}.${name} as ${isEmpty ? query : `${query} with no data`}`, values);
  await changeRows(client)`
    select create_distributed_table('${raw(schema)}.${raw(name)}', ${raw(COLOCATED)})`;
  if (isEmpty) return 0;
  const { rowCount } = await client.query(`insert into ${name} ${query}`, values);
  return rowCount ?? 0;
}

interface Move {
  shard: number;
  source: string;
  target: string;
  /** Writers of the shard's counties wait until it has moved, because the worker has no logical WAL. */
  isBlocking: boolean;
}

/** Rebalances shards across the workers and returns how many were moved. Loads wait meanwhile: their staging tables are
    colocated with the shards, and Citus creates none during a move. */
export async function rebalance(pool: Pool, { onWait, onMove }: { onWait: () => void; onMove: (move: Move) => void }) {
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    await holdLoadsOff(client, onWait);
    await emptyStages(client);
    const isBlocking = !(await haveLogicalLogs(client));
    const plan = await listMoves(client);
    for (const { shard, from, to } of plan) {
      onMove({ shard, source: from.join(':'), target: to.join(':'), isBlocking });
      await client.query('select citus_move_shard_placement($1, $2, $3, $4, $5, shard_transfer_mode => $6)', [
        shard,
        ...from,
        ...to,
        isBlocking ? 'block_writes' : 'force_logical',
      ]);
    }
    return plan.length;
  } finally {
    // Ends the session, and with it the lock and the setting.
    client.release(true);
  }
}

async function holdLoadsOff(client: Client, onWait: () => void): Promise<void> {
  const key = [ADVISORY_LOCKS.load];
  const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1::bigint) as free', key);
  if (rows[0].free) return;
  onWait();
  await client.query('select pg_advisory_lock($1::bigint)', key);
}

async function haveLogicalLogs(db: Queryable): Promise<boolean> {
  const rows = await listRows<{ result: string }>(db)`select result from run_command_on_workers('show wal_level')`;
  return rows.every(({ result }) => result === 'logical');
}

/** For one table only: the colocated shards of the others move with it. */
async function listMoves(
  db: Queryable,
): Promise<{ shard: number; from: [host: string, port: number]; to: [host: string, port: number] }[]> {
  const rows = await listRows<{ shard: number; source: string; sport: number; target: string; tport: number }>(db)`
    select shardid as shard, sourcename as source, sourceport as sport, targetname as target, targetport as tport
    from get_rebalance_table_shards_plan('data.properties') where table_name = 'data.properties'::regclass`;
  return rows.map(({ shard, source, sport, target, tport }) => ({ shard, from: [source, sport], to: [target, tport] }));
}
