// Every query of the price indexes.
import { copyRows } from '../../base/db/copy.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { listCountiesOf } from '../../records/markets/sql.ts';
import type { Kind, Step } from './cells.ts';
import type { KeptIndex } from './revisions.ts';
import type { SeriesKey } from './sql.ts';

export type IndexRow = SeriesKey & { n: number; price_index: KeptIndex };

interface RollupRow {
  fips: number;
  token: string;
  base: string | null;
  rolled_up_at: Date;
}

export async function findIndexRollup(db: Queryable, market: string): Promise<RollupRow | undefined> {
  const { rows } = await db.query<RollupRow>(
    `select fips, token, base, rolled_up_at from area_index_rollups where market = $1
     order by rolled_up_at desc limit 1`,
    [market],
  );
  return rows[0];
}

/** The indexes of a market as they are kept now. */
export async function listIndexes(db: Queryable, market: string): Promise<IndexRow[]> {
  const { rows } = await db.query<IndexRow>(
    'select kind, area, property_type, step, n, price_index from area_indexes where market = $1',
    [market],
  );
  return rows;
}

/** The deeds of a market whose price is judged to be no market price, as in the series of sales. */
export async function listRefusedSales(
  db: Queryable,
  market: string,
): Promise<{ property_id: string; transaction_id: string }[]> {
  const { rows } = await db.query<{ property_id: string; transaction_id: string }>(
    `select property_id, transaction_id from sale_verdicts
     where fips = any ($2) and market = $1 and market_price is false`,
    [market, await listCountiesOf(db, market)],
  );
  return rows;
}

/** The ids of the sources behind each area and type, as the series of sales name them. */
export async function listAreaSources(
  db: Queryable,
  market: string,
): Promise<{ kind: Kind; area: string; property_type: string; sources: string[] }[]> {
  const { rows } = await db.query(
    `select s.kind, s.area, s.property_type, array_agg(distinct source order by source) as sources
     from sales_series s, jsonb_array_elements(s.cells) as cell, jsonb_array_elements_text(cell->'sources') as source
     where s.market = $1 and s.step = 'year' group by s.kind, s.area, s.property_type`,
    [market],
  );
  return rows;
}

export async function replaceIndexes(
  client: Client,
  market: string,
  { fips, rows }: { fips: number; rows: IndexRow[] },
): Promise<void> {
  await client.query('delete from area_indexes where market = $1', [market]);
  await copyRows(
    client,
    'area_indexes',
    ['fips', 'market', 'kind', 'area', 'property_type', 'step', 'n', 'price_index'],
    rows.map((row) => [fips, market, row.kind, row.area, row.property_type, row.step, row.n, row.price_index]),
  );
}

export async function upsertIndexRollup(
  client: Client,
  market: string,
  { fips, token, base, rolled_up_at }: RollupRow,
): Promise<void> {
  await client.query('delete from area_index_rollups where market = $1 and fips <> $2', [market, fips]);
  await client.query(
    `insert into area_index_rollups (fips, market, token, base, rolled_up_at) values ($1, $2, $3, $4, $5)
     on conflict (fips, market) do update set token = excluded.token, base = excluded.base,
       rolled_up_at = excluded.rolled_up_at`,
    [fips, market, token, base, rolled_up_at],
  );
}

export interface FoundIndex {
  market: string;
  property_type: string;
  /** Sales of the area and type, of whatever date. */
  n: number;
  /** Of the wanted type only, and null where there are too few sales. */
  price_index: KeptIndex | null;
  last_sale_on: string | null;
  rolled_up_at: Date;
}

/** Every type on record for an area, with the index of one of them. */
export async function findIndex(
  db: Queryable,
  { kind, area, step, propertyType }: { kind: Kind; area: string; step: Step; propertyType: string },
  markets: string[],
): Promise<FoundIndex[]> {
  const { rows } = await db.query<FoundIndex>({
    name: 'find_price_index',
    text: `select s.market, s.property_type, s.n, i.price_index, r.last_sale_on,
             coalesce(x.rolled_up_at, r.rolled_up_at) as rolled_up_at
           from sales_series s
           join sales_rollups r on r.market = s.market and r.fips = s.fips
           left join area_index_rollups x on x.market = s.market and x.fips = s.fips
           left join area_indexes i on i.kind = s.kind and i.area = s.area and i.step = s.step
             and i.market = s.market and i.fips = s.fips and i.property_type = s.property_type and i.property_type = $5
           where s.kind = $1 and s.area = $2 and s.step = $3 and s.market = any ($4)
           order by s.market`,
    values: [kind, area, step, markets, propertyType],
  });
  return rows;
}
