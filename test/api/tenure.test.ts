// Facts of tenure and equity where a caller sees them: the record, filters, counts, files and the feed; and who sees which.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { deriveTenure } from '../../src/records/owners/derive.ts';
import { MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { MARKET, WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const { deps } = api;
const idOf = (home: keyof typeof MAGIC_APN) => sandboxId(WENDEMERE, MAGIC_APN[home]);
const read = async (home: keyof typeof MAGIC_APN, key?: string) =>
  (await api.get(`/properties/${idOf(home)}`, key ? { key } : undefined)).body;
const withoutOwners = () => api.keyWith(SCOPES.filter((scope) => scope !== 'owners:read'));

describe('a record', () => {
  it('has the same open loans and balance as the title report', async () => {
    for (const home of ['titleLoans', 'titleStrays', 'titleOrder', 'demo'] as const) {
      const { equity } = await read(home);
      const { open } = (await api.get(`/properties/${idOf(home)}/title`)).body;
      assert.deepEqual([equity.open_loans, equity.loan_balance], [open.mortgages, open.estimated_balance], home);
    }
  });

  it('tells the stories of the sandbox', async () => {
    const [loans, strays, order] = [await read('titleLoans'), await read('titleStrays'), await read('titleOrder')];
    assert.ok(loans.equity.open_loans > 0 && loans.equity.ltv_low < loans.equity.ltv_high);
    assert.equal(loans.tenure.owned_since, '2021-09-15');
    assert.ok(loans.tenure.years_owned > 4 && loans.tenure.occupancy === 'owner_occupied');
    assert.equal(strays.tenure.foreclosure_stage, 'notice');
    assert.deepEqual([strays.equity.equity, strays.equity.reason], [null, 'mortgages_partly_covered']);
    assert.equal(order.equity.free_and_clear, true);
    assert.equal(order.equity.equity, order.valuation.estimated_value);
  });

  it('shows what follows from names to those who may read owners, and the rest to all', async () => {
    const { tenure, equity } = await read('titleLoans', await withoutOwners());
    assert.ok(!('occupancy' in tenure) && !('vesting' in tenure));
    assert.ok(tenure.owned_since && equity.equity !== null);
  });
});

describe('a filter on tenure', () => {
  it('counts what the records say, and needs the scope where it follows from names', async () => {
    const count = async (filter: string) =>
      (await api.get(`/properties/count?state=ZZ&${filter}`)).body.count as number;
    const { rows } = await deps.data.query(
      `select count(*) filter (where occupancy = 'absentee_in_state')::int as absentee,
         count(*) filter (where free_and_clear)::int as free, count(*) filter (where ltv >= 0.5)::int as indebted
       from properties where status = 'active'`,
    );
    assert.ok(rows[0].absentee > 0 && rows[0].free > 0 && rows[0].indebted > 0, JSON.stringify(rows[0]));
    assert.equal(await count('occupancy=absentee_in_state'), rows[0].absentee);
    assert.equal(await count('free_and_clear=true'), rows[0].free);
    assert.equal(await count('min_ltv=0.5'), rows[0].indebted);
    const key = await withoutOwners();
    for (const filter of ['occupancy=absentee', 'vesting=trustee'])
      assert.equal((await api.get(`/properties/count?state=ZZ&${filter}`, { key })).status, 403, filter);
    assert.equal((await api.get('/properties/count?state=ZZ&free_and_clear=true', { key })).status, 200);
    assert.equal((await api.get('/properties/count?state=ZZ&occupancy=tenant')).status, 400);
  });
});

describe('facts that change', () => {
  it('are told in the feed once, without what follows from names', async () => {
    const id = idOf('titleStrays');
    const changes = async () =>
      (
        await deps.data.query(
          `select * from changes where property_id = $1 and 'foreclosure_stage' = any(changed_fields)`,
          [id],
        )
      ).rows;
    await deriveTenure(deps, MARKET);
    assert.deepEqual(await changes(), []);
    await deps.data.query(
      `update transactions set retired_at = now() where property_id = $1 and type = 'foreclosure'`,
      [id],
    );
    await deriveTenure(deps, MARKET);
    await deriveTenure(deps, MARKET);
    const [change, ...more] = await changes();
    assert.deepEqual(more, []);
    assert.deepEqual(
      [change.kind, change.before.foreclosure_stage, change.after.foreclosure_stage],
      ['property.updated', 'notice', 'none'],
    );
    assert.ok(!('occupancy' in change.after));
  });
});
