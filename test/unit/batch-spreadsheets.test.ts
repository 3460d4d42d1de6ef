// Spreadsheets as people have them: encodings, separators, headers, lost zeros, workbooks, and what is broken in them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRows } from '../../src/delivery/batches/columns.ts';
import { checkItems, readNdjson } from '../../src/delivery/batches/input.ts';
import { readTable } from '../../src/delivery/batches/table.ts';
import { ApiError } from '../../src/base/lib/errors.ts';
import { zip } from '../archives.ts';

const read = async (file: string | Buffer) =>
  checkItems(readRows(await readTable(Buffer.isBuffer(file) ? file : Buffer.from(file))), 1_000).items;
const inputs = async (file: string | Buffer) => (await read(file)).map(({ input }) => input);
const problemOf = async (file: string | Buffer): Promise<string> => {
  const error = await read(file).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ApiError, `not refused: ${String(file).slice(0, 60)}`);
  assert.equal(error.status, 400);
  return error.message;
};

const utf16 = (text: string, isBig: boolean) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

describe('CSV', () => {
  const LINE = { address: '5 Café Ln, Peña, NM 87501' };
  const rows = (separator: string) =>
    ['Street', 'City', 'State', 'Zip'].join(separator) + '\r\n' + ['5 Café Ln', 'Peña', 'NM', '87501'].join(separator);

  it('is read in any encoding and with any separator that spreadsheets write', async () => {
    const files: [name: string, file: Buffer][] = [
      ['UTF-8', Buffer.from(rows(','))],
      ['UTF-8 with a mark', Buffer.from(`\ufeff${rows(',')}`)],
      ['UTF-16 little-endian', utf16(rows('\t'), false)],
      ['UTF-16 big-endian', utf16(rows(';'), true)],
      ['Windows-1252', Buffer.from(rows(';'), 'latin1')],
      ['semicolons', Buffer.from(rows(';'))],
      ['tabs', Buffer.from(rows('\t'))],
      ['bars', Buffer.from(rows('|'))],
      ['a sep= line', Buffer.from(`sep=;\r\n${rows(';')}`)],
      ['a sep= line with a mark', Buffer.from(`\ufeffsep=\t\n${rows('\t')}`)],
      ['old Mac line ends', Buffer.from(rows(',').replace('\r\n', '\r'))],
      ['trailing separators and blank lines', Buffer.from(`${rows(',')},,,\n\n  \n,,\n`)],
    ];
    for (const [name, file] of files) assert.deepEqual(await inputs(file), [LINE], name);
  });

  it('keeps quoted separators, doubled quotes and line breaks in cells', async () => {
    const [item] = await read('address;note\r\n"5 Elm St; Rear";"He said ""yes"",\r\nthen left"\r\n');
    assert.deepEqual(item, {
      custom_id: '0',
      input: { address: '5 Elm St; Rear' },
      metadata: { note: 'He said "yes",\nthen left' },
    });
  });

  it('reads files under the names of other providers, whole or by their ends', async () => {
    const files: [header: string, row: string, input: object][] = [
      [
        'id,formattedAddress,addressLine1,city,state,zipCode,squareFootage',
        '5-Elm,"5 Elm St, Salem, MA 01970",5 Elm St,Salem,MA,1970,900',
        { address: '5 Elm St, Salem, MA 01970' },
      ],
      [
        'addressLine1,addressLine2,city,state,zipCode,assessorID',
        '5 Elm St,Apt 2,Salem,MA,1970,12-3',
        { address: '5 Elm St Apt 2, Salem, MA 01970' },
      ],
      [
        'address.line1,address.line2,address.locality,address.countrySubd,address.postal1',
        '5 Elm St,"Salem, MA 01970",Salem,MA,01970',
        { address: '5 Elm St, Salem, MA 01970' },
      ],
      [
        'line1,line2,locality,countrySubd,postal1',
        '5 Elm St,"Salem, MA 01970",Salem,MA,01970',
        { address: '5 Elm St, Salem, MA 01970' },
      ],
      [
        'identifier.apn,identifier.fips,address.oneLine',
        '12-3,25009,"5 Elm St, Salem, MA"',
        { apn: '12-3', fips: '25009' },
      ],
      ['location.latitude,location.longitude', '42.5,-70.9', { latitude: 42.5, longitude: -70.9 }],
      [
        'address.formatted_street_address,address.city,address.state,address.zip_code,owner.city',
        '5 Elm St,Salem,MA,01970,Boston',
        { address: '5 Elm St, Salem, MA 01970' },
      ],
      [
        'apn_original,apn_unformatted,fips_code,formatted_street_address',
        '12-3,123,25009,5 Elm St',
        { apn: '12-3', fips: '25009' },
      ],
    ];
    for (const [header, row, input] of files) assert.deepEqual(await inputs(`${header}\n${row}\n`), [input], header);
    // Without a name that only ATTOM has, the second line is a unit.
    assert.deepEqual(await inputs('line1,line2,city,state\n5 Elm St,Apt 2,Salem,MA\n'), [
      { address: '5 Elm St Apt 2, Salem, MA' },
    ]);
  });

  it('finds columns by the names people give them', async () => {
    const parts = { address: '5 Elm St Apt 2, Salem, MA 01970' };
    const headers = [
      'street,unit,city,state,zip',
      'Street Address,Apt,Town,ST,Zip Code',
      'ADDRESS1,ADDRESS2,CITY,PROVINCE,POSTAL_CODE',
      'Address Line 1,Address Line 2,Municipality,State/Province,ZIPCODE',
      'address,unit,city,state,zip-5',
    ];
    for (const header of headers)
      assert.deepEqual(await inputs(`${header}\n5 Elm St,Apt 2,Salem,MA,1970\n`), [parts], header);
    const points = ['lat,lon', 'Latitude,Longitude', 'LAT,LNG', 'y,x', 'lat,long'];
    for (const header of points)
      assert.deepEqual(await inputs(`${header}\n42.5,-70.9\n`), [{ latitude: 42.5, longitude: -70.9 }], header);
    for (const header of ['apn,fips', 'Parcel Number,County FIPS', 'PIN,FIPS Code', 'parcel_id,fips'])
      assert.deepEqual(await inputs(`${header}\n12-34,01001\n`), [{ apn: '12-34', fips: '01001' }], header);
    assert.deepEqual(await inputs('apn,fips\n12-34,1001\n'), [{ apn: '12-34', fips: '01001' }]);
    assert.deepEqual(await inputs('APN,County,State\n7,Essex,MA\n'), [{ apn: '7', county: 'Essex', state: 'MA' }]);
  });

  it('takes a column named id for ours or yours by what is in it', async () => {
    assert.deepEqual((await read('id,address\nA7,5 Elm St\n'))[0].custom_id, 'A7');
    assert.deepEqual(await inputs('ID\nprop_r5ezkfe15cecy83jzdz3\n25009:12-34\n'), [
      { property_id: 'prop_r5ezkfe15cecy83jzdz3' },
      { property_id: '25009:12-34' },
    ]);
  });

  it('uses the clearest locator of a row and returns the rest', async () => {
    const [item] = await read(
      'apn,fips,address,lat,lon,x,y,owner\n12-34,25009,"5 Elm St, Salem MA",42.5,-70.9,811000,3020000,Bo\n',
    );
    assert.deepEqual(item.input, { apn: '12-34', fips: '25009' });
    assert.deepEqual(item.metadata, {
      address: '5 Elm St, Salem MA',
      lat: '42.5',
      lon: '-70.9',
      x: '811000',
      y: '3020000',
      owner: 'Bo',
    });
  });

  it('puts back the zeros that ZIP codes lost', async () => {
    for (const [zip, whole] of [
      ['2139', '02139'],
      ['501', '00501'],
      ['2139-1234', '02139-1234'],
      ['02139', '02139'],
      ['53202', '53202'],
      ['M5V 2T6', 'M5V 2T6'],
    ])
      assert.deepEqual(await inputs(`street,state,zip\n5 Elm St,XX,${zip}\n`), [{ address: `5 Elm St, XX ${whole}` }]);
  });

  it('needs no header if each line is one address or property id', async () => {
    assert.deepEqual(
      await inputs('5 Elm St, Salem, MA, 1970\n"7 Oak St, Salem, MA 01970"\nprop_r5ezkfe15cecy83jzdz3\n'),
      [
        { address: '5 Elm St, Salem, MA, 01970' },
        { address: '7 Oak St, Salem, MA 01970' },
        { property_id: 'prop_r5ezkfe15cecy83jzdz3' },
      ],
    );
  });

  it('is refused with its line when it is broken', async () => {
    const cases: [file: string | Buffer, says: RegExp][] = [
      ['address\n"5 Elm St\n7 Oak St\n', /^Line 2: A quote is opened here and never closed/],
      ['address,city\n"a\nb",x\n5 Elm St, Rear, Salem\n', /^Line 4: The row has 3 cells and the header 2/],
      ['address,Address\nx,y\n', /^Line 1: Two columns are named `Address`/],
      ['sep=;\naddress;ADDRESS\nx;y\n', /^Line 2: Two columns/],
      ['street,address1\nx,y\n', /^Line 1: `street` and `address1` both mean street/],
      ['address\n5 Elm\0 St\n', /^Line 2: There is a NUL byte/],
      [Buffer.from('address\n5 Elm St\n', 'utf16le'), /NUL byte/],
      ['address\n"5 Elm St" rear\n', /^Line 2: There is text after a closing quote/],
      ['colour,size\nred,big\n', /^Line 1: None of the columns `colour`, `size`/],
      [
        workbook(`<worksheet><row>${inline('A1', '&constructor;')}</row>`),
        /^Line 1: None of the columns `&constructor;`/,
      ],
      ['lat,lon\n42.5,abc\n', /^Line 2: latitude and longitude must be degrees/],
      ['lat,lon\n42.5,-70\n811000,3020000\n', /^Line 3: latitude and longitude must be degrees/],
      ['address,city\n5 Elm St,Salem\n,Salem\n', /^Line 3: needs one of/],
      ['custom_id,address\na,x\n\na,y\n', /^Line 4: custom_id `a` is used twice/],
      [`address,note\nx,${'n'.repeat(501)}\n`, /^Line 2: metadata `note` has more than 500/],
      [`address,${Array.from({ length: 51 }, (_, i) => `c${i}`).join()}\nx\n`, /51 different metadata names/],
      [`address,${'x,'.repeat(2)}y\n1 Elm St\n`, /^Line 1: Two columns are named `x`/],
      [`${'c,'.repeat(30)}d\nred\n`, /^Line 1: None of the columns (`c`, ){19}`c` … has a name we know/],
      ['', /at least one item/],
      ['address\n', /at least one item/],
      ['%PDF-1.7\n', /a PDF document/],
      ['<!DOCTYPE html><p>', /HTML/],
      ['{"address": "x"}', /JSON; send it/],
      [Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]), /NUL byte|control character/],
      [Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), /old \.xls file/],
    ];
    for (const [file, says] of cases) assert.match(await problemOf(file), says);
  });
});

