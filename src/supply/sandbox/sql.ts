// The sandbox's statements besides COPY: its catalog, its loads, whether it exists, and removing an old one.
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { NO_COUNTY } from '../../base/lib/geo.ts';

const TABLES_OF_COUNTY =
  `properties owners assessments taxes transactions flood_stamps parcel_shapes tax_liens permits code_violations census_tracts opportunity_zones areas map_lines
  lineage changes sale_verdicts sales_series sales_rollups area_summaries area_rankings area_indexes area_index_rollups coverage
  property_counts map_squares map_rollups owner_suppressions counties`.split(/\s+/);

type Built = { version: number; properties: number; is_valued?: boolean };

/** What the last finished build recorded about itself. */
export async function findBuilt(queryable: Queryable, market: string): Promise<Built | undefined> {
  const { rows } = await queryable.query<{ counts: Built }>(
    `select counts from loads where market = $1 and state = 'completed' and counts ? 'version' order by id desc limit 1`,
    [market],
  );
  return rows[0]?.counts;
}

export async function setValued(queryable: Queryable, market: string): Promise<void> {
  await queryable.query(
    `update loads set counts = counts || '{"is_valued": true}' where market = $1 and state = 'completed' and counts ? 'version'`,
    [market],
  );
}

/** Held until the transaction ends: of two processes that start together, one builds and the other finds it built. */
export async function lockBuild(client: Client): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtext('platbook sandbox'))`);
  await client.query('set local statement_timeout = 0');
}

export async function deleteMarket(
  client: Client,
  market: string,
  { counties, sources }: { counties: number[]; sources: string[] },
): Promise<void> {
  for (const table of TABLES_OF_COUNTY) await client.query(`delete from ${table} where fips = any($1)`, [counties]);
  await client.query('delete from areas where fips = $1 and source_id = any($2)', [NO_COUNTY, sources]);
  await client.query(`delete from sources where id in (select source_id from loads where market = $1)`, [market]);
  await client.query(`delete from loads where market = $1`, [market]);
  await client.query(`delete from markets where id = $1`, [market]);
}

export async function insertMarket(
  client: Client,
  market: { id: string; name: string; state: string; description: string; frozenOn: string },
): Promise<void> {
  await client.query(
    `insert into markets (id, name, state, sandbox, description, frozen_on) values ($1, $2, $3, true, $4, $5)`,
    [market.id, market.name, market.state, market.description, market.frozenOn],
  );
}

export async function insertCounty(client: Client, fips: number, name: string, state: string): Promise<void> {
  await client.query(`insert into counties (fips, name, state) values ($1, $2, $3)`, [fips, name, state]);
}

export async function insertSource(client: Client, id: string, name: string, cadence: string): Promise<void> {
  await client.query(
    `insert into sources (id, name, publisher, url, licence, attribution, cadence) values ($1, $2, 'Platbook sandbox', null, 'CC0-1.0', $3, $4)`,
    [id, name, `${name}, invented by Platbook, CC0`, cadence],
  );
}

export async function insertLoad(
  client: Client,
  load: { sourceId: string; market: string; at: string; publishedOn: string; counts: object },
): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `insert into loads (source_id, market, state, started_at, finished_at, published_on, counts)
     values ($1, $2, 'completed', $3, $3::timestamptz + interval '4 minutes', $4, $5) returning id`,
    [load.sourceId, load.market, load.at, load.publishedOn, load.counts],
  );
  return rows[0].id;
}

/** What searches filter and sort on; statistics on all seventy columns would take eight times as long. */
const SEARCHED = `fips, market, status, property_type, state, city, zip, census_tract, sqft, lot_sqft, bedrooms, bathrooms, year_built, assessed_value,
  owner_type, owner_occupied, last_sale_date, last_sale_price, flood_sfha, opportunity_zone, open_tax_liens, open_violations, last_permit_date,
  cell_fine, cell_coarse, updated_at`;

/** Fresh statistics for the tables searched by more than their key; the others can wait for autovacuum. */
export async function analyzeTables(queryable: Queryable): Promise<void> {
  await queryable.query(
    `analyze properties (${SEARCHED}), transactions (fips, property_id, market, type, sale_date, price), changes (fips, property_id, xid, seq)`,
  );
}
