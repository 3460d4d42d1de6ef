// Turns a row into staged records by the field map of its dataset: compiled once per file, then a few closures a row.
import { hash } from 'node:crypto';
import type { CopyValue } from '../db/copy.ts';
import { addDays } from '../lib/clock.ts';
import { boxOfPolygon, cellOf, COARSE_DEGREES, FINE_DEGREES, type MultiPolygon } from '../lib/geo.ts';
import { normalizeApn, propertyId, recordId } from '../lib/ids.ts';
import { judgeDeed } from './arms-length.ts';
import { ownerTypeOf } from './owner-type.ts';
import type { Dataset, Field, PropertyKey, RecordMap, Source, Target, Value } from './source.ts';
import { NO_STAMPS, type Stamper } from './stamp.ts';
import type { Row } from './table.ts';
import { columnsOf, PROPERTY_FIELDS, SALE_ATTRIBUTES, STAMP_FIELDS, TARGETS } from './targets.ts';
import { BadValue, endOfPeriod, type Precision } from './values.ts';

export interface StagedRecord {
  target: Target;
  values: CopyValue[];
}

export interface RowProblem {
  /** `transactions: not_a_date (Sale_date)`; never a value, which may be a name. */
  reason: string;
}

export interface MappedRow {
  skipped: boolean;
  records: StagedRecord[];
  problems: RowProblem[];
}

export interface MapContext {
  source: Source;
  dataset: Dataset;
  stamper: Stamper | undefined;
  file: string;
  /** No event of a file can be later than its publication. */
  publishedOn: string;
  /** Position of the file: of two rows that say the same thing the one of the later file stays. */
  fileRank: number;
  lookup: Map<string, string> | undefined;
}

type Read = (row: Row) => Value;
type Values = Record<string, Value>;

class CellProblem extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

