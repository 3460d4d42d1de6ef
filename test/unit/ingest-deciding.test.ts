// What a load decides: which deed is a sale, whose value wins, who owns, what lies where, what a row becomes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeDeed, type Deed } from '../../src/supply/ingest/map/arms-length.ts';
import { missingColumns } from '../../src/supply/ingest/map/columns.ts';
import * as fields from '../../src/supply/ingest/map/fields.ts';
import { compileMap } from '../../src/supply/ingest/map/map.ts';
import { mergeClaim, type Existing } from '../../src/supply/ingest/write/merge.ts';
import { ownerTypeOf } from '../../src/supply/ingest/map/words.ts';
import { compileField } from '../../src/supply/ingest/recipe/compile.ts';
import type { FieldSpec } from '../../src/supply/ingest/recipe/schema.ts';
import type { Dataset, Field } from '../../src/supply/ingest/source.ts';
import { makeStamper } from '../../src/supply/ingest/map/stamp.ts';
import type { Area } from '../../src/supply/layers/layer.ts';
import { flood } from '../../src/supply/layers/flood.ts';
import { stagedColumns } from '../../src/supply/ingest/map/targets.ts';
import { readSources } from '../../sources/sources.ts';
import { testville } from '../testville.ts';

const deed = (changes: Partial<Deed>): Deed => ({
  priceUsd: 250_000,
  documentType: null,
  buyers: [],
  sellers: [],
  stated: null,
  priceFloorUsd: 10_000,
  ...changes,
});

describe('an arm’s-length sale', () => {
  const cases: [string, Partial<Deed>, boolean | null, string | null][] = [
    ['an ordinary sale', {}, true, null],
    ['no price', { priceUsd: null }, null, 'no_price'],
    ['price 0', { priceUsd: 0 }, false, 'price_zero'],
    ['one dollar, even on a validated list', { priceUsd: 1, stated: true }, false, 'token_price'],
    ['below the floor', { priceUsd: 4000 }, false, 'below_floor'],
    ['below the floor but validated by the publisher', { priceUsd: 4000, stated: true }, true, 'stated_by_source'],
    ['marked invalid by the publisher', { stated: false }, false, 'stated_by_source'],
    ['a quitclaim', { documentType: 'QUIT CLAIM DEED' }, false, 'kind_of_deed'],
    ['a corrective deed', { documentType: 'CORRECTIVE DEED' }, false, 'kind_of_deed'],
    ['half of a home', { documentType: 'WARRANTY DEED UNDIVIDED 1/2 INTEREST' }, false, 'part_interest'],
    ['a share, as the row says', { isPartInterest: true, stated: true }, false, 'part_interest'],
    ['a life estate', { documentType: 'LIFE ESTATE DEED' }, false, 'part_interest'],
    ['a sheriff’s deed', { documentType: 'SHERIFFS DEED' }, false, 'foreclosure'],
    ['a deed in lieu', { documentType: 'DEED IN LIEU OF FORECLOSURE' }, false, 'foreclosure'],
    ['an executor’s deed', { documentType: 'EXECUTORS DEED' }, false, 'estate'],
    ['a gift', { documentType: 'GIFT DEED' }, false, 'family'],
    ['a warranty deed', { documentType: 'WARRANTY DEED' }, true, null],
    ['sold by an estate', { sellers: ['ESTATE OF MARY JONES'], buyers: ['LEE ANN'] }, false, 'estate'],
    ['sold by an estate, but validated', { sellers: ['ESTATE OF MARY JONES'], stated: true }, true, 'stated_by_source'],
    ['sold by a company named Estates', { sellers: ['OAKWOOD ESTATES LLC'], buyers: ['LEE ANN'] }, true, null],
    ['sold by a lender', { sellers: ['FIRST NATIONAL BANK'], buyers: ['LEE ANN'] }, false, 'foreclosure'],
    ['sold by HUD', { sellers: ['SECRETARY OF HOUSING AND URBAN DEVELOPMENT'] }, false, 'foreclosure'],
    ['taken by a lender', { sellers: ['LEE ANN'], buyers: ['BANK OF ELLOWBY'] }, false, 'foreclosure'],
    ['a person named Banks', { sellers: ['BANKS TYRA'], buyers: ['LEE ANN'] }, true, null],
    ['to one’s own company', { sellers: ['KOWALSKI JAN'], buyers: ['KOWALSKI HOLDINGS LLC'] }, false, 'family'],
    ['out of one’s own trust', { sellers: ['THE KOWALSKI FAMILY TRUST'], buyers: ['KOWALSKI JAN'] }, false, 'family'],
    ['a word that is also a name', { sellers: ['GREEN VALLEY LLC'], buyers: ['GREEN AL'] }, true, null],
    ['within the family', { buyers: ['SMITH ANNA'], sellers: ['SMITH JOHN & MARY'] }, false, 'family'],
    ['the same party', { buyers: ['ACME HOLDINGS LLC'], sellers: ['Acme Holdings LLC'] }, false, 'same_party'],
    ['two companies with the same first word', { buyers: ['OAK STREET LLC'], sellers: ['OAK HOMES INC'] }, true, null],
  ];
  for (const [title, changes, armsLength, reason] of cases) {
    it(`${title}: ${armsLength}`, () => assert.deepEqual(judgeDeed(deed(changes)), { armsLength, reason }));
  }
});

