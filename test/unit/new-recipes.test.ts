// Recipes begun from files in the shapes that counties publish: several files, cut names, state plane, months without years.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import proj4 from 'proj4';
import { addresses } from '../../src/records/address/filing.ts';
import { fetchFiles } from '../../src/supply/ingest/fetch/fetch.ts';
import { compileMap } from '../../src/supply/ingest/map/map.ts';
import { stagedColumns } from '../../src/supply/ingest/map/targets.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { centroidOf } from '../../src/supply/ingest/read/geometry.ts';
import { epsgDefinition } from '../../src/base/lib/epsg.ts';
import type { Row } from '../../src/supply/ingest/read/rows.ts';
import { openTable } from '../../src/supply/ingest/read/table.ts';
import { scaffoldSource } from '../../src/supply/ingest/scaffold.ts';
import type { Dataset, Source } from '../../src/supply/ingest/source.ts';

const TODAY = '2026-11-16';
const HOMES = 60;

type Line = (home: number) => Record<string, string | number>;

function write(folder: string, name: string, line: Line, count = HOMES): string {
  const lines = Array.from({ length: count }, (_, home) => line(home));
  const cell = (value: string | number) =>
    /,/.test(String(value)) && !String(value).startsWith('"') ? `"${value}"` : value;
  const text = [Object.keys(lines[0]).join(','), ...lines.map((each) => Object.values(each).map(cell).join(','))];
  const path = join(folder, name);
  writeFileSync(path, `${text.join('\n')}\n`);
  return path;
}

async function scaffold(
  files: Record<string, Line>,
  { state = 'NC', count = HOMES, named = 'Elmville, Somewhere' } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-new-'));
  const paths = Object.entries(files).map(([name, line]) => write(folder, name, line, count));
  const place = { id: 'elmville', name: named, state, fips: 37_063, county: 'Elm County' };
  const {
    recipe,
    missing,
    findings,
    files: reports,
  } = await scaffoldSource({ files: paths, cacheFolder: folder, place, today: TODAY, addresses });
  const source = parseRecipe(recipe, 'new.yaml');
  const roles = Object.assign({}, ...reports.map(({ columns }) => rolesOf(columns))) as Record<string, string>;
  return { folder, recipe, missing, findings, columns: reports.flatMap(({ columns }) => columns), source, roles };
}

const rolesOf = (columns: { column: string; role: string | null }[]) =>
  Object.fromEntries(columns.flatMap(({ column, role }) => (role ? [[role, column]] : [])));

/** What the first row of a dataset becomes, by target. */
async function firstRow(source: Source, dataset: Dataset, folder: string) {
  const { header, rows } = await openTable(join(folder, dataset.files[0].path), dataset.format);
  const context = { source, dataset, file: 'f', publishedOn: dataset.publishedOn, fileRank: 1 };
  const map = compileMap(header, { ...context, stamper: undefined });
  for await (const [row] of rows) {
    const { records, problems } = map(row);
    assert.deepEqual(problems, []);
    return Object.fromEntries(
      records.map(({ target, values }) => [
        target,
        Object.fromEntries(stagedColumns(dataset, target).map((name, i) => [name, values[i]])),
      ]),
    );
  }
  throw new Error('no rows');
}

describe('a recipe from several files of a place', () => {
  const files: Record<string, Line> = {
    'Sales.csv': (home) => ({
      ParcelNumber: `0300${100 + home}`,
      SaleDate: home % 5 === 0 ? '1900-01-01T00:00:00.000Z' : `20${10 + (home % 8)}-05-02T00:00:00.000Z`,
      SaleAmount: 100_000 + home * 1000,
      BookPage: `${home}:12`,
    }),
    'Roll.csv': (home) => ({
      ParcelNumber: `0300${100 + home}`,
      Address: `${100 + home} ELM ST`,
      StateCode: home % 4 === 0 ? '4.0 Commercial' : '1.0 Residential',
      Acreage: 0.2,
    }),
    'Details.csv': (home) => ({
      ParcelNumber: `0300${100 + home}`,
      UseCode: ['Single Family', 'Duplex', 'Condominium'][home % 3],
      YearBuilt: 1950 + home,
      NoOfStories: '1.50',
      HalfBathrooms: 1,
      FullBathrooms: 2,
      SqFootageFinishedLiving: 1200 + home,
    }),
  };

  it('has a dataset for each, what is sold after what is described, and one that tells the types', async () => {
    const { source } = await scaffold(files, { state: 'VA' });
    assert.deepEqual(
      source.datasets.map(({ id, records }) => [id, ...records.map(({ into }) => into)]),
      [
        ['elmville/roll', 'properties'],
        ['elmville/details', 'properties'],
        ['elmville/sales', 'transactions'],
      ],
    );
    const types = source.datasets.map(({ records }) => 'property_type' in records[0].fields);
    assert.deepEqual(types, [false, true, false]);
    const cities = source.datasets.map(({ records }) => 'city' in records[0].fields);
    assert.deepEqual(cities, [true, false, false]);
  });

  it('was published with the newest date in any of them, and takes a date of 1900 for none', async () => {
    const { source, folder } = await scaffold(files, { state: 'VA' });
    assert.deepEqual(new Set(source.datasets.map(({ publishedOn }) => publishedOn)), new Set(['2017-05-02']));
    assert.deepEqual(await firstRow(source, source.datasets[2], folder), {});
    const { properties } = await firstRow(source, source.datasets[1], folder);
    assert.deepEqual([properties.sqft, properties.bathrooms, properties.stories], [1200, 2.5, 1.5]);
  });
});

describe('a recipe from a file with parcel numbers and one with addresses', () => {
  it('joins them by address, and lets only the first make properties', async () => {
    const { source, folder } = await scaffold({
      'points.csv': (home) => ({ address: `${100 + home} Elm, Elmville`, lat: 42.9 + home / 1e4, lng: -78.89 }),
      'sales.csv': (home) => ({
        Address: `${100 + home} ELM, Elmville`,
        'SBL #': `111.40-4-${100 + home}`,
        'Sale Price': '"$67,183 "',
        'Sale Date': '6/19/2016',
        'Lot Size': '65.5 x 92',
        SQFT: '"1,536"',
      }),
    });
    const [sales, points] = source.datasets;
    assert.deepEqual(
      sales.records.map(({ into }) => into),
      ['properties', 'property_keys', 'transactions'],
    );
    assert.deepEqual(
      points.records.map(({ into, creates }) => [into, creates]),
      [['properties', false]],
    );
    const one = await firstRow(source, sales, folder);
    assert.equal(one.properties.lot_sqft, 6026);
    const joined = await firstRow(source, points, folder);
    assert.deepEqual([joined.properties.join_key, one.property_keys.key], ['100 ELM', '100 ELM']);
  });

  it('joins them by the whole address, of which a street on both sides of a line has a prefix', async () => {
    const { source, folder } = await scaffold({
      'points.csv': (home) => ({
        X: -77.05,
        Y: 38.8 + home / 1e4,
        FULL_ADDS: `${100 + home} N ELM ST`,
        STPFX: 'N',
        STNAME: ['ELM', 'OAK', 'ASH', 'FIR', 'YEW', 'BAY'][home % 6],
        STTYPE: 'ST',
        STNUM: 100 + home,
      }),
      'parcels.csv': (home) => ({ ACCOUNTNO: `1459${1000 + home}`, ADDRESS_GI: `${100 + home} N ELM ST`, SQFT: 1500 }),
    });
    const points = source.datasets.find(({ id }) => id.endsWith('points'))!;
    assert.equal((await firstRow(source, points, folder)).properties.join_key, '100 N ELM ST');
  });
});

