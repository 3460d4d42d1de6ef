// Loading records: what changes, what does not, and what happens to bad rows, to concurrent loads and to a killed one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  ingest,
  type IngestOptions,
  listMarkets,
  listQuarantine,
  replayQuarantine,
} from '../../src/supply/ingest/ingest.ts';
import { formatReport } from '../../src/supply/ingest/report.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { testDeps } from '../harness.ts';
import { FIPS, rollRow, testville, writeRoll, type RollRow } from '../testville.ts';
import { ANYWAY } from '../anyway.ts';

const deps = await testDeps();
const folder = mkdtempSync(join(tmpdir(), 'platbook-ingest-'));
const rows = Array.from({ length: 20 }, (_, i) => rollRow(i + 1));
const idOf = (number: number) => propertyId(FIPS, rollRow(number).pin);

function load(datasets: string[], options: Pick<IngestOptions, 'accept'> = {}) {
  const ingestDeps = { data: deps.data, clock: deps.clock, cacheFolder: folder };
  return ingest(ingestDeps, [testville], [testville], { from: folder, datasets, ...options });
}

async function query<Answer = Record<string, any>>(text: string, values: unknown[] = []): Promise<Answer[]> {
  return (await deps.data.query(text, values)).rows as Answer[];
}

const eventsSince = (load: number) =>
  query('select kind, op, property_id, changed_fields, before, after from changes where load_id >= $1 order by seq', [
    load,
  ]);

