// The flat attributes of a property in a GIS program: one table for features, their schema, and filters.
import type { Operand } from '../../records/properties/expression.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { LAYER_COLUMNS } from '../../supply/layers/layers.ts';
import written from './columns.json' with { type: 'json' };

export interface Column extends Operand {
  title: string;
  /** Only callers with this scope may see or filter by it. */
  scope?: 'owners:read';
}

/** The layers' columns, typed by their shapes. */
const layerColumns = Object.entries(LAYER_COLUMNS).map(([name, shape]): [string, Column] => {
  const { type, format } = shape as { type?: string | string[]; format?: string };
  const [first = 'string'] = [type ?? []].flat();
  const isDay = first === 'string' && format === 'date';
  return [name, { column: name, type: isDay ? 'date' : (first as Column['type']), title: name.replaceAll('_', ' ') }];
});

export const COLUMNS = { ...written.properties, ...Object.fromEntries(layerColumns) } as Record<string, Column>;
export const AREA_COLUMNS = written.areas as Record<string, Column>;

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
    columnsFor(scopes).map(([name, { column }]) => [
      name,
      column === 'fips' ? formatFips(row.fips) : row[column as keyof PropertyRow],
    ]),
  );
