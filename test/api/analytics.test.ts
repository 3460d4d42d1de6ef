// Series of sales by area: against figures that PostgreSQL computes from the raw rows, and through loads and verdicts.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { eachDue } from '../../src/base/db/due-markets.ts';
import { describeFailure } from '../../src/base/lib/failures.ts';
import { rollUpMarket, rollUpMarkets } from '../../src/insight/analytics/analytics.ts';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { markSale } from '../../src/records/properties/verdicts.ts';
import { updateValues } from '../../src/insight/valuations/sql.ts';
import { followLoad } from '../../src/operate/refresh.ts';
import { testClient } from '../harness.ts';
import { FIPS, rollRow, testville, writeRoll } from '../testville.ts';
import { ANYWAY } from '../anyway.ts';

const api = await testClient();
const live = { key: api.liveKey };
const series = (query: Record<string, string>, options = {}) =>
  api.get(`/analytics/series?${new URLSearchParams(query)}`, options);

interface Point {
  period: string;
  starts_on: string;
  ends_on: string;
  n: number;
  withheld: boolean;
  median_price: number | null;
  is_open: boolean;
  late_sales: number;
  revised_on: string | null;
}

const HOMES = ['single_family', 'condo', 'townhouse', 'multi_family', 'manufactured'];
const COLUMNS = {
  market: 'p.market',
  county: `lpad(p.fips::text, 5, '0')`,
  city: 'p.city',
  zip: 'p.zip',
  tract: 'p.census_tract',
  neighborhood: 'p.neighborhood',
};

/** The same figures from the raw rows, by PostgreSQL's own functions. */
async function recompute(kind: keyof typeof COLUMNS, area: string, step: string, types: string[]) {
  const quartile = (share: number, of: string) => `percentile_cont(${share}) within group (order by ${of})`;
  const { rows } = await api.deps.data.query(
    `select date_trunc($3, s.sale_date::timestamp)::date as starts_on, count(*)::int as n, count(s.per_sqft)::int as n_with_sqft,
       ${quartile(0.25, 's.price')} as price_p25, ${quartile(0.5, 's.price')} as median_price,
       ${quartile(0.75, 's.price')} as price_p75, ${quartile(0.5, 's.per_sqft')} as median_price_per_sqft
     from (
       select t.sale_date, t.price, t.price / coalesce((t.attributes->>'sqft')::numeric, p.sqft) as per_sqft
       from transactions t join properties p on p.fips = t.fips and p.id = t.property_id
       where t.type = 'deed' and t.price > 0 and t.arms_length is not false and t.retired_at is null
         and t.sale_date <= '2026-06-30'
         and not exists (
           select 1 from sale_verdicts v
           where v.fips = p.fips and v.transaction_id = t.id and v.property_id = p.id and not v.market_price)
         and ${COLUMNS[kind]} = $1 and p.property_type = any ($2)
     ) s group by 1 order by 1`,
    [area, types, step],
  );
  return rows;
}

async function largest(kind: keyof typeof COLUMNS): Promise<string[]> {
  const { rows } = await api.deps.data.query(
    `select ${COLUMNS[kind]} as area from properties p where p.market = 'sandbox' and ${COLUMNS[kind]} is not null
     group by 1 order by count(*) desc, 1 limit 3`,
  );
  return rows.map(({ area }) => area);
}