describe('a roll', () => {
  it('is loaded with owners, assessments, provenance, coverage and counts', async () => {
    writeRoll(folder, rows);
    const [report] = await load(['roll']);
    assert.deepEqual(
      [report.rowsRead, report.targets.properties?.inserted, report.targets.assessments?.inserted],
      [20, 20, 20],
    );
    const [home] = await query('select * from properties where id = $1', [idOf(1)]);
    assert.deepEqual(
      [home.address_line1, home.sqft, home.assessed_value, home.owner_type, home.provenance, home.status],
      ['1 ELM ST', 1001, 100_001, 'individual', { default: 'testville/roll' }, 'active'],
    );
    const layers = await query('select layer, record_count from coverage where fips = $1 order by layer', [FIPS]);
    assert.deepEqual(
      layers.map((row) => `${row.layer} ${row.record_count}`),
      ['assessments 20', 'owners 20', 'properties 20'],
    );
    const market = (await listMarkets(deps.data)).find((row) => row.id === 'testville')!;
    assert.deepEqual([market.properties, market.licence], [20, 'CC0']);
  });

  it('changes nothing and makes no events when loaded again', async () => {
    const [skipped] = await load(['roll']);
    assert.equal(skipped.outcome, 'unchanged');
    const before = await query('select * from properties where fips = $1 order by id', [FIPS]);
    const [report] = await load(['roll'], { accept: ANYWAY });
    assert.deepEqual([report.targets.properties?.unchanged, report.targets.owners?.unchanged], [20, 20]);
    assert.deepEqual(await eventsSince(report.loadId), []);
    assert.deepEqual(await query('select * from properties where fips = $1 order by id', [FIPS]), before);
  });

  it('with one corrected cell changes one field, keeps the old value and makes one event', async () => {
    writeRoll(folder, rows.with(4, rollRow(5, { sqft: 2222 })));
    const [report] = await load(['roll']);
    assert.equal(report.targets.properties?.updated, 1);
    assert.deepEqual(await eventsSince(report.loadId), [
      {
        kind: 'property.updated',
        op: 'update',
        property_id: idOf(5),
        changed_fields: ['sqft'],
        before: { sqft: 1005 },
        after: { sqft: 2222 },
      },
    ]);
  });

  it('with another owner and another value makes the events of those, without names', async () => {
    writeRoll(folder, rows.with(4, rollRow(5, { sqft: 2222, owner: 'NEW OWNER LLC', value: 7 })));
    deps.travel('2026-02-02T00:00:00Z');
    const source = { ...testville, datasets: [{ ...testville.datasets[0], publishedOn: '2026-02-01' }] };
    const [report] = await ingest({ data: deps.data, clock: deps.clock, cacheFolder: folder }, [source], [source], {
      from: folder,
    });
    const events = await eventsSince(report.loadId);
    assert.deepEqual(events.map((event) => event.kind).toSorted(), [
      'property.assessment_updated',
      'property.owner_changed',
    ]);
    assert.equal(JSON.stringify(events).includes('NEW OWNER'), false);
    const owners = await query('select names, type, ended_on from owners where property_id = $1 order by known_on', [
      idOf(5),
    ]);
    assert.deepEqual(
      owners.map((owner) => [owner.names[0], owner.ended_on]),
      [
        ['Owner 5', '2026-02-01'],
        ['NEW OWNER LLC', null],
      ],
    );
    const [home] = await query('select assessed_value, owner_type from properties where id = $1', [idOf(5)]);
    assert.deepEqual(home, { assessed_value: 7, owner_type: 'company' });
  });

  it('that lost a parcel retires it; one split into two keeps its lineage', async () => {
    const split = [
      ...rows.slice(0, 18),
      rollRow(101, { address: '20 Elm St' }),
      rollRow(102, { address: '20 Elm St' }),
    ];
    writeRoll(folder, split);
    const [report] = await load(['roll']);
    assert.deepEqual(
      [report.targets.properties?.retired, report.targets.properties?.inserted, report.superseded],
      [2, 2, 1],
    );
    const retired = await query(`select id from properties where fips = $1 and status = 'retired'`, [FIPS]);
    assert.deepEqual(retired.map((row) => row.id).toSorted(), [idOf(19), idOf(20)].toSorted());
    const lineage = await query('select property_id, successor_id, kind from lineage where fips = $1', [FIPS]);
    assert.deepEqual(
      lineage.map((row) => [row.property_id, row.kind]),
      [
        [idOf(20), 'split'],
        [idOf(20), 'split'],
      ],
    );
    const kinds = (await eventsSince(report.loadId)).map((event) => event.kind);
    assert.equal(kinds.filter((kind) => kind === 'property.superseded').length, 1);
    const [back] = await (writeRoll(folder, rows), load(['roll']));
    assert.equal(back.targets.properties?.retired, 2);
    assert.equal((await query('select status from properties where id = $1', [idOf(20)]))[0].status, 'active');
  });

  it('that lost most of its parcels is rejected, and nothing is touched', async () => {
    writeRoll(folder, rows.slice(0, 3));
    await assert.rejects(load(['roll']), /parcels of the load before are missing from the file \(17 of 20, 85%\)/);
    assert.equal(
      (await query(`select count(*) from properties where fips = $1 and status = 'active'`, [FIPS]))[0].count,
      20,
    );
    writeRoll(folder, rows);
  });

  it('whose columns changed is rejected before anything is touched', async () => {
    const text = readFileSync(join(folder, 'roll.csv'), 'utf8');
    writeFileSync(join(folder, 'roll.csv'), text.replace('sqft', 'square_feet'));
    await assert.rejects(load(['roll']), /the columns have changed. roll.csv has no column sqft; it has pin, address/);
    writeFileSync(join(folder, 'roll.csv'), text);
  });

  it('keeps no name from a bad row, and accepts the row back without it', async () => {
    writeRoll(folder, [...rows, rollRow(30, { owner: 'JANE Q HIDDEN', value: 'many' })]);
    const path = join(folder, 'roll.csv');
    appendFileSync(path, 'T-000031,31 Elm St,JANE Q HIDDEN\n');
    const [report] = await load(['roll']);
    assert.deepEqual(report.quarantinedByReason, { 'not_a_number (value)': 1, too_few_cells: 1 });
    assert.ok(!formatReport(report).includes('HIDDEN'));
    const kept = await query(
      `select row_data from quarantine where source_id = 'testville/roll' and replayed_at is null`,
    );
    assert.equal(kept.length, 2);
    assert.ok(kept.some(({ row_data }) => row_data.pin === 'T-000030' && row_data.value === 'many'));
    const all = await query(
      'select jsonb_agg(q) as rows, (select jsonb_agg(l) from loads l) as loads from quarantine q',
    );
    assert.ok(!JSON.stringify([all, await listQuarantine(deps.data)]).includes('HIDDEN'));
    const [replay] = await replayQuarantine(
      { data: deps.data, clock: deps.clock, cacheFolder: folder },
      [testville],
      'testville/roll',
    );
    assert.deepEqual([replay.rowsQuarantined, replay.targets.properties?.unchanged], [2, 1]);
    const [owner] = await query('select names from owners where property_id = $1', [idOf(30)]);
    assert.deepEqual(owner.names, ['JANE Q HIDDEN'], 'the good part of the row was loaded with the file');
    writeRoll(folder, rows);
    await load(['roll']);
  });

  it('with an owner who asked not to be shown never stores the name', async () => {
    await deps.data.query(`insert into owner_suppressions values ($1, $2, 'asked', now())`, [FIPS, idOf(7)]);
    await deps.data.query('delete from owners where property_id = $1', [idOf(7)]);
    await load(['roll'], { accept: ANYWAY });
    assert.deepEqual(await query('select 1 from owners where property_id = $1', [idOf(7)]), []);
  });
});

