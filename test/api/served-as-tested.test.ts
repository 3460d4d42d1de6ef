// Published accuracy is that of the valuations that are served: each tested sale is valued once more through the API,
// and value, interval, label and stated error are the same.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Valuation } from '../../src/insight/valuations/schema.ts';
import { ASSESSED } from '../../src/insight/avm/attributes.ts';
import { isoDate } from '../../src/base/lib/clock.ts';
import { estimate } from '../../src/insight/valuations/valuations.ts';
import { tiny } from '../../src/insight/training/parameters.ts';
import { trainMarket } from '../../src/insight/training/training.ts';
import { statedBy, statedByTest } from '../../bench/served-as-tested.ts';
import { testClient } from '../harness.ts';

const { deps } = await testClient();
deps.travel('2026-11-20T12:00:00Z');

/** Homes that lack attributes, have unusual or implausible ones, or were built in the test period. */
await deps.data.query(`update properties set sqft = null, quality = null where abs(hashtext(id)) % 5 = 0`);
const UNUSUAL = ['baths_half = 4', 'stories = 3.5', 'bathrooms = 8', 'lot_sqft = 400000', 'garage_spaces = 9'];
for (const [k, set] of UNUSUAL.entries())
  await deps.data.query(`update properties set ${set} where abs(hashtext(id)) % 270 = ${40 * k + 1}`);
await deps.data.query(`update properties set lot_sqft = 1, bedrooms = 12, sqft = 500 where abs(hashtext(id)) % 31 = 2`);
await deps.data.query(`update properties set year_built = 2026, effective_year_built = 2026
  where abs(hashtext(id)) % 31 = 3`);
await deps.data.query('update transactions set attributes = null');

const { made, version } = await trainMarket(deps, 'sandbox', {
  isForced: true,
  parameters: { ...tiny, retrainDays: 120, screen: { ...tiny.base, rounds: 20 } },
});

describe('a sale of the back-test', () => {
  it('is valued by the service as it was tested, to the last digit', async () => {
    assert.ok(made.earlier.length > 1 && made.earlier.every((model) => model.version !== version));
    const kinds = { missing: 0, unusual: 0, assessed: 0 };
    for (const tested of made.tested) {
      if (tested.comparables < 3) continue;
      kinds.missing += Number(tested.missing.length > 0);
      kinds.unusual += Number(tested.isUnusual);
      const { propertyId, soldDay } = tested.sale;
      const request = {
        property: { id: propertyId },
        options: { as_of: isoDate(new Date(soldDay * 86_400_000)), include: [] },
      };
      const { result } = await estimate(deps, { mode: 'test', accountId: undefined }, request);
      assert.deepEqual(statedBy(result as Valuation), statedByTest(tested), tested.sale.id);
    }
    // Nothing that was published on the day of the sale or later has a say.
    for (const { sale, ...tested } of made.tested.filter((each) => each.comparables >= 3).slice(0, 5)) {
      const on = isoDate(new Date(sale.soldDay * 86_400_000));
      const later = 'where property_id = $1 and known_on >= $2';
      const multiply = `update assessments set total = total * 9, market_total = market_total * 9 ${later}`;
      assert.ok((await deps.data.query(multiply, [sale.propertyId, on])).rowCount! > 0);
      const request = { property: { id: sale.propertyId }, options: { as_of: on, include: [] } };
      const { result } = await estimate(deps, { mode: 'test', accountId: undefined }, request);
      assert.deepEqual(statedBy(result as Valuation), statedByTest({ sale, ...tested }), sale.id);
      await deps.data.query(
        `update assessments set total = total * 9, market_total = market_total * 9
        where property_id = $1 and known_on < $2`,
        [sale.propertyId, on],
      );
      const { result: other } = await estimate(deps, { mode: 'test', accountId: undefined }, request);
      kinds.assessed += Number((other as Valuation).estimated_value !== (result as Valuation).estimated_value);
    }
    assert.ok(made.current.features.extras.includes(ASSESSED) && kinds.assessed > 3, JSON.stringify(kinds));
    const { missing, unusual } = kinds;
    assert.ok(made.tested.length > 150 && missing > 15 && unusual > 0, JSON.stringify(kinds));
  });
});
