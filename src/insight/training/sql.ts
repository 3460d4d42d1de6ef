// The queries that only training uses.
import { copyRows } from '../../base/db/copy.ts';
import { inTransaction, type Pool, type Queryable } from '../../base/db/postgres.ts';
import { changeRows } from '../../base/db/statements.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { listCountiesOf } from '../../records/markets/sql.ts';

export async function isSandbox(data: Queryable, market: string): Promise<boolean> {
  const { rows } = await data.query('select sandbox from markets where id = $1', [market]);
  if (rows.length === 0) throw new CommandError(`No market has the id \`${market}\`.`);
  return rows[0].sandbox;
}

export interface TestedRow {
  fips: number;
  property_id: string;
  sale_id: string;
  sold_on: string;
  price: number;
  value: number;
  confidence: string;
  is_covered: boolean;
  is_valued: boolean;
  property_type: string | null;
  census_tract: string | null;
}

/** Replaces the back-test of the previous serving model. */
export async function replaceTestedSales(
  data: Pool,
  { market, model }: { market: string; model: string },
  rows: TestedRow[],
): Promise<void> {
  const counties = [...new Set([...(await listCountiesOf(data, market)), ...rows.map(({ fips }) => fips)])];
  await inTransaction(data, async (client) => {
    await changeRows(client)`delete from tested_sales where fips = any(${counties}) and market = ${market}`;
    await copyRows(
      client,
      'tested_sales',
      [
        'fips',
        'property_id',
        'sale_id',
        'market',
        'model',
        'sold_on',
        'price',
        'value',
        'confidence',
        'is_covered',
        'is_valued',
        'property_type',
        'census_tract',
      ],
      rows.map((row) => [
        row.fips,
        row.property_id,
        row.sale_id,
        market,
        model,
        row.sold_on,
        row.price,
        row.value,
        row.confidence,
        row.is_covered,
        row.is_valued,
        row.property_type,
        row.census_tract,
      ]),
    );
  });
}
