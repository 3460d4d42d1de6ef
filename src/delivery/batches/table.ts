// A spreadsheet's rows from its bytes: CSV as spreadsheets write it, or XLSX. Malformed rows are rejected with their
// line number.
import { refuse, refuseMoreRows } from './size.ts';
import { isZip, readWorkbook } from './workbook.ts';

export interface TableRow {
  line: number;
  cells: string[];
}

const SEPARATORS = [',', ';', '\t', '|'];
const NOT_TEXT: [start: RegExp, what: string][] = [
  [/^%PDF/, 'a PDF document'],
  [/^\s*<(!doctype|html|\?xml)/i, 'HTML or XML'],
  [/^\s*[[{]/, 'JSON; send it with the content type application/json or application/x-ndjson'],
];

/** An old .xls file or an encrypted workbook. */
const isCompoundFile = (bytes: Buffer) => bytes.subarray(0, 4).equals(Buffer.from([0xd0, 0xcf, 0x11, 0xe0]));

export async function readTable(bytes: Buffer): Promise<TableRow[]> {
  if (isCompoundFile(bytes))
    refuse('This is an old .xls file or a workbook with a password. Save it as .xlsx without one, or as CSV.');
  return isZip(bytes) ? readWorkbook(bytes) : readCsv(decode(bytes));
}

/** A byte-order mark gives the Unicode encoding. Without one it is UTF-8 if valid, otherwise Windows-1252, as Excel
    writes on Windows. */
function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function readCsv(text: string): TableRow[] {
  refuseOther(text);
  const declared = /^sep=(.)\r?(?:\n|$)/i.exec(text);
  const start = declared?.[0].length ?? 0;
  const separator = declared?.[1] ?? findSeparator(text);
  const rows: TableRow[] = [];
  let [row, cell, line, rowLine]: [string[], string, number, number] = [[], '', declared ? 2 : 1, declared ? 2 : 1];
  let [quotedSince, isClosed] = [0, false];
  const endCell = () => {
    row.push(cell);
    [cell, isClosed] = ['', false];
  };
  const endRow = () => {
    endCell();
    if (row.some((value) => value.trim() !== '')) rows.push({ line: rowLine, cells: row });
    refuseMoreRows(rows.length);
    row = [];
  };
  for (let at = start; at < text.length; at++) {
    const letter = text[at];
    const isBreak = letter === '\n' || letter === '\r';
    if (isBreak && letter === '\r' && text[at + 1] === '\n') at++;
    if (quotedSince > 0) {
      if (letter === '"' && text[at + 1] === '"') cell += text[at++];
      else if (letter === '"') [quotedSince, isClosed] = [0, true];
      else cell += isBreak ? '\n' : letter;
      if (isBreak) line++;
    } else if (letter === separator) endCell();
    else if (isBreak) {
      endRow();
      rowLine = ++line;
    } else if (isClosed && letter.trim() !== '')
      refuse('There is text after a closing quote. Double the quotes inside a cell.', line);
    else if (letter === '"' && cell.trim() === '') [cell, quotedSince] = ['', line];
    else if (!isClosed) cell += letter;
  }
  if (quotedSince > 0) refuse('A quote is opened here and never closed.', quotedSince);
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}

/** The most frequent separator in the first line, outside quotes. */
function findSeparator(text: string): string {
  const first = (/^[^\r\n]*(?:\r?\n|\r)?/.exec(text.trimStart())?.[0] ?? '').replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((separator) => first.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))];
}

function refuseOther(text: string): void {
  const found = NOT_TEXT.find(([start]) => start.test(text));
  if (found) refuse(`This is not a CSV file or XLSX workbook, but ${found[1]}.`);
  // oxlint-disable-next-line no-control-regex
  const at = text.search(/[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]/);
  if (at < 0) return;
  const line = text.slice(0, at).split(/\r\n|\r|\n/).length;
  const what = text[at] === '\0' ? 'a NUL byte' : 'a control character';
  refuse(`There is ${what} in the file. If it is a spreadsheet, save it as CSV UTF-8 or XLSX.`, line);
}