describe('a recipe from a file', () => {
  it('looks for the newest date beyond the rows it samples, and not at mistyped years', async () => {
    const { source } = await scaffold(
      {
        'sales.csv': (home) => ({
          PIN: `${100_000 + home}`,
          SALE_DATE: home === 20_400 ? '06/30/2020' : home % 20_100 === 7 ? '01/15/2024' : '01/15/2020',
          SALE_PRICE: 250_000,
        }),
      },
      { count: 20_500 },
    );
    assert.equal(source.datasets[0].publishedOn, '2020-06-30');
  });

  it('takes the year of a sale from its own column, to the end of the newest', async () => {
    const { source } = await scaffold({
      'sales.csv': (home) => ({
        PID: `5${100_000 + home}`,
        'Yr Sold': 2006 + (home % 4),
        'Mo Sold': 1 + (home % 12),
        SalePrice: 150_000 + home,
      }),
    });
    assert.equal(source.datasets[0].publishedOn, '2009-12-31');
  });

  it('says where the file lacks a year, and reads ages as years', async () => {
    const { recipe, source, folder, roles } = await scaffold({
      'sales.csv': (home) => ({
        LATITUDE: 35.9 + home / 1000,
        LONGITUDE: -78.9,
        PARCELNO: `62228007${1000 + home}`,
        SALE_PRC: '440000.00',
        LND_SQFOOT: 9375,
        TOT_LVG_AREA: 1753,
        age: 20 + home,
        month_sold: 1 + (home % 12),
        structure_quality: 4,
      }),
    });
    assert.match(recipe, /sale_date:.*FILL IN: the file states the months of its sales but not the year/);
    assert.equal(roles.lot_sqft, 'LND_SQFOOT');
    assert.equal(roles.sqft, 'TOT_LVG_AREA');
    const { properties, transactions } = await firstRow(source, source.datasets[0], folder);
    assert.equal(transactions.price, 440_000);
    assert.equal(transactions.date_precision, 'month');
    assert.equal(properties.year_built, Number(source.datasets[0].publishedOn.slice(0, 4)) - 20);
  });

  it('completes names that a shapefile cut to ten characters', async () => {
    const { roles } = await scaffold({
      'parcels.csv': (home) => ({
        PIN: `806-717-${5000 + home}`,
        FULL_ADDRE: `${100 + home} EANES LN`,
        USE_DESCRI: home % 2 === 0 ? 'Res - Single Family' : 'Vacant Land',
        NUMBER_BED: 3,
        NUMBER_FUL: 2,
        NUMBER_HAL: 1,
        NUMBER_ROO: 7,
        PARCEL_ACR: 0.4,
        SUBDIVISIO: 'ELM GROVE',
        LAST_SALE_: '2019-10-28',
        LAST_SAL_1: 135_000 + home,
        SQFT_BASEM: 1152,
        SQFT_FINIS: 2100,
      }),
    });
    assert.deepEqual(roles, {
      parcel: 'PIN',
      address_line1: 'FULL_ADDRE',
      land_use: 'USE_DESCRI',
      bedrooms: 'NUMBER_BED',
      baths_full: 'NUMBER_FUL',
      baths_half: 'NUMBER_HAL',
      rooms: 'NUMBER_ROO',
      lot_acres: 'PARCEL_ACR',
      subdivision: 'SUBDIVISIO',
      sale_date: 'LAST_SALE_',
      sale_price: 'LAST_SAL_1',
      sqft: 'SQFT_FINIS',
    });
  });

  it('takes no number of a row or length of an outline for a parcel number', async () => {
    const { recipe } = await scaffold({
      'parcels.csv': (home) => ({
        OBJECTID: 5_272_300 + home,
        SHAPE_Length: 243.45 + home,
        address: `${100 + home} ELM ST`,
      }),
    });
    assert.match(recipe, /parcel: \{ expression: .* \} # CHECK: no column looks like a parcel number/);
  });

  it('takes no value, price or amount for a parcel number', async () => {
    const columns = ['assessment_2025', 'assessed_2024', 'net value', 'price_1999', 'AMOUNT_BILLED'];
    for (const name of [...columns, 'control']) {
      const { roles, missing } = await scaffold({
        'roll.csv': (home) => ({ [name]: 801_300 + home * 700, address: `${100 + home} ELM ST` }),
      });
      assert.equal(roles.parcel, name === 'control' ? name : undefined, name);
      assert.equal(missing.includes('parcel number'), name !== 'control');
    }
  });

  it('takes address, city and unit in place of a parcel number, of homes that have a house number', async () => {
    const { recipe, source, folder, missing, findings } = await scaffold({
      'roll.csv': (home) => ({
        'SITUS ADDR': home === 1 ? 'Elm St' : `${100 + Math.floor(home / 4)} Elm St`,
        SITUS_CITY: home % 2 ? 'OAKVILLE' : 'ELMVILLE',
        UNIT: `${1 + (home % 4)}`,
        SQFT: 900 + ((home * 37) % 800),
      }),
    });
    assert.ok(missing.includes('parcel number'));
    assert.match(recipe, /unit: \{ upper: UNIT \}/);
    const { properties } = await firstRow(source, source.datasets[0], folder);
    assert.equal(properties.apn, '100 ELM ST, ELMVILLE');
    const told = findings!.map(({ id, count }) => `${id} ${count}`);
    assert.deepEqual(told, ['parcel-is-address 59', 'one-type:single-family 60', 'refused:no_parcel_number 1']);
  });

  it('tells of rows with one address where addresses take the place of numbers, however few', async () => {
    const told = async (twin: string, columns: object = {}) => {
      const { findings } = await scaffold(
        {
          'roll.csv': (home) => ({
            address: home === 207 ? twin : `${100 + home} Elm St`,
            sqft: 900 + ((home * 37) % 800),
            link: `https://example.org/${home}`,
            ...columns,
          }),
        },
        { count: 300 },
      );
      return findings!.filter(({ id }) => id === 'rows-disagree').map(({ count, examples }) => [count, ...examples]);
    };
    assert.deepEqual(await told('103 Elm St'), [[1, 'line 209: 103 ELM ST, 103 ELM ST']]);
    assert.deepEqual(await told('307 Elm St'), []);
    assert.deepEqual(await told('103 Elm St', { sqft: 1200 }), [[1]]);
  });

  it('leaves city and ZIP code after the street address of an owner to the owner', async () => {
    const { roles, source } = await scaffold({
      'roll.csv': (home) => ({
        ParcelID: `020-3-${100 + home}`,
        PropertyAddress: `${100 + home} NORTH AVE`,
        OwnerName1: `OWNER ${home}`,
        StreetAddress1: `${36 + home} LOALDO DR`,
        StreetAddress2: '',
        City: home % 9 ? 'BURLINGTON' : 'TROY',
        State: home % 9 ? 'VT' : 'NY',
        PostalCode: home % 9 ? '05408' : '12180',
      }),
    });
    assert.deepEqual([roles.city, roles.zip, roles.address_line1], [undefined, undefined, 'PropertyAddress']);
    assert.deepEqual(source.datasets[0].personal, [
      'OwnerName1',
      'StreetAddress1',
      'StreetAddress2',
      'City',
      'State',
      'PostalCode',
    ]);
  });

  it('knows a type from descriptions, a forced sale, and prices with dollar signs', async () => {
    const { source, folder, roles } = await scaffold({
      'sales.csv': (home) => ({
        'Account Number': `R00${10_000 + home}`,
        'Property Address Street Number': 300 + home,
        'Property Address Street Name': `${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[home % 26]}LM`,
        'Property Address Street Suffix': 'ST',
        type: ['Residential', 'Condo', 'Multi-Family'][home % 3],
        'Above Grd SF': '1,792',
        'Reception No': home === 0 ? '0' : 3_965_545 + home,
        'Distress Sale': home === 0 ? 'Yes' : 'No',
        'Sale Date (Mon-Yr)': '2022-06-02 00:00:00',
        'Sale Price': `$${700 + home},000`,
      }),
    });
    assert.equal(roles.land_use, 'type');
    const { properties, transactions } = await firstRow(source, source.datasets[0], folder);
    assert.equal(properties.sqft, 1792);
    assert.equal(properties.address_line1, '300 ALM ST');
    assert.deepEqual([transactions.price, transactions.arms_length], [700_000, false]);
    assert.deepEqual([roles.document_number, transactions.document_number], ['Reception No', null]);
  });
});

describe('coordinates in columns', () => {
  const DURHAM = [-78.8986, 35.994];
  const parcels = (point: (home: number) => Record<string, string | number>): Record<string, Line> => ({
    'parcels.csv': (home) => ({ PIN: `${100_000 + home}`, SITE_ADDRESS: `${home + 1} ELM ST`, ...point(home) }),
  });
  const isNear = (row: Record<string, unknown>, [longitude, latitude]: number[]) =>
    Math.abs((row.latitude as number) - latitude) < 1e-4 && Math.abs((row.longitude as number) - longitude) < 1e-4;

  for (const [code, unit] of [
    [2264, 'feet'],
    [32119, 'meters'],
  ] as const) {
    it(`become degrees from state plane ${unit} where the state has one zone`, async () => {
      const [x, y] = proj4(epsgDefinition(code)!).forward(DURHAM);
      const { source, folder } = await scaffold(parcels(() => ({ X_COORD: x, Y_COORD: y })));
      assert.equal(source.datasets[0].format.projection, `EPSG:${code}`);
      const { properties } = await firstRow(source, source.datasets[0], folder);
      assert.ok(isNear(properties, DURHAM), JSON.stringify(properties));
    });
  }

  it('are left to the operator where a state has several zones', async () => {
    const { recipe } = await scaffold(
      parcels(() => ({ X_COORD: 11_481_072, Y_COORD: 3_905_792 })),
      { state: 'VA' },
    );
    assert.match(recipe, /point: \{ x: X_COORD, y: Y_COORD \}.*\n?.*FILL IN projection/);
  });

  it('come out of the number of a parcel in Massachusetts', async () => {
    const [x, y] = proj4(epsgDefinition(26986)!).forward([-72.6687, 42.2668]);
    const { source, folder } = await scaffold(
      parcels(() => ({ LOC_ID: `M_${Math.round(x)}_${Math.round(y)}` })),
      { state: 'MA' },
    );
    const { properties } = await firstRow(source, source.datasets[0], folder);
    assert.ok(isNear(properties, [-72.6687, 42.2668]), JSON.stringify(properties));
  });

  for (const text of ['POINT (-78.8986 35.994)', '(35.994, -78.8986)', '35.994, -78.8986']) {
    it(`come out of one cell: ${text}`, async () => {
      const { source, folder } = await scaffold(parcels(() => ({ the_geom: text })));
      const { properties } = await firstRow(source, source.datasets[0], folder);
      assert.ok(isNear(properties, DURHAM), JSON.stringify(properties));
    });
  }

  it('are nothing where they are empty, zero or far away, and an unknown column is named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'platbook-new-'));
    const places = ['', '0,0', '12,13', '-78.8986,35.994'];
    const path = join(folder, 'points.csv');
    writeFileSync(path, `id,x,y\n${places.map((place, i) => `${i},${place || ','}`).join('\n')}\n`);
    const found: Row[] = [];
    const { rows } = await openTable(path, { type: 'csv', point: { x: 'x', y: 'y' } });
    for await (const batch of rows) found.push(...batch);
    assert.deepEqual(
      found.map(({ geometry }) => geometry && centroidOf(geometry)),
      [undefined, undefined, undefined, { longitude: DURHAM[0], latitude: DURHAM[1] }],
    );
    await assert.rejects(openTable(path, { type: 'csv', point: 'place' }), /has no column place/);
  });
});

