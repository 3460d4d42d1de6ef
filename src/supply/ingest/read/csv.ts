// Reads CSV with any separator as a stream of rows, with quotes, line breaks in cells, byte-order marks and mixed encodings.
import type { FileFormat } from '../source.ts';
import type { Row, Table } from './rows.ts';

/** A longer record has an unclosed quote. End it at its first line so the rest can be read. */
const LONGEST_RECORD = 4 * 1024 * 1024;

/** The width of a complete row, to distinguish a multi-line cell from an unclosed quote. */
interface Layout {
  separator: string;
  headerAt: number;
  cells?: number;
}

interface RawRecord {
  line: number;
  text: string;
}

/** Bytes are read as Latin-1, which cannot fail; cells with non-ASCII bytes are then decoded one by one. */
export async function readCsv(bytes: AsyncIterable<Buffer>, format: FileFormat): Promise<Table> {
  const separator = format.separator ?? (format.type === 'tsv' ? '\t' : ',');
  const layout: Layout = { separator, headerAt: format.skip_lines ?? 0, cells: format.header?.length };
  const batches = readRecords(bytes, format.encoding, layout);
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();
  const opening = first.done ? [] : first.value;

  let at = format.skip_lines ?? 0;
  let header = format.header;
  if (!header) {
    if (opening.length <= at) return { header: [], rows: nothing() };
    header = splitRecord(opening[at].text, separator).map((name) => name.replace(/\s+/g, ' ').trim());
    at++;
  }
  async function* rows() {
    yield toRows(opening.slice(at));
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield toRows(next.value);
    }
  }
  const toRows = (records: RawRecord[]): Row[] =>
    records.map(({ line, text }) => ({ line, cells: splitRecord(text, separator, format.encoding) }));
  return { header, rows: rows() };
}

async function* nothing(): AsyncGenerator<Row[]> {}

export async function* readRecords(
  bytes: AsyncIterable<Buffer>,
  encoding?: FileFormat['encoding'],
  layout?: Layout,
): AsyncGenerator<RawRecord[]> {
  let rest = '';
  let line = 1;
  let [isFirst, isReturns] = [true, false];
  let wide: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of bytes) {
    let text: string;
    if (isFirst && chunk[0] === 0xff && chunk[1] === 0xfe) wide = new TextDecoder('utf-16le');
    if (isFirst && chunk[0] === 0xfe && chunk[1] === 0xff) wide = new TextDecoder('utf-16be');
    if (wide) text = Buffer.from(wide.decode(chunk, { stream: true }), 'utf8').toString('latin1');
    else text = chunk.toString('latin1');
    if (isFirst && encoding !== 'windows-1252' && text.startsWith('\u00ef\u00bb\u00bf')) text = text.slice(3);
    // Classic Mac OS line endings.
    if (isFirst) isReturns = text.includes('\r') && !text.includes('\n');
    if (isReturns) text = text.replaceAll('\r', '\n');
    if (text.includes('\0')) text = text.replaceAll('\0', '');
    isFirst = false;
    const split = splitRecords(rest + text, line, { isLast: false, layout });
    rest = split.rest;
    line = split.line;
    if (split.records.length > 0) yield split.records;
  }
  const last = splitRecords(rest, line, { isLast: true, layout });
  if (last.records.length > 0) yield last.records;
}

/** A line that is a complete row, after one that opened a quote: the quote was never closed. */
function isWholeRow(line: string, layout: Layout | undefined): boolean {
  if (!layout?.cells || layout.cells < MIN_CELLS || countQuotes(line, 0, line.length) % 2 === 1) return false;
  return splitRecord(line, layout.separator).length === layout.cells;
}

/** Lines of prose have a few commas, too. */
const MIN_CELLS = 4;

function splitRecords(text: string, firstLine: number, { isLast, layout }: { isLast: boolean; layout?: Layout }) {
  const records: RawRecord[] = [];
  let [at, line] = [0, firstLine];
  // Searched once rather than per line: most lines have no quotes.
  let nextQuote = text.indexOf('"');
  while (at < text.length) {
    let end = text.indexOf('\n', at);
    if (end < 0 && !isLast) break;
    if (end < 0) end = text.length;
    let lines = 1;
    const firstEnd = end;
    // An odd number of quotes: this line break is inside a cell.
    if (nextQuote >= 0 && nextQuote < at) nextQuote = text.indexOf('"', at);
    let quotes = nextQuote < 0 || nextQuote >= end ? 0 : countQuotes(text, nextQuote, end);
    while (quotes % 2 === 1 && end < text.length && end - at < LONGEST_RECORD) {
      const next = text.indexOf('\n', end + 1);
      const stop = next < 0 ? text.length : next;
      if ((next >= 0 || isLast) && isWholeRow(text.slice(end + 1, stop).replace(/\r$/, ''), layout)) {
        end = firstEnd;
        lines = 1;
        break;
      }
      quotes += countQuotes(text, end + 1, stop);
      lines++;
      if (next < 0 && !isLast) {
        end = -1;
        break;
      }
      end = stop;
    }
    if (end < 0 && text.length - at < LONGEST_RECORD) break;
    if (end < 0 || end - at >= LONGEST_RECORD || (quotes % 2 === 1 && isLast)) {
      end = firstEnd;
      lines = 1;
    }
    const stop = text.charCodeAt(end - 1) === 13 ? end - 1 : end;
    if (stop > at) records.push({ line, text: text.slice(at, stop) });
    if (layout && stop > at && layout.cells === undefined && layout.headerAt-- === 0)
      layout.cells = splitRecord(text.slice(at, stop), layout.separator).length;
    line += lines;
    at = end + 1;
  }
  return { records, rest: text.slice(at), line };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const windows1252 = new TextDecoder('windows-1252');
const BEYOND_ASCII = /[\u0080-\u00ff]/;

export function splitRecord(record: string, separator: string, encoding?: 'utf-8' | 'windows-1252'): string[] {
  const cells = record.includes('"') ? splitQuoted(record, separator) : record.split(separator);
  if (BEYOND_ASCII.test(record)) {
    for (let i = 0; i < cells.length; i++) if (BEYOND_ASCII.test(cells[i])) cells[i] = decode(cells[i], encoding);
  }
  return cells;
}

function splitQuoted(record: string, separator: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    if (record[at] === '"') {
      let cell = '';
      for (;;) {
        const close = record.indexOf('"', at + 1);
        if (close < 0) {
          cell += record.slice(at + 1);
          at = record.length;
          break;
        }
        cell += record.slice(at + 1, close);
        at = close + 1;
        if (record[at] !== '"') break;
        cell += '"';
      }
      const end = record.indexOf(separator, at);
      // Text after a closing quote belongs to the cell: "12" INCH.
      cell += end < 0 ? record.slice(at) : record.slice(at, end);
      cells.push(cell);
      if (end < 0) return cells;
      at = end + 1;
    } else {
      const end = record.indexOf(separator, at);
      cells.push(end < 0 ? record.slice(at) : record.slice(at, end));
      if (end < 0) return cells;
      at = end + 1;
    }
  }
}

/** UTF-8 if valid, otherwise Windows-1252: some files mix both. */
function decode(cell: string, encoding?: 'utf-8' | 'windows-1252'): string {
  const bytes = Buffer.from(cell, 'latin1');
  if (encoding === 'windows-1252') return windows1252.decode(bytes);
  try {
    return utf8.decode(bytes);
  } catch {
    return windows1252.decode(bytes);
  }
}

function countQuotes(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('"', from); at >= 0 && at < to; at = text.indexOf('"', at + 1)) count++;
  return count;
}
