// Quality-adjusted price indexes by area, as they are served from the sandbox.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rollUpMarket } from '../../src/analytics/analytics.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const index = (query: Record<string, string>, options = {}) =>
  api.get(`/analytics/index?${new URLSearchParams(query)}`, options);

interface Point {
  period: string;
  starts_on: string;
  ends_on: string;
  index: number;
  low: number;
  high: number;
  n: number;
  n_repeat: number;
  is_open: boolean;
  first_published: number | null;
  is_revised: boolean;
}

describe('a price index', () => {
  it('stands at 100 in its base period, inside its band everywhere, by every interval', async () => {
    for (const interval of ['month', 'quarter', 'year']) {
      const { status, body } = await index({ kind: 'market', area: 'sandbox', interval });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.withheld, false);
      const points: Point[] = body.data;
      const base = points.find(({ period }) => period === body.base_period)!;
      assert.deepEqual([base.index, base.low, base.high], [100, 100, 100]);
      for (const [i, point] of points.entries()) {
        assert.ok(point.low <= point.index && point.index <= point.high, JSON.stringify(point));
        assert.ok(point.n_repeat <= point.n);
        assert.equal(point.first_published === null, point.is_open);
        if (i > 0) assert.equal(Date.parse(point.starts_on) - Date.parse(points[i - 1].ends_on), 86_400_000);
      }
      assert.deepEqual([body.starts_on, body.ends_on], [points[0].starts_on, points.at(-1)!.ends_on]);
      assert.ok(body.sources.length > 0 && body.method.length > 100);
    }
  });

  it('tells growth up to the last month with its band', async () => {
    const { body } = await index({ kind: 'market', area: 'sandbox' });
    const at = new Map<string, number>(body.data.map((point: Point) => [point.period, point.index]));
    assert.deepEqual(
      body.growth.map(({ years }: { years: number }) => years),
      [1, 3, 5],
    );
    for (const { from, to, rate, low, high } of body.growth) {
      assert.ok(Math.abs(at.get(to)! / at.get(from)! - 1 - rate) < 0.001);
      assert.ok(low < rate && rate < high);
    }
  });

  it('is withheld with its reason where there are too few sales, or no homes', async () => {
    const { body } = await index({ kind: 'market', area: 'sandbox', property_type: 'land' });
    assert.deepEqual([body.withheld, body.reason, body.data.length], [true, 'not_homes', 0]);
    const { rows } = await api.deps.data.query(
      `select area, n from sales_series where market = 'sandbox' and kind = 'tract' and step = 'month'
       and property_type = 'residential' order by n limit 1`,
    );
    const few = await index({ kind: 'tract', area: rows[0].area });
    assert.equal(few.body.withheld, rows[0].n < 20);
  });

  it('of an area is as wide as its own sales can tell', async () => {
    const { rows } = await api.deps.data.query(
      `select area from sales_series where market = 'sandbox' and kind = 'zip' and step = 'month'
       and property_type = 'residential' order by n desc limit 1`,
    );
    const last = async (query: Record<string, string>) => (await index(query)).body.data.at(-1) as Point;
    const [market, zip] = [
      await last({ kind: 'market', area: 'sandbox' }),
      await last({ kind: 'zip', area: rows[0].area }),
    ];
    assert.ok(zip.high - zip.low > market.high - market.low);
  });

  it('is refused in the words of the series, uncharged', async () => {
    const wrong = await index({ kind: 'zip', area: '99999' });
    assert.deepEqual([wrong.status, wrong.headers['x-usage-meter']], [404, 'none']);
    assert.equal((await index({ kind: 'market', area: 'sandbox' }, { key: api.liveKey })).status, 404);
  });

  it('is computed only when sales may have changed', async () => {
    assert.equal(await rollUpMarket(api.deps, 'sandbox'), 0);
  });
});
