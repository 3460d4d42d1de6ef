// Tables without a header that a person could read: dBASE files and lines of fixed width.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { guessFormat } from '../../src/supply/ingest/read/kind.ts';
import { openTable } from '../../src/supply/ingest/read/table.ts';
import type { FileFormat } from '../../src/supply/ingest/source.ts';
import { dbf } from '../archives.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-tables-'));

async function read(name: string, content: Buffer, format: FileFormat) {
  const path = join(folder, name);
  writeFileSync(path, content);
  const { header, rows } = await openTable(path, format);
  const cells: string[][] = [];
  const lines: number[] = [];
  for await (const batch of rows)
    for (const row of batch) {
      cells.push(row.cells);
      lines.push(row.line);
    }
  return { header, cells, lines, path };
}

describe('a dBASE table', () => {
  const table = dbf(
    ['PIN', 'OWNER'],
    [
      ['1-1', 'ADA'],
      ['1-2', 'BEN'],
      ['1-3', 'CY'],
    ],
  );
  table.set([0x03, 124, 6, 30]);
  const recordLength = table.readUInt16LE(10);
  const second = table.readUInt16LE(8) + recordLength;

  it('is told by its first bytes and read without its deleted records', async () => {
    const content = Buffer.concat([table, Buffer.from([0x1a])]);
    content[second] = 0x2a;
    const { header, cells, lines, path } = await read('roll.dbf', content, { type: 'dbf' });
    assert.deepEqual(
      [header, cells, lines],
      [
        ['PIN', 'OWNER'],
        [
          ['1-1', 'ADA'],
          ['1-3', 'CY'],
        ],
        [1, 3],
      ],
    );
    assert.equal(await guessFormat(path), 'dbf');
    const zipped = await read('roll.dbf.gz', gzipSync(content), { type: 'dbf' });
    assert.deepEqual(zipped.cells, cells);
  });

  it('is refused where a recipe wants another format, and not taken for one that it is not', async () => {
    await assert.rejects(read('roll.csv', table, { type: 'csv' }), /roll\.csv is a dBASE table, not a csv file/);
    await assert.rejects(
      read('x.dbf', Buffer.from('PIN,OWNER\n1,ADA\n'), { type: 'dbf' }),
      /is plain text, not a dbf file/,
    );
  });
});

describe('lines of fixed width', () => {
  const layout = { PIN: [1, 6], NAME: [7, 8], PRICE: [15, 7] } as FileFormat['layout'];
  const line = (pin: string, name: string, price: string) => `${pin.padEnd(6)}${name.padEnd(8)}${price.padStart(7)}`;

  it('are cut by the places that the recipe states, whatever ends them', async () => {
    const rows = [line('1-1', 'JOSÉ', '250000'), line('1-2', 'BEN', ''), '1-3'];
    const { header, cells, lines } = await read(
      'sr1a.txt',
      Buffer.from(`HEADING\r\n${rows.join('\r\n')}\n\n`, 'latin1'),
      {
        type: 'fixed-width',
        layout,
        skip_lines: 1,
      },
    );
    assert.deepEqual(header, ['PIN', 'NAME', 'PRICE']);
    assert.deepEqual(cells, [
      ['1-1', 'JOSÉ', '250000'],
      ['1-2', 'BEN', ''],
      ['1-3', '', ''],
    ]);
    assert.deepEqual(lines, [2, 3, 4]);
  });

  it('are whole across the chunks of a long file', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => line(String(i), `N${i}`, String(i * 7)));
    const { cells } = await read('long.txt', Buffer.from(many.join('\n')), { type: 'fixed-width', layout });
    assert.equal(cells.length, 20_000);
    assert.deepEqual(cells[13_579], ['13579', 'N13579', '95053']);
  });

  it('need their layout', async () => {
    await assert.rejects(
      read('bare.txt', Buffer.from('abc\n'), { type: 'fixed-width' }),
      /needs `layout` in its format/,
    );
  });
});
