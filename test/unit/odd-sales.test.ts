// Sales that are not at market price: detected by predictions from other sales, and never from later ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noAttributes, type Sale } from '../../src/insight/avm/attributes.ts';
import { openBook } from '../../src/insight/avm/evidence.ts';
import { findOddness, fitOddLimits, type OddLimits } from '../../src/insight/avm/odd-sales.ts';
import { listSales, openSaleBuffer } from '../../src/insight/avm/sales.ts';
import { runFitsHere } from '../../src/insight/training/fit/fits.ts';
import { backTest } from '../../src/insight/training/back-test.ts';
import { seededRandom } from '../../src/base/math/random.ts';
import { findFlipped, findOddSales } from '../../src/insight/training/odd-sales.ts';
import { quick } from '../../src/insight/training/parameters.ts';
import { measureSegments, priceBands } from '../../src/insight/training/segments.ts';
import { trainModel } from '../../src/insight/training/stages.ts';

const FIRST_DAY = 18_000;
const parameters = { ...quick, base: { ...quick.base, rounds: 40 }, second: { ...quick.second, rounds: 40 } };

/** Homes worth what their size and place say, give or take 8%; every fiftieth sold for a third, every ninetieth for four times. */
function inventMarket(count: number): { sales: Sale[]; low: Set<string>; high: Set<string> } {
  const random = seededRandom(3);
  const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
  const [low, high] = [new Set<string>(), new Set<string>()];
  const sales = Array.from({ length: count }, (_, i): Sale => {
    const soldDay = FIRST_DAY + Math.floor((i * 900) / count);
    const sqft = Math.round(900 + random() * 2200);
    const latitude = 43 + random() * 0.08;
    const log = 12 + 0.7 * Math.log(sqft / 1500) + 3 * (latitude - 43.04) + 0.08 * normal();
    const id = `sale_${String(i).padStart(5, '0')}`;
    const factor = i % 50 === 7 ? 0.33 : i % 90 === 11 ? 4 : 1;
    if (factor < 1) low.add(id);
    if (factor > 1) high.add(id);
    return {
      id,
      propertyId: `home_${i}`,
      soldDay,
      knownDay: soldDay + 14,
      priceUsd: Math.round(factor * Math.exp(log)),
      attributes: {
        ...noAttributes,
        propertyType: 'single_family',
        latitude,
        longitude: -88 + random() * 0.1,
        sqft,
        yearBuilt: 1950,
        zip: latitude > 43.04 ? '53202' : '53204',
      },
      address: null,
    };
  });
  return { sales, low, high };
}

const market = inventMarket(2_400);

describe('the limits', () => {
  const judge = (limits: OddLimits, error: number, isFlipped = false) =>
    findOddness(limits, { type: 'single_family', expected: 12.5, error, isFlipped });
  const n = 2_000;
  const random = seededRandom(1);
  const types = Array.from({ length: n }, (_, i) => (i % 10 === 0 ? 'condo' : 'single_family'));
  const expected = Float64Array.from({ length: n }, () => 12 + random());
  const error = Float64Array.from({ length: n }, (_, i) => (types[i] === 'condo' ? 0.6 : 0.1) * (random() - 0.5));
  const limits = fitOddLimits({ types, expected, error });

  it('are never closer than half and two and a half times, however certain the market', () => {
    assert.equal(judge(limits, Math.log(0.55)), undefined);
    assert.equal(judge(limits, Math.log(0.45)), 'far_below_value');
    assert.equal(judge(limits, Math.log(2.3)), undefined);
    assert.equal(judge(limits, Math.log(2.9)), 'far_above_value');
  });

  it('give the resale as the reason if there was one, and do not change', () => {
    assert.equal(judge(limits, Math.log(0.45), true), 'flip');
    assert.equal(judge(limits, Math.log(0.55), true), undefined);
  });

  it('are wider where prices scatter', () => {
    const wide = fitOddLimits({ types, expected, error: error.map((each) => 8 * each) });
    assert.equal(judge(wide, Math.log(0.45)), undefined);
    assert.equal(
      findOddness(wide, { type: 'a type nobody sold', expected: 12.5, error: Math.log(0.001) }),
      'far_below_value',
    );
  });
});

