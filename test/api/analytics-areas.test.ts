// Figures of areas beyond prices: against the same figures that PostgreSQL computes from the raw rows of the sandbox.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as sql from '../../src/insight/analytics/sql.ts';
import type { Queryable } from '../../src/base/db/postgres.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { seededRandom } from '../../src/base/math/random.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const series = (query: Record<string, string>, options = {}) =>
  api.get(`/analytics/series?${new URLSearchParams(query)}`, options);
const summary = (query: Record<string, string>, options = {}) =>
  api.get(`/analytics/summary?${new URLSearchParams(query)}`, options);
const rankings = (query: Record<string, string>, options = {}) =>
  api.get(`/analytics/rankings?${new URLSearchParams(query)}`, options);
const rowsOf = async (text: string, values: unknown[] = []): Promise<any[]> =>
  (await api.deps.data.query(text, values)).rows;

const HOMES = `p.property_type in ('single_family', 'condo', 'townhouse', 'multi_family', 'manufactured')`;
const SALES = `transactions t join properties p on p.fips = t.fips and p.id = t.property_id
  where t.market = 'sandbox' and t.type = 'deed' and t.price > 0 and t.retired_at is null and ${HOMES}
    and t.arms_length is not false and not exists (
      select 1 from sale_verdicts v where v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
        and not v.market_price)`;
/** As the record of the sale says, or else the one of the home. */
const atSale = (column: string) => `coalesce((t.attributes->>'${column}')::numeric, p.${column})`;
const near = (actual: number | null, expected: number | null, slack: number, what: string) => {
  if (expected === null) assert.equal(actual, null, what);
  else assert.ok(actual !== null && Math.abs(actual - expected) <= slack, `${what}: ${actual}, not ${expected}`);
};

const LARGEST = await rowsOf(
  `select zip, min(fips) as fips, max(fips) as last from properties where market = 'sandbox' and zip is not null
   group by 1 order by count(*) desc, 1`,
);
const ZIPS: string[] = LARGEST.map(({ zip }) => zip);