describe('a series of sales', () => {
  for (const kind of Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]) {
    it(`has the figures of the raw rows by ${kind}, for every interval and type`, async () => {
      const areas = await largest(kind);
      assert.ok(areas.length > 0);
      let shown = 0;
      for (const area of areas) {
        for (const interval of ['month', 'quarter', 'year']) {
          for (const type of ['residential', 'condo']) {
            const { status, body } = await series({ kind, area, interval, property_type: type });
            assert.equal(status, 200, JSON.stringify(body));
            const expected = await recompute(kind, area, interval, type === 'residential' ? HOMES : [type]);
            const sold = body.data.filter((point: Point) => point.n > 0);
            assert.deepEqual(
              sold.map((point: Point) => [point.starts_on, point.n]),
              expected.map((row) => [row.starts_on, row.n]),
            );
            assert.equal(
              body.n,
              expected.reduce((total, row) => total + row.n, 0),
            );
            for (const [i, row] of expected.entries()) {
              const point = sold[i];
              assert.equal(point.withheld, row.n < 5);
              assert.equal(point.n_with_sqft, row.n_with_sqft);
              for (const name of ['median_price', 'price_p25', 'price_p75']) {
                assert.equal(point[name], row.n < 5 ? null : Math.round(row[name]), `${area} ${point.period} ${name}`);
              }
              if (row.n_with_sqft < 5) assert.equal(point.median_price_per_sqft, null);
              else assert.ok(Math.abs(point.median_price_per_sqft - row.median_price_per_sqft) < 0.006);
              if (row.n >= 5) shown++;
            }
          }
        }
      }
      assert.ok(shown > 0);
    });
  }

  it('has every period between the first and the last, names its sources, and says which period is open', async () => {
    const { body } = await series({ kind: 'market', area: 'sandbox', interval: 'quarter' });
    assert.equal(body.area.name, 'Sandbox Isle');
    for (const [i, point] of body.data.entries()) {
      assert.match(point.period, /^\d{4}-Q[1-4]$/);
      if (i > 0) assert.equal(Date.parse(point.starts_on) - Date.parse(body.data[i - 1].ends_on), 86_400_000);
    }
    assert.deepEqual([body.starts_on, body.ends_on], [body.data[0].starts_on, body.data.at(-1).ends_on]);
    assert.deepEqual(
      body.data.filter((point: Point) => point.is_open).map((point: Point) => point.period),
      ['2026-Q2'],
    );
    const ids = body.sources.map(({ id }: { id: string }) => id);
    assert.ok(ids.length > 0 && body.sources.every(({ licence }: { licence: string }) => licence !== ''));
    for (const point of body.data) assert.ok(point.sources.every((id: string) => ids.includes(id)));
    const [condo] = (await series({ kind: 'market', area: 'sandbox', property_type: 'condo' })).body.data;
    assert.equal(condo.late_sales, 0);
  });

  it('returns the periods from `since` to `until`', async () => {
    const { body } = await series({
      kind: 'market',
      area: 'sandbox',
      interval: 'quarter',
      since: '2024-02-10',
      until: '2024-08-01',
    });
    assert.deepEqual(
      body.data.map((point: Point) => point.period),
      ['2024-Q1', '2024-Q2', '2024-Q3'],
    );
  });

  it('withholds the figures of few sales and says so', async () => {
    const [tract] = await largest('tract');
    const { body } = await series({ kind: 'tract', area: tract });
    const few = body.data.filter((point: Point) => point.n < 5);
    assert.ok(few.length > 0);
    assert.ok(few.every((point: Point) => point.withheld && point.median_price === null));
  });
});

describe('a series or an index as CSV', () => {
  const asked = { kind: 'market', area: 'sandbox', interval: 'quarter', since: '2024-01-01' };
  const filter = { state: 'ZZ', interval: 'quarter', since: '2024-01-01' };
  const answers: Record<string, (format: string) => ReturnType<typeof series>> = {
    'GET /analytics/series': (format) => series({ ...asked, format }),
    'POST /analytics/series': (format) => api.post('/analytics/series', { ...filter, format }),
    'GET /analytics/index': (format) => api.get(`/analytics/index?${new URLSearchParams({ ...asked, format })}`),
  };
  for (const [route, ask] of Object.entries(answers)) {
    it(`has every period and figure of ${route}, read by DuckDB`, async () => {
      const { headers, text } = await ask('csv');
      assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
      const file = join(mkdtempSync(join(tmpdir(), 'series-')), 'series.csv');
      writeFileSync(file, text);
      const duck = await (await DuckDBInstance.create()).connect();
      const read = await duck.runAndReadAll(`select * from read_csv('${file}', all_varchar = true)`);
      const { data } = (await ask('json')).body;
      const cellOf = (value: unknown) =>
        value === null ? null : typeof value === 'object' ? JSON.stringify(value) : String(value);
      assert.ok(data.length > 0);
      assert.deepEqual(
        read.getRowObjects(),
        data.map((point: object) => Object.fromEntries(Object.entries(point).map(([name, of]) => [name, cellOf(of)]))),
      );
    });
  }
});