describe('sales', () => {
  const write = (name: string, lines: string[]) =>
    writeFileSync(join(folder, name), `pin,sqft,sold,price\n${lines.join('\n')}\n`);

  it('that overlap between files are kept once; a month and a day apart are two', async () => {
    const [{ pin }] = rows;
    write('sales-2013.csv', [`${pin},1001,2013-01,150000`, `${pin},1001,2013-01,150000`, `${pin},1001,2014-05,180000`]);
    write('sales-all.csv', [`${pin},1001,2013-01,150000`, `${pin},1001,2015-03-02,190000`]);
    const [report] = await load(['sales']);
    assert.deepEqual([report.targets.transactions?.inserted, report.targets.transactions?.duplicates], [3, 2]);
    const [home] = await query('select last_sale_price, last_sale_date from properties where id = $1', [idOf(1)]);
    assert.deepEqual(home, { last_sale_price: 190_000, last_sale_date: '2015-03-02' });
    // A first load brings history, not news.
    assert.deepEqual(
      (await eventsSince(report.loadId)).filter((event) => event.kind === 'property.sale_recorded'),
      [],
    );
  });

  it('that are new later make events', async () => {
    appendFileSync(join(folder, 'sales-all.csv'), `${rows[1].pin},1002,2025-03-02,210000\n`);
    const [report] = await load(['sales']);
    const events = await eventsSince(report.loadId);
    assert.deepEqual(
      events.map((event) => [event.kind, event.property_id, event.after.price]),
      [['property.sale_recorded', idOf(2), 210_000]],
    );
  });

  it('with attributes that differ from the roll leave both values in the provenance', async () => {
    appendFileSync(join(folder, 'sales-all.csv'), `${rows[2].pin},3333,2025-04-02,220000\n`);
    await load(['sales']);
    const [home] = await query('select sqft, provenance from properties where id = $1', [idOf(3)]);
    // The roll was published after the sale, so its values stay.
    assert.equal(home.sqft, 1003);
    assert.deepEqual(home.provenance.fields.sqft.others, [{ source: 'testville/sales', value: 3333 }]);
  });

  it('that cannot be read are quarantined without values, and return by replay', async () => {
    appendFileSync(
      join(folder, 'sales-all.csv'),
      `${rows[3].pin},1004,2025-02-30,1\n,1,2025-01-01,1\nT-900000,900,2025-01-05,99000\n`,
    );
    const [report] = await load(['sales']);
    assert.equal(report.rowsQuarantined, 3);
    assert.equal(formatReport(report).includes('99000'), false);
    const groups = await listQuarantine(deps.data, 'testville/sales');
    assert.deepEqual(groups.map((group) => `${group.reason}: ${group.rows}`).toSorted(), [
      'no_parcel_number: 2',
      'not_a_date (sold): 1',
      'parcel_unknown: 1',
    ]);
    writeRoll(folder, [...rows, rollRow(900_000)]);
    await load(['roll']);
    const replays = await replayQuarantine(
      { data: deps.data, clock: deps.clock, cacheFolder: folder },
      [testville],
      'testville/sales',
    );
    assert.equal(replays[0].targets.transactions?.inserted, 1);
    const left = await listQuarantine(deps.data, 'testville/sales');
    assert.equal(
      left.some((group) => group.reason.includes('parcel_unknown')),
      false,
    );
    assert.equal(
      (await query('select last_sale_price from properties where id = $1', [idOf(900_000)]))[0].last_sale_price,
      99_000,
    );
    const [again] = await load(['sales'], { accept: ANYWAY });
    assert.deepEqual([again.targets.transactions?.inserted, again.rowsQuarantined], [0, 2]);
  });
});