describe('a point of a series', () => {
  it('has growth since the same period one, three and five years before', async () => {
    let compared = 0;
    for (const interval of ['quarter', 'year']) {
      const { body } = await series({ kind: 'zip', area: ZIPS[0], interval });
      const byStart = new Map<string, any>(body.data.map((point: any) => [point.starts_on, point]));
      for (const point of body.data) {
        for (const years of [1, 3, 5]) {
          const then = byStart.get(`${Number(point.starts_on.slice(0, 4)) - years}${point.starts_on.slice(4)}`);
          for (const [name, growth] of [
            ['median_price', 'price_growth'],
            ['median_price_per_sqft', 'price_per_sqft_growth'],
          ]) {
            const base = point.growth_bases.find((each: any) => each.years === years);
            assert.equal(base.n, then?.n ?? 0);
            const isKnown =
              then !== undefined && then[name] !== null && point[name] !== null && base.coverage_changed === null;
            near(
              point[`${growth}_${years}y`],
              isKnown ? point[name] / then[name] - 1 : null,
              0.00006,
              `${point.period} ${name}`,
            );
            if (isKnown) compared++;
          }
        }
      }
    }
    assert.ok(compared > 50, `${compared}`);
  });

  it('grows from periods before `since` as well', async () => {
    const all = (await series({ kind: 'market', area: 'sandbox', interval: 'year' })).body.data;
    const last = (await series({ kind: 'market', area: 'sandbox', interval: 'year', since: '2025-01-01' })).body.data;
    assert.deepEqual(last, all.slice(-last.length));
    assert.ok(last[0].price_growth_5y !== null);
  });

  it('has dispersion, price over assessment, turnover and resales of the raw rows', async () => {
    const [{ homes }] = await rowsOf(
      `select count(*)::int as homes from properties p where market = 'sandbox' and status = 'active' and zip = $1 and ${HOMES}`,
      [ZIPS[0]],
    );
    const [{ fips, last }] = LARGEST;
    assert.equal(fips, last, 'the ZIP lies in one county');
    const expected = await rowsOf(
      `with sales as (
         select t.sale_date, t.price, t.property_id, p.zip, t.price / ${atSale('sqft')} as per_sqft, t.price / a.total::numeric as ratio,
           exists (select 1 from (select t.property_id, t.sale_date, t.type, t.price from ${SALES} and t.fips = $2) b
             where b.property_id = t.property_id and b.sale_date < t.sale_date and b.sale_date >= t.sale_date - 365) as again
         from ${SALES.replace(
           'where',
           `left join lateral (
           select coalesce(market_total, total) as total from assessments s where s.fips = $2 and s.property_id = t.property_id
             and s.year <= extract(year from t.sale_date) and s.year >= extract(year from t.sale_date) - 2 order by year desc limit 1) a on true where`,
         )}
           and t.fips = $2 and p.zip = $1 and t.sale_date <= '2026-06-30'
       ), middles as (
         select extract(year from sale_date)::int as year, percentile_cont(0.5) within group (order by ratio) as middle from sales group by 1
       )
       select extract(year from s.sale_date)::int as year, count(*)::int as n, count(s.ratio)::int as n_with_assessment,
         max(m.middle)::float8 as price_to_assessment, avg(abs(s.ratio - m.middle))::float8 / max(m.middle)::float8 as spread,
         percentile_cont(0.25) within group (order by s.per_sqft) as low,
         percentile_cont(0.75) within group (order by s.per_sqft) as high,
         avg(s.again::int)::float8 as again
       from sales s join middles m on m.year = extract(year from s.sale_date) group by 1 order by 1`,
      [ZIPS[0], fips],
    );
    const { body } = await series({ kind: 'zip', area: ZIPS[0], interval: 'year' });
    assert.equal(body.homes, homes);
    assert.deepEqual(
      body.data.map((point: any) => [Number(point.period), point.n, point.n_with_assessment]),
      expected.map((row) => [row.year, row.n, row.n_with_assessment]),
    );
    for (const [i, row] of expected.entries()) {
      const point = body.data[i];
      const isShown = row.n >= 5;
      near(point.turnover, isShown ? row.n / homes : null, 0.00006, `${row.year} turnover`);
      near(
        point.dispersion,
        isShown ? (row.high - row.low) / (row.high + row.low) : null,
        0.0003,
        `${row.year} dispersion`,
      );
      const isRated = row.n_with_assessment >= 5;
      near(point.price_to_assessment, isRated ? row.price_to_assessment : null, 0.0006, `${row.year} over assessment`);
      near(point.price_to_assessment_dispersion, isRated ? row.spread : null, 0.0006, `${row.year} spread`);
      // Before the first whole year on record nothing can be said of resales.
      if (row.year === expected[0].year) assert.equal(point.n_traced, 0);
      if (point.n_traced === row.n && isShown) near(point.resale_share, row.again, 0.00006, `${row.year} resales`);
    }
    assert.ok(body.data.some((point: any) => point.resale_share > 0));
    assert.ok(body.data.filter((point: any) => point.price_to_assessment !== null).length > 5);
  });
});

