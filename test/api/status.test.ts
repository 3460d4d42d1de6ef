// The status page: what counts as down, gaps, incidents, promises next to measurements, across processes.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { PLANS } from '../../src/customers/accounts/plans.ts';
import { createDeps } from '../../src/operate/open.ts';
import { componentsOf, COMPONENT_NAMES } from '../../src/edge/status/components.ts';
import { findIncidents, groupIncidents } from '../../src/edge/status/incidents.ts';
import { overallOf } from '../../src/edge/status/present.ts';
import { tryAll } from '../../src/edge/status/probe.ts';
import { readStatus } from '../../src/edge/status/status.ts';
import { runSchedule } from '../../src/worker.ts';
import { testClient } from '../harness.ts';

const MINUTE = 60_000;
const A_BUSY_MACHINE_MS = 120_000;
const at = (iso: string) => new Date(iso);
const api = await testClient();
const { control } = api.deps;

async function fill(
  from: string,
  minutes: number,
  row: Partial<Record<'probes_failed' | 'requests' | 'errors', number>> = {},
  components = COMPONENT_NAMES,
) {
  await control.query(
    `insert into status_minutes (minute, component, probes, probes_failed, requests, errors)
     select $1::timestamptz + n * interval '1 minute', c, 2, $3, $4, $5
     from generate_series(0, $2 - 1) as n, unnest($6::text[]) as c`,
    [from, minutes, row.probes_failed ?? 0, row.requests ?? 0, row.errors ?? 0, components],
  );
}
async function clear() {
  await control.query('delete from status_minutes');
  await control.query('delete from status_days');
  await control.query('delete from status_incidents');
}
const of = async (name: string) => (await readStatus(api.deps)).components.find((each) => each.name === name)!;

