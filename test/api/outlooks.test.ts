// Outlooks of homes in the sandbox: the forecast, other conditions, works and land, each against what it is made from.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { project } from '../../src/insight/outlooks/project.ts';
import type { PriceForecast } from '../../src/insight/analytics/index-schema.ts';
import { DEMO, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const property = { id: DEMO.property_id };
const ask = async (more: object = {}) => (await api.post('/avm/outlook', { property, ...more })).body;
const valueOf = async (attributes: object = {}) =>
  (await api.post('/avm/estimate', { property: { ...property, ...attributes } })).body;

describe('an outlook', () => {
  it('starts from the value that an estimate has, with its receipt', async () => {
    const [outlook, value] = [await ask(), await valueOf()];
    const { low, high, level } = value.confidence_interval;
    assert.deepEqual(
      [outlook.value, outlook.low, outlook.high, outlook.level, outlook.model_version, outlook.as_of],
      [value.estimated_value, low, high, level, value.model_version, value.as_of],
    );
    const receipt = await api.get(`/avm/valuations/${outlook.valuation_id}`);
    assert.equal(receipt.body.result.estimated_value, outlook.value);
  });

  it('follows the forecast of the smallest area that has one, with a wider interval each month', async () => {
    const { forecast, value, low, high } = await ask();
    assert.equal(forecast.reason, null);
    const { kind, id } = forecast.area;
    const area = `kind=${kind}&area=${encodeURIComponent(id)}&market=sandbox`;
    const index = (await api.get(`/analytics/forecast?${area}&months=12`)).body;
    assert.equal(forecast.from, index.from);
    const gone = (2026 - Number(index.from.slice(0, 4))) * 12 + 6 - Number(index.from.slice(5));
    assert.equal(forecast.data.length, 12 - gone);
    const growth = (k: number) => 1 + (k === 0 ? 0 : index.data[k - 1].growth);
    for (const [k, month] of forecast.data.entries()) {
      assert.equal(month.months, k + 1);
      assert.ok(Math.abs(month.growth - (growth(gone + k + 1) / growth(gone) - 1)) < 2e-4);
      assert.ok(Math.abs(month.value / (value * (1 + month.growth)) - 1) < 2e-4);
      assert.ok(month.high / month.low > high / low, 'a later price is less sure than one of today');
    }
    assert.equal(forecast.data[0].on, '2026-07-30');
  });

  it('has other conditions as an estimate has them, where homes nearby were sold in them', async () => {
    const { conditions, value } = await ask();
    assert.equal(conditions.reason, null);
    assert.ok(conditions.data.length >= 2, JSON.stringify(conditions));
    for (const { condition, difference, nearby_sales, ...range } of conditions.data) {
      assert.ok(nearby_sales >= 5);
      assert.equal(difference, range.value - value);
      const stated = await valueOf({ condition });
      assert.deepEqual(
        [range.value, range.low, range.high],
        [stated.estimated_value, stated.confidence_interval.low, stated.confidence_interval.high],
      );
    }
  });

  it('values works that the request describes, and tells what the model does not read', async () => {
    const after = { condition: 'excellent', bathrooms: 4, garage_spaces: 2, cost: 40_000 };
    const works = (await ask({ after })).after;
    const { cost, ...stated } = after;
    assert.equal(works.value, (await valueOf(stated)).estimated_value);
    assert.equal(works.gain_after_cost, works.gain - cost);
    assert.equal((await ask()).after, null);
    const odd = (await ask({ after: { exterior: 'brick' } })).after;
    const names = odd.warnings.map(({ field }: { field: string }) => field);
    const estimate = await valueOf({ exterior: 'brick' });
    const unread = estimate.warnings.filter(({ code }: { code: string }) => code === 'attribute_not_used');
    assert.deepEqual(
      names,
      unread.map(({ field }: { field: string }) => field),
    );
    assert.equal((await api.post('/avm/outlook', { property, after: { kitchen: 1 } })).status, 400);
  });

  it('divides the value as the assessor divides the assessment, between the shares of homes like it', async () => {
    const { land, value } = await ask();
    const { assessments } = (await api.get(`/properties/${property.id}?include=assessments`)).body;
    const last = assessments.find((one: { land: number | null }) => one.land !== null);
    assert.equal(land.year, last.year);
    assert.equal(land.share, Math.round((1e4 * last.land) / (last.land + last.improvements)) / 1e4);
    assert.ok(Math.abs(land.land.value + land.improvements.value - value) <= 1);
    assert.ok(land.peers >= 20);
    assert.ok(land.peer_share.low <= land.peer_share.median && land.peer_share.median <= land.peer_share.high);
    assert.ok(land.land.low <= land.land.value && land.land.value <= land.land.high);
  });

  it('says why there is no land, and refuses what has no value', async () => {
    await api.deps.data.query('update assessments set land = null where property_id = $1', [property.id]);
    const { land } = await ask();
    assert.deepEqual([land.reason, land.method, land.land], ['no_split_on_record', null, null]);
    const commercial = sandboxId(WENDEMERE, MAGIC_APN.commercial);
    const refused = await api.post('/avm/outlook', { property: { id: commercial } });
    assert.deepEqual([refused.status, refused.body.code], [422, 'unsupported_property_type']);
  });
});

describe('a value carried along an index', () => {
  const now = { value: 100_000, low: 90_000, high: 120_000 };
  const at = { asOf: '2026-08-31', level: 0.8 };
  const index = (months: number) =>
    ({
      from: '2026-06',
      area: { kind: 'market', id: 'x', name: 'X', market: 'x' },
      data: Array.from({ length: months }, (_, k) => {
        const growth = (factor: number) => Math.expm1(0.01 * (k + 1) + 1.2816 * factor * 0.02 * (k + 1));
        return { growth: growth(0), growth_low: growth(-1), growth_high: growth(1) };
      }),
    }) as unknown as PriceForecast;

  it('begins at the day of the value, though the index ended before', () => {
    const { data } = project(now, index(12), at);
    assert.equal(data.length, 10);
    // A month on, three months after the end of the index: 1% of growth, and the doubt of three months.
    const doubt = 1.2816 * 0.06;
    assert.equal(data[0].value, Math.round(100_000 * Math.exp(0.01)));
    assert.ok(Math.abs(Math.log(data[0].high / data[0].value) - Math.hypot(Math.log(1.2), doubt)) < 2e-4);
    assert.ok(Math.abs(Math.log(data[0].value / data[0].low) - Math.hypot(Math.log(10 / 9), doubt)) < 2e-4);
    assert.deepEqual([data[0].on, data[5].on], ['2026-09-30', '2027-02-28']);
  });

  it('has no months where the index ended a year ago, and none without an index', () => {
    assert.equal(project(now, index(2), at).reason, 'index_ended');
    assert.equal(project(now, undefined, at).reason, 'too_few_sales');
    const withheld = { ...index(0), reason: 'coverage_changed' } as PriceForecast;
    assert.equal(project(now, withheld, at).reason, 'coverage_changed');
  });
});