describe('a segment', () => {
  const [bedrooms, sqft, yearBuilt] = ['bedrooms', 'sqft', 'year_built'].map(atSale);
  const soldIn = 'extract(year from t.sale_date)';
  const CONDITIONS: Record<string, string> = {
    bedrooms_3: `${bedrooms} = 3`,
    bedrooms_5_plus: `${bedrooms} >= 5`,
    sqft_1000_1499: `${sqft} between 1000 and 1499`,
    built_before_1940: `${yearBuilt} < 1940`,
    built_2000_plus: `${yearBuilt} >= 2000`,
    new: `${yearBuilt} between ${soldIn} - 1 and ${soldIn} + 1`,
    existing: `${yearBuilt} < ${soldIn} - 1`,
  };
  for (const [segment, condition] of Object.entries(CONDITIONS)) {
    it(`${segment} has the sales of its homes and no others`, async () => {
      const expected = await rowsOf(
        `select extract(year from t.sale_date)::int as year, count(*)::int as n,
           percentile_cont(0.5) within group (order by t.price) as median
         from ${SALES} and t.sale_date <= '2026-06-30' and ${condition} group by 1 order by 1`,
      );
      const { body } = await series({ kind: 'market', area: 'sandbox', interval: 'year', segment });
      assert.equal(body.segment, segment);
      assert.deepEqual(
        body.data
          .filter(({ n }: any) => n > 0)
          .map((point: any) => [Number(point.period), point.n, point.median_price]),
        expected.map((row) => [row.year, row.n, row.n < 5 ? null : Math.round(row.median)]),
      );
    });
  }

  it('goes with residential homes and larger areas only, and says so', async () => {
    const [{ census_tract: tract }] = await rowsOf(
      `select census_tract from properties where market = 'sandbox' limit 1`,
    );
    for (const [query, hint] of [
      [{ kind: 'zip', area: ZIPS[0], segment: 'bedrooms_3', property_type: 'condo' }, /leave `property_type` out/],
      [{ kind: 'tract', area: tract, segment: 'bedrooms_3' }, /POST \/analytics\/series/],
      [{ kind: 'zip', area: ZIPS[0], segment: 'bedrooms_9' }, /bedrooms_5_plus/],
    ] as const) {
      const { status, text } = await series(query);
      assert.equal(status, 400);
      assert.match(text, hint);
    }
  });
});

