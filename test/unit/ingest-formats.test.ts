// Files as counties publish them: GeoPackage, Parquet, archives, projections, and files that are not what they say.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import proj4 from 'proj4';
import { centroidOf } from '../../src/supply/ingest/read/geometry.ts';
import { projectionNamed } from '../../src/base/lib/projection.ts';
import type { Row } from '../../src/supply/ingest/read/rows.ts';
import { openTable } from '../../src/supply/ingest/read/table.ts';
import { scaffoldSource } from '../../src/supply/ingest/scaffold.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import type { FileFormat } from '../../src/supply/ingest/source.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-formats-'));
const PLACE = { id: 'elmville-nc', name: 'Elmville, North Carolina', state: 'NC', fips: 37_063, county: 'Elm County' };
/** North Carolina state plane in feet, and a point of Durham in it. */
const STATE_PLANE =
  '+proj=lcc +lat_1=36.16666666666666 +lat_2=34.33333333333334 +lat_0=33.75 +lon_0=-79 +x_0=609601.2192024384 +y_0=0 +datum=NAD83 +units=us-ft +no_defs';
const DURHAM = { longitude: -78.8986, latitude: 35.994 };
const [EASTING, NORTHING] = proj4(STATE_PLANE).forward([DURHAM.longitude, DURHAM.latitude]);

async function read(path: string, format: FileFormat) {
  const { header, rows } = await openTable(path, format);
  const all: Row[] = [];
  for await (const batch of rows) all.push(...batch);
  return { header, rows: all };
}

function wkbSquare(x: number, y: number, size: number): Buffer {
  const corners = [
    [x - size, y - size],
    [x - size, y + size],
    [x + size, y + size],
    [x + size, y - size],
    [x - size, y - size],
  ];
  const bytes = Buffer.alloc(13 + corners.length * 16);
  bytes.writeUInt8(1, 0);
  bytes.writeUInt32LE(3, 1);
  bytes.writeUInt32LE(1, 5);
  bytes.writeUInt32LE(corners.length, 9);
  corners.forEach(([a, b], i) => {
    bytes.writeDoubleLE(a, 13 + i * 16);
    bytes.writeDoubleLE(b, 21 + i * 16);
  });
  return bytes;
}

function isDurham(row: Row): boolean {
  const { latitude, longitude } = centroidOf(row.geometry!);
  return Math.abs(latitude - DURHAM.latitude) < 1e-5 && Math.abs(longitude - DURHAM.longitude) < 1e-5;
}

describe('a GeoPackage', () => {
  const path = join(folder, 'parcels.gpkg');
  const database = new DatabaseSync(path);
  database.exec(`
    create table gpkg_contents (table_name text, data_type text);
    create table gpkg_geometry_columns (table_name text, column_name text, srs_id integer);
    create table gpkg_spatial_ref_sys (srs_id integer, organization text, organization_coordsys_id integer, definition text);
    insert into gpkg_contents values ('parcels', 'features');
    insert into gpkg_geometry_columns values ('parcels', 'geom', 2264);
    insert into gpkg_spatial_ref_sys values (2264, 'EPSG', 2264, '');
    create table parcels (fid integer primary key, geom blob, PIN text, ACRES real)`);
  const header = Buffer.from([0x47, 0x50, 0, 1, 0, 0, 0, 0]);
  database
    .prepare('insert into parcels values (1, ?, ?, 0.5)')
    .run(Buffer.concat([header, wkbSquare(EASTING, NORTHING, 100)]), '0821-12-34-5678');
  database.close();

  it('is read with its shapes in degrees, by the projection it states', async () => {
    const { header: names, rows } = await read(path, { type: 'geopackage' });
    assert.deepEqual(
      [names, rows[0].cells],
      [
        ['fid', 'PIN', 'ACRES'],
        ['1', '0821-12-34-5678', '0.5'],
      ],
    );
    assert.ok(isDurham(rows[0]));
  });

  it('names its tables when another is wanted', async () => {
    await assert.rejects(read(path, { type: 'geopackage', layer: 'lots' }), /has no table lots; it has parcels/);
  });
});

describe('a Parquet file', () => {
  it('is read with text, numbers, dates, nothing and shapes', async () => {
    const path = join(folder, 'sales.parquet');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const hex = wkbSquare(EASTING, NORTHING, 50).toString('hex');
    await connection.run(
      `copy (select 'A-1' as pin, 350000 as price, date '2024-05-01' as sold, null::varchar as note, from_hex('${hex}') as geometry)
       to '${path}' (format parquet)`,
    );
    connection.closeSync();
    instance.closeSync();
    const { header, rows } = await read(path, { type: 'parquet', projection: 'EPSG:2264' });
    assert.deepEqual(
      [header, rows[0].cells],
      [
        ['pin', 'price', 'sold', 'note'],
        ['A-1', '350000', '2024-05-01', ''],
      ],
    );
    assert.ok(isDurham(rows[0]));
  });
});

