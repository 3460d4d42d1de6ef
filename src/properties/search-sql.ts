// The search query: conditions of a filter, and one ordered index scan per county or grid cell, merged by PostgreSQL.
// Never prepared under a name: a generic plan was measured 280 times slower than one made for the values at hand.
import type { Queryable } from '../db/postgres.ts';
import { EARTH_RADIUS_MILES, type Box } from '../lib/geo.ts';
import type { Filter, RangeName } from './filter.ts';
import type { PropertyRow } from './sql.ts';

export type SortKey = 'id' | 'value' | 'sqft' | 'year_built' | 'last_sale_date' | 'last_sale_price' | 'updated_at';

export const SORT_TYPES: Record<Exclude<SortKey, 'id'>, string> = {
  value: 'bigint',
  sqft: 'integer',
  year_built: 'smallint',
  last_sale_date: 'date',
  last_sale_price: 'bigint',
  updated_at: 'timestamptz',
};

/** Where the rows come from. An arm is one county or one cell; each is scanned in order and stops at the limit. */
export type Arms =
  | { by: 'county'; counties: number[] }
  | { by: 'cell_fine' | 'cell_coarse'; cells: number[]; counties: number[] };

export interface Scan {
  filter: Filter;
  markets: string[];
  arms: Arms;
  sort: SortKey;
  descending: boolean;
  /** Rows without the sort key come after all others, in a scan of their own. */
  nulls: boolean;
  after: { key: string | null; id: string } | undefined;
  limit: number;
}

export type FoundRow = PropertyRow & { sort_key: string | null; distance_miles?: number };

class Parameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

// Everything a record shows except the bulky provenance, which is read for single records or on demand.
const COLUMNS = 'p.*';

export async function listPage(db: Queryable, scan: Scan): Promise<FoundRow[]> {
  const parameters = new Parameters();
  const conditions = filterConditions(scan.filter, scan.markets, parameters);
  const direction = scan.descending ? 'desc' : 'asc';
  const key = scan.sort === 'id' || scan.nulls ? undefined : `p.${scan.sort}`;
  if (scan.sort !== 'id') conditions.push(`p.${scan.sort} is ${scan.nulls ? 'null' : 'not null'}`);
  if (scan.after) conditions.push(keysetCondition(scan, parameters));
  const order = [...(key ? [`${key} ${direction}`] : []), `p.id ${scan.sort === 'id' ? 'asc' : direction}`].join(', ');
  const limit = parameters.add(scan.limit);
  const { arms } = scan;
  const armList = parameters.add(arms.by === 'county' ? arms.counties : arms.cells);
  if (arms.by !== 'county') conditions.push(`p.fips = any(${parameters.add(arms.counties)}::int[])`);
  const armColumn = arms.by === 'county' ? 'fips' : arms.by;
  const { rows } = await db.query<FoundRow>(
    `select ${COLUMNS}, ${key ? `${key}::text` : 'null'} as sort_key
     from unnest(${armList}::int[]) as arm (armed)
     cross join lateral (
       select p.* from properties p
       where p.${armColumn} = arm.armed and ${conditions.join(' and ')}
       order by ${order} limit ${limit}
     ) p
     order by ${order} limit ${limit}`,
    parameters.values,
  );
  return rows;
}

function keysetCondition(scan: Scan, parameters: Parameters): string {
  const { key, id } = scan.after!;
  const operator = scan.descending && scan.sort !== 'id' ? '<' : '>';
  if (scan.sort === 'id' || scan.nulls) return `p.id ${operator} ${parameters.add(id)}`;
  return `(p.${scan.sort}, p.id) ${operator} (${parameters.add(key)}::${SORT_TYPES[scan.sort]}, ${parameters.add(id)})`;
}

/** All rows in some cells: for sorting by distance, ring by ring, where every row of a ring must be measured. */
export async function listInCellsOfFilter(
  db: Queryable,
  filter: Filter,
  markets: string[],
  counties: number[],
  cells: number[],
): Promise<FoundRow[]> {
  const parameters = new Parameters();
  const conditions = filterConditions(filter, markets, parameters);
  const { rows } = await db.query<FoundRow>(
    `select ${COLUMNS}, null as sort_key from properties p
     where p.cell_fine = any(${parameters.add(cells)}::int[]) and p.fips = any(${parameters.add(counties)}::int[])
       and ${conditions.join(' and ')}`,
    parameters.values,
  );
  return rows;
}

export async function countMatches(db: Queryable, filter: Filter, markets: string[], arms: Arms): Promise<number> {
  const parameters = new Parameters();
  const conditions = [...filterConditions(filter, markets, parameters), armsCondition(arms, parameters)];
  const { rows } = await db.query<{ n: number }>(
    `select count(*) as n from properties p where ${conditions.join(' and ')}`,
    parameters.values,
  );
  return rows[0].n;
}

