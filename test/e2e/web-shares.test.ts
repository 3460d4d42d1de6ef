// A share link from making it to revoking it, by somebody with an account, and opened by somebody without one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { findBarriers, needsBrowser, openSite } from './browser.ts';

const site = await openSite();
const EXPECTED_ERROR = /status of (404|410)/;

/** Selects Share, makes the link and returns it. */
async function shareFrom(page: Page, name = 'Share'): Promise<string> {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('button', { name: 'Make link' }).click();
  const link = page.getByRole('dialog', { name: 'Copy your link' }).locator('code');
  await link.waitFor();
  const url = await link.textContent();
  await page.getByRole('button', { name: 'Done' }).click();
  return `${site.origin}${new URL(url!).pathname}`;
}

describe('a share link', needsBrowser, () => {
  it('shows a property to anyone, and ends when it is revoked', async () => {
    const person = await site.signUp('Sharon Example', 'builder');
    const page = await site.open(`/p/${DEMO.property_id}`, { person });
    const link = await shareFrom(page);

    const stranger = await site.open('/pricing');
    const response = await stranger.goto(link);
    const headers = response!.headers();
    assert.equal(response!.status(), 200);
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(headers['x-robots-tag'], /noindex/);
    await stranger.getByRole('heading', { level: 1, name: /1208 Lantern Hill Dr/ }).waitFor();
    await stranger.getByRole('heading', { name: 'Estimated value' }).waitFor();
    await stranger.getByRole('heading', { name: 'Risk and location' }).waitFor();
    assert.equal(await stranger.getByText('Owner-occupied').count(), 1, 'of the census, not of the owner');
    assert.equal(await stranger.getByRole('navigation').count(), 0);
    assert.deepEqual(await findBarriers(stranger), []);

    await page.goto(`${site.origin}/dashboard/shares`);
    const row = page.getByRole('row', { name: /1208 Lantern Hill Dr/ });
    await row.getByText('Active').waitFor();
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await row.getByRole('button', { name: 'Confirm revoke' }).click();
    await row.getByText('Revoked').waitFor();
    assert.equal((await stranger.goto(link))!.status(), 410);
    await stranger.getByRole('heading', { name: 'This link has ended' }).waitFor();
    assert.equal((await stranger.goto(`${site.origin}/shared/${'A'.repeat(43)}`))!.status(), 404);
    await stranger.getByRole('heading', { name: 'No such link' }).waitFor();
    await stranger.context().close();
    await page.context().close();
  });

  it('shows an area, a portfolio and a lender’s file', async () => {
    const { client } = site;
    await client.post('/watchlists', { name: 'Harbor homes', property_ids: [DEMO.property_id] });
    const { id } = (await client.post('/reports', { property: { id: DEMO.property_id } })).body;
    const page = await site.open('/areas?area=zip:00103', { key: client.testKey });
    const area = await shareFrom(page);
    await page.goto(`${site.origin}/dashboard/watchlists`);
    await page.getByRole('button', { name: 'Open Harbor homes' }).click();
    const portfolio = await shareFrom(page);
    await page.goto(`${site.origin}/dashboard/reports`);
    const file = await shareFrom(page, `Share ${id}`);
    await page.context().close();

    const stranger = await site.open('/pricing');
    await stranger.goto(area);
    await stranger.getByRole('heading', { name: 'Median price' }).waitFor();
    assert.deepEqual(await findBarriers(stranger), []);
    await stranger.goto(portfolio);
    await stranger.getByText('Total value').waitFor();
    await stranger.goto(file);
    const [download] = await Promise.all([
      stranger.waitForEvent('download'),
      stranger.getByRole('link', { name: 'Download PDF' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `${id}.pdf`);
    await stranger.context().close();
  });

  it('logged no errors but the ends of links, and contacted no third party', () =>
    assert.deepEqual(
      site.complaints.filter((complaint) => !EXPECTED_ERROR.test(complaint)),
      [],
    ));
});
