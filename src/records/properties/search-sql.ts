// The search query: a filter's conditions, and one ordered index scan, or one per state or stretch of the grid, merged by
// PostgreSQL. Never a named prepared statement: a generic plan measured 280 times slower than a custom one.
import type { Queryable } from '../../base/db/postgres.ts';
import { EARTH_RADIUS_MILES, type Box, type Point } from '../../base/lib/geo.ts';
import { fipsOfPropertyId } from '../../base/lib/ids.ts';
import { DERIVED_SQL, ROUGH_DERIVED_SQL } from '../../supply/map-aggregates/figures.ts';
import type { FilterValue } from '../../supply/layers/layer.ts';
import { LAYER_FILTERS, type LayerFilterName } from '../../supply/layers/layers.ts';
import type { Filter, RangeName } from './filter.ts';
import type { PropertyRow } from './sql.ts';

/** `id` and `place` have no column of their own: one is the order of the primary key, the other of the fine grid. */
export type SortKey = 'id' | 'place' | keyof typeof SORT_TYPES;

export const SORT_TYPES = {
  value: 'bigint',
  sqft: 'integer',
  year_built: 'smallint',
  last_sale_date: 'date',
  last_sale_price: 'bigint',
  updated_at: 'timestamptz',
} as const;

/** Where the rows come from: one ordered index scan that stops at the limit, or several whose results are merged. */
export type Arms =
  | { by: 'state'; states: string[] }
  | { by: 'counties' }
  | { by: 'cells'; cells: number[] }
  | { by: 'cell_fine'; ranges: [first: number, last: number][] }
  /** `slivers` are fine cells of the coarse cells that are not in the list: those that a place touches the edge of. */
  | { by: 'cell_coarse'; cells: number[]; slivers: number[] };

/** Whether the rows are one scan. PostgreSQL reads the values of a list in order if they lead the index. */
export function isOneScan(arms: Arms): boolean {
  return arms.by === 'counties' || arms.by === 'cells' || (arms.by === 'state' && arms.states.length === 1);
}

/** The markets and counties visible to a key, narrowed by the filter. */
export interface Scope {
  markets: string[];
  counties: number[];
  /** Set if the filter leaves out counties, or if naming them leaves out shards; only then is it worth testing every row. */
  isNarrowed: boolean;
}

export interface Scan {
  filter: Filter;
  scope: Scope;
  arms: Arms;
  sort: SortKey;
  descending: boolean;
  /** Rows without the sort key come after all others, in a separate scan. */
  nulls: boolean;
  after: { key: string | number | null; id: string } | undefined;
  limit: number;
}

export type FoundRow = PropertyRow & { cell_fine: number; sort_key: string | null; distance_miles?: number };

class Parameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

export function listPage(db: Queryable, scan: Scan): Promise<FoundRow[]> {
  return isOneScan(scan.arms) ? listByScan(db, scan) : listByArms(db, scan);
}

async function listByScan(db: Queryable, scan: Scan): Promise<FoundRow[]> {
  const parameters = new Parameters();
  const { conditions, order, key } = describeScan(scan, parameters);
  const { arms } = scan;
  if (arms.by === 'state') conditions.push(`p.state = ${parameters.add(arms.states[0])}`);
  if (arms.by === 'cells') conditions.push(`p.cell_fine = any(${parameters.add(arms.cells)}::int[])`);
  if (arms.by === 'counties' && !scan.scope.isNarrowed) conditions.push(inCounties('p', scan.scope, parameters));
  const { rows } = await db.query<FoundRow>(
    `select p.*, (${key ?? 'null'})::text as sort_key from properties p
     where ${conditions.join(' and ')} order by ${order} limit ${parameters.add(scan.limit)}`,
    parameters.values,
  );
  return rows;
}

