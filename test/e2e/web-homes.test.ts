// The explorer and a home's page as far as they need no map, in a browser that draws none: every pixel of one is work.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { readPdf } from '../pdf-text.ts';
import { needsBrowser, openSite } from './browser.ts';

const site = await openSite();

describe('a home on the web', needsBrowser, () => {
  it('suggests addresses as you type and shows the property', async () => {
    const page = await site.open('/explore', { key: site.client.testKey });
    await page.getByRole('combobox', { name: 'Search by address' }).pressSequentially('1208 lantern', { delay: 20 });
    await page.getByRole('option', { name: /1208 Lantern Hill Dr/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('p') === DEMO.property_id);
    await page.getByRole('region', { name: 'Property', exact: true }).getByText('Year built').waitFor();
    await page.getByRole('link', { name: 'Value, comparables, and records' }).click();
    await page.waitForURL(`**/p/${DEMO.property_id}`);
    await page.getByRole('heading', { level: 1, name: '1208 Lantern Hill Dr' }).waitFor();
    for (const layer of ['Flood', 'Tax liens', 'Permits', 'Code violations', 'Opportunity zone']) {
      await page.getByRole('heading', { name: layer, exact: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Show sources' }).click();
    await page.getByText('Wendemere County records').first().waitFor();
    await page.context().close();
  });

  it('exports a search of more rows than a download holds, and says so to strangers', async () => {
    const person = await site.signUp('Ida Example', 'enterprise');
    const page = await site.open('/explore', { person });
    await page.getByText(/properties in view/).waitFor();
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await page.getByRole('button', { name: 'Export all' }).click();
    await page.waitForURL('**/dashboard/exports/exp_*');
    await page.context().close();
    const stranger = await site.open('/explore');
    await stranger.getByRole('button', { name: 'Download CSV' }).click();
    await stranger.getByText('Exports belong to an account.').waitFor();
    await stranger.context().close();
  });

  it('makes a lender’s file from the property page, checked against rules set on the dashboard', async () => {
    const page = await site.open('/dashboard/reports', { key: site.client.testKey });
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByLabel('Limit of rule 1, in percent').fill('10');
    await page.getByLabel('Outcome of rule 1').selectOption('decline');
    await page.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('Rules saved.').waitFor();
    const { body } = await site.client.get('/reports/rules');
    assert.deepEqual(body.rules, [{ when: 'ltv_above', limit: 0.1, outcome: 'decline' }]);
    const { origin } = new URL(page.url());
    await page.goto(`${origin}/p/${DEMO.property_id}`);
    await page.getByRole('button', { name: 'Lender’s file' }).click();
    await page.getByLabel('Loan amount').fill('400000');
    await page.getByLabel('Your reference').fill('Case 17');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Make the file' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^rep_\w+\.pdf$/);
    const text = readPdf(await readFile(await download.path())).pages.join('\n');
    assert.ok(text.includes('$400,000') && text.includes('Case 17') && text.includes('Decline'));
    await page.getByText('Outcome: Decline.').waitFor();
    await page.goto(`${origin}/dashboard/reports`);
    await page.getByRole('cell', { name: 'Case 17' }).waitFor();
    await page.context().close();
  });

  it('logged no errors and contacted no third party', () => assert.deepEqual(site.complaints, []));
});