describe('a request for a series', () => {
  it('that is wrong says what is allowed', async () => {
    const cases: [query: Record<string, string>, status: number, hint: RegExp][] = [
      [{ kind: 'planet', area: 'x' }, 400, /neighborhood/],
      [{ kind: 'zip' }, 400, /area/],
      [{ kind: 'zip', area: '00103', interval: 'week' }, 400, /quarter/],
      [{ kind: 'zip', area: '00103', property_type: 'castle' }, 400, /residential/],
      [{ kind: 'zip', area: '00103', since: '2024-01-01', until: '2023-01-01' }, 400, /since/],
      [{ kind: 'zip', area: '00103', segment: 'x' }, 400, /segment/],
      [{ kind: 'zip', area: '99999' }, 404, /most sales: `001/],
      [{ kind: 'city', area: 'Port Elloby' }, 404, /Did you mean `PORT ELLOWBY`/],
      [{ kind: 'zip', area: '00103', market: 'sandbx' }, 404, /Did you mean `sandbox`/],
    ];
    for (const [query, status, hint] of cases) {
      const answer = await series(query);
      assert.equal(answer.status, status, JSON.stringify(query));
      assert.match(answer.text, hint);
      assert.equal(answer.headers['x-usage-meter'], 'none');
    }
    assert.deepEqual((await series({ kind: 'zip', area: '99999' })).body.suggestions.length, 5);
  });

  it('needs the scope and sees its own mode only', async () => {
    const key = await api.keyWith(['risk:read']);
    assert.equal((await series({ kind: 'market', area: 'sandbox' }, { key })).status, 403);
    assert.equal((await series({ kind: 'market', area: 'sandbox' }, live)).status, 404);
  });

  it('of the docs has an answer with sales', async () => {
    const quarters = await series({ kind: 'zip', area: '00103', interval: 'quarter', since: '2024-01-01' });
    const years = await series({
      kind: 'city',
      area: 'Port Ellowby',
      interval: 'year',
      property_type: 'single_family',
    });
    for (const { status, body } of [quarters, years]) assert.ok(status === 200 && body.n > 0, JSON.stringify(body));
  });

  it('finds a city however it is written', async () => {
    assert.equal((await series({ kind: 'city', area: ' port ellowby ' })).body.area.id, 'PORT ELLOWBY');
  });
});

describe('the series of a market', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-analytics-'));
  const source = { ...testville };
  const PINS = 40;
  /** Five sales a month from January to April, and one in May. */
  const SOLD = [...Array(20).keys()].map((i) => [i, `2025-0${1 + (i % 4)}-15`, 200_000 + i * 1_000] as const);

  async function load(sales: readonly (readonly [pin: number, sold: string, price: number])[]) {
    writeRoll(
      folder,
      [...Array(PINS).keys()].map((i) => rollRow(i)),
    );
    const lines = sales.map(([pin, sold, price]) => `T-${String(pin).padStart(6, '0')},${sold},${price},1500`);
    writeFileSync(join(folder, 'sales.csv'), `pin,sold,price,sqft\n${lines.join('\n')}\n`);
    await ingest({ data: api.deps.data, clock: api.deps.clock, cacheFolder: folder }, [source], [source], {
      from: folder,
      accept: ANYWAY,
      afterLoad: (market) => followLoad(api.deps, [source], market),
    });
    api.deps.catalog.forget();
  }
  const read = async () => (await series({ kind: 'county', area: String(FIPS), market: 'testville' }, live)).body;
  const summary = async () =>
    (await read()).data.map((point: Point) => [point.period, point.n, point.is_open, point.late_sales]);

  it('are there once it is loaded', async () => {
    await load([...SOLD, [20, '2025-05-02', 250_000]]);
    assert.deepEqual(await summary(), [
      ['2025-01', 5, false, 0],
      ['2025-02', 5, false, 0],
      ['2025-03', 5, false, 0],
      ['2025-04', 5, false, 0],
      ['2025-05', 1, true, 0],
    ]);
    const body = await read();
    assert.equal(body.data[0].median_price, 208_000);
    assert.equal(body.data[0].median_price_per_sqft, Math.round((208_000 / 1_500) * 100) / 100);
    assert.deepEqual(
      body.sources.map(({ id }: { id: string }) => id),
      ['testville/sales'],
    );
  });

  it('follow the next load, which marks what came late', async () => {
    await load([...SOLD, [20, '2025-05-02', 250_000], [21, '2025-02-20', 900_000], [22, '2025-05-20', 260_000]]);
    assert.deepEqual(await summary(), [
      ['2025-01', 5, false, 0],
      ['2025-02', 6, false, 1],
      ['2025-03', 5, false, 0],
      ['2025-04', 5, false, 0],
      ['2025-05', 2, true, 0],
    ]);
    const points: Point[] = (await read()).data;
    assert.deepEqual(
      points.map(({ revised_on }) => revised_on !== null),
      [false, true, false, false, false],
    );
  });

  it('are computed only when sales may have changed', async () => {
    assert.equal(await rollUpMarket(api.deps, 'testville'), 0);
    const { rows } = await api.deps.data.query(
      `select property_id, id from transactions where fips = $1 and price = 900000`,
      [FIPS],
    );
    await markSale(api.deps, rows[0].property_id, rows[0].id, { verdict: 'other', note: null });
    await rollUpMarkets(api.deps);
    assert.deepEqual((await summary())[1], ['2025-02', 5, false, 0]);
  });

  it('are looked over in two statements for all markets, without a look at any that did not change', async () => {
    await rollUpMarkets(api.deps);
    const { data } = await api.deps.countStatements(() => rollUpMarkets(api.deps));
    assert.equal(data.length, 2, data.join('\n'));
    assert.doesNotMatch(data.join('\n'), /from (properties|sale_verdicts|loads|sales_rollups)/);
  });

  it('are looked over again for a market that changes while it is, and for all markets by new rules', async () => {
    const { data } = api.deps;
    const mark = () => data.query(`insert into market_changes (market, judged) values ('testville', 1)
      on conflict (market) do update set judged = market_changes.judged + 1`); // prettier-ignore
    const listDone = async (rules: number) => {
      const done: string[] = [];
      await eachDue(data, { work: 'figures', rules }, async (market) => {
        done.push(market);
        if (rules === 1 && market === 'testville' && done.length < 9) await mark();
      });
      return done;
    };
    const all = await listDone(1);
    assert.ok(all.includes('testville') && all.includes('sandbox'), all.join());
    assert.deepEqual(await listDone(1), ['testville']);
    await data.query(`delete from due_markets where work = 'figures'`);
    assert.deepEqual(await listDone(1), []);
    assert.deepEqual(await listDone(2), all);
    await mark();
    assert.deepEqual(await listDone(2), ['testville']);
    await data.query(
      `insert into loads (source_id, market, state, started_at) values ('of/nation', null, 'completed', now())`,
    );
    assert.deepEqual(await listDone(2), all);
    await data.query(`delete from loads where source_id = 'of/nation'`);
  });

  it('go on after a market whose work fails, which stays due', async () => {
    const { data } = api.deps;
    const perform = async (isBroken: boolean) => {
      const tried: string[] = [];
      const work = eachDue(data, { work: 'figures', rules: 3 }, async (market) => {
        tried.push(market);
        if (isBroken && market === 'sandbox') throw new RangeError(`no figures of ${market}`);
      });
      return {
        tried,
        failed: await work.then(
          () => undefined,
          (error: AggregateError) => error,
        ),
      };
    };
    const first = await perform(true);
    assert.ok(first.tried.indexOf('sandbox') < first.tried.indexOf('testville'), first.tried.join());
    assert.equal(first.failed?.message, `figures of 1 of ${first.tried.length} markets`);
    assert.match(describeFailure(first.failed).err.message, /no figures of sandbox/);
    const second = await perform(false);
    assert.deepEqual([second.tried, second.failed], [['sandbox'], undefined]);
  });

  it('are computed anew after each batch of values, by whichever process', async () => {
    const rolledUpAt = async () => {
      const { rows } = await api.deps.data.query(
        `select market, rolled_up_at from sales_rollups where market in ('sandbox', 'testville') order by 1`,
      );
      return rows.map(({ rolled_up_at }) => rolled_up_at.getTime());
    };
    const { rows } = await api.deps.data.query(
      `select id, value from properties where fips = $1 and market = 'testville' order by id limit 1`,
      [FIPS],
    );
    const home = { fips: Number(FIPS), id: rows[0].id, before: rows[0].value, value: 1, low: 1, high: 1, fsd: 0.1 };
    const at = api.deps.clock();
    const occasion = { market: 'testville', model: 'm', valuedOn: '2026-06-01', at };
    const before = await rolledUpAt();
    for (const isNews of [true, false]) {
      await updateValues(api.deps.data, [home], occasion);
      api.deps.travel(new Date(api.deps.clock().getTime() + 1_000).toISOString());
      await rollUpMarkets(api.deps);
      const [sandbox, testville] = await rolledUpAt();
      assert.equal(sandbox, before[0]);
      assert.equal(testville > before[1], isNews);
      before[1] = testville;
    }
  });

  it('are told apart where markets share an area, and are charged as one call', async () => {
    await api.deps.data.query(
      `insert into markets (id, name, state) values ('uptown', 'Uptown', 'ZY');
       insert into sales_rollups (fips, market, token, is_roll, rolled_up_at) values (${FIPS}, 'uptown', '', false, now());
       insert into sales_series (fips, market, kind, area, property_type, step, n, cells)
         select fips, 'uptown', kind, area, property_type, step, n, cells from sales_series where market = 'testville'`,
    );
    api.deps.catalog.forget();
    const shared = await series({ kind: 'city', area: 'testville' }, live);
    assert.equal(shared.status, 400);
    assert.match(shared.body.detail, /testville, uptown/);
    assert.equal(shared.headers['x-usage-meter'], 'none');
    const told = await series({ kind: 'city', area: 'testville', market: 'testville' }, live);
    const area = 'kind=county&area=' + FIPS;
    for (const { status, headers } of [
      told,
      await api.get(`/analytics/summary?${area}`, live),
      await api.get('/analytics/rankings?kind=city&figure=sales&market=testville', live),
      await api.post('/analytics/series', { market: 'testville' }, live),
    ]) {
      assert.deepEqual([status, headers['x-usage-meter'], headers['x-usage-units']], [200, 'standard', '1']);
    }
  });
});

describe('ZIP codes that only some homes are known to be in', () => {
  it('have counts alone in their series, in a search by them, in rankings and in their index', async () => {
    const { data } = api.deps;
    await data.query(`update properties set zip = null where hashtext(id) % 3 <> 0`);
    await data.query(`update sales_rollups set token = ''`);
    await data.query(`update area_index_rollups set token = ''`);
    await rollUpMarket(api.deps, 'sandbox');
    const areas = { kind: 'zip', area: '00103', market: 'sandbox' };
    const { body: kept } = await series({ ...areas, interval: 'year' });
    const { body: searched } = await api.post('/analytics/series', { zip: ['00103'], interval: 'year' });
    type Told = Point & Record<string, unknown>;
    const gapsOf = (points: Told[]) => points.filter(({ unplaced_share: share }) => share !== null);
    const gaps = gapsOf(kept.data);
    assert.ok(gaps.filter(({ n }) => n >= 5).length > 3, `${gaps.length} of ${kept.data.length}`);
    for (const { period, withheld, unplaced_share, ...point } of gaps) {
      const figures = Object.entries(point).filter(([name]) => /price|turnover|dispersion|resale/.test(name));
      assert.ok(withheld && (unplaced_share as number) > 0.2 && figures.length > 10, period);
      for (const [name, value] of figures) assert.equal(value, null, `${period} ${name}`);
    }
    assert.deepEqual(
      gapsOf(searched.data).map(({ period, unplaced_share, median_price }) => [period, unplaced_share, median_price]),
      gaps.map(({ period, unplaced_share }) => [period, unplaced_share, null]),
    );
    const { body: both } = await api.post('/analytics/series', { zip: ['00103', '00104'], interval: 'year' });
    const periods = gapsOf(both.data).map(({ period }) => period);
    assert.ok(gaps.every(({ period }) => periods.includes(period)));
    const { period } = gaps.findLast(({ n }) => n >= 5)!;
    for (const figure of ['sales', 'median_price']) {
      const { body } = await api.get(`/analytics/rankings?kind=zip&market=sandbox&period=${period}&figure=${figure}`);
      const left = body.withheld.filter((each: { area: { id: string } }) => each.area.id === '00103');
      assert.deepEqual(
        left.map(({ reason }: { reason: string }) => reason),
        ['not_known'],
        figure,
      );
    }
    const { body: index } = await api.get(`/analytics/index?${new URLSearchParams(areas)}`);
    assert.deepEqual([index.withheld, index.data], [true, []]);
  });
});