/** The arms find the page through narrow rows; only the page's rows are then read in full. */
async function listByArms(db: Queryable, scan: Scan): Promise<FoundRow[]> {
  const parameters = new Parameters();
  const { conditions, order, key } = describeScan(scan, parameters);
  const limit = parameters.add(scan.limit);
  const sortKey = key ?? 'null::integer';
  const orderOfPage = order
    .replace(/p\.\w+/, (column) => (column === key ? 'page.sort_key' : column))
    .replaceAll('p.', 'page.');
  const scans = armsOf(scan.arms as SeveralArms, parameters).map(
    ({ list, condition }) => `select found.fips, found.id, found.sort_key
       from ${list}
       cross join lateral (
         select p.fips, p.id, ${sortKey} as sort_key from properties p
         where ${condition} and ${conditions.join(' and ')}
         order by ${order} limit ${limit}
       ) found`,
  );
  const { rows } = await db.query<FoundRow>(
    `select p.*, page.sort_key::text as sort_key
     from (
       select found.fips, found.id, found.sort_key
       from (${scans.join('\n       union all ')}) found
       order by ${order.replace(key ?? '\0', 'found.sort_key').replaceAll('p.', 'found.')} limit ${limit}
     ) page
     join properties p on p.fips = page.fips and p.id = page.id and ${inCounties('p', scan.scope, parameters)}
     order by ${orderOfPage}`,
    parameters.values,
  );
  return rows;
}

function describeScan(scan: Scan, parameters: Parameters) {
  const conditions = filterConditions(scan.filter, scan.scope, parameters);
  const { order, key } = orderOf(scan);
  if (key !== undefined && scan.sort in SORT_TYPES) conditions.push(`${key} is not null`);
  if (scan.nulls) conditions.push(`p.${scan.sort} is null`);
  if (scan.after) conditions.push(keysetCondition(scan, parameters));
  return { conditions, order, key };
}

const inCounties = (table: string, { counties }: Scope, parameters: Parameters) =>
  `${table}.fips = any(${parameters.add(counties)}::int[])`;

/** The order of the pages of one search, for those who merge them. */
export function comparePositions({ sort, descending }: Pick<Scan, 'sort' | 'descending'>, a: FoundRow, b: FoundRow) {
  const direction = descending ? -1 : 1;
  const isText = sort === 'last_sale_date' || sort === 'updated_at';
  const keyOf = ({ sort_key }: FoundRow) => (isText || sort_key === null ? (sort_key ?? '') : Number(sort_key));
  const [left, right] = [keyOf(a), keyOf(b)];
  if (left !== right) return left < right ? -direction : direction;
  return a.id < b.id ? -direction : direction;
}

function orderOf({ sort, descending, nulls }: Scan): { order: string; key: string | undefined } {
  // An id begins with its county, so this is both id order and primary key order.
  if (sort === 'id') return { order: 'p.fips, p.id', key: undefined };
  if (sort === 'place') return { order: 'p.cell_fine, p.id', key: 'p.cell_fine' };
  const direction = descending ? 'desc' : 'asc';
  if (nulls) return { order: `p.id ${direction}`, key: undefined };
  return { order: `p.${sort} ${direction}, p.id ${direction}`, key: `p.${sort}` };
}

function keysetCondition({ sort, descending, nulls, after }: Scan, parameters: Parameters): string {
  const { key, id } = after!;
  if (sort === 'id') return `(p.fips, p.id) > (${parameters.add(fipsOfPropertyId(id))}, ${parameters.add(id)})`;
  if (sort === 'place') return `(p.cell_fine, p.id) > (${parameters.add(key)}::integer, ${parameters.add(id)})`;
  const operator = descending ? '<' : '>';
  if (nulls) return `p.id ${operator} ${parameters.add(id)}`;
  return `(p.${sort}, p.id) ${operator} (${parameters.add(key)}::${SORT_TYPES[sort]}, ${parameters.add(id)})`;
}

