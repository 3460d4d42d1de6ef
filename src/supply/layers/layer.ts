// The type of a risk layer: its shape, the source of its records, and how each part of the product shows it. One row of
// the table in layers.ts; everything else is derived from it.
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { mapValues } from '../../base/lib/pick.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import type { MultiPolygon } from '../../base/lib/geo.ts';
import { decimal, isoDay, nullable, text, wholeNumber } from '../../base/lib/schema.ts';

export const words = (maxLength = 300) => nullable(text(maxLength));
export const whole = () => nullable(wholeNumber());
export const count = () => nullable(wholeNumber({ minimum: 0 }));
/** The number known to be open, and the number of unknown status. */
export const openCount = () =>
  nullable(
    wholeNumber({
      minimum: 0,
      description: 'Known to be open; null where none is and the status of some is not known.',
    }),
  );
export const statusUnknown = () =>
  nullable(wholeNumber({ minimum: 0, description: 'Records whose publisher does not say if they are open.' }));
export const rate = () => nullable(decimal({ description: 'Fraction from 0 to 1.' }));
export const day = () => nullable(isoDay());
export const flag = (options: { description?: string } = {}) => nullable(Type.Boolean(options));

export type Body<Members extends TProperties = TProperties> = Static<TObject<Members>>;

/** The columns of a property that layers are looked up by. */
export interface LayerHome {
  fips: number;
  id: string;
  census_tract: string | null;
  census_tract_vintage: number | null;
  census_tract_2010: string | null;
  block_group: string | null;
}

/** One property's part of a layer. */
export interface Finding<Members extends TProperties = TProperties> {
  found?: Body<Members>;
  /** The non-null members if a source covers the place but has no record; undefined if unknown. */
  none?: Partial<Body<Members>>;
  /** Known whether or not a source covers the place. */
  always?: Partial<Body<Members>>;
}

/** Reads a layer for many properties at once and returns it property by property. */
export type LayerReader<Members extends TProperties = TProperties> = (
  db: Queryable,
  homes: LayerHome[],
) => Promise<(home: LayerHome, isCovered: boolean) => Finding<Members>>;

/** A search parameter: `is` a flag, `any` of a count, `since` a day, or `among` the words of a list. */
export type LayerFilter<Column extends string = string> = { column: Column; description: string } & (
  | { test: 'is' | 'any' | 'since' }
  | { test: 'among'; words: readonly string[] }
);
export type FilterValue = boolean | string | string[];

/** The kinds of limits of a lender's rule. */
export type LimitKind =
  | { kind: 'share'; most: number }
  | { kind: 'count'; most: number }
  | { kind: 'days'; most: number }
  | { kind: 'level' }
  | { kind: 'words'; words: readonly string[] | RegExp; isOptional?: boolean }
  | { kind: 'none' };

/** A rule on a covered layer. `sentence` describes the test, with `{}` for the limit. */
export interface LayerRule<Members extends TProperties = TProperties> {
  limit: LimitKind;
  sentence: string;
  ifUnknown: string;
  test(
    limit: unknown,
    layer: Body<Members>,
  ): { applies: boolean; figure: string | number | string[] | null; shown: string };
}

/** A polygon of the map that properties are stamped from. */
export interface Area {
  fips: number;
  kind: string;
  id: string;
  vintage: number;
  name: string | null;
  box: [minLongitude: number, minLatitude: number, maxLongitude: number, maxLatitude: number];
  attributes: Record<string, unknown>;
  rings: MultiPolygon;
  sourceId: string;
}

/** Stamped from the polygons in `areas` with the layer's name that contain the property's point. */
export interface PolygonStamp {
  /** Sorts the worst of several first. */
  compare(a: Area, b: Area): number;
  /** Values of the layer's columns, by the areas that hold the point, worst first. Not null where the county is mapped and
      no area holds the point: null means not covered. */
  columns(areas: Area[]): Record<string, unknown>;
  /** A table with one row per property that lies in an area, for members that are not columns of the property. */
  details?: { table: string; columns: readonly string[]; row(areas: Area[]): unknown[] };
  /** The event when a column changes, except on a county's first map. */
  event: string;
  /** How the map draws the areas; `isHazard` areas are hatched in a lender's file. */
  map: {
    fromZoom: number;
    attributes(area: Pick<Area, 'name' | 'attributes'>): Record<string, string | number | boolean | null>;
    isHazard(attributes: Area['attributes']): boolean;
  };
}

