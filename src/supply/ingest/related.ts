// Joins a publisher's normalized tables: a document in one, its parties and parcels in others. Rows are partitioned by
// key into parts that fit in memory, so the tables may be of any size.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../base/lib/command-error.ts';
import { ColumnIndex } from './map/columns.ts';
import { BadValue } from './map/values.ts';
import { openTable } from './read/table.ts';
import type { Dataset, RelatedTable } from './source.ts';
import { fetchFiles, type FetchedFile, type FetchPlace } from './fetch/fetch.ts';

/** Combined size of the tables on disk per part; compressed ones are several times larger in memory. */
const PART_BYTES = 64 * 1024 * 1024;
const COMPRESSION = 8;
const BUFFER_CHARACTERS = 64 * 1024;

/** Each file with the columns of its related tables, as a cached table that is valid until one of them changes. */
export async function joinRelated(
  dataset: Dataset,
  files: FetchedFile[],
  place: FetchPlace,
  partBytes = PART_BYTES,
): Promise<FetchedFile[]> {
  const joined: FetchedFile[] = [];
  for (const file of files) {
    let whole = file;
    for (const tables of Map.groupBy(dataset.related ?? [], ({ key, on = key }) => on).values())
      whole = await joinFile({ dataset, place, partBytes }, whole, tables);
    joined.push(whole);
  }
  return joined;
}

interface Joining {
  dataset: Dataset;
  place: FetchPlace;
  partBytes: number;
}

