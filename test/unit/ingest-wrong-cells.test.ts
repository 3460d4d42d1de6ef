// Cells that clerks, spreadsheets and exporters get wrong: each is read right, or refused with a reason.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cleanLine } from '../../src/supply/ingest/map/address-line.ts';
import { longitude, names } from '../../src/supply/ingest/map/fields.ts';
import { shapeCheckerOf } from '../../src/supply/ingest/map/columns.ts';
import { readDate, readNumber } from '../../src/supply/ingest/map/values.ts';
import { readCsv } from '../../src/supply/ingest/read/csv.ts';
import type { Row } from '../../src/supply/ingest/read/rows.ts';

describe('a street line', () => {
  const lineOf = (line: string, city: string | null = 'PHOENIX', zip: string | null = '85037', state = 'AZ') =>
    cleanLine({ address_line1: line, city, zip }, state);

  it('loses the city, state and ZIP of its own row', () => {
    for (const line of [
      '10135 W MARIPOSA ST PHOENIX 85037',
      '10135 W MARIPOSA ST PHOENIX AZ 85037',
      '10135 W MARIPOSA ST, PHOENIX, AZ 85037-1234',
      '10135 W MARIPOSA ST, Phoenix',
      '10135 W MARIPOSA ST  85037',
      '10135 W MARIPOSA ST',
    ])
      assert.equal(lineOf(line), '10135 W MARIPOSA ST', line);
    assert.equal(lineOf('9 ELM ST SALT LAKE CITY UT 84101', 'SALT LAKE CITY', '84101', 'UT'), '9 ELM ST');
  });

  it('keeps a street that is named after the city or ends in a number', () => {
    assert.equal(lineOf('12 W PHOENIX'), '12 W PHOENIX');
    assert.equal(lineOf('12 HIGHWAY 85038'), '12 HIGHWAY 85038');
    assert.equal(lineOf('12 PHOENIX 85037'), '12 PHOENIX');
    assert.equal(lineOf('12 ELM CT', 'HARTFORD', '06103', 'CT'), '12 ELM CT');
    assert.equal(lineOf('12 ELM CT 06103', 'HARTFORD', '06103', 'CT'), '12 ELM CT');
    assert.equal(lineOf('12 ELM CT HARTFORD CT', 'HARTFORD', '06103', 'CT'), '12 ELM CT');
    assert.equal(lineOf('12 ELM ST (REAR)', 'A(B', null), '12 ELM ST (REAR)');
  });

  it('is none where a clerk wrote a placeholder, and has no number where the number is one', () => {
    for (const line of ['XXX UNDETERMINED SITUS', 'UNKNOWN', '0', 'XXX', 'NO SITUS ADDRESS', '00 UNASSIGNED ST', 'TBD'])
      assert.equal(lineOf(line), null, line);
    assert.equal(lineOf('0 NORTH SHORE RD'), 'NORTH SHORE RD');
    assert.equal(lineOf('XXX MASHELL AV S'), 'MASHELL AV S');
    assert.equal(lineOf('100 UNKNOWN RD'), '100 UNKNOWN RD');
  });
});

describe('a date', () => {
  it('that stands for none is none, in every spelling', () => {
    for (const cell of [
      '1900-01-01',
      '19000101',
      '01/01/1900',
      '1/1/1900 0:00',
      '01-JAN-1900',
      '1900-01-01T00:00:00',
      '12/31/9999',
    ])
      assert.equal(readDate(cell), null, cell);
    assert.deepEqual(readDate('1900-01-02'), { date: '1900-01-02', precision: 'day' });
  });
});

describe('a name', () => {
  it('is not a dictionary or a list', () => {
    const field = names('owner');
    for (const cell of ["{'names': ['A'], 'mailingAddress': {}}", '["A","B"]'])
      assert.throws(() => field.read([cell]), { code: 'not_a_name' });
    assert.deepEqual(field.read(['ACME LLC']), ['ACME LLC']);
  });
});

