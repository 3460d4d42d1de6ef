// Every query of the price indexes.
import { copyObjects } from '../../base/db/copy.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { insertRow } from '../../base/db/rows.ts';
import { changeRows, findRow, listRows, raw } from '../../base/db/statements.ts';
import { listCountiesOf } from '../../records/markets/sql.ts';
import type { Kind, Step } from './cells.ts';
import type { KeptIndex } from './revisions.ts';
import { among, inMarkets, type FoundSeries, type RollupRow as SalesRollup, type SeriesKey } from './sql.ts';

export type IndexRow = SeriesKey & { n: number; price_index: KeptIndex };

type RollupRow = Pick<SalesRollup, 'fips' | 'market' | 'token' | 'rolled_up_at'> & { base: string | null };

const ROLLUP = raw('fips, market, token, base, rolled_up_at');

export const findIndexRollup = (db: Queryable, market: string) =>
  findRow<RollupRow>(db)`select ${ROLLUP} from area_index_rollups where market = ${market}
    order by rolled_up_at desc limit 1`;

/** The stored indexes of a market. */
export const listIndexes = (db: Queryable, market: string) =>
  listRows<IndexRow>(db)`select kind, area, property_type, step, n, price_index from area_indexes
    where market = ${market}`;

/** The deeds of a market rejected as non-market sales, as in the series of sales. */
export const listRefusedSales = async (db: Queryable, market: string) =>
  listRows<{ property_id: string; transaction_id: string }>(db)`select property_id, transaction_id from sale_verdicts
    where fips = any (${await listCountiesOf(db, market)}) and market = ${market} and market_price is false`;

/** The ids of the sources behind each area and type, as named by the sales series. */
export const listAreaSources = (db: Queryable, market: string) =>
  listRows<Omit<SeriesKey, 'step'> & { sources: string[] }>(db)`
    select s.kind, s.area, s.property_type, array_agg(distinct source order by source) as sources
    from sales_series s, jsonb_array_elements(s.cells) as cell, jsonb_array_elements_text(cell->'sources') as source
    where s.market = ${market} and s.step = 'year' group by s.kind, s.area, s.property_type`;

export async function replaceIndexes(
  client: Client,
  market: string,
  { fips, rows }: { fips: number; rows: IndexRow[] },
): Promise<void> {
  await changeRows(client)`delete from area_indexes where market = ${market}`;
  const whole = rows.map((row) => ({ fips, market, ...row }));
  await copyObjects(client, 'area_indexes', whole);
}

export async function upsertIndexRollup(client: Client, row: RollupRow): Promise<void> {
  await changeRows(client)`delete from area_index_rollups where market = ${row.market}`;
  await insertRow(client, 'area_index_rollups', row);
}

interface FoundIndex extends Pick<FoundSeries, 'market' | 'last_sale_on' | 'rolled_up_at'> {
  property_type: string;
  /** All sales of the area and type. */
  n: number;
  /** Only for the requested type; null if there are too few sales. */
  price_index: KeptIndex | null;
}

/** Every type on record for an area, with the index of the wanted one. */
export const findIndex = (
  db: Queryable,
  { kind, area, step, propertyType }: { kind: Kind; area: string; step: Step; propertyType: string },
  markets: string[],
) =>
  listRows<FoundIndex>(db, 'find_price_index')`select s.market, s.property_type, s.n, i.price_index, r.last_sale_on,
      coalesce(x.rolled_up_at, r.rolled_up_at) as rolled_up_at
    from sales_series s
    join sales_rollups r on r.market = s.market and r.fips = s.fips
    left join area_index_rollups x on x.market = s.market and x.fips = s.fips
    left join area_indexes i on i.kind = s.kind and i.area = s.area and i.step = s.step and i.market = s.market
      and i.fips = s.fips and i.property_type = s.property_type and i.property_type = ${propertyType}
    where s.kind = ${kind} and s.area = ${area} and s.step = ${step} and ${inMarkets(markets)}
    order by s.market`.then(among(markets));

/** FHFA's annual index of a place; its quarterly indexes are for metropolitan areas. */
export const listFhfaYears = (db: Queryable, place: string) =>
  listRows<{ year: number; index_value: number }>(db, 'list_fhfa_years')`select year, index_value from price_indexes
    where place_code = ${place} and quarter = 0 and index_value > 0`;
