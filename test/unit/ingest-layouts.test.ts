// Tables that are laid out in other ways: separators, wide encodings, titles above the header, covers, repeated headers.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Row } from '../../src/supply/ingest/read/rows.ts';
import { guessLayout } from '../../src/supply/ingest/read/layout.ts';
import { openTable } from '../../src/supply/ingest/read/table.ts';
import type { FileFormat } from '../../src/supply/ingest/source.ts';
import { scaffoldSource } from '../../src/supply/ingest/scaffold.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { zip } from '../archives.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-layouts-'));
const TITLES = ['Parcel No', 'Location', 'Sale Date', 'Sale Price', 'Bedrooms'];
const HOMES = Array.from({ length: 40 }, (_, i) => [
  `12-0${100 + i}`,
  `${i + 1} ELM ST, PEÑA`,
  '03-JUL-19',
  `$${150 + i},400.00`,
  String((i % 4) + 1),
]);

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function read(path: string, type: FileFormat['type'] = 'csv') {
  const format = { type, ...(await guessLayout(path, { type })) };
  const { header, rows } = await openTable(path, format);
  const all: Row[] = [];
  for await (const batch of rows) all.push(...batch);
  return { format, header, cells: all.map(({ cells }) => cells), lines: all.map(({ line }) => line) };
}

const table = (separator: string, rows = [TITLES, ...HOMES]) =>
  rows
    .map((cells) => cells.map((cell) => (cell.includes(separator) ? `"${cell}"` : cell)).join(separator))
    .join('\r\n');

const sheetOf = (rows: string[][]) =>
  `<worksheet><sheetData>${rows
    .map(
      (cells, row) =>
        `<row r="${row + 1}">${cells
          .map((cell, i) => `<c r="${'ABCDE'[i]}${row + 1}" t="inlineStr"><is><t>${cell}</t></is></c>`)
          .join('')}</row>`,
    )
    .join('')}</sheetData></worksheet>`;

const workbook = (sheets: Record<string, string[][]>) =>
  zip({
    'xl/workbook.xml': `<workbook><sheets>${Object.keys(sheets)
      .map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${Object.keys(sheets)
      .map((_, i) => `<Relationship Id="rId${i + 1}" Target="worksheets/sheet${i + 1}.xml"/>`)
      .join('')}</Relationships>`,
    ...Object.fromEntries(Object.values(sheets).map((rows, i) => [`xl/worksheets/sheet${i + 1}.xml`, sheetOf(rows)])),
  });

describe('a text file', () => {
  it('is separated by what most of its lines have most of', async () => {
    for (const [separator, expected] of [
      [',', { type: 'csv' }],
      [';', { type: 'csv', separator: ';' }],
      ['|', { type: 'csv', separator: '|' }],
      ['\t', { type: 'tsv' }],
    ] as const) {
      const { format, header, cells } = await read(write('a.txt', Buffer.from(table(separator), 'latin1')));
      assert.deepEqual(format, expected);
      assert.deepEqual(header, TITLES);
      assert.deepEqual(cells, HOMES);
    }
  });

  it('may be in UTF-16 of either order', async () => {
    const bytes = Buffer.from(`\ufeff${table('\t')}`, 'utf16le');
    for (const wide of [bytes, Buffer.from(bytes).swap16()]) {
      const { format, header, cells } = await read(write('wide.txt', wide));
      assert.deepEqual([format.type, header, cells], ['tsv', TITLES, HOMES]);
    }
  });

  it('begins with its header, after titles and headings over several columns', async () => {
    const above = [['Elm County Assessor'], ['Run 2020-01-15', '', '', 'page 1'], ['', '', 'Sale', '', '']];
    const { format, header, cells } = await read(write('b.csv', table(',', [...above, TITLES, ...HOMES])));
    assert.equal(format.skip_lines, 3);
    assert.deepEqual([header, cells], [TITLES, HOMES]);
  });

  it('does not take a header that it repeats for a row', async () => {
    const rows = [TITLES, ...HOMES.slice(0, 20), TITLES, ...HOMES.slice(20)];
    const { cells, lines } = await read(write('c.csv', table(',', rows)));
    assert.deepEqual([cells, lines[20]], [HOMES, 23]);
  });
});