type SeveralArms = Exclude<Arms, { by: 'counties' | 'cells' }>;

interface Arm {
  list: string;
  condition: string;
}

function armsOf(arms: SeveralArms, parameters: Parameters): Arm[] {
  switch (arms.by) {
    case 'state':
      return [
        {
          list: `unnest(${parameters.add(arms.states)}::text[]) as arm (state)`,
          condition: 'p.state = arm.state',
        },
      ];
    case 'cell_coarse': {
      const whole = (): Arm => ({
        list: `unnest(${parameters.add(arms.cells)}::int[]) as arm (cell)`,
        condition: 'p.cell_coarse = arm.cell',
      });
      const slivers = (): Arm => ({
        list: '(values (1)) as arm (one)',
        condition: `p.cell_fine = any(${parameters.add(arms.slivers)}::int[])`,
      });
      // A parameter that no statement mentions would have no type.
      return [...(arms.cells.length > 0 ? [whole()] : []), ...(arms.slivers.length > 0 ? [slivers()] : [])];
    }
    default: {
      const first = parameters.add(arms.ranges.map((range) => range[0]));
      const last = parameters.add(arms.ranges.map((range) => range[1]));
      return [
        {
          list: `unnest(${first}::int[], ${last}::int[]) as arm (first, last)`,
          condition: 'p.cell_fine between arm.first and arm.last',
        },
      ];
    }
  }
}

interface Spot extends Point {
  fips: number;
  id: string;
}

/** Where the homes in some cells are. To sort by distance ring by ring, every one of a ring must be measured; only those
    of the page are then read in full. */
export async function listInCells(db: Queryable, filter: Filter, scope: Scope, cells: number[]): Promise<Spot[]> {
  const parameters = new Parameters();
  const conditions = filterConditions(filter, scope, parameters);
  const { rows } = await db.query<Spot>(
    `select p.fips, p.id, p.latitude, p.longitude from properties p
     where p.cell_fine = any(${parameters.add(cells)}::int[]) and ${conditions.join(' and ')}`,
    parameters.values,
  );
  return rows;
}

export interface CellCount {
  cell: number;
  n: number;
}

/** By cell where the place is a polygon; else one row. */
export async function countMatches(
  db: Queryable,
  filter: Filter,
  scope: Scope,
  cells: number[] | undefined,
): Promise<CellCount[]> {
  const { where, values } = whereOf(filter, scope, cells);
  const grouped = filter.place?.kind === 'polygon' ? ['p.cell_fine as cell, ', 'group by p.cell_fine'] : ['', ''];
  const { rows } = await db.query<CellCount>(
    `select ${grouped[0]}count(*) as n from properties p where ${where} ${grouped[1]}`,
    values,
  );
  return rows;
}

export interface HomeSpot {
  fips: number;
  id: string;
  market: string;
  latitude: number | null;
  longitude: number | null;
}

/** All matches among the first homes of a place, and how many were read. Only index conditions are inside the
    limit, so that the work is bounded whatever the filter. */
export async function listAmongFirst(
  db: Queryable,
  filter: Filter,
  scope: Scope,
  { cells, limit }: { cells: number[] | undefined; limit: number },
): Promise<{ homes: HomeSpot[]; looked: number }> {
  const parameters = new Parameters();
  const found = [`p.status = 'active'`, `p.market = any(${parameters.add(scope.markets)}::text[])`];
  found.push(inCounties('p', scope, parameters));
  if (cells) found.push(`p.cell_fine = any(${parameters.add(cells)}::int[])`);
  if (filter.zips.length > 0) found.push(`p.zip = any(${parameters.add(filter.zips)}::text[])`);
  if (filter.tracts.length > 0) found.push(`p.census_tract = any(${parameters.add(filter.tracts)}::text[])`);
  const conditions = filterConditions(filter, scope, parameters);
  const { rows } = await db.query<HomeSpot & { is_match: boolean | null }>(
    `select p.fips, p.id, p.market, p.latitude, p.longitude, (${conditions.join(' and ')}) as is_match
     from properties p where ${found.join(' and ')} limit ${parameters.add(limit)}`,
    parameters.values,
  );
  const homes = rows.filter((row) => row.is_match).map(({ is_match: _isMatch, ...home }) => home);
  return { homes, looked: rows.length };
}

