// Formats of old programs: file geodatabases through GDAL, XLS workbooks, and Access databases, which are refused in words.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { utils, write, type WorkSheet } from '@e965/xlsx';
import { fetchFiles } from '../../src/supply/ingest/fetch/fetch.ts';
import { guessFormat } from '../../src/supply/ingest/read/kind.ts';
import { guessLayout } from '../../src/supply/ingest/read/layout.ts';
import type { Row } from '../../src/supply/ingest/read/rows.ts';
import { openTable } from '../../src/supply/ingest/read/table.ts';
import type { Dataset, FileFormat } from '../../src/supply/ingest/source.ts';
import { zip } from '../archives.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-old-formats-'));
const writesGeodatabases = /OpenFileGDB -vector- \(rw/.test(
  spawnSync('ogrinfo', ['--formats'], { encoding: 'utf8' }).stdout ?? '',
);
const skip = writesGeodatabases ? false : 'needs ogr2ogr 3.6 or later (gdal-bin)';

async function read(path: string, stated?: Partial<FileFormat>) {
  const type = await guessFormat(path);
  const format = { type, ...(await guessLayout(path, { type })), ...stated };
  const { header, rows } = await openTable(path, format);
  const all: Row[] = [];
  for await (const batch of rows) all.push(...batch);
  return { type, header, rows: all };
}

/** Two layers with areas, one of them with coded values, in meters of Wisconsin. */
function makeGeodatabase(): string {
  const [lines, package_, path] = ['lots.geojsonl', 'lots.gpkg', 'county.gdb'].map((name) => join(folder, name));
  const feature = (i: number) => ({
    type: 'Feature',
    properties: { PIN: `0070910${i}`, USE: i % 2 ? 'R1' : 'X9', YEAR: i === 2 ? null : 1950 + i },
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [-89.4, 43 + i / 1000],
          [-89.399, 43 + i / 1000],
          [-89.399, 43.0009 + i / 1000],
          [-89.4, 43 + i / 1000],
        ],
      ],
    },
  });
  writeFileSync(lines, Array.from({ length: 1200 }, (_, i) => `${JSON.stringify(feature(i))}\n`).join(''));
  execFileSync('ogr2ogr', ['-f', 'GPKG', '-t_srs', 'EPSG:3071', '-nln', 'Tax_Parcels', package_, lines]);
  const database = new DatabaseSync(package_);
  database.exec(`
    create table gpkg_data_columns (table_name text, column_name text, name text, title text, description text,
      mime_type text, constraint_name text);
    create table gpkg_data_column_constraints (constraint_name text, constraint_type text, value text, min numeric,
      min_is_inclusive boolean, max numeric, max_is_inclusive boolean, description text);
    insert into gpkg_data_columns values ('Tax_Parcels', 'USE', null, null, null, null, 'uses');
    insert into gpkg_data_column_constraints values ('uses', 'enum', 'R1', null, null, null, null, 'Single family');
    insert into gpkg_extensions values ('gpkg_data_columns', null, 'gpkg_schema', 'x', 'read-write'),
      ('gpkg_data_column_constraints', null, 'gpkg_schema', 'x', 'read-write');`);
  database.close();
  execFileSync('ogr2ogr', ['-f', 'OpenFileGDB', path, package_]);
  execFileSync('ogr2ogr', ['-update', '-nln', 'Zoning', path, lines]);
  return path;
}

describe('a file geodatabase', { skip }, () => {
  const path = skip ? '' : makeGeodatabase();
  const archive = join(folder, 'download.zip');
  if (!skip)
    writeFileSync(
      archive,
      zip(
        Object.fromEntries(readdirSync(path).map((name) => [`out/county.gdb/${name}`, readFileSync(join(path, name))])),
      ),
    );

  for (const place of [path, archive])
    it(`gives every row in degrees, with labels in place of codes: ${place === path ? 'folder' : 'archive'}`, async () => {
      const { type, header, rows } = await read(place);
      assert.equal(type, 'geodatabase');
      assert.deepEqual(header, ['PIN', 'USE', 'YEAR']);
      assert.equal(rows.length, 1200);
      assert.deepEqual(rows[1].cells, ['00709101', 'Single family', '1951']);
      // A code without a label stays what it is.
      assert.deepEqual(rows[2].cells, ['00709102', 'X9', '']);
      assert.ok(rows[1].geometry?.type === 'polygons');
      const [longitude, latitude] = rows[1].geometry.polygons[0][0][0];
      assert.ok(Math.abs(longitude + 89.4) < 0.002 && Math.abs(latitude - 43.001) < 0.002);
    });

  it('is asked for one of several layers, by its name or as the parcels', async () => {
    assert.equal((await read(path, { layer: 'Zoning' })).rows.length, 1200);
    await assert.rejects(read(path, { layer: 'Roads' }), /county\.gdb has Tax_Parcels, Zoning; name one of them/);
  });

  it('is left when the reader has seen enough', async () => {
    const { rows } = await openTable(path, { type: 'geodatabase' });
    for await (const batch of rows) {
      assert.equal(batch.length, 500);
      break;
    }
  });

  it('is a file of a recipe although it is a folder', async () => {
    const spec = { path: 'county.gdb' };
    const [file] = await fetchFiles({ id: 'x/y' } as Dataset, [spec], { from: folder, cache: folder });
    assert.ok(file.bytes > 10_000);
    assert.match(file.sha256, /^[0-9a-f]{64}$/);
  });
});