describe('two sources on one property', () => {
  const existing: Existing = {
    values: { sqft: 1000, bedrooms: null, extras: { a: 1 } },
    provenance: { default: 'roll' },
    defaultKnownOn: '2020-01-01',
  };
  const claim = (values: Record<string, unknown>, knownOn = '2021-01-01', authority = 1) =>
    mergeClaim(existing, { source: 'sales', authority, knownOn, values }, () => 1);

  it('fills in a blank', () => {
    const merged = claim({ bedrooms: 3 });
    assert.deepEqual([merged.values.bedrooms, merged.changedFields], [3, ['bedrooms']]);
    assert.deepEqual(merged.provenance.fields?.bedrooms, { source: 'sales', known_on: '2021-01-01' });
  });

  it('the value known later wins, and the other is kept', () => {
    const merged = claim({ sqft: 1100 });
    assert.equal(merged.values.sqft, 1100);
    assert.deepEqual(merged.provenance.fields?.sqft.others, [{ source: 'roll', value: 1000 }]);
  });

  it('the value known earlier loses, and is kept', () => {
    const merged = claim({ sqft: 1100 }, '2019-01-01');
    assert.deepEqual([merged.values.sqft, merged.changedFields], [1000, []]);
    assert.deepEqual(merged.provenance.fields?.sqft.others, [{ source: 'sales', value: 1100 }]);
  });

  it('the higher authority wins where a fact does not change, whenever it was known', () => {
    const placed: Existing = { ...existing, values: { ...existing.values, zip: '98101' } };
    const merged = (knownOn: string, authority: number) =>
      mergeClaim(placed, { source: 'sales', authority, knownOn, values: { zip: '98102', sqft: 1100 } }, () => 1).values;
    assert.equal(merged('2001-01-01', 2).zip, '98102');
    assert.equal(merged('2001-01-01', 2).sqft, 1000, 'the building of 2020 is the later one');
    assert.equal(merged('2020-01-01', 2).sqft, 1100, 'known on the same day');
  });

  it('of the building, the one known later wins over a higher authority, but not over the place’s own records', () => {
    const later = (authority: number, held: number) =>
      mergeClaim(
        existing,
        { source: 'sales', authority, knownOn: '2021-01-01', values: { sqft: 1100, bedrooms: 3 } },
        (id) => (id === 'roll' ? held : authority),
      ).values;
    assert.deepEqual([later(1, 2).sqft, later(1, 2).bedrooms], [1100, 3]);
    assert.deepEqual([later(0.5, 1).sqft, later(0.5, 1).bedrooms], [1000, 3]);
  });

  describe('that state different buildings', () => {
    const old = { year_built: 1948, sqft: 900, bedrooms: 2, condition: '3', zip: '98101', extras: { sqft_above: 900 } };
    const young = { year_built: 2015, sqft: 2600, bedrooms: 4, extras: { waterfront: 0 } };
    const merge = (held: object, heldOn: string, values: Record<string, unknown>, knownOn: string, authority = 1) =>
      mergeClaim(
        { values: { ...held }, provenance: { default: 'roll' }, defaultKnownOn: heldOn },
        { source: 'sales', authority, knownOn, values },
        () => 2,
      );

    it('keeps nothing of the house that was torn down', () => {
      const { values, provenance } = merge(old, '2014-06-01', young, '2016-03-01');
      assert.deepEqual(values, { ...young, condition: null, zip: '98101' });
      assert.deepEqual(provenance.fields?.condition.others, [{ source: 'roll', value: '3' }]);
    });

    it('fills in nothing of the house before', () => {
      const { values, changedFields } = merge(young, '2016-03-01', old, '2014-06-01', 3);
      assert.deepEqual(values, { ...young, zip: '98101' });
      assert.deepEqual(changedFields, ['zip']);
    });

    it('takes two opinions about the year of one house for one house', () => {
      const { values } = merge(old, '2014-06-01', { year_built: 1952, sqft: 1400, extras: { view: 1 } }, '2016-03-01');
      assert.deepEqual(values, { ...old, year_built: 1952, sqft: 1400, extras: { view: 1 } });
    });

    it('does not keep a part of an area that is not that of the home any more', () => {
      const merged = (sqft: number) =>
        merge(old, '2014-06-01', { sqft, extras: { view: 1 } }, '2016-03-01').values.extras;
      assert.deepEqual(merged(905), { sqft_above: 900, view: 1 });
      assert.deepEqual(merged(1400), { view: 1 });
      const older = merge(
        { ...old, extras: {} },
        '2014-06-01',
        { sqft: 700, extras: { sqft_basement: 200 } },
        '2011-01-01',
      );
      assert.deepEqual(older.values.extras, {});
    });
  });

  it('a type wins over `other` where the first source states none, unless that has more authority', () => {
    const other: Existing = { ...existing, values: { ...existing.values, property_type: 'other' } };
    const typed = (type: string, authority = 1, held = 1) =>
      mergeClaim(
        other,
        { source: 'sales', authority, knownOn: existing.defaultKnownOn!, values: { property_type: type } },
        () => held,
      );
    assert.deepEqual(typed('condo').provenance.fields?.property_type, { source: 'sales', known_on: '2020-01-01' });
    assert.equal(typed('condo').values.property_type, 'condo');
    assert.equal(typed('condo', 1, 2).values.property_type, 'other');
    assert.deepEqual(typed('other').changedFields, []);
  });

  it('repeating the same values changes nothing', () => {
    const once = claim({ sqft: 1100, extras: { b: 2 } });
    const again = mergeClaim(
      { values: once.values, provenance: once.provenance, defaultKnownOn: '2020-01-01' },
      { source: 'sales', authority: 1, knownOn: '2021-01-01', values: { sqft: 1100, extras: { b: 2 } } },
      () => 1,
    );
    assert.deepEqual([again.changedFields, again.isProvenanceChanged], [[], false]);
    assert.deepEqual(again.values.extras, { a: 1, b: 2 });
  });
});