const workbook = (sheet: string, more: Record<string, string> = {}) =>
  zip({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Homes" sheetId="1" r:id="rId1"/><sheet name="Other" sheetId="2" r:id="rId2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Target="worksheets/sheet2.xml" Id="rId2"/><Relationship Target="worksheets/sheet1.xml" Id="rId1"/></Relationships>',
    'xl/worksheets/sheet1.xml': sheet,
    'xl/worksheets/sheet2.xml': '<worksheet/>',
    ...more,
  });
const inline = (at: string, text: string) => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;

describe('XLSX', () => {
  it('is read from its first sheet: shared and inline strings, numbers, dates, gaps', async () => {
    const file = workbook(
      `<worksheet><sheetData><row r="1">${inline('A1', 'Street')}${inline('B1', 'State')}${inline('C1', 'ZIP')}` +
        `${inline('D1', 'Closing')}${inline('E1', 'Note')}</row>` +
        '<row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c><c r="C3"><v>2139</v></c>' +
        '<c r="D3" s="1"><v>46203</v></c></row></sheetData></worksheet>',
      {
        'xl/sharedStrings.xml': '<sst><si><r><t>5 Elm &amp; </t></r><r><t>Oak St</t></r></si><si><t>MA</t></si></sst>',
        'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
      },
    );
    assert.deepEqual(await read(file), [
      {
        custom_id: '0',
        input: { address: '5 Elm & Oak St, MA 02139' },
        metadata: { Closing: '2026-06-30', Note: '' },
      },
    ]);
  });

  it('is read with prefixed names, and names the row of a mistake', async () => {
    const row = (line: number, text: string) =>
      `<x:row r="${line}"><x:c r="A${line}" t="inlineStr"><x:is><x:t>${text}</x:t></x:is></x:c></x:row>`;
    const sheet = (...rows: string[]) => `<x:worksheet><x:sheetData>${rows.join('')}</x:sheetData></x:worksheet>`;
    assert.deepEqual(await inputs(workbook(sheet(row(1, 'address'), row(2, '5 Elm St')))), [{ address: '5 Elm St' }]);
    const far = `<x:row r="9">${'<x:c r="B9"><x:v>1</x:v></x:c>'}</x:row>`;
    assert.match(
      await problemOf(workbook(sheet(row(1, 'address'), row(2, '5 Elm St'), far))),
      /^Line 9: The row has 2 cells/,
    );
  });

  it('is refused when it is no workbook, damaged, or unpacks to too much', async () => {
    const whole = workbook(`<worksheet><sheetData><row r="1">${inline('A1', 'address')}</row></sheetData></worksheet>`);
    assert.match(await problemOf(zip({ 'a.txt': 'x' })), /not an XLSX workbook/);
    assert.match(await problemOf(whole.subarray(0, whole.length - 30)), /cut off/);
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 45, 90);
    assert.match(await problemOf(damaged), /damaged|not an XLSX/);
    assert.match(await problemOf(workbook('x'.repeat(65 * 1024 * 1024))), /more than 64 MB/);
    const halves = workbook(' '.repeat(40 * 1024 * 1024), { 'xl/sharedStrings.xml': ' '.repeat(40 * 1024 * 1024) });
    assert.match(await problemOf(halves), /more than 64 MB/);
  });

  it('takes no longer than its length, however it is broken', async () => {
    const broken: [part: string, problem: RegExp][] = [
      ['<row>', /at least one item/],
      ['<row r="1"><c>', /at least one item/],
      ['<row><c r="ZZZZZZ1"/></row>', /at least one item/],
      ['<row><c r="XFD1"><v></v></c></row>', /at least one item/],
      ['<row><c r="XFD1"><v>1</v></c></row>', /^Line 306: .*more than 5 million cells/],
      ['<row/>', /at least one item/],
      ['&#x41;', /at least one item/],
    ];
    for (const [part, problem] of broken)
      assert.match(await problemOf(workbook(`<worksheet>${part.repeat(200_000)}`)), problem, part);
    const format = `<numFmts><numFmt numFmtId="1" formatCode="${'['.repeat(3_000_000)}"/></numFmts>`;
    assert.match(await problemOf(workbook('<worksheet>', { 'xl/styles.xml': format })), /at least one item/);
  });

  it('is refused as soon as it has more rows than any batch', async () => {
    const row = `<row>${inline('A1', 'x')}</row>`;
    const files = [`address\n${'x\n'.repeat(300_000)}`, workbook(`<worksheet>${row.repeat(110_000)}`)];
    for (const file of files) {
      const error = await read(file).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof ApiError && error.code === 'batch_too_large');
      assert.equal(error.message, 'A batch has at most 100,000 items.');
    }
    const line = '{"address":"5 Elm St, Salem, MA"}\n';
    const items = readNdjson(`${'\n'.repeat(1_000_000)}${line}`, () => undefined);
    assert.deepEqual(items, [{ item: { address: '5 Elm St, Salem, MA' }, where: 'Line 1000001' }]);
    assert.throws(() => readNdjson(line.repeat(110_000), () => undefined), /at most 100,000 items/);
  });

  it('takes no longer than its length with a header as long as can be', async () => {
    const names = Array.from({ length: 60_000 }, (_, i) => `c${i}`).join();
    assert.match(await problemOf(`address,${names}\n5 Elm St\n`), /different metadata names/);
    assert.match(await problemOf(`address,${names}\n${'5 Elm St\n'.repeat(100)}`), /more than 5 million cells/);
    const wide = `<row>${inline('A1', 'address')}${inline('XFD1', 'note')}</row><row>${inline('A2', '5 Elm St')}</row>`;
    assert.deepEqual(await inputs(workbook(`<worksheet>${wide}`)), [{ address: '5 Elm St' }]);
  });
});
