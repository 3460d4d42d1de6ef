// Cells of sales by period, and the handling of late sales.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../properties.ts';
import {
  createSaleBook,
  KINDS,
  endOf,
  nextStart,
  startOf,
  STEPS,
  type SaleFact,
} from '../../src/insight/analytics/cells.ts';
import { isSegment } from '../../src/insight/analytics/segments.ts';
import { pointsOf } from '../../src/insight/analytics/points.ts';
import { reviseCells, type KeptCell } from '../../src/insight/analytics/revisions.ts';

const NOWHERE = Object.fromEntries(KINDS.map((kind) => [kind, null])) as SaleFact['areas'];

function saleOf(soldOn: string, price: number, changes: Partial<SaleFact> = {}): SaleFact {
  return {
    home: `${soldOn} ${price}`,
    soldOn,
    latitude: null,
    longitude: null,
    isYearOnly: false,
    price,
    sqft: 1_000,
    bedrooms: 3,
    yearBuilt: 1950,
    assessed: null,
    propertyType: 'condo',
    source: 'deeds',
    areas: { ...NOWHERE, zip: '00101' },
    ...changes,
  };
}

function seriesOf(sales: SaleFact[]) {
  const book = createSaleBook();
  for (const sale of sales) book.add(sale);
  return [...book.series()];
}

/** Day, price and living area of a few dozen sales over three years. */
const SALES = fc.array(
  fc.record({
    day: fc.integer({ min: 0, max: 1_094 }),
    price: fc.integer({ min: 10_000, max: 2_000_000 }),
    sqft: fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: null }),
  }),
  { minLength: 1, maxLength: 120 },
);
const dateOf = (day: number) => new Date(Date.UTC(2022, 0, 1 + day)).toISOString().slice(0, 10);

describe('points', () => {
  it('exist from the first sale to the last, even if a span begins or ends without sales', () => {
    const sales = ['2022-01-10', '2022-06-10'].flatMap((day) => [1, 2, 3, 4, 5].map((price) => saleOf(day, price)));
    const { cells } = seriesOf(sales).find(({ group, step }) => group === 'condo' && step === 'month')!;
    const kept = cells.map((cell): KeptCell => ({ ...cell, nFirst: null, revisedOn: null }));
    const periodsOf = (since: string, until: string) =>
      pointsOf(kept, { step: 'month', since, until, lastSoldOn: null, homes: null }).map(({ period, n }) => [
        period,
        n,
      ]);
    assert.deepEqual(periodsOf('2022-05-20', '2022-08-01'), [
      ['2022-05', 0],
      ['2022-06', 5],
    ]);
    assert.deepEqual(periodsOf('2022-02-01', '2022-03-01'), [
      ['2022-02', 0],
      ['2022-03', 0],
    ]);
    assert.deepEqual(periodsOf('2021-01-01', '2021-12-31'), []);
  });
});

