// The collections that a GIS program can add as layers: properties, parcels, sales and areas, each read page by page.
import type { Caller } from '../../customers/accounts/accounts.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { readPage } from '../../base/lib/pages.ts';
import { geometryOf } from '../../base/lib/shapes.ts';
import { visibleCounts } from '../../records/markets/catalog.ts';
import type { Expression } from '../../records/properties/expression.ts';
import { type Filter } from '../../records/properties/filter.ts';
import { pointOf } from '../../records/properties/formats.ts';
import { getProperty } from '../../records/properties/properties.ts';
import { filterOf } from '../../records/properties/request.ts';
import { searchProperties } from '../../records/properties/search.ts';
import { readGeometries } from '../../records/properties/shapes.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';
import { POLYGON_LAYERS } from '../../supply/layers/layers.ts';
import { attributesOf, COLUMNS, columnsFor, schemaOf, type Column } from './columns.ts';
import { readCql2 } from './cql2.ts';
import { findArea, listAreas, type AreaKey, type AreaRow } from './sql.ts';

interface Feature {
  type: 'Feature';
  id: string;
  geometry: { type: string; coordinates: unknown } | null;
  properties: Record<string, unknown>;
}

/** One page asked for: a box in degrees, a filter in CQL2, a span of days as OGC writes it. */
export interface Asked {
  bbox?: string;
  filter?: string;
  datetime?: string;
  limit: number;
  cursor?: string;
}

type ReadDeps = Pick<Deps, 'data' | 'dataReplica' | 'catalog' | 'secrets' | 'records'>;

interface Collection {
  title: string;
  description: string;
  /** As JSON Schema, for the caller's scopes. */
  queryables(scopes: readonly string[]): Record<string, object>;
  list(deps: ReadDeps, caller: Caller, asked: Asked): Promise<{ features: Feature[]; next: string | null }>;
  find(deps: ReadDeps, caller: Caller, id: string): Promise<Feature>;
}

/** Properties are told by their record's columns, whatever they are drawn as. */
function ofProperties(
  title: string,
  description: string,
  { isParcel = false, isSale = false }: { isParcel?: boolean; isSale?: boolean },
): Collection {
  const present = async (deps: ReadDeps, rows: PropertyRow[], { key }: Caller): Promise<Feature[]> => {
    const outlines = isParcel ? await readGeometries(deps, rows) : new Map<string, never>();
    return rows.map((row) => ({
      type: 'Feature',
      id: row.id,
      geometry: outlines.get(row.id) ?? pointOf(row),
      properties: attributesOf(row, key.scopes),
    }));
  };
  return {
    title,
    description,
    queryables: (scopes) => Object.fromEntries(columnsFor(scopes).map(([name, column]) => [name, schemaOf(column)])),
    async list(deps, caller, { limit, cursor, ...asked }) {
      const filter = readConditions(caller, asked, isSale);
      const found = await searchProperties(deps, caller.key.mode, { filter, sort: undefined, limit, cursor });
      return { features: await present(deps, found.rows, caller), next: found.nextCursor };
    },
    async find(deps, caller, id) {
      const { row } = await getProperty(deps, caller.key.mode, id);
      if (isSale && row.last_sale_date === null) fail('resource_not_found', 'No sale of this property is known.');
      return (await present(deps, [row], caller))[0];
    },
  };
}

function readConditions(
  caller: Caller,
  { bbox, filter: text, datetime }: Omit<Asked, 'limit' | 'cursor'>,
  isSale: boolean,
): Filter {
  const find = (name: string): Column => {
    const column = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
    if (!column) return refuse('filter', `\`${name}\` is not a queryable; see /queryables`);
    if (column.scope && !caller.key.scopes.includes(column.scope))
      fail('insufficient_scope', `\`${name}\` requires the scope \`${column.scope}\`.`, {
        required_scope: column.scope,
      });
    return column;
  };
  const { expression, geometry } = text === undefined ? {} : readCql2(text, find);
  const filter = filterOf(caller, { ...(bbox !== undefined && { bbox }), ...(geometry && { geometry }) });
  const all = [expression, ...(isSale ? soldWithin(datetime) : [])].filter((each) => each !== undefined);
  return all.length > 0 ? { ...filter, expression: all.length > 1 ? { op: 'and', of: all } : all[0] } : filter;
}

const SOLD_ON = { column: 'last_sale_date', type: 'date' } as const;

