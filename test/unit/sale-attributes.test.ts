// The attributes of a sale: what its file said of the home that was sold, and from the record only what is of that home.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { saleOf } from '../../src/insight/valuations/records.ts';

describe('a sale', () => {
  const record = {
    sale_id: 'txn_1',
    property_id: 'prop_1',
    sale_date: '2012-05-01',
    date_precision: 'day',
    known_on: '2012-05-15',
    price: 400_000,
    vouched_by: null,
    address_line1: '1 MAIN ST',
    address_unit: null,
    property_type: 'single_family',
    zip: '98101',
    sqft: 2600,
    lot_sqft: 5000,
    bedrooms: 4,
    year_built: 2015,
    condition: '5',
    extras: { view: 1, sqft_above: 2600 },
  };
  const read = (attributes: object | null) => saleOf({ ...record, attributes } as never, new Map()).attributes;

  it('reads the rest from the record where that is of the same building', () => {
    const { sqft, condition, extras } = read({ sqft: 2590, year_built: 2014, extras: { waterfront: 1 } });
    assert.deepEqual([sqft, condition, extras], [2590, '5', { view: 1, sqft_above: 2600, waterfront: 1 }]);
  });

  it('reads only place and lot from the record of the house that replaced it', () => {
    const { sqft, bedrooms, condition, lotSqft, zip, extras } = read({ sqft: 900, year_built: 1948 });
    assert.deepEqual([sqft, bedrooms, condition, lotSqft, zip, extras], [900, null, null, 5000, '98101', {}]);
  });

  it('does not take parts of another living area', () => {
    assert.deepEqual(read({ sqft: 1800, year_built: 2015 }).extras, { view: 1 });
  });

  it('has the latest assessment that was published before it, next to those of its roll', () => {
    const assessments = [
      { roll: '2013', known_on: '2012-05-01', value: 900_000 },
      { roll: '2012', known_on: '2011-05-01', value: 400_000 },
      { roll: '2011', known_on: '2010-05-01', value: 200_000 },
    ];
    const rolls = new Map(assessments.map(({ roll }) => [roll, Math.log(200_000)]));
    const readWith = (known: typeof rolls) => saleOf({ ...record, attributes: null, assessments } as never, known);
    const { view, assessed_value } = readWith(rolls).attributes.extras;
    assert.deepEqual([view, assessed_value.toFixed(12)], [1, Math.log(2).toFixed(12)]);
    assert.deepEqual(readWith(new Map()).attributes.extras, record.extras);
  });
});
