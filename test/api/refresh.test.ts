// Keeping data fresh: when a publisher is looked at, what is taken from it, and what happens when it misbehaves.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freshnessOf } from '../../src/supply/ingest/cadence.ts';
import { listFreshness } from '../../src/supply/ingest/freshness.ts';
import { ingest, type IngestOptions } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { formatRefresh, refresh } from '../../src/supply/ingest/refresh.ts';
import type { Source } from '../../src/supply/ingest/source.ts';
import { CADENCE_DAYS, DAY_MS } from '../../src/base/lib/clock.ts';
import { CommandError } from '../../src/base/lib/command-error.ts';
import { takeMeasurements } from '../../src/base/measures/backlogs.ts';
import { listMeasurements, replaceMeasurements } from '../../src/base/measures/sql.ts';
import { refreshDue } from '../../src/operate/refresh.ts';
import { testClient } from '../harness.ts';
import { startPublisher } from '../publisher.ts';
import { ANYWAY } from '../anyway.ts';

const publisher = await startPublisher();
const home = mkdtempSync(join(tmpdir(), 'platbook-refresh-'));
const client = await testClient({ settings: { REFRESH_FROM: 'publisher', PLATBOOK_HOME: home } });
const { deps } = client;

/** A county whose parcels, sales by year and permits come from the publisher. */
const recipeOf = (id: string, fips: number): Source =>
  parseRecipe(
    `
id: ${id}
market: { name: ${id}, state: ZZ, description: Invented }
counties: [{ fips: ${fips}, name: ${id}, state: ZZ }]
shared:
  common: &common
    publisher: ${id}
    license: CC0
    published_on: 2024-06-30
    format: { type: csv }
    key: { parcel: { text: pin } }
datasets:
  parcels:
    <<: *common
    cadence: weekly
    files: [{ path: parcels.csv, url: ${publisher.url}/${id}/parcels.csv }]
    records:
      - into: properties
        complete: true
        fields: { address_line1: { upper: address }, city: { constant: ${id} }, property_type: { constant: single_family }, sqft: { positive: sqft } }
    layers: [properties]
  sales:
    <<: *common
    cadence: yearly
    files:
      - path: sales-{year}.csv
        listing: ${publisher.url}/${id}/index.html
        years: { from: 2023 }
        published_on: "{next_year}-03-31"
    records:
      - into: transactions
        fields: { sale_date: { date: sold }, price: { dollars: price } }
    layers: [{ layer: transactions, from: 2023-01-01, to: "{year}-12-31" }]
  permits:
    <<: *common
    cadence: daily
    files: [{ path: "permits-{year}.csv", url: "${publisher.url}/${id}/permits-{year}.csv", years: { from: 2023 } }]
    records:
      - into: permits
        fields: { id: { text: number }, number: { text: number }, issue_date: { date: issued } }
    layers: [permits]
`,
    id,
  );

const pinOf = (number: number) => `P-${String(number).padStart(4, '0')}`;
const range = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** `sqft` is that of the first ten homes. */
function publishParcels(id: string, count: number, sqft = 1000): void {
  const areaOf = (number: number) => (number <= 10 ? sqft : 1000) + number;
  const rows = range(count).map((number) => `${pinOf(number)},${number} Oak St,${areaOf(number)}`);
  publisher.put(`${id}/parcels.csv`, `pin,address,sqft\n${rows.join('\n')}\n`);
}

function publishSales(id: string, years: Record<number, number>): void {
  for (const [year, count] of Object.entries(years)) {
    const rows = range(count).map((number) => `${pinOf(number)},${year}-05-${10 + (number % 18)},${200_000 + number}`);
    publisher.put(`${id}/sales-${year}.csv`, `pin,sold,price\n${rows.join('\n')}\n`);
  }
  const links = Object.keys(years).map((year) => `<a href="sales-${year}.csv">Sales of ${year}</a>`);
  publisher.put(`${id}/index.html`, `<!doctype html><a href="about.html">About</a>${links.join('')}`);
}

