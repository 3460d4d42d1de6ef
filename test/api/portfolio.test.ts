// What a watchlist is worth together: total and joint interval, exposure, changes, alerts, and what it costs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkTotals } from '../../src/delivery/watchlists/portfolio.ts';
import { testClient } from '../harness.ts';

const api = await testClient();

async function listOf(options: object): Promise<string> {
  const { status, body } = await api.post('/watchlists', options);
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}
async function idsWhere(condition: string, limit: number): Promise<string[]> {
  const { rows } = await api.deps.data.query(
    `select id from properties where market = 'sandbox' and status = 'active' and ${condition} order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}
const portfolioOf = async (id: string, query = '') => {
  const { status, body } = await api.get(`/watchlists/${id}/portfolio${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

describe('GET /watchlists/:id/portfolio', () => {
  it('200: the total is the sum, and its interval lies well inside the sum of the ends', async () => {
    const ids = await idsWhere('value is not null', 120);
    const { total, ...portfolio } = await portfolioOf(await listOf({ name: 'a', property_ids: ids }));
    const { rows } = await api.deps.data.query(
      'select sum(value) as value, sum(value_low) as low, sum(value_high) as high from properties where id = any($1)',
      [ids],
    );
    assert.deepEqual([portfolio.property_count, portfolio.valued_count, portfolio.unvalued], [120, 120, []]);
    assert.deepEqual([total.value, total.sum_of_lows, total.sum_of_highs], [rows[0].value, rows[0].low, rows[0].high]);
    assert.ok(total.low < total.value && total.value < total.high);
    assert.ok(total.high - total.low < 0.5 * (total.sum_of_highs - total.sum_of_lows), JSON.stringify(total));
    const { market, neighborhood, own } = total.error_shares;
    assert.ok(Math.abs(market + neighborhood + own - 1) < 0.01 && market > 0);
  });

  it('200: of one property it is the property’s own interval; a higher level is wider', async () => {
    const [id] = await idsWhere('value is not null', 1);
    const list = await listOf({ name: 'one', property_ids: [id] });
    const { total } = await portfolioOf(list);
    const { body } = await api.get(`/properties/${id}`);
    assert.ok(Math.abs(total.low / body.valuation.low - 1) < 0.03, `${total.low} ${body.valuation.low}`);
    assert.ok(Math.abs(total.high / body.valuation.high - 1) < 0.03, `${total.high} ${body.valuation.high}`);
    const wider = (await portfolioOf(list, '?interval_level=0.95')).total;
    assert.ok(wider.low < total.low && wider.high > total.high);
  });

  it('200: exposure adds up by area and type, and a layer that is not covered is not counted as free', async () => {
    const ids = [
      ...(await idsWhere('fips = 99001', 30)),
      ...(await idsWhere('fips = 99003', 20)),
      ...(await idsWhere('open_tax_liens > 0', 2)),
    ];
    const list = await listOf({ name: 'b', property_ids: [...new Set(ids)] });
    const { exposure, property_count } = await portfolioOf(list);
    for (const kind of ['state', 'market']) {
      const areas = exposure.areas.filter((area: any) => area.kind === kind);
      assert.equal(
        areas.reduce((sum: number, area: any) => sum + area.property_count, 0),
        property_count,
      );
    }
    assert.equal(
      exposure.property_types.reduce((sum: number, each: any) => sum + each.property_count, 0),
      property_count,
    );
    const risk = Object.fromEntries(exposure.risk.map((each: any) => [each.layer, each]));
    assert.ok(risk.tax_liens.property_count >= 2 && risk.tax_liens.value > 0);
    assert.ok(risk.code_violations.not_known_count >= 20);
    assert.equal(risk.flood.not_known_count, 0);
  });

  it('200: what has no value is named with the reason, and an empty total is null', async () => {
    const [unvalued] = await idsWhere('value is null', 1);
    const list = await listOf({ name: 'c', property_ids: [unvalued] });
    const portfolio = await portfolioOf(list);
    assert.deepEqual([portfolio.total, portfolio.unvalued], [null, [{ property_id: unvalued, reason: 'not_valued' }]]);
    await api.deps.data.query(`update properties set status = 'retired' where id = $1`, [unvalued]);
    assert.equal((await portfolioOf(list)).unvalued[0].reason, 'retired');
  });

  it('200: what changed since a day: the value of those that had one, changes by type, and the largest moves', async () => {
    const ids = await idsWhere('value is not null', 3);
    const list = await listOf({ name: 'd', property_ids: ids });
    await api.deps.data.query(
      `insert into property_values (fips, property_id, valued_on, model, value, value_low, value_high, fsd)
       select fips, id, '2026-01-01', 'earlier', value * 0.8, value * 0.7, value * 0.9, 0.1 from properties where id = any($1)`,
      [ids.slice(0, 2)],
    );
    const { since } = await portfolioOf(list, '?since=2026-01-15');
    assert.equal(since.day, '2026-01-15');
    assert.ok(Math.abs(since.change - 0.25) < 0.001, JSON.stringify(since));
    assert.deepEqual(since.largest_moves.map((move: any) => move.property_id).toSorted(), ids.slice(0, 2).toSorted());
    const all = await portfolioOf(list, '?since=2011-01-01');
    assert.ok(all.since.changes.every((each: any) => each.changes >= each.properties && each.properties > 0));
    assert.ok(all.since.changes.length > 0);
    assert.equal((await portfolioOf(list)).since.day, '2026-05-31');
  });

  it('400 for a day to come, 404 for another account’s list, 403 without the scope', async () => {
    const list = await listOf({ name: 'e', property_ids: await idsWhere('value is not null', 1) });
    assert.equal((await api.get(`/watchlists/${list}/portfolio?since=2027-01-01`)).status, 400);
    assert.equal((await api.get('/watchlists/wl_00000000000000000000/portfolio')).status, 404);
    const key = await api.keyWith(['properties:read']);
    assert.equal((await api.get(`/watchlists/${list}/portfolio`, { key })).status, 403);
  });
});

describe('alerts on the total', () => {
  it('are sent when it has moved by the list’s percentage since it was last told, and not before', async () => {
    const ids = await idsWhere('value is not null', 5);
    const list = await listOf({ name: 'f', property_ids: ids, total_change_percent: 4 });
    const events = async () =>
      (await api.get('/events?type=watchlist.value_changed')).body.data.filter(
        (event: any) => event.data.watchlist_id === list,
      );
    const later = async (factor: number) => {
      await api.deps.data.query('update properties set value = round(value * $2::float8) where id = any($1)', [
        ids,
        factor,
      ]);
      api.deps.travel(new Date(api.deps.clock().getTime() + 3_600_000).toISOString());
      await checkTotals(api.deps);
    };
    await later(1);
    await later(1.03);
    assert.deepEqual(await events(), []);
    await later(1.03);
    const [event] = await events();
    assert.ok(Math.abs(event.data.change_percent - 6.09) < 0.01, JSON.stringify(event.data));
    await later(1);
    assert.equal((await events()).length, 1);
    assert.equal((await portfolioOf(list)).alerts.last_told_value, event.data.value_after);
  });

  it('can be set, changed and removed', async () => {
    const list = await listOf({ name: 'g', property_ids: await idsWhere('value is not null', 1) });
    const read = async () => (await api.get(`/watchlists/${list}`)).body.total_change_percent;
    assert.equal(await read(), null);
    await api.call('PATCH', `/watchlists/${list}`, { body: { total_change_percent: 2.5 } });
    assert.equal(await read(), 2.5);
    await api.call('PATCH', `/watchlists/${list}`, { body: { total_change_percent: null } });
    assert.equal(await read(), null);
    assert.equal((await api.call('PATCH', `/watchlists/${list}`, { body: { total_change_percent: 0 } })).status, 400);
  });
});
