// Queries that remove a market with everything that loads and later steps wrote about its counties.
import { changeRows, part, raw } from '../../../base/db/statements.ts';
import type { Client } from '../../../base/db/postgres.ts';
import { NO_COUNTY } from '../../../base/lib/geo.ts';

const TABLES_OF_COUNTY = `properties property_claims property_keys owners assessments taxes transactions flood_stamps
  parcel_shapes tax_liens permits code_violations census_tracts opportunity_zones areas map_lines lineage changes
  sale_verdicts sales_series sales_rollups area_summaries area_rankings area_indexes area_index_rollups coverage
  property_counts field_counts map_squares map_rollups owner_suppressions parties
  party_keys party_loads layer_stamps counties`.split(/\s+/);

export async function removeMarket(client: Client, market: string, counties: number[]): Promise<void> {
  const itsSources = part`(select source_id from loads where market = ${market})`;
  for (const table of TABLES_OF_COUNTY)
    await changeRows(client)`delete from ${raw(table)} where fips = any(${counties})`;
  await changeRows(client)`delete from areas where fips = ${NO_COUNTY} and source_id in ${itsSources}`;
  await changeRows(client)`delete from quarantine where source_id in ${itsSources}`;
  await changeRows(client)`delete from sources where id in ${itsSources}`;
  await changeRows(client)`delete from loads where market = ${market}`;
  await changeRows(client)`delete from markets where id = ${market}`;
}
