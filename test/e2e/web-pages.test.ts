// Every page: accessible in light, dark, and phone layouts, under a strict CSP, within its size budget.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { WEB_FOLDER } from '../../src/operate/build-web.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { PAGE_PATHS, SECTIONS } from '../../web/src/page-paths.ts';
import { makeOneOfEverything } from '../one-of-everything.ts';
import { findBarriers, needsBrowser, openSite } from './browser.ts';

/** Maps are looked at by the tests of the pages that have one. */
const site = await openSite();
const FIRST_LOAD_BYTES = 150 * 1024;
const EXPLORER_BYTES = 600 * 1024;
const PLAIN = PAGE_PATHS.filter((path) => !path.includes(':'));
const FOR_ANYONE = PLAIN.filter((path) => path !== '/dashboard');
/** Pages that require a signed-in user; filled in once that user exists. */
let forPerson: string[] = [];
let person: Awaited<ReturnType<typeof site.signUp>>;

async function settle(): Promise<void> {
  person = await site.signUp('Ada Example', 'enterprise');
  forPerson = await makeOneOfEverything(site.client.deps, person, 'ada.example@example.com');
}

/** Colors fade from one theme to the other; what pulses forever is not waited for. */
const SETTLE_COLORS = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getTiming().iterations !== Infinity).map(({ finished }) => finished))`;

/** A phone has the colors of other screens, and looking at them is most of the work. */
const COLORS_LEFT_OUT = { 'color-contrast': { enabled: false } };

/** Looks at every frame; a locator looks every half second. */
const UNTIL_SHOWN = `new Promise((shown) => {
  const look = () =>
    document.querySelector('h1') && !document.querySelector('.skeleton') ? shown() : requestAnimationFrame(look);
  look();
})`;

type Finder = (page: Page) => Promise<string[]>;

/** Visits every page of the app in one layout and collects its problems. */
async function walk(options: { isPhone?: boolean }, find: Finder): Promise<string[]> {
  const found: string[] = [];
  for (const [paths, who] of [
    [[...FOR_ANYONE, `/p/${DEMO.property_id}`], {}],
    [['/dashboard/billing', '/dashboard/nothing-here'], { key: site.client.testKey }],
    [forPerson, { person }],
  ] as const) {
    const page = await site.open('/', { ...options, ...who });
    for (const path of paths) {
      await visit(page, path);
      found.push(...(await find(page)).map((what) => `${path} ${what}`));
    }
    await page.context().close();
  }
  return found;
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(site.origin + path);
  await page.evaluate(UNTIL_SHOWN);
}

describe('every page', needsBrowser, () => {
  before(settle);

  it('is listed: the server answers each path, and the dashboard has no other sections', async () => {
    for (const path of [...FOR_ANYONE, ...forPerson])
      assert.equal((await site.client.get(`/${path}`, { key: null })).status, 200, path);
    const page = await site.open('/dashboard', { person });
    const links = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link');
    await links.first().waitFor();
    const shown = await links.evaluateAll((elements) => elements.map((element) => element.getAttribute('href')!));
    assert.deepEqual(
      shown.sort(),
      SECTIONS.map((id) => (id === 'overview' ? '/dashboard' : `/dashboard/${id}`)).sort(),
    );
    await page.context().close();
  });

  it('has no serious accessibility violation, and enough contrast in the dark theme', async () => {
    const find: Finder = async (page) => {
      const light = await findBarriers(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.evaluate(SETTLE_COLORS);
      const dark = await findBarriers(page, { runOnly: ['color-contrast'] });
      await page.emulateMedia({ colorScheme: 'light' });
      return [...light, ...dark.map((barrier) => `in the dark: ${barrier}`)];
    };
    assert.deepEqual(await walk({}, find), []);
  });

  it('fits a phone without accessibility violations', async () => {
    const find: Finder = async (page) => {
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      return [
        ...(await findBarriers(page, { rules: COLORS_LEFT_OUT })),
        ...(overflow > 0 ? [`is ${overflow}px wider than the screen`] : []),
      ];
    };
    assert.deepEqual(await walk({ isPhone: true }, find), []);
  });

  it('says so where the browser cannot draw a map, and lists homes all the same', async () => {
    const page = await site.open('/explore', { key: site.client.testKey });
    await page.getByText('This browser cannot draw the map').waitFor();
    await page.locator('.explore-list .results li').first().waitFor();
    await page.context().close();
  });

  it('offers to skip to the content on the first Tab', async () => {
    const page = await site.open('/coverage', { key: site.client.testKey });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate<string>('document.activeElement.textContent.trim()'), 'Skip to content');
    await page.context().close();
  });

  it('runs under a CSP without inline code or other hosts', async () => {
    const answer = await site.client.get('//', { key: null });
    const policy = String(answer.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe-|https?:|\*/);
    assert.doesNotMatch(answer.text, /<script(?![^>]*\bsrc=)/);
    assert.equal((await site.client.get('//no-such-page', { key: null })).status, 404);
  });

  it('lets browsers cache assets for a year, but not the page itself', async () => {
    const page = await site.client.get('//', { key: null });
    const [, asset] = /src="(\/assets\/[^"]+)"/.exec(page.text)!;
    assert.equal(page.headers['cache-control'], 'no-cache');
    assert.match(String((await site.client.get(`/${asset}`, { key: null })).headers['cache-control']), /immutable/);
  });

  it('logged no errors and contacted no third party', () => assert.deepEqual(site.complaints, []));
});

describe('web app bundles', needsBrowser, () => {
  it('keep the dashboard under 150 kB and the explorer under 600 kB by loading the map only where it is shown', () => {
    const assets = readdirSync(join(WEB_FOLDER, 'assets'));
    const textOf = (name: string) => readFileSync(join(WEB_FOLDER, 'assets', name), 'utf8');
    const index = readFileSync(join(WEB_FOLDER, 'index.html'), 'utf8');
    /** With what each imports from the start; what it imports later is loaded where it is needed. */
    const withImports = (names: string[]): Set<string> => {
      const all = new Set(names);
      for (const name of all)
        for (const [, next] of textOf(name).matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) all.add(next);
      return all;
    };
    const bytesOf = (names: Iterable<string>) =>
      [...names].reduce((sum, name) => sum + gzipSync(textOf(name)).length, 0);
    const entry = [...index.matchAll(/assets\/([\w.-]+\.(?:js|css))/g)].map(([, name]) => name);
    const chunk = (name: string) => assets.find((each) => each.startsWith(`${name}-`) && each.endsWith('.js'))!;
    const dashboard = withImports([...entry, chunk('dashboard')]);
    assert.ok(bytesOf(dashboard) <= FIRST_LOAD_BYTES, `${[...dashboard].join(', ')}: ${bytesOf(dashboard)} bytes`);
    const ofMap = assets.filter((name) => name.startsWith('maplibre') || name.endsWith('.css'));
    const explorer = withImports([...entry, chunk('explore'), ...ofMap]);
    assert.ok(bytesOf(explorer) <= EXPLORER_BYTES, `${[...explorer].join(', ')}: ${bytesOf(explorer)} bytes`);
    assert.doesNotMatch(index, /maplibre|map-/);
  });
});
