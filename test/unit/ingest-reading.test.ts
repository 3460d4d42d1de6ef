// Reading publishers' files: messy CSV, workbooks, GeoJSON, TopoJSON, shapefiles, and cell values.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readSources } from '../../sources/sources.ts';
import { missingColumns } from '../../src/supply/ingest/map/columns.ts';
import { fetchFiles } from '../../src/supply/ingest/fetch/fetch.ts';
import { centroidOf } from '../../src/supply/ingest/read/geometry.ts';
import { compileMap } from '../../src/supply/ingest/map/map.ts';
import { projectionNamed } from '../../src/base/lib/projection.ts';
import type { Row } from '../../src/supply/ingest/read/rows.ts';
import type { FileFormat } from '../../src/supply/ingest/source.ts';
import { openTable } from '../../src/supply/ingest/read/table.ts';
import { stagedColumns } from '../../src/supply/ingest/map/targets.ts';
import { endOfPeriod, readDate, readNumber, readText } from '../../src/supply/ingest/map/values.ts';
import { dbf, shp, zip } from '../archives.ts';

const opportunityZones = readSources().find(({ id }) => id === 'us-opportunity-zones')!;
const folder = mkdtempSync(join(tmpdir(), 'platbook-reading-'));

async function read(name: string, content: string | Buffer, format: FileFormat) {
  const path = join(folder, name);
  writeFileSync(path, content);
  const { header, rows } = await openTable(path, format);
  const all: Row[] = [];
  for await (const batch of rows) all.push(...batch);
  return { header, rows: all, cells: all.map((row) => row.cells) };
}

describe('CSV', () => {
  it('reads quotes, commas and line breaks inside cells, and counts lines', async () => {
    const { cells, rows } = await read('a.csv', 'a,b\r\n"1,5","say ""hi""\nthere"\r\n2,\r\n', { type: 'csv' });
    assert.deepEqual(cells, [
      ['1,5', 'say "hi"\nthere'],
      ['2', ''],
    ]);
    assert.deepEqual(
      rows.map((row) => row.line),
      [2, 4],
    );
  });

  it('strips a byte-order mark and decompresses gzip whatever the name says', async () => {
    const { header, cells } = await read('b.csv', gzipSync('\uFEFFkey,name\n1,Ä\n'), { type: 'csv' });
    assert.deepEqual([header, cells], [['key', 'name'], [['1', 'Ä']]]);
  });

  it('reads a file that mixes UTF-8 and Windows-1252', async () => {
    const bytes = Buffer.concat([
      Buffer.from('n\nCafé\nCaf'),
      Buffer.from([0xe9]),
      Buffer.from('\nrue \x96\n', 'latin1'),
    ]);
    assert.deepEqual((await read('c.csv', bytes, { type: 'csv' })).cells, [['Café'], ['Café'], ['rue –']]);
  });

  it('reads UTF-16, tabs, preambles and files without a header', async () => {
    const wide = Buffer.from('\uFEFFa\tb\n1\tß\n', 'utf16le');
    assert.deepEqual((await read('d.tsv', wide, { type: 'tsv' })).cells, [['1', 'ß']]);
    const preamble = await read('e.csv', ',Title,\nnote,,\n"Click\n\nState",Tract,x\nAL,01,y\n', {
      type: 'csv',
      skip_lines: 2,
    });
    assert.deepEqual([preamble.header, preamble.cells], [['Click State', 'Tract', 'x'], [['AL', '01', 'y']]]);
    assert.deepEqual((await read('f.csv', '1,2\n3,4\n', { type: 'csv', header: ['a', 'b'] })).cells.length, 2);
  });

  it('loses one row, not the file, to a quote that never closes', async () => {
    const { cells } = await read('g.csv', 'a,b\n"open,1\n2,3\n4,5\n', { type: 'csv' });
    assert.deepEqual(cells.slice(-2), [
      ['2', '3'],
      ['4', '5'],
    ]);
  });

  it('yields the same rows however the bytes are split', async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `${i},"a ""${i}"",\n b",é`);
    const { cells } = await read('h.csv', `x,y,z\n${lines.join('\n')}\n`, { type: 'csv' });
    assert.equal(cells.length, 30_000);
    assert.deepEqual(cells[29_999], ['29999', 'a "29999",\n b', 'é']);
  });
});

