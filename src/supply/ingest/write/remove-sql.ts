// Queries that remove a market with everything that loads and later steps wrote about its counties.
import type { Client } from '../../../base/db/postgres.ts';
import { NO_COUNTY } from '../../../base/lib/geo.ts';

const TABLES_OF_COUNTY = `properties property_claims property_keys owners assessments taxes transactions flood_stamps
  parcel_shapes tax_liens permits code_violations census_tracts opportunity_zones areas map_lines lineage changes
  sale_verdicts sales_series sales_rollups area_summaries area_rankings area_indexes area_index_rollups coverage
  property_counts map_squares map_rollups owner_suppressions counties`.split(/\s+/);

export async function removeMarket(client: Client, market: string, counties: number[]): Promise<void> {
  const itsSources = 'select source_id from loads where market = $1';
  for (const table of TABLES_OF_COUNTY) await client.query(`delete from ${table} where fips = any($1)`, [counties]);
  await client.query(`delete from areas where fips = $2 and source_id in (${itsSources})`, [market, NO_COUNTY]);
  await client.query(`delete from quarantine where source_id in (${itsSources})`, [market]);
  await client.query(`delete from sources where id in (${itsSources})`, [market]);
  await client.query('delete from loads where market = $1', [market]);
  await client.query('delete from markets where id = $1', [market]);
}