function publishPermits(id: string, year: number, count: number): void {
  const rows = range(count).map((number) => `${pinOf(number)},B-${year}-${number},${year}-02-03`);
  publisher.put(`${id}/permits-${year}.csv`, `pin,number,issued\n${rows.join('\n')}\n`);
}

const ingestDeps = { data: deps.data, clock: deps.clock, cacheFolder: join(home, 'downloads') };
const PATIENCE = { attempts: 3, waitMs: 5, stallMs: 400 };

function load(source: Source, options: Partial<IngestOptions>) {
  return ingest(ingestDeps, [source], [source], { from: 'publisher', download: PATIENCE, ...options });
}

const look = (source: Source, options: { due?: boolean; names?: string[] } = {}) =>
  refresh(ingestDeps, [source], { from: 'publisher', download: PATIENCE, ...options });

async function query(text: string, values: unknown[] = []): Promise<Record<string, any>[]> {
  return (await deps.data.query(text, values)).rows;
}

async function measured(name: string, source: string): Promise<number | undefined> {
  await takeMeasurements(deps, []);
  const rows = await listMeasurements(deps.control);
  return rows.find((row) => row.name === name && row.labels.source === source)?.value;
}
const currentAt = (source: string) => measured('platbook_source_last_load_timestamp_seconds', source);
const failures = (source: string) => measured('platbook_source_failed_loads', source);

const oakham = recipeOf('oakham', 99_701);
const since = (start: number) => publisher.requests.slice(start);

describe('measurements', () => {
  it('that say the same are not written again, and those that went are deleted', async () => {
    const replace = (values: Record<string, number>, day: string) =>
      replaceMeasurements(
        deps.control,
        ['tried'],
        Object.entries(values).map(([source, value]) => ({ name: 'tried', labels: { source }, value })),
        new Date(day),
      );
    const kept = async () =>
      (
        await deps.control.query<{ source: string; value: number; day: string }>(
          `select labels->>'source' as source, value, (measured_at at time zone 'UTC')::date::text as day
           from measurements where name = 'tried' order by 1`,
        )
      ).rows.map(({ source, value, day }) => `${source} ${value} ${day}`);
    await replace({ a: 1, b: 2, c: 3 }, '2026-01-01');
    await replace({ a: 1, b: 5, d: 7 }, '2026-01-02');
    assert.deepEqual(await kept(), ['a 1 2026-01-01', 'b 5 2026-01-02', 'd 7 2026-01-02']);
    await replace({}, '2026-01-03');
    assert.deepEqual(await kept(), []);
  });
});

describe('a cadence', () => {
  const day = (text: string) => new Date(`${text}T00:00:00Z`);
  const fresh = (cadence: string | null, now: string, failures = 0) =>
    freshnessOf(
      { cadence, checkedAt: day('2026-01-01'), failures, failedAt: failures > 0 ? day('2026-01-10') : null },
      day(now),
    );

  it('says when to look again and when data is stale', () => {
    const cases: [cadence: string | null, now: string, isDue: boolean, isStale: boolean][] = [
      ['daily', '2026-01-01', false, false],
      ['daily', '2026-01-02', true, false],
      ['daily', '2026-01-04', true, true],
      ['weekly', '2026-01-07', false, false],
      ['weekly', '2026-01-08', true, false],
      ['weekly', '2026-01-16', true, true],
      ['monthly', '2026-02-01', true, false],
      ['quarterly', '2026-04-02', false, false],
      ['quarterly', '2026-04-03', true, false],
      ['yearly', '2027-01-02', true, false],
      ['yearly', '2028-06-01', true, true],
      ['once', '2036-01-01', false, false],
      ['unknown', '2036-01-01', false, false],
      [null, '2036-01-01', false, false],
    ];
    for (const [cadence, now, isDue, isStale] of cases) {
      const found = fresh(cadence, now);
      assert.deepEqual([found.isDue, found.isStale], [isDue, isStale], `${cadence} on ${now}`);
    }
  });

  it('waits longer after every failure, up to a day', () => {
    const next = (failures: number) => fresh('weekly', '2026-02-01', failures).nextDueAt!.toISOString();
    assert.deepEqual([1, 2, 4, 9].map(next), [
      '2026-01-10T01:00:00.000Z',
      '2026-01-10T02:00:00.000Z',
      '2026-01-10T08:00:00.000Z',
      '2026-01-11T00:00:00.000Z',
    ]);
  });
});

