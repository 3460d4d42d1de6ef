// Account pages in a real browser, signed in: a card through Stripe's form, exports, redelivery, two-factor authentication.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, describe, it } from 'node:test';
import jsqr from 'jsqr';
import type { Locator, Page } from 'playwright-core';
import { stepAt, totpAt } from '../../src/customers/people/totp.ts';
import { startStripe } from '../stripe.ts';
import { CHROMIUM, needsBrowser, openSite, PASSWORD } from './browser.ts';

const stripe = CHROMIUM ? await startStripe() : (undefined as never);
const site = await openSite({
  settings: {
    STRIPE_SECRET_KEY: stripe?.secretKey,
    STRIPE_PUBLISHABLE_KEY: 'pk_for_tests',
    STRIPE_WEBHOOK_SECRET: stripe?.webhookSecret,
    STRIPE_API_URL: stripe?.url,
  },
});

/** Replaces Stripe.js, which tests must not load: mounts one field and confirms against the local Stripe double. */
const STRIPE_JS = `window.Stripe = (key) => ({
  elements: () => ({ create: () => ({
    mount: (place) => { place.innerHTML = '<label>Card number <input id="card-number"></label>'; },
    destroy: () => {},
  }) }),
  confirmCardSetup: (secret) => window.enterCard(key, secret, document.getElementById('card-number').value),
});`;

async function serveStripeJs(page: Page): Promise<void> {
  await page.context().exposeFunction('enterCard', (key: string, secret: string, number: string) => {
    assert.equal(key, 'pk_for_tests');
    if (number !== '4242 4242 4242 4242') return { error: { message: 'Your card number is invalid.' } };
    return { setupIntent: { id: stripe.enterCard(secret, { fingerprint: 'fp_browser' }) } };
  });
  await page
    .context()
    .route('https://js.stripe.com/**', (route) => route.fulfill({ contentType: 'text/javascript', body: STRIPE_JS }));
}

/** What a phone camera would read. */
async function scan(page: Page, place: Locator): Promise<string> {
  const png = (await place.screenshot()).toString('base64');
  const { data, width, height } = await page.evaluate(async (text) => {
    const { createImageBitmap, OffscreenCanvas } = globalThis as any;
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const pixels = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return { data: [...pixels.data], width: bitmap.width, height: bitmap.height };
  }, png);
  return jsqr.default(Uint8ClampedArray.from(data), width, height)?.data ?? 'nothing';
}

describe('the account, signed in', needsBrowser, () => {
  it('saves a card through Stripe’s form after a declined one, and pays for a plan with it', async () => {
    const person = await site.signUp('Carla Example');
    const page = await site.open('/pricing', { person });
    await serveStripeJs(page);
    await page.getByRole('link', { name: 'Choose Builder' }).click();
    await page.getByRole('button', { name: 'Add card' }).first().click();
    await page.getByLabel('Card number').fill('1111');
    await page.getByRole('button', { name: 'Save card' }).click();
    await page.getByText('Your card number is invalid.').waitFor();
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await page.getByRole('button', { name: 'Save card' }).click();
    await page.getByText('•••• 4242').waitFor();
    await page.getByRole('button', { name: 'Change plan' }).click();
    await page.getByText('$299.00 due now').waitFor();
    await page.getByRole('button', { name: 'Confirm change' }).click();
    await page.getByRole('heading', { name: 'Builder plan' }).waitFor();
    assert.deepEqual(
      stripe.taken.map(({ amount }) => amount),
      [29_900],
    );
    await page.getByRole('cell', { name: /paid/i }).first().waitFor();
    await page.goto(`${site.origin}/dashboard/audit`);
    await page.getByText('billing.card_added').waitFor();
    await page.context().close();
  });

  it('creates an export, sees it delivered, and downloads what the manifest lists', async () => {
    const person = await site.signUp('Erin Example', 'enterprise');
    const page = await site.open('/dashboard/exports', { person });
    await page.getByRole('button', { name: 'New export' }).first().click();
    await page.getByLabel('Name').fill('Everything, weekly');
    await page.getByLabel('Dataset').selectOption('risk');
    await page.getByLabel('Format').selectOption('csv');
    await page.getByLabel('Schedule').selectOption('weekly');
    await page.getByRole('button', { name: 'Create export' }).click();
    await page.getByRole('heading', { name: 'Everything, weekly' }).waitFor();
    await page.getByText('Delivered').waitFor();
    const rows = await page.getByRole('region', { name: 'Runs' }).locator('tbody td').nth(1).textContent();
    await page.getByRole('button', { name: 'Files' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download part-00000/ }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    assert.equal(lines.length - 1, Number(rows!.replaceAll(',', '')));
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Confirm delete' }).click();
    await page.getByText('No exports yet').waitFor();
    await page.context().close();
  });

  it('shows why a delivery failed and resends it', async () => {
    let isWell = false;
    const receiver = createServer((_request, response) => {
      response.statusCode = isWell ? 200 : 500;
      response.end(isWell ? 'thanks' : 'the database is away');
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    after(() => receiver.close());
    const person = await site.signUp('Wanda Example', 'builder');
    const { body: webhook } = await person.send(
      'POST',
      '/api/v1/webhooks',
      { url: `http://127.0.0.1:${(receiver.address() as { port: number }).port}/`, events: ['*'] },
      { 'x-platbook-mode': 'test' },
    );
    const page = await site.open(`/dashboard/webhooks/${webhook.id}`, { person });
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('Attempt 1: 500').waitFor();
    await page.getByText('the database is away').waitFor();
    isWell = true;
    await page.getByRole('button', { name: 'Resend', exact: true }).click();
    await page.getByText('Delivery resent').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Refresh' }).click();
    // The first delivery may have been retried and succeeded in the meantime.
    await page.getByText('succeeded').first().waitFor();
    await page.context().close();
  });

  it('turns on two-factor authentication and signs in with a recovery code', async () => {
    const person = await site.signUp('Fay Example');
    const page = await site.open('/dashboard/security', { person });
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Two-factor authentication' }) });
    await card.getByLabel('Password').fill(PASSWORD);
    await card.getByRole('button', { name: 'Set up' }).click();
    const secret = (await card.locator('pre').textContent())!;
    assert.match(
      await scan(page, card.getByRole('img', { name: 'QR code for your authenticator app' })),
      new RegExp(`^otpauth://totp/.*secret=${secret}&`),
    );
    await card.getByLabel('Six-digit code').fill(totpAt(secret, stepAt(new Date())));
    await card.getByRole('button', { name: 'Confirm' }).click();
    await card.getByText('Save these recovery codes').waitFor();
    const [recovery] = (await card.locator('pre').textContent())!.split('\n');
    // A call that is under way when the session ends would be answered with 401.
    await page.waitForLoadState('networkidle');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${site.origin}/sign-in`);
    await page.getByLabel('Email').fill('fay.example@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Authentication code').fill(recovery);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Welcome, Fay' }).waitFor();
    await page.goto(`${site.origin}/dashboard/audit`);
    await page.getByText('user.two_factor_enabled').waitFor();
    await page.context().close();
  });

  it('logged no errors and contacted no third party but Stripe', () => {
    const expected = [/js\.stripe\.com/, /sign-in: .*401/, /billing: .*402/];
    assert.deepEqual(
      site.complaints.filter((text) => !expected.some((pattern) => pattern.test(text))),
      [],
    );
  });
});
