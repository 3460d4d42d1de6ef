// Every query on places by name.
import type { Queryable } from '../../base/db/postgres.ts';
import { listRows } from '../../base/db/statements.ts';

export interface AreaRow {
  kind: 'city' | 'neighborhood' | 'zip' | 'tract';
  area: string;
  market: string;
  n: number;
}

/** Areas with sales, by kind, the largest first. */
export const listAreas = (db: Queryable, markets: string[], kinds: AreaRow['kind'][]) =>
  listRows<AreaRow>(db, 'list_areas_of_places')`select kind, area, market, sum(n)::int as n from sales_series
          where market = any (${markets}) and kind = any (${kinds}) and step = 'year' and property_type = 'residential'
          group by kind, area, market order by n desc, area, market`;

export const listAreasNamed = (db: Queryable, markets: string[], { kind, area }: Pick<AreaRow, 'kind' | 'area'>) =>
  listRows<AreaRow>(db, 'list_areas_named')`select kind, area, market, n from sales_series
          where kind = ${kind} and area = ${area} and property_type = 'residential' and step = 'year' and market = any (${markets})
          order by n desc, market`;
