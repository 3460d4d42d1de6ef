// Turns a row into staged records by its dataset's field map, compiled once per file into a few closures per row.
import type { CopyValue } from '../../../base/db/copy.ts';
import { ColumnIndex } from './columns.ts';
import { makeFinish, type Key, type MapContext, type Values } from './finish.ts';
import { fitOf } from './holds.ts';
import { parcelKeysOf } from './parcel-key.ts';
import type { Field, MadeRecord, PropertyKey, RecordMap, Source, Target, Value } from '../source.ts';
import type { Row } from '../read/rows.ts';
import { stagedColumns } from './targets.ts';
import { BadValue } from './values.ts';
import { must } from '../../../base/lib/must.ts';

export interface StagedRecord {
  target: Target;
  values: CopyValue[];
}

interface MappedRow {
  skipped: boolean;
  records: StagedRecord[];
  /** `not_a_date (Sale_date)`: never with a value, which may be a name. */
  problems: { reason: string }[];
}

type Read = (row: Row) => Value;

/** Rounded by a spreadsheet, so many parcels share the remaining digits. */
const SCIENTIFIC = /^\d(?:\.\d+)?E\+\d+$/i;

/** Strips spreadsheet artifacts: the text-marking apostrophe and a number's .0. */
const bare = (parcel: string | null | undefined) =>
  parcel && /^'|^\d{5,}\.0$/.test(parcel) ? parcel.replace(/^'|\.0$/g, '') : parcel;

/** A spreadsheet's totals row. */
const TOTAL = /^(?:grand |sub-?)?total\b/i;

/** The key of records without a property. */
const NO_KEY: Omit<Key, 'fips'> = {
  id: null,
  spelling: null,
  apn: '',
  unit: '',
  kind: null,
  key: null,
  number: null,
};

export function compileMap(header: string[], context: MapContext): (row: Row) => MappedRow {
  const { dataset } = context;
  const columns = new ColumnIndex(header, dataset);
  const where = dataset.where && compileField(dataset.where, columns);
  const records = dataset.records.map((record) => compileRecord(record, columns, context));
  return (row) => {
    const result: MappedRow = { skipped: false, records: [], problems: [] };
    try {
      if (where && where(row) !== true) return { ...result, skipped: true };
    } catch (error) {
      result.problems.push({ reason: reasonOf(error) });
      return result;
    }
    const shared: { property?: Values } = {};
    for (const record of records) {
      try {
        record(row, result.records, shared);
      } catch (error) {
        result.problems.push({ reason: reasonOf(error) });
      }
    }
    return result;
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof BadValue) return error.code;
  throw error;
}

const fitting = (field: Field, fit: ReturnType<typeof fitOf>): Field =>
  fit ? { ...field, read: (cells, geometry) => fit(field.read(cells, geometry)) } : field;

/** A bad date invalidates only its sale, not the home, whose known-on date then comes from the file. */
const lenient = (field: Field): Field => ({
  ...field,
  read(cells, geometry) {
    try {
      return field.read(cells, geometry);
    } catch (error) {
      if (error instanceof BadValue) return null;
      throw error;
    }
  },
});

function compileField(field: Field, columns: ColumnIndex): Read {
  const positions = field.columns.map((name) => (name.startsWith('.') ? columns.add(name) : columns.find(name)));
  const scratch: string[] = Array.from({ length: positions.length });
  return (row) => {
    for (let i = 0; i < positions.length; i++) scratch[i] = row.cells[positions[i]];
    try {
      return field.read(scratch, row.geometry);
    } catch (error) {
      if (error instanceof BadValue) throw new BadValue(`${error.code} (${field.columns.join(', ')})`);
      throw error;
    }
  };
}

/** All properties matched by a nationwide row. */
function compileFind(key: PropertyKey, columns: ColumnIndex, { finder }: MapContext) {
  const { inside, ...hints } = must(key.find, 'way to find a property');
  const [county, parcel, line, zip] = [hints.county, hints.parcel, hints.line, hints.zip].map(
    (field) => field && compileField(field, columns),
  );
  return (row: Row): Key[] => {
    const found = finder?.({
      county: (county?.(row) ?? null) as string | null,
      parcel: (parcel?.(row) ?? null) as string | null,
      line: (line?.(row) ?? null) as string | null,
      zip: (zip?.(row) ?? null) as string | null,
      polygons: inside && row.geometry?.type === 'polygons' ? row.geometry.polygons : undefined,
    });
    return (found ?? []).map(({ fips, id }) => ({ ...NO_KEY, fips, id }));
  };
}

function compileKey(key: PropertyKey, columns: ColumnIndex, source: Source) {
  const parcels = parcelKeysOf(source);
  const written = (key.apn?.columns ?? []).map((name) => columns.find(name));
  const fips = typeof key.fips === 'number' ? key.fips : compileField(key.fips, columns);
  const apn = key.apn && compileField(key.apn, columns);
  const unit = key.unit && compileField(key.unit, columns);
  const by = key.by && {
    kind: key.by.kind,
    key: compileField(key.by.key, columns),
    number: key.by.number && compileField(key.by.number, columns),
  };
  return (row: Row): Key => {
    const county = typeof fips === 'number' ? fips : (fips(row) as number | null);
    if (county === null) throw new BadValue('no_county');
    if (by) {
      const joinKey = by.key(row) as string | null;
      if (joinKey === null) throw new BadValue(`no_key (${by.kind})`);
      return {
        ...NO_KEY,
        fips: county,
        kind: by.kind,
        key: joinKey,
        number: (by.number?.(row) ?? null) as number | null,
      };
    }
    const parcel = bare(apn?.(row) as string | null | undefined);
    if (!parcel) throw new BadValue('no_parcel_number');
    if (TOTAL.test(parcel)) throw new BadValue('total_row');
    if (SCIENTIFIC.test(parcel)) throw new BadValue('parcel_number_in_scientific_notation');
    const door = ((unit?.(row) as string | null) ?? '').toUpperCase();
    return {
      ...NO_KEY,
      fips: county,
      id: parcels.idOf(county, parcel, door),
      spelling: parcels.spellingOf(written.map((at) => row.cells[at] ?? '')),
      apn: parcel,
      unit: door,
    };
  };
}

