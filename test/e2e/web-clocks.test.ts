// A test clock on the dashboard: made, advanced past the end of a month, its invoices seen, deleted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findBarriers, needsBrowser, openSite } from './browser.ts';

const site = await openSite();

describe('a test clock on the dashboard', needsBrowser, () => {
  it('shows the invoices of the months that pass', async () => {
    const person = await site.signUp('Chrono Example', 'builder');
    const page = await site.open('/dashboard/clocks', { person });
    await page.getByRole('button', { name: 'Create test clock' }).click();
    await page.getByLabel('Name').fill('First year');
    await page.getByLabel('Begins on').fill('2026-01-31');
    await page.getByRole('button', { name: 'Create clock' }).click();
    const dialog = page.getByRole('dialog', { name: 'First year is ready' });
    assert.match((await dialog.locator('code').textContent())!, /^sk_test_pb_/);
    assert.deepEqual(await findBarriers(page), []);
    await dialog.getByRole('button', { name: 'Close' }).click();
    const invoices = page.getByRole('table', { name: 'Invoices of First year' });
    await invoices.getByText('$299.00').waitFor();
    await page.getByRole('button', { name: 'Advance First year by a month' }).click();
    await page.getByText('Mar 31, 2026').first().waitFor();
    assert.equal(await invoices.getByRole('row').count(), 3, 'the head, the start and one renewal');
    assert.deepEqual(await findBarriers(page), []);
    const { CLOCKS_SHOT: file } = process.env;
    if (file) await page.screenshot({ path: file, fullPage: true });
    await page.getByRole('button', { name: 'Delete First year' }).click();
    await page.getByRole('button', { name: 'Confirm delete' }).click();
    await page.getByRole('heading', { name: 'No test clocks yet' }).waitFor();
    await page.context().close();
  });
});
