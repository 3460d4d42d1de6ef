// Which markets and counties a search names in its statements.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Catalog } from '../../src/records/markets/catalog.ts';
import { readFilter } from '../../src/records/properties/filter.ts';
import { scopeOf } from '../../src/records/properties/search.ts';

const row = (fips: number, market: string) => ({ fips, market, property_type: 'condo', property_count: 1, zips: [] });
const live = [row(55_001, 'alone'), row(55_003, 'beside'), row(55_003, 'other'), row(55_005, 'other')];
const catalog = {
  visible: { live, test: [row(99_001, 'sandbox')] },
  marketIds: { live: ['alone', 'beside', 'other'], test: ['sandbox'] },
  counties: new Map(live.map(({ fips }) => [fips, { state: 'WI' }])),
  layers: new Map(),
} as unknown as Catalog;
const namedBy = (filter: object, mode: 'live' | 'test' = 'live') => {
  const { markets, hidden, isNarrowed } = scopeOf(catalog, mode, { ...readFilter({}), ...filter });
  return { markets: hidden ? `not ${hidden.join()}` : markets.join(), counties: isNarrowed };
};

describe('a search names', () => {
  it('the markets that it may not see, where the rest is all that is there', () => {
    assert.deepEqual(namedBy({}), { markets: 'not sandbox', counties: false });
    assert.deepEqual(namedBy({ counties: [55_001] }), { markets: 'not sandbox', counties: true });
    assert.deepEqual(namedBy({ markets: ['alone'] }), { markets: 'not sandbox', counties: true });
    assert.deepEqual(namedBy({ counties: [55_003] }), { markets: 'not sandbox', counties: true });
  });

  it('its own, where another lies in their counties or a state is asked for', () => {
    assert.deepEqual(namedBy({ markets: ['other'] }), { markets: 'other', counties: true });
    assert.deepEqual(namedBy({ markets: ['beside'] }), { markets: 'beside', counties: true });
    assert.deepEqual(namedBy({ states: ['WI'] }), { markets: 'alone,beside,other', counties: false });
  });

  it('its own, where those that it may not see are more', () => {
    assert.deepEqual(namedBy({}, 'test'), { markets: 'sandbox', counties: false });
  });
});
