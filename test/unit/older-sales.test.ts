// The history of single homes: a sale of any age is the home's own price, and years known in part are no market.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noAttributes, type Sale } from '../../src/insight/avm/attributes.ts';
import { hasPrior, readHome } from '../../src/insight/avm/appraise.ts';
import { comparableColumns } from '../../src/insight/avm/comparable-features.ts';
import { openBook } from '../../src/insight/avm/evidence.ts';
import { listSales } from '../../src/insight/avm/sales.ts';
import { seededRandom } from '../../src/base/math/random.ts';
import { runFitsHere } from '../../src/insight/training/fit/fits.ts';
import { denseSince } from '../../src/insight/training/history.ts';
import { tiny } from '../../src/insight/training/parameters.ts';
import { trainModel } from '../../src/insight/training/stages.ts';

const FIRST_DAY = 16_000;
const YEARS = 4;
const OLD_FROM = FIRST_DAY - 3000;

/** Homes that differ by something that no record says; prices doubled between the old years and the market's own. */
function inventMarket() {
  const random = seededRandom(5);
  const homes = Array.from({ length: 900 }, (_, k) => ({
    id: `home_${k}`,
    sqft: Math.round(900 + 2000 * random()),
    latitude: 43 + 0.08 * random(),
    longitude: -88 + 0.1 * random(),
    unseen: 0.5 * (random() - 0.5),
  }));
  const saleOf = (home: (typeof homes)[number], soldDay: number, id: string): Sale => ({
    id,
    propertyId: home.id,
    soldDay,
    knownDay: soldDay + 14,
    priceUsd: Math.round(
      Math.exp(12 + 0.7 * Math.log(home.sqft / 1500) + home.unseen + (soldDay < FIRST_DAY ? -0.7 : 0)),
    ),
    attributes: {
      ...noAttributes,
      propertyType: 'single_family',
      sqft: home.sqft,
      latitude: home.latitude,
      longitude: home.longitude,
    },
    address: null,
  });
  const old = homes.slice(0, 300).map((home, k) => saleOf(home, OLD_FROM + k * 8, `old_${k}`));
  const recent = homes
    .slice(0, 800)
    .map((home, k) => saleOf(home, FIRST_DAY + Math.floor((k * YEARS * 365) / 800), `new_${k}`));
  return { homes, sales: [...old, ...recent] };
}

describe('a market’s history', () => {
  const at = (soldDay: number): Sale => ({ soldDay }) as Sale;
  const yearly = (counts: number[]) =>
    counts.flatMap((count, year) =>
      Array.from({ length: count }, (_, k) => at(year * 365 + Math.floor((k * 365) / count))),
    );

  it('begins where as many sales are known as later', () => {
    const from = denseSince(yearly([5, 6, 4, 100, 120, 90]));
    assert.ok(Math.abs(from - 3 * 365) < 30, String(from));
  });

  it('is all of it where sales only became fewer or more', () => {
    assert.equal(denseSince(yearly([60, 80, 100, 120, 90])), -Infinity);
    assert.equal(denseSince(yearly([30, 100])), -Infinity);
    assert.equal(denseSince([]), -Infinity);
  });
});

describe('a sale from before the market’s history', async () => {
  const { homes, sales } = inventMarket();
  const cut = FIRST_DAY + YEARS * 365;
  const parameters = { ...tiny, historyYears: YEARS };
  const model = await trainModel({ market: 'test', parameters, run: runFitsHere }, sales, cut);
  const book = openBook(model, listSales(sales));
  const priorOf = (k: number, day: number) => {
    const { id, sqft, latitude, longitude } = homes[k];
    const attributes = { ...noAttributes, propertyType: 'single_family', sqft, latitude, longitude };
    const { row } = readHome(model, book, { attributes, propertyId: id }, day);
    const column = (name: (typeof comparableColumns)[number]) =>
      row[row.length - comparableColumns.length + comparableColumns.indexOf(name)];
    return { isKnown: hasPrior(row), age: column('prior_age'), residual: column('prior_residual') };
  };
  // Before the home was sold again.
  const day = FIRST_DAY + 10;

  it('is no evidence, and nothing learns from it', () => {
    assert.ok(model.outOfFold.saleIds.every((id) => id.startsWith('new_')));
    assert.ok(
      Array.from({ length: book.sales.length }, (_, i) => book.sales.idAt(i)).every((id) => !id.startsWith('old_')),
    );
  });

  it('is the price that its own home once had, net of the prices of its day', () => {
    const known = Array.from({ length: 200 }, (_, k) => k + 80).map((k) => ({ k, ...priorOf(k, day) }));
    assert.ok(known.every(({ isKnown }) => isKnown));
    assert.equal(known[0].age, day - (OLD_FROM + 80 * 8));
    const product = (a: number[], b: number[]) => a.reduce((sum, each, i) => sum + each * b[i], 0);
    const [x, y] = [known.map(({ residual }) => residual), known.map(({ k }) => homes[k].unseen)];
    assert.ok(product(x, y) / Math.sqrt(product(x, x) * product(y, y)) > 0.8, 'says what no record says');
    assert.equal(priorOf(850, day).isKnown, false);
  });

  it('gives way to a later sale, and counts for nothing before it was known', () => {
    assert.ok(priorOf(100, cut).age < 4 * 365);
    assert.equal(priorOf(290, OLD_FROM + 290 * 8 + 5).isKnown, false);
  });
});
