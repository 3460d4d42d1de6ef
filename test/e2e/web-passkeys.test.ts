// Passkeys in a real browser with a virtual authenticator: added on the security page, then used to sign in.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findFreePort } from '../free-port.ts';
import { CHROMIUM, needsBrowser, openSite, PASSWORD } from './browser.ts';

// Passkeys are bound to BASE_URL.
const port = CHROMIUM ? await findFreePort() : 0;
const origin = `http://localhost:${port}`;
const site = await openSite({ settings: { PORT: String(port), BASE_URL: origin } });

describe('passkeys', needsBrowser, () => {
  it('are added with the password, and sign in with one click', async () => {
    await site.signUp('Pia Example');
    const page = await site.open('/sign-in');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    await page.goto(`${origin}/sign-in`);
    await page.getByLabel('Email').fill('pia.example@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Welcome, Pia' }).waitFor();

    await page.goto(`${origin}/dashboard/security`);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rename Laptop' }).click();
    await dialog.getByLabel('Name').fill('Work laptop');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Work laptop', exact: true }).waitFor();

    await page.context().clearCookies();
    await page.goto(`${origin}/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Welcome, Pia' }).waitFor();
    const session = (await (await page.request.get(`${origin}/session`)).json()) as { method: string };
    assert.equal(session.method, 'passkey');
    await page.context().close();
  });
});
