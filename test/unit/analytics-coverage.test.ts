// Figures across a change of coverage: a file of a whole county ends, while one of its city continues.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSaleBook, KINDS, type SaleFact } from '../../src/insight/analytics/cells.ts';
import { pointsOf } from '../../src/insight/analytics/points.ts';
import { indexMarket, type AreaIndex } from '../../src/insight/analytics/price-index.ts';
import { createRankBook, leastOf, rankBy } from '../../src/insight/analytics/ranks.ts';
import { noAttributes, type Sale } from '../../src/insight/avm/attributes.ts';
import { propertyId } from '../../src/base/lib/ids.ts';

const FIRST_YEAR = 2010;
const YEARS = 6;
/** The county's file: from the second quarter of 2014 to the first of 2015. */
const WINDOW = [17, 20];
const CITY = { latitude: 47.6, longitude: -122.3, zip: '98103', price: 600_000, perQuarter: 60 };
const SUBURB = { latitude: 47.3, longitude: -122.1, zip: '98052', price: 300_000, perQuarter: 120 };

/** Every home of a place sells at one price; nothing rises. Suburban homes sell a few times outside of the window. */
function* salesOf(): Generator<{ place: typeof CITY; soldOn: string; home: string; price: number }> {
  for (let quarter = 0; quarter < 4 * YEARS; quarter++) {
    for (const place of [CITY, SUBURB]) {
      const isCovered = place === CITY || (quarter >= WINDOW[0] && quarter <= WINDOW[1]);
      const n = isCovered ? place.perQuarter : 2;
      for (let k = 0; k < n; k++) {
        const month = String(3 * (quarter % 4) + 1 + (k % 3)).padStart(2, '0');
        const soldOn = `${FIRST_YEAR + Math.floor(quarter / 4)}-${month}-15`;
        yield { place, soldOn, home: `${place.zip} ${k % 50}`, price: place.price * (0.9 + 0.01 * (k % 20)) };
      }
    }
  }
}

const NOWHERE = Object.fromEntries(KINDS.map((kind) => [kind, null])) as SaleFact['areas'];
const book = createSaleBook();
for (const { place, soldOn, home, price } of salesOf())
  book.add({
    home,
    soldOn,
    price,
    latitude: place.latitude,
    longitude: place.longitude,
    isYearOnly: false,
    sqft: 2_000,
    bedrooms: 3,
    yearBuilt: 1950,
    assessed: null,
    propertyType: 'single_family',
    source: 'deeds',
    areas: { ...NOWHERE, county: '53033', zip: place.zip },
  });
const series = [...book.series()];
const pointsOfArea = (area: string, step: string) => {
  const { cells } = series.find((each) => each.area === area && each.step === step && each.group === 'residential')!;
  const kept = cells.map((cell) => ({ ...cell, nFirst: null, revisedOn: null }));
  return new Map(
    pointsOf(kept, { step: step as 'year', lastSoldOn: '2016-01-01', homes: null }).map((point) => [
      point.period,
      point,
    ]),
  );
};