/** Only the coordinates, for a polygon that is tested point by point in Node. */
export async function listPoints(db: Queryable, filter: Filter, markets: string[], arms: Arms) {
  const parameters = new Parameters();
  const conditions = [...filterConditions(filter, markets, parameters), armsCondition(arms, parameters)];
  const { rows } = await db.query<{ latitude: number; longitude: number }>(
    `select p.latitude, p.longitude from properties p where ${conditions.join(' and ')}`,
    parameters.values,
  );
  return rows;
}

function armsCondition(arms: Arms, parameters: Parameters): string {
  const counties = `p.fips = any(${parameters.add(arms.counties)}::int[])`;
  return arms.by === 'county' ? counties : `${counties} and p.${arms.by} = any(${parameters.add(arms.cells)}::int[])`;
}

/** Casts keep a huge number from overflowing a small column's type; btree compares across integer widths. */
const CAST_OF_RANGE: Record<RangeName, string> = {
  value: 'bigint',
  sqft: 'bigint',
  lot_sqft: 'bigint',
  bedrooms: 'bigint',
  bathrooms: 'float8',
  year_built: 'bigint',
  assessed_value: 'bigint',
  last_sale_price: 'bigint',
  last_sale_date: 'date',
};

function filterConditions(filter: Filter, markets: string[], parameters: Parameters): string[] {
  const conditions = [`p.status = 'active'`, `p.market = any(${parameters.add(markets)}::text[])`];
  const where = (condition: string) => conditions.push(condition);
  if (filter.cities.length > 0) where(`upper(p.city) = any(${parameters.add(filter.cities)}::text[])`);
  if (filter.zips.length > 0) where(`p.zip = any(${parameters.add(filter.zips)}::text[])`);
  if (filter.tracts.length > 0) where(`p.census_tract = any(${parameters.add(filter.tracts)}::text[])`);
  if (filter.types.length > 0) where(`p.property_type = any(${parameters.add(filter.types)}::text[])`);
  for (const { name, min, max } of filter.ranges) {
    if (min !== undefined) where(`p.${name} >= ${parameters.add(min)}::${CAST_OF_RANGE[name]}`);
    if (max !== undefined) where(`p.${name} <= ${parameters.add(max)}::${CAST_OF_RANGE[name]}`);
  }
  if (filter.ownerOccupied !== undefined) where(`p.owner_occupied = ${parameters.add(filter.ownerOccupied)}`);
  if (filter.ownerType !== undefined) where(`p.owner_type = ${parameters.add(filter.ownerType)}`);
  if (filter.floodSfha !== undefined) where(`p.flood_sfha = ${parameters.add(filter.floodSfha)}`);
  if (filter.opportunityZone !== undefined) where(`p.opportunity_zone = ${parameters.add(filter.opportunityZone)}`);
  if (filter.hasOpenTaxLien !== undefined) where(`p.open_tax_liens ${filter.hasOpenTaxLien ? '> 0' : '= 0'}`);
  if (filter.hasOpenViolation !== undefined) where(`p.open_violations ${filter.hasOpenViolation ? '> 0' : '= 0'}`);
  if (filter.permitSince !== undefined) where(`p.last_permit_date >= ${parameters.add(filter.permitSince)}`);
  if (filter.updatedSince !== undefined) where(`p.updated_at >= ${parameters.add(filter.updatedSince)}`);
  if (filter.place) {
    conditions.push(...boxConditions(filter.place.box, parameters));
    if (filter.place.kind === 'circle')
      where(`${distanceSql(filter.place.center, parameters)} <= ${parameters.add(filter.place.radiusMiles)}`);
  }
  return conditions;
}

function boxConditions(box: Box, parameters: Parameters): string[] {
  return [
    `p.latitude between ${parameters.add(box.minLatitude)} and ${parameters.add(box.maxLatitude)}`,
    `p.longitude between ${parameters.add(box.minLongitude)} and ${parameters.add(box.maxLongitude)}`,
  ];
}

/** Haversine, as in lib/geo.ts. */
function distanceSql(center: { latitude: number; longitude: number }, parameters: Parameters): string {
  const latitude = `${parameters.add(center.latitude)}::float8`;
  const longitude = `${parameters.add(center.longitude)}::float8`;
  return `2 * ${EARTH_RADIUS_MILES} * asin(least(1, sqrt(
    power(sin(radians(p.latitude - ${latitude}) / 2), 2)
    + cos(radians(${latitude})) * cos(radians(p.latitude)) * power(sin(radians(p.longitude - ${longitude}) / 2), 2))))`;
}