describe('an area summary', () => {
  it('has the tax rate of its homes: the last bill over the value, null where no bill is known', async () => {
    const { body } = await summary({ kind: 'zip', area: '00103' });
    const { rows } = await api.deps.data.query(
      `select b.amount_cents / 100.0 / p.value as rate from properties p
       join lateral (select amount_cents from taxes t where t.fips = p.fips and t.property_id = p.id
         and t.amount_cents is not null order by year desc limit 1) b on true
       where p.zip = '00103' and p.status = 'active' and p.value is not null
         and p.property_type in ('single_family', 'condo', 'townhouse', 'multi_family', 'manufactured') order by 1`,
    );
    const rates = rows.map(({ rate }) => Number(rate));
    assert.equal(body.tax_rate.n, rates.length);
    const middle = (rates[Math.floor((rates.length - 1) / 2)] + rates[Math.ceil((rates.length - 1) / 2)]) / 2;
    assert.ok(Math.abs(body.tax_rate.median - middle) < 2e-6, `${body.tax_rate.median} is not ${middle}`);
    const home = (await api.get(`/properties/${DEMO.property_id}?include=taxes`)).body;
    const [newest, before] = home.taxes;
    assert.equal(newest.rate, Math.round((newest.amount / home.valuation.estimated_value) * 10_000) / 10_000);
    assert.equal(before.rate, null);
  });

  it('has the stock, the values and the layers of the raw rows', async () => {
    for (const [kind, area, condition] of [
      ['market', 'sandbox', 'true'],
      ['zip', ZIPS[0], `p.zip = '${ZIPS[0]}'`],
    ]) {
      const { status, body } = await summary({ kind, area });
      assert.equal(status, 200, JSON.stringify(body));
      const where = `p.market = 'sandbox' and p.status = 'active' and ${condition}`;
      const [all] = await rowsOf(`select count(*)::int as n from properties p where ${where}`);
      const [row] = await rowsOf(
        `select count(*)::int as homes, count(p.value)::int as valued,
           percentile_cont(array[0.1, 0.25, 0.5, 0.75, 0.9]) within group (order by p.value) as values,
           percentile_cont(0.5) within group (order by p.sqft) as sqft,
           percentile_cont(0.5) within group (order by p.year_built) as year_built,
           avg(p.owner_occupied::int)::float8 as occupied, count(*) filter (where p.bedrooms = 3)::int as three,
           count(*) filter (where p.year_built < 1940)::int as old, max(p.valued_on)::text as valued_on,
           sum(p.permit_count)::int as permits, count(*) filter (where p.permit_count > 0)::int as permitted,
           sum(p.open_violations)::int as violations, count(*) filter (where p.open_tax_liens > 0)::int as indebted
         from properties p where ${where} and ${HOMES}`,
      );
      assert.equal(body.stock.properties, all.n);
      assert.equal(body.stock.homes, row.homes);
      assert.equal(body.stock.is_complete, true);
      assert.equal(body.stock.sqft.median, Math.round(row.sqft));
      assert.equal(body.stock.year_built.median, Math.round(row.year_built));
      near(body.stock.owner_occupied.share, row.occupied, 0.00006, 'owner-occupied');
      const classOf = (classes: any[], name: string) => classes.find(({ segment }) => segment === name).n;
      assert.equal(classOf(body.stock.bedrooms, 'bedrooms_3'), row.three);
      assert.equal(classOf(body.stock.eras, 'built_before_1940'), row.old);
      const { p10, p25, median, p75, p90, n, histogram, as_of } = body.values;
      assert.deepEqual([p10, p25, median, p75, p90], row.values.map(Math.round));
      assert.deepEqual([n, as_of], [row.valued, row.valued_on]);
      assert.equal(
        histogram.reduce((total: number, bin: any) => total + bin.n, 0),
        n,
      );
      for (const bin of histogram) {
        const [{ inside }] = await rowsOf(
          `select count(*)::int as inside from properties p
           where ${where} and ${HOMES} and p.value >= $1 and ($2::bigint is null or p.value < $2)`,
          [bin.from, bin.to],
        );
        assert.equal(bin.n, inside, `${bin.from} to ${bin.to}`);
      }
      assert.deepEqual([body.permits.records, body.permits.homes], [row.permits, row.permitted]);
      assert.deepEqual([body.violations.records, body.liens.homes], [row.violations, row.indebted]);
      near(body.permits.share, row.permitted / row.homes, 0.00006, 'permits');
      const years = await rowsOf(
        `select extract(year from r.issue_date)::int as year, count(*)::int as n
         from permits r join properties p on p.fips = r.fips and p.id = r.property_id where ${where} and ${HOMES}
         group by 1 order by 1 desc limit 10`,
      );
      assert.deepEqual(body.permits.by_year, years.reverse());
      for (const part of [body.stock, body.permits, body.violations, body.liens]) {
        assert.ok(part.sources.length > 0 && part.as_of !== null);
        assert.ok(part.sources.every((id: string) => body.sources.some((source: any) => source.id === id)));
      }
      const { center, bbox } = { center: body.area.center, bbox: body.bbox };
      assert.ok(center.longitude > bbox[0] && center.longitude < bbox[2]);
      assert.ok(center.latitude > bbox[1] && center.latitude < bbox[3]);
    }
  });

  it('of an unknown area is free, and names others', async () => {
    const { status, body, headers: free } = await summary({ kind: 'zip', area: '99999' });
    assert.equal(status, 404);
    assert.match(body.detail, /^No homes are on record/);
    assert.equal(body.suggestions.length, 5);
    assert.equal(free['x-usage-meter'], 'none');
  });
});