describe('availability', () => {
  it('before the first measurement says so, and promises nothing', async () => {
    await clear();
    const report = await readStatus(api.deps);
    assert.equal(report.measuredSince, null);
    assert.deepEqual(
      report.components.map(({ uptime90 }) => uptime90),
      COMPONENT_NAMES.map(() => null),
    );
    const { status, text } = await api.get('//status', { key: null });
    assert.equal(status, 200);
    assert.match(text, /No minute has been measured yet/);
    assert.match(text, /Not measured yet/);
    await runSchedule(api.deps, 'measure');
    const { rows } = await control.query(`select 1 from measurements where name = 'platbook_component_up'`);
    assert.equal(rows.length, 0, 'nothing is called down before it was measured');
  });

  for (const [what, row, isDown] of [
    ['all trials well', {}, false],
    ['one of two trials failed', { probes_failed: 1 }, false],
    ['both trials failed', { probes_failed: 2 }, true],
    ['one failed call of ten', { requests: 10, errors: 1 }, false],
    ['4% of the calls failed', { requests: 100, errors: 4 }, false],
    ['5% of the calls failed', { requests: 100, errors: 5 }, true],
    ['both of two calls failed', { requests: 2, errors: 2 }, true],
  ] as const)
    it(`${what}: ${isDown ? 'down' : 'up'}`, async () => {
      await clear();
      api.deps.travel('2026-03-02T00:10:40Z');
      await fill('2026-03-02T00:00:00Z', 10, row);
      const { isUp, uptime90 } = await of('api');
      assert.deepEqual([isUp, uptime90], [!isDown, isDown ? 0 : 100]);
    });

  for (const [overall, down] of [
    ['up', 0],
    ['partly_down', 1],
    ['partly_down', COMPONENT_NAMES.length - 1],
    ['down', COMPONENT_NAMES.length],
  ] as const)
    it(`with ${down} of ${COMPONENT_NAMES.length} components down, the service is ${overall}`, async () => {
      await clear();
      api.deps.travel('2026-03-02T00:10:40Z');
      await fill('2026-03-02T00:00:00Z', 10, { probes_failed: 2 }, COMPONENT_NAMES.slice(0, down));
      await fill('2026-03-02T00:00:00Z', 10, {}, COMPONENT_NAMES.slice(down));
      assert.equal(overallOf(await readStatus(api.deps)), overall);
    });

  it('a minute without measurement is down, from the first measurement on', async () => {
    await clear();
    await fill('2026-03-01T23:50:00Z', 10);
    await fill('2026-03-02T00:30:00Z', 60);
    api.deps.travel('2026-03-02T01:30:40Z');
    const { days, uptime90, isUp } = await of('search');
    assert.equal(isUp, true);
    assert.deepEqual(days.at(-1), {
      date: '2026-03-02',
      uptime_percent: 66.666,
      down_minutes: 30,
      unmeasured_minutes: 30,
    });
    assert.deepEqual(days.at(-2), { date: '2026-03-01', uptime_percent: 100, down_minutes: 0, unmeasured_minutes: 0 });
    assert.equal(days.at(-3)!.uptime_percent, null);
    assert.equal(uptime90, 70);
    assert.equal((await readStatus(api.deps)).measuredSince?.toISOString(), '2026-03-01T23:50:00.000Z');
    api.deps.travel('2026-03-02T01:40:40Z');
    assert.equal((await of('search')).isUp, false, 'nobody measures');
  });

  it('days are summed up and mean the same as their minutes did', async () => {
    await clear();
    await fill('2026-03-01T12:00:00Z', 720);
    await fill('2026-03-02T00:00:00Z', 1400);
    await fill('2026-03-03T00:00:00Z', 1440, { probes_failed: 2 }, ['search']);
    await fill('2026-03-12T00:00:00Z', 60);
    api.deps.travel('2026-03-12T01:00:40Z');
    const before = await readStatus(api.deps);
    await runSchedule(api.deps, 'tidy-status');
    await runSchedule(api.deps, 'tidy-status');
    const { rows } = await control.query('select count(*)::int as n from status_minutes where minute < $1', [
      at('2026-03-04T01:00:40Z'),
    ]);
    assert.equal(rows[0].n, 0, 'old minutes are gone');
    const after = await readStatus(api.deps);
    assert.deepEqual(after.components, before.components);
    const days = new Map((await of('search')).days.map((day) => [day.date, day]));
    assert.equal(days.get('2026-03-01')!.uptime_percent, 100);
    assert.equal(days.get('2026-03-02')!.unmeasured_minutes, 40);
    assert.deepEqual([days.get('2026-03-03')!.down_minutes, days.get('2026-03-03')!.unmeasured_minutes], [1440, 0]);
    assert.equal(days.get('2026-03-07')!.unmeasured_minutes, 1440);
  });

  it('several processes add to the same minute', async () => {
    await clear();
    api.deps.travel('2026-04-01T10:00:10Z');
    const second = createDeps(api.deps);
    for (const { outcomes } of [api.deps, second]) {
      outcomes.tried('api', true);
      outcomes.answered('api', false);
    }
    await Promise.all([api.deps.outcomes.flush(), second.outcomes.flush()]);
    const { rows } = await control.query(`select probes, requests, errors from status_minutes where component = 'api'`);
    assert.deepEqual(rows, [{ probes: 2, requests: 2, errors: 0 }]);
  });

  it('what was counted while the database was away is written when it is back', async () => {
    await clear();
    api.deps.travel('2026-04-02T10:00:10Z');
    await control.query('alter table status_minutes rename to status_minutes_away');
    api.deps.outcomes.tried('api', false);
    await api.deps.outcomes.flush();
    api.deps.travel('2026-04-02T10:01:10Z');
    api.deps.outcomes.tried('api', false);
    await control.query('alter table status_minutes_away rename to status_minutes');
    await api.deps.outcomes.flush();
    const { rows } = await control.query(
      `select probes_failed from status_minutes where component = 'api' order by minute`,
    );
    assert.deepEqual(rows, [{ probes_failed: 1 }, { probes_failed: 1 }]);
  });
});

