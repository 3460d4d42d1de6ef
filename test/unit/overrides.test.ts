// What a caller states of a home: unusual figures are told in words, and what no model reads is said to be unread.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noAttributes } from '../../src/insight/avm/attributes.ts';
import { findUnread, findUnusual, mergeAttributes, wordsFor } from '../../src/insight/valuations/overrides.ts';

describe('unusual attributes', () => {
  it('are told in words and whole figures', () => {
    const ranges = {
      yearBuilt: [1847.335, 1987.995],
      sqft: [580.655, 4084.9700000000303],
      bathrooms: [1, 4.5],
    } as const;
    const of = (attributes: object) =>
      findUnusual({ ranges } as never, { ...noAttributes, ...attributes }).warnings.map(({ detail }) => detail);
    assert.deepEqual(of({ yearBuilt: 1847, sqft: 90_000, bathrooms: 0.5 }), [
      "Living area 90,000 is outside this market's usual range (581 to 4,084), so the interval is wider.",
      "Bathrooms 0.5 is outside this market's usual range (1 to 4.5), so the interval is wider.",
      "Year built 1847 is outside this market's usual range (1848 to 1987), so the interval is wider.",
    ]);
    assert.deepEqual(of({ yearBuilt: 1900, sqft: 1200 }), []);
  });

  it('widen the interval the more, the farther outside they are', () => {
    const ranges = { sqft: [600, 4000], bedrooms: [1, 7] } as const;
    const factorOf = (attributes: object): number =>
      findUnusual({ ranges } as never, { ...noAttributes, ...attributes }).factor;
    assert.equal(factorOf({ sqft: 4000, bedrooms: 1 }), 1);
    const factors = [4001, 4500, 6000, 90_000].map((sqft) => factorOf({ sqft }));
    assert.ok(factors[0] > 1.39 && factors[0] < 1.41, String(factors));
    assert.deepEqual(
      factors,
      factors.toSorted((a, b) => a - b),
    );
    assert.equal(factors[3], 2.8, 'twice, however far');
    assert.ok(factorOf({ sqft: 90_000, bedrooms: 8 }) > factors[3]);
    assert.ok(factorOf({ sqft: 90_000, bedrooms: 40 }) < 6);
  });

  it('have the names that people use, whatever the records call them', () => {
    assert.deepEqual(['lotSqft', 'bathsHalf', 'garageSpaces', 'extras.council_district'].map(wordsFor), [
      'lot size',
      'bathrooms',
      'garage spaces',
      'council district',
    ]);
  });
});

describe('attributes that a market’s model has never seen', () => {
  const features = { numbers: ['sqft', 'bedrooms'], categories: ['style'] } as never;
  const unread = (wanted: object) => findUnread({ features }, mergeAttributes(null, wanted)).map(({ field }) => field);

  it('are said to change nothing', () => {
    assert.deepEqual(unread({ condition: 'excellent', garage_spaces: 3, sqft: 1200 }), ['garage_spaces', 'condition']);
  });

  it('are not complained of where they say where a home is, or what', () => {
    assert.deepEqual(unread({ city: 'Lyme', zip: '03768', property_type: 'condo', style: 'Cape' }), []);
  });
});
