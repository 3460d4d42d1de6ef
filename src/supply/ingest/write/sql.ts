// Queries for the loads themselves: lock, transaction, journal, and the end of a market.
import { ADVISORY_LOCKS } from '../../../base/db/advisory-locks.ts';
import { announceCatalog } from '../../../base/db/catalog-news.ts';
import { closeStage, openStage } from '../../../base/db/distribution.ts';
import type { Client, Pool, Queryable } from '../../../base/db/postgres.ts';
import { changeRows, findRow, getValue, listRows, listValues, part, raw } from '../../../base/db/statements.ts';
import { replaceRow } from '../../../base/db/rows.ts';
import { NO_COUNTY } from '../../../base/lib/geo.ts';
import type { LoadContext } from '../load-context.ts';
import type { Source, Dataset } from '../source.ts';

/** Opens a connection for loads, without a statement timeout. */
export async function openLoadClient(pool: Pool): Promise<Client> {
  const client = await pool.connect();
  // A lost connection fails its running query; without a listener it would also crash the process.
  client.on('error', () => {});
  await client.query('set statement_timeout = 0');
  // If this process is killed, the server notices within a second rather than at the end of the statement.
  await changeRows(client)`set client_connection_check_interval = '1s'`;
  // Millions of staged rows are sorted once per load, by one connection.
  await changeRows(client)`set work_mem = '128MB'`;
  await openStage(client);
  return client;
}

/** One process at a time works on a place or a nationwide source, its downloads included. Held by the connection. */
export async function holdPlace(client: Client, name: string, onWait: () => void): Promise<void> {
  const key = part`${ADVISORY_LOCKS.load}::int, hashtext(${name})`;
  if (await getValue<boolean>(client)`select pg_try_advisory_lock(${key})`) return;
  onWait();
  await changeRows(client)`select pg_advisory_lock(${key})`;
}

/** Places load concurrently. A nationwide layer loads alone: it stamps the properties of every place, and would miss
    one that another load has just mapped with the old layer. */