describe('a flip', () => {
  const sale = (id: string, soldDay: number, priceUsd: number, changes: Partial<Sale> = {}): Sale => ({
    ...market.sales[0],
    id,
    propertyId: 'one',
    soldDay,
    priceUsd,
    ...changes,
  });
  const cases: [title: string, sales: Sale[], odd: string[]][] = [
    ['is resold within a year for 1.6 times', [sale('a', 0, 100), sale('b', 300, 160)], ['a']],
    ['is not resold for 1.5 times', [sale('a', 0, 100), sale('b', 300, 150)], []],
    ['is not resold after two years', [sale('a', 0, 100), sale('b', 700, 300)], []],
    ['is the same home', [sale('a', 0, 100), sale('b', 300, 300, { propertyId: 'two' })], []],
  ];
  for (const [title, sales, odd] of cases) {
    it(title, () => assert.deepEqual([...findFlipped(sales)], odd));
  }
});

describe('sales of a market', () => {
  const cut = FIRST_DAY + 600;
  const context = { market: 'test', parameters: { ...parameters, networkSales: 1e9 }, run: runFitsHere };
  const training = trainModel(context, market.sales, cut);

  it('far from the prediction of the others are excluded, and only those', async () => {
    const odd = await findOddSales(market.sales, parameters, runFitsHere);
    const found = (reason: string) => new Set(odd.filter((each) => each.reason === reason).map(({ id }) => id));
    assert.deepEqual(found('far_below_value'), market.low);
    assert.deepEqual(found('far_above_value'), market.high);
    assert.equal(odd.length, market.low.size + market.high.size);
    for (const { reason, ratio } of odd) {
      const [least, most] = reason === 'far_below_value' ? [0.2, 0.5] : [2.5, 6];
      assert.ok(ratio > least && ratio < most, `${reason}: ${ratio} times the value`);
    }
  });

  it('stay if an operator vouches for them', async () => {
    const [vouched] = market.low;
    const sales = market.sales.map((sale) =>
      sale.id === vouched ? { ...sale, vouchedBy: 'operator' as const } : sale,
    );
    const odd = await findOddSales(sales, parameters, runFitsHere);
    assert.ok(!odd.some(({ id }) => id === vouched));
    const buffer = openSaleBuffer();
    for (const sale of sales) buffer.put(sale);
    const read = buffer.close();
    assert.deepEqual(
      Array.from({ length: read.length }, (_, i) => read.at(i)).filter(({ vouchedBy }) => vouchedBy !== undefined),
      sales.filter(({ vouchedBy }) => vouchedBy !== undefined),
    );
  });

  it('reviewed by their publisher are excluded only beyond five times the value', async () => {
    const reviewed = market.sales.map((sale) => ({ ...sale, vouchedBy: 'publisher' as const }));
    assert.deepEqual(await findOddSales(reviewed, parameters, runFitsHere), []);
    const slipped = reviewed.map((sale, i) => (i === 500 ? { ...sale, priceUsd: 10 * sale.priceUsd } : sale));
    const odd = await findOddSales(slipped, parameters, runFitsHere);
    assert.deepEqual(
      odd.map(({ id, reason }) => [id, reason]),
      [[slipped[500].id, 'far_above_value']],
    );
    const believed = slipped.map((sale) => ({ ...sale, vouchedBy: 'operator' as const }));
    assert.deepEqual(await findOddSales(believed, parameters, runFitsHere), []);
  });

  it('at a nominal price, or of a lot on which the home was built later, are excluded by rule', async () => {
    const changed = market.sales.map((sale, i) =>
      i === 100
        ? { ...sale, priceUsd: 10_000 }
        : i === 101
          ? { ...sale, attributes: { ...sale.attributes, yearBuilt: 2025 } }
          : sale,
    );
    const odd = await findOddSales(changed, parameters, runFitsHere);
    const reasonOf = (id: string) => odd.find((each) => each.id === id)?.reason;
    assert.deepEqual([changed[100].id, changed[101].id].map(reasonOf), ['nominal', 'before_construction']);
    const model = await trainModel(context, changed.slice(0, 60), cut);
    const book = openBook({ ...model, oddLimits: (await training).oddLimits }, listSales(changed));
    assert.equal(book.odd.get(changed[101].id)?.reason, 'before_construction', 'also where it became known later');
  });

  it('if odd, train no model, are no comparables, and are judged by earlier sales only', async () => {
    const model = await training;
    const early = market.sales.filter(({ knownDay }) => knownDay <= cut);
    const again = await trainModel(context, early, cut);
    assert.deepEqual(model.odd, again.odd);
    const trained = new Set(model.outOfFold.saleIds);
    const planted = [...market.low, ...market.high];
    assert.ok(planted.every((id) => !trained.has(id)));

    const book = openBook(model, listSales(market.sales));
    const used = new Set(Array.from(book.evidence.cells.sales, (i) => book.sales.at(i).id));
    assert.deepEqual(new Set(book.odd.keys()), new Set(planted));
    assert.ok(planted.every((id) => !used.has(id)));
    assert.equal(used.size, market.sales.length - planted.length);
    for (const number of book.evidence.lastSale) if (number >= 0) assert.ok(!book.odd.has(book.sales.at(number).id));
  });

  it('if odd, still count in the calibration, so that intervals keep their coverage of all prices', async () => {
    const model = await training;
    const { score, sigma } = model.scores;
    assert.ok(score.filter((each, k) => Math.abs(each * sigma[k]) > Math.log(1.9)).length > 20);
    const { tested } = backTest(model, market.sales, cut, Infinity);
    assert.ok(tested.filter(({ isOdd }) => isOdd).length > 15);
    for (const level of ['0.8', '0.9', '0.95']) {
      const share = tested.filter(({ covered }) => covered[level]).length / tested.length;
      assert.ok(Math.abs(share - Number(level)) < 0.04, `${level}: ${share}`);
    }
  });

  it('if odd, are also a segment of their own', async () => {
    const { tested } = backTest(await training, market.sales, cut, Infinity);
    const segments = measureSegments(tested, priceBands(tested), new Map());
    const [usual, aside] = segments.filter(({ kind }) => kind === 'market_price');
    const all = segments.find(({ kind }) => kind === 'all')!;
    assert.deepEqual([usual.name, aside.name], ['market price', 'set aside']);
    assert.equal(usual.n + aside.n, all.n);
    assert.equal(aside.n, tested.filter(({ isOdd }) => isOdd).length);
    assert.ok(usual.cod < 12 && all.cod > 1.2 * usual.cod && aside.medianError > 0.5);
    const zips = segments.filter(({ kind }) => kind === 'zip').map(({ name, n }) => [name, n >= 100]);
    assert.deepEqual(zips, [
      ['53202', true],
      ['53204', true],
    ]);
    const few = tested.filter(({ sale }, i) => sale.attributes.zip === '53202' || i % 9 === 0);
    const places = measureSegments(few, priceBands(few), new Map()).filter(({ kind }) => kind === 'zip');
    assert.deepEqual([places.length, places[0].name], [1, '53202'], 'too few to tell');
    assert.equal(all.aboveLow, tested.filter(({ label }) => label !== 'low').length / tested.length);
    const clean = tested.filter(({ isOdd }) => !isOdd);
    assert.ok(!measureSegments(clean, priceBands(clean), new Map()).some(({ kind }) => kind === 'market_price'));
  });
});
