// Queries of map areas as features: tracts, neighborhoods and zones, page by page.
import type { Queryable } from '../../base/db/postgres.ts';
import { findRow, joined, listRows, part, raw } from '../../base/db/statements.ts';
import type { Box } from '../../base/lib/geo.ts';
import type { Expression } from '../../records/properties/expression.ts';
import { expressionCondition } from '../../records/properties/search-sql.ts';
import type { Area } from '../../supply/layers/layer.ts';

export type AreaRow = Pick<Area, 'fips' | 'kind' | 'id' | 'vintage' | 'name' | 'rings'>;
export type AreaKey = [fips: number, kind: string, id: string, vintage: number];

const COLUMNS = raw('fips, kind, id, vintage, name, rings');

interface AreaPage {
  counties: number[];
  kinds: string[];
  boxes: Box[] | undefined;
  expression: Expression | undefined;
  after: AreaKey | undefined;
  limit: number;
}

const touchSql = (box: Box) => part`(min_longitude <= ${box.maxLongitude} and max_longitude >= ${box.minLongitude}
  and min_latitude <= ${box.maxLatitude} and max_latitude >= ${box.minLatitude})`;

export function listAreas(db: Queryable, { counties, kinds, boxes, expression, after, limit }: AreaPage) {
  const conditions = [part`kind = any(${kinds}::text[])`];
  if (boxes) conditions.push(part`(${joined(boxes.map(touchSql), ' or ')})`);
  if (expression) conditions.push(expressionCondition(expression));
  if (after) conditions.push(part`(fips, kind, id, vintage) > (${after[0]}, ${after[1]}, ${after[2]}, ${after[3]})`);
  return listRows<AreaRow>(db)`
    select ${COLUMNS} from areas p where fips = any(${counties}::int[]) and ${joined(conditions, ' and ')}
    order by fips, kind, id, vintage limit ${limit}`;
}

export const findArea = (db: Queryable, [fips, kind, id, vintage]: AreaKey) =>
  findRow<AreaRow>(db)`
    select ${COLUMNS} from areas where fips = ${fips} and kind = ${kind} and id = ${id} and vintage = ${vintage}`;
