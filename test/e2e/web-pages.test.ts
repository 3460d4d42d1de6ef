// Every page for everyone: without barriers in light, dark and phone width, under a strict policy, within its budget.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { WEB_FOLDER } from '../../src/build-web.ts';
import { DEMO } from '../../src/sandbox/fixtures.ts';
import { findBarriers, needsBrowser, openSite } from './browser.ts';

const FIRST_LOAD_BYTES = 250 * 1024;
const PROPERTY = `/p/${DEMO.property_id}`;
const ANYONE = ['/', '/sign-in', '/sign-up', '/verify', '/reset', '/invitation', '/pricing'];
const EXPLORER = ['/explore', PROPERTY, '/accuracy', '/coverage'];
const DASHBOARD = [
  '',
  '/start',
  '/keys',
  '/usage',
  '/requests',
  '/batches',
  '/watchlists',
  '/webhooks',
  '/agents',
  '/billing',
];
const PAGES = [...ANYONE, ...EXPLORER, ...DASHBOARD.map((section) => `/dashboard${section}`)];
const IN_THE_DARK = ['/', '/pricing', '/accuracy', PROPERTY, '/dashboard', '/dashboard/keys', '/dashboard/agents'];

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(site.origin + path);
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

const site = await openSite();

describe('every page', needsBrowser, () => {
  it('has no serious barrier for those who use it without eyes or hands', async () => {
    const page = await site.open('/', { key: site.client.testKey });
    const found: string[] = [];
    for (const path of PAGES) {
      await visit(page, path);
      found.push(...(await findBarriers(page)).map((barrier) => `${path} ${barrier}`));
    }
    await page.context().close();
    assert.deepEqual(found, []);
  });

  it('has enough contrast in the dark', async () => {
    const page = await site.open('/', { key: site.client.testKey, colors: 'dark' });
    const found: string[] = [];
    for (const path of IN_THE_DARK) {
      await visit(page, path);
      found.push(...(await findBarriers(page, ['color-contrast'])).map((barrier) => `${path} ${barrier}`));
    }
    await page.context().close();
    assert.deepEqual(found, []);
  });

  it('fits a phone', async () => {
    const page = await site.open('/', { key: site.client.testKey, isPhone: true });
    const found: string[] = [];
    for (const path of PAGES) {
      await visit(page, path);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (overflow > 0) found.push(`${path} is ${overflow}px wider than the screen`);
    }
    await page.context().close();
    assert.deepEqual(found, []);
  });

  it('can be used by keyboard: the first Tab leads to the content', async () => {
    const page = await site.open('/coverage', { key: site.client.testKey });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate<string>('document.activeElement.textContent.trim()'), 'Skip to the content');
    await page.context().close();
  });

  it('runs under a policy without inline code or foreign hosts', async () => {
    const answer = await site.client.get('//', { key: null });
    const policy = String(answer.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe-|https?:|\*/);
    assert.doesNotMatch(answer.text, /<script(?![^>]*\bsrc=)/);
    assert.equal((await site.client.get('//no-such-page', { key: null })).status, 404);
  });

  it('are kept by browsers for a year, the page itself is not', async () => {
    const page = await site.client.get('//', { key: null });
    const [, asset] = /src="(\/assets\/[^"]+)"/.exec(page.text)!;
    assert.equal(page.headers['cache-control'], 'no-cache');
    assert.match(String((await site.client.get(`/${asset}`, { key: null })).headers['cache-control']), /immutable/);
  });

  it('made no error and asked nobody else', () => assert.deepEqual(site.complaints, []));
});

describe('the files of the web app', needsBrowser, () => {
  it('load the dashboard in 250 kB without the map, which comes only where it is shown', () => {
    const assets = readdirSync(join(WEB_FOLDER, 'assets'));
    const sizeOf = (name: string) => gzipSync(readFileSync(join(WEB_FOLDER, 'assets', name))).length;
    const first = assets.filter((name) => !/^(map|maplibre|explore|property)\b/.test(name));
    const total = first.reduce((sum, name) => sum + sizeOf(name), 0);
    assert.ok(
      first.some((name) => name.startsWith('dashboard-')) && total <= FIRST_LOAD_BYTES,
      `${first.join(', ')}: ${total} bytes`,
    );
    const index = readFileSync(join(WEB_FOLDER, 'index.html'), 'utf8');
    assert.doesNotMatch(index, /maplibre|map-/);
  });
});
