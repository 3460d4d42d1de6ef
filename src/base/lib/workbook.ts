// Reads the XML parts of an XLSX workbook. Elements are found by forward search only, so any input, however malformed,
// takes linear time. Pure.
import { DAY_MS, isoDate } from './clock.ts';

const LAST_COLUMN = 16_384;

/** The elements with a name, in order, except those without an end tag. */
function* elementsOf(xml: string, name: string): Generator<{ attributes: string; content: string }> {
  const [open, close] = [`<${name}`, `</${name}>`];
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const after = at + open.length;
    if (!/[\s>/]/.test(xml[after] ?? '')) {
      at = after;
      continue;
    }
    const head = xml.indexOf('>', after);
    if (head < 0) return;
    if (xml[head - 1] === '/') {
      yield { attributes: xml.slice(after, head - 1), content: '' };
      at = head + 1;
      continue;
    }
    const end = xml.indexOf(close, head);
    if (end < 0) return;
    yield { attributes: xml.slice(after, head), content: xml.slice(head + 1, end) };
    at = end + close.length;
  }
}

function attributeOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1];
  return found === undefined ? undefined : unescapeXml(found);
}

/** The archive path of a sheet: by name, or the first. Undefined if the workbook has no such sheet. */
export function findSheetPath(workbook: string, relations: string, name?: string): string | undefined {
  const sheets = listSheets(workbook);
  const wanted = name === undefined ? sheets[0] : sheets.find((sheet) => sheet.name === name);
  if (!wanted) return undefined;
  const relation = [...elementsOf(relations, 'Relationship')].find(
    ({ attributes }) => attributeOf(attributes, 'Id') === wanted.id,
  );
  const target = (relation && attributeOf(relation.attributes, 'Target')) ?? 'worksheets/sheet1.xml';
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

export const listSheets = (workbook: string): { name: string; id: string }[] =>
  [...elementsOf(workbook, 'sheet')].map(({ attributes }) => ({
    name: attributeOf(attributes, 'name') ?? '',
    id: attributeOf(attributes, 'r:id') ?? '',
  }));

export const readSharedStrings = (xml: string): string[] =>
  Array.from(elementsOf(xml, 'si'), ({ content }) => textOf(content));

/** A date format has a y or d outside quotes and brackets. Excel keeps 255 characters; unclosed brackets take quadratic
    time. */
export const isDateFormat = (code: string): boolean =>
  /[yd]/i.test(code.slice(0, 255).replace(/"[^"]*"|\[[^\]]*\]/g, ''));

/** Built-in formats 14–22, and custom ones for dates, which Excel stores as day numbers. */
export function readDateStyles(xml: string): boolean[] {
  const own = new Map(
    [...elementsOf(xml, 'numFmt')].map(({ attributes }) => [
      attributeOf(attributes, 'numFmtId'),
      isDateFormat(attributeOf(attributes, 'formatCode') ?? ''),
    ]),
  );
  const [formats] = elementsOf(xml, 'cellXfs');
  return [...elementsOf(formats?.content ?? '', 'xf')].map(({ attributes }) => {
    const id = attributeOf(attributes, 'numFmtId');
    return own.get(id) ?? (Number(id) >= 14 && Number(id) <= 22);
  });
}

export interface SheetRow {
  line: number;
  cells: string[];
}

/** The nonempty rows of a sheet, or of part of it. `before` is the line of the preceding row. */
export function* readSheetRows(
  xml: string,
  { shared, dateStyles, before = 0 }: { shared: string[]; dateStyles: boolean[]; before?: number },
): Generator<SheetRow> {
  let line = before;
  for (const { attributes, content } of elementsOf(xml, 'row')) {
    line = Number(attributeOf(attributes, 'r') ?? line + 1);
    const cells = readCells(content, shared, dateStyles);
    if (cells.some((cell) => cell !== '')) yield { line, cells };
  }
}

function readCells(row: string, shared: string[], dateStyles: boolean[]): string[] {
  const cells: string[] = [];
  let next = 0;
  for (const { attributes, content } of elementsOf(row, 'c')) {
    const letters = /^[A-Z]+/.exec(attributeOf(attributes, 'r') ?? '')?.[0];
    const column = letters ? Math.min(columnNumber(letters), LAST_COLUMN) : next;
    next = column + 1;
    const value = valueOf(attributes, content, shared, dateStyles);
    // Only a value widens a row: an empty cell in the last column takes a few bytes, but a row padded to it takes many.
    if (value === '') continue;
    while (cells.length < column) cells.push('');
    cells[column] = value;
  }
  return cells;
}

function valueOf(attributes: string, content: string, shared: string[], dateStyles: boolean[]): string {
  const type = attributeOf(attributes, 't');
  if (type === 'inlineStr') return textOf(content);
  const [element] = elementsOf(content, 'v');
  const value = element?.content ?? '';
  if (type === 's') return shared[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  const isDate = !type && value !== '' && dateStyles[Number(attributeOf(attributes, 's') ?? -1)];
  return isDate ? dateOf(Number(value)) : unescapeXml(value);
}

function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * 26 + letter.charCodeAt(0) - 64;
  return number - 1;
}

/** Day 1 is 1900-01-01 and Excel counts a 1900-02-29, so from day 60 on days count from 1899-12-30. */
export function dateOf(serial: number): string {
  const date = new Date(Date.UTC(1899, 11, 30) + Math.floor(serial) * DAY_MS);
  return Number.isNaN(date.getTime()) ? String(serial) : isoDate(date);
}

/** Rich text is in several pieces. */
const textOf = (xml: string): string => [...elementsOf(xml, 't')].map(({ content }) => unescapeXml(content)).join('');

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function unescapeXml(text: string): string {
  // Excel's own way to write a line break.
  const plain = text.includes('_x000D_') ? text.replaceAll('_x000D_', ' ') : text;
  if (!plain.includes('&')) return plain;
  return plain.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,10}));/gi, (whole, hex, number, name) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(number);
    if (name) return ENTITIES.get(name) ?? whole;
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
