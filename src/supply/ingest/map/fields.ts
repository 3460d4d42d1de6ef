// The vocabulary of a field map: each function describes how one value is read from one or more columns.
import { areaSqftOf, centroidOf, type Geometry } from '../read/geometry.ts';
import type { Field, Value } from '../source.ts';
import { BadValue, readDate, readNumber, readText } from './values.ts';

type Scalar = string | number | boolean | null;

const field = (kind: string, columns: string[], read: Field['read']): Field => ({ kind, columns, read });

export const text = (column: string): Field => field('text', [column], ([cell]) => readText(cell));

export const upper = (column: string): Field => field('upper', [column], ([cell]) => readText(cell)?.toUpperCase());

export const lower = (column: string): Field => field('lower', [column], ([cell]) => readText(cell)?.toLowerCase());

export const title = (column: string): Field =>
  field('title', [column], ([cell]) =>
    readText(cell)
      ?.toLowerCase()
      .replace(/(^|[\s/-])[a-z]/g, (letter) => letter.toUpperCase()),
  );

/** Cells joined with a separator; empty ones are skipped. */
export const join = (columns: string[], between: string): Field =>
  field(`join ${JSON.stringify(between)}`, columns, (cells) => {
    const parts = cells.map(readText).filter((part) => part !== null);
    return parts.length > 0 ? parts.join(between) : null;
  });

/** Digits, with the leading zeros that a spreadsheet dropped. */
export const digits = (column: string, length: number): Field =>
  field(`digits(${length})`, [column], ([cell]) => {
    const found = readText(cell)?.replace(/\.0$/, '');
    if (!found) return null;
    if (!/^\d+$/.test(found) || found.length > length) throw new BadValue('not_a_parcel_number');
    return found.padStart(length, '0');
  });

export const zip = (column: string): Field =>
  field('zip', [column], ([cell]) => {
    const found = readText(cell)?.replace(/\.0$/, '').slice(0, 5);
    return found && /^\d{3,5}$/.test(found) && Number(found) > 0 ? found.padStart(5, '0') : null;
  });

/** An integer within bounds. Anything outside is unknown, not quarantined: one wild cell does not spoil a row. */
export const whole = (column: string, min = 0, max = 2_000_000_000): Field =>
  field(`whole ${min} to ${max}`, [column], ([cell]) => {
    const value = readNumber(cell);
    return value === null || value < min || value > max ? null : Math.round(value);
  });

/** Like `whole`, for columns where 0 means "not known". */
export const positive = (column: string, max?: number): Field => whole(column, 1, max);

export const decimal = (column: string, min = 0, max = 1e12): Field =>
  field(`decimal ${min} to ${max}`, [column], ([cell]) => {
    const value = readNumber(cell);
    return value === null || value < min || value > max ? null : value;
  });

export const yearBuilt = (column: string): Field => whole(column, 1600, 2100);

export const dollars = (column: string): Field =>
  field('dollars', [column], ([cell]) => {
    const value = readNumber(cell);
    if (value !== null && value < 0) throw new BadValue('negative_amount');
    return value === null ? null : Math.round(value);
  });

export const date = (column: string): Field => field('date', [column], ([cell]) => readDate(cell)?.date ?? null);

/** For columns where publishers write a date such as 1900-01-01 for "none". */
export const dateAfter = (column: string, after: string): Field =>
  field(`date after ${after}`, [column], ([cell]) => {
    const found = readDate(cell)?.date;
    return found && found > after ? found : null;
  });

export const precision = (column: string): Field =>
  field('precision', [column], ([cell]) => readDate(cell)?.precision ?? 'day');

/** Looks up a code. Codes not in the table read as `otherwise`, by default unknown. */
export const code = (column: string, table: Record<string, Scalar>, otherwise: Scalar = null): Field =>
  field(`code ${JSON.stringify(table)} ${otherwise}`, [column], ([cell]) => {
    const found = readText(cell);
    return found !== null && Object.hasOwn(table, found) ? (table[found] ?? otherwise) : otherwise;
  });

export const constant = (value: Value): Field => field(`constant ${JSON.stringify(value)}`, [], () => value);

export const optional = (inner: Field): Field => ({ ...inner, optional: true });

export const present = (column: string): Field => field('present', [column], ([cell]) => readText(cell) !== null);

export const names = (...columns: string[]): Field =>
  field('names', columns, (cells) => {
    const found = cells.map(readText).filter((name) => name !== null);
    // A list or dictionary in a cell may also contain an address, so none of it is used as a name.
    if (found.some((name) => /^[{[]/.test(name))) throw new BadValue('not_a_name');
    return found;
  });

const SQFT_PER_ACRE = 43_560;

export const scaled = (column: string, factor: number): Field =>
  field(`times ${factor}`, [column], ([cell]) => {
    const value = readNumber(cell, factor === SQFT_PER_ACRE ? 'acres' : undefined);
    return value === null || value <= 0 ? null : Math.round(value * factor);
  });

export const latitude = (column: string): Field => decimal(column, 17, 72);
/** Some files omit the sign, but the whole country is west of Greenwich. */
export const longitude = (column: string): Field =>
  field('longitude', [column], ([cell]) => {
    const west = -Math.abs(readNumber(cell) ?? 0);
    return west < -180 || west > -64 ? null : west;
  });

export const centroid = (axis: 'latitude' | 'longitude'): Field =>
  field(`centroid ${axis}`, [], (_, geometry) => (geometry ? centroidOf(geometry)[axis] : null));

export const groundArea = (): Field =>
  field('ground area', [], (_, geometry?: Geometry) => (geometry ? Math.round(areaSqftOf(geometry)) || null : null));

export const shape = (): Field =>
  field('shape', [], (_, geometry?: Geometry) => {
    if (geometry?.type !== 'polygons') throw new BadValue('no_polygon');
    return geometry.polygons as unknown as Value;
  });

export const line = (): Field =>
  field('line', [], (_, geometry?: Geometry) => {
    if (geometry?.type !== 'lines') throw new BadValue('no_line');
    return geometry.lines as unknown as Value;
  });

/** Whether the row comes with polygons rather than a point. */
export const hasShape = (): Field => field('has shape', [], (_, geometry?: Geometry) => geometry?.type === 'polygons');

/** Market-specific attributes under their own names: `extras`. Unknown values are left out. */
export const object = (members: Record<string, Field>): Field => {
  const entries = Object.entries(members);
  const columns = entries.flatMap(([, member]) => member.columns);
  const optionalColumns = entries.flatMap(([, member]) => (member.optional ? member.columns : []));
  const read: Field['read'] = (cells, geometry) => {
    const result: Record<string, unknown> = {};
    let at = 0;
    for (const [name, member] of entries) {
      const value = member.read(cells.slice(at, at + member.columns.length), geometry);
      at += member.columns.length;
      if (value !== null && value !== undefined) result[name] = value;
    }
    return result;
  };
  return { ...field('object', columns, read), optionalColumns };
};