describe('incidents', () => {
  const pattern = (text: string) =>
    [...text].flatMap((c, i) => (c === '_' ? [] : [{ minute: new Date(i * MINUTE), is_down: c === 'x' }]));
  const found = (text: string) =>
    findIncidents('api', pattern(text), { from: new Date(0), to: new Date(text.length * MINUTE) }).map(
      ({ started_at, ended_at, cause }) =>
        `${started_at.getTime() / MINUTE}-${ended_at === null ? '' : ended_at.getTime() / MINUTE} ${cause}`,
    );
  for (const [minutes, expected] of [
    ['......', []],
    ['..x...', []],
    ['..xx...', ['2-4 failures']],
    ['..xx.x...', ['2-6 failures']],
    ['..xx...xx...', ['2-4 failures', '7-9 failures']],
    ['..xx..xx...', ['2-8 failures']],
    ['...xx', ['3- failures']],
    ['..___...', ['2-5 not_measured']],
    ['..x___...', ['2-6 not_measured']],
    ['xxxx', ['0- failures']],
    ['..xx.', ['2-4 failures']],
  ] as const)
    it(minutes, () => assert.deepEqual(found(minutes), expected));

  it('of several components at the same time are one', () => {
    const row = (component: string, from: number, to: number | null) => ({
      component,
      started_at: new Date(from),
      ended_at: to === null ? null : new Date(to),
      cause: 'failures' as const,
    });
    const groups = groupIncidents([row('api', 10, 20), row('search', 15, 30), row('batches', 40, null)]);
    assert.deepEqual(
      groups.map(({ components }) => components),
      [['batches'], ['api', 'search']],
    );
    assert.equal(groups[1].endedAt?.getTime(), 30);
  });

  it('are found by the worker, end by themselves, and a stop of weeks is one', async () => {
    await clear();
    await fill('2026-05-01T00:00:00Z', 30);
    await fill('2026-05-01T00:30:00Z', 5, { probes_failed: 2 }, ['valuations']);
    await fill(
      '2026-05-01T00:30:00Z',
      5,
      {},
      COMPONENT_NAMES.filter((name) => name !== 'valuations'),
    );
    api.deps.travel('2026-05-01T00:35:40Z');
    await runSchedule(api.deps, 'measure');
    let [incident] = (await readStatus(api.deps)).incidents;
    assert.deepEqual([incident.components, incident.endedAt], [['valuations'], null]);
    await fill('2026-05-01T00:35:00Z', 10);
    api.deps.travel('2026-05-01T00:45:40Z');
    await runSchedule(api.deps, 'measure');
    [incident] = (await readStatus(api.deps)).incidents;
    assert.equal(incident.endedAt?.toISOString(), '2026-05-01T00:35:00.000Z');
    await fill('2026-05-15T00:00:00Z', 5);
    api.deps.travel('2026-05-15T00:05:40Z');
    for (let i = 0; i < 2; i++) await runSchedule(api.deps, 'measure');
    const { incidents } = await readStatus(api.deps);
    assert.equal(incidents.length, 2);
    assert.deepEqual(
      [
        incidents[0].startedAt.toISOString(),
        incidents[0].endedAt?.toISOString(),
        incidents[0].cause,
        incidents[0].components.length,
      ],
      ['2026-05-01T00:45:00.000Z', '2026-05-15T00:00:00.000Z', 'not_measured', COMPONENT_NAMES.length],
    );
  });
});

