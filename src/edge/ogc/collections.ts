// The collections that a GIS program can add as layers: properties, parcels, sales and areas, each read page by page.
import type { Caller } from '../../customers/accounts/accounts.ts';
import type { Deps } from '../../base/deps.ts';
import { isDay, isInstant } from '../../base/http/validation.ts';
import { fail } from '../../base/lib/errors.ts';
import type { Box } from '../../base/lib/geo.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { readPage } from '../../base/lib/pages.ts';
import { geometryOf } from '../../base/lib/shapes.ts';
import type { Expression } from '../../records/properties/expression.ts';
import { type Filter } from '../../records/properties/filter.ts';
import { pointOf } from '../../records/properties/formats.ts';
import { getProperty } from '../../records/properties/properties.ts';
import { filterOf } from '../../records/properties/request.ts';
import { searchProperties } from '../../records/properties/search.ts';
import { readGeometries } from '../../records/properties/shapes.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';
import { POLYGON_LAYERS } from '../../supply/layers/layers.ts';
import { clipRing } from '../../records/tiles/clip.ts';
import { AREA_COLUMNS, attributesOf, COLUMNS, columnsFor, schemaOf, type Column } from './columns.ts';
import { readCql2 } from './cql2.ts';
import { refuse } from './crs.ts';
import { findArea, listAreas, type AreaKey, type AreaRow } from './sql.ts';

interface Feature {
  type: 'Feature';
  id: string;
  geometry: { type: string; coordinates: unknown } | null;
  properties: Record<string, unknown>;
}

/** A request for one page, with a filter in CQL2. */
export interface PageRequest {
  boxes?: Box[];
  filter?: string;
  days?: [string, string];
  limit: number;
  cursor: string | undefined;
}

type ReadDeps = Pick<Deps, 'data' | 'dataReplica' | 'catalog' | 'secrets' | 'records'>;

interface Collection {
  title: string;
  description: string;
  /** As JSON Schema, for the caller's scopes. */
  queryables(scopes: readonly string[]): Record<string, object>;
  list(deps: ReadDeps, caller: Caller, request: PageRequest): Promise<{ features: Feature[]; next: string | null }>;
  find(deps: ReadDeps, caller: Caller, id: string): Promise<Feature>;
}

/** Properties have their record's columns, regardless of geometry. */
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
    queryables: (scopes) => ({
      geometry: { title: 'Geometry', format: 'geometry-any', 'x-ogc-role': 'primary-geometry' },
      ...Object.fromEntries(columnsFor(scopes).map(([name, column]) => [name, schemaOf(column)])),
    }),
    async list(deps, caller, request) {
      const filter = readConditions(caller, request, isSale);
      const found = await searchProperties(deps, caller.key.mode, { ...request, filter, sort: undefined });
      return { features: await present(deps, found.rows, caller), next: found.nextCursor };
    },
    async find(deps, caller, id) {
      const { row } = await getProperty(deps, caller.key.mode, id);
      if (isSale && row.last_sale_date === null) fail('resource_not_found', 'No sale of this property is known.');
      return (await present(deps, [row], caller))[0];
    },
  };
}

/** Columns by their names, as far as the caller may filter by them. */
const columnsOf =
  ({ key }: Caller, columns: Record<string, Column>) =>
  (name: string): Column => {
    const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (!column) return refuse('filter', `\`${name}\` is not a queryable; see /queryables`);
    const { scope } = column;
    if (scope && !key.scopes.includes(scope))
      fail('insufficient_scope', `\`${name}\` requires the scope \`${scope}\`.`, { required_scope: scope });
    return column;
  };

function readConditions(caller: Caller, { boxes, filter: text, days = EVER }: PageRequest, isSale: boolean): Filter {
  const { expression, geometry } = text === undefined ? {} : readCql2(text, columnsOf(caller, COLUMNS));
  const filter = filterOf(caller, geometry ? { geometry } : {});
  // One place narrows a search; an additional box, or two boxes, are tested home by home.
  const isPlace = boxes?.length === 1 && !geometry;
  const all = expression ? [expression] : [];
  if (isSale) all.push({ op: 'between', operand: SOLD_ON, low: days[0], high: days[1] });
  if (boxes && !isPlace) all.push({ op: 'or', of: boxes.map(isInside) });
  return {
    ...filter,
    ...(isPlace && { place: { kind: 'box', box: boxes[0] } }),
    ...(all.length > 0 && { expression: { op: 'and', of: all } }),
  };
}