/** Instants are cut to their days; `..` and nothing are an open end. */
function soldWithin(datetime: string | undefined): Expression[] {
  const isSold: Expression = { op: 'not', of: { op: 'null', operand: SOLD_ON } };
  if (datetime === undefined) return [isSold];
  const [from, until = from, ...more] = datetime.split('/');
  const ends = [from, until].map((end) => (end === '' || end === '..' ? undefined : end));
  const isDay = (end: string | undefined) =>
    end === undefined || (/^\d{4}-\d{2}-\d{2}(T.*)?$/.test(end) && !Number.isNaN(Date.parse(end)));
  if (more.length > 0 || !ends.every(isDay))
    refuse('datetime', 'write 2024-05-01, 2024-01-01/2024-12-31 or 2024-01-01/..');
  const tests = (['>=', '<='] as const).flatMap((is, i) => {
    const value = ends[i]?.slice(0, 10);
    return value === undefined ? [] : [{ op: 'compare', operand: SOLD_ON, is, value } as const];
  });
  return [isSold, ...tests];
}

const AREA_KINDS = ['tract', 'neighborhood', ...POLYGON_LAYERS.map(({ name }) => name as string)];

const presentArea = ({ fips, kind, id, vintage, name, rings }: AreaRow): Feature => ({
  type: 'Feature',
  id: [formatFips(fips), kind, vintage, id].join('.'),
  geometry: geometryOf(rings),
  properties: { area_id: id, kind, name, fips: formatFips(fips), vintage },
});

const areas: Collection = {
  title: 'Areas',
  description: `Outlines of ${AREA_KINDS.join(', ')} in loaded counties. Filter by one kind: kind = 'tract'.`,
  queryables: () => ({ kind: { type: 'string', enum: AREA_KINDS, title: 'Kind of area' } }),
  async list(deps, caller, { bbox, filter, limit, cursor }) {
    const counts = visibleCounts(await deps.catalog.read(), caller.key.mode);
    const counties = [...new Set(counts.map(({ fips }) => fips))].sort((a, b) => a - b);
    const kinds = filter === undefined ? AREA_KINDS : kindsOf(filter);
    const box = bbox === undefined ? undefined : filterOf(caller, { bbox }).place?.box;
    const name = ['ogc areas', caller.key.mode, kinds, bbox];
    const { rows, next } = await readPage(
      deps.secrets,
      name,
      { limit, cursor },
      (after: AreaKey | undefined, most) => listAreas(deps.dataReplica, { counties, kinds, box, after, limit: most }),
      (row): AreaKey => [row.fips, row.kind, row.id, row.vintage],
    );
    return { features: rows.map(presentArea), next };
  },
  async find(deps, caller, reference) {
    const [, fips, kind, vintage, id] = /^(\d{5})\.(\w+)\.(\d{4})\.(.{1,80})$/.exec(reference) ?? [];
    const isVisible = visibleCounts(await deps.catalog.read(), caller.key.mode).some(
      (row) => row.fips === Number(fips),
    );
    const row = isVisible && (await findArea(deps.dataReplica, [Number(fips), kind, id, Number(vintage)]));
    return row ? presentArea(row) : fail('resource_not_found', `There is no area ${reference}.`);
  },
};

/** Areas have one queryable, so their filter is that and nothing else. */
function kindsOf(filter: string): string[] {
  const wanted = /^\s*"?kind"?\s*(?:=|in)\s*(.+)$/i.exec(filter)?.[1];
  const kinds = wanted?.match(/'([^']*)'/g)?.map((each) => each.slice(1, -1)) ?? [];
  if (kinds.length > 0 && kinds.every((kind) => AREA_KINDS.includes(kind))) return kinds;
  return refuse('filter', `areas are filtered as kind = 'tract' or kind IN (…), of ${AREA_KINDS.join(', ')}`);
}

export const COLLECTIONS: Record<string, Collection> = {
  properties: ofProperties('Properties', 'Every property as a point, with its value, last sale and risk.', {}),
  parcels: ofProperties(
    'Parcels',
    'Every property as the outline of its parcel, or as a point where no outline is known. A box holds a parcel whose point lies in it.',
    { isParcel: true },
  ),
  sales: ofProperties('Sales', 'The last sale at a market price of each property, by its date.', { isSale: true }),
  areas,
};

export const collectionNamed = (id: string): Collection =>
  (Object.hasOwn(COLLECTIONS, id) ? COLLECTIONS[id] : undefined) ??
  fail('resource_not_found', `There is no collection ${id}: use ${Object.keys(COLLECTIONS).join(', ')}.`);

function refuse(parameter: string, detail: string): never {
  return fail('invalid_request', `${parameter}: ${detail}.`, {
    errors: [{ pointer: `/${parameter}`, code: 'invalid', detail }],
  });
}