it('owners are classified by their names', () => {
  const kinds = [
    ['CITY OF PHILA'],
    ['MASCOMA BANK'],
    ['GREATER ST THOMAS CHURCH'],
    ['KUNIHOLM REVOCABLE TRUST'],
    ['CITY REALTY MANAGEMENT INC'],
    ['DOE JANE'],
    [],
  ].map(ownerTypeOf);
  assert.deepEqual(
    kinds,
    ['government', 'bank', 'nonprofit', 'trust', 'company', 'individual', 'other'].with(4, kinds[4]),
  );
  assert.notEqual(ownerTypeOf(['ANDREW ENTERPRISES LLC']), 'individual');
});

describe('layers at a point', () => {
  const square = (kind: string, id: string, vintage: number, size: number, attributes = {}): Area => ({
    fips: 1,
    kind,
    id,
    vintage,
    name: id,
    box: [0, 0, size, size],
    attributes,
    rings: [
      [
        [
          [0, 0],
          [0, size],
          [size, size],
          [size, 0],
          [0, 0],
        ],
      ],
    ],
    sourceId: 's',
  });
  const areas = [
    square('tract', '00001000100', 2010, 2),
    square('tract', '00001000200', 2019, 2),
    square('flood', 'x', 2010, 3, { zone: 'X', sfha: false }),
    square('flood', 'ae', 2010, 1, { zone: 'AE', sfha: true, subtype: 'FLOODWAY', base_flood_elevation_ft: -9999 }),
  ];
  const stamper = makeStamper({ areas, listedTracts: { opportunity_zone: new Set(['00001000100']) } })!;

  it('uses the newest tract, the opportunity zone of the 2010 tract, and the worst flood zone', () => {
    const { columns: stamps, areas: held } = stamper(1, { latitude: 0.5, longitude: 0.5 });
    assert.deepEqual(
      [stamps.census_tract, stamps.census_tract_vintage, stamps.census_tract_2010, stamps.opportunity_zone],
      ['00001000200', 2019, '00001000100', true],
    );
    assert.deepEqual([stamps.flood_zone, stamps.flood_sfha], ['AE', true]);
    const { columns, row } = flood.polygons!.details!;
    const details = row(held.flood!);
    assert.equal(details[columns.indexOf('base_flood_elevation_ft')], null);
    assert.deepEqual(
      (details.at(-1) as { zone: string }[]).map(({ zone }) => zone),
      ['AE', 'X'],
    );
  });

  it('distinguishes outside every zone from not covered', () => {
    const point = { latitude: 5, longitude: 5 };
    assert.deepEqual(
      [1, 2].map((fips) => stamper(fips, point).columns.flood_sfha),
      [false, null],
    );
  });
});

