// Splits one CSV record into cells and decodes each of them.

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

/** UTF-8 if valid, otherwise Windows-1252: files assembled from both do exist. */
function decode(cell: string, encoding?: 'utf-8' | 'windows-1252'): string {
  const bytes = Buffer.from(cell, 'latin1');
  if (encoding === 'windows-1252') return windows1252.decode(bytes);
  try {
    return utf8.decode(bytes);
  } catch {
    return windows1252.decode(bytes);
  }
}

export function countQuotes(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('"', from); at >= 0 && at < to; at = text.indexOf('"', at + 1)) count++;
  return count;
}