describe('a ranking', () => {
  it('by any figure of sales has the figure of each area’s own series, in order', async () => {
    for (const figure of [
      'sales',
      'median_price',
      'median_price_per_sqft',
      'price_growth_3y',
      'turnover',
      'dispersion',
    ]) {
      for (const [interval, period] of [
        ['year', '2024'],
        ['quarter', '2024-Q3'],
      ]) {
        const { status, body } = await rankings({ kind: 'zip', figure, interval, period });
        assert.equal(status, 200, JSON.stringify(body));
        // Growth needs twenty sales in either year.
        const least = figure === 'price_growth_3y' ? 0 : 3;
        assert.ok(body.data.length > least || interval === 'quarter', figure);
        for (const [i, each] of body.data.entries()) {
          assert.equal(each.rank, i + 1);
          if (i > 0) assert.ok(each.value <= body.data[i - 1].value);
          const own = (await series({ kind: 'zip', area: each.area.id, interval })).body.data.find(
            (point: any) => point.period === period,
          );
          assert.equal(each.value, figure === 'sales' ? (own?.n ?? 0) : own[figure], `${each.area.id} ${figure}`);
        }
        assert.equal(body.total + body.withheld_total, ZIPS.length);
      }
    }
  });

  it('by any figure of the homes has the figure of each area’s summary', async () => {
    const paths: Record<string, (body: any) => number> = {
      homes: (body) => body.stock.homes,
      median_value: (body) => body.values.median,
      median_year_built: (body) => body.stock.year_built.median,
      median_sqft: (body) => body.stock.sqft.median,
      tax_rate: (body) => body.tax_rate.median,
      owner_occupied_share: (body) => body.stock.owner_occupied.share,
      permit_share: (body) => body.permits.share,
      open_violation_share: (body) => body.violations.share,
      open_lien_share: (body) => body.liens.share,
    };
    for (const [figure, valueOf] of Object.entries(paths)) {
      const { body } = await rankings({ kind: 'zip', figure, order: 'ascending' });
      assert.deepEqual([body.period, body.interval], [null, null]);
      assert.equal(body.total + body.withheld_total, ZIPS.length, figure);
      assert.deepEqual(
        body.data.map(({ value }: any) => value),
        body.data.map(({ value }: any) => value).toSorted((a: number, b: number) => a - b),
      );
      const [first] = body.data;
      assert.equal(first.value, valueOf((await summary({ kind: 'zip', area: first.area.id })).body));
    }
  });

  it('is read page by page, and lists what it withholds apart', async () => {
    const query = { kind: 'tract', figure: 'median_price', interval: 'quarter' };
    const whole = (await rankings({ ...query, limit: '500' })).body;
    assert.ok(whole.withheld_total > 0);
    assert.equal(whole.withheld.length, whole.withheld_total);
    for (const { n, reason } of whole.withheld) assert.ok(n < 5 && reason === 'few');
    for (const { n } of whole.data) assert.ok(n >= 5);
    const read: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page: any = (await rankings({ ...query, limit: '7', ...(cursor && { cursor }) })).body;
      read.push(...page.data);
      cursor = page.pagination.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(read, whole.data);
  });

  it('of a period that the records do not reach ranks nothing, rather than areas without sales', async () => {
    for (const period of ['1990', '2100']) {
      for (const figure of ['sales', 'median_price']) {
        const { body } = await rankings({ kind: 'zip', figure, period });
        assert.deepEqual([body.total, body.withheld_total], [0, ZIPS.length]);
        for (const { n, reason } of body.withheld) assert.deepEqual([n, reason], [0, 'not_known']);
      }
    }
  });

  it('keeps to a county', async () => {
    const counties = (await rankings({ kind: 'county', figure: 'homes' })).body.data;
    assert.ok(counties.length > 1);
    const within = await Promise.all(
      counties.map(
        async ({ area }: any) =>
          (await rankings({ kind: 'tract', figure: 'homes', county: area.id, limit: '500' })).body,
      ),
    );
    for (const [i, body] of within.entries()) {
      assert.ok(body.data.every(({ area }: any) => area.id.startsWith(counties[i].area.id)));
      assert.equal(
        body.data.reduce((total: number, { value }: any) => total + value, 0),
        counties[i].value,
      );
    }
    assert.equal((await rankings({ kind: 'county', figure: 'homes', state: 'zz' })).body.total, counties.length);
  });

  it('that is wrong says what to do', async () => {
    const cases: [query: Record<string, string>, status: number, hint: RegExp][] = [
      [{ kind: 'zip', figure: 'price' }, 400, /median_price/],
      [{ kind: 'zip', figure: 'sales', period: '2024-Q3' }, 400, /`2025`/],
      [{ kind: 'zip', figure: 'sales', interval: 'quarter', period: '2024' }, 400, /`2025-Q4`/],
      [{ kind: 'zip', figure: 'homes', period: '2024' }, 400, /as things stand/],
      [{ kind: 'zip', figure: 'sales', market: 'sandbox', state: 'ZZ' }, 400, /name one of the three/],
      [{ kind: 'zip', figure: 'sales', county: 'abcde' }, 400, /five-digit/],
      [{ kind: 'zip', figure: 'sales', county: '53033' }, 404, /sandbox/],
      [{ kind: 'zip', figure: 'sales', interval: 'month' }, 400, /quarter/],
    ];
    for (const [query, status, hint] of cases) {
      const answer = await rankings(query);
      assert.equal(answer.status, status, JSON.stringify(query));
      assert.match(answer.text, hint);
      assert.equal(answer.headers['x-usage-meter'], 'none');
    }
  });
});