describe('growth of medians', () => {
  it('is withheld between periods that cover different places, and reports the shares gained and lost', () => {
    for (const [step, before, after] of [
      ['quarter', '2014-Q4', '2015-Q4'],
      ['year', '2013', '2014'],
      ['year', '2014', '2015'],
      ['month', '2014-01', '2014-10'],
    ] as const) {
      const points = pointsOfArea('53033', step);
      assert.ok(points.get(before)!.median_price !== null && points.get(after)!.median_price !== null);
      assert.equal(points.get(after)!.price_growth_1y, null, `${step} ${after}`);
      const [base] = points.get(after)!.growth_bases;
      const { lost, gained } = base.coverage_changed!;
      assert.ok(Math.max(lost, gained) > 0.4, JSON.stringify(base));
    }
  });

  it('uses what both periods cover if that is most of either, and reports the number of sales', () => {
    // The file of more expensive places ends after 2011, or begins then: medians move by a quarter, although no prices
    // move except those of the rest.
    const growth = (share: number, dear = { begins: 0, ends: 8 }) => {
      const places = [
        { ...CITY, perQuarter: 120, begins: 0, ends: 24, rise: 1.1 },
        { ...SUBURB, price: 900_000, perQuarter: 60, ...dear, rise: 1 },
      ];
      const own = createSaleBook();
      for (const { latitude, longitude, zip, price, perQuarter, begins, ends, rise } of places)
        for (let quarter = begins; quarter < ends; quarter++)
          for (let k = 0; k < perQuarter * share; k++) {
            const soldOn = `${FIRST_YEAR + Math.floor(quarter / 4)}-${String(3 * (quarter % 4) + 1).padStart(2, '0')}-15`;
            const paid = price * (quarter >= 8 ? rise : 1);
            const fact = {
              latitude,
              longitude,
              soldOn,
              price: paid,
              home: `${zip} ${k}`,
              areas: { ...NOWHERE, county: '1' },
            };
            const traits = { sqft: k < 10 ? 1_000 : null, bedrooms: 3, yearBuilt: 1950, propertyType: 'condo' };
            own.add({ ...fact, ...traits, isYearOnly: false, assessed: null, source: 'deeds' });
          }
      const cells = own.cells('quarter').map((cell) => ({ ...cell, nFirst: null, revisedOn: null }));
      return pointsOf(cells, { step: 'quarter', lastSoldOn: '2016-01-01', homes: null }).find(
        ({ period }) => period === '2012-Q1',
      )!;
    };
    const enough = growth(1);
    assert.deepEqual([enough.price_growth_1y, enough.price_per_sqft_growth_1y], [0.1, null]);
    const { lost, gained, common } = enough.growth_bases[0].coverage_changed!;
    assert.deepEqual([lost, gained, common], [0.333, 0, { n: 120, base_n: 120 }]);
    const grown = growth(1, { begins: 8, ends: 24 });
    assert.equal(grown.price_growth_1y, 0.1);
    const { coverage_changed: change } = grown.growth_bases[0];
    assert.deepEqual([change!.lost, change!.gained, change!.common], [0, 0.333, { n: 120, base_n: 120 }]);
    const few = growth(0.15);
    assert.deepEqual([few.price_growth_1y, few.growth_bases[0].coverage_changed?.common], [null, null]);
  });

  it('is that of no ZIP code whose homes are only known if they sold in a window, and of any that are all known', () => {
    // A city of 1,000 homes; those that sell twice, the second time in 2014, have gained by it.
    const cellsWhere = (isKnown: (home: number, quarter: number) => boolean) => {
      const own = createSaleBook();
      for (let quarter = 0; quarter < 24; quarter++)
        for (let k = 0; k < 60; k++) {
          const home = (quarter * 7 + k * (17 + 2 * quarter)) % 1_000;
          const soldOn = `${FIRST_YEAR + Math.floor(quarter / 4)}-${String(3 * (quarter % 4) + 1).padStart(2, '0')}-15`;
          const zip = isKnown(home, quarter) ? '98103' : null;
          const fact = { latitude: 47.6, longitude: -122.3, soldOn, price: 500_000, home: `${home}`, source: 'deeds' };
          const traits = { sqft: null, bedrooms: 3, yearBuilt: 1950, propertyType: 'single_family' };
          own.add({ ...fact, ...traits, isYearOnly: false, assessed: null, areas: { ...NOWHERE, county: '1', zip } });
        }
      const of = (kind: string, step: string) =>
        [...own.series()].find((each) => each.kind === kind && each.step === step && each.group === 'residential')!;
      return (kind: string) =>
        (['year', 'quarter'] as const).map((step) => {
          const cells = of(kind, step).cells.map((cell) => ({ ...cell, nFirst: null, revisedOn: null }));
          const points = pointsOf(cells, { step, lastSoldOn: '2016-01-01', homes: null });
          return points.find(({ period }) => period === (step === 'year' ? '2014' : '2014-Q2'))!;
        });
    };
    const sold = new Set<number>();
    for (let quarter = 16; quarter < 20; quarter++)
      for (let k = 0; k < 60; k++) sold.add((quarter * 7 + k * (17 + 2 * quarter)) % 1_000);
    const windowed = cellsWhere((home) => sold.has(home));
    for (const { n, price_growth_1y: growth, growth_bases: bases, ...point } of windowed('zip')) {
      assert.ok(n >= 60 && bases[0].n >= 5, `${n} ${bases[0].n}`);
      assert.deepEqual([growth, point.median_price, point.unplaced_share], [null, 500_000, null]);
      const { lost, gained, common } = bases[0].coverage_changed!;
      assert.ok(lost > 0.2 && gained === 0 && common === null, JSON.stringify(bases[0]));
    }
    for (const point of windowed('county')) assert.equal(point.price_growth_1y, 0, 'the county knows them all');
    const nearly = cellsWhere((home) => home % 10 > 0);
    for (const point of nearly('zip'))
      assert.deepEqual([point.price_growth_1y, point.growth_bases[0].coverage_changed], [0, null]);
  });

  it('has no median, count or turnover beside it in a period when most homes around are in no ZIP code', () => {
    const own = createSaleBook();
    const add = (year: number, k: number, zip: string | null) =>
      own.add({
        home: `${year} ${k}`,
        latitude: 47.6,
        longitude: -122.3,
        soldOn: `${year}-05-15`,
        isYearOnly: false,
        price: 500_000 + year,
        assessed: 400_000,
        sqft: 2_000,
        bedrooms: 3,
        yearBuilt: 1950,
        propertyType: 'single_family',
        source: 'deeds',
        areas: { ...NOWHERE, county: '1', neighborhood: zip, zip },
      });
    for (let k = 0; k < 100; k++) {
      add(2012, k, k < 40 ? '98103' : null);
      add(2013, k, k < 85 ? '98103' : null);
    }
    const all = [...own.series()].filter(({ step, group }) => step === 'year' && group === 'residential');
    const pointsOfKind = (kind: string) => {
      const cells = all.find((each) => each.kind === kind)!.cells.map((c) => ({ ...c, nFirst: null, revisedOn: null }));
      return pointsOf(cells, { step: 'year', lastSoldOn: '2016-01-01', homes: 1_000 });
    };
    const [thin, whole] = pointsOfKind('zip');
    assert.deepEqual([thin.n, thin.n_with_sqft, thin.withheld, thin.unplaced_share], [40, 40, true, 0.6]);
    for (const [name, value] of Object.entries(thin))
      if (/price|turnover|dispersion|resale/.test(name)) assert.equal(value, null, name);
    assert.deepEqual(
      [whole.n, whole.withheld, whole.unplaced_share, whole.median_price, whole.turnover],
      [85, false, null, 502_013, 0.085],
    );
    assert.equal(pointsOfKind('neighborhood')[0].median_price, 502_012, 'not every home lies in a neighborhood');
    const ranks = createRankBook();
    for (const each of all) if (each.kind === 'zip') ranks.addSeries(each, 1_000);
    for (const figure of ['sales', 'median_price', 'turnover'] as const) {
      const values = ranks.rows().map(({ starts, figures }) => [starts, figures[figure]!.values[0] === null]);
      assert.deepEqual(
        values,
        [
          ['2012-01-01', true],
          ['2013-01-01', false],
        ],
        figure,
      );
    }
  });

  it('is given where both periods cover the same, with the sales that it starts from', () => {
    const county = pointsOfArea('53033', 'quarter').get('2013-Q4')!;
    assert.equal(county.price_growth_1y, 0);
    assert.deepEqual(county.growth_bases[0], { years: 1, n: 62, n_with_sqft: 62, coverage_changed: null });
    const city = pointsOfArea(CITY.zip, 'quarter');
    for (const period of ['2014-Q4', '2015-Q4']) assert.equal(city.get(period)!.price_growth_1y, 0, period);
  });

  it('is not ranked over a change of coverage, nor from a few sales', () => {
    const ranks = createRankBook();
    for (const each of series) if (each.kind === 'zip') ranks.addSeries(each, null);
    const rankingOf = (starts: string) => {
      const row = ranks
        .rows()
        .find((each) => each.step === 'year' && each.starts === starts && each.property_type === 'residential')!;
      const { values, counts, bases } = row.figures.price_growth_1y!;
      const areas = row.areas.map((area, i) => ({
        area,
        market: 'm',
        value: values[i],
        n: counts[i],
        base: bases![i],
      }));
      return rankBy(areas, { isDescending: true, least: leastOf('price_growth_1y') });
    };
    const { ranked, withheld } = rankingOf('2014-01-01');
    assert.deepEqual(
      ranked.map(({ area, n, base }) => [area, n, base]),
      [[CITY.zip, 240, 240]],
    );
    assert.deepEqual(
      withheld.map(({ area, n, base, reason }) => [area, n, base, reason]),
      [[SUBURB.zip, 362, 8, 'few']],
    );
    assert.equal(rankingOf('2015-01-01').withheld[0].reason, 'coverage_changed');
  });
});

