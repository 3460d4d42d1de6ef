// Reads one sheet of an XLSX workbook as a stream of rows; only the shared strings are held in memory.
import { CommandError } from '../../lib/command-error.ts';
import type { FileFormat } from '../source.ts';
import type { Row, Table } from './rows.ts';
import { listZip, readZipMember, type ZipMember } from './zip.ts';

export async function readXlsx(path: string, format: FileFormat): Promise<Table> {
  const members = new Map((await listZip(path)).map((member) => [member.name, member]));
  const shared = members.has('xl/sharedStrings.xml')
    ? await readShared(path, members.get('xl/sharedStrings.xml')!)
    : [];
  const dateStyles = await readDateStyles(path, members);
  const sheet = await findSheet(path, members, format.sheet);
  const rows = readRows(path, sheet, shared, dateStyles);

  let header = format.header;
  const skip = format.skipLines ?? 0;
  const opening: Row[] = [];
  for (let next = await rows.next(); !next.done && !header; next = await rows.next()) {
    for (const row of next.value) {
      if (header) opening.push(row);
      else if (row.line > skip) header = row.cells.map((cell) => cell.replace(/\s+/g, ' ').trim());
    }
    if (header) break;
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

async function readWhole(path: string, member: ZipMember): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of readZipMember(path, member)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function findSheet(path: string, members: Map<string, ZipMember>, name?: string): Promise<ZipMember> {
  const book = await readWhole(path, members.get('xl/workbook.xml')!);
  const sheets = [...book.matchAll(/<sheet\b[^>]*>/g)].map(([tag]) => ({
    name: unescape(/\bname="([^"]*)"/.exec(tag)?.[1] ?? ''),
    id: /\br:id="([^"]*)"/.exec(tag)?.[1] ?? '',
  }));
  const wanted = name ? sheets.find((sheet) => sheet.name === name) : sheets[0];
  if (!wanted)
    throw new CommandError(`The workbook has no sheet "${name}". It has ${sheets.map((s) => s.name).join(', ')}.`);
  const relations = await readWhole(path, members.get('xl/_rels/workbook.xml.rels')!);
  const relation = [...relations.matchAll(/<Relationship\b[^>]*>/g)].find(([tag]) => tag.includes(`Id="${wanted.id}"`));
  const target = /Target="([^"]*)"/.exec(relation?.[0] ?? '')?.[1] ?? 'worksheets/sheet1.xml';
  return members.get(target.startsWith('/') ? target.slice(1) : `xl/${target}`)!;
}

async function readShared(path: string, member: ZipMember): Promise<string[]> {
  const xml = await readWhole(path, member);
  return [...xml.matchAll(/<si\b[^>]*>(.*?)<\/si>/gs)].map(([, item]) => textOf(item));
}

/** Built-in formats 14–22, and custom ones with a y or d outside quotes, are dates, which Excel stores as day
    numbers. */
async function readDateStyles(path: string, members: Map<string, ZipMember>): Promise<boolean[]> {
  const member = members.get('xl/styles.xml');
  if (!member) return [];
  const xml = await readWhole(path, member);
  const own = new Map(
    [...xml.matchAll(/<numFmt\b[^>]*numFmtId="(\d+)"[^>]*formatCode="([^"]*)"/g)].map(([, id, code]) => [
      Number(id),
      /[yd]/i.test(unescape(code).replace(/"[^"]*"|\[[^\]]*\]/g, '')),
    ]),
  );
  const formats = /<cellXfs\b[^>]*>(.*?)<\/cellXfs>/s.exec(xml)?.[1] ?? '';
  return [...formats.matchAll(/<xf\b[^>]*numFmtId="(\d+)"/g)].map(([, id]) => {
    const number = Number(id);
    return own.get(number) ?? (number >= 14 && number <= 22);
  });
}

async function* readRows(
  path: string,
  sheet: ZipMember,
  shared: string[],
  dateStyles: boolean[],
): AsyncGenerator<Row[]> {
  const decoder = new TextDecoder('utf-8');
  let text = '';
  let line = 0;
  for await (const chunk of readZipMember(path, sheet)) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('</row>');
    if (end < 0) continue;
    const rows: Row[] = [];
    for (const [, attributes, body] of text.slice(0, end + 6).matchAll(/<row\b([^>]*)>(.*?)<\/row>/gs)) {
      line = Number(/\br="(\d+)"/.exec(attributes)?.[1] ?? line + 1);
      const cells = readCells(body, shared, dateStyles);
      if (cells.some((cell) => cell !== '')) rows.push({ line, cells });
    }
    text = text.slice(end + 6);
    if (rows.length > 0) yield rows;
  }
}

function readCells(body: string, shared: string[], dateStyles: boolean[]): string[] {
  const cells: string[] = [];
  for (const [, attributes, content = ''] of body.matchAll(/<c\b([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
    const letters = /\br="([A-Z]+)/.exec(attributes)?.[1];
    const column = letters ? columnNumber(letters) : cells.length;
    while (cells.length < column) cells.push('');
    const type = /\bt="(\w+)"/.exec(attributes)?.[1];
    const value = /<v\b[^>]*>(.*?)<\/v>/s.exec(content)?.[1] ?? '';
    if (type === 's') cells.push(shared[Number(value)] ?? '');
    else if (type === 'inlineStr') cells.push(textOf(content));
    else if (type === 'b') cells.push(value === '1' ? 'TRUE' : 'FALSE');
    else if (!type && value && dateStyles[Number(/\bs="(\d+)"/.exec(attributes)?.[1] ?? -1)]) cells.push(dateOf(value));
    else cells.push(unescape(value));
  }
  return cells;
}

function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * 26 + letter.charCodeAt(0) - 64;
  return number - 1;
}

/** Day 1 is 1900-01-01 and Excel counts a 1900-02-29, so from day 60 on days count from 1899-12-30. */
function dateOf(serial: string): string {
  return new Date(Date.UTC(1899, 11, 30) + Math.floor(Number(serial)) * 86_400_000).toISOString().slice(0, 10);
}

function textOf(xml: string): string {
  return [...xml.matchAll(/<t\b[^>]*>(.*?)<\/t>/gs)].map(([, text]) => unescape(text)).join('');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescape(text: string): string {
  // Excel's own way to write a line break.
  const plain = text.includes('_x000D_') ? text.replaceAll('_x000D_', ' ') : text;
  if (!plain.includes('&')) return plain;
  return plain.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, number, name) =>
    hex
      ? String.fromCodePoint(Number.parseInt(hex, 16))
      : number
        ? String.fromCodePoint(Number(number))
        : (ENTITIES[name] ?? whole),
  );
}