describe('what a new recipe does not know', () => {
  const LINE: Line = (i) => ({
    PARCEL_ID: `12-${1000 + i}`,
    LOC_NO: i + 1,
    LOC_DIR: 'E',
    SALE_DATE: '2020-03-04',
    SALE_PRICE: `${190 + i}300 USD`,
    DOC_DATE: '2020-03-04',
  });

  it('is listed, with the columns that are named like it', async () => {
    const { recipe, missing, columns } = await scaffold({ 'roll.csv': LINE });
    const expected = ['street address', 'coordinates', 'living area', 'year built', 'type of property', 'sale price'];
    assert.deepEqual(missing, expected);
    assert.match(recipe, /# Found no column for: street address, coordinates/);
    const price = columns.find(({ column }) => column === 'SALE_PRICE')!;
    assert.deepEqual([price.role, price.certainty, price.resembles], [null, 'unused', 'sale_price']);
    // A number and a direction are no address.
    assert.doesNotMatch(recipe, /address_line1/);
  });

  it('is not where its files are: it names them from its own folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'platbook-new-'));
    const files = [write(folder, 'roll.csv', LINE)];
    const place = { id: 'elmville', name: 'Elmville, Somewhere', state: 'NC', fips: 37_063, county: 'Elm County' };
    for (const [recipeFolder, path, name] of [
      [dirname(folder), `${basename(folder)}/roll.csv`, `${basename(folder)}/roll.csv`],
      [join(folder, 'recipes'), '../roll.csv', 'roll.csv'],
    ]) {
      const { recipe } = await scaffoldSource({ files, cacheFolder: folder, recipeFolder, place, today: TODAY });
      const [dataset] = parseRecipe(recipe, 'new.yaml').datasets;
      assert.deepEqual(dataset.files, [{ path }]);
      const found = await fetchFiles(dataset, dataset.files, { from: recipeFolder, cache: folder });
      assert.deepEqual(
        found.map((file) => [file.path, file.name]),
        [[files[0], name]],
      );
    }
  });

  it('has to be filled in before anything is loaded', async () => {
    const { recipe } = await scaffold({ 'roll.csv': LINE });
    const open = recipe.replace('parcel: { text: PARCEL_ID }', 'parcel: { text: FILL IN }');
    assert.throws(
      () => parseRecipe(open, 'new.yaml'),
      /line \d+, datasets\.records\.key\.parcel\.text: is still to be/,
    );
  });
});

