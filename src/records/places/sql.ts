// Every query on places by name.
import type { Queryable } from '../../base/db/postgres.ts';

export interface AreaRow {
  kind: 'city' | 'neighborhood' | 'zip' | 'tract';
  area: string;
  market: string;
  n: number;
}

/** Areas with sales, by kind, the largest first. */
export async function listAreas(db: Queryable, markets: string[], kinds: AreaRow['kind'][]): Promise<AreaRow[]> {
  const { rows } = await db.query<AreaRow>({
    name: 'list_areas_of_places',
    text: `select kind, area, market, sum(n)::int as n from sales_series
           where market = any ($1) and kind = any ($2) and step = 'year' and property_type = 'residential'
           group by kind, area, market order by n desc, area, market`,
    values: [markets, kinds],
  });
  return rows;
}

export async function listAreasNamed(
  db: Queryable,
  markets: string[],
  { kind, area }: Pick<AreaRow, 'kind' | 'area'>,
): Promise<AreaRow[]> {
  const { rows } = await db.query<AreaRow>({
    name: 'list_areas_named',
    text: `select kind, area, market, n from sales_series
           where kind = $2 and area = $3 and property_type = 'residential' and step = 'year' and market = any ($1)
           order by n desc, market`,
    values: [markets, kind, area],
  });
  return rows;
}
