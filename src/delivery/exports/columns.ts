// The datasets as tables: every column and its type, shared by files, manifests and load statements. Pure.
import { membersOf, type LayerDefinition } from '../../supply/layers/definition.ts';
import { columnTypeOf } from '../../supply/layers/layer.ts';
import { LAYER_COLUMNS, LAYER_LIST } from '../../supply/layers/layers.ts';

export const DATASETS = ['properties', 'transactions', 'valuations', 'risk', 'changes'] as const;
export type Dataset = (typeof DATASETS)[number];

export type ColumnType = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'timestamp' | 'json';
export type Column = readonly [name: string, type: ColumnType];

const of = (type: ColumnType, names: string): Column[] => names.split(/\s+/).map((name) => [name, type] as const);

/** `_op` says whether to upsert or delete a row; a full export only upserts. */
const OP: Column = ['_op', 'text'];

export const COLUMNS: Record<Dataset, readonly Column[]> = {
  properties: [
    OP,
    ...of('text', 'property_id fips apn state market status address_line1 address_unit city zip zip4'),
    ...of('double', 'latitude longitude'),
    ...of('text', 'geo_precision property_type'),
    ...of('integer', 'sqft bedrooms'),
    ...of('double', 'bathrooms'),
    ...of('integer', 'lot_sqft year_built effective_year_built'),
    ...of('double', 'stories'),
    ...of('integer', 'units rooms baths_full baths_half garage_spaces'),
    ...of('boolean', 'pool'),
    ...of('text', 'heating cooling exterior foundation condition quality style zoning land_use_code land_use'),
    ...of('text', 'legal_description subdivision neighborhood census_tract block_group owner_type'),
    ...of('boolean', 'owner_occupied'),
    ...of('integer', 'assessed_value assessed_year'),
    ...of('date', 'last_sale_date'),
    ...of('integer', 'last_sale_price'),
    ...of('text', 'last_sale_id'),
    ...of('integer', 'value value_low value_high'),
    ...of('double', 'value_fsd'),
    ...of('text', 'value_model'),
    ...of('date', 'valued_on'),
    ...Object.entries(LAYER_COLUMNS).map(([name, shape]): Column => [name, columnTypeOf(shape)]),
    ...of('date', 'owned_since'),
    ...of('text', 'occupancy vesting'),
    ...of('integer', 'open_loans loan_balance'),
    ...of('double', 'ltv ltv_low ltv_high'),
    ...of('integer', 'equity equity_low equity_high'),
    ...of('text', 'equity_reason'),
    ...of('boolean', 'free_and_clear'),
    ...of('text', 'foreclosure_stage'),
    ...of('date', 'foreclosure_on foreclosure_ended_on'),
    ...of('text', 'tax_delinquency'),
    ...of('timestamp', 'updated_at'),
  ],
  transactions: [
    OP,
    ...of('text', 'transaction_id property_id type document_type document_number book page'),
    ...of('date', 'recording_date sale_date'),
    ...of('text', 'date_precision'),
    ...of('integer', 'price'),
    ...of('boolean', 'arms_length'),
    ...of('text', 'arms_length_reason'),
    ...of('json', 'buyers sellers'),
    ...of('text', 'lender'),
    ...of('integer', 'loan_amount'),
    ...of('text', 'source'),
    ...of('boolean', 'market_price'),
    ...of('text', 'market_price_reason'),
  ],
  valuations: [
    OP,
    ...of('text', 'property_id'),
    ...of('integer', 'value value_low value_high'),
    ...of('double', 'value_fsd'),
    ...of('text', 'value_model'),
    ...of('date', 'valued_on'),
  ],
  risk: [
    OP,
    ...of('text', 'property_id'),
    ...LAYER_LIST.flatMap(({ name, exports, members }): Column[] => [
      [`${name}_status`, 'text'],
      ...Object.entries(exports).map(([column, member]): Column => [column, columnTypeOf(members[member])]),
    ]),
  ],
  changes: [
    OP,
    ...of('text', 'change_id property_id market kind op'),
    ...of('json', 'changed_fields before after'),
    ...of('timestamp', 'occurred_at'),
  ],
};

const TEXTS_OF_LAYERS = ['title', 'summary'];

/** The members of layers by recipe as columns, named by layer and member. */
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
