// Detects a table's layout from its first rows: cell separator, header row, sheet.
import type { FileFormat } from '../source.ts';
import { readRecords, splitRecord } from './csv.ts';
import { findZippedTable } from './kind.ts';
import { readBytes, startsWith } from './rows.ts';
import { readSheetNames, readWorkbook } from './xlsx.ts';
import { readZipMember } from '../../../base/lib/zip-file.ts';

const SEPARATORS = [',', '\t', ';', '|'];
const LOOKED_AT = 200;
/** The minimum share of usually filled cells: a title or spanning heading fills fewer, a header row nearly all. */
const HEADER_SHARE = 0.6;
const NARROWEST = 3;

export async function guessLayout(path: string, { type, sheet }: FileFormat): Promise<Partial<FileFormat>> {
  if (type === 'xlsx') return guessSheet(path, sheet);
  if (type !== 'csv' && type !== 'tsv') return {};
  const zipped = (await startsWith(path, 'PK')) ? await findZippedTable(path) : undefined;
  const records = await firstOf(readRecords(zipped ? readZipMember(path, zipped) : readBytes(path)));
  const tables = SEPARATORS.map((separator) => ({
    separator,
    rows: records.map(({ text }) => splitRecord(text, separator)),
  }));
  const [best] = tables.toSorted((a, b) => medianOf(b.rows.map(countOf)) - medianOf(a.rows.map(countOf)));
  const skipLines = headerAt(best.rows);
  const layout = { ...separatorOf(best.separator), ...(skipLines > 0 && { skip_lines: skipLines }) };
  if (hasHeader(best.rows.slice(skipLines))) return layout;
  return { ...layout, header: best.rows[skipLines].map((_, i) => `column_${i + 1}`) };
}

const separatorOf = (separator: string): Pick<FileFormat, 'type' | 'separator'> => ({
  type: separator === '\t' ? 'tsv' : 'csv',
  ...(separator !== '\t' && separator !== ',' && { separator }),
});

const isNumber = (cell: string) => /^[\s$]*-?[\d,]*\.?\d+\s*$/.test(cell);

/** A header row has words where the rows below have numbers. Without one, the first row has numbers in the same
    positions. */
function hasHeader([first, ...rows]: string[][]): boolean {
  if (!first || rows.length < NARROWEST) return true;
  const numbers = first.map((_, i) => rows.filter((cells) => isNumber(cells[i] ?? '')).length > rows.length * 0.8);
  const numeric = first.filter((_, i) => numbers[i]);
  return numeric.length < 2 || numeric.filter(isNumber).length < numeric.length * 0.8;
}

/** The first sheet that is a table: a workbook often opens with a page about itself. */
async function guessSheet(path: string, stated: string | undefined): Promise<Partial<FileFormat>> {
  const names = stated === undefined ? await readSheetNames(path) : [stated];
  for (const sheet of names) {
    const rows = await firstOf((await readWorkbook(path, { type: 'xlsx', sheet, header: [] })).rows);
    if (medianOf(rows.map(({ cells }) => filledOf(cells))) < NARROWEST && names.length > 1) continue;
    const skipLines = (rows[headerAt(rows.map(({ cells }) => cells))]?.line ?? 1) - 1;
    return { ...(sheet !== names[0] && { sheet }), ...(skipLines > 0 && { skip_lines: skipLines }) };
  }
  return {};
}

async function firstOf<Item>(batches: AsyncIterable<Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) {
    items.push(...batch.slice(0, LOOKED_AT));
    if (items.length >= LOOKED_AT) break;
  }
  return items.slice(0, LOOKED_AT);
}

function headerAt(rows: string[][]): number {
  const usual = medianOf(rows.map(filledOf));
  if (usual < NARROWEST) return 0;
  return Math.max(
    0,
    rows.findIndex((cells) => filledOf(cells) >= usual * HEADER_SHARE),
  );
}

const countOf = (cells: string[]) => cells.length;
const filledOf = (cells: string[]) => cells.filter((cell) => cell.trim() !== '').length;

const medianOf = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
