// Reads fixed-width lines with column positions from the recipe: such files have neither header nor separators.
import { CommandError } from '../../../base/lib/command-error.ts';
import type { FileFormat } from '../source.ts';
import { inBatches, type Row, type Table } from './rows.ts';

export async function readFixedWidth(
  bytes: AsyncIterable<Buffer>,
  { layout, skip_lines: skipped = 0, encoding = 'windows-1252' }: FileFormat,
): Promise<Table> {
  const columns = Object.entries(layout ?? {});
  if (columns.length === 0)
    throw new CommandError(
      'A fixed-width file needs `layout` in its format: column → [first place, number of places].',
    );
  // Positions are in bytes, so a line is split before it is decoded.
  const decoder = new TextDecoder(encoding);
  const cellOf = (line: Buffer, [first, length]: readonly [number, number]) =>
    decoder.decode(line.subarray(first - 1, first - 1 + length)).trim();
  async function* rows(): AsyncGenerator<Row> {
    let number = 0;
    for await (const line of linesOf(bytes)) {
      number++;
      if (number <= skipped || line.length === 0) continue;
      yield { line: number, cells: columns.map(([, place]) => cellOf(line, place)) };
    }
  }
  return { header: columns.map(([name]) => name), rows: inBatches(rows()), hasShapes: false };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Lines without terminators. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  const trimmed = (line: Buffer) => (line.at(-1) === RETURN ? line.subarray(0, -1) : line);
  for await (const chunk of bytes) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      yield trimmed(rest.subarray(start, end));
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
  if (rest.length > 0) yield trimmed(rest);
}