/** Stamped true or false by whether a table lists the property's tract. */
export interface TractStamp<Column extends string = string> {
  table: 'opportunity_zones';
  tract: 'census_tract_2010';
  column: Column;
}

/** Dated records of a property, loaded into the table of the layer's name. */
export interface EventRecords<Column extends string = string> {
  item: TObject;
  idPrefix: string;
  /** The date from which a record counts as known if the source does not say. */
  knownFrom: string;
  /** Event names as SQL over the staged row `s` and the stored row `t`; null makes no event. */
  insertEvent: string;
  updateEvent: string;
  /** Columns of the property as SQL aggregates over the records `t`. */
  summaries: Partial<Record<Column, string>>;
}

export interface Layer<
  Name extends string = string,
  Members extends TProperties = TProperties,
  Columns extends TProperties = TProperties,
  Filters extends string = string,
  Rules extends string = string,
> {
  name: Name;
  /** The heading of its line in a lender's file. */
  title: string;
  /** The start of a sentence about coverage: "Flood zones: no source covers this place." */
  plural: string;
  /** The name and description of its OpenAPI component. */
  component: string;
  description: string;
  /** Its part of a risk report, besides status and source. */
  members: Members;
  read: LayerReader<Members>;
  /** Its columns in `properties`: part of every record, and what filters, map attributes and exposure refer to. */
  columns: Columns;
  filters: Record<Filters, LayerFilter<string & keyof Columns>>;
  /** Columns of the `risk` export by the member they hold, after the layer's status. */
  exports: Record<string, string & keyof Members>;
  /** The export columns also in a batch's CSV. */
  batchColumns: readonly string[];
  /** Attributes of a home's point on the map: a flag or word as it is, whether a count is above zero, a date's month. */
  pointAttributes: Record<string, { column: string & keyof Columns; as: 'flag' | 'word' | 'any' | 'month' }>;
  /** The column that counts toward a portfolio's exposure: where it is true, above zero, or one of the words. */
  exposure?: { column: string & keyof Columns; among?: readonly string[] };
  polygons?: PolygonStamp;
  tracts?: TractStamp<string & keyof Columns>;
  events?: EventRecords<string & keyof Columns>;
  /** The table whose rows a nationwide source's coverage counts, by county. */
  countedIn?: string;
  /** After this many days a lender's file flags the source as old; undefined for layers that do not age. */
  staleAfterDays?: number;
  /** Its sentence in a lender's file. */
  describe(layer: Body<Members>): string;
  rules: Record<Rules, LayerRule<Members>>;
}

/** Keeps the names and shapes of a layer as types. */
export const defineLayer = <
  const Name extends string,
  Members extends TProperties,
  Columns extends TProperties,
  Filters extends string,
  Rules extends string,
>(
  layer: Layer<Name, Members, Columns, Filters, Rules>,
): Layer<Name, Members, Columns, Filters, Rules> => layer;

/** Null for every member, and an empty list for every list. */
export function emptyOf<Members extends TProperties>(members: Members): Body<Members> {
  const isList = (shape: TSchema) => (shape as { type?: unknown }).type === 'array';
  return mapValues(members, (shape) => (isList(shape) ? [] : null)) as Body<Members>;
}

/** The type of a shape as exports name it. */
export function columnTypeOf(shape: TSchema): 'text' | 'integer' | 'double' | 'boolean' | 'date' {
  const { type, format } = shape as { type?: unknown; format?: string };
  const [first] = [type].flat();
  if (first === 'integer' || first === 'boolean') return first;
  if (first === 'number') return 'double';
  return format === 'date' ? 'date' : 'text';
}