const isInside = (box: Box): Expression => ({
  op: 'and',
  of: [
    { op: 'between', operand: LATITUDE, low: box.minLatitude, high: box.maxLatitude },
    { op: 'between', operand: LONGITUDE, low: box.minLongitude, high: box.maxLongitude },
  ],
});
const LATITUDE = { column: 'latitude', type: 'number' } as const;
const LONGITUDE = { column: 'longitude', type: 'number' } as const;
const SOLD_ON = { column: 'last_sale_date', type: 'date' } as const;
const EVER: [string, string] = ['0001-01-01', '9999-12-31'];

/** The ends of a date range; instants are truncated to days. */
export function daysOf(datetime: string): [string, string] {
  const [from, until = from, ...more] = datetime.split('/');
  const ends = [from, until].map((end, i) => (end === '' || end === '..' ? EVER[i] : end));
  if (more.length > 0 || !ends.every((end) => isDay(end) || isInstant(end)))
    refuse('datetime', 'write 2024-05-01, 2024-01-01/2024-12-31 or 2024-01-01/..');
  return [ends[0].slice(0, 10), ends[1].slice(0, 10)];
}

const AREA_KINDS = ['tract', 'neighborhood', ...POLYGON_LAYERS.map(({ name }) => name as string)];

const presentArea = ({ fips, kind, id, vintage, name, rings }: AreaRow): Feature => ({
  type: 'Feature',
  id: [formatFips(fips), kind, vintage, id].join('.'),
  geometry: geometryOf(rings),
  properties: { area_id: id, kind, name, fips: formatFips(fips), vintage },
});

/** An outline's bounding box may intersect a box that the outline does not. */
function touches({ rings }: AreaRow, { minLongitude, minLatitude, maxLongitude, maxLatitude }: Box): boolean {
  const [width, height] = [maxLongitude - minLongitude || 1e-9, maxLatitude - minLatitude || 1e-9];
  const scale = ([x, y]: [number, number]): [number, number] => [
    (x - minLongitude) / width,
    (y - minLatitude) / height,
  ];
  return rings.some(([outer]) => clipRing(outer.map(scale), 1, 0).length > 0);
}

const areas: Collection = {
  title: 'Areas',
  description: `Outlines of ${AREA_KINDS.join(', ')} in loaded counties. Filter by one kind: kind = 'tract'.`,
  queryables: () => ({
    ...Object.fromEntries(Object.entries(AREA_COLUMNS).map(([name, column]) => [name, schemaOf(column)])),
    kind: { ...schemaOf(AREA_COLUMNS.kind), enum: AREA_KINDS },
  }),
  async list(deps, caller, { boxes, filter, limit, cursor }) {
    const counts = (await deps.catalog.read()).visible[caller.key.mode];
    const counties = [...new Set(counts.map(({ fips }) => fips))].sort((a, b) => a - b);
    const { expression, geometry } = filter === undefined ? {} : readCql2(filter, columnsOf(caller, AREA_COLUMNS));
    if (geometry) refuse('filter', 'areas are found by `bbox`, not by S_INTERSECTS');
    const { rows, next } = await readPage(
      deps.secrets,
      ['ogc areas', caller.key.mode, filter, boxes],
      { limit, cursor },
      (after: AreaKey | undefined, most) =>
        listAreas(deps.dataReplica, { counties, kinds: AREA_KINDS, boxes, expression, after, limit: most }),
      (row): AreaKey => [row.fips, row.kind, row.id, row.vintage],
    );
    const within = rows.filter((row) => boxes?.some((box) => touches(row, box)) ?? true);
    return { features: within.map(presentArea), next };
  },
  async find(deps, caller, reference) {
    const [, fips, kind, vintage, id] = /^(\d{5})\.(\w+)\.(\d{4})\.(.{1,80})$/.exec(reference) ?? [];
    const isVisible = (await deps.catalog.read()).visible[caller.key.mode].some((row) => row.fips === Number(fips));
    const row = isVisible && (await findArea(deps.dataReplica, [Number(fips), kind, id, Number(vintage)]));
    return row ? presentArea(row) : fail('resource_not_found', `There is no area ${reference}.`);
  },
};

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
