// Segments, resales, the stock of areas, rankings, and the address of the area page.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../properties.ts';
import { createSaleBook, KINDS, type SaleFact } from '../../src/insight/analytics/cells.ts';
import { figuresOf } from '../../src/insight/analytics/figures.ts';
import { startOfLabel } from '../../src/insight/analytics/points.ts';
import { leastOf, rankBy, type Figure } from '../../src/insight/analytics/ranks.ts';
import { segmentsOf } from '../../src/insight/analytics/segments.ts';
import { createHomeBook, type HomeFact } from '../../src/insight/analytics/stock.ts';
import { readState, writeState } from '../../web/src/areas/state.ts';
import { areaText } from '../../web/src/areas/words.ts';
import { csvOf } from '../../web/src/charts/csv.ts';

const NOWHERE = Object.fromEntries(KINDS.map((kind) => [kind, null])) as SaleFact['areas'];
const home = { propertyType: 'condo', sqft: 1_200, bedrooms: 3, yearBuilt: 1998 };

describe('segments', () => {
  it('have one class of each kind that is known, at either side of every bound', () => {
    const cases: [traits: Partial<typeof home> | Record<string, number | null>, soldIn: number, expected: string[]][] =
      [
        [{}, 2005, ['bedrooms_3', 'sqft_1000_1499', 'built_1970_1999', 'existing']],
        [
          { sqft: 999, bedrooms: 0, yearBuilt: 1939 },
          2005,
          ['bedrooms_0_1', 'sqft_under_1000', 'built_before_1940', 'existing'],
        ],
        [
          { sqft: 1_500, bedrooms: 9, yearBuilt: 2000 },
          2001,
          ['bedrooms_5_plus', 'sqft_1500_1999', 'built_2000_plus', 'new'],
        ],
        [
          { sqft: 3_000, bedrooms: 4, yearBuilt: 2000 },
          2002,
          ['bedrooms_4', 'sqft_3000_plus', 'built_2000_plus', 'existing'],
        ],
        // Built after the sale: another home stood there.
        [{ yearBuilt: 2010 }, 2005, ['bedrooms_3', 'sqft_1000_1499', 'built_2000_plus']],
        [{ sqft: null, bedrooms: null, yearBuilt: null }, 2005, []],
        [{ sqft: 20 }, 2005, ['bedrooms_3', 'built_1970_1999', 'existing']],
      ];
    for (const [traits, soldIn, expected] of cases) {
      assert.deepEqual(segmentsOf({ ...home, ...traits }, soldIn), expected, JSON.stringify(traits));
    }
    assert.deepEqual(segmentsOf({ ...home, propertyType: 'land' }, 2005), []);
  });
});

describe('resales within a year', () => {
  const sell = (name: string, soldOn: string): SaleFact => ({
    ...home,
    home: name,
    soldOn,
    isYearOnly: false,
    latitude: null,
    longitude: null,
    price: 100_000,
    assessed: null,
    source: 'deeds',
    areas: NOWHERE,
  });
  const cellOf = (sales: SaleFact[], year: string) => {
    const book = createSaleBook();
    for (const sale of sales) book.add(sale);
    return book.cells('year').find(({ starts }) => starts.startsWith(year));
  };

  it('are counted where the year before is on record, and several deeds of a day are one sale', () => {
    const sales = [
      sell('first of all', '2020-01-01'),
      sell('a', '2020-06-01'),
      sell('a', '2021-06-01'),
      sell('b', '2021-02-01'),
      sell('b', '2021-02-01'),
      sell('c', '2020-05-01'),
      sell('c', '2021-06-01'),
      sell('d', '2021-03-01'),
    ];
    const cell = cellOf(sales, '2021')!;
    assert.deepEqual([cell.nTraced, cell.resold], [5, 1]);
    assert.equal(cellOf(sales, '2020')!.nTraced, 0);
    assert.equal(figuresOf(cell, () => undefined, null).resale_share, 0.2);
  });
});

