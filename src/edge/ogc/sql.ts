// Queries of map areas as features: tracts, neighborhoods and zones, page by page.
import type { Queryable } from '../../base/db/postgres.ts';
import { findRow, joined, listRows, part, raw } from '../../base/db/statements.ts';
import type { Box } from '../../base/lib/geo.ts';
import type { Area } from '../../supply/layers/layer.ts';

export type AreaRow = Pick<Area, 'fips' | 'kind' | 'id' | 'vintage' | 'name' | 'rings'>;
export type AreaKey = [fips: number, kind: string, id: string, vintage: number];

const COLUMNS = raw('fips, kind, id, vintage, name, rings');

interface AreaPage {
  counties: number[];
  kinds: string[];
  box: Box | undefined;
  after: AreaKey | undefined;
  limit: number;
}

export function listAreas(db: Queryable, { counties, kinds, box, after, limit }: AreaPage): Promise<AreaRow[]> {
  const conditions = [part`kind = any(${kinds}::text[])`];
  if (box) {
    conditions.push(part`min_longitude <= ${box.maxLongitude} and max_longitude >= ${box.minLongitude}`);
    conditions.push(part`min_latitude <= ${box.maxLatitude} and max_latitude >= ${box.minLatitude}`);
  }
  if (after) conditions.push(part`(fips, kind, id, vintage) > (${after[0]}, ${after[1]}, ${after[2]}, ${after[3]})`);
  return listRows<AreaRow>(db)`
    select ${COLUMNS} from areas where fips = any(${counties}::int[]) and ${joined(conditions, ' and ')}
    order by fips, kind, id, vintage limit ${limit}`;
}

export const findArea = (db: Queryable, [fips, kind, id, vintage]: AreaKey) =>
  findRow<AreaRow>(db)`
    select ${COLUMNS} from areas where fips = ${fips} and kind = ${kind} and id = ${id} and vintage = ${vintage}`;
