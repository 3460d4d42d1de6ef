// A dry run: what a recipe would load, told without keeping any of it.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readRecipe } from '../../src/supply/ingest/recipes.ts';
import { scaffoldSource } from '../../src/supply/ingest/scaffold.ts';
import { previewSource } from '../../src/operate/preview/preview.ts';
import { testDeps } from '../harness.ts';

const deps = await testDeps();
const folder = mkdtempSync(join(tmpdir(), 'platbook-preview-'));

writeFileSync(
  join(folder, 'elmville.yaml'),
  `
id: elmville-zy
market: { name: Elmville, state: ZY, description: Invented }
counties: [{ fips: 99702, name: Elm County, state: ZY }]
datasets:
  sales:
    publisher: Elm County
    license: CC0
    published_on: 2026-01-31
    format: { type: csv }
    files: [sales.csv]
    personal: [owner]
    key: { parcel: { text: pin } }
    records:
      - into: properties
        fields:
          address_line1: { upper: address }
          city: { constant: ELMVILLE }
          latitude: { latitude: lat }
          longitude: { longitude: lon }
          sqft: { positive: sqft }
      - { into: owners, fields: { names: { names: [owner] } } }
      - { into: transactions, required: [price], fields: { sale_date: { date: sold }, price: { dollars: price } } }
    layers: [properties, transactions]
`,
);
writeFileSync(
  join(folder, 'sales.csv'),
  [
    'pin,address,lat,lon,sqft,owner,sold,price',
    '1-1,1 Elm St,43.01,-88.01,1500,DOE JANE,2024-05-01,300000',
    '1-2,2 Elm St,43.02,-88.02,,ROE RICHARD,2024-06-01,310000',
    '1-3,3 Elm St,,,1700,POE EDGAR,soon,320000',
  ].join('\n'),
);

describe('a dry run', () => {
  it('reports rows, bad rows by reason, records as the API shows them and a map, and keeps nothing', async () => {
    const before = await deps.data.query('select count(*) from properties');
    // As a dry run that was killed leaves it.
    const orphan = `platbook_scratch_1_${process.pid}`;
    await deps.data.query(`create database ${orphan}`);
    const source = readRecipe(join(folder, 'elmville.yaml'));
    const preview = await previewSource(deps.config, source, {
      from: source.folder!,
      clock: deps.clock,
      cacheFolder: folder,
    });
    const [report] = preview.reports;
    assert.deepEqual(
      [report.rowsRead, report.quarantinedByReason, preview.properties, preview.filled.sqft, preview.filled.latitude],
      [3, { 'not_a_date (sold)': 1 }, 3, 2, 2],
    );
    const [sample] = preview.samples;
    assert.deepEqual(
      [sample.identifiers!.apn, sample.address!.line1, sample.last_sale?.price],
      ['1-1', '1 ELM ST', 300_000],
    );
    assert.match(preview.map, /^<svg .*2 of 3 properties/s);
    assert.equal(/DOE|ROE|POE/.test(JSON.stringify(preview)), false);
    assert.deepEqual((await deps.data.query('select count(*) from properties')).rows, before.rows);
    const scratch = await deps.data.query(
      `select 1 from pg_database where datname like 'platbook_scratch_${process.pid}_%'`,
    );
    assert.equal(scratch.rowCount, 0);
    const left = await deps.data.query('select 1 from pg_database where datname = $1', [orphan]);
    assert.equal(left.rowCount, 0);
  });

  it('shows one property out of several files of a place, as `source new` joins them', async () => {
    const place = { id: 'oakton-va', name: 'Oakton, Virginia', state: 'VA', fips: 51_540, county: 'Oak County' };
    const write = (name: string, header: string, line: (home: number) => string) => {
      const path = join(folder, name);
      writeFileSync(path, [header, ...Array.from({ length: 40 }, (_, home) => line(home))].join('\n'));
      return path;
    };
    const files = [
      write(
        'sold.csv',
        'ParcelNumber,SaleDate,SaleAmount',
        (home) => `0301${100 + home},2017-05-${10 + (home % 9)},250000`,
      ),
      write('roll.csv', 'ParcelNumber,Address,Acreage', (home) => `0301${100 + home},${100 + home} OAK ST,0.2`),
      write(
        'details.csv',
        'ParcelNumber,UseCode,YearBuilt,SqFootageFinishedLiving',
        (home) => `0301${100 + home},${home % 2 === 0 ? 'Duplex' : 'Single Family'},1950,${1500 + home}`,
      ),
    ];
    const { recipe } = await scaffoldSource({ files, cacheFolder: folder, place, today: '2026-11-16' });
    writeFileSync(join(folder, 'oakton.yaml'), recipe);
    const source = readRecipe(join(folder, 'oakton.yaml'));
    const preview = await previewSource(deps.config, source, { from: folder, clock: deps.clock, cacheFolder: folder });
    assert.deepEqual(
      preview.reports.map(({ quarantinedByReason }) => quarantinedByReason),
      [{}, {}, {}],
    );
    assert.deepEqual([preview.properties, preview.filled.sqft, preview.filled.last_sale_price], [40, 40, 40]);
    const types = preview.samples.map(({ property_type: type }) => type);
    assert.ok(
      types.length > 0 && types.every((type) => type === 'multi_family' || type === 'single_family'),
      `${types}`,
    );
  });

  it('places every property at an address, however many rows are about it', async () => {
    const place = { id: 'ashford-ny', name: 'Ashford, New York', state: 'NY', fips: 36_029, county: 'Ash County' };
    const path = (name: string, lines: string[]) => {
      writeFileSync(join(folder, name), lines.join('\n'));
      return join(folder, name);
    };
    // Two parcels at each address, and three rows about each of them.
    const homes = Array.from({ length: 40 }, (_, home) => `${100 + (home >> 1)} ASH`);
    const files = [
      path('parcels.csv', ['SBL,Address,SQFT', ...homes.map((line, i) => `111.40-4-${100 + i},${line},${1500 + i}`)]),
      path('points.csv', ['address,lat,lng', ...[...homes, ...homes, ...homes].map((line) => `${line},42.9,-78.8`)]),
    ];
    const { recipe } = await scaffoldSource({ files, cacheFolder: folder, place, today: '2026-11-16' });
    writeFileSync(join(folder, 'ashford.yaml'), recipe);
    const source = readRecipe(join(folder, 'ashford.yaml'));
    const preview = await previewSource(deps.config, source, { from: folder, clock: deps.clock, cacheFolder: folder });
    assert.deepEqual([preview.properties, preview.filled.latitude], [40, 40]);
    assert.equal(preview.reports[1].targets.properties!.updated, 40);
  });

  it('says how many coordinates lie outside the state', async () => {
    const elsewhere = readFileSync(join(folder, 'elmville.yaml'), 'utf8').replaceAll('state: ZY', 'state: OH');
    writeFileSync(join(folder, 'elsewhere.yaml'), elsewhere);
    const source = readRecipe(join(folder, 'elsewhere.yaml'));
    const preview = await previewSource(deps.config, source, { from: folder, clock: deps.clock, cacheFolder: folder });
    const { findings } = preview.reports[0];
    const outside = findings!.find(({ id }) => id === 'outside-state')!;
    assert.deepEqual([outside.severity, outside.count, outside.total], ['warn', 2, 2]);
  });
});
