// The table of risk layers. Reports, search, exports, batches, tiles, lender's files, portfolios, loads and coverage
// read it; a layer that is listed here is in all of them.
import type { Static } from 'typebox';
import { census } from './census.ts';
import { codeViolations } from './code-violations.ts';
import { flood } from './flood.ts';
import type { EventRecords, Layer, LayerFilter, PolygonStamp, TractStamp } from './layer.ts';
import { opportunityZone } from './opportunity-zone.ts';
import { permits } from './permits.ts';
import { taxLiens } from './tax-liens.ts';

/** In the order of a risk report. */
export const LAYERS = {
  flood,
  tax_liens: taxLiens,
  permits,
  code_violations: codeViolations,
  census,
  opportunity_zone: opportunityZone,
};
type Layers = typeof LAYERS;
export type LayerName = keyof Layers;

export const LAYER_NAMES = Object.keys(LAYERS) as LayerName[];
export const LAYER_LIST = Object.values(LAYERS) as readonly Layer<LayerName>[];

/** Records, filters and portfolios list these layers first. Their order is part of the API, as that of reports is. */
const FIRST_IN_RECORDS: LayerName[] = ['flood', 'opportunity_zone', 'tax_liens', 'code_violations'];
const IN_RECORDS: readonly Layer<LayerName>[] = [
  ...FIRST_IN_RECORDS.map((name) => LAYERS[name] as Layer<LayerName>),
  ...LAYER_LIST.filter(({ name }) => !FIRST_IN_RECORDS.includes(name)),
];

type Union<Shape> = Shape extends unknown ? (part: Shape) => void : never;
type Merged<Shape> = Union<Shape> extends (part: infer All) => void ? All : never;
type LayerColumnShapes = Merged<Layers[LayerName]['columns']>;

/** The layers' columns of `properties`. */
export type LayerColumns = { [Column in keyof LayerColumnShapes]: Static<LayerColumnShapes[Column]> };
export const LAYER_COLUMNS = Object.assign({}, ...IN_RECORDS.map(({ columns }) => columns)) as LayerColumnShapes;

export type LayerFilterName = keyof Merged<Layers[LayerName]['filters']>;
export const LAYER_FILTERS = Object.assign({}, ...IN_RECORDS.map(({ filters }) => filters)) as Record<
  LayerFilterName,
  LayerFilter<keyof LayerColumns>
>;

export type LayerRuleName = keyof Merged<Layers[LayerName]['rules']>;
export const LAYER_RULES = LAYER_LIST.flatMap(({ name, rules }) =>
  Object.entries(rules).map(([rule, definition]) => ({ rule, layer: name, ...definition })),
);

export const POINT_ATTRIBUTES = IN_RECORDS.flatMap(({ pointAttributes }) =>
  Object.entries(pointAttributes).map(([name, attribute]) => ({ name, ...attribute })),
);

export const EXPOSURES = IN_RECORDS.flatMap(({ name, exposure }) =>
  exposure ? [{ layer: name, among: exposure.among, column: exposure.column as keyof LayerColumns }] : [],
);

type Part<Key extends 'polygons' | 'tracts' | 'events', Value> = Layer<LayerName> & Record<Key, Value>;
const having = <Key extends 'polygons' | 'tracts' | 'events', Value>(key: Key) =>
  LAYER_LIST.filter((layer) => layer[key] !== undefined) as Part<Key, Value>[];

export const POLYGON_LAYERS = having<'polygons', PolygonStamp>('polygons');
export const TRACT_LAYERS = having<'tracts', TractStamp>('tracts');

/** Layers of dated records, which name the tables they are loaded into. */
export type EventLayerName = 'tax_liens' | 'permits' | 'code_violations';
export const EVENT_LAYERS = having<'events', EventRecords>('events') as (Part<'events', EventRecords> & {
  name: EventLayerName;
})[];
