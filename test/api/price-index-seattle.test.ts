// The index of real sales, where available, beside a regression computed from the rows of the file.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readSources } from '../../sources/sources.ts';
import { rollUpMarket } from '../../src/insight/analytics/analytics.ts';
import { readConfig } from '../../src/base/config.ts';
import { findSources, ingest } from '../../src/supply/ingest/ingest.ts';
import { testClient, type TestClient } from '../harness.ts';

const folder = readConfig({ PLATBOOK_DATA: process.env.PLATBOOK_DATA }).recordsFolder;
const file = join(folder, 'king-county/seattle_sales.csv.gz');
const skip = existsSync(file) ? false : `no public records in ${folder}`;

const client = (skip ? undefined : await testClient({ plan: 'enterprise' })) as TestClient;

/** In addition to what has been loaded before. */
async function load(dataset: string): Promise<void> {
  const { deps } = client;
  const { sources, datasets } = findSources(readSources(), [dataset]);
  const cacheFolder = mkdtempSync(join(tmpdir(), 'platbook-seattle-'));
  await ingest({ data: deps.data, clock: deps.clock, cacheFolder }, sources, readSources(), { from: folder, datasets });
  deps.catalog.forget();
  await rollUpMarket(deps, 'king-county-wa');
}

async function read(path: string, query: Record<string, string>) {
  const { status, body } = await client.get(`/analytics/${path}?${new URLSearchParams(query)}`, {
    key: client.liveKey,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

describe('the price index of Seattle', { skip }, () => {
  it('is that of a regression on the rows of the file, for the city and for single neighborhoods', async () => {
    await load('king-county-wa/seattle-sales');
    const rows = readRows();
    const areas = [...Map.groupBy(rows, ({ area }) => area)].toSorted(([, a], [, b]) => b.length - a.length);
    const cases: [query: Record<string, string>, own: Row[], tolerance: number][] = [
      [{ kind: 'market', area: 'king-county-wa' }, rows, 0.02],
      ...areas
        .slice(0, 3)
        .map(([area, own]): [Record<string, string>, Row[], number] => [{ kind: 'neighborhood', area }, own, 0.05]),
    ];
    for (const [query, own, tolerance] of cases) {
      const body = await read('index', { ...query, interval: 'year' });
      const expected = regress(own);
      assert.equal(body.data.length, expected.length);
      for (const [year, { index, period }] of body.data.entries()) {
        const miss = Math.log(index / 100) - expected[year];
        assert.ok(
          Math.abs(miss) < tolerance,
          `${query.area} ${period}: ${index}, by regression ${100 * Math.exp(expected[year])}`,
        );
      }
    }
  });

  it('is no index of the county, whose own file has eleven months', async () => {
    // Without the earlier sales of its homes, which another file has.
    await load('king-county-wa/house-sales');
    for (const place of [
      { kind: 'market', area: 'king-county-wa' },
      { kind: 'zip', area: '98052' },
    ]) {
      const index = await read('index', place);
      assert.deepEqual([index.withheld, index.reason], [true, 'coverage_changed'], place.area);
      assert.equal((await read('forecast', place)).withheld, true);
      const ended = index.coverage_changes.find(({ kind }: any) => kind === 'ended');
      assert.deepEqual([ended.on, ended.sources], ['2015-04-01', ['king-county-wa/house-sales']], place.area);
    }
    const { data } = await read('series', { kind: 'market', area: 'king-county-wa', interval: 'quarter' });
    const growth = Object.fromEntries(data.map((point: any) => [point.period, point.price_growth_1y]));
    assert.deepEqual([growth['2014-Q4'], growth['2015-Q4']], [null, null]);
    assert.notEqual(growth['2013-Q4'], null);
    const ranking = await read('rankings', {
      kind: 'zip',
      figure: 'price_growth_1y',
      period: '2014',
      interval: 'year',
    });
    assert.equal(ranking.data.length, 0, JSON.stringify(ranking.data[0]));
    assert.ok(ranking.withheld.some(({ area, n, base_n }: any) => area.id === '98125' && n > 200 && base_n < 10));
    const seattle = await read('index', { kind: 'city', area: 'Seattle' });
    assert.deepEqual([seattle.withheld, seattle.coverage_changes], [false, []]);
    const [year] = seattle.growth;
    assert.ok(year.rate > 0.1 && year.rate < 0.18, JSON.stringify(year));
  });
});

interface Row {
  area: string;
  year: number;
  log: number;
  attributes: number[];
}

function readRows(): Row[] {
  const [head, ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trim().split(/\r?\n/);
  const names = head.split(',');
  return lines.flatMap((line) => {
    const cells = line.split(',');
    const cell = (name: string) => cells[names.indexOf(name)];
    const [price, sqft, lot] = ['sale_price', 'tot_sf', 'lot_sf'].map((name) => Number(cell(name)));
    if (!(price >= 5_000 && sqft > 0 && lot > 0)) return [];
    return [
      {
        area: cell('area'),
        year: Number(cell('sale_date').slice(0, 4)) - 2010,
        log: Math.log(price),
        attributes: [
          Math.log(sqft / 1_700),
          Math.log(lot / 5_000),
          Number(cell('bldg_grade')) - 7,
          Number(cell('age')) / 50 - 1,
          Number(cell('baths')) - 2,
          Number(cell('use_type') === 'townhouse'),
        ],
      },
    ];
  });
}

/** Log level by year since the first: least squares of log price on attributes and years, within neighborhoods. */
function regress(rows: Row[]): number[] {
  const years = 1 + Math.max(...rows.map(({ year }) => year));
  const columnsOf = ({ year, attributes }: Row) => [
    ...attributes,
    ...Array.from({ length: years - 1 }, (_, k) => Number(year === k + 1)),
  ];
  const width = columnsOf(rows[0]).length;
  const a = Array.from({ length: width }, () => Array<number>(width + 1).fill(0));
  for (const own of Map.groupBy(rows, ({ area }) => area).values()) {
    const full = own.map((row) => [...columnsOf(row), row.log]);
    const means = full[0].map((_, k) => full.reduce((sum, values) => sum + values[k], 0) / full.length);
    for (const values of full) {
      const around = values.map((value, k) => value - means[k]);
      for (let i = 0; i < width; i++) for (let j = 0; j <= width; j++) a[i][j] += around[i] * around[j];
    }
  }
  for (let c = 0; c < width; c++) {
    const pivot = a[c].map((value) => value / a[c][c]);
    for (let r = 0; r < width; r++) a[r] = r === c ? pivot : a[r].map((value, k) => value - a[r][c] * pivot[k]);
  }
  return [0, ...a.slice(width - years + 1).map((row) => row[width])];
}