describe('a publisher', () => {
  it('gives a first load, with the years it has', async () => {
    deps.travel('2024-07-01T00:00:00Z');
    publishParcels('oakham', 80);
    publishSales('oakham', { 2022: 5, 2023: 70 });
    publishPermits('oakham', 2023, 60);
    const reports = await load(oakham, {});
    assert.deepEqual(
      reports.map(({ targets }) => Object.values(targets)[0].inserted),
      [80, 70, 60],
      'the file of 2022 is older than the recipe asks for, and that of 2024 is not out yet',
    );
    const [covered] = await query(`select covers_to, published_on from coverage where source_id = 'oakham/sales'`);
    assert.deepEqual([covered.covers_to, covered.published_on], ['2023-12-31', '2024-06-30']);
  });

  it('that has nothing new is asked conditionally and answers 304', async () => {
    const start = publisher.requests.length;
    const done = await look(oakham);
    assert.deepEqual(
      done!.map(({ outcome }) => outcome),
      ['unchanged', 'unchanged', 'unchanged'],
    );
    const files = since(start).filter(({ path }) => path.endsWith('.csv') && !path.includes('2024'));
    assert.deepEqual(new Set(files.map(({ status }) => status)), new Set([304]));
  });

  it('is looked at when its time has come, dataset by dataset', async () => {
    assert.deepEqual(await look(oakham, { due: true }), []);
    deps.travel('2024-07-02T12:00:00Z');
    assert.deepEqual(
      (await look(oakham, { due: true }))!.map(({ sourceId }) => sourceId),
      ['oakham/permits'],
    );
    deps.travel('2024-07-09T12:00:00Z');
    assert.deepEqual(
      (await look(oakham, { due: true }))!.map(({ sourceId }) => sourceId),
      ['oakham/parcels', 'oakham/permits'],
    );
  });

  it('that has nothing new is as current, to the alerts, as one that was loaded', async () => {
    assert.equal(await currentAt('oakham/parcels'), Date.parse('2024-07-09T12:00:00Z') / 1000);
    assert.ok((await currentAt('oakham/sales'))! < Date.parse('2024-07-09T12:00:00Z') / 1000);
    assert.equal(await failures('oakham/parcels'), 0);
  });

  it('that brings out the file of a new year has it loaded without a change to the recipe', async () => {
    deps.travel('2025-04-01T00:00:00Z');
    publishSales('oakham', { 2023: 70, 2024: 75 });
    publishPermits('oakham', 2024, 3);
    const done = (await look(oakham))!;
    assert.deepEqual(
      done.map(({ changes }) => changes),
      [{}, { transactions: { inserted: 75 } }, { permits: { inserted: 3 } }],
    );
    assert.equal(formatRefresh(done[1]), 'oakham/sales: 145 rows, transactions 75 inserted');
    const [covered] = await query(`select covers_to, published_on from coverage where source_id = 'oakham/sales'`);
    assert.deepEqual([covered.covers_to, covered.published_on], ['2024-12-31', '2025-03-31']);
    const [{ changes, rows_read }] = await query(
      `select changes, rows_read from refreshes where source_id = 'oakham/sales' order by id desc limit 1`,
    );
    assert.deepEqual([changes, rows_read], [{ transactions: { inserted: 75 } }, 145]);
  });

  it('that stalls in the middle is asked for the rest', async () => {
    publishParcels('oakham', 80, 2000);
    publisher.trouble('oakham/parcels.csv', { stalls: 1 });
    const start = publisher.requests.length;
    const [done] = (await look(oakham, { names: ['oakham/parcels'] }))!;
    publisher.trouble('oakham/parcels.csv', undefined);
    assert.deepEqual(done.changes, { properties: { updated: 10 } });
    assert.match(since(start).at(-1)!.range!, /^bytes=[1-9]\d*-$/);
  });

  it('that is down leaves the data as it is, is noted, and is asked again later', async () => {
    publisher.trouble('oakham/parcels.csv', { status: 500 });
    const [done] = (await look(oakham, { names: ['oakham/parcels'] }))!;
    assert.match(formatRefresh(done), /^oakham\/parcels: failed: .*parcels\.csv returned 500\.$/);
    publisher.trouble('oakham/parcels.csv', undefined);
    const item = (await listFreshness(deps)).find(({ sourceId }) => sourceId === 'oakham/parcels')!;
    assert.match(item.error!, /returned 500/);
    const late = async (at: Date) =>
      (await listFreshness({ data: deps.data, clock: () => at }, 'late')).map(({ sourceId }) => sourceId);
    const sources = await listFreshness(deps);
    for (const { sourceId, checkedAt, cadence } of sources) {
      const due = checkedAt!.getTime() + (CADENCE_DAYS[cadence ?? ''] ?? Infinity) * DAY_MS;
      if (due === Infinity) continue;
      assert.ok((await late(new Date(due))).includes(sourceId), sourceId);
      assert.ok(!(await late(new Date(due - 1000))).includes(sourceId), sourceId);
    }
    const [{ count }] = await query(`select count(*) from properties where market = 'oakham' and status = 'active'`);
    assert.equal(count, 80);
    assert.equal(await failures('oakham/parcels'), 1);
  });

  it('that answers with a web page under the name of a file is told in one sentence, and the last copy stays', async () => {
    publisher.put('oakham/parcels.csv', '\n<!DOCTYPE html><html><body>Back soon</body></html>');
    await assert.rejects(load(oakham, { datasets: ['parcels'] }), (error: Error) => {
      assert.ok(error instanceof CommandError);
      assert.equal(
        error.message,
        `parcels.csv is a web page instead of the file; open ${publisher.url}/oakham/parcels.csv in a browser to see what the publisher says.`,
      );
      return true;
    });
    publishParcels('oakham', 80, 2000);
    const [done] = (await look(oakham, { names: ['oakham/parcels'] }))!;
    assert.equal(done.outcome, 'unchanged');
  });

  it('whose file has lost many of its records is refused unless that is accepted: sales, permits and parcels alike', async () => {
    publishSales('oakham', { 2023: 70, 2024: 20 });
    await assert.rejects(
      load(oakham, { datasets: ['sales'] }),
      /oakham\/sales: not loaded: transactions: fewer records than in the load before \(55 of 145, 38%\).*145 before, 90 now.*--accept fewer:transactions/s,
    );
    publishPermits('oakham', 2023, 4);
    await assert.rejects(
      load(oakham, { datasets: ['permits'] }),
      /permits: fewer records than in the load before \(56 of 63, 89%\)/,
    );
    publishParcels('oakham', 40, 2000);
    await assert.rejects(
      load(oakham, { datasets: ['parcels'] }),
      /parcels of the load before are missing from the file \(40 of 80, 50%\).*--accept vanished/s,
    );
    const accept = { ids: ['fewer:permits'], by: 'test' };
    const [report] = await load(oakham, { datasets: ['permits'], accept });
    assert.equal(report.rowsRead, 7);
    publishPermits('oakham', 2023, 6);
    const [next] = await load(oakham, { datasets: ['permits'] });
    assert.equal(next.targets.permits?.staged, 9, 'what was accepted is what the next file is compared with');
    publishSales('oakham', { 2023: 70, 2024: 75 });
    publishParcels('oakham', 80, 2000);
  });
});

