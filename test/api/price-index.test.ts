// Quality-adjusted price indexes by area, as they are served from the sandbox.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { rollUpMarket } from '../../src/insight/analytics/analytics.ts';
import { recordModelVerdicts } from '../../src/records/properties/verdicts.ts';
import { measureMarket } from '../../src/insight/quality/quality.ts';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { followLoad } from '../../src/operate/refresh.ts';
import { testClient } from '../harness.ts';
import { FIPS, rollRow, testville, writeRoll } from '../testville.ts';
import { ANYWAY } from '../anyway.ts';

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

describe('FHFA’s index beside ours', () => {
  const put = async (place: string, growth: number) => {
    await api.deps.data.query('delete from price_indexes where place_code = $1', [place]);
    await api.deps.data.query(
      `insert into price_indexes (place_code, year, quarter, place_name, index_value, source_id, load_id)
       select $1, year, 0, 'x', 100 * power($2::float8, year - 2015), 'us-fhfa/zip-index', 1
       from generate_series(2015, 2024) as year`,
      [place, growth],
    );
  };

  it('is none where FHFA has none', async () => {
    assert.equal((await index({ kind: 'city', area: 'PORT ELLOWBY' })).body.benchmark ?? null, null);
  });

  it('has the difference a year over five years, by every interval, and says when it is beyond the bound', async () => {
    const { data } = (await index({ kind: 'zip', area: '00103', interval: 'year' })).body;
    const at = (year: string) => data.find(({ period }: Point) => period === year).index;
    const own = (at('2024') / at('2019')) ** (1 / 5) - 1;
    for (const [growth, isBeyond] of [
      [1 + own + 0.01, false],
      [1 + own - 0.05, true],
    ] as const) {
      await put('zip:00103', growth);
      for (const interval of ['year', 'month']) {
        const { benchmark } = (await index({ kind: 'zip', area: '00103', interval })).body;
        assert.deepEqual(
          [benchmark.from_year, benchmark.to_year, benchmark.place, benchmark.is_beyond],
          [2019, 2024, 'zip:00103', isBeyond],
        );
        assert.ok(Math.abs(benchmark.growth - (growth - 1)) < 1e-3);
        // The mean of twelve months is not quite the index of the year.
        assert.ok(Math.abs(benchmark.own_growth - own) < 0.005, `${interval}: ${benchmark.own_growth} is not ${own}`);
        assert.ok(Math.abs(benchmark.difference - (benchmark.own_growth - benchmark.growth)) < 1e-9 + 1e-4);
      }
    }
  });

  it('is compared for a market by its largest county, and a warning is in its evidence of quality', async () => {
    await put('county:99001', 1.2);
    const { benchmark } = (await index({ kind: 'market', area: 'sandbox' })).body;
    assert.deepEqual([benchmark.place, benchmark.is_beyond], ['county:99001', true]);
    await api.deps.control.query('delete from quality_reports');
    assert.ok(await measureMarket(api.deps, 'sandbox'));
    const quality = (await api.get('/avm/quality?market=sandbox')).body;
    assert.deepEqual([quality.benchmark.place, quality.benchmark.is_beyond], ['county:99001', true]);
  });
});

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
    for (const property_type of ['land', 'apartment']) {
      const { body } = await index({ kind: 'market', area: 'sandbox', property_type });
      assert.deepEqual([body.withheld, body.reason, body.data.length], [true, 'not_homes', 0]);
    }
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

describe('a forecast', () => {
  const forecast = (query: Record<string, string>) => api.get(`/analytics/forecast?${new URLSearchParams(query)}`);

  it('goes on from the last month of the index, with a band that grows', async () => {
    const { status, body } = await forecast({ kind: 'market', area: 'sandbox' });
    assert.equal(status, 200, JSON.stringify(body));
    const months = (await index({ kind: 'market', area: 'sandbox' })).body.data as Point[];
    assert.deepEqual([body.from, body.index], [months.at(-1)!.period, months.at(-1)!.index]);
    assert.equal(body.data.length, 12);
    let before = { ...months.at(-1)!, width: 0 };
    for (const point of body.data) {
      assert.equal(Date.parse(point.starts_on) - Date.parse(before.ends_on), 86_400_000);
      assert.ok(point.low < point.index && point.index < point.high);
      assert.ok(Math.abs(point.index / body.index - 1 - point.growth) < 0.001);
      const width = Math.log(point.high / point.low);
      assert.ok(width > before.width, `${point.period}: ${width}`);
      before = { ...point, width };
    }
  });

  it('is as long as asked for, and withheld where the index is', async () => {
    assert.equal((await forecast({ kind: 'market', area: 'sandbox', months: '3' })).body.data.length, 3);
    const { body } = await forecast({ kind: 'market', area: 'sandbox', property_type: 'land' });
    assert.deepEqual([body.withheld, body.reason, body.from, body.data], [true, 'not_homes', null, []]);
    assert.equal((await forecast({ kind: 'market', area: 'sandbox', months: '13' })).status, 400);
    assert.equal((await forecast({ kind: 'zip', area: '99999' })).status, 404);
  });
});

