// The search query: a filter's conditions, and one ordered index scan, or one per state or stretch of the grid, merged by
// PostgreSQL. Never a named prepared statement: a generic plan measured 280 times slower than a custom one.
import type { Queryable } from '../../base/db/postgres.ts';
import { joined, listRows, part, raw, type Part } from '../../base/db/statements.ts';
import { EARTH_RADIUS_MILES, type Point } from '../../base/lib/geo.ts';
import { fipsOfPropertyId } from '../../base/lib/ids.ts';
import { DERIVED_SQL, ROUGH_DERIVED_SQL } from '../../supply/map-aggregates/figures.ts';
import type { LayerCondition } from '../../supply/layers/condition.ts';
import { AREA_COLUMNS, isAreaJoin, type LayerDefinition } from '../../supply/layers/definition.ts';
import { conditionSql } from '../../supply/layers/sql.ts';
import type { FilterValue } from '../../supply/layers/layer.ts';
import { COLUMN_FILTERS, type ColumnFilterName } from './tenure-filters.ts';
import { COMPARED_AS, type Expression, type Operand } from './expression.ts';
import { must } from '../../base/lib/must.ts';
import type { CountRow } from '../markets/sql.ts';
import { kindOfRange, type Filter, type RangeName } from './filter.ts';
import type { PropertyKey, PropertyRow } from './sql.ts';
import { SORT_TYPES } from './sorts.ts';

/** `id` and `place` are not columns: one is primary key order, the other fine grid order. */
export type SortKey = 'id' | 'place' | keyof typeof SORT_TYPES;

/** Where the rows come from: one ordered index scan that stops at the limit, or several whose results are merged. */
export type Arms =
  | { by: 'state'; states: string[] }
  | { by: 'counties' }
  | { by: 'cells'; cells: number[] }
  | { by: 'cell_fine'; ranges: [first: number, last: number][] }
  /** `slivers` are fine cells of coarse cells not in the list, which the place only partly covers. */
  | { by: 'cell_coarse'; cells: number[]; slivers: number[] };

/** Whether the rows are one scan. PostgreSQL reads the values of a list in order if they lead the index. */
export const isOneScan = (arms: Arms): boolean =>
  arms.by === 'counties' || arms.by === 'cells' || (arms.by === 'state' && arms.states.length === 1);