describe('values', () => {
  it('reads blanks between thousands, and takes two numbers in a cell for none', () => {
    assert.equal(readNumber('$ 1 234 567'), 1_234_567);
    for (const two of ['2366 80', '421360 461360', '1200\n900', '2 1'])
      assert.throws(() => readNumber(two), /not_a_number/, two);
  });

  it('reads money, and treats NULL, dashes and blanks as nothing', () => {
    assert.deepEqual(
      ['$357,000', '950000.00', '(12)', '1.03529e+006', '$93,700\u00a0'].map((cell) => readNumber(cell)),
      [357_000, 950_000, -12, 1_035_290, 93_700],
    );
    for (const nothing of ['', ' ', 'NULL', '-', '\u00a0', 'NA', '#N/A', '<Null>', '\\N', 'nan'])
      assert.equal(readText(nothing), null, nothing);
    assert.throws(() => readNumber('abc'), { code: 'not_a_number' });
    const feet = [
      '1,570 sf',
      '1570SF',
      '1,570 Sq. Ft.',
      '1570 sqft',
      '1570 square feet',
      '1570 sq ft',
      '1570ft²',
      '1,570 S.F.',
    ];
    for (const cell of feet) assert.equal(readNumber(cell), 1570, cell);
    for (const cell of ['0.25 AC', '.25 acres', '0.25ac.', '0.25 Acre', '0.25'])
      assert.equal(readNumber(cell, 'acres'), 0.25, cell);
    for (const cell of ['0.25 AC', '12 beds', 'sf', '3 of 4', '100x50'])
      assert.throws(() => readNumber(cell), { code: 'not_a_number' }, cell);
    assert.throws(() => readNumber('8,712 sf', 'acres'), { code: 'not_a_number' });
  });

  it('reads every spelling of a date, and keeps a month a month', () => {
    const day = (date: string) => ({ date, precision: 'day' });
    assert.deepEqual(readDate('3/11/2019'), day('2019-03-11'));
    assert.deepEqual(readDate('2022-04-01'), day('2022-04-01'));
    assert.deepEqual(readDate('20141013T000000'), day('2014-10-13'));
    assert.deepEqual(readDate('2016-06-16 00:00:00.000'), day('2016-06-16'));
    assert.deepEqual(readDate('3/1/23 16:51'), day('2023-03-01'));
    assert.deepEqual(readDate('/Date(1349913600000)/'), day('2012-10-11'));
    assert.deepEqual(readDate('1349913600000'), day('2012-10-11'));
    for (const spelling of [
      '08-18-2005',
      '8-18-05',
      '08182005',
      '20050818.0',
      '18-AUG-05',
      '18 August 2005',
      'Aug 18, 2005',
      'August 18 2005',
      'Thu Aug 18 00:00:00 EDT 2005',
    ])
      assert.deepEqual(readDate(spelling), day('2005-08-18'), spelling);
    for (const spelling of ['2013-01', '2013/01', '1/2013', 'Jan-13', 'January 2013'])
      assert.deepEqual(readDate(spelling), { date: '2013-01-01', precision: 'month' }, spelling);
    for (const bad of ['2013-02-30', '13/13/2013', '13452013', '5-Foo-2013', 'soon'])
      assert.throws(() => readDate(bad), { code: 'not_a_date' });
  });

  it('knows when a period is over', () => {
    assert.equal(endOfPeriod({ date: '2013-12-01', precision: 'month' }), '2014-01-01');
    assert.equal(endOfPeriod({ date: '2013-01-01', precision: 'year' }), '2014-01-01');
  });
});

const SQUARE = [
  [0, 0],
  [0, 2],
  [2, 2],
  [2, 0],
  [0, 0],
];