describe('the index of a loaded file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-index-'));
  const source = { ...testville };
  const live = { key: api.liveKey };
  const read = async (interval: string) =>
    (await index({ kind: 'county', area: String(FIPS), market: 'testville', interval }, live)).body;

  /** Homes sold two or three times from 2021 to 2024 while prices rise, fall and rise, each a little off. */
  const levelOf = (month: number) => 0.006 * month - 0.012 * Math.max(0, month - 18) + 0.015 * Math.max(0, month - 30);
  const SALES = [...Array(400).keys()].flatMap((pin) =>
    [...Array(2 + (pin % 2)).keys()].map((time) => {
      const month = (pin * 7 + time * (11 + (pin % 9))) % 47;
      const wobble = 0.02 * Math.sin(1_000 * pin + 77 * time);
      const price = Math.round(150_000 * (1 + (pin % 40) / 20) * Math.exp(levelOf(month) + wobble));
      const date = new Date(Date.UTC(2021, month, 1 + (pin % 28))).toISOString().slice(0, 10);
      return [pin, date, price] as const;
    }),
  );

  async function load(sales: readonly (readonly [pin: number, sold: string, price: number])[]) {
    writeRoll(
      folder,
      [...Array(440).keys()].map((i) => rollRow(i)),
    );
    const lines = sales.map(
      ([pin, sold, price]) => `T-${String(pin).padStart(6, '0')},${sold},${price},${1000 + (pin % 100)}`,
    );
    writeFileSync(join(folder, 'sales.csv'), `pin,sold,price,sqft\n${lines.join('\n')}\n`);
    await ingest({ data: api.deps.data, clock: api.deps.clock, cacheFolder: folder }, [source], [source], {
      from: folder,
      accept: ANYWAY,
      afterLoad: (market) => followLoad(api.deps, [source], market),
    });
    api.deps.catalog.forget();
  }

  it('is that of its repeat sales, computed from the rows of the file', async () => {
    await load(SALES);
    const body = await read('quarter');
    const expected = repeatSalesOf(readFileSync(join(folder, 'sales.csv'), 'utf8'));
    assert.equal(body.n, SALES.length);
    assert.equal(body.base_period, '2021-Q1');
    assert.equal(body.data.length, expected.length);
    for (const [quarter, point] of (body.data as Point[]).entries()) {
      const miss = Math.log(point.index / 100) - expected[quarter];
      assert.ok(
        Math.abs(miss) < 0.02,
        `${point.period}: ${point.index}, by repeat sales ${100 * Math.exp(expected[quarter])}`,
      );
    }
  });

  it('counts resales, and is charged as one call', async () => {
    const { headers, body } = await index(
      { kind: 'city', area: 'Testville', market: 'testville', interval: 'year' },
      live,
    );
    assert.deepEqual([headers['x-usage-meter'], headers['x-usage-units']], ['standard', '1']);
    assert.equal(body.n_repeat, SALES.length - 400);
    assert.deepEqual(
      body.sources.map(({ id }: { id: string }) => id),
      ['testville/sales'],
    );
  });

  it('keeps what it said at first beside what it says after a load of late sales', async () => {
    const before: Point[] = (await read('month')).data;
    assert.ok(before.every(({ is_revised }) => !is_revised));
    const late = [...Array(40).keys()].map((i) => [400 + i, '2022-06-20', 600_000] as const);
    await load([...SALES, ...late]);
    const after: Point[] = (await read('month')).data;
    const at = (points: Point[]) => points.find(({ period }) => period === '2022-06')!;
    assert.equal(at(after).n, at(before).n + 40);
    assert.equal(at(after).first_published, at(before).index);
    assert.ok(at(after).is_revised);
    for (const point of after)
      assert.equal(point.is_revised, point.first_published !== null && point.first_published !== point.index);
  });

  it('counts the sales that the series of sales counts: none that a model has judged to be no market price', async () => {
    const before = (await read('year')).n;
    const { rows: odd } = await api.deps.data.query(
      `select property_id as "propertyId", id, 'far_below_value' as reason from transactions
       where market = 'testville' and type = 'deed' order by id limit 3`,
    );
    await recordModelVerdicts(api.deps, 'testville', odd);
    await rollUpMarket(api.deps, 'testville');
    const query = new URLSearchParams({ kind: 'county', area: String(FIPS), market: 'testville', interval: 'year' });
    const series = (await api.get(`/analytics/series?${query}`, live)).body;
    assert.deepEqual([(await read('year')).n, series.n], [before - 3, before - 3]);
  });
});

/** Bailey, Muth and Nourse: log growth between two sales of a home is the difference of two quarters. */
function repeatSalesOf(csv: string): number[] {
  const sold = csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  const quarterOf = (date: string) =>
    (Number(date.slice(0, 4)) - 2021) * 4 + Math.floor((Number(date.slice(5, 7)) - 1) / 3);
  const size = 1 + Math.max(...sold.map(([, date]) => quarterOf(date)));
  const a = Array.from({ length: size }, (_, i) => Array.from({ length: size + 1 }, (_, j) => Number(i === j) * 1e-9));
  for (const own of Map.groupBy(sold, ([pin]) => pin).values()) {
    const ordered = own.toSorted(([, x], [, y]) => (x < y ? -1 : 1));
    for (const [k, [, date, price]] of ordered.entries()) {
      if (k === 0) continue;
      const [i, j] = [quarterOf(ordered[k - 1][1]), quarterOf(date)];
      const growth = Math.log(Number(price) / Number(ordered[k - 1][2]));
      for (const [row, sign] of [
        [j, 1],
        [i, -1],
      ]) {
        a[row][j] += sign;
        a[row][i] -= sign;
        a[row][size] += sign * growth;
      }
    }
  }
  for (let c = 0; c < size; c++) {
    const pivot = a[c].map((value) => value / a[c][c]);
    for (let r = 0; r < size; r++) a[r] = r === c ? pivot : a[r].map((value, k) => value - a[r][c] * pivot[k]);
  }
  return a.map((row) => row[size] - a[0][size]);
}
