// Finds which cell of a file a column name refers to, which columns a file lacks, and which rows have too few or many cells.
import type { Row } from '../read/rows.ts';
import type { Dataset, Field, PropertyKey } from '../source.ts';

/** Maps a column name to its cell in this file, under any name it has had over the years. */
export class ColumnIndex {
  #positions: Map<string, number>;
  #aliases: Record<string, string[]>;

  constructor(header: string[], dataset: Pick<Dataset, 'columns'>) {
    this.#positions = new Map(header.map((name, i) => [name.toLowerCase(), i]));
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
  const wantKey = ({ find, fips, apn, unit, by }: Partial<PropertyKey> = {}) => {
    if (typeof fips !== 'number') want(fips);
    for (const field of [find?.county, find?.parcel, find?.line, find?.zip, apn, unit, by?.key, by?.number])
      want(field);
  };
  want(dataset.where);
  wantKey(dataset.key);
  for (const record of dataset.records) {
    wantKey(record.key);
    want(record.when);
    if (record.each) wanted.add(record.each);
    for (const field of Object.values(record.fields)) want(field);
  }
  return [...wanted].filter((name) => columns.find(name) < 0);
}

/** Which cells of a bad row are kept for a replay. Personal columns are dropped, so nothing needs to be suppressed
    later, unless they are needed for the join. */
export function keptColumns(header: string[], dataset: Dataset): boolean[] {
  const spellings = (names: string[]) =>
    names.flatMap((name) => [name, ...(dataset.columns?.[name] ?? [])]).map((name) => name.toLowerCase());
  const keys = [dataset.key, ...dataset.records.map(({ key }) => key)].flatMap((key) =>
    [key?.apn, key?.unit, key?.by?.key, key?.by?.number].flatMap((field) => field?.columns ?? []),
  );
  const needed = new Set(spellings(keys));
  const personal = new Set(spellings(dataset.personal ?? []));
  return header.map((name) => !personal.has(name.toLowerCase()) || needed.has(name.toLowerCase()));
}

/** Rows that have lost a quote or hold an unquoted separator. Some publishers end every row with separators. A row with more of them than the first has shifted cells. */
export function shapeCheckerOf(header: string[]): (row: Row) => string | undefined {
  let trailing: number | undefined;
  return ({ cells }) => {
    const extra = cells.length - header.length;
    trailing ??= Math.max(0, extra);
    if (extra === 0) return undefined;
    if (extra < 0) return 'too_few_cells';
    const isBlank = cells.slice(header.length).every((cell) => cell.trim() === '');
    return isBlank && extra <= trailing ? undefined : 'too_many_cells';
  };
}