describe('coordinates', () => {
  it('become degrees from an EPSG code, proj4 text or the text of a .prj file', () => {
    const esri =
      'PROJCS["NAD_1983_StatePlane_North_Carolina_FIPS_3200_Feet",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",2000000.002616666],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-79.0],PARAMETER["Standard_Parallel_1",34.33333333333334],PARAMETER["Standard_Parallel_2",36.16666666666666],PARAMETER["Latitude_Of_Origin",33.75],UNIT["Foot_US",0.3048006096012192]]';
    for (const name of ['EPSG:2264', '2264', STATE_PLANE, esri]) {
      const [longitude, latitude] = projectionNamed(name)!(EASTING, NORTHING);
      assert.ok(
        Math.abs(longitude - DURHAM.longitude) < 1e-5 && Math.abs(latitude - DURHAM.latitude) < 1e-5,
        `${name.slice(0, 20)} ${longitude} ${latitude}`,
      );
    }
    assert.equal(projectionNamed('EPSG:4326'), undefined);
    assert.equal(projectionNamed('EPSG:4269'), undefined);
  });
});

describe('a file that is not what it says', () => {
  const page = '<!DOCTYPE html><html><body>Please sign in</body></html>';
  const cases: [name: string, content: Buffer | string, type: FileFormat['type'], message: RegExp][] = [
    ['roll.csv.gz', gzipSync(page), 'csv', /^roll\.csv\.gz is a web page, not a csv file\./],
    ['roll.csv', page, 'csv', /^roll\.csv is a web page/],
    ['roll.xlsx', page, 'xlsx', /^roll\.xlsx is a web page, not an XLSX workbook\./],
    ['roll.geojson', page, 'geojson', /^roll\.geojson is a web page/],
    ['empty.csv', '', 'csv', /^empty\.csv is empty/],
    ['report.csv', '%PDF-1.7 …', 'csv', /^report\.csv is a PDF document/],
    [
      'cut.geojson',
      '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"coordinates":[,]}}]}',
      'geojson',
      /^cut\.geojson cannot be read: /,
    ],
  ];
  for (const [name, content, type, message] of cases) {
    it(`is refused by its name in one sentence: ${name}`, async () => {
      writeFileSync(join(folder, name), content);
      await assert.rejects(read(join(folder, name), { type }), (error: Error) => message.test(error.message));
    });
  }
});

describe('a new recipe from a file', () => {
  const lines = Array.from({ length: 300 }, (_, i) =>
    [
      `08${String(i).padStart(2, '0')}-12-${1000 + i}`,
      `${100 + i} Elm St`,
      `OWNER ${i}`,
      `PO BOX ${i}`,
      i % 3 === 0 ? 'CONDO' : 'SINGLE FAMILY',
      1200 + i,
      0.25 + i / 1000,
      3,
      2,
      1950 + (i % 60),
      `${1 + (i % 12)}/15/2024`,
      `"$${200 + i},000"`,
    ].join(','),
  );
  const path = join(folder, 'county.csv');
  writeFileSync(
    path,
    `PARCEL_ID,SITUS_ADDRESS,OWNER_NAME,MAIL_ADDR,LAND_USE_DESC,HEATED_SQFT,ACRES,BEDROOMS,BATHS,YEAR_BUILT,SALE_DATE,SALE_PRICE\n${lines.join('\n')}\n`,
  );
  const scaffold = () => scaffoldSource({ files: [path], cacheFolder: folder, place: PLACE, today: '2026-11-16' });

  it('knows the columns by their names and cells, and what it is not sure of', async () => {
    const [{ columns }] = (await scaffold()).files;
    const roles = Object.fromEntries(columns.map(({ column, role, certainty }) => [column, `${certainty} ${role}`]));
    assert.deepEqual(roles, {
      PARCEL_ID: 'sure parcel',
      SITUS_ADDRESS: 'sure address_line1',
      OWNER_NAME: 'sure owner',
      MAIL_ADDR: 'personal null',
      LAND_USE_DESC: 'sure land_use',
      HEATED_SQFT: 'sure sqft',
      ACRES: 'sure lot_acres',
      BEDROOMS: 'sure bedrooms',
      BATHS: 'sure bathrooms',
      YEAR_BUILT: 'sure year_built',
      SALE_DATE: 'sure sale_date',
      SALE_PRICE: 'sure sale_price',
    });
  });

  it('is valid as written, and shows no names', async () => {
    const { recipe } = await scaffold();
    const source = parseRecipe(recipe, 'new.yaml');
    const [dataset] = source.datasets;
    assert.deepEqual(
      dataset.records.map(({ into }) => into),
      ['properties', 'transactions', 'owners'],
    );
    assert.deepEqual(dataset.personal, ['OWNER_NAME', 'MAIL_ADDR']);
    assert.equal(/OWNER \d|PO BOX/.test(recipe), false);
  });

  it('says nothing about a file it cannot read but its name', async () => {
    const page = join(folder, 'page.csv.gz');
    writeFileSync(page, gzipSync('<html>no</html>'));
    await assert.rejects(
      scaffoldSource({ files: [page], cacheFolder: folder, place: PLACE, today: '2026-11-16' }),
      /^Error: page\.csv\.gz is a web page; it holds no table that can be read\. Downloads often turn into a page [a-z ]+\.$/,
    );
    assert.ok(readFileSync(page).length > 0);
  });
});