describe('cells', () => {
  it('have the median and the quartiles of their own sales, by month, quarter and year', () => {
    fc.assert(
      fc.property(SALES, (drawn) => {
        const sales = drawn.map(({ day, price, sqft }) => saleOf(dateOf(day), price, { sqft }));
        for (const series of seriesOf(sales).filter(({ group }) => group === 'condo')) {
          assert.equal(series.n, sales.length);
          for (const cell of series.cells) {
            const own = sales.filter(({ soldOn }) => startOf(soldOn, series.step) === cell.starts);
            assert.equal(cell.n, own.length);
            assert.equal(cell.prices === null, own.length < 5);
            const measured = own.filter(({ sqft }) => sqft !== null && sqft >= 100);
            assert.equal(cell.nSqft, measured.length);
            assert.equal(cell.perSqft === null, measured.length < 5);
            if (cell.prices) {
              assert.deepEqual(
                cell.prices,
                [0.25, 0.5, 0.75].map((share) => Math.round(shareOf(own, share))),
              );
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('count sales dated only by year in years only', () => {
    const sales = [...Array(5).keys()].map((i) => saleOf('2024-01-01', 100_000 + i, { isYearOnly: true }));
    const series = seriesOf([...sales, saleOf('2024-03-05', 90_000)]).filter((each) => each.group === 'condo');
    assert.deepEqual(
      series.map(({ step, n, cells }) => [step, n, cells.map(({ starts }) => starts)]),
      [
        ['month', 1, ['2024-03-01']],
        ['quarter', 1, ['2024-01-01']],
        ['year', 6, ['2024-01-01']],
      ],
    );
  });

  it('count homes of every type as residential, and nothing else', () => {
    const types = [
      'single_family',
      'condo',
      'townhouse',
      'multi_family',
      'manufactured',
      'land',
      'commercial',
      'other',
    ];
    const all = seriesOf(types.map((propertyType) => saleOf('2024-03-05', 90_000, { propertyType })));
    assert.equal(all.find(({ group }) => group === 'residential')?.n, 5);
    assert.equal(new Set(all.map(({ group }) => group).filter((group) => !isSegment(group))).size, types.length + 1);
  });
});

/** Interpolated between the two sales on either side. */
function shareOf(sales: SaleFact[], share: number): number {
  const prices = sales.map(({ price }) => price).sort((a, b) => a - b);
  const at = share * (prices.length - 1);
  const [below, above] = [prices[Math.floor(at)], prices[Math.ceil(at)]];
  return below + (above - below) * (at % 1);
}

describe('periods', () => {
  it('follow each other without gaps and hold their days', () => {
    for (const step of STEPS) {
      let starts = step === 'year' ? '1899-01-01' : '1999-01-01';
      for (let i = 0; i < 130; i++) {
        assert.equal(startOf(starts, step), starts);
        const next = nextStart(starts, step);
        const lastDay = new Date(Date.parse(next) - 86_400_000).toISOString().slice(0, 10);
        assert.equal(startOf(lastDay, step), starts);
        assert.equal(endOf(starts, step), lastDay);
        starts = next;
      }
    }
  });
});

describe('late sales', () => {
  const cell = (starts: string, n: number, price = 100_000): KeptCell => ({
    starts,
    n,
    prices: n < 5 ? null : [price, price, price],
    nSqft: 0,
    perSqft: null,
    nAssessed: 0,
    overAssessed: null,
    nTraced: 0,
    resold: null,
    sources: ['deeds'],
    nFirst: null,
    revisedOn: null,
  });
  const revise = (cells: KeptCell[], before: KeptCell[], lastSoldOn: string, lastSoldBefore: string | null) =>
    reviseCells(cells, before, { step: 'month', lastSoldOn, lastSoldBefore, today: '2026-06-30' }).map(
      ({ nFirst, revisedOn }) => [nFirst, revisedOn],
    );

  it('do not exist in a first roll-up, nor in an open period', () => {
    const first = [cell('2026-01-01', 10), cell('2026-02-01', 4)];
    assert.deepEqual(revise(first, [], '2026-02-14', null), [
      [10, null],
      [null, null],
    ]);
    assert.deepEqual(revise([cell('2026-02-01', 9)], [cell('2026-02-01', 4)], '2026-03-14', '2026-02-14'), [[9, null]]);
  });

  it('are marked if the period was closed, even without sales', () => {
    const closed = { ...cell('2026-01-01', 10), nFirst: 10 };
    assert.deepEqual(revise([cell('2026-01-01', 12)], [closed], '2026-03-14', '2026-02-14'), [[10, '2026-06-30']]);
    assert.deepEqual(revise([cell('2026-01-01', 12)], [], '2026-03-14', '2026-02-14'), [[0, '2026-06-30']]);
  });

  it('leave the day of an earlier revision as long as nothing else changes', () => {
    const closed = { ...cell('2026-01-01', 12), nFirst: 10, revisedOn: '2026-04-01' };
    assert.deepEqual(revise([cell('2026-01-01', 12)], [closed], '2026-03-14', '2026-03-14'), [[10, '2026-04-01']]);
  });
});