describe('a row', () => {
  const [roll, sales] = testville.datasets;
  const map = (dataset: Dataset, header: string[], cells: string[]) => {
    const context = {
      source: testville,
      dataset,
      stamper: undefined,
      file: 'f',
      publishedOn: '2026-01-31',
      fileRank: 1,
    };
    const mapped = compileMap(header, context)({ line: 2, cells });
    const records = mapped.records.map(({ target, values }) =>
      Object.fromEntries(stagedColumns(dataset, target).map((name, i) => [name, values[i]])),
    );
    return { ...mapped, records };
  };

  it('is bad, and not the end of the load, where a value does not fit its column', () => {
    const dataset = (name: string, field: FieldSpec): Dataset => {
      const record = sales.records.find(({ into }) => into === 'transactions')!;
      const plain = { sale_date: { date: 'day' }, price: { dollars: 'price' }, [name]: field };
      const fields = Object.fromEntries(Object.entries(plain).map(([key, spec]) => [key, compileField(spec, [])]));
      return { ...sales, key: roll.key, where: undefined, records: [{ ...record, fields, required: [] }] };
    };
    const mapped = (name: string, field: FieldSpec, cell: string) => {
      const { records, problems } = map(
        dataset(name, field),
        ['PIN', 'day', 'price', 'x'],
        ['T-1', '2020-01-02', '1', cell],
      );
      return problems[0]?.reason ?? records[0][name];
    };
    const year = { expression: 'x + "-00-01"' };
    assert.equal(mapped('sale_date', year, '0'), 'not_a_date (x)');
    assert.equal(mapped('sale_date', year, '2019'), 'not_a_date (x)');
    assert.equal(mapped('sale_date', { expression: 'x + "-7-03"' }, '2019'), '2019-07-03');
    assert.equal(mapped('recording_date', { text: 'x' }, '03-JUL-19'), '2019-07-03');
    assert.equal(mapped('recording_date', { text: 'x' }, 'unknown'), 'not_a_date (x)');
    assert.equal(mapped('loan_amount', { text: 'x' }, 'two'), 'not_a_whole_number (x)');
    assert.equal(mapped('loan_amount', { expression: 'number(x) / 2' }, '5'), 'not_a_whole_number (x)');
    assert.equal(mapped('loan_amount', { dollars: 'x' }, '$99,999,999,999,999,999,999.00'), null);
    assert.equal(mapped('type', { lower: 'x' }, 'Quitclaim'), 'not_one_of deed mortgage release foreclosure other (x)');
    assert.equal(mapped('type', { lower: 'x' }, 'Mortgage'), 'mortgage');
  });

  it('becomes records in several tables', () => {
    const header = ['PIN', 'address', 'lat', 'lon', 'sqft', 'owner', 'year', 'value'];
    const { records, problems } = map(roll, header, [
      'T-1',
      '1 elm st',
      '43',
      '-88',
      '1,200',
      'DOE JANE',
      '2025',
      '$99,000',
    ]);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      [records[0].address_line1, records[0].sqft, records[1].names, records[1].type, records[2].total],
      ['1 ELM ST', 1200, ['DOE JANE'], 'individual', 99_000],
    );
  });

  it('keeps its good records when one of them is bad, and the reason contains no value', () => {
    const { records, problems } = map(sales, ['pin', 'sqft', 'sold', 'price'], ['T-1', '900', '2013-01', 'Jane Doe']);
    assert.equal(records.length, 1);
    assert.deepEqual(problems, [{ reason: 'not_a_number (price)' }]);
  });

  it('dated by month is known fourteen days after the month ends', () => {
    const { records } = map(sales, ['pin', 'sqft', 'sold', 'price'], ['T-1', '900', '2013-12', '250000']);
    assert.deepEqual(
      [records[1].sale_date, records[1].date_precision, records[1].known_on],
      ['2013-12-01', 'month', '2014-01-15'],
    );
    assert.equal((records[1].attributes as { sqft: number }).sqft, 900);
  });

  it('dated in the future is rejected', () => {
    const { problems } = map(sales, ['pin', 'sqft', 'sold', 'price'], ['T-1', '900', '2028-06-13', '250000']);
    assert.deepEqual(problems, [{ reason: 'date_in_future' }]);
  });

  it('is not read from a file whose columns changed', () => {
    assert.deepEqual(missingColumns(['pin', 'square_feet', 'sold', 'price'], sales), ['sqft']);
  });
});

describe('every source', () => {
  for (const source of readSources()) {
    it(`${source.id} states its publisher and terms`, () => {
      for (const dataset of source.datasets) {
        assert.match(dataset.id, new RegExp(`^${source.id}/[a-z0-9-]+$`));
        for (const member of ['publisher', 'licence', 'attribution', 'cadence', 'publishedOn'] as const)
          assert.ok(dataset[member], `${dataset.id} ${member}`);
        assert.match(dataset.landingPage, /^https:\/\//);
      }
    });
  }
});

describe('single cells', () => {
  const read = (field: Field, cell: string) => field.read([cell], undefined);

  it('numbers out of range are unknown, others are rounded', () => {
    const bedrooms = fields.whole('beds', 0, 99);
    assert.deepEqual(
      ['3', '3.6', '-1', '100', '99', ''].map((cell) => read(bedrooms, cell)),
      [3, 4, null, null, 99, null],
    );
  });

  it('ZIP codes keep the zeros that a spreadsheet dropped, and only five digits', () => {
    const zip = fields.zip('zip');
    assert.deepEqual(
      ['3755', '03755-1234', '2138.0', '0', 'none'].map((cell) => read(zip, cell)),
      ['03755', '03755', '02138', null, null],
    );
  });
});
