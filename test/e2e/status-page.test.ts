// The status page in a browser: light, dark and on a phone, without barriers, and reachable from docs and dashboard.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMPONENT_NAMES } from '../../src/edge/status/components.ts';
import { runSchedule } from '../../src/worker.ts';
import { findBarriers, needsBrowser, openSite } from './browser.ts';

const SHOTS = process.env.PLATBOOK_TEST_SHOTS;
const DAY_MS = 86_400_000;

describe('the status page', needsBrowser, async () => {
  const site = await openSite();

  it('shows ninety days of every component, incidents and promises', async () => {
    const { deps } = site.client;
    const nowMs = deps.clock().getTime();
    const first = new Date(Math.floor(nowMs / DAY_MS) * DAY_MS - 40 * DAY_MS);
    await deps.control.query(
      `insert into status_days (day, component, first_minute, measured, down)
       select ($1::timestamptz at time zone 'UTC')::date + n, c, $1::timestamptz + n * interval '1 day', 1440,
         case when n = 12 and c in ('api', 'valuations') then 34 when n = 25 and c = 'search' then 4 else 0 end
       from generate_series(0, 36) as n, unnest($2::text[]) as c`,
      [first, COMPONENT_NAMES],
    );
    await deps.control.query(
      `insert into status_minutes (minute, component, probes, probes_failed)
       select m, c, 2, case when c = 'batches' and m > $3::timestamptz - interval '6 minutes' then 2 else 0 end
       from generate_series($1::timestamptz, $3::timestamptz, '1 minute') as m, unnest($2::text[]) as c
       on conflict (minute, component) do update set probes = excluded.probes, probes_failed = excluded.probes_failed`,
      [new Date(first.getTime() + 37 * DAY_MS), COMPONENT_NAMES, new Date(Math.floor(nowMs / 60_000) * 60_000)],
    );
    await deps.control.query(
      `insert into status_incidents (component, started_at, ended_at, cause) values ('api', $1, $2, 'failures'), ('valuations', $1, $2, 'failures')`,
      [new Date(first.getTime() + 12.5 * DAY_MS), new Date(first.getTime() + 12.5 * DAY_MS + 34 * 60_000)],
    );
    await runSchedule(deps, 'measure');
    for (const [name, options] of [
      ['light', {}],
      ['dark', { colors: 'dark' }],
      ['phone', { isPhone: true }],
    ] as const) {
      const page = await site.open('/status', options);
      assert.equal(await page.locator('h1').innerText(), 'Parts of the service are down');
      assert.equal(await page.locator('.component').count(), COMPONENT_NAMES.length);
      assert.equal(await page.locator('.component').first().locator('rect').count(), 90);
      assert.match(await page.locator('.ongoing').innerText(), /Batches/);
      assert.match(await page.locator('.incidents').innerText(), /API, Valuations: 34 minutes/);
      assert.equal((await page.locator('.verdict.missed').count()) > 0, true);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.ok(overflow <= 0, `${name} scrolls sideways by ${overflow}`);
      assert.deepEqual(await findBarriers(page), []);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/status-${name}.png`, fullPage: true });
      await page.close();
    }
    assert.deepEqual(site.complaints, []);
  });

  it('is linked from the docs and the dashboard', async () => {
    const docs = await site.open('/docs');
    assert.ok((await docs.locator('a[href="/status"]').count()) > 0);
    const person = await site.signUp('Ada Status');
    const dashboard = await site.open('/dashboard', { person });
    await dashboard.locator('a[href="/status"]').first().waitFor();
  });
});