export function compileMap(header: string[], context: MapContext): (row: Row) => MappedRow {
  const { dataset } = context;
  const columns = new ColumnIndex(header, dataset);
  const where = dataset.where && compileField(dataset.where, columns);
  const lookupAt = dataset.lookup ? columns.find(dataset.lookup.on) : -1;
  const records = dataset.records.map((record) => compileRecord(record, columns, context));
  return (row) => {
    const result: MappedRow = { skipped: false, records: [], problems: [] };
    try {
      if (dataset.lookup) row.cells[header.length] = context.lookup?.get(row.cells[lookupAt]?.trim() ?? '') ?? '';
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
  if (error instanceof CellProblem) return error.reason;
  if (error instanceof BadValue) return error.code;
  throw error;
}

/** Which cell a column name means in this file, under any of the names it had over the years. */
export class ColumnIndex {
  #positions: Map<string, number>;
  #aliases: Record<string, string[]>;
  readonly missing = new Set<string>();

  constructor(header: string[], dataset: Dataset) {
    this.#positions = new Map(header.map((name, i) => [name.toLowerCase(), i]));
    if (dataset.lookup) this.#positions.set(dataset.lookup.name.toLowerCase(), header.length);
    this.#aliases = dataset.columns ?? {};
  }

  add(name: string): number {
    const found = this.#positions.get(name);
    if (found !== undefined) return found;
    const position = this.#positions.size + 100;
    this.#positions.set(name, position);
    return position;
  }

  find(name: string): number {
    for (const alias of [name, ...(this.#aliases[name] ?? [])]) {
      const found = this.#positions.get(alias.toLowerCase());
      if (found !== undefined) return found;
    }
    return -1;
  }
}

/** The columns that a dataset reads and a header lacks. */
export function missingColumns(header: string[], dataset: Dataset): string[] {
  const columns = new ColumnIndex(header, dataset);
  const wanted = new Set<string>();
  const want = (field?: Field) => {
    if (!field || field.optional) return;
    for (const name of field.columns) {
      if (!name.startsWith('.') && !field.optionalColumns?.includes(name)) wanted.add(name);
    }
  };
  const wantKey = (key?: PropertyKey) => {
    if (!key) return;
    if (typeof key.fips !== 'number') want(key.fips);
    for (const field of [key.apn, key.unit, key.by?.key, key.by?.number]) want(field);
  };
  want(dataset.where);
  wantKey(dataset.key);
  if (dataset.lookup) wanted.add(dataset.lookup.on);
  for (const record of dataset.records) {
    wantKey(record.key);
    want(record.when);
    if (record.each) wanted.add(record.each);
    for (const field of Object.values(record.fields)) want(field);
  }
  return [...wanted].filter((name) => columns.find(name) < 0);
}

function compileField(field: Field, columns: ColumnIndex): Read {
  const positions = field.columns.map((name) => (name.startsWith('.') ? columns.add(name) : columns.find(name)));
  const scratch: string[] = Array.from({ length: positions.length });
  return (row) => {
    for (let i = 0; i < positions.length; i++) scratch[i] = row.cells[positions[i]];
    try {
      return field.read(scratch, row.geometry);
    } catch (error) {
      if (error instanceof BadValue) throw new CellProblem(`${error.code} (${field.columns.join(', ')})`);
      throw error;
    }
  };
}

function compileKey(key: PropertyKey, columns: ColumnIndex) {
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
    if (county === null) throw new CellProblem('no_county');
    if (by) {
      const joinKey = by.key(row) as string | null;
      if (joinKey === null) throw new CellProblem(`no_key (${by.kind})`);
      return {
        fips: county,
        id: null,
        apn: '',
        unit: '',
        kind: by.kind,
        key: joinKey,
        number: (by.number?.(row) ?? null) as number | null,
      };
    }
    const parcel = apn?.(row) as string | null | undefined;
    if (!parcel) throw new CellProblem('no_parcel_number');
    const door = ((unit?.(row) as string | null) ?? '').toUpperCase();
    return {
      fips: county,
      id: propertyId(county, parcel, door),
      apn: parcel,
      unit: door,
      kind: null,
      key: null,
      number: null,
    };
  };
}

interface Key {
  fips: number;
  id: string | null;
  apn: string;
  unit: string;
  kind: string | null;
  key: string | null;
  number: number | null;
}

function compileRecord(record: RecordMap, columns: ColumnIndex, context: MapContext) {
  const keySpec = record.key ?? context.dataset.key;
  const key = keySpec && compileKey(keySpec, columns);
  const when = record.when && compileField(record.when, columns);
  const fields = Object.entries(record.fields).map(([name, field]) => [name, compileField(field, columns)] as const);
  const finish = FINISHERS[record.into] ?? finishFact;
  const targetColumns = columnsOf(record.into);
  const items = record.each ? compileItems(record, keySpec, columns) : undefined;

  const one = (row: Row, out: StagedRecord[], shared: { property?: Values }) => {
    if (when && when(row) !== true) return;
    const values: Values = {};
    for (const [name, read] of fields) values[name] = read(row);
    for (const name of record.required ?? []) if ((values[name] ?? null) === null) throw new CellProblem(`no_${name}`);
    const found: Key = key
      ? key(row)
      : { fips: Number(values.fips), id: null, apn: '', unit: '', kind: null, key: null, number: null };
    finish(values, found, record, context, shared);
    const rank = typeof values.rank === 'number' ? values.rank : context.fileRank;
    const staged: CopyValue[] = [
      found.fips,
      found.id,
      found.kind,
      found.key,
      found.number,
      rank,
      context.file,
      row.line,
    ];
    for (const column of targetColumns) staged.push(values[column] as CopyValue);
    out.push({ target: record.into, values: staged });
  };
  if (!items) return (row: Row, out: StagedRecord[], shared: { property?: Values }) => void one(row, out, shared);
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
    throw new CellProblem(`not_json (${column})`);
  }
  if (!Array.isArray(list)) throw new CellProblem(`not_a_list (${column})`);
  return list as Record<string, unknown>[];
}

/** One row per item of a list in a cell, the members of the item as further cells. */
function compileItems(record: RecordMap, key: PropertyKey | undefined, columns: ColumnIndex) {
  const at = columns.find(record.each!);
  const keyed = [key?.apn, key?.unit, key?.by?.key, key?.by?.number].filter((field) => field !== undefined);
  const members = [...new Set([...Object.values(record.fields), ...keyed].flatMap((field) => field.columns))].filter(
    (name) => name.startsWith('.'),
  );
  const positions = members.map((name) => columns.add(name));
  return (row: Row): Row[] => {
    const cell = row.cells[at]?.trim();
    if (!cell) return [];
    const list = readList(cell, record.each!);
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

type Finish = (values: Values, key: Key, record: RecordMap, context: MapContext, shared: { property?: Values }) => void;

const FINISHERS: Partial<Record<Target, Finish>> = {
  properties: finishProperty,
  owners: finishOwner,
  transactions: finishTransaction,
  areas: finishArea,
};

const HASHED = PROPERTY_FIELDS.filter((name) => name !== 'apn');

function finishProperty(
  values: Values,
  key: Key,
  record: RecordMap,
  context: MapContext,
  shared: { property?: Values },
): void {
  const { latitude, longitude } = values;
  const hasPoint = typeof latitude === 'number' && typeof longitude === 'number';
  if (!hasPoint) values.latitude = values.longitude = null;
  values.geo_precision = hasPoint ? (values.geo_precision ?? 'parcel') : null;
  values.known_on ??= context.publishedOn;
  values.apn = key.apn;
  values.apn_normalized = normalizeApn(key.apn);
  values.unit_key = key.unit;
  values.market = context.source.market!.id;
  values.state = context.source.market!.state;
  values.creates = record.creates !== false;
  values.extras ??= {};
  values.row_hash = hash('md5', JSON.stringify(HASHED.map((name) => values[name] ?? null)), 'base64url');
  shared.property = values;
  const stamps = hasPoint ? (context.stamper?.(key.fips, { latitude, longitude }) ?? NO_STAMPS) : NO_STAMPS;
  for (const name of STAMP_FIELDS) values[name] = stamps[name];
  values.neighborhood ??= stamps.neighborhood;
  if (hasPoint) {
    values.cell_fine = cellOf({ latitude, longitude }, FINE_DEGREES);
    values.cell_coarse = cellOf({ latitude, longitude }, COARSE_DEGREES);
  }
}

function finishOwner(values: Values, _key: Key, _record: RecordMap, context: MapContext): void {
  values.known_on ??= context.publishedOn;
  values.names ??= [];
  values.type ??= ownerTypeOf(values.names as string[]);
}

function finishFact(values: Values, key: Key, record: RecordMap, context: MapContext): void {
  const spec = TARGETS[record.into as keyof typeof TARGETS];
  for (const name of spec.key) {
    if (name !== 'id' && !name.startsWith('number_') && (values[name] ?? null) === null)
      throw new CellProblem(`no_${name}`);
  }
  if (spec.idPrefix) {
    if (!values.id) throw new CellProblem('no_number');
    values.id = recordId(spec.idPrefix, key.fips, String(values.id));
  }
  if (record.into === 'property_keys') {
    values.number_from ??= 0;
    values.number_to ??= values.number_from;
  }
  if (spec.columns.includes('known_on')) {
    const stated = spec.knownFrom ? (values[spec.knownFrom] as string | null) : null;
    if (stated && stated > context.publishedOn) throw new CellProblem(`date_in_future (${spec.knownFrom})`);
    values.known_on ??= stated ?? context.publishedOn;
  }
  if (record.into === 'taxes') values.exemptions ??= [];
}

function finishTransaction(
  values: Values,
  key: Key,
  record: RecordMap,
  context: MapContext,
  shared: { property?: Values },
): void {
  values.type ??= 'deed';
  const saleDate = (values.sale_date ?? null) as string | null;
  const recordedOn = (values.recording_date ?? null) as string | null;
  if (!saleDate && !recordedOn) throw new CellProblem('no_date');
  if ((saleDate ?? recordedOn)! > context.publishedOn) throw new CellProblem('date_in_future');
  const precision = (values.date_precision ??= 'day') as Precision;
  const price = (values.price ?? null) as number | null;
  values.buyers ??= [];
  values.sellers ??= [];
  values.market = context.source.market!.id;
  if (values.type === 'deed') {
    const verdict = judgeDeed({
      priceUsd: price,
      documentType: (values.document_type ?? null) as string | null,
      buyers: values.buyers as string[],
      sellers: values.sellers as string[],
      stated: (values.stated_valid ?? null) as boolean | null,
      priceFloorUsd: record.priceFloorUsd ?? 10_000,
    });
    values.arms_length = verdict.armsLength;
    values.arms_length_reason = verdict.reason;
  }
  values.known_on ??= recordedOn ?? knownAfter(saleDate!, precision, context.dataset.publicationLagDays ?? 14);
  values.id = recordId('txn', key.fips, values.id ? String(values.id) : `${key.id ?? key.key}|${saleDate}|${price}`);
  if (record.attributes && shared.property) values.attributes = attributesOf(shared.property);
}

const lastKnown = new Map<string, string>();

function knownAfter(date: string, precision: Precision, lagDays: number): string {
  const memo = `${date}${precision}${lagDays}`;
  let known = lastKnown.get(memo);
  if (!known) {
    if (lastKnown.size > 20_000) lastKnown.clear();
    known = addDays(endOfPeriod({ date, precision }), lagDays);
    lastKnown.set(memo, known);
  }
  return known;
}

function attributesOf(property: Values): Value {
  const attributes: Record<string, unknown> = {};
  for (const name of SALE_ATTRIBUTES) if ((property[name] ?? null) !== null) attributes[name] = property[name];
  return attributes;
}

function finishArea(values: Values): void {
  const polygons = values.rings as unknown as MultiPolygon;
  const box = boxOfPolygon(polygons);
  values.min_longitude = box.minLongitude;
  values.min_latitude = box.minLatitude;
  values.max_longitude = box.maxLongitude;
  values.max_latitude = box.maxLatitude;
  values.attributes ??= {};
  if (!values.id) throw new CellProblem('no_id');
}
