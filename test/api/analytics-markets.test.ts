// Figures of a real market, where its records are available, beside the same figures from the raw file by a reader and
// formulas of its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { rollUpMarket } from '../../src/insight/analytics/analytics.ts';
import { clientWithHouseSales, HOUSE_SALES, needsHouseSales } from '../house-sales.ts';

const MARKET = 'king-county-wa';

interface Sale {
  home: string;
  day: string;
  zip: string;
  price: number;
  sqft: number;
  bedrooms: number;
}

function readFile(): Sale[] {
  const [head, ...lines] = gunzipSync(readFileSync(HOUSE_SALES)).toString().trim().split(/\r?\n/);
  const at = (name: string) => head.replaceAll('"', '').split(',').indexOf(name);
  const [home, date, zip, price, sqft, bedrooms] = ['id', 'date', 'zipcode', 'price', 'sqft_living', 'bedrooms'].map(
    at,
  );
  return lines.map((line) => {
    const cells = line.replaceAll('"', '').split(',');
    const day = `${cells[date].slice(0, 4)}-${cells[date].slice(4, 6)}-${cells[date].slice(6, 8)}`;
    return {
      home: cells[home],
      day,
      zip: cells[zip],
      price: Number(cells[price]),
      sqft: Number(cells[sqft]),
      bedrooms: Number(cells[bedrooms]),
    };
  });
}

function middle(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

const quarterOf = ({ day }: Sale) => `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`;

describe('figures of King County', needsHouseSales, () => {
  it('by ZIP, year and quarter are those of the file', async () => {
    const api = await clientWithHouseSales();
    const live = { key: api.liveKey };
    const { deps } = api;
    assert.ok((await rollUpMarket(deps, MARKET)) > 0);
    deps.catalog.forget();

    const sales = readFile();
    const byZip = Map.groupBy(sales, ({ zip }) => zip);
    assert.ok(byZip.size > 60);
    let compared = 0;
    for (const [interval, periodOf] of [
      ['year', ({ day }: Sale) => day.slice(0, 4)],
      ['quarter', quarterOf],
    ] as const) {
      for (const [zip, own] of byZip) {
        const { body } = await api.get(`/analytics/series?kind=zip&area=${zip}&interval=${interval}`, live);
        const byPeriod = Map.groupBy(own, periodOf);
        for (const point of body.data) {
          const inside = byPeriod.get(point.period) ?? [];
          assert.equal(point.n, inside.length, `${zip} ${point.period}`);
          assert.equal(point.withheld, inside.length < 5);
          // A list of sales does not say how many homes there are.
          assert.equal(point.turnover, null);
          if (inside.length < 5) continue;
          assert.equal(point.median_price, Math.round(middle(inside.map(({ price }) => price))));
          const perSqft = middle(inside.map(({ price, sqft }) => price / sqft));
          assert.ok(Math.abs(point.median_price_per_sqft - perSqft) < 0.006, `${zip} ${point.period}`);
          compared++;
        }
        assert.equal(body.n, own.length);
      }
    }
    assert.ok(compared > 250, `${compared}`);

    const three = sales.filter(({ bedrooms }) => bedrooms === 3);
    const query = `kind=market&area=${MARKET}&interval=year&segment=bedrooms_3`;
    const { body: segment } = await api.get(`/analytics/series?${query}`, live);
    assert.deepEqual(
      segment.data.map(({ period, n, median_price }: any) => [period, n, median_price]),
      [...Map.groupBy(three, ({ day }) => day.slice(0, 4))]
        .toSorted()
        .map(([year, own]) => [year, own.length, Math.round(middle(own.map(({ price }) => price)))]),
    );

    const { body: ranking } = await api.get(
      `/analytics/rankings?kind=zip&figure=median_price&market=${MARKET}&period=2014&limit=500`,
      live,
    );
    const expected = [...byZip]
      .map(([zip, own]) => [zip, own.filter(({ day }) => day.startsWith('2014')).map(({ price }) => price)] as const)
      .map(([zip, prices]) => ({ zip, n: prices.length, price: Math.round(middle(prices)) }))
      .toSorted((a, b) => b.price - a.price || (a.zip < b.zip ? -1 : 1));
    assert.deepEqual(
      ranking.data.map(({ area, n, value }: any) => ({ zip: area.id, n, price: value })),
      expected.filter(({ n }) => n >= 5),
    );

    const { body: summary } = await api.get(`/analytics/summary?kind=market&area=${MARKET}`, live);
    const last = new Map(sales.toSorted((a, b) => (a.day < b.day ? -1 : 1)).map((sale) => [sale.home, sale]));
    assert.equal(summary.stock.homes, last.size);
    assert.equal(summary.stock.is_complete, false);
    assert.equal(summary.stock.sqft.median, Math.round(middle([...last.values()].map(({ sqft }) => sqft))));
    assert.deepEqual([summary.values.n, summary.permits, summary.liens], [0, null, null]);
  });
});