it('says what a geodatabase takes where GDAL is missing', async () => {
  const path = join(folder, 'bare.gdb');
  mkdirSync(path);
  writeFileSync(join(path, 'gdb'), 'x');
  const before = process.env.PATH;
  process.env.PATH = '/nowhere';
  try {
    await assert.rejects(read(path), /bare\.gdb is a file geodatabase, which takes GDAL to read: install it \(apt/);
  } finally {
    process.env.PATH = before;
  }
});

function makeBook(sheets: Record<string, WorkSheet>, date1904 = false): string {
  const path = join(folder, `book-${Object.keys(sheets).join('-')}-${date1904}.xls`);
  const book = { SheetNames: Object.keys(sheets), Sheets: sheets, Workbook: { WBProps: { date1904 } } };
  writeFileSync(path, write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer);
  return path;
}

describe('an XLS workbook', () => {
  const sale = [3, 'BAY RIDGE', '00512', 24, 1_250_000.5, { t: 'n', v: 42_005, z: 'm/d/yy' }, true];
  const table = utils.aoa_to_sheet([
    ['Rolling sales'],
    [],
    ['BOROUGH', 'NEIGHBORHOOD', 'BLOCK', 'LOT', 'SALE  PRICE', 'SALE DATE', 'VALID', 'NOTE'],
    ...Array.from({ length: 700 }, () => sale),
    [null, null, null, null, null, null, null, null],
    [...sale.slice(0, 6), false, 'last'],
  ]);

  it('reads like an XLSX workbook, from the sheet that is a table', async () => {
    const { type, header, rows } = await read(makeBook({ About: utils.aoa_to_sheet([['About']]), Sales: table }));
    assert.equal(type, 'xlsx');
    assert.deepEqual(header.slice(0, 6), ['BOROUGH', 'NEIGHBORHOOD', 'BLOCK', 'LOT', 'SALE PRICE', 'SALE DATE']);
    assert.equal(rows.length, 701);
    assert.deepEqual(rows[0].cells, ['3', 'BAY RIDGE', '00512', '24', '1250000.5', '2015-01-01', 'TRUE', '']);
    assert.deepEqual(rows.at(-1)!.cells.slice(-2), ['FALSE', 'last']);
    assert.equal(rows.at(-1)!.line, 705);
  });

  it('stands in for a CSV file with the same columns', async () => {
    const { header, rows } = await openTable(makeBook({ Sales: table }), { type: 'csv', skip_lines: 2 });
    assert.equal(header[0], 'BOROUGH');
    for await (const [first] of rows) assert.equal(first.cells[3], '24');
  });

  it('counts days from 1904 where it says so', async () => {
    const { rows } = await openTable(makeBook({ Sales: table }, true), { type: 'xlsx', skip_lines: 2 });
    for await (const [first] of rows) {
      assert.equal(first.cells[5], '2019-01-02');
      break;
    }
  });

  it('names its sheets when it lacks the one that is asked for', async () => {
    const path = makeBook({ Sales: table });
    await assert.rejects(openTable(path, { type: 'xlsx', sheet: 'Lots' }), /has no sheet "Lots"\. It has Sales/);
  });
});

it('refuses an Access database with what to do, whatever the recipe expects', async () => {
  const path = join(folder, 'sales.mdb');
  writeFileSync(
    path,
    Buffer.concat([Buffer.from('\u0000\u0001\u0000\u0000Standard Jet DB\u0000'), Buffer.alloc(4096)]),
  );
  await assert.rejects(guessFormat(path), /sales\.mdb is an Access database.*mdb-export/);
  for (const type of ['csv', 'xlsx', 'geopackage', 'fixed-width'] as const)
    await assert.rejects(openTable(path, { type }), /sales\.mdb is an Access database, not .*mdb-export/);
});