describe('addresses as counties write them', () => {
  it('are not the lines where the owner gets mail', async () => {
    const { source } = await scaffold({
      'parcels.csv': (home) => ({
        PARID: `A0100${1000 + home}`,
        ACRES: 40 + home,
        NAME1: 'SOMEONE',
        ADDR1: `${100 + home} ELM ST`,
        ADDR2: 'UNIT 11',
        ADDR3: 'ELMVILLE OH 44883',
      }),
    });
    assert.equal('address_line1' in source.datasets[0].records[0].fields, false);
  });

  it('have no city or ZIP code of the mail that follows the name of the owner', async () => {
    const mails = [
      ['Address Line 1', 'Address Line 2'],
      ['Mailing Address', 'Mailing Address 2'],
      ['MA street address', 'MA unit number'],
    ];
    for (const [line, more] of mails) {
      const { columns, roles } = await scaffold({
        'parcels.csv': (home) => ({
          'Tax Parcel Number': `11-00100${1000 + home}`,
          'Property Address': `${100 + home} ELM ST`,
          Municipality: 'Elm Twp',
          Owner: `SOMEONE ${home}`,
          [line]: `${7 * home + 1} OAK RD`,
          [more]: 'UNIT 11',
          City: 'COGAN STATION',
          State: 'PA',
          Zip: '17728-8534',
          'Deeded Acres': '0.51',
        }),
      });
      const personal = columns.filter(({ certainty }) => certainty === 'personal').map(({ column }) => column);
      assert.deepEqual([roles.address_line1, roles.city, roles.zip], ['Property Address', 'Municipality', undefined]);
      assert.deepEqual(personal, [line, more, 'City', 'State', 'Zip']);
    }
  });

  it('have a number in a column whose name has a number sign, and a unit', async () => {
    const { source, folder } = await scaffold({
      'sales.csv': (home) => ({
        'Parcel Number': `1319070${10_000 + home}`,
        'Property Location (#)': `${home + 1}     `,
        'Property Location (Direction)': '"S "',
        'Property Location or Street Name': `"ELM${home % 20}       "`,
        'Situs Type': 'DR',
        'Property Location Unit #(s)': 'B',
        '# of Stories': 2,
        'Original Construction Year': 1980,
      }),
    });
    const { properties } = await firstRow(source, source.datasets[0], folder);
    assert.deepEqual([properties.address_line1, properties.address_unit], ['1 S ELM0 DR', 'B']);
    assert.deepEqual([properties.stories, properties.year_built], [2, 1980]);
  });

  it('are cut off before the city where they are whole, also next to a city', async () => {
    const { source, folder } = await scaffold({
      'homes.csv': (home) => ({
        prop_id: 207_880 + home,
        situs_city: home % 9 ? 'ALMO' : 'DEXTER',
        full_property_address: `${home + 1} ARBOR DR, ALMO, KY 42020`,
      }),
    });
    const { properties } = await firstRow(source, source.datasets[0], folder);
    const { address_line1, city, zip } = properties;
    assert.deepEqual([address_line1, city, zip], ['1 ARBOR DR', 'DEXTER', '42020']);
    const units = await scaffold({
      'homes.csv': (home) => ({ prop_id: home + 207_880, city: 'ALMO', address: `${home + 1} ARBOR DR, APT B` }),
    });
    const kept = await firstRow(units.source, units.source.datasets[0], units.folder);
    assert.equal(kept.properties.address_line1, '1 ARBOR DR, APT B');
  });

  it('are in the city that was named only with a mark, where neither city nor ZIP code is told', async () => {
    const { recipe } = await scaffold({ 'homes.csv': (home) => ({ PID: home + 207_880, ADDR: `${home + 1} ELM ST` }) });
    assert.match(recipe, /city: \{ constant: ELMVILLE \} # CHECK/);
  });

  it('have a city and a ZIP code of the true site, a lot in square feet that is no acres, and cooperatives', async () => {
    const { source, folder } = await scaffold({
      'parcels.csv': (home) => ({
        FOLIO: `014207000${1000 + home}`,
        TRUE_SITE_ADDR: `${100 + home} ELM ST`,
        TRUE_SITE_CITY: 'Elmville',
        TRUE_SITE_ZIP_CODE: '33149-0000',
        DOR_DESC: ['RESIDENTIAL - SINGLE FAMILY : 1 UNIT', 'COOPERATIVE - RESIDENTIAL : COOPERATIVE'][home % 2],
        LOT_SIZE: home % 5 === 0 ? 25_322_299.2 : 0,
      }),
    });
    const { properties } = await firstRow(source, source.datasets[0], folder);
    assert.deepEqual([properties.city, properties.zip, properties.lot_sqft], ['ELMVILLE', '33149', undefined]);
    assert.match(JSON.stringify(source.datasets[0].records[0].fields.property_type), /COOPERATIVE[^,]*condo/);
  });
});

describe('cells as counties write them', () => {
  const first = async (line: Line, options: Parameters<typeof scaffold>[1] = {}) => {
    const { source, folder, recipe, roles, findings } = await scaffold({ 'roll.csv': line }, options);
    const { properties, transactions } = await firstRow(source, source.datasets[0], folder);
    return { properties, transactions, recipe, roles, told: findings?.map(({ id }) => id) ?? [] };
  };
  const home: Line = (i) => ({ PARCEL_ID: `12-${1000 + i}`, SITUS: `${i + 1} ELM ST` });

  it('are read with an address in columns of other names, and baths as counts of full and half ones', async () => {
    const { properties } = await first((i) => ({
      MAP_NO: `12-${1000 + i}`,
      LOC_NO: i + 1,
      LOC_DIR: 'E',
      LOC_STREET: `ELM${i % 20}`,
      LOC_SFX: 'ST',
      LOC_UNIT: `${i}`,
      LOC_CITY: 'ALMO',
      LOC_ZIP: '42020',
      BATHS: `${(i % 3) + 2}F 1H`,
      DEED_AC: '0.5',
      FCV_TOTAL: '$93026.00',
    }));
    const { address_line1, address_unit, city, zip, bathrooms, baths_full, baths_half, lot_sqft } = properties;
    assert.deepEqual([address_line1, address_unit, city, zip], ['1 E ELM0 ST', '0', 'ALMO', '42020']);
    assert.deepEqual([bathrooms, baths_full, baths_half, lot_sqft], [2.5, 2, 1, 21_780]);
  });

  it('are read with the city and the ZIP code after the street', async () => {
    for (const tail of [', New Hope, KY 42020', ', New Hope KY 42020']) {
      const { properties } = await first((i) => ({ PARCEL_ID: `12-${1000 + i}`, SITUS: `${i + 1} Elm St${tail}` }));
      const { address_line1, city, zip } = properties;
      assert.deepEqual([address_line1, city, zip], ['1 ELM ST', 'NEW HOPE', '42020']);
    }
  });

  it('are read with a city that runs on from the street, told by the names of its ZIP code', async () => {
    const cities = ['PITTSBURGH PA 15216', 'BETHEL PARK PA 15102', 'Mc Keesport PA, 15132-1234'];
    const { properties, recipe } = await first((i) => ({
      PARCEL_ID: `12-${1000 + i}`,
      SITUS: `${i + 1} N MEADOWCROFT AVE ${cities[i % 3]}`,
      MUNICIPALITY: ['Mt.Lebanon', 'Bethel Park'][i % 2],
    }));
    const { address_line1, city, zip } = properties;
    assert.deepEqual([address_line1, city, zip], ['1 N MEADOWCROFT AVE', 'MT.LEBANON', '15216']);
    assert.match(recipe, /BETHEL PARK\|MC KEESPORT/);
    const alone = await first((i) => ({ PARCEL_ID: `12-${1000 + i}`, SITUS: `${i + 1} ELM ST ALMO KY 42020` }));
    assert.deepEqual([alone.properties.address_line1, alone.properties.city], ['1 ELM ST', 'ALMO']);
  });

  it('have the city that was named only where mail to their ZIP codes goes by it', async () => {
    const of = (zips: number[], named: string) =>
      first((i) => ({ PARCEL_ID: `12-${1000 + i}`, SITUS: `${i + 1} ELM ST`, ZIP: zips[i % zips.length] }), { named });
    assert.equal((await of([48_340, 48_341], 'Pontiac, Michigan')).properties.city, 'PONTIAC');
    assert.equal((await of([48_340, 48_067, 48_076], 'Pontiac, Michigan')).properties.city, undefined);
  });

  it('are read with whole lines in a column that is named like a street', async () => {
    const lots = (i: number) => (i % 3 === 0 ? 'HOME AVE' : `${i + 1} WARDER ST`);
    const line = await first((i) => ({ PARCEL_ID: `12-${1000 + i}`, street: lots(i) }));
    assert.equal(line.roles.address_line1, 'street');
    const named = await first((i) => ({
      PARCEL_ID: `12-${1000 + i}`,
      HOUSE_NO: i + 1,
      street: `${(i % 20) + 1}TH AVE`,
    }));
    assert.equal(named.properties.address_line1, '1 1TH AVE');
  });

  it('are read with numbers that a spreadsheet wraps, and with baths whose halves are tenths, which is said', async () => {
    const baths = (half: string) => (i: number) => ({
      PARCEL_ID: `="0070${1000 + i}"`,
      SITUS: `${i + 1} ELM ST`,
      BATHS: i % 2 ? '2' : `1.${half}`,
    });
    const tenths = await first(baths('1'));
    assert.equal(tenths.properties.apn, '00701000');
    assert.ok(tenths.told.includes('tenths-of-baths'), String(tenths.told));
    assert.ok(!(await first(baths('5'))).told.includes('tenths-of-baths'));
  });

  it('are read without a book that has no page, and with what accountants write for nothing', async () => {
    const { transactions, recipe } = await first((i) => ({
      ...home(i),
      Book: 102,
      Map: 17,
      SALE_DT: '2019-07-03',
      SALE_PRICE: i === 0 ? '" $22,900.00 "' : i % 3 === 0 ? ' $-   ' : '" $189,000.00 "',
    }));
    assert.equal(transactions.price, 22_900);
    assert.doesNotMatch(recipe, /book:/);
  });

  it('are read with days counted from 1900, sales of the year 0, and earlier sales', async () => {
    const counted = await first((i) => ({ ...home(i), SALE_DT: 43_649 + i, SALE_PRICE: 200_000 }));
    assert.deepEqual(counted.transactions.sale_date, '2019-07-03');
    assert.match(counted.recipe, /CHECK: days since 1900/);
    const none = await first((i) => ({ ...home(i), SALE_YR1: i && 2019, SALE_MO1: i && 7, SALE_PRC1: i * 9000 }));
    assert.equal(none.transactions, undefined);
    const dates = { SALE1_DT: 20_190_703, SALE1_AMT: 200_000, SALE2_DT: 20_110_203, SALE2_AMT: 100_000 };
    const { recipe } = await first((i) => ({ ...home(i), ...dates }));
    assert.match(recipe, /sale_date: \{ date: SALE2_DT \}\n +price: \{ dollars: SALE2_AMT \}/);
  });

  it('are read with months in words and hyphens, and with a last day of 1899 for none', async () => {
    const sold = (date: string) => (i: number) => ({
      ...home(i),
      'SOLD DATE': i % 3 ? date : '"December 31, 1899"',
      PRICE: 210_000 + i,
    });
    const { recipe } = await first(sold('December-6-2017'));
    assert.match(recipe, /date: SOLD DATE/);
    assert.match(recipe, /c_sold_date != "December 31, 1899"/);
    const { transactions } = await first((i) => ({ ...home(i), 'SOLD DATE': 'December-6-2017', PRICE: 210_000 + i }));
    assert.equal(transactions.sale_date, '2017-12-06');
  });

  it('tell that latitude and longitude are the wrong way around, and need no projection in degrees', async () => {
    const swapped = await first((i) => ({ ...home(i), lat: -88.2 - i / 1000, long: 36.5 + i / 1000 }));
    assert.deepEqual([swapped.properties.latitude, swapped.properties.longitude], [36.5, -88.2]);
    assert.match(swapped.recipe, /latitude: long \} # CHECK/);
    const pair = await first((i) => ({ ...home(i), 'Latitude/Longitude': `"36.5${i}, -88.20000"` }));
    assert.equal(Math.round(pair.properties.latitude as number), 37);
    assert.doesNotMatch(pair.recipe, /FILL IN/);
  });

  it('tell a kind of document from a number of one', async () => {
    const { roles } = await first((i) => ({ ...home(i), Doc: i % 2 ? 'WD' : 'QC', 'Bk/Pg': `${i}/12` }));
    assert.deepEqual([roles.document_type, roles.document_number], ['Doc', 'Bk/Pg']);
  });
});

describe('columns that say how they are to be read', () => {
  const roll = (home: number) => ({ PARCEL_ID: `030${1000 + home}`, SITUS: `${home + 1} ELM ST` });
  const fieldsOf = async (line: Line) => {
    const { source, recipe } = await scaffold({ 'roll.csv': line });
    const [{ records }] = source.datasets;
    const kindOf = (into: string, name: string) => records.find((record) => record.into === into)?.fields[name]?.kind;
    return { kindOf, recipe };
  };

  it('in square meters and in thousands', async () => {
    const { kindOf } = await fieldsOf((home) => ({
      ...roll(home),
      LIVING_AREA_M2: 90 + home,
      SALE_DATE: `2020-05-${10 + (home % 18)}`,
      SALE_PRICE_000: 200 + home,
      TOTAL_VALUE_THOUSANDS: 180 + home,
    }));
    assert.equal(kindOf('properties', 'sqft'), 'times 10.7639');
    assert.equal(kindOf('transactions', 'price'), 'times 1000');
  });

  it('as sales of several parcels, and with the number that a clerk gave the deed', async () => {
    const { source } = await scaffold({
      'sdf.csv': (home) => ({
        PARCEL_ID: `030${1000 + (home >> 1)}`,
        SALE_YR: 2024,
        SALE_MO: 1 + (home % 2),
        SALE_PRC: 200_000,
        MULTI_PAR_SAL: home % 10 === 0 ? 'C' : '',
        CLERK_NO: `1160${home}`,
        SQFT: 1400 + home,
      }),
    });
    const sale = source.datasets[0].records.find(({ into }) => into === 'transactions')!;
    assert.deepEqual(sale.fields.document_number.columns, ['CLERK_NO']);
    assert.equal(sale.fields.several_parcels.read(['C']), true);
    assert.equal(sale.fields.several_parcels.read(['']), null);
  });

  it('as a roll, which is known on the day of its publication, or as a list of sales', async () => {
    const sold = (home: number) => ({ SALE_DATE: `20${10 + (home % 9)}-05-02`, SALE_PRICE: 200_000 + home * 1000 });
    const ofRoll = await fieldsOf((home) => ({
      ...roll(home),
      SQFT: 1400 + home,
      ...sold(home),
      OWNER: `SMITH ${home}`,
    }));
    assert.equal(ofRoll.kindOf('properties', 'known_on'), undefined);
    const ofSales = await fieldsOf((home) => ({ ...roll(home >> 1), SQFT: 1400 + home, ...sold(home) }));
    assert.equal(ofSales.kindOf('properties', 'known_on'), 'date');
  });

  it('with block and lot as the number of a parcel where no column has one, and never with its deed', async () => {
    const { recipe, source, folder, missing, roles } = await scaffold({
      'sale.csv': (home) => ({
        'O R Book': `FMC1${1000 + home}`,
        Block: String(4200 + (home % 20)),
        Lot: `0${10 + home}`,
        'Property Addr. 1': `${home + 1} ELM ST`,
        'Deed Date': `2008-04-${10 + (home % 20)}`,
        'Sq. Ft.': `${home % 3 ? 980 : 22_624}.170`,
        'State Code': home % 20 === 0 ? '56' : `0${(home % 3) + 7}X`,
        'Assessed Year': 2013,
        'Assessed Value': 28_000 + home,
      }),
    });
    const { properties, assessments } = await firstRow(source, source.datasets[0], folder);
    assert.deepEqual([properties.apn, roles.lot], ['4200-010', 'Lot']);
    assert.match(recipe, /parcel: \{ join: \[ Block, Lot \], with: "-" \} # CHECK/);
    assert.ok(!missing.includes('parcel number'));
    assert.equal(assessments.year, 2013);
    // A roll with the day of its deeds but no price is no list of sales, and square feet in a list that has nothing of homes may be their lots.
    assert.doesNotMatch(recipe, /known_on/);
    assert.match(recipe, /sqft: .*CHECK/);
  });

  it('as a list of sales also without a price, if parcels come again', async () => {
    const { recipe } = await scaffold({
      'deeds.csv': (home) => ({
        PARCEL: `12-${1000 + (home % 20)}`,
        SITUS: `${(home % 20) + 1} ELM ST`,
        'Date Sold': `20${10 + (home % 9)}0503`,
        YEAR_BUILT: 1950 + (home % 40),
      }),
    });
    assert.match(recipe, /known_on: \{ date: Date Sold \}/);
  });

  it('in three decimals, which are no thousands, and with codes that are no states', async () => {
    const line = (area: string) => (home: number) => ({
      PARCEL: `12-${1000 + home}`,
      SITUS: `${home + 1} ELM ST`,
      CITY: 'ALMO',
      LIVING_AREA: home % 2 ? area : `98${home % 10}.500`,
      'State Code': home % 20 === 0 ? '56' : `0${(home % 3) + 7}X`,
    });
    const told = async (area: string) =>
      (await scaffold({ 'roll.csv': line(area) })).findings?.map(({ id }) => id.split(':')[0]) ?? [];
    assert.ok((await told('1.264')).includes('points-for-commas'));
    const right = await told('1264.170');
    assert.ok(!right.includes('points-for-commas') && !right.includes('foreign-state'), String(right));
  });

  it('as assessed values of a stated year, else with a mark, and never as the total of something else in silence', async () => {
    const values = (total: number) => (home: number) => ({
      PARCEL: `12-${1000 + home}`,
      SITUS: `${home + 1} ELM ST`,
      'Land Appraisal': '"$23,100"',
      'Building Appraisal': `"$${28 + home},800"`,
      'Total Appraisal': total === 0 ? 51_900 + home * 1000 : total + home * 1000,
    });
    const { source, folder, recipe, findings } = await scaffold({ 'roll.csv': values(0) });
    const { assessments } = await firstRow(source, source.datasets[0], folder);
    assert.deepEqual([assessments.land, assessments.improvements, assessments.total], [23_100, 28_800, 51_900]);
    assert.match(recipe, /year: \{ constant: \d+ \} # CHECK/);
    const ids = (found: typeof findings) => found?.map(({ id }) => id);
    assert.ok(!ids(findings)?.includes('parts-exceed-total'));
    const sold = await scaffold({ 'roll.csv': (home) => ({ ...values(410_000)(home), prop_val_yr: 2025 }) });
    assert.ok(ids(sold.findings)?.includes('parts-exceed-total'));
    assert.doesNotMatch(sold.recipe, /constant: \d+ \} # CHECK/);
  });

  it('without a mark where nothing is doubtful', async () => {
    const { recipe } = await fieldsOf((home) => ({
      ...roll(home),
      SQFT: 1400 + home,
      SALE_DATE: '2020-05-02',
      PRICE: 200_000 + home,
    }));
    assert.match(recipe, /sqft: \{ positive: SQFT, max: 1000000 \}\n/);
    assert.match(recipe, /price: \{ dollars: PRICE \}\n/);
  });
});

describe('names that many publishers use', () => {
  it('tell the parts of an address, as emergency services name them', async () => {
    const { roles, source, folder } = await scaffold({
      'points.csv': (home) => ({
        MapTaxlot: `12-3-${1000 + home}`,
        Add_Number: 100 + home,
        St_PreDir: 'N',
        St_PreTyp: '',
        St_Name: ['OAK', 'ELM', 'PINE', 'MAPLE', 'CEDAR', 'LAKE', 'HILL', 'PARK'][home % 8],
        St_PosTyp: 'ST',
        St_PosDir: home % 2 ? 'SE' : 'SW',
        UnitID: home % 3 ? '' : `${home}A`,
        Post_Comm: 'ALMO',
        Post_Code: '27701',
      }),
    });
    assert.deepEqual(
      [roles.parcel, roles.address_unit, roles.city, roles.zip],
      ['MapTaxlot', 'UnitID', 'Post_Comm', 'Post_Code'],
    );
    const { properties } = await firstRow(source, source.datasets[0], folder);
    assert.equal(properties.address_line1, '100 N OAK ST SW');
  });

  it('tell a home and its sale, run together as in old databases', async () => {
    const { roles } = await scaffold({
      'camasales.csv': (home) => ({
        PIDN: `030${1000 + home}`,
        LIVEAREA: 1300 + home,
        NUMBDRM: 2 + (home % 3),
        NUMBATHS: 1 + (home % 2),
        TOTUNITS: 1,
        'Construction Year': 1950 + (home % 50),
        SPRICE: 200_000 + home * 500,
        SMONTH: 1 + (home % 12),
        SYEAR: 2010 + (home % 3),
      }),
    });
    const { parcel, sqft, bedrooms, bathrooms, units, year_built, sale_price, sale_month, sale_year } = roles;
    assert.deepEqual(
      [parcel, sqft, bedrooms, bathrooms, units, year_built, sale_price, sale_month, sale_year],
      ['PIDN', 'LIVEAREA', 'NUMBDRM', 'NUMBATHS', 'TOTUNITS', 'Construction Year', 'SPRICE', 'SMONTH', 'SYEAR'],
    );
  });

  it('tell a house by the word alone, and not by a slaughterhouse', async () => {
    const uses = [
      '442 - Meat Packing & Slaughterhouse',
      '101 - House',
      '388 - Club House',
      'Greenhouse',
      'Non Residential Structure',
      'Non-Residential Structure',
      'GARAGE - RESIDENTIAL',
    ];
    const { recipe } = await scaffold({
      'roll.csv': (home) => ({ PARCEL: `12-${1000 + home}`, SITUS: `${home + 1} ELM ST`, 'Land use': uses[home % 7] }),
    });
    for (const line of [/Slaughterhouse"?: commercial/, /101 - House"?: single_family/, /Club House"?: other/])
      assert.match(recipe, line);
    for (const line of [/Non.Residential Structure"?: other/, /GARAGE - RESIDENTIAL"?: other/])
      assert.match(recipe, line);
    assert.doesNotMatch(recipe, /Greenhouse: /);
  });

  it('date a sale by the column that is named like its price, and not by the last deed', async () => {
    const { roles } = await scaffold({
      'owners.csv': (home) => ({
        PIN_NUM: `17130${70_000 + home}`,
        ZIPNUM: '27514',
        CITY_DECODE: 'ELMVILLE',
        TYPE_USE_DECODE: home % 3 === 0 ? 'CONDO' : 'SINGLFAM',
        TOTAL_SALE_PRICE: 181_000 + home * 900,
        TOTAL_SALE_DATE: home % 5 === 0 ? '' : `3/${1 + (home % 28)}/2003`,
        DEED_DATE: `4/${1 + (home % 28)}/2014`,
        taxable_land: 21_000 + home * 10,
      }),
    });
    const { sale_price, sale_date, zip, city, land_use, assessed_land } = roles;
    assert.deepEqual(
      [sale_price, sale_date, zip, city, land_use, assessed_land],
      ['TOTAL_SALE_PRICE', 'TOTAL_SALE_DATE', 'ZIPNUM', 'CITY_DECODE', 'TYPE_USE_DECODE', undefined],
    );
  });

  it('leave shapes that are in degrees where they are, whatever points a column has', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'platbook-new-'));
    const path = join(folder, 'parcels.geojson');
    const ring = [[0, 0], [0, 0.001], [0.001, 0.001], [0.001, 0], [0, 0]].map(([x, y]) => [x - 73.288, y + 42.331]); // prettier-ignore
    const features = Array.from({ length: HOMES }, (_, home) => ({
      type: 'Feature',
      properties: { MAP_PAR_ID: `1_${home + 1}_0`, LOC_ID: `M_52632_${899_409 + home}` },
      geometry: { type: 'Polygon', coordinates: [ring] },
    }));
    writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
    const place = { id: 'lenox', name: 'Lenox, Massachusetts', state: 'MA', fips: 25_003, county: 'Berkshire County' };
    const { recipe, findings } = await scaffoldSource({ files: [path], cacheFolder: folder, place, today: TODAY });
    assert.match(recipe, /format: \{ type: geojson \}/);
    assert.ok(!findings?.some(({ id }) => id === 'outside-state'), JSON.stringify(findings));
  });

  it('name the values and ZIP codes of a roll in ways of their own', async () => {
    const { roles } = await scaffold({
      'roll.csv': (home) => ({
        PARCEL: `12-${1000 + home}`,
        SITUS: `${home + 1} ELM ST`,
        ZCTA5CE10: '27514',
        total_actual_value: 212_360 + home * 700,
        total_assessed_precalc: 13_270 + home,
      }),
    });
    assert.deepEqual([roles.zip, roles.assessed_total], ['ZCTA5CE10', 'total_actual_value']);
  });

  it('name the assessed value by the word for valuing', async () => {
    for (const name of ['valuation', 'Total Valuation', 'TOTAL_VALUATION']) {
      const { roles, source, folder } = await scaffold({
        'roll.csv': (home) => ({
          PARCEL: `12-${1000 + home}`,
          SITUS: `${home + 1} ELM ST`,
          [name]: 412_360 + home * 700,
        }),
      });
      assert.equal(roles.assessed_total, name);
      const { assessments } = await firstRow(source, source.datasets[0], folder);
      assert.equal(assessments.total, 412_360);
    }
  });

  it('name values by their years, of which the newest counts', async () => {
    for (const [first, second] of [
      ['TOTAL_VALUE_2020', 'TOTAL_VALUE_2024'],
      ['TOTAL_VALUE_2024', 'TOTAL_VALUE_2020'],
    ]) {
      const line: Line = (home) => ({
        PARCEL: `12-${1000 + home}`,
        SITUS: `000${home + 1} ELM ST_x000D_`,
        [first]: 212_360 + home * 700,
        [second]: 312_360 + home * 700,
      });
      const { roles, source, folder } = await scaffold({ 'roll.csv': line });
      assert.equal(roles.assessed_total, 'TOTAL_VALUE_2024');
      // Zeros before a number, and the end of a line as a workbook keeps it.
      assert.equal((await firstRow(source, source.datasets[0], folder)).properties.address_line1, '1 ELM ST');
    }
  });

  it('and its newest dates are not taken for days of publication that are to come', async () => {
    const { source } = await scaffold({
      'sales.csv': (home) => ({
        PARCEL: `12-${1000 + home}`,
        SITUS: `${home + 1} ELM ST`,
        SALE_DATE: `2026-12-${10 + (home % 20)}`,
        PRICE: 200_000 + home,
      }),
    });
    assert.equal(source.datasets[0].publishedOn, TODAY);
  });

  it('say nothing of types by the word for describing alone, unless the cells do', async () => {
    const districts = ['SMYRNA SCHOOL DISTRICT', 'APPOQUINIMINK', 'COLONIAL', 'NON ASSESSED'];
    const uses = ['SINGLE FAMILY', 'CONDOMINIUM', 'VACANT LAND', 'RETAIL STORE'];
    const roleOf = async (name: string, words: string[]) => {
      const { roles } = await scaffold({
        'roll.csv': (home) => ({ PARCEL: `12-${1000 + home}`, SITUS: `${home + 1} ELM ST`, [name]: words[home % 4] }),
      });
      return roles.land_use;
    };
    for (const name of ['DESCRIPT', 'DESC', 'Description', 'DESCR']) {
      assert.equal(await roleOf(name, districts), undefined, name);
      assert.equal(await roleOf(name, uses), name);
    }
    for (const name of ['LAND_USE_DESC', 'Class Description', 'PROP_DESCRIPT'])
      assert.equal(await roleOf(name, districts), name);
  });

  it('tell homes by RES, and not by a resource or homes above shops', async () => {
    const uses = ['Residential', 'Nat Resource', 'CR - Com/Resident', 'CC - Comm Condo', 'ML - MblHmW/Lnd'];
    const { recipe } = await scaffold({
      'roll.csv': (home) => ({ PARCEL: `12-${1000 + home}`, SITUS: `${home + 1} ELM ST`, 'Land use': uses[home % 5] }),
    });
    for (const line of [
      /Residential: single_family/,
      /Com\/Resident: commercial/,
      /Comm Condo: commercial/,
      /Lnd: manuf/,
    ])
      assert.match(recipe, line);
    assert.doesNotMatch(recipe, /Nat Resource: /);
  });

  it('and the classes that states prescribe tell the type of property', async () => {
    for (const [state, column, codes, types] of [
      ['WA', 'LANDUSE_CD', ['11', '14', '91'], ['single_family', 'condo', 'land']],
      ['WA', 'LANDUSE_CD', ['15', '18', '83'], ['commercial', 'other', 'other']],
      ['WA', 'LANDUSE_CD', ['1101', '93', '88'], ['single_family', 'land', 'land']],
      ['FL', 'DOR_UC', ['001', '004', '000'], ['single_family', 'condo', 'land']],
      ['FL', 'DOR_UC', ['1', '8', '0'], ['single_family', 'multi_family', 'land']],
      ['FL', 'DOR_UC', ['002', '050', '053'], ['manufactured', 'other', 'land']],
      ['OH', 'CLASS', ['510', '520', '401'], ['single_family', 'multi_family', 'apartment']],
      ['TX', 'STATE_CD', ['A1', 'B2', 'C1'], ['single_family', 'multi_family', 'land']],
      ['TX', 'STATE_CD', ['B1', 'M1', 'F1'], ['apartment', 'manufactured', 'commercial']],
      ['TX', 'STATE_CD', ['A4', 'E1', 'L1'], [null, null, 'other']],
      ['NJ', 'PROP_CLASS', ['2', '4C', '1'], ['single_family', 'apartment', 'land']],
      ['NJ', 'PROP_CLASS', ['3A', '3B', '15C'], ['single_family', 'land', 'other']],
      ['NY', 'PROP_CLASS', ['210', '283', '311'], ['single_family', 'single_family', 'land']],
      ['NY', 'PROP_CLASS', ['210-C', '281', '411'], [null, 'multi_family', 'apartment']],
      ['AZ', 'PUC', ['0131', '0737', '0261'], ['single_family', null, 'other']],
      ['AZ', 'PUC', ['0346', '0366', '0192'], ['multi_family', null, 'other']],
      ['AZ', 'PUC', ['131', '1571', '11'], ['single_family', 'commercial', 'land']],
      ['AZ', 'PUC', ['0812', '0842', '8711'], ['manufactured', 'other', 'single_family']],
      ['MA', 'USE_CODE', ['3250', '3900', '442'], ['commercial', 'land', 'land']],
      ['MA', 'USE_CODE', ['1010', '1020', '903C'], ['single_family', 'condo', 'other']],
    ] as const) {
      const { source } = await scaffold(
        {
          'roll.csv': (home) => ({
            PARCEL_ID: `030${1000 + home}`,
            SITUS: `${home + 1} ELM ST`,
            [column]: codes[home % 20 === 19 ? 2 : home % 2],
          }),
        },
        { state },
      );
      const { property_type: type } = source.datasets[0].records[0].fields;
      assert.deepEqual(
        codes.map((code) => type.read([code])),
        types,
        state,
      );
    }
  });
});
