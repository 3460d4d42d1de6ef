// Watchlists: by ids and by filter, what becomes an event and what does not, each exactly once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FilterBody, readFilter } from '../../src/records/properties/filter.ts';
import { keepMatching } from '../../src/records/properties/matches.ts';
import { searchProperties } from '../../src/records/properties/search.ts';
import { drain, runSchedule } from '../../src/worker.ts';
import { untilFinal } from '../final.ts';
import { testClient } from '../harness.ts';
import { startReceiver } from '../receiver.ts';

const api = await testClient({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const { data } = api.deps;
const { body: found } = await api.get('/properties/search?limit=30&property_type=single_family&fields=identifiers');
const homes: { id: string; identifiers: { fips: string } }[] = found.data;
const {
  rows: [homesCenter],
} = await data.query('select latitude, longitude, census_tract from properties where id = $1', [homes[5].id]);
const receiver = await startReceiver();
const hook = await api.post('/webhooks', { url: `${receiver.url}/w` });
assert.equal(hook.status, 201);
const work = async () => {
  await untilFinal(data);
  await drain(api.deps);
};

async function change(id: string, kind: string, before: object, after: object, op = 'update') {
  await data.query(
    `insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
     select fips, id, market, $2, $6, $3, $4, $5, now() from properties where id = $1`,
    [id, kind, Object.keys(after), JSON.stringify(before), JSON.stringify(after), op],
  );
}

async function make(body: object) {
  const { status, body: made, text } = await api.post('/watchlists', { name: 'test', ...body });
  assert.equal(status, 201, text);
  await work();
  receiver.received.length = 0;
  return made as { id: string };
}

const told = () => receiver.received.map(({ event }) => `${event.type} ${event.data.property_id}`).sort();

describe('by ids', () => {
  it('send a watched property’s change to the webhook once, and no other property’s', async () => {
    const list = await make({ property_ids: [homes[0].id, homes[1].id] });
    await change(
      homes[0].id,
      'property.sale_recorded',
      { last_sale_price: 1 },
      { last_sale_price: 2, buyers: ['A. PERSON'] },
    );
    await change(homes[2].id, 'property.sale_recorded', {}, { last_sale_price: 3 });
    await work();
    await work();
    assert.deepEqual(told(), [`property.sale_recorded ${homes[0].id}`]);
    const { event } = receiver.received[0];
    assert.equal(event.data.watchlist_id, list.id);
    assert.deepEqual(event.data.after, { last_sale_price: 2 }, 'without names');
    const { body } = await api.get('/events?type=property.sale_recorded');
    assert.equal(body.data.length, 1);
    await api.call('DELETE', `/watchlists/${list.id}`);
  });

  it('send only the requested kinds, and values from the percentage on; small steps add up', async () => {
    const list = await make({
      property_ids: [homes[3].id],
      events: ['valuation.changed'],
      valuation_change_percent: 5,
    });
    await data.query('update properties set value = 100000 where id = $1', [homes[3].id]);
    await api.deps.control.query('update watchlist_members set value = 100000 where watchlist_id = $1', [list.id]);
    await change(homes[3].id, 'property.updated', {}, { sqft: 1 });
    await change(homes[3].id, 'valuation.changed', { value: 100_000 }, { value: 103_000 });
    await work();
    assert.deepEqual(told(), []);
    await change(homes[3].id, 'valuation.changed', { value: 103_000 }, { value: 105_500 });
    await change(homes[3].id, 'valuation.changed', { value: 105_500 }, { value: 106_000 });
    await work();
    assert.deepEqual(told(), [`valuation.changed ${homes[3].id}`]);
    assert.equal(receiver.received[0].event.data.after.value, 105_500);
    await api.call('DELETE', `/watchlists/${list.id}`);
  });

  it('return 404 for a property the key cannot see and 400 for neither or both; members can be added and removed', async () => {
    assert.equal(
      (await api.post('/watchlists', { name: 'x', property_ids: ['prop_00000000000000000000'] })).status,
      404,
    );
    assert.equal((await api.post('/watchlists', { name: 'x' })).status, 400);
    const both = { name: 'x', property_ids: [homes[0].id], filter: { zip: '00101' } };
    assert.equal((await api.post('/watchlists', both)).status, 400);
    assert.equal(
      (await api.post('/watchlists', { name: 'x', filter: { sort: 'value' } })).body.code,
      'unknown_parameter',
    );
    const list = await make({ property_ids: [homes[0].id] });
    const changed = await api.post(`/watchlists/${list.id}/properties`, {
      add: [homes[1].id, homes[2].id],
      remove: [homes[0].id],
    });
    assert.deepEqual([changed.body.added, changed.body.removed], [2, 1]);
    const { body } = await api.get(`/watchlists/${list.id}/properties?limit=1`);
    assert.equal(body.data.length, 1);
    assert.equal(
      (await api.get(`/watchlists/${list.id}/properties?cursor=${body.pagination.next_cursor}`)).body.data.length,
      1,
    );
    assert.equal((await api.get(`/watchlists/${list.id}`)).body.property_count, 2);
    assert.equal((await api.get(`/watchlists/${list.id}`, { key: api.liveKey })).status, 404);
    await api.call('DELETE', `/watchlists/${list.id}`);
    assert.equal((await api.get(`/watchlists/${list.id}`)).status, 404);
  });
});

describe('by filter', () => {
  it('collect the properties silently, then report additions and removals', async () => {
    const filter = { property_type: ['single_family'], min_sqft: 2_000, max_sqft: 2_100 };
    const list = await make({ filter });
    const { body: count } = await api.get('/properties/count?property_type=single_family&min_sqft=2000&max_sqft=2100');
    const { body: ready } = await api.get(`/watchlists/${list.id}`);
    assert.equal(ready.property_count, count.count);
    assert.equal(ready.is_ready, true);
    assert.ok(count.count > 0);
    const { body: members } = await api.get(`/watchlists/${list.id}/properties?limit=1`);
    const member = members.data[0].property_id;
    const { rows } = await data.query(
      `select id from properties where property_type = 'single_family' and sqft > 3000 and market = 'sandbox' limit 1`,
    );
    const stranger = rows[0].id;
    await data.query('update properties set sqft = 2050 where id = $1', [stranger]);
    await change(stranger, 'property.updated', { sqft: 3_100 }, { sqft: 2_050 });
    await data.query('update properties set sqft = 5000 where id = $1', [member]);
    await change(member, 'property.updated', { sqft: 2_050 }, { sqft: 5_000 });
    await work();
    await work();
    assert.deepEqual(
      told(),
      [
        `property.updated ${member}`,
        `watchlist.property_added ${stranger}`,
        `watchlist.property_removed ${member}`,
      ].sort(),
    );
    // The daily comparison finds what changed without a change record.
    receiver.received.length = 0;
    await data.query('update properties set sqft = 2060 where id = $1', [member]);
    await api.deps.control.query(`update watchlists set refreshed_at = now() - interval '2 days' where id = $1`, [
      list.id,
    ]);
    await runSchedule(api.deps, 'refresh-watchlists');
    await work();
    assert.deepEqual(told(), [`watchlist.property_added ${member}`]);
    // After a filter change, the difference is reported.
    receiver.received.length = 0;
    await api.call('PATCH', `/watchlists/${list.id}`, { body: { filter: { ...filter, max_sqft: 2_055 } } });
    await work();
    assert.ok(told().includes(`watchlist.property_removed ${member}`));
    await api.call('DELETE', `/watchlists/${list.id}`);
  });

  it('match in memory what search matches in the database', async () => {
    const { rows } = await data.query(`select * from properties where market = 'sandbox'`);
    const filters = [
      { state: 'zz' },
      { market: 'sandbox', city: 'port ellowby' },
      { fips: '99003' },
      { zip: '00101,00103' },
      { property_type: ['condo', 'townhouse'], min_assessed_value: 100_000 },
      { min_sqft: 1_500, max_sqft: 1_800, min_bedrooms: 3, max_bathrooms: 2.5 },
      { min_last_sale_date: '2020-01-01', max_last_sale_price: 400_000 },
      { owner_occupied: false, owner_type: 'company' },
      { flood_sfha: true },
      { opportunity_zone: true, has_open_tax_lien: false },
      { has_open_violation: true },
      { permit_since: '2023-01-01', max_year_built: 1960 },
      { min_value: 200_000, max_value: 400_000, max_bedrooms: 4, min_bathrooms: 1.5 },
      { min_lot_sqft: 4_000, max_lot_sqft: 9_000, min_year_built: 1950, max_assessed_value: 900_000 },
      { min_last_sale_price: 100_000, max_last_sale_date: '2022-12-31' },
      { census_tract: [homesCenter.census_tract], updated_since: '2000-01-01' },
      { min_value_per_sqft: 150, max_value_per_sqft: 260 },
      { min_growth: 0.1, max_growth: 0.6 },
      { min_uncertainty: 0.1, max_uncertainty: 0.35 },
      { min_units: 2, max_units: 4 },
      { layer: 'hazards.risk_score:40..;hazards.hurricane:Very High,Relatively High' },
      { occupancy: 'absentee_in_state' },
      { vesting: ['trustee'], max_owned_since: '2024-01-01', min_owned_since: '2012-01-01' },
      { free_and_clear: true },
      { foreclosure_stage: 'ended_by_deed,notice' },
      { tax_delinquency: ['lien'] },
      { min_equity: 100_000, max_equity: 250_000, min_open_loans: 1, max_open_loans: 2 },
      { min_ltv: 0.5, max_ltv: 0.9 },
      {
        geometry: {
          type: 'Polygon' as const,
          coordinates: [
            [
              [homesCenter.longitude - 0.01, homesCenter.latitude - 0.01],
              [homesCenter.longitude + 0.02, homesCenter.latitude],
              [homesCenter.longitude, homesCenter.latitude + 0.02],
              [homesCenter.longitude - 0.01, homesCenter.latitude - 0.01],
            ],
          ],
        },
      },
      { latitude: homesCenter.latitude, longitude: homesCenter.longitude, radius_miles: 0.7 },
      {
        bbox: `${homesCenter.longitude - 0.01},${homesCenter.latitude - 0.01},${homesCenter.longitude + 0.02},${homesCenter.latitude + 0.02}`,
      },
    ];
    const tried = new Set(filters.flatMap((input) => Object.keys(input)));
    assert.deepEqual([...tried].sort(), Object.keys(FilterBody).sort(), 'every filter is covered');
    for (const input of filters) {
      const filter = readFilter(input);
      const searched: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await searchProperties(api.deps, 'test', { filter, sort: undefined, limit: 2_000, cursor });
        searched.push(...page.rows.map((row) => row.id));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      const matched = (await keepMatching(api.deps, filter, rows)).map((row) => row.id);
      assert.deepEqual(matched.sort(), searched.sort(), JSON.stringify(input));
      if (!('has_open_violation' in input)) assert.ok(searched.length > 0, JSON.stringify(input));
    }
  });
});

describe('the relay', () => {
  it('reports each change once when two run at the same time', async () => {
    const list = await make({ property_ids: homes.map((home) => home.id) });
    for (const home of homes) await change(home.id, 'property.updated', { sqft: 1 }, { sqft: 2 });
    await Promise.all([work(), work(), work()]);
    await work();
    assert.equal(receiver.received.length, homes.length);
    assert.equal(new Set(told()).size, homes.length);
    await api.call('DELETE', `/watchlists/${list.id}`);
  });
});