/** Completes a record and puts its values in the order of the stage. */
function compileWrite(record: RecordMap, context: MapContext) {
  const finish = makeFinish(record, context);
  const targetColumns = stagedColumns(context.dataset, record.into);
  return (
    values: Values,
    found: Key,
    { line, shared }: { line: number; shared: { property?: Values } },
  ): StagedRecord => {
    finish(values, found, shared);
    values.fips = found.fips;
    values.property_id = found.id;
    values.join_kind = found.kind;
    values.join_key = found.key;
    values.join_number = found.number;
    values.rank ??= context.fileRank;
    values.file = context.file;
    values.line = line;
    return { target: record.into, values: targetColumns.map((column) => values[column] as CopyValue) };
  };
}

/** Completes records that are made in memory. */
export function compileMade(context: MapContext): (record: MadeRecord, line: number) => StagedRecord {
  const writers = new Map(context.dataset.records.map((record) => [record.into, compileWrite(record, context)]));
  return ({ into, property, fields }, line) => {
    const key = property ? { ...NO_KEY, ...property } : { ...NO_KEY, fips: Number(fields.fips) };
    return must(writers.get(into), 'record map')(fields as Values, key, { line, shared: {} });
  };
}

function compileRecord(record: RecordMap, columns: ColumnIndex, context: MapContext) {
  const keySpec = record.key ?? context.dataset.key;
  const find = keySpec?.find && compileFind(keySpec, columns, context);
  const key = keySpec && !find && compileKey(keySpec, columns, context.source);
  const when = record.when && compileField(record.when, columns);
  const fields = Object.entries(record.fields).map(([name, field]) => {
    const fitted = fitting(field, fitOf(record.into, name, field.kind));
    return [
      name,
      compileField(record.into === 'properties' && name === 'known_on' ? lenient(fitted) : fitted, columns),
    ] as const;
  });
  const write = compileWrite(record, context);
  const targetColumns = stagedColumns(context.dataset, record.into);
  // Copied for each record: an object created with all its members is several times cheaper than one that grows.
  const blank = Object.fromEntries([...targetColumns, ...Object.keys(record.fields)].map((name) => [name, null]));
  const items = record.each ? compileItems(record, keySpec, columns) : undefined;

  const one = (row: Row, out: StagedRecord[], shared: { property?: Values }) => {
    if (when && when(row) !== true) return;
    // Most rows of a nationwide file match no loaded property and are skipped.
    const about = find?.(row);
    if (about?.length === 0) return;
    const values: Values = { ...blank };
    for (const [name, read] of fields) values[name] = read(row);
    for (const name of record.required ?? []) if ((values[name] ?? null) === null) throw new BadValue(`no_${name}`);
    const { line } = row;
    if (about) for (const found of about) out.push(write({ ...values }, found, { line, shared }));
    else out.push(write(values, key ? key(row) : { ...NO_KEY, fips: Number(values.fips) }, { line, shared }));
  };
  if (!items) return one;
  return (row: Row, out: StagedRecord[], shared: { property?: Values }) => {
    for (const item of items(row)) one(item, out, shared);
  };
}

function readList(cell: string, column: string): Record<string, unknown>[] {
  if (!cell.startsWith('[')) return cell.split('|').map((value) => ({ value }));
  let list: unknown;
  try {
    list = JSON.parse(cell);
  } catch {
    throw new BadValue(`not_json (${column})`);
  }
  if (!Array.isArray(list)) throw new BadValue(`not_a_list (${column})`);
  return list as Record<string, unknown>[];
}

/** Yields one row per item of a list in a cell, with the members of the item as extra cells. */
function compileItems(record: RecordMap, key: PropertyKey | undefined, columns: ColumnIndex) {
  const at = columns.find(must(record.each, 'list'));
  const keyed = [key?.apn, key?.unit, key?.by?.key, key?.by?.number, record.when].filter(
    (field) => field !== undefined,
  );
  const members = [...new Set([...Object.values(record.fields), ...keyed].flatMap((field) => field.columns))].filter(
    (name) => name.startsWith('.'),
  );
  const positions = members.map((name) => columns.add(name));
  return (row: Row): Row[] => {
    const cell = row.cells[at]?.trim();
    if (!cell) return [];
    const list = readList(cell, must(record.each, 'list'));
    return list.map((item: Record<string, unknown>) => {
      const cells = row.cells.slice();
      members.forEach((name, i) => {
        const value = item[name.slice(1)];
        cells[positions[i]] = value === null || value === undefined ? '' : String(value);
      });
      return { ...row, cells };
    });
  };
}
