// Six people on their way through the pages, and what they meet when something is missing: the server, a key, a session, data.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { revokeKey } from '../../src/customers/accounts/accounts.ts';
import { setOperator } from '../../src/customers/people/people.ts';
import { needsBrowser, openSite } from './browser.ts';

const site = await openSite({ hasMaps: true });
let person: Awaited<ReturnType<typeof site.signUp>>;

const findHome = async (page: Page) => {
  await page.getByRole('combobox', { name: 'Search by address' }).pressSequentially('1208 lantern', { delay: 20 });
  await page.getByRole('option', { name: /1208 Lantern Hill Dr/ }).click();
};
const dollars = (text: string | null) => Number((text ?? '').replaceAll(/[^\d]/g, ''));

describe('journeys', needsBrowser, () => {
  before(async () => {
    person = await site.signUp('Ada Example', 'enterprise');
  });

  it('a newcomer looks up a home, sees what it is worth and why, and is shown the way to an account', async () => {
    const page = await site.open('/');
    await findHome(page);
    await page.waitForURL('**/p/*');
    await page.locator('.value-big').first().waitFor();
    await page.getByRole('heading', { name: 'Why this value' }).waitFor();
    await page.getByRole('link', { name: 'Sign up free' }).first().click();
    await page.getByRole('heading', { name: 'Create your account' }).waitFor();
    await page.context().close();
  });

  it('an underwriter weighs a value: what if, comparables, the market around, title', async () => {
    const page = await site.open('/explore', { person });
    await findHome(page);
    await page.getByRole('link', { name: 'Value, comparables, and records' }).click();
    const value = page.locator('.value-big').first();
    await value.waitFor();
    const before = dollars(await value.textContent());
    await page.getByRole('spinbutton', { name: 'Living area (sqft)' }).fill('3000');
    await page.locator('.value-big').nth(1).getByText(/^\$/).waitFor();
    await page.waitForFunction((known) => {
      const shown = (globalThis as any).document.querySelectorAll('.value-big')[1]?.textContent ?? '';
      return Number(shown.replaceAll(/[^\d]/g, '')) > known;
    }, before);
    await page.getByRole('heading', { name: 'Median price by quarter' }).waitFor();
    assert.ok((await page.locator('section:has(> h3:text("Price index")) svg.chart').count()) === 1);
    await page.getByRole('heading', { name: 'Title', exact: true }).waitFor();
    await page.context().close();
  });

  it('an analyst goes from a filter on the map to the figures of its area and takes them along', async () => {
    const page = await site.open('/explore?zip=00103', { person });
    await page.getByText('ZIP code: 00103').waitFor();
    await page.getByRole('link', { name: 'Area figures' }).click();
    await page.getByRole('heading', { level: 1, name: 'ZIP 00103' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).first().click(),
    ]);
    assert.match(download.suggestedFilename(), /00103.*\.csv$/);
    await page.context().close();
  });

  it('a developer runs a snippet with their own key and finds it in the log, in full', async () => {
    const made = await person.send('POST', '/api/v1/keys', { name: 'docs' }, { 'x-platbook-mode': 'test' });
    const page = await site.open('/docs', { person });
    const snippet = page.locator('.panel[data-request]').nth(1);
    await snippet.getByText('200 · from the sandbox').waitFor();
    await snippet.getByLabel('Your test key').fill(made.body.secret);
    await snippet.getByLabel('Your test key').press('Enter');
    await snippet.getByRole('button', { name: 'Run' }).click();
    await snippet.getByText(/200 · \d+ ms/).waitFor();
    await page.evaluate('sessionStorage.clear()');
    await page.goto(`${site.origin}/dashboard/requests`);
    await page.getByRole('button', { name: 'POST /api/v1/avm/estimate' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing. Sandbox calls are free.').waitFor();
    await dialog.getByRole('region', { name: 'Request body' }).getByText('1208 Lantern Hill').waitFor();
    await dialog.getByRole('region', { name: 'Response body' }).getByText('"estimated_value"').waitFor();
    assert.ok(!(await dialog.textContent())!.includes(made.body.secret), 'the key is shown');
    await page.context().close();
  });

  it('a team owner sees who belongs to the account, what it spent, and what was done', async () => {
    const page = await site.open('/dashboard/team', { person });
    await page.getByRole('cell', { name: /Ada Example/ }).waitFor();
    const go = (name: string) =>
      page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name, exact: true }).click();
    await go('Usage');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await go('Audit log');
    await page.getByText('account.created').waitFor();
    await go('Billing');
    await page.getByRole('heading', { name: 'Enterprise plan' }).waitFor();
    await page.context().close();
  });

  it('an operator finds the counties of the service, which nobody else does', async () => {
    const page = await site.open('/dashboard', { person });
    const counties = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Counties' });
    await page.getByRole('heading', { name: 'Welcome, Ada' }).waitFor();
    assert.equal(await counties.count(), 0);
    await setOperator(site.client.deps, 'ada.example@example.com', true);
    await page.reload();
    await counties.click();
    await page.getByRole('button', { name: 'New county' }).first().waitFor();
    await page.context().close();
  });

  it('logged no errors and contacted no third party', () => assert.deepEqual(site.complaints, []));
});

describe('when something is missing', needsBrowser, () => {
  it('a server that is away is said to be, and tried again', async () => {
    const page = await site.open('/coverage', { key: site.client.testKey });
    await page.getByRole('heading', { level: 1, name: 'Coverage' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Accuracy' }).first().click();
    await page.getByText('We couldn’t reach the server').first().waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('heading', { name: 'Calibration' }).first().waitFor();
    await page.context().close();
  });

  it('a key that has ended leads back to signing in', async () => {
    const made = await site.client.post('/keys', { name: 'short' });
    const page = await site.open('/dashboard/usage', { key: made.body.secret });
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await revokeKey(site.client.deps, { accountId: site.client.accountId, id: made.body.id });
    await page.reload();
    await page.getByRole('button', { name: 'Sign in again' }).first().click();
    await page.getByRole('heading', { name: 'Sign in' }).first().waitFor();
    await page.context().close();
  });

  it('a session that has ended leads back to signing in, on whatever page', async () => {
    const other = await site.signUp('Grace Example');
    const page = await site.open('/dashboard/keys', { person: other });
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await other.send('POST', '/session/sign-out');
    await page.goto(`${site.origin}/dashboard/usage`);
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    await page.context().close();
  });

  it('live mode without a loaded market, and a search without matches, say so', async () => {
    const page = await site.open('/areas', { key: site.client.liveKey });
    await page.getByText('No markets loaded yet').waitFor();
    await page.goto(`${site.origin}/coverage`);
    await page
      .getByText(/No markets/)
      .first()
      .waitFor();
    await page.context().close();
    const empty = await site.open('/explore?min_value=900000000', { key: site.client.testKey });
    await empty.getByText('No matches').waitFor();
    await empty.goto(`${site.origin}/no-such-page`);
    await empty.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor({ state: 'attached' });
    await empty.context().close();
  });
});
