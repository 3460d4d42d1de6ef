// The dashboard in a real browser: sign-up to first call, then keys, batches, webhooks, and team.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, describe, it } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { needsBrowser, openSite } from './browser.ts';

const site = await openSite();

describe('the dashboard', needsBrowser, () => {
  let context: BrowserContext;

  it('takes a new user from sign-up to a first call in the log', async () => {
    const page = await site.open('/sign-up');
    context = page.context();
    await page.getByLabel('Your name').fill('Ada Example');
    await page.getByLabel('Work email').fill('ada@example.com');
    await page.getByLabel('Password').fill('nine quiet lighthouses');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('We sent a link to ada@example.com').waitFor();
    const token = /verify\?token=([\w-]+)/.exec(await site.lastLetter())![1];
    await page.goto(`${site.origin}/verify?token=${token}`);
    await page.getByRole('button', { name: 'Confirm and show keys' }).click();
    await page.getByText(/^sk_test_pb_/).waitFor();
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText(/Estimated value: \$/).waitFor();
    await page.getByRole('link', { name: 'View in request log' }).click();
    await page.getByText('POST /api/v1/avm/estimate').first().waitFor();
    await page.close();
  });

  it('creates a key, shows it once, rotates it, and revokes it', async () => {
    const page = await site.open('/dashboard/keys', { context });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('pricing job');
    await page.getByLabel('exports:write').uncheck();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const secret = (await page.locator('[data-secret]').textContent())!;
    assert.equal((await site.client.get('/markets', { key: secret })).status, 200);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(secret).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Rotate pricing job' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).last().click();
    const successor = (await page.locator('[data-secret]').textContent())!;
    assert.notEqual(successor, secret);
    assert.equal((await site.client.get('/markets', { key: secret })).status, 200);
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Revoke pricing job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Revoked').first().waitFor();
    assert.equal((await site.client.get('/markets', { key: successor })).status, 401);
    await page.close();
  });

  it('runs a batch of pasted addresses and downloads the results', async () => {
    const page = await site.open('/dashboard/batches', { context });
    await page.getByRole('button', { name: 'New batch' }).click();
    await page.getByLabel(/paste addresses/).fill(`${DEMO.address}\n1 Nowhere Street, Port Ellowby, ZZ`);
    await page.getByRole('button', { name: 'Start batch' }).click();
    await page.waitForURL('**/dashboard/batches/*');
    await page.getByText('Completed').waitFor();
    await page.getByRole('link', { name: /1208 Lantern Hill/i }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /\.csv$/);
    await page.close();
  });

  it('adds a webhook, sends a test, and shows the response', async () => {
    const heard: string[] = [];
    const receiver = createServer((request, response) => {
      heard.push(String(request.headers['webhook-signature']));
      response.end('thanks');
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    after(() => receiver.close());
    const page = await site.open('/dashboard/webhooks', { context });
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByLabel('URL').fill(`http://127.0.0.1:${(receiver.address() as { port: number }).port}/hook`);
    await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: /127\.0\.0\.1/ }).click();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('Attempt 1: 200').waitFor();
    await page.getByRole('button', { name: 'Resend', exact: true }).click();
    await page.getByText('Delivery resent').waitFor();
    assert.match(heard[0], /^v1,/);
    await page.close();
  });

  it('watches a search from the explorer', async () => {
    const page = await site.open('/dashboard/watchlists?new=1&city=Port+Ellowby&property_type=townhouse', { context });
    await page.getByLabel('Name').fill('Townhouses in port');
    await page.getByRole('button', { name: 'Create watchlist' }).click();
    await page.getByRole('cell', { name: 'Townhouses in port', exact: true }).waitFor();
    await page.close();
  });

  it('invites a colleague, who joins, and records it in the audit log', async () => {
    const page = await site.open('/dashboard/team', { context });
    await page.getByRole('button', { name: 'Invite member' }).click();
    await page.getByLabel('Email').fill('grace@example.com');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor();
    const token = /invitation\?token=([\w-]+)/.exec(await site.lastLetter())![1];
    const guest = await site.open(`/invitation?token=${token}`);
    await guest.getByLabel('Your name').fill('Grace Example');
    await guest.getByLabel('Password').fill('seven patient harbors');
    await guest.getByRole('button', { name: 'Join', exact: true }).click();
    await guest.getByRole('heading', { name: 'Welcome, Grace' }).waitFor();
    await guest.context().close();
    await page.goto(`${site.origin}/dashboard/audit`);
    await page.getByText('member.joined').waitFor();
    await page.close();
  });

  it('saves a card, chooses a plan, and downloads the invoice', async () => {
    const page = await site.open('/dashboard/billing', { context });
    await page.getByRole('button', { name: 'Add card' }).first().click();
    await page.getByRole('button', { name: 'Save card' }).click();
    await page.getByText('•••• 4242').waitFor();
    await page.getByRole('button', { name: 'Change plan' }).click();
    await page.getByText('$299.00 due now').waitFor();
    await page.getByRole('button', { name: 'Confirm change' }).click();
    await page.getByRole('heading', { name: 'Builder plan' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download PDF of PB-/ }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^PB-.*\.pdf$/);
    await page.close();
  });

  it('signs out and requires signing in again', async () => {
    const page = await site.open('/dashboard', { context });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${site.origin}/`);
    await page.goto(`${site.origin}/dashboard/keys`);
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    await page.context().close();
  });

  it('logged no errors and contacted no third party', () => assert.deepEqual(site.complaints, []));
});