describe('a dataset that fails', () => {
  it('does not keep the others from being loaded, and is told at the end', async () => {
    const [elmham, ashham] = [recipeOf('elmham', 99_702), recipeOf('ashham', 99_703)];
    publishParcels('elmham', 10);
    publisher.put('elmham/index.html', '<html></html>');
    publishPermits('elmham', 2023, 4);
    publishParcels('ashham', 10);
    publishSales('ashham', { 2023: 4 });
    publishPermits('ashham', 2023, 4);
    const failed: string[] = [];
    const loaded: string[] = [];
    await assert.rejects(
      ingest(ingestDeps, [elmham, ashham], [elmham, ashham], {
        from: 'publisher',
        download: PATIENCE,
        onReport: ({ sourceId }) => void loaded.push(sourceId),
        onFailure: ({ id }) => void failed.push(id),
      }),
      { message: 'elmham/sales: the publisher has no sales-{year}.csv.' },
    );
    assert.deepEqual(failed, ['elmham/sales']);
    assert.deepEqual(loaded, ['elmham/parcels', 'elmham/permits', 'ashham/parcels', 'ashham/sales', 'ashham/permits']);
  });

  it('and brings the parcels of a new place keeps what joins to them from filling the quarantine', async () => {
    const birchham = recipeOf('birchham', 99_704);
    publishSales('birchham', { 2023: 4 });
    publishPermits('birchham', 2023, 4);
    await assert.rejects(load(birchham, {}), (error: Error) => {
      assert.deepEqual(error.message.split('\n'), [
        '0 loaded, 3 not:',
        `  birchham/parcels: ${publisher.url}/birchham/parcels.csv returned 404.`,
        '  birchham/sales: not loaded, because birchham/parcels has never been.',
        '  birchham/permits: not loaded, because birchham/parcels has never been.',
      ]);
      return true;
    });
    assert.deepEqual(await query(`select 1 from quarantine where source_id like 'birchham/%'`), []);
  });
});

