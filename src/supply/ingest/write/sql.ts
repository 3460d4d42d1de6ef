// Queries for the loads themselves: lock, transaction and journal.
import { ADVISORY_LOCKS } from '../../../base/db/advisory-locks.ts';
import { announceCatalog } from '../../../base/db/catalog-news.ts';
import { closeStage, openStage } from '../../../base/db/distribution.ts';
import type { Client, Pool, Queryable } from '../../../base/db/postgres.ts';
import type { LoadContext } from '../load-context.ts';
import type { Source, Dataset } from '../source.ts';

/** Opens a connection for loads, without a statement timeout. */
export async function openLoadClient(pool: Pool): Promise<Client> {
  const client = await pool.connect();
  // A lost connection fails its running query; without a listener it would also crash the process.
  client.on('error', () => {});
  await client.query('set statement_timeout = 0');
  // If this process is killed, the server notices within a second rather than at the end of the statement.
  await client.query(`set client_connection_check_interval = '1s'`);
  // Millions of staged rows are sorted once per load, by one connection.
  await client.query(`set work_mem = '128MB'`);
  await openStage(client);
  return client;
}

/** One process at a time works on a place or a nationwide source, its downloads included. Held by the connection. */
export async function holdPlace(client: Client, name: string, onWait: () => void): Promise<void> {
  const key = [ADVISORY_LOCKS.load, name];
  const { rows } = await client.query<{ free: boolean }>(
    'select pg_try_advisory_lock($1::int, hashtext($2)) as free',
    key,
  );
  if (rows[0].free) return;
  onWait();
  await client.query('select pg_advisory_lock($1::int, hashtext($2))', key);
}

/** Places load side by side. A nationwide layer is loaded alone: it stamps the properties of every place, and one that
    another load has just mapped with the old layer would be missed. */
export async function holdLoads<Result>(
  client: Client,
  { isAlone, onWait }: { isAlone: boolean; onWait: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  const mode = isAlone ? '' : '_shared';
  const key = [ADVISORY_LOCKS.load];
  const { rows } = await client.query<{ free: boolean }>(`select pg_try_advisory_lock${mode}($1::bigint) as free`, key);
  if (!rows[0].free) {
    onWait();
    await client.query(`select pg_advisory_lock${mode}($1::bigint)`, key);
  }
  try {
    return await work();
  } finally {
    // A connection that is lost has lost its locks as well.
    await client.query(`select pg_advisory_unlock${mode}($1::bigint)`, key).catch(() => {});
  }
}

/** The first lock of a load's transaction, so that a load that rebuilds tables and one that writes into them wait for
    each other here rather than in the middle, where they could wait in a circle. */
export async function holdTables(client: Client, isRebuilding: boolean): Promise<void> {
  await client.query(`select pg_advisory_xact_lock${isRebuilding ? '' : '_shared'}($1::bigint)`, [
    ADVISORY_LOCKS.loadTables,
  ]);
}

/** Destroys the connection, and with it the load's own tables, the settings and the lock. */
export async function closeLoadClient(client: Client): Promise<void> {
  await closeStage(client);
  // The server notices the end of a connection late, and the next source may be of the same place.
  await client.query('select pg_advisory_unlock_all()').catch(() => {});
  client.release(true);
}

export async function insertSource(client: Client, dataset: Dataset, definition: object): Promise<void> {
  await client.query(
    `insert into sources (id, name, publisher, url, licence, attribution, cadence, definition)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (id) do update set name = excluded.name, publisher = excluded.publisher, url = excluded.url,
       licence = excluded.licence, attribution = excluded.attribution, cadence = excluded.cadence,
       definition = excluded.definition`,
    [
      dataset.id,
      dataset.name,
      dataset.publisher,
      dataset.landingPage || null,
      dataset.licence,
      dataset.attribution,
      dataset.cadence,
      definition,
    ],
  );
}

/** The authority that each loaded dataset claims. */
export async function listAuthorities(db: Queryable): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; authority: number }>(
    `select id, (definition->>'authority')::float8 as authority from sources where definition ? 'authority'`,
  );
  return new Map(rows.map((row) => [row.id, row.authority]));
}

export async function insertMarket(client: Client, source: Source): Promise<void> {
  if (source.market) {
    const { id, name, state, description, isForTestKeys, frozenOn } = source.market;
    await client.query(
      `insert into markets (id, name, state, description, sandbox, frozen_on) values ($1, $2, $3, $4, $5, $6)
       on conflict (id) do update set name = excluded.name, state = excluded.state, description = excluded.description,
         sandbox = excluded.sandbox, frozen_on = excluded.frozen_on`,
      [id, name, state, description, isForTestKeys ?? false, frozenOn ?? null],
    );
  }
  for (const { fips, name, state } of source.counties) {
    await client.query(
      `insert into counties (fips, name, state) values ($1, $2, $3)
       on conflict (fips) do update set name = excluded.name, state = excluded.state`,
      [fips, name, state],
    );
  }
}