export async function holdLoads<Result>(
  client: Client,
  { isAlone, onWait }: { isAlone: boolean; onWait: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = part`lock${raw(isAlone ? '' : '_shared')}(${ADVISORY_LOCKS.load}::bigint)`;
  if (!(await getValue<boolean>(client)`select pg_try_advisory_${lock}`)) {
    onWait();
    await changeRows(client)`select pg_advisory_${lock}`;
  }
  try {
    return await work();
  } finally {
    // A connection that is lost has lost its locks as well.
    await changeRows(client)`select pg_advisory_un${lock}`.catch(() => {});
  }
}

/** The first lock of a load's transaction, so a load that rebuilds tables and one that writes into them wait for each
    other here rather than midway, where they could deadlock. */
export const holdTables = (client: Client, isRebuilding: boolean) =>
  changeRows(client)`
    select pg_advisory_xact_lock${raw(isRebuilding ? '' : '_shared')}(${ADVISORY_LOCKS.loadTables}::bigint)`;

/** Destroys the connection, and with it the load's own tables, the settings and the lock. */
export async function closeLoadClient(client: Client): Promise<void> {
  await closeStage(client);
  // The server notices a closed connection late, and the next source may be for the same place.
  await client.query('select pg_advisory_unlock_all()').catch(() => {});
  client.release(true);
}

export const insertSource = (client: Client, dataset: Dataset, definition: object) => {
  const { id, name, publisher, landingPage, licence, attribution, cadence } = dataset;
  const row = { id, name, publisher, url: landingPage || null, licence, attribution, cadence, definition };
  return replaceRow(client, 'sources', 'id', row);
};

/** The authority that each loaded dataset claims. */
export async function listAuthorities(db: Queryable): Promise<Map<string, number>> {
  const rows = await listRows<{ id: string; authority: number }>(db)`
    select id, (definition->>'authority')::float8 as authority from sources where definition ? 'authority'`;
  return new Map(rows.map((row) => [row.id, row.authority]));
}

export async function insertMarket(client: Client, source: Source): Promise<void> {
  if (source.market) {
    const { id, name, state, description, isForTestKeys, frozenOn } = source.market;
    const row = { id, name, state, description, sandbox: isForTestKeys ?? false, frozen_on: frozenOn ?? null };
    await replaceRow(client, 'markets', 'id', row);
  }
  for (const { fips, name, state } of source.counties)
    await replaceRow(client, 'counties', 'fips', { fips, name, state });
}

export interface LoadedFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** Opens the journal of a load. A load still marked as running has lost its process, since we hold its place. */
export async function insertLoad(client: Client, sourceId: string, market: string | null, at: Date): Promise<number> {
  await changeRows(client)`
    update loads set state = 'failed', finished_at = ${at}, error = 'interrupted' where state = 'running' and source_id = ${sourceId}`;
  return getValue<number>(client)`
    insert into loads (source_id, market, state, started_at) values (${sourceId}, ${market}, 'running', ${at}) returning id`;
}

/** Whether the database has been set up: a dry run may be the first command on a server. */
export const hasLoads = (db: Queryable) => getValue<boolean>(db)`select to_regclass('loads') is not null`;

export async function findLastLoad(client: Queryable, sourceId: string) {
  return findRow<{ id: number; files: LoadedFile[]; counts: Record<string, unknown> }>(client)`
    select id, files, counts from loads where source_id = ${sourceId} and state = 'completed' order by id desc limit 1`;
}

interface Newest {
  /** The day its last complete load was published. */
  published_on: string;
  note: string | null;
  is_followed: boolean;
}

/** The last complete load of a dataset. */
export const findNewest = (db: Queryable, sourceId: string) =>
  findRow<Newest>(db)`select l.published_on, s.definition->>'note' as note, l.counts ? 'followed' as is_followed
    from loads l join sources s on s.id = l.source_id
    where l.source_id = ${sourceId} and l.state = 'completed' order by l.id desc limit 1`;

export async function completeLoad(load: LoadContext, files: LoadedFile[], counts: object): Promise<void> {
  const { client, loadId, dataset, options } = load;
  await changeRows(client)`
    update loads set state = 'completed', finished_at = ${options.clock()}, published_on = ${dataset.publishedOn}, files = ${JSON.stringify(files)}, counts = ${JSON.stringify(counts)} where id = ${loadId}`;
  await announceCatalog(client);
}

export const failLoad = ({ client, loadId, options }: LoadContext, error: string, counts: object) =>
  changeRows(client)`
    update loads set state = 'failed', finished_at = ${options.clock()}, error = ${error}, counts = ${JSON.stringify(counts)}
    where id = ${loadId}`;

/** Completed loads whose follow-up work (address index, values) was not done because a process died in between. */
export const listUnfollowed = (client: Queryable, sourceIds: string[]) =>
  listValues<number>(client)`
    select id from loads where source_id = any(${sourceIds}) and state = 'completed' and not counts ? 'followed' order by id`;

export const markFollowed = (client: Queryable, loadIds: number[]) =>
  changeRows(client)`update loads set counts = counts || '{"followed": true}' where id = any(${loadIds})`;

/** Properties that these loads changed in any way, for the indexes and valuations that follow. */
export const listChanged = (client: Queryable, loadIds: number[]) =>
  listRows<{ property_id: string; market: string }>(client)`
    select distinct property_id, market from changes where load_id = any(${loadIds})`;

const ANALYZED: Record<string, string> = {
  properties: `(fips, id, market, status, load_id, property_type, state, city, zip, census_tract, sqft, lot_sqft, bedrooms,
    bathrooms, year_built, assessed_value, owner_type, owner_occupied, last_sale_date, last_sale_price, flood_sfha,
    opportunity_zone, open_tax_liens, open_violations, last_permit_date, cell_fine, cell_coarse, updated_at)`,
  transactions: '(fips, property_id, id, market, type, sale_date, price, load_id)',
};

/** The columns that queries filter, join and sort by: statistics on all seventy of a property take eight times as long. */
export const analyzedColumns = (table: string): string => ANALYZED[table] ?? '';

/** Within a transaction ANALYZE locks its table until the end, so two loads could deadlock; the second one uses the
    first one's statistics. Returns whether it was done. */
export async function analyzeWithin(client: Client, table: string): Promise<boolean> {
  const isFree = await getValue<boolean>(client)`
    select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.loadStatistics}::bigint)`;
  if (isFree) await changeRows(client)`analyze ${raw(table)} ${raw(analyzedColumns(table))}`;
  return isFree;
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

const TABLES_OF_COUNTY = `properties property_claims property_keys owners assessments taxes transactions flood_stamps
  parcel_shapes tax_liens permits code_violations census_tracts opportunity_zones areas map_lines lineage changes
  sale_verdicts sales_series sales_rollups sales_squares area_summaries area_rankings area_indexes area_index_rollups coverage
  untied_documents property_counts field_counts map_squares map_rollups owner_suppressions parties
  party_keys party_loads layer_stamps rents addresses streets street_spellings street_words localities city_aliases
  suffix_words counties`.split(/\s+/);

/** Removes a market with everything that loads and later steps wrote about its counties. */
export async function removeMarket(client: Client, market: string, counties: number[]): Promise<void> {
  const itsSources = part`(select source_id from loads where market = ${market})`;
  for (const table of TABLES_OF_COUNTY)
    await changeRows(client)`delete from ${raw(table)} where fips = any(${counties})`;
  // Not deleted, because other processes detect a reindexed county by this counter.
  await changeRows(client)`
    update address_loads set rules = '', load_id = -1, runs = runs + 1 where fips = any(${counties})`;
  await changeRows(client)`delete from areas where fips = ${NO_COUNTY} and source_id in ${itsSources}`;
  await changeRows(client)`delete from quarantine where source_id in ${itsSources}`;
  await changeRows(client)`delete from sources where id in ${itsSources}`;
  for (const table of ['rent_calibrations', 'loads', 'market_changes', 'due_markets'])
    await changeRows(client)`delete from ${raw(table)} where market = ${market}`;
  await changeRows(client)`delete from markets where id = ${market}`;
}
