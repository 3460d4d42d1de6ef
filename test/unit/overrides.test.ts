// A caller's attributes: warnings for unusual values, and for attributes that the model does not use.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noAttributes } from '../../src/insight/avm/attributes.ts';
import { POSSIBLE } from '../../src/insight/avm/fill.ts';
import { beyondUsual } from '../../src/insight/avm/unusual.ts';
import { dayNumber } from '../../src/base/lib/clock.ts';
import { findUnread, mergeAttributes, warnOfValues, wordsFor } from '../../src/insight/valuations/overrides.ts';

describe('unusual attributes', () => {
  const ranges = { yearBuilt: [1847.335, 1987.995], sqft: [580.655, 4084.9700000000303], bathrooms: [1, 4.5] } as const;
  const model = { ranges, plausible: POSSIBLE } as never;
  const warn = (attributes: object, date = '1988-03-01') =>
    warnOfValues(model, mergeAttributes({ ...noAttributes, ...attributes }, {}), dayNumber(date));

  it('are reported in words and whole figures', () => {
    const details = warn({ yearBuilt: 1847, sqft: 90_000, bathrooms: 0.5 }).map(({ detail }) => detail);
    assert.deepEqual(
      details.map((detail) => detail.slice(0, detail.indexOf('.', detail.indexOf(')')))),
      [
        "Year built 1847 is outside this market's usual range (1848 to 1989)",
        "Living area 90,000 is outside this market's usual range (581 to 4,084)",
        "Bathrooms 0.5 is outside this market's usual range (1 to 4.5)",
      ],
    );
    assert.deepEqual(warn({ yearBuilt: 1900, sqft: 1200 }), []);
  });

  it('include the parts of stated bathrooms, which are full but for a half', () => {
    for (const [bathrooms, parts] of [
      [2.5, [2, 1]],
      [3, [3, 0]],
    ] as const) {
      const { attributes } = mergeAttributes({ ...noAttributes, bathsFull: 1, bathsHalf: 1 }, { bathrooms });
      assert.deepEqual([attributes.bathsFull, attributes.bathsHalf], parts);
    }
    const stated = mergeAttributes(null, { bathrooms: 2.5, baths_full: 1, baths_half: 3 }).attributes;
    assert.deepEqual([stated.bathsFull, stated.bathsHalf], [1, 3]);
  });

  it('do not include the year of a new home, however long ago the model was trained', () => {
    for (const year of [1989, 1994, 2016]) {
      assert.deepEqual(warn({ yearBuilt: year, effectiveYearBuilt: year }, `${year}-06-01`), []);
      assert.deepEqual(warn({ yearBuilt: year, effectiveYearBuilt: year }, `${year - 1}-06-01`), []);
    }
    const early = warn({ yearBuilt: 2016 }, '2012-06-01').map(({ code }) => code);
    assert.deepEqual(early, ['implausible_value'], 'no home is built four years from now');
  });

  it('count by the most extreme one, up to one range width', () => {
    const beyond = (attributes: object) => beyondUsual(ranges as never, { ...noAttributes, ...attributes }, 10_000);
    assert.equal(beyond({ sqft: 4000, bathrooms: 1 }), 0);
    const growing = [4100, 4500, 6000, 7500].map((sqft) => beyond({ sqft }));
    assert.ok(growing[0] > 0 && growing.every((each, k) => k === 0 || each > growing[k - 1]), String(growing));
    assert.equal(beyond({ sqft: 90_000, bathrooms: 40 }), 1);
  });

  it('have everyday names, whatever the records call them', () => {
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

  it('get a warning that they do not change the value', () => {
    assert.deepEqual(unread({ condition: 'excellent', garage_spaces: 3, sqft: 1200 }), ['garage_spaces', 'condition']);
  });

  it('get no warning if they give the location or the type of a home', () => {
    assert.deepEqual(unread({ city: 'Lyme', zip: '03768', property_type: 'condo', style: 'Cape' }), []);
  });
});
