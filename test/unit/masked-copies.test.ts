// Masked copies of training sales.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { noAttributes, type Attributes, type Sale } from '../../src/insight/avm/attributes.ts';
import { hideAll, isAllHidden, makeMaskedCopies } from '../../src/insight/training/masked-copies.ts';

const complete: Attributes = {
  ...noAttributes,
  propertyType: 'single_family',
  latitude: 47.6,
  longitude: -122.3,
  sqft: 1800,
  lotSqft: 5000,
  bedrooms: 3,
  bathrooms: 2,
  yearBuilt: 1955,
  condition: '3',
  quality: '7',
  style: 'Cape Cod',
  zip: '98103',
  neighborhood: 'Wallingford',
  extras: { view: 1, waterfront: 0 },
};

/** Every other sale comes from a file that knows neither condition nor view nor ZIP. */
const sales: Sale[] = Array.from({ length: 3000 }, (_, i) => ({
  id: `txn_${i}`,
  propertyId: `prop_${i % 2500}`,
  soldDay: 18_000 + i,
  knownDay: 18_014 + i,
  priceUsd: 300_000 + i,
  attributes: i % 2 === 0 ? complete : { ...complete, condition: null, zip: null, extras: { waterfront: 0 } },
  address: null,
}));

describe('copies of training sales', () => {
  const copies = makeMaskedCopies(sales);

  it('have the same home, day, place and price, but fewer attributes', () => {
    // Half of the sales, and a second copy of half of those from the file with more columns.
    assert.ok(copies.of.length > 2000 && copies.of.length < 2500, `${copies.of.length}`);
    copies.sales.forEach((copy, k) => {
      const sale = sales[copies.of[k]];
      const { attributes: known, ...rest } = sale;
      const { attributes: less, ...same } = copy;
      assert.deepEqual(same, rest);
      for (const name of ['propertyType', 'latitude', 'longitude'] as const) assert.equal(less[name], known[name]);
      for (const name of Object.keys(noAttributes) as (keyof Attributes)[])
        if (name !== 'extras') assert.ok(less[name] === null || less[name] === known[name], `${name} of ${copy.id}`);
    });
  });

  it('mask everything, about half, or what the other file lacks', () => {
    const hidden = copies.sales.filter(({ attributes }) => isAllHidden(attributes)).length;
    const chosen = sales.length / 2;
    assert.ok(hidden > 0.25 * chosen && hidden < 0.45 * chosen, `${hidden} hide everything`);
    const likeOther = copies.sales.filter(
      ({ attributes: a }, k) =>
        sales[copies.of[k]].attributes.condition !== null &&
        a.condition === null &&
        a.zip === null &&
        a.extras.view === undefined &&
        a.sqft !== null &&
        a.yearBuilt !== null,
    );
    assert.ok(likeOther.length > 0.05 * chosen, `${likeOther.length} are like the other file's`);
    const partly = copies.sales.filter(({ attributes: a }) => !isAllHidden(a) && a.sqft === null);
    assert.ok(partly.length > 0.1 * chosen, `${partly.length} hide the size among others`);
  });

  it('include half of the sales with attributes that are sparse among the latest sales', () => {
    const like = (known: Attributes) => ({ ...known, condition: null, extras: { waterfront: 0 } });
    const isLike = (i: number): boolean =>
      copies.sales.some(
        ({ attributes }, k) => copies.of[k] === i && isDeepStrictEqual(attributes, like(sales[i].attributes)),
      );
    const known = Array.from(sales.keys()).filter((i) => sales[i].attributes.condition !== null);
    const made = known.filter(isLike).length;
    assert.ok(made > 0.45 * known.length && made < 0.65 * known.length, `${made} of ${known.length}`);
    // A column that all or none of the latest sales have is not masked again.
    const since = sales.at(-1)!.soldDay - 365;
    for (const extra of [{ condition: '3', zip: '98103', extras: complete.extras }, like(complete)]) {
      const settled = sales.map((sale) =>
        sale.soldDay > since ? { ...sale, attributes: { ...sale.attributes, ...extra } } : sale,
      );
      const count = makeMaskedCopies(settled).of.length;
      assert.ok(count > 1200 && count < 1800, `${count}`);
    }
  });

  it('are the same every time', () => {
    assert.deepEqual(makeMaskedCopies(sales), copies);
  });

  it('mask the building, not the location', () => {
    const { zip, neighborhood, propertyType, latitude, ...rest } = hideAll(complete);
    assert.deepEqual([zip, neighborhood, propertyType, latitude], ['98103', 'Wallingford', 'single_family', 47.6]);
    assert.deepEqual(
      Object.values(rest).filter((value) => value !== null),
      [complete.longitude, {}],
    );
  });
});
