// The datasets as tables: every column and its type, shared by files, manifests and load statements. Pure.
import { mapValues } from '../../base/lib/pick.ts';
import { membersOf, type LayerDefinition } from '../../supply/layers/definition.ts';
import { columnTypeOf } from '../../supply/layers/layer.ts';
import { LAYER_COLUMNS, LAYER_LIST } from '../../supply/layers/layers.ts';
import written from './columns.json' with { type: 'json' };

export const DATASETS = ['properties', 'transactions', 'valuations', 'risk', 'changes'] as const;
export type Dataset = (typeof DATASETS)[number];

export type ColumnType = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'timestamp' | 'json';
export type Column = readonly [name: string, type: ColumnType];

const of = (type: ColumnType, names: string): Column[] => names.split(/\s+/).map((name) => [name, type] as const);

/** `_op` is whether to upsert or delete a row; a full export only upserts. */
const OP: Column = ['_op', 'text'];

/** Columns that the layers bring: those of a property, and those of the risk dataset. */
const LAYERS: Record<string, Column[]> = {
  columns: Object.entries(LAYER_COLUMNS).map(([name, shape]) => [name, columnTypeOf(shape)]),
  risk: LAYER_LIST.flatMap(({ name, exports, members }): Column[] => [
    [`${name}_status`, 'text'],
    ...Object.entries(exports).map(([column, member]): Column => [column, columnTypeOf(members[member])]),
  ]),
};

export const COLUMNS = mapValues(written, (groups) => [
  OP,
  ...groups.flatMap(([type, names]) => (type === 'layers' ? LAYERS[names] : of(type as ColumnType, names))),
]) as Record<Dataset, readonly Column[]>;

const TEXTS_OF_LAYERS = ['title', 'summary'];

/** The members of loaded layers as columns, named by layer and member. */
export const loadedColumnsOf = (layer: LayerDefinition): { column: Column; member: string }[] => [
  { column: [`${layer.name}_status`, 'text'], member: 'status' },
  ...Object.entries(membersOf(layer))
    .filter(([member]) => !TEXTS_OF_LAYERS.includes(member))
    .map(([member, shape]) => ({ column: [`${layer.name}_${member}`, columnTypeOf(shape)] as Column, member })),
];

/** The columns of a dataset on a server with these layers by recipe. */
export const columnsOf = (dataset: Dataset, layers: ReadonlyMap<string, LayerDefinition>): readonly Column[] =>
  dataset === 'risk'
    ? [...COLUMNS.risk, ...[...layers.values()].flatMap(loadedColumnsOf).map(({ column }) => column)]
    : COLUMNS[dataset];

/** The key column of each dataset. */
export const KEYS: Record<Dataset, string> = {
  properties: 'property_id',
  transactions: 'transaction_id',
  valuations: 'property_id',
  risk: 'property_id',
  changes: 'change_id',
};

/** Holds at least the known columns of its dataset; any other members are not written. */
export type ExportRow = Record<string, unknown>;

/** DuckDB reads timestamps without a zone; all of ours are UTC. */
export const timestampOf = (instant: Date): string => instant.toISOString().replace('Z', '');