/** The markets and counties visible to a key, narrowed by the filter. */
export interface Scope {
  /** Market and county pairs, as precounted. */
  rows: CountRow[];
  markets: string[];
  /** The excluded markets, if equivalent to naming markets and counties: thousands take longer to plan than to read, and one
      with its county makes PostgreSQL expect almost no homes there and sort all of them. */
  hidden?: string[];
  counties: number[];
  /** Set if the filter excludes counties, or if naming them excludes shards; only then is a per-row test worthwhile. */
  isNarrowed: boolean;
  /** The layers by recipe that the filter asks about. */
  layers: ReadonlyMap<string, LayerDefinition>;
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

/** The key of a home on a page, before it is read in full. */
export interface FoundKey extends PropertyKey {
  sort_key: string | null;
  distance_miles?: number;
}

export type FoundRow = PropertyRow & FoundKey & { cell_fine: number };

const all = (conditions: Part[]) => joined(conditions, ' and ');

export const listPage = (db: Queryable, scan: Scan): Promise<FoundRow[]> =>
  isOneScan(scan.arms) ? listByScan(db, scan) : listByArms(db, scan);

function listByScan(db: Queryable, scan: Scan): Promise<FoundRow[]> {
  const { conditions, order, key } = describeScan(scan);
  const { arms } = scan;
  if (arms.by === 'state') conditions.push(part`p.state = ${arms.states[0]}`);
  if (arms.by === 'cells') conditions.push(inCells(arms.cells));
  return listRows<FoundRow>(db)`
    select p.*, (${raw(key ?? 'null')})::text as sort_key from properties p
    where ${all(conditions)} order by ${raw(order)} limit ${scan.limit}`;
}

/** The arms find the page through narrow rows; only the page's rows are then read in full. */
function listByArms(db: Queryable, scan: Scan): Promise<FoundRow[]> {
  return listRows<FoundRow>(db)`
    select p.*, found.sort_key::text as sort_key from (${pageOf(scan)}) found
    join properties p on p.fips = found.fips and p.id = found.id order by ${orderOfFound(orderOf(scan))}`;
}

/** One shard's page. Every scan must name the shard's counties; otherwise PostgreSQL would read the whole shard to join
    the page's few homes. */
export const listKeys = (db: Queryable, scan: Scan): Promise<FoundKey[]> =>
  listRows<FoundKey>(db)`select fips, id, sort_key::text as sort_key from (${pageOf(scan)}) page`;

/** Each state contributes a share of the page; those that may have more are read again, up to the last key found. */
function pageOf(scan: Scan): Part {
  const { conditions, order, key } = describeScan(scan);
  const firstOf = (condition: Part, limit: number) => part`cross join lateral (
        select p.fips, p.id, ${raw(key ?? 'null::integer')} as sort_key from properties p
        where ${condition} and ${all(conditions)}
        order by ${raw(order)} limit ${limit}
      ) found`;
  const columns = raw('found.fips, found.id, found.sort_key');
  const inState = raw('p.state = arm.state');
  const upToBound = raw(key === undefined ? 'true' : `${key} ${scan.descending ? '>=' : '<='} ${boundOf(scan)}`);
  const overStates = (states: string[], few: number) => part`
      (with few as materialized (
        select arm.state, ${columns} from unnest(${states}::text[]) as arm (state) ${firstOf(inState, few)}
      ), ranked as materialized (
        select found.state, found.sort_key, row_number() over (order by ${orderOfFound({ order, key })}) as at,
          row_number() over (partition by found.state order by ${orderOfFound({ order, key })}) as nth
        from few found
      ), more as (
        select state, (select sort_key from ranked where at = ${scan.limit}) as bound from ranked
        where nth = ${few} and at <= ${scan.limit}
      )
      select ${columns} from few found where found.state not in (select state from more)
      union all
      select ${columns} from more arm ${firstOf(part`${inState} and ${upToBound}`, scan.limit)})`;
  const scans =
    scan.arms.by === 'state'
      ? [overStates(scan.arms.states, Math.ceil(scan.limit / scan.arms.states.length))]
      : armsOf(scan.arms as SeveralArms).map(
          ({ list, condition }) => part`select ${columns} from ${list} ${firstOf(condition, scan.limit)}`,
        );
  return part`select found.fips, found.id, found.sort_key from (${joined(scans, ' union all ')}) found
      order by ${orderOfFound({ order, key })} limit ${scan.limit}`;
}

/** The key of the page's last row so far; the maximum if the page is not full. */
function boundOf({ sort, descending }: Scan): string {
  const [type, end] = isTextual(sort) ? [SORT_TYPES[sort], 'infinity'] : ['bigint', '9223372036854775807'];
  return `coalesce(arm.bound, '${descending ? '-' : ''}${end}'::${type})`;
}

const isTextual = (sort: SortKey): sort is 'last_sale_date' | 'updated_at' =>
  sort === 'last_sale_date' || sort === 'updated_at';

function describeScan(scan: Scan) {
  const conditions = filterConditions(scan.filter, scan.scope);
  const { order, key } = orderOf(scan);
  if (key !== undefined && scan.sort in SORT_TYPES) conditions.push(raw(`${key} is not null`));
  if (scan.nulls) conditions.push(raw(`p.${scan.sort} is null`));
  if (scan.after) conditions.push(keysetCondition(scan, scan.after));
  return { conditions, order, key };
}

const inCounties = ({ counties }: Scope) => part`p.fips = any(${counties}::int[])`;
const inCells = (cells: number[]) => part`p.cell_fine = any(${cells}::int[])`;

/** The sort order of a search, for merging pages. */
export function comparePositions({ sort, descending }: Pick<Scan, 'sort' | 'descending'>, a: FoundKey, b: FoundKey) {
  const direction = descending ? -1 : 1;
  const keyOf = ({ sort_key }: FoundKey) =>
    isTextual(sort) || sort_key === null ? (sort_key ?? '') : Number(sort_key);
  const [left, right] = [keyOf(a), keyOf(b)];
  if (left !== right) return left < right ? -direction : direction;
  return a.id < b.id ? -direction : direction;
}

const orderOfFound = ({ order, key = '\0' }: ReturnType<typeof orderOf>) =>
  raw(order.replace(key, 'found.sort_key').replaceAll('p.', 'found.'));

function orderOf({ sort, descending, nulls }: Scan): { order: string; key: string | undefined } {
  // An id begins with its county, so this is both id order and primary key order.
  if (sort === 'id') return { order: 'p.fips, p.id', key: undefined };
  if (sort === 'place') return { order: 'p.cell_fine, p.id', key: 'p.cell_fine' };
  const direction = descending ? 'desc' : 'asc';
  if (nulls) return { order: `p.id ${direction}`, key: undefined };
  return { order: `p.${sort} ${direction}, p.id ${direction}`, key: `p.${sort}` };
}

function keysetCondition({ sort, descending, nulls }: Scan, { key, id }: NonNullable<Scan['after']>): Part {
  if (sort === 'id') return part`(p.fips, p.id) > (${fipsOfPropertyId(id)}, ${id})`;
  if (sort === 'place') return part`(p.cell_fine, p.id) > (${key}::integer, ${id})`;
  const operator = raw(descending ? '<' : '>');
  if (nulls) return part`p.id ${operator} ${id}`;
  return part`(${raw(`p.${sort}`)}, p.id) ${operator} (${key}::${raw(SORT_TYPES[sort])}, ${id})`;
}

type SeveralArms = Exclude<Arms, { by: 'counties' | 'cells' | 'state' }>;

function armsOf(arms: SeveralArms) {
  if (arms.by === 'cell_coarse') {
    const list = part`unnest(${arms.cells}::int[]) as arm (cell)`;
    const whole = { list, condition: raw('p.cell_coarse = arm.cell') };
    const slivers = { list: raw('(values (1)) as arm (one)'), condition: inCells(arms.slivers) };
    return [...(arms.cells.length > 0 ? [whole] : []), ...(arms.slivers.length > 0 ? [slivers] : [])];
  }
  const [first, last] = [arms.ranges.map((range) => range[0]), arms.ranges.map((range) => range[1])];
  const list = part`unnest(${first}::int[], ${last}::int[]) as arm (first, last)`;
  return [{ list, condition: raw('p.cell_fine between arm.first and arm.last') }];
}

/** The locations of homes in some cells. Sorting by distance measures every home of a ring; only the page's homes are
    then read in full. */
export const listInCells = (db: Queryable, filter: Filter, scope: Scope, cells: number[]) =>
  listRows<PropertyKey & Point>(db)`
    select p.fips, p.id, p.latitude, p.longitude from properties p
    where ${inCells(cells)} and ${all(filterConditions(filter, scope))}`;

export interface CellCount {
  cell: number;
  n: number;
}

/** One row per cell if the place is a polygon; else one row. */
export function countMatches(db: Queryable, filter: Filter, scope: Scope, cells: number[] | undefined) {
  const where = whereOf(filter, scope, cells);
  return filter.place?.kind === 'polygon'
    ? listRows<CellCount>(
        db,
      )`select p.cell_fine as cell, count(*) as n from properties p where ${where} group by p.cell_fine`
    : listRows<CellCount>(db)`select count(*) as n from properties p where ${where}`;
}

export type HomeSpot = Pick<PropertyRow, 'fips' | 'id' | 'market' | 'latitude' | 'longitude'>;

/** All matches among the first homes of a place, and how many were read. Only index conditions are inside the limit,
    which bounds the work for any filter. */
export async function listAmongFirst(
  db: Queryable,
  filter: Filter,
  scope: Scope,
  { cells, limit }: { cells: number[] | undefined; limit: number },
): Promise<{ homes: HomeSpot[]; looked: number }> {
  const found = [raw(`p.status = 'active'`), inMarkets(scope), inCounties(scope)];
  if (cells) found.push(inCells(cells));
  if (filter.zips.length > 0) found.push(part`p.zip = any(${filter.zips}::text[])`);
  if (filter.tracts.length > 0) found.push(part`p.census_tract = any(${filter.tracts}::text[])`);
  const rows = await listRows<HomeSpot & { is_match: boolean | null }>(db)`
    select p.fips, p.id, p.market, p.latitude, p.longitude, (${all(filterConditions(filter, scope))}) as is_match
    from properties p where ${all(found)} limit ${limit}`;
  const homes = rows.filter((row) => row.is_match).map(({ is_match: _isMatch, ...home }) => home);
  return { homes, looked: rows.length };
}

export function whereOf(filter: Filter, scope: Scope, cells: number[] | undefined): Part {
  const conditions = filterConditions(filter, { ...scope, isNarrowed: true });
  return all(cells ? [...conditions, inCells(cells)] : conditions);
}

const isDerived = (name: RangeName): name is keyof typeof DERIVED_SQL => name in DERIVED_SQL;

function amountOf(name: RangeName, isRough: boolean | undefined): string {
  if (!isDerived(name)) return `p.${name}`;
  return isRough ? ROUGH_DERIVED_SQL[name] : DERIVED_SQL[name];
}

/** Casts keep a huge number from overflowing a small column's type; btree compares across integer widths. */
const CASTS = { whole: 'bigint', fraction: 'float8', day: 'date' };

const inMarkets = ({ markets, hidden }: Scope) =>
  hidden ? part`p.market <> all(${hidden}::text[])` : part`p.market = any(${markets}::text[])`;

function filterConditions(filter: Filter, scope: Scope): Part[] {
  const conditions = [raw(`p.status = 'active'`), inMarkets(scope)];
  const where = (condition: Part) => conditions.push(condition);
  if (scope.isNarrowed) where(inCounties(scope));
  if (filter.cities.length > 0) where(part`upper(p.city) = any(${filter.cities}::text[])`);
  if (filter.zips.length > 0) where(part`p.zip = any(${filter.zips}::text[])`);
  if (filter.tracts.length > 0) where(part`p.census_tract = any(${filter.tracts}::text[])`);
  if (filter.types.length > 0) where(part`p.property_type = any(${filter.types}::text[])`);
  for (const { name, min, max } of filter.ranges) {
    const [amount, type] = [raw(amountOf(name, filter.isRough)), raw(CASTS[kindOfRange(name)])];
    if (min !== undefined) where(part`${amount} >= ${min}::${type}`);
    if (max !== undefined) where(part`${amount} <= ${max}::${type}`);
  }
  if (filter.ownerOccupied !== undefined) where(part`p.owner_occupied = ${filter.ownerOccupied}`);
  if (filter.ownerType !== undefined) where(part`p.owner_type = ${filter.ownerType}`);
  for (const { name, value } of filter.layers) where(layerCondition(name, value));
  for (const condition of filter.conditions) where(recipeCondition(condition, scope));
  if (filter.updatedSince !== undefined) where(part`p.updated_at >= ${filter.updatedSince}`);
  if (filter.expression) where(expressionCondition(filter.expression));
  if (filter.place) {
    const { box } = filter.place;
    where(part`p.latitude between ${box.minLatitude} and ${box.maxLatitude}`);
    where(part`p.longitude between ${box.minLongitude} and ${box.maxLongitude}`);
    if (filter.place.kind === 'circle') where(part`${distanceSql(filter.place.center)} <= ${filter.place.radiusMiles}`);
  }
  return conditions;
}

function layerCondition(name: ColumnFilterName, value: FilterValue): Part {
  const { test, column } = COLUMN_FILTERS[name];
  const stamped = raw(`p.${column}`);
  if (test === 'any') return part`${stamped} ${raw(value ? '> 0' : '= 0')}`;
  if (test === 'since') return part`${stamped} >= ${value}`;
  return test === 'among' ? part`${stamped} = any(${value}::text[])` : part`${stamped} = ${value}`;
}

/** Of rows called `p`. */
export function expressionCondition(expression: Expression): Part {
  if (expression.op === 'not') return part`not (${expressionCondition(expression.of)})`;
  if ('of' in expression) return part`(${joined(expression.of.map(expressionCondition), ` ${expression.op} `)})`;
  const { operand } = expression;
  const [column, type] = [operandOf(operand), raw(COMPARED_AS[operand.type])];
  if (expression.op === 'compare') return part`${column} ${raw(expression.is)} ${expression.value}::${type}`;
  if (expression.op === 'like') return part`${column} like ${expression.pattern}`;
  if (expression.op === 'in') return part`${column} = any(${expression.values}::${type}[])`;
  if (expression.op === 'between')
    return part`${column} between ${expression.low}::${type} and ${expression.high}::${type}`;
  return part`${column} is null`;
}

/** Counties are numbers in the table and five digits to everyone else. */
const operandOf = ({ column }: Operand) => raw(column === 'fips' ? `lpad(p.fips::text, 5, '0')` : `p.${column}`);

/** Tests the value of the home's area, looked up by its key, or the home's own stamp. */
function recipeCondition(condition: LayerCondition, { layers }: Scope): Part {
  const { layer } = condition;
  const { join } = must(layers.get(layer), 'layer');
  const isWanted = part`v.layer = ${layer} and ${conditionSql(condition)}`;
  if (!isAreaJoin(join))
    return part`exists (select 1 from layer_stamps v where v.fips = p.fips and v.property_id = p.id and ${isWanted})`;
  const key = raw(join === 'county' ? 'v.fips' : 'v.key');
  return part`${raw(`p.${AREA_COLUMNS[join]}`)} in (select ${key} from layer_values v where v.kind = ${join} and ${isWanted})`;
}

/** Haversine, as in lib/geo.ts. */
const distanceSql = ({ latitude, longitude }: Point) => part`2 * ${raw(EARTH_RADIUS_MILES)} * asin(least(1, sqrt(
  power(sin(radians(p.latitude - ${latitude}::float8) / 2), 2)
  + cos(radians(${latitude}::float8)) * cos(radians(p.latitude)) * power(sin(radians(p.longitude - ${longitude}::float8) / 2), 2))))`;
