// Reads dBASE tables, alone or beside the shapes of a shapefile.
import { createByteReader, type ByteReader } from '../../../base/lib/byte-reader.ts';
import { must } from '../../../base/lib/must.ts';
import { inBatches, type Row, type Table } from './rows.ts';

/** An asterisk marks a deleted record, and this byte the end of the table. */
export const DELETED = 0x2a;
const END = 0x1a;

export async function readDbf(bytes: AsyncIterable<Buffer>): Promise<Table> {
  const table = createByteReader(bytes);
  const fields = await readFields(table);
  async function* rows(): AsyncGenerator<Row> {
    for (let line = 1; ; line++) {
      const record = await table.take(fields.recordLength);
      if (!record || record[0] === END) return;
      if (record[0] === DELETED) continue;
      yield { line, cells: fields.list.map(({ at, length }) => readCell(record, at, length)) };
    }
  }
  return { header: fields.list.map(({ name }) => name), rows: inBatches(rows()), hasShapes: false };
}

export async function readFields(reader: ByteReader) {
  const head = must(await reader.take(32), 'head of the table');
  const headerLength = head.readUInt16LE(8);
  const body = must(await reader.take(headerLength - 32), 'list of columns');
  const list: { name: string; at: number; length: number }[] = [];
  let at = 1;
  for (let i = 0; i + 32 <= body.length && body[i] !== 0x0d; i += 32) {
    const length = body[i + 16];
    list.push({ name: body.toString('latin1', i, i + 11).replace(/\0.*$/s, ''), at, length });
    at += length;
  }
  return { list, recordLength: head.readUInt16LE(10) };
}

export const readCell = (record: Buffer, at: number, length: number): string =>
  record.toString('latin1', at, at + length).trim();