describe('a price index', () => {
  const sales = [...salesOf()].map(({ place, soldOn, home, price }, i): Sale => {
    const soldDay = Date.parse(soldOn) / 86_400_000;
    const { latitude, longitude, zip } = place;
    return {
      id: `sale ${i}`,
      propertyId: propertyId(53_033, home),
      soldDay,
      knownDay: soldDay,
      priceUsd: price,
      attributes: { ...noAttributes, propertyType: 'single_family', sqft: 2_000, latitude, longitude, zip },
      address: null,
    };
  });
  const indexes = [...indexMarket(sales, 'king')].filter((each) => each?.step === 'month') as AreaIndex[];
  const of = (area: string) => indexes.find((each) => each.area === area && each.propertyType === 'residential')!;

  it('has no level if most of the area was on record for only a year, and lists the coverage changes', () => {
    for (const area of ['king', '53033', SUBURB.zip]) {
      const { level, growth, forecast, changes } = of(area);
      assert.deepEqual([level.length, growth.length, forecast], [0, 0, undefined], area);
      const told = changes.map(({ quarter, kind }) => [quarter - 4 * FIRST_YEAR, kind]);
      assert.deepEqual(
        told,
        [
          [WINDOW[0], 'began'],
          [WINDOW[1] + 1, 'ended'],
        ],
        area,
      );
    }
  });

  it('is of no ZIP code that is known only for homes sold in a window, and of a tract known for all', () => {
    const soldLate = new Set<number>();
    const homeOf = (quarter: number, k: number) => (quarter * 7 + k * (17 + 2 * quarter)) % 1_000;
    for (let quarter = WINDOW[0]; quarter <= WINDOW[1]; quarter++)
      for (let k = 0; k < 60; k++) soldLate.add(homeOf(quarter, k));
    const own = Array.from({ length: 24 * 60 }, (_, i): Sale => {
      const [quarter, k] = [Math.floor(i / 60), i % 60];
      const soldDay = Date.UTC(FIRST_YEAR, 3 * quarter + (k % 3), 15) / 86_400_000;
      const zip = soldLate.has(homeOf(quarter, k)) ? '98103' : null;
      const place = { latitude: 47.6, longitude: -122.3, zip, censusTract: '53033000100' };
      return {
        id: `sale ${i}`,
        propertyId: propertyId(53_033, `${homeOf(quarter, k)}`),
        soldDay,
        knownDay: soldDay,
        priceUsd: 500_000 + 1_000 * (k % 20),
        address: null,
        attributes: { ...noAttributes, propertyType: 'single_family', sqft: 2_000, ...place },
      };
    });
    const found = [...indexMarket(own, 'king')].filter((each) => each?.step === 'month') as AreaIndex[];
    const lengthsOf = (area: string) => found.filter((each) => each.area === area).map(({ level }) => level.length);
    assert.deepEqual(lengthsOf('98103'), [0, 0]);
    assert.deepEqual(lengthsOf('53033000100'), [12 * YEARS, 12 * YEARS]);
  });

  it('continues if the area itself is covered throughout', () => {
    const { level, growth, changes, forecast } = of(CITY.zip);
    assert.equal(level.length, 12 * YEARS);
    assert.deepEqual([growth.length, changes], [3, []]);
    assert.ok(forecast);
  });
});