describe('maps', () => {
  it('reads a list of objects without shapes, and a line of each', async () => {
    const homes = [
      { parcelid: 'R72 06703', at: { lat: '39.7' }, note: '[{' },
      { parcelid: 'R72 06704', owed: 12 },
    ];
    const cells = [
      ['R72 06703', '{"lat":"39.7"}', '[{', '', ''],
      ['R72 06704', '', '', '12', ''],
    ];
    const lines = homes.map((home) => JSON.stringify(home)).join('\r\n');
    for (const text of [JSON.stringify(homes), JSON.stringify(homes, null, 2), `\uFEFF${lines}\n`]) {
      const file = await read('homes.json', text, { type: 'geojson' });
      assert.deepEqual([file.header, file.cells], [['parcelid', 'at', 'note', 'owed', '$id'], cells]);
    }
    assert.deepEqual((await read('error.json', '{"error":{"code":500}}', { type: 'geojson' })).cells, []);
  });

  it('reads GeoJSON feature by feature, with members in any order and braces in text', async () => {
    const features = Array.from({ length: 700 }, (_, i) => ({
      geometry: { coordinates: [SQUARE], type: 'Polygon' },
      properties: { n: i, odd: '}{"\\"' },
      type: 'Feature',
    }));
    const { header, rows } = await read(
      'a.geojson',
      JSON.stringify({ type: 'FeatureCollection', name: 'x', features }),
      { type: 'geojson' },
    );
    assert.equal(rows.length, 700);
    assert.deepEqual(
      [header, rows[699].cells],
      [
        ['n', 'odd', '$id'],
        ['699', '}{"\\"', ''],
      ],
    );
    assert.deepEqual(centroidOf(rows[0].geometry!), { latitude: 1, longitude: 1 });
  });

  it('reads TopoJSON with shared, reversed and delta-encoded arcs', async () => {
    const topology = {
      type: 'Topology',
      transform: { scale: [0.5, 0.5], translate: [10, 20] },
      arcs: [
        [
          [0, 0],
          [4, 0],
          [0, 4],
        ],
        [
          [4, 4],
          [-4, 0],
          [0, -4],
        ],
        [
          [0, 0],
          [0, 4],
          [4, 0],
        ],
      ],
      objects: {
        lots: {
          type: 'GeometryCollection',
          geometries: [
            { type: 'Polygon', arcs: [[0, 1]], properties: { ML: '1-2' } },
            { type: 'Polygon', arcs: [[2, -1]], properties: {} },
          ],
        },
      },
    };
    const { rows } = await read('a.topojson', JSON.stringify(topology), { type: 'topojson' });
    assert.deepEqual(rows[0].cells, ['1-2', '']);
    assert.deepEqual(centroidOf(rows[0].geometry!), { latitude: 21, longitude: 11 });
    assert.deepEqual(rows[1].geometry, {
      type: 'polygons',
      polygons: [
        [
          [
            [10, 20],
            [10, 22],
            [12, 22],
            [12, 22],
            [12, 20],
            [10, 20],
          ].toSpliced(3, 1),
        ],
      ],
    });
  });

  it('reads a shapefile with a hole from its .shp and .dbf', async () => {
    const hole = [
      [0.5, 0.5],
      [1, 0.5],
      [1, 1],
      [0.5, 1],
      [0.5, 0.5],
    ];
    writeFileSync(join(folder, 'zones.dbf'), dbf(['FLD_ZONE', 'SFHA_TF'], [['AE', 'T']]));
    const { header, rows } = await read('zones.shp', shp([[SQUARE, hole]]), { type: 'shapefile' });
    assert.deepEqual(
      [header, rows[0].cells],
      [
        ['FLD_ZONE', 'SFHA_TF'],
        ['AE', 'T'],
      ],
    );
    assert.equal(rows[0].geometry?.type === 'polygons' && rows[0].geometry.polygons[0].length, 2);
  });

  it('converts state plane coordinates back to degrees', () => {
    // A corner with a known location: Milwaukee City Hall, 43.0418 N 87.9097 W.
    const [longitude, latitude] = projectionNamed('EPSG:32054')!(2_558_760, 387_340);
    assert.ok(Math.abs(longitude + 87.91) < 0.02 && Math.abs(latitude - 43.04) < 0.03, `${longitude} ${latitude}`);
    assert.throws(() => projectionNamed('EPSG:1'), /Unknown projection/);
  });
});