describe('trials', () => {
  it('go over HTTP with a key of their own, and are never billed', async () => {
    await clear();
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    const url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
    api.deps.travel(new Date().toISOString());
    for (let i = 0; i < 2; i++)
      await tryAll(api.deps, { url, isInTime: async () => true, withinMs: A_BUSY_MACHINE_MS });
    await api.deps.outcomes.flush();
    const { rows } = await control.query(
      'select component, sum(probes)::int as probes, sum(probes_failed)::int as failed from status_minutes group by 1 order by 1',
    );
    const up = rows.filter(({ component }) => component !== 'dashboard');
    assert.deepEqual(
      up.map(({ failed }) => failed),
      [0, 0, 0, 0, 0],
      JSON.stringify(rows),
    );
    assert.equal(rows.length, COMPONENT_NAMES.length);
    const { rows: accounts } = await control.query(`select id from accounts where name = 'Status page'`);
    assert.equal(accounts.length, 1);
    const { rows: usage } = await control.query('select 1 from usage_events where account_id = $1', [accounts[0].id]);
    assert.equal(usage.length, 0);
  });

  it('fail where nothing, or something else, answers', async () => {
    const other = createServer((_request, response) => response.writeHead(502).end());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    after(() => other.close());
    for (const url of [`http://127.0.0.1:${(other.address() as AddressInfo).port}`, 'http://127.0.0.1:9']) {
      await clear();
      await tryAll(api.deps, { url, isInTime: async () => Promise.reject(new Error('no database')) });
      await api.deps.outcomes.flush();
      const { rows } = await control.query(
        'select sum(probes)::int as probes, sum(probes_failed)::int as failed from status_minutes',
      );
      assert.deepEqual(rows, [{ probes: COMPONENT_NAMES.length, failed: COMPONENT_NAMES.length }]);
    }
  });
});

describe('callers’ own outcomes', () => {
  it('live calls count, sandbox calls and refusals do not', async () => {
    await clear();
    await api.deps.outcomes.flush();
    await clear();
    await api.get('/account', { key: api.liveKey });
    await api.get('/account');
    await api.get('/properties/search?nonsense=1', { key: api.liveKey });
    await api.get('/markets', { key: 'wrong' });
    await control.query('alter table batches rename to batches_away');
    await api.get('/batches', { key: api.liveKey });
    await api.get('/batches');
    await control.query('alter table batches_away rename to batches');
    await api.deps.outcomes.flush();
    const { rows } = await control.query(
      'select component, requests, errors from status_minutes where requests > 0 order by component',
    );
    assert.deepEqual(rows, [
      { component: 'api', requests: 3, errors: 1 },
      { component: 'batches', requests: 1, errors: 1 },
      { component: 'search', requests: 1, errors: 0 },
    ]);
  });

  it('each route under /api/v1 belongs to the API, and docs and probes to nothing', () => {
    for (const { path } of api.routes) {
      const components = componentsOf(path);
      assert.equal(components.includes('api'), path.startsWith('/api/v1/'), path);
    }
    assert.deepEqual(componentsOf('/docs'), []);
    assert.deepEqual(componentsOf('/readyz'), []);
  });
});

describe('the page and its JSON', () => {
  it('is open to anyone, shows the time zone, and each promise beside the measurement', async () => {
    const fresh = await testClient();
    await fresh.deps.control.query(
      `insert into status_minutes (minute, component, probes, probes_failed)
       select $1::timestamptz + n * interval '1 minute', c, 2, case when n < 20 then 2 else 0 end
       from generate_series(0, 9999) as n, unnest($2::text[]) as c`,
      ['2026-06-01T00:00:00Z', COMPONENT_NAMES],
    );
    fresh.deps.travel('2026-06-07T22:40:40Z');
    await runSchedule(fresh.deps, 'measure');
    const { status, body, headers } = await fresh.get('//status.json', { key: null, from: '203.0.113.5' });
    assert.equal(status, 200);
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(body.status, 'up');
    assert.equal(body.time_zone, 'UTC');
    const promised = new Set(Object.values(PLANS).flatMap(({ uptimePercent }) => uptimePercent ?? []));
    assert.deepEqual(new Set(body.promises.map((each: any) => each.promised_percent)), promised);
    for (const each of body.promises) assert.equal(each.measured_percent.last_30_days, 99.8);
    assert.equal(body.components.length, COMPONENT_NAMES.length);
    assert.equal(body.components[0].days.length, 90);
    const page = await fresh.get('//status', { key: null });
    assert.match(page.text, /Everything is up/);
    assert.match(page.text, /Measured since 2026-06-01 00:00 UTC/);
    assert.match(page.text, /class="verdict kept">99.8%/);
    assert.match(page.text, /class="verdict missed">99.8%/);
    assert.doesNotMatch(page.text, /style="/, 'the policy forbids it');
  });
});