describe('a polygon or a filter', () => {
  const custom = (body: object, options = {}) => api.post('/analytics/series', body, options);

  it('has the series of the same homes by name', async () => {
    // A named area also has the sales of parcels that are no more; a search does not find those.
    const [{ zip }] = await rowsOf(
      `select zip from properties where market = 'sandbox' and zip is not null
       group by 1 having bool_and(status = 'active') order by count(*) desc limit 1`,
    );
    const named = (await series({ kind: 'zip', area: zip, interval: 'year' })).body;
    const { status, body } = await custom({ zip, interval: 'year' });
    assert.equal(status, 200, JSON.stringify(body));
    const plain = ({ late_sales: _late, revised_on: _revised, ...rest }: any) => rest;
    assert.deepEqual(body.data.map(plain), named.data.map(plain));
    assert.deepEqual([body.area.kind, body.area.market, body.homes], ['custom', 'sandbox', named.homes]);
  });

  it('counts the homes inside a polygon that meet the filter', async () => {
    const { bbox } = (await summary({ kind: 'zip', area: ZIPS[0] })).body;
    const [west, south, east, north] = bbox;
    const ring = [
      [west, south],
      [east, south],
      [west, north],
      [west, south],
    ];
    const geometry = { type: 'Polygon', coordinates: [ring] };
    const { body } = await custom({ geometry, min_bedrooms: 3, interval: 'year', property_type: 'single_family' });
    const expected = await rowsOf(
      `select extract(year from t.sale_date)::int as year, count(*)::int as n from ${SALES} and t.sale_date <= '2026-06-30'
         and p.property_type = 'single_family' and p.bedrooms >= 3
         and p.longitude > $1 and p.latitude > $2 and (p.longitude - $1) / ($3::float8 - $1) + (p.latitude - $2) / ($4::float8 - $2) < 1
       group by 1 order by 1`,
      [west, south, east, north],
    );
    assert.ok(expected.length > 5);
    assert.deepEqual(
      body.data.filter(({ n }: any) => n > 0).map((point: any) => [Number(point.period), point.n]),
      expected.map(({ year, n }) => [year, n]),
    );
  });

  it('has the same answer from the squares kept ready as from the rows', async () => {
    const [extent] = await rowsOf(
      `select min(longitude) as west, max(longitude) as east, min(latitude) as south, max(latitude) as north
       from properties where market = 'sandbox' and status = 'active'`,
    );
    const [{ rolled_up_at }] = await rowsOf(`select rolled_up_at from sales_rollups where market = 'sandbox'`);
    const random = seededRandom(36);
    const between = (low: number, high: number) => low + random() * (high - low);
    let [sales, whole] = [0, 0];
    for (let drawn = 0; drawn < 16; drawn++) {
      const [longitude, latitude] = [between(extent.west, extent.east), between(extent.south, extent.north)];
      // Smaller than a square up to all of the market, with more or fewer corners, far from the middle and near to it.
      const reach = 0.2 * random() ** 2 + 0.01;
      const corners = Math.floor(between(3, 30));
      const ring = Array.from({ length: corners }, (_, i) => {
        const [angle, far] = [(i / corners) * 2 * Math.PI, reach * between(0.5, 1)];
        return [longitude + far * Math.cos(angle), latitude + far * Math.sin(angle)];
      });
      const geometry = { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
      const circle = { latitude, longitude, radius_miles: 60 * reach };
      const bbox = [longitude - reach, latitude - reach / 2, longitude + reach / 2, latitude + reach].join(',');
      const place = [{ geometry }, { geometry }, circle, { bbox }][drawn % 4];
      const asked = {
        ...place,
        interval: drawn % 2 ? 'year' : 'quarter',
        property_type: random() < 0.7 ? undefined : 'condo',
      };
      const [kept, rows] = await Promise.all([custom(asked), custom({ ...asked, updated_since: '1901-01-01' })]);
      const { updated_at: asOf, ...figures } = kept.body;
      const { updated_at: _now, ...same } = rows.body;
      assert.deepEqual([kept.status, { ...figures, request_id: '' }], [rows.status, { ...same, request_id: '' }]);
      if (kept.status === 200) assert.equal(asOf, rolled_up_at.toISOString(), 'not from the squares');
      sales += figures.n ?? 0;
      whole += reach > 0.05 && 'geometry' in place ? 1 : 0;
    }
    assert.ok(sales > 1_000 && whole > 2, `${sales} sales, ${whole} polygons with squares inside`);
  });

  it('that is too large, empty or wrong is refused, free of charge, and told what to do', async () => {
    const box = (size: number) => ({
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [-70.5, 40],
            [-70.5 + size, 40],
            [-70.5 + size, 40 + size],
            [-70.5, 40 + size],
            [-70.5, 40],
          ],
        ],
      },
    });
    const cases: [body: object, status: number, code: string, hint: RegExp][] = [
      [box(5), 422, 'area_too_large', /too wide.*smaller area/],
      [{ zip: '99999' }, 404, 'resource_not_found', /remove a filter/],
      [{ zip: 'abc' }, 400, 'invalid_request', /five-digit/],
      [{ zip: ZIPS[0], interval: 'week' }, 400, 'invalid_request', /quarter/],
      [{ zip: ZIPS[0], since: '2024-01-01', until: '2023-01-01' }, 400, 'invalid_request', /since/],
      [{ geometry: { type: 'Polygon', coordinates: [] } }, 422, 'geometry_invalid', /polygon|ring/],
    ];
    for (const [body, status, code, hint] of cases) {
      const answer = await custom(body);
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(body));
      assert.match(answer.text, hint);
      assert.equal(answer.headers['x-usage-meter'], 'none');
    }
    const key = await api.keyWith(['properties:read']);
    assert.equal((await custom({ zip: ZIPS[0], owner_occupied: true }, { key })).status, 403);
  });
});