describe('workbooks', () => {
  it('reads shared strings, numbers, dates, gaps and lines above the header', async () => {
    const workbook = zip({
      'xl/workbook.xml': '<workbook><sheets><sheet name="Sales" sheetId="1" r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
      'xl/sharedStrings.xml': '<sst><si><t>SALE DATE</t></si><si><r><t>A &amp; </t></r><r><t>B</t></r></si></sst>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Title</t></is></c></row>' +
        '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="inlineStr"><is><t>PRICE</t></is></c><c r="C2" t="inlineStr"><is><t>NAME</t></is></c></row>' +
        '<row r="3"><c r="A3" s="1"><v>44561</v></c><c r="C3" t="s"><v>1</v></c></row><row r="4"><c r="B4"><v>12.5</v></c></row></sheetData></worksheet>',
    });
    const { header, cells } = await read('a.xlsx', workbook, { type: 'xlsx', skip_lines: 1 });
    assert.deepEqual(header, ['SALE DATE', 'PRICE', 'NAME']);
    assert.deepEqual(cells, [
      ['2021-12-31', '', 'A & B'],
      ['', '12.5', ''],
    ]);
  });

  it('are told from CSV by their first bytes: the list of opportunity zones as the Fund offers it', async () => {
    const cell = (at: string, text: string) => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;
    const above = [1, 2, 3, 4].map((line) => `<row r="${line}">${cell(`B${line}`, 'Designated')}</row>`).join('');
    const workbook = zip({
      'xl/workbook.xml': '<workbook><sheets><sheet name="QOZs" sheetId="1" r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/worksheets/sheet1.xml':
        `<worksheet><sheetData>${above}<row r="5">${cell('A5', 'Click arrow to filter state\n\nState')}${cell('B5', 'County')}` +
        `${cell('C5', 'Census Tract Number')}${cell('D5', 'Tract Type')}${cell('E5', 'ACS Data Source')}</row>` +
        `<row r="6">${cell('A6', 'Alabama')}${cell('B6', 'Autauga')}<c r="C6"><v>1001020700</v></c>${cell('D6', 'Low-Income Community')}</row>` +
        '</sheetData></worksheet>',
    });
    const dataset = opportunityZones.datasets[0];
    const { header, rows } = await read('designated-qozs.12.14.18.xlsx', workbook, dataset.format);
    assert.deepEqual(missingColumns(header, dataset), []);
    const context = {
      source: opportunityZones,
      dataset,
      stamper: undefined,
      file: 'f',
      publishedOn: dataset.publishedOn,
      fileRank: 1,
    };
    const [{ values }] = compileMap(header, context)(rows[0]).records;
    const zone = Object.fromEntries(stagedColumns(dataset, 'opportunity_zones').map((name, i) => [name, values[i]]));
    assert.deepEqual([zone.fips, zone.tract_geoid, zone.tract_type], [1001, '01001020700', 'Low-Income Community']);
    const place = { from: folder, cache: folder };
    assert.equal((await fetchFiles(dataset, dataset.files, place))[0].name, 'designated-qozs.12.14.18.xlsx');
  });
});

describe('JSON', () => {
  it('reads a list of lists, names first', async () => {
    const answer = '[["NAME","B01003_001E","state"],\n["Census Tract 1","4000","55"],\n["Census Tract 2",null,"55"]]';
    const { header, rows } = await read('acs.json', answer, { type: 'json' });
    assert.deepEqual(header, ['NAME', 'B01003_001E', 'state']);
    assert.deepEqual(
      rows.map((row) => [row.line, ...row.cells]),
      [
        [2, 'Census Tract 1', '4000', '55'],
        [3, 'Census Tract 2', '', '55'],
      ],
    );
  });
});