describe('orders', () => {
  const write = (lines: string[]) =>
    writeFileSync(join(folder, 'orders.csv'), `pin,number,status,opened\n${lines.join('\n')}\n`);

  it('turn "not covered" into "none found" on every property of the market', async () => {
    const before = await query('select open_violations from properties where id = $1', [idOf(1)]);
    write([`${rows[1].pin},A-1,open,2025-01-02`]);
    await load(['orders']);
    const after = await query('select open_violations from properties where fips = $1 and id = any($2) order by id', [
      FIPS,
      [idOf(1), idOf(2)].toSorted(),
    ]);
    assert.deepEqual([before[0].open_violations, after.map((row) => row.open_violations).toSorted()], [null, [0, 1]]);
  });

  it('opened and closed later make events', async () => {
    write([`${rows[1].pin},A-1,closed,2025-01-02`, `${rows[2].pin},A-2,open,2025-06-02`]);
    const [report] = await load(['orders']);
    const kinds = (await eventsSince(report.loadId)).map((event) => event.kind);
    assert.deepEqual(kinds.toSorted(), ['property.violation_closed', 'property.violation_opened']);
    assert.equal(
      (await query('select open_violations from properties where id = $1', [idOf(2)]))[0].open_violations,
      0,
    );
  });
});

describe('loads', () => {
  const big = (sqft: number): RollRow[] => Array.from({ length: 3000 }, (_, i) => rollRow(i + 1, { sqft }));

  it('are followed up once, even if the first attempt died', async () => {
    writeRoll(folder, rows.with(1, rollRow(2, { sqft: 5555 })));
    const calls: (string[] | 'all')[] = [];
    const follow = (fails: boolean) =>
      ingest({ data: deps.data, clock: deps.clock, cacheFolder: folder }, [testville], [testville], {
        from: folder,
        datasets: ['roll'],
        afterLoad: async (_, changed) => {
          if (fails) throw new Error('died');
          calls.push(changed);
        },
      });
    await assert.rejects(follow(true), /died/);
    await follow(false);
    await follow(false);
    assert.equal(calls.length, 1);
    assert.ok(calls[0].includes(idOf(2)));
  });

  it('that run at once are serialized, and the second finds nothing to do', async () => {
    writeRoll(folder, rows.with(0, rollRow(1, { sqft: 4444 })).with(1, rollRow(2, { sqft: 5555 })));
    const waiting: string[] = [];
    const write = (text: string) => void waiting.push(text);
    const run = () =>
      ingest({ data: deps.data, clock: deps.clock, cacheFolder: folder, write }, [testville], [testville], {
        from: folder,
        datasets: ['roll'],
        accept: ANYWAY,
      });
    const reports = (await Promise.all([run(), run()])).flat();
    assert.deepEqual(reports.map((report) => report.targets.properties?.updated).toSorted(), [0, 1]);
    assert.ok(waiting.some((text) => text.includes('Waiting for another load')));
  });

  it('killed at four moments leave the previous state intact, and the next one completes', async () => {
    writeRoll(folder, big(1000));
    // One living area for all homes, and another with each round.
    const accept = { ids: [...ANYWAY.ids, 'one-value:sqft', 'changed:sqft', 'strangers'], by: 'test' };
    await load(['roll'], { accept });
    const script = fileURLToPath(new URL('../testville-load.ts', import.meta.url));
    let killed = 0;
    for (const [round, afterMs] of [0, 60, 250, 700].entries()) {
      writeRoll(folder, big(1001 + round));
      const child = spawn(process.execPath, [script, deps.controlUrl, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      while (!output.includes('begin') && child.exitCode === null) await sleep(5);
      await sleep(afterMs);
      child.kill('SIGKILL');
      await new Promise((done) =>
        child.exitCode === null && child.signalCode === null ? child.on('exit', done) : done(null),
      );
      if (!output.includes('done')) killed++;
      await waitForLoads();
      const states = await query(
        `select count(*) as homes, count(distinct sqft) as kinds, min(sqft) as sqft from properties where fips = $1 and status = 'active'`,
        [FIPS],
      );
      assert.deepEqual([states[0].homes, states[0].kinds], [3000, 1], `round ${round}`);
      const [{ events }] = await query(
        `select count(*) as events from changes c join loads l on l.id = c.load_id where c.fips = $1 and l.state <> 'completed'`,
        [FIPS],
      );
      assert.equal(events, 0);
    }
    assert.ok(killed >= 2, `${killed} loads were killed before their end`);
    writeRoll(folder, big(1010));
    const [report] = await load(['roll'], { accept });
    assert.equal(report.targets.properties?.updated, 3000);
    const left = await query(`select 1 from loads where source_id = 'testville/roll' and state = 'running'`);
    assert.deepEqual(left, []);
  });

  /** Waits until the server has noticed that a killed process is gone. */
  async function waitForLoads() {
    for (;;) {
      const locks = await query(
        `select 1 from pg_locks where locktype = 'advisory' and 7526003 in (classid, objid) and database = (select oid from pg_database where datname = current_database())`,
      );
      if (locks.length === 0) return;
      await sleep(50);
    }
  }
});