async function joinFile(joining: Joining, file: FetchedFile, tables: RelatedTable[]): Promise<FetchedFile> {
  const { dataset, place, partBytes } = joining;
  const others: { table: RelatedTable; file: FetchedFile }[] = [];
  for (const table of tables) {
    const found = await fetchFiles(dataset, [table.file], place);
    for (const one of await joinRelated({ ...dataset, related: table.related }, found, place, partBytes))
      others.push({ table, file: one });
  }
  const all = [file, ...others.map((other) => other.file)];
  const said = JSON.stringify([tables, dataset.format, dataset.columns, all.map(({ sha256 }) => sha256)]);
  const sha256 = createHash('sha256').update(said).digest('hex');
  const prefix = `joined-${dataset.id.replaceAll('/', '-')}-${file.name.replaceAll(/[^\w.-]/g, '-')}-`;
  const path = join(place.cache, `${prefix}${sha256.slice(0, 16)}.tsv`);
  if (!fs.existsSync(path)) {
    fs.mkdirSync(place.cache, { recursive: true });
    for (const old of fs.readdirSync(place.cache))
      if (old.startsWith(prefix)) fs.rmSync(join(place.cache, old), { recursive: true });
    const folder = fs.mkdtempSync(join(place.cache, prefix));
    try {
      await write(joining, { file, others, folder });
      fs.renameSync(join(folder, 'joined'), path);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
  const format = { type: 'tsv', separator: '\t', skip_lines: 0, header: undefined } as const;
  return { ...file, path, bytes: fs.statSync(path).size, sha256, spec: { ...file.spec, format } };
}

interface Work {
  file: FetchedFile;
  others: { table: RelatedTable; file: FetchedFile }[];
  folder: string;
}

async function write({ dataset, place, partBytes }: Joining, { file, others, folder }: Work): Promise<void> {
  const open = ({ path, spec }: FetchedFile) => openTable(path, { ...dataset.format, ...spec.format });
  const sizes = [file, ...others.map((other) => other.file)].map(
    ({ bytes, path }) => bytes * (/\.(gz|zip)$/.test(path) ? COMPRESSION : 1),
  );
  const parts = Math.ceil(sizes.reduce((sum, bytes) => sum + bytes, 0) / partBytes);
  const names = [...new Set(others.flatMap(({ table }) => Object.keys(table.columns)))];
  const main = await open(file);
  if (main.hasShapes) throw new CommandError(`${dataset.id}: ${file.name} has shapes, which \`related\` cannot keep.`);
  const at = keyAt(main.header, dataset, { file, key: others[0].table.on ?? others[0].table.key });
  const [rows, told] = [new Sorted(folder, 'rows', parts), new Sorted(folder, 'told', parts)];
  for await (const batch of main.rows) for (const { cells } of batch) rows.add(keyOf(cells, at), cells);
  for (const other of others) {
    const bad = await tell(await open(other.file), { dataset, ...other, names, told });
    if (bad > 0) place.onNote?.(`${other.file.name}: ${bad} rows cannot be read and are left out`);
  }
  const out = new Sorted(folder, 'joined', 1);
  out.put(0, lineOf([...main.header, ...names]));
  const width = main.header.length;
  for (let part = 0; part < parts; part++) {
    const found = new Map<string, string[]>();
    for (const [key, ...said] of told.read(part)) {
      const known = found.get(key) ?? names.map(() => '');
      for (let i = 0; i < said.length; i += 2) {
        const [at, value] = [Number(said[i]), said[i + 1]];
        known[at] = value.startsWith('|') ? extend(known[at], value) : value;
      }
      found.set(key, known);
    }
    for (const cells of rows.read(part)) {
      // A row of the wrong length keeps it, and is quarantined.
      const isWhole =
        cells.length === width || (cells.length > width && cells.slice(width).every((cell) => !cell.trim()));
      const more = found.get(keyOf(cells, at)) ?? names.map(() => '');
      const kept = isWhole ? cells.slice(0, width) : cells;
      out.put(0, lineOf(cells.length < width ? cells : [...kept, ...more]));
    }
  }
  out.flush(0);
}

const keyOf = (cells: string[], at: number) => cells[at]?.trim() ?? '';

/** `|b` after `a` is `a|b`; duplicates are dropped. */
const extend = (known: string, value: string) =>
  known === '' ? value.slice(1) : `|${known}|`.includes(`${value}|`) ? known : known + value;

function keyAt(header: string[], dataset: Dataset, { file, key }: { file: FetchedFile; key: string }): number {
  const at = new ColumnIndex(header, dataset).find(key);
  if (at < 0) throw new CommandError(`${dataset.id}: ${file.name} has no column ${key}.`);
  return at;
}

interface Telling {
  dataset: Dataset;
  table: RelatedTable;
  file: FetchedFile;
  /** All added columns; those of other tables stay unchanged. */
  names: string[];
  told: Sorted;
}

/** Returns how many rows of the related table cannot be read. */
async function tell(
  { header, rows }: Awaited<ReturnType<typeof openTable>>,
  { dataset, table, file, names, told }: Telling,
): Promise<number> {
  const at = keyAt(header, dataset, { file, key: table.key });
  const columns = new ColumnIndex(header, dataset);
  const fields = Object.entries(table.columns).map(([name, field]) => {
    const missing = field.columns.find((column) => columns.find(column) < 0 && !field.optional);
    if (missing) throw new CommandError(`${dataset.id}: ${file.name} has no column ${missing}.`);
    const positions = field.columns.map((column) => columns.find(column));
    return { place: String(names.indexOf(name)), field, positions };
  });
  let bad = 0;
  for await (const batch of rows) {
    for (const { cells } of batch) {
      try {
        if (cells.length < header.length) throw new BadValue('too_few_cells');
        const said = [keyOf(cells, at)];
        for (const { place, field, positions } of fields) {
          const value = field.read(positions.map((position) => cells[position])) ?? null;
          if (value !== null) said.push(place, table.many ? `|${String(value).replaceAll('|', '/')}` : String(value));
        }
        if (said.length > 1) told.add(said[0], said);
      } catch (error) {
        if (!(error instanceof BadValue)) throw error;
        bad++;
      }
    }
  }
  return bad;
}

const lineOf = (cells: string[]) =>
  `${cells.map((cell) => (cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell).replace(/[\t\r\n]+/g, ' ')).join('\t')}\n`;

/** Files of JSON lines, one for each part of the keys. */
class Sorted {
  #files: string[];
  #texts: string[];
  constructor(folder: string, name: string, parts: number) {
    this.#files = Array.from({ length: parts }, (_, part) => join(folder, parts === 1 ? name : `${name}-${part}`));
    this.#texts = this.#files.map(() => '');
  }

  add(key: string, cells: string[]): void {
    let sum = 0;
    for (let i = 0; i < key.length; i++) sum = (Math.imul(sum, 31) + key.charCodeAt(i)) >>> 0;
    this.put(sum % this.#files.length, `${JSON.stringify(cells)}\n`);
  }

  put(part: number, line: string): void {
    this.#texts[part] += line;
    if (this.#texts[part].length >= BUFFER_CHARACTERS) this.flush(part);
  }

  *read(part: number): Generator<string[]> {
    this.flush(part);
    for (const line of fs.readFileSync(this.#files[part], 'utf8').split('\n'))
      if (line) yield JSON.parse(line) as string[];
  }

  flush(part: number): void {
    fs.appendFileSync(this.#files[part], this.#texts[part]);
    this.#texts[part] = '';
  }
}
