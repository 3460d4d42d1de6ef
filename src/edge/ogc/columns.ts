// The flat attributes of a property in a GIS program: one table for features, their schema, and what a filter can name.
import type { Operand } from '../../records/properties/expression.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { LAYER_COLUMNS } from '../../supply/layers/layers.ts';

export interface Column extends Operand {
  title: string;
  /** Only callers with this scope may see or filter by it. */
  scope?: 'owners:read';
}

const text = (column: Column['column'], title: string): Column => ({ column, type: 'string', title });
const whole = (column: Column['column'], title: string): Column => ({ column, type: 'integer', title });
const decimal = (column: Column['column'], title: string): Column => ({ column, type: 'number', title });
const day = (column: Column['column'], title: string): Column => ({ column, type: 'date', title });

/** The layers' columns, typed by their shapes. */
const layerColumns = Object.entries(LAYER_COLUMNS).map(([name, shape]): [string, Column] => {
  const { type, format } = shape as { type?: string | string[]; format?: string };
  const [first = 'string'] = [type ?? []].flat();
  const isDay = first === 'string' && format === 'date';
  const column = name as Column['column'];
  return [name, { column, type: isDay ? 'date' : (first as Column['type']), title: name.replaceAll('_', ' ') }];
});

export const COLUMNS: Record<string, Column> = {
  id: text('id', 'Property id'),
  apn: text('apn', 'Parcel number'),
  fips: text('fips', 'County FIPS code'),
  market: text('market', 'Market'),
  address: text('address_line1', 'Street address'),
  unit: text('address_unit', 'Unit'),
  city: text('city', 'City'),
  state: text('state', 'State'),
  zip: text('zip', 'ZIP code'),
  census_tract: text('census_tract', 'Census tract'),
  neighborhood: text('neighborhood', 'Neighborhood'),
  property_type: text('property_type', 'Property type'),
  sqft: whole('sqft', 'Living area, square feet'),
  lot_sqft: whole('lot_sqft', 'Lot, square feet'),
  bedrooms: whole('bedrooms', 'Bedrooms'),
  bathrooms: decimal('bathrooms', 'Bathrooms'),
  year_built: whole('year_built', 'Year built'),
  units: whole('units', 'Dwelling units'),
  zoning: text('zoning', 'Zoning'),
  land_use: text('land_use', 'Land use'),
  assessed_value: whole('assessed_value', 'Assessed value, dollars'),
  assessed_year: whole('assessed_year', 'Year of the assessment'),
  value: whole('value', 'Estimated value, dollars'),
  value_low: whole('value_low', 'Low end of the 80% interval'),
  value_high: whole('value_high', 'High end of the 80% interval'),
  valued_on: day('valued_on', 'Day of the estimate'),
  last_sale_date: day('last_sale_date', 'Date of the last sale at a market price'),
  last_sale_price: whole('last_sale_price', 'Price of that sale, dollars'),
  ...Object.fromEntries(layerColumns),
  owner_type: { ...text('owner_type', 'Type of owner'), scope: 'owners:read' },
  owner_occupied: {
    column: 'owner_occupied',
    type: 'boolean',
    title: 'Whether the owner lives there',
    scope: 'owners:read',
  },
  updated_at: { column: 'updated_at', type: 'instant', title: 'When the record last changed' },
};

const FORMATS: Partial<Record<Column['type'], string>> = { date: 'date', instant: 'date-time' };

/** A column as JSON Schema. */
export const schemaOf = ({ type, title }: Column) => ({
  type: FORMATS[type] ? 'string' : type,
  ...(FORMATS[type] && { format: FORMATS[type] }),
  title,
});

export const columnsFor = (scopes: readonly string[]): [string, Column][] =>
  Object.entries(COLUMNS).filter(([, { scope }]) => scope === undefined || scopes.includes(scope));

export const attributesOf = (row: PropertyRow, scopes: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    columnsFor(scopes).map(([name, { column }]) => [name, column === 'fips' ? formatFips(row.fips) : row[column]]),
  );
