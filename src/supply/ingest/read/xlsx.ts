// Reads one sheet of a workbook as a table: XLSX as a stream of rows with only the shared strings in memory.
import { text } from 'node:stream/consumers';
import { CommandError } from '../../../base/lib/command-error.ts';
import type { FileFormat } from '../source.ts';
import { startsWith, type Row, type Table } from './rows.ts';
import { readXlsNames, readXlsRows } from './xls.ts';
import {
  findSheetPath,
  listSheets,
  readDateStyles,
  readSharedStrings,
  readSheetRows,
} from '../../../base/lib/workbook.ts';
import type { ZipMember } from '../../../base/lib/zip-directory.ts';
import { listZip, readZipMember } from '../../../base/lib/zip-file.ts';
import { entryOf } from '../../../base/lib/must.ts';

/** An XLSX workbook, or an XLS one: publishers switch between them under one name. */
export async function readWorkbook(path: string, format: FileFormat): Promise<Table> {
  const rows = (await isXls(path)) ? await readXlsRows(path, format.sheet) : await readXlsxRows(path, format.sheet);
  let header = format.header;
  const skip = format.skip_lines ?? 0;
  const opening: Row[] = [];
  while (opening.length === 0) {
    const next = await rows.next();
    if (next.done) break;
    for (const row of next.value) {
      if (row.line <= skip) continue;
      if (header) opening.push(row);
      else header = row.cells.map((cell) => cell.replace(/\s+/g, ' ').trim());
    }
  }
  async function* all() {
    if (opening.length > 0) yield opening;
    yield* rows;
  }
  const columns = header ?? [];
  async function* padded() {
    for await (const batch of all()) {
      // Excel does not write empty cells at the end of a row.
      for (const row of batch) while (row.cells.length < columns.length) row.cells.push('');
      yield batch;
    }
  }
  return { header: columns, rows: padded() };
}

/** The first bytes of pre-2007 Microsoft Office files. */
const isXls = (path: string): Promise<boolean> => startsWith(path, '\u00d0\u00cf');

async function readXlsxRows(path: string, name: string | undefined): Promise<AsyncGenerator<Row[]>> {
  const members = new Map((await listZip(path)).map((member) => [member.name, member]));
  const partOf = async (part: string) => (members.has(part) ? readWhole(path, entryOf(members, part)) : '');
  const shared = readSharedStrings(await partOf('xl/sharedStrings.xml'));
  const dateStyles = readDateStyles(await partOf('xl/styles.xml'));
  return readRows(path, await findSheet(path, members, name), shared, dateStyles);
}

export async function readSheetNames(path: string): Promise<string[]> {
  if (await isXls(path)) return readXlsNames(path);
  const book = (await listZip(path)).find(({ name }) => name === 'xl/workbook.xml');
  return book ? listSheets(await readWhole(path, book)).map(({ name }) => name) : [];
}

const readWhole = (path: string, member: ZipMember): Promise<string> => text(readZipMember(path, member));

async function findSheet(path: string, members: Map<string, ZipMember>, name?: string): Promise<ZipMember> {
  const book = await readWhole(path, entryOf(members, 'xl/workbook.xml'));
  const sheet = findSheetPath(book, await readWhole(path, entryOf(members, 'xl/_rels/workbook.xml.rels')), name);
  if (!sheet) {
    const names = listSheets(book).map((each) => each.name);
    throw new CommandError(`The workbook has no sheet "${name}". It has ${names.join(', ')}.`);
  }
  return entryOf(members, sheet);
}

async function* readRows(
  path: string,
  sheet: ZipMember,
  shared: string[],
  dateStyles: boolean[],
): AsyncGenerator<Row[]> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let line = 0;
  for await (const chunk of readZipMember(path, sheet)) {
    rest += decoder.decode(chunk, { stream: true });
    const end = rest.lastIndexOf('</row>');
    if (end < 0) continue;
    const rows = [...readSheetRows(rest.slice(0, end + 6), { shared, dateStyles, before: line })];
    line = rows.at(-1)?.line ?? line;
    rest = rest.slice(end + 6);
    if (rows.length > 0) yield rows;
  }
}