describe('the stock of an area', () => {
  it('has a histogram that counts every home once, whatever the values', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20_000_000 }), { minLength: 5, maxLength: 200 }), (values) => {
        const book = createHomeBook();
        for (const value of values) book.add(homeWorth(value));
        const [{ values: found }] = book.stock();
        assert.equal(found.n, values.length);
        assert.equal(
          found.histogram.reduce((total, [, , n]) => total + n, 0),
          values.length,
        );
        for (const [i, [from, to, n]] of found.histogram.entries()) {
          assert.equal(n, values.filter((value) => value >= from && (to === null || value < to)).length);
          if (i > 0) assert.equal(from, found.histogram[i - 1][1]);
        }
        assert.ok(found.histogram.length <= 40);
      }),
      { numRuns: 100 },
    );
  });

  it('withholds medians of fewer than five homes, and owners of fewer than twenty', () => {
    const stockOf = (n: number) => {
      const book = createHomeBook();
      for (let i = 0; i < n; i++) book.add(homeWorth(100_000));
      return [...book.stock()][0];
    };
    assert.deepEqual([stockOf(4).values.median, stockOf(4).sqft.median, stockOf(4).homes.residential], [null, null, 4]);
    assert.deepEqual(
      [stockOf(5).values.median, stockOf(19).owners.share, stockOf(20).owners.share],
      [100_000, null, 1],
    );
  });

  it('has the tax rate at the middle of the homes whose bill is known', () => {
    const book = createHomeBook();
    for (const value of [100_000, 110_000, 120_000, 130_000, 140_000, 900_000]) book.add(homeWorth(value));
    const [{ taxRate }] = [...book.stock()];
    assert.deepEqual([taxRate?.n, taxRate?.median], [5, 12_500]);
  });

  function homeWorth(value: number): HomeFact {
    return {
      ...home,
      fips: 99001,
      areas: { ...NOWHERE, zip: '00101' },
      latitude: 40,
      longitude: -70,
      isOwnerOccupied: true,
      value,
      taxRate: value > 150_000 ? null : 0.0125,
      valuedOn: '2026-01-01',
      model: 'm',
      permits: null,
      violations: null,
      liens: null,
    };
  }
});

describe('a ranking', () => {
  it('sorts by the figure, then by name, and lists areas without it separately', () => {
    const kept = (area: string, value: number | null, n: number) => ({ market: 'm', area, value, n });
    const areas = [kept('b', 5, 9), kept('c', 7, 9), kept('a', 5, 9), kept('d', null, 3), kept('e', null, 8)];
    const { ranked, withheld } = rankBy(areas, { isDescending: true, least: 5 });
    assert.deepEqual(
      ranked.map(({ area }) => area),
      ['c', 'a', 'b'],
    );
    assert.deepEqual(
      rankBy(areas, { isDescending: false, least: 5 }).ranked.map(({ area }) => area),
      ['a', 'b', 'c'],
    );
    assert.deepEqual(
      withheld.map(({ area, reason }) => [area, reason]),
      [
        ['e', 'not_known'],
        ['d', 'few'],
      ],
    );
  });

  it('gives `few` as the reason if homes are fewer than the figure needs, and not where no records reach', () => {
    const areas = [
      { market: 'm', area: 'a', value: null, n: 12 },
      { market: 'm', area: 'b', value: null, n: 0, isUnknown: true },
    ];
    const reasonsOf = (figure: Figure) =>
      rankBy(areas, { isDescending: true, least: leastOf(figure) }).withheld.map(({ reason }) => reason);
    assert.deepEqual(reasonsOf('owner_occupied_share'), ['few', 'not_known']);
    assert.deepEqual(reasonsOf('median_price_per_sqft'), ['not_known', 'not_known']);
  });

  it('reads periods as they are written', () => {
    assert.equal(startOfLabel('2024', 'year'), '2024-01-01');
    assert.equal(startOfLabel('2024-Q4', 'quarter'), '2024-10-01');
    for (const label of ['24', '2024-Q5', '2024-10', '2024']) assert.equal(startOfLabel(label, 'quarter'), undefined);
  });
});

describe('the area page', () => {
  it('has all it shows in its address', () => {
    for (const query of [
      '',
      'area=zip%3A98103',
      'market=king-county-wa&area=zip%3A98103&area=city%3ASEATTLE&figure=turnover&interval=year&homes=bedrooms_3&parts=tract',
    ]) {
      const state = readState(new URLSearchParams(query));
      assert.equal(writeState(state), query === '' ? '/areas' : `/areas?${query}`);
    }
    const wild = readState(
      new URLSearchParams('area=planet:x&area=zip:&figure=beauty&interval=week&homes=castle&parts=moon'),
    );
    assert.equal(writeState(wild), '/areas');
    assert.equal(
      readState(new URLSearchParams(Array.from({ length: 9 }, (_, i) => `area=zip:0000${i}`).join('&'))).areas.length,
      5,
    );
  });

  it('names areas as people do, and writes cells that spreadsheets read', () => {
    assert.equal(areaText({ kind: 'tract', id: '53033004301' }), 'Tract 43.01');
    assert.equal(areaText({ kind: 'neighborhood', id: "BREWER'S HILL" }), "Brewer's Hill");
    assert.equal(csvOf([['a', 'b "c", d', null, 1.5, true]]), 'a,"b ""c"", d",,1.5,true\r\n');
  });
});