describe('a request', () => {
  it('finds its rows by index alone, however many areas there are', async () => {
    const plans: string[] = [];
    const client = await api.deps.data.connect();
    try {
      // On a few thousand rows the planner would read a whole table, which says nothing of millions.
      await client.query('begin; set local enable_seqscan = off; set local enable_bitmapscan = off');
      const explain = async ({ text, values }: { text: string; values: unknown[] }) => {
        const { rows } = await client.query(`explain ${text}`, values);
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return { rows: [] };
      };
      const db = { query: explain } as unknown as Queryable;
      const [kind, area] = ['zip', ZIPS[0]] as const;
      await sql.findSeries(db, { kind, area, step: 'month', propertyType: 'residential' }, ['sandbox']);
      await sql.findSummaries(db, { kind, area }, ['sandbox']);
      const year = { kind, propertyType: 'residential', step: 'year', starts: '2024-01-01' } as const;
      await sql.listFigures(db, ['sandbox'], year, 'sales');
      await sql.listPlaces(db, ['sandbox'], kind);
    } finally {
      await client.query('rollback');
      client.release();
    }
    const [{ server_version_num: version }] = await rowsOf('show server_version_num');
    // An older server tests a list of markets row by row if the rows are wanted in order; few areas lie in two markets.
    const market = Number(version) >= 170_000 ? ['market'] : [];
    const tables = ['sales_series', 'area_summaries', 'area_rankings', 'area_rankings'];
    for (const [i, table] of tables.entries()) {
      assert.match(plans[i], new RegExp(`Index Scan using ${table}_pkey`), plans[i]);
      // The key from its first column on, so that as many rows are read as are returned.
      const [, condition] = new RegExp(`Index Scan using ${table}_pkey[^\\n]*\\n\\s*Index Cond: (.*)`).exec(plans[i])!;
      for (const column of ['kind', table === 'area_rankings' ? 'starts' : 'area', ...market]) {
        assert.ok(condition.includes(column), `${table}: ${condition}`);
      }
    }
  });
});
