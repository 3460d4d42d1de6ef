// Rent estimates in the sandbox: what they rest on, what they earn, and where there is none.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { QUILLMOOR, WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const { deps } = api;
const id = DEMO.property_id;
const rentOf = async (query = '') => (await api.get(`/rents/estimate?id=${id}${query}`)).body;

describe('a rent estimate', () => {
  it('has an interval, the areas it rests on, and says so in words', async () => {
    const rent = await rentOf();
    assert.ok(rent.rent > 500 && rent.rent < 9_000, `${rent.rent}`);
    assert.ok(rent.interval.low < rent.rent && rent.rent < rent.interval.high);
    assert.equal(rent.interval.level, 0.8);
    assert.deepEqual(
      rent.basis.areas.map(({ layer, kind }: { layer: string; kind: string }) => [layer, kind]),
      [
        ['small_area_rents', 'zip'],
        ['tract_rents', 'tract'],
      ],
    );
    const { rows } = await deps.data.query(
      `select vals from layer_values where layer = 'small_area_rents' and key = '00103'`,
    );
    assert.equal(rent.basis.areas[0].rent, rows[0].vals[`bedrooms_${rent.bedrooms}`]);
    assert.match(rent.basis.areas[0].source, /small-area-rents/);
    assert.match(rent.basis.statement, /not the rent of this home/);
  });

  it('is the same by POST', async () => {
    const posted = await api.post('/rents/estimate', { property: { address: DEMO.address } });
    assert.equal(posted.status, 200);
    assert.deepEqual(posted.body, await rentOf());
  });

  it('follows the bedrooms and the value that the request states', async () => {
    const [small, large] = [await rentOf('&bedrooms=1'), await rentOf('&bedrooms=4')];
    assert.ok(small.basis.areas[0].rent < large.basis.areas[0].rent);
    assert.equal(small.bedrooms, 1);
    const [cheap, dear] = [await rentOf('&value=400000'), await rentOf('&value=500000')];
    assert.ok(dear.rent > cheap.rent);
    assert.ok(dear.rent / cheap.rent < 500 / 400, 'a rent rises by less than the value');
    assert.equal(dear.returns.on_basis, 'stated_value');
  });

  it('takes taxes from the record, and covers a loan with them', async () => {
    const rent = await rentOf('&insurance=1800&loan_amount=300000&loan_rate=0.065&vacancy=0.05');
    const { taxes } = (await api.get(`/properties/${id}?include=taxes`)).body;
    assert.deepEqual([rent.returns.expenses.taxes, rent.returns.expenses.taxes_year], [taxes[0].amount, taxes[0].year]);
    assert.equal(rent.loan.payment, 1896.2);
    const monthly = 1896.2 + (taxes[0].amount + 1_800) / 12;
    assert.equal(rent.loan.dscr, Math.floor((rent.rent / monthly) * 10_000) / 10_000);
    assert.equal(rent.returns.gross_yield, Math.round((rent.rent * 12 * 10_000) / rent.returns.on) / 10_000);
    assert.equal(rent.loan.interest_only, false);
    const interest = await rentOf('&insurance=1800&loan_amount=300000&loan_rate=0.065&loan_interest_only=true');
    assert.equal(interest.loan.payment, 1_625);
  });

  it('has no cap rate without the premium, and says why', async () => {
    const rent = await rentOf('&loan_amount=300000&loan_rate=0.065');
    assert.deepEqual(
      [rent.returns.cap_rate, rent.returns.reason, rent.loan.dscr, rent.loan.reason],
      [null, 'insurance_not_stated', null, 'insurance_not_stated'],
    );
  });

  it('refuses half a loan and a rate in percent', async () => {
    const half = await api.get(`/rents/estimate?id=${id}&loan_amount=300000`);
    assert.equal(half.status, 400);
    const percent = await api.get(`/rents/estimate?id=${id}&loan_amount=300000&loan_rate=6.5`);
    assert.equal(percent.status, 400);
  });
});

describe('where there is no rent', () => {
  it('is null with a reason where no table covers the place', async () => {
    const home = sandboxId(QUILLMOOR, MAGIC_APN.marketQuillmoor);
    const answer = await api.get(`/rents/estimate?id=${home}&insurance=900`);
    assert.deepEqual(
      [answer.status, answer.body.rent, answer.body.interval, answer.body.reason],
      [200, null, null, 'not_covered'],
    );
    assert.deepEqual([answer.body.returns.gross_yield, answer.body.returns.reason], [null, 'no_rent']);
  });

  it('is null for what is not let as a home', async () => {
    const { body } = await api.get(`/rents/estimate?id=${sandboxId(WENDEMERE, MAGIC_APN.commercial)}`);
    assert.deepEqual([body.rent, body.reason, body.comparables], [null, 'unsupported_property_type', []]);
  });

  it('takes all sizes of the tract for a home of unknown bedrooms, with a wider interval', async () => {
    const width = ({ interval }: { interval: { low: number; high: number } }) => interval.high / interval.low;
    const known = await rentOf();
    await deps.data.query('update properties set bedrooms = null where id = $1', [id]);
    try {
      const unknown = await rentOf();
      assert.deepEqual(
        unknown.basis.areas.map(({ bedrooms }: { bedrooms: number | null }) => bedrooms),
        [null],
      );
      assert.ok(width(unknown) > width(known));
    } finally {
      await deps.data.query('update properties set bedrooms = $2 where id = $1', [id, known.bedrooms]);
    }
  });
});

describe('rent rolls', () => {
  it('calibrate level and interval, measured on later leases, and published with the quality of the market', async () => {
    const rent = await rentOf();
    assert.deepEqual(
      [rent.basis.kind, rent.basis.interval_from, rent.basis.elasticity_from],
      ['areas_and_leases', 'leases', 'leases'],
    );
    const { accuracy } = rent.basis;
    assert.ok(accuracy.tested >= 10 && accuracy.tested_from > accuracy.from);
    console.log(accuracy, rent.rent, rent.interval, rent.basis);
    assert.ok(accuracy.median_error_rate < accuracy.areas_alone_error_rate);
    const { body } = await api.get('/avm/quality?market=sandbox');
    assert.deepEqual(body.rents, accuracy);
  });

  it('list the nearest leases of about the same size, without names', async () => {
    const { comparables, bedrooms } = await rentOf();
    assert.ok(comparables.length > 0);
    const distances = comparables.map(({ distance_miles }: { distance_miles: number }) => distance_miles);
    assert.deepEqual(
      distances,
      distances.toSorted((a: number, b: number) => a - b),
    );
    for (const lease of comparables) {
      assert.ok(Math.abs(lease.bedrooms - bedrooms) <= 1);
      assert.deepEqual(Object.keys(lease).toSorted(), [
        'bedrooms',
        'distance_miles',
        'leased_on',
        'property_id',
        'rent',
        'sqft',
      ]);
    }
  });

  it('without any, the estimate is assumed and says so', async () => {
    await deps.data.query(`create table kept as select * from rent_calibrations`);
    await deps.data.query(`delete from rent_calibrations`);
    try {
      const rent = await rentOf();
      assert.deepEqual(
        [rent.basis.kind, rent.basis.elasticity, rent.basis.elasticity_from],
        ['areas', 0.5, 'assumption'],
      );
      assert.match(rent.basis.statement, /rests on areas, not on leases/);
      assert.equal(rent.basis.accuracy, null);
    } finally {
      await deps.data.query('insert into rent_calibrations select * from kept');
      await deps.data.query('drop table kept');
    }
  });
});