export interface LoadedFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** Opens the journal of a load. A load still marked as running has lost its process, since we hold its place. */
export async function insertLoad(client: Client, sourceId: string, market: string | null, at: Date): Promise<number> {
  await client.query(
    `update loads set state = 'failed', finished_at = $2, error = 'interrupted' where state = 'running' and source_id = $1`,
    [sourceId, at],
  );
  const { rows } = await client.query<{ id: number }>(
    `insert into loads (source_id, market, state, started_at) values ($1, $2, 'running', $3) returning id`,
    [sourceId, market, at],
  );
  return rows[0].id;
}

export async function findLastLoad(client: Queryable, sourceId: string) {
  const { rows } = await client.query<{ id: number; files: LoadedFile[]; counts: Record<string, unknown> }>(
    `select id, files, counts from loads where source_id = $1 and state = 'completed' order by id desc limit 1`,
    [sourceId],
  );
  return rows[0] as (typeof rows)[0] | undefined;
}

interface Newest {
  /** The day its last complete load was published. */
  published_on: string;
  note: string | null;
  is_followed: boolean;
}

/** What is known of the last complete load of a dataset. */
export async function findNewest(db: Queryable, sourceId: string): Promise<Newest | undefined> {
  const { rows } = await db.query<Newest>(
    `select l.published_on, s.definition->>'note' as note, l.counts ? 'followed' as is_followed
     from loads l join sources s on s.id = l.source_id
     where l.source_id = $1 and l.state = 'completed' order by l.id desc limit 1`,
    [sourceId],
  );
  return rows[0];
}

export async function completeLoad(load: LoadContext, files: LoadedFile[], counts: object): Promise<void> {
  const { client, loadId, dataset, options } = load;
  await client.query(
    `update loads set state = 'completed', finished_at = $2, published_on = $3, files = $4, counts = $5 where id = $1`,
    [loadId, options.clock(), dataset.publishedOn, JSON.stringify(files), JSON.stringify(counts)],
  );
  await announceCatalog(client);
}

export async function failLoad({ client, loadId, options }: LoadContext, error: string): Promise<void> {
  await client.query(`update loads set state = 'failed', finished_at = $2, error = $3 where id = $1`, [
    loadId,
    options.clock(),
    error,
  ]);
}

/** Completed loads whose follow-up work (address index, values) was not done because a process died in between. */
export async function listUnfollowed(client: Queryable, sourceIds: string[]): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `select id from loads where source_id = any($1) and state = 'completed' and not counts ? 'followed' order by id`,
    [sourceIds],
  );
  return rows.map((row) => row.id);
}

export async function markFollowed(client: Queryable, loadIds: number[]): Promise<void> {
  await client.query(`update loads set counts = counts || '{"followed": true}' where id = any($1)`, [loadIds]);
}

/** Properties that these loads changed in any way, for the indexes and valuations that follow. */
export async function listChanged(
  client: Queryable,
  loadIds: number[],
): Promise<{ property_id: string; market: string }[]> {
  const { rows } = await client.query<{ property_id: string; market: string }>(
    'select distinct property_id, market from changes where load_id = any($1)',
    [loadIds],
  );
  return rows;
}

const ANALYZED: Record<string, string> = {
  properties: `(fips, id, market, status, load_id, property_type, state, city, zip, census_tract, sqft, lot_sqft, bedrooms,
    bathrooms, year_built, assessed_value, owner_type, owner_occupied, last_sale_date, last_sale_price, flood_sfha,
    opportunity_zone, open_tax_liens, open_violations, last_permit_date, cell_fine, cell_coarse, updated_at)`,
  transactions: '(fips, property_id, id, market, type, sale_date, price, load_id)',
};

/** The columns that queries filter, join and sort by: statistics on all seventy of a property take eight times as long. */
export const analyzedColumns = (table: string): string => ANALYZED[table] ?? '';

/** Within a transaction ANALYZE locks its table until the end, so two loads could wait in a circle; the second one plans
    by what the first has found. Returns whether it was done. */
export async function analyzeWithin(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as free', [
    ADVISORY_LOCKS.loadStatistics,
  ]);
  if (rows[0].free) await client.query(`analyze ${table} ${analyzedColumns(table)}`);
  return rows[0].free;
}

/** Runs a transaction on the connection that holds the stage and the lock of its load. */
export async function inTransactionOf<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
