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
import { testClient } from '../harness.ts';

const folder = readConfig({ PLATBOOK_DATA: process.env.PLATBOOK_DATA }).recordsFolder;
const file = join(folder, 'king-county/seattle_sales.csv.gz');
const skip = existsSync(file) ? false : `no public records in ${folder}`;

describe('the price index of Seattle', { skip }, () => {
  it('is that of a regression on the rows of the file, for the city and for single neighborhoods', async () => {
    const { deps, get, liveKey } = await testClient({ plan: 'enterprise' });
    const { sources, datasets } = findSources(readSources(), ['king-county-wa/seattle-sales']);
    const cacheFolder = mkdtempSync(join(tmpdir(), 'platbook-seattle-'));
    await ingest({ data: deps.data, clock: deps.clock, cacheFolder }, sources, readSources(), {
      from: folder,
      datasets,
    });
    deps.catalog.forget();
    await rollUpMarket(deps, 'king-county-wa');
    const rows = readRows();
    const areas = [...Map.groupBy(rows, ({ area }) => area)].toSorted(([, a], [, b]) => b.length - a.length);
    const cases: [query: Record<string, string>, own: Row[], tolerance: number][] = [
      [{ kind: 'market', area: 'king-county-wa' }, rows, 0.02],
      ...areas
        .slice(0, 3)
        .map(([area, own]): [Record<string, string>, Row[], number] => [{ kind: 'neighborhood', area }, own, 0.05]),
    ];
    for (const [query, own, tolerance] of cases) {
      const parameters = new URLSearchParams({ ...query, interval: 'year' });
      const { status, body } = await get(`/analytics/index?${parameters}`, { key: liveKey });
      assert.equal(status, 200, JSON.stringify(body));
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