describe('places', () => {
  it('are loaded at once, while two loads of one place take turns', async () => {
    const [fenham, moorham] = [recipeOf('fenham', 99_705), recipeOf('moorham', 99_706)];
    for (const id of ['fenham', 'moorham']) {
      publishParcels(id, 30);
      publishSales(id, { 2023: 4 });
      publishPermits(id, 2023, 4);
    }
    // Both have to be inside their load before either may go on, which one lock for all would never allow.
    let inside = 0;
    let meet = () => {};
    const met = new Promise<void>((resolve) => (meet = resolve));
    const run = (source: Source) =>
      ingest(ingestDeps, [source], [source], {
        from: 'publisher',
        download: PATIENCE,
        onReport: async () => {
          if (++inside === 2) meet();
          await met;
        },
      });
    const reports = (await Promise.all([run(fenham), run(moorham)])).flat();
    assert.equal(reports.length, 6);
    const waits: string[] = [];
    const twice = () =>
      ingest({ ...ingestDeps, write: (text) => void waits.push(text) }, [fenham], [fenham], {
        from: 'publisher',
        download: PATIENCE,
        accept: ANYWAY,
      });
    await Promise.all([twice(), twice()]);
    assert.ok(waits.some((text) => text.includes('Waiting for another load')));
  });
});

describe('the worker', () => {
  it('refreshes what is due, and coverage says what is current and what is stale', async () => {
    deps.travel('2026-09-01T00:00:00Z');
    const stale = await client.get('/coverage', { key: client.liveKey });
    const of = (body: any, source: string) => body.data.find((item: any) => item.source.id === source);
    assert.equal(of(stale.body, 'oakham/parcels').is_stale, true);
    assert.equal(of(stale.body, 'oakham/sales').is_stale, false);
    publishParcels('oakham', 83, 2000);
    await refreshDue(deps, [oakham]);
    const [{ homes }] = await query(`select count(*)::int as homes from properties where market = 'oakham'`);
    assert.equal(homes, 83);
    const { body } = await client.get('/coverage', { key: client.liveKey });
    const item = of(body, 'oakham/parcels');
    assert.deepEqual(
      [item.checked_at, item.next_check_at, item.is_stale],
      ['2026-09-01T00:00:00.000Z', '2026-09-08T00:00:00.000Z', false],
    );
    const [indexed] = await query('select count(*) from addresses where fips = 99701');
    assert.equal(indexed.count, 83, 'the address index follows');
  });

  it('leaves alone what is not due, and does nothing without REFRESH_FROM', async () => {
    const start = publisher.requests.length;
    await refreshDue(deps, [oakham]);
    await refreshDue({ ...deps, config: { ...deps.config, refreshFrom: undefined } }, [oakham]);
    assert.deepEqual(since(start), []);
  });
});