export function whereOf(
  filter: Filter,
  scope: Scope,
  cells: number[] | undefined,
): { where: string; values: unknown[] } {
  const parameters = new Parameters();
  const conditions = filterConditions(filter, { ...scope, isNarrowed: true }, parameters);
  if (cells) conditions.push(`p.cell_fine = any(${parameters.add(cells)}::int[])`);
  return { where: conditions.join(' and '), values: parameters.values };
}

const isDerived = (name: RangeName): name is keyof typeof DERIVED_SQL => name in DERIVED_SQL;

function amountOf(name: RangeName, isRough: boolean | undefined): string {
  if (!isDerived(name)) return `p.${name}`;
  return isRough ? ROUGH_DERIVED_SQL[name] : DERIVED_SQL[name];
}

/** Casts keep a huge number from overflowing a small column's type; btree compares across integer widths. */
const CAST_OF_RANGE: Record<RangeName, string> = {
  value_per_sqft: 'float8',
  growth: 'float8',
  uncertainty: 'float8',
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

function filterConditions(filter: Filter, scope: Scope, parameters: Parameters): string[] {
  const conditions = [`p.status = 'active'`, `p.market = any(${parameters.add(scope.markets)}::text[])`];
  const where = (condition: string) => conditions.push(condition);
  if (scope.isNarrowed) where(`p.fips = any(${parameters.add(scope.counties)}::int[])`);
  if (filter.cities.length > 0) where(`upper(p.city) = any(${parameters.add(filter.cities)}::text[])`);
  if (filter.zips.length > 0) where(`p.zip = any(${parameters.add(filter.zips)}::text[])`);
  if (filter.tracts.length > 0) where(`p.census_tract = any(${parameters.add(filter.tracts)}::text[])`);
  if (filter.types.length > 0) where(`p.property_type = any(${parameters.add(filter.types)}::text[])`);
  for (const { name, min, max } of filter.ranges) {
    if (min !== undefined) where(`${amountOf(name, filter.isRough)} >= ${parameters.add(min)}::${CAST_OF_RANGE[name]}`);
    if (max !== undefined) where(`${amountOf(name, filter.isRough)} <= ${parameters.add(max)}::${CAST_OF_RANGE[name]}`);
  }
  if (filter.ownerOccupied !== undefined) where(`p.owner_occupied = ${parameters.add(filter.ownerOccupied)}`);
  if (filter.ownerType !== undefined) where(`p.owner_type = ${parameters.add(filter.ownerType)}`);
  for (const { name, value } of filter.layers) where(layerCondition(name, value, parameters));
  if (filter.updatedSince !== undefined) where(`p.updated_at >= ${parameters.add(filter.updatedSince)}`);
  if (filter.place) {
    conditions.push(...boxConditions(filter.place.box, parameters));
    if (filter.place.kind === 'circle')
      where(`${distanceSql(filter.place.center, parameters)} <= ${parameters.add(filter.place.radiusMiles)}`);
  }
  return conditions;
}

function layerCondition(name: LayerFilterName, value: FilterValue, parameters: Parameters): string {
  const { test, column } = LAYER_FILTERS[name];
  switch (test) {
    case 'any':
      return `p.${column} ${value ? '> 0' : '= 0'}`;
    case 'since':
      return `p.${column} >= ${parameters.add(value)}`;
    case 'among':
      return `p.${column} = any(${parameters.add(value)}::text[])`;
    default:
      return `p.${column} = ${parameters.add(value)}`;
  }
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