describe('a workbook', () => {
  it('is read from its first sheet that is a table, below its titles', async () => {
    const sheets = { Cover: [['Elm County'], ['Sales']], 'Sales 2019': [['Elm County'], TITLES, ...HOMES] };
    const { format, header, cells } = await read(write('a.xlsx', workbook(sheets)), 'xlsx');
    assert.deepEqual(format, { type: 'xlsx', sheet: 'Sales 2019', skip_lines: 1 });
    assert.deepEqual([header, cells], [TITLES, HOMES]);
  });

  it('without a header gives every row under the names it is given', async () => {
    const path = write('b.xlsx', workbook({ Sales: [['Title'], ...HOMES] }));
    const { rows } = await openTable(path, { type: 'xlsx', header: TITLES, skip_lines: 1 });
    const cells: string[][] = [];
    for await (const batch of rows) cells.push(...batch.map((row) => row.cells));
    assert.deepEqual(cells, HOMES);
  });
});

describe('a recipe begun from a file', () => {
  const scaffold = (path: string) =>
    scaffoldSource({
      files: [path],
      cacheFolder: folder,
      place: { id: 'elmville', name: 'Elmville', state: 'NC', fips: 37_063, county: 'Elm County' },
      today: '2026-11-16',
    });

  it('says how the file is laid out, and is valid', async () => {
    const { recipe } = await scaffold(write('d.txt', table('|', [['Elm County'], TITLES, ...HOMES])));
    const [{ format, records }] = parseRecipe(recipe, 'new.yaml').datasets;
    assert.deepEqual(format, { type: 'csv', separator: '|', skip_lines: 1 });
    assert.deepEqual(
      records.map(({ into }) => into),
      ['properties', 'transactions'],
    );
  });

  it('takes the first of two columns of one name for the property, and the second for its owner', async () => {
    const names = ['Parcel No', 'Address', 'City', 'Owner', 'ADDRESS', 'City'];
    const rows = HOMES.map(([parcel], i) => [parcel, `${i + 1} ELM ST`, 'ALMO', 'X', `${i + 900} MAIL RD`, 'FAR AWAY']);
    const path = write('e.csv', table(',', [names, ...rows]));
    const { recipe, files } = await scaffold(path);
    const [{ personal }] = parseRecipe(recipe, 'new.yaml').datasets;
    assert.deepEqual(personal, ['Owner', 'ADDRESS (2)', 'City (2)']);
    assert.match(recipe, /address_line1: \{ upper: Address \}/);
    assert.equal(
      files[0].columns.some(({ example }) => /MAIL|FAR/.test(example)),
      false,
    );
    const { header } = await read(path);
    assert.deepEqual(header, ['Parcel No', 'Address', 'City', 'Owner', 'ADDRESS (2)', 'City (2)']);
  });

  it('names the columns of a file that does not, and keeps its first home', async () => {
    const rows = HOMES.map(([parcel], i) => [parcel, `${i + 1} ELM ST`, String(1500 + i), String(1950 + i), '250000']);
    const { recipe, files, findings } = await scaffold(write('bare.txt', table('|', rows)));
    const [{ format }] = parseRecipe(recipe, 'new.yaml').datasets;
    assert.deepEqual(format.header, ['column_1', 'column_2', 'column_3', 'column_4', 'column_5']);
    assert.equal(files[0].rows, rows.length);
    assert.deepEqual(
      findings!.filter(({ id }) => id === 'no-header'),
      [],
    );
  });

  it('is refused for a file of one column, as files of fixed width are', async () => {
    const lines = HOMES.map(([parcel], i) => [`${parcel}   ${i + 1} ELM ST     1500  1950`]);
    await assert.rejects(scaffold(write('fixed.txt', table(',', [['ROLL'], ...lines]))), /has one column.*fixed width/);
  });

  it('takes no county for a city', async () => {
    const { recipe } = await scaffoldSource({
      files: [write('county.csv', table(',', [TITLES, ...HOMES]))],
      cacheFolder: folder,
      place: { id: 'elm-nc', name: 'Elm County, North Carolina', state: 'NC', fips: 37_063, county: 'Elm County' },
      today: '2026-11-16',
    });
    assert.equal(recipe.includes('city:'), false);
  });

  it('is refused for an archive of several tables, with what to do', async () => {
    const archive = write('several.zip', zip({ 'a.csv': table(','), 'b.csv': table(',') }));
    await assert.rejects(scaffold(archive), /several\.zip is a ZIP archive with several tables.*all at once/);
  });
});