describe('a longitude', () => {
  it('without its sign lies in the west', () => {
    for (const [cell, value] of [
      ['87.9', -87.9],
      ['-87.9', -87.9],
      ['12', null],
      ['', null],
      ['200', null],
    ] as const)
      assert.equal(longitude('x').read([cell]), value, cell);
  });
});

describe('a quote that is never closed', () => {
  const HEADER = 'apn,address,price,year';
  async function rowsOf(text: string, chunk: number) {
    async function* bytes() {
      for (let at = 0; at < text.length; at += chunk) yield Buffer.from(text.slice(at, at + chunk), 'latin1');
    }
    const { rows } = await readCsv(bytes(), { type: 'csv' });
    const found: Row[] = [];
    for await (const batch of rows) found.push(...batch);
    return found;
  }

  it('costs its own row and no other, wherever the file is cut into pieces', async () => {
    const lines = Array.from({ length: 60 }, (_, n) =>
      n % 20 === 7 ? `${n},"12 ELM ST,100,1950` : `${n},12 ELM ST,100,1950`,
    );
    for (const end of ['\n', '\r\n'])
      for (const chunk of [7, 100, 100_000]) {
        const rows = await rowsOf([HEADER, ...lines].join(end), chunk);
        assert.equal(rows.length, 60, `${chunk}`);
        assert.equal(rows.filter(({ cells }) => cells.length === 4).length, 57);
      }
  });

  it('is told from a cell of several lines', async () => {
    const rows = await rowsOf(`${HEADER}\n1,"12 ELM ST\nREAR, UPPER\nUNIT 3",100,1950\n2,9 OAK ST,1,1900\n`, 1000);
    assert.deepEqual(
      rows.map(({ cells }) => cells[0]),
      ['1', '2'],
    );
    assert.match(rows[0].cells[1], /UNIT 3$/);
  });
});

describe('a number', () => {
  it('has commas only between thousands', () => {
    for (const [cell, value] of [
      ['1,234', 1234],
      ['$1,234,567', 1_234_567],
      ['1,234.50', 1234.5],
      ['(1,234)', -1234],
    ] as const)
      assert.equal(readNumber(cell), value, cell);
    for (const cell of ['2,5', '285.600,00', '1,23', '12,3456', ',5'])
      assert.throws(() => readNumber(cell), { code: 'not_a_number' }, cell);
  });

  it('is none where a formula failed', () => {
    for (const cell of ['#REF!', '#VALUE!', '#DIV/0!', '#N/A', '#NAME?']) assert.equal(readNumber(cell), null, cell);
  });
});

describe('a table', () => {
  const linesOf = async (text: string) => {
    const { header, rows } = await readCsv(bytesOf(text), { type: 'csv' });
    const cells: string[][] = [];
    for await (const batch of rows) for (const row of batch) cells.push(row.cells);
    return [header, ...cells];
  };
  async function* bytesOf(text: string) {
    yield Buffer.from(text);
  }

  it('may end its lines as old Macintoshes do, and hold zero bytes', async () => {
    assert.deepEqual(await linesOf('a,b\r1,2\r3,4\r'), [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ]);
    assert.deepEqual(await linesOf('a,b\n1,\u00002\n'), [
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  it('with a separator too many has shifted cells, unless each row ends with it', () => {
    const check = shapeCheckerOf(['a', 'b']);
    const row = (cells: string[]) => ({ line: 1, cells });
    assert.equal(check(row(['1', '2'])), undefined);
    assert.equal(check(row(['1', 'x', ''])), 'too_many_cells');
    const trailing = shapeCheckerOf(['a', 'b']);
    assert.equal(trailing(row(['1', '2', ''])), undefined);
    assert.equal(trailing(row(['1', '2', ''])), undefined);
    assert.equal(trailing(row(['1', '2'])), undefined);
    assert.equal(trailing(row(['1'])), 'too_few_cells');
  });
});
