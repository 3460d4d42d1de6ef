// `npx platbook screenshots [folder] [--of <url> --key <key>] [path …]`: every page at three widths, light and dark, as
// PNGs with a contact sheet. Serves a sandbox of its own, or visits a server that is running, such as one with a real
// place loaded. Review these before finishing a change of the pages.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { getAccount, updateAccount } from '../src/customers/accounts/accounts.ts';
import { buildApp } from '../src/app.ts';
import { buildWeb } from '../src/operate/build-web.ts';
import { readConfig } from '../src/base/config.ts';
import { open } from '../src/operate/open.ts';
import { prepareSandbox } from '../src/operate/prepare-sandbox.ts';
import { DEMO } from '../src/supply/sandbox/fixtures.ts';
import { startWorker } from '../src/worker.ts';
import { PAGE_PATHS } from '../web/src/page-paths.ts';
import { NO_MAPS, prepareChromium, SOFTWARE_MAPS } from './chromium.ts';
import { makeOneOfEverything } from './one-of-everything.ts';
import { openBrowser, type Browser as SignedIn } from './people.ts';
import { TEST_PROPERTIES } from './template.ts';

const WIDTHS = { 390: 844, 1280: 860, 1920: 1080 } as const;
/** `print` emulates printing from dark mode. */
const COLORS = ['light', 'dark', 'print'] as const;
const PRINTED = /^\/(explore|areas|p\/)/;
/** Pages with a map; all others render much faster without GPU emulation. */
const MAPPED = /^\/($|explore|areas|p\/)/;
/** Taller pages are cropped. */
const TALLEST_PX = 6_000;
const WAIT_MS = 60_000;
const DOCS = ['', '/sandbox', '/valuation', '/errors', '/errors/rate_limited', '/changelog', '/python', '/reference'];
const FOR_ANYONE = [
  ...PAGE_PATHS.filter((path) => !path.includes(':') && path !== '/dashboard'),
  `/p/${DEMO.property_id}`,
  '/p/prop_nowhere',
  '/no-such-page',
  '/dashboard',
  '/status',
  ...DOCS.map((path) => `/docs${path}`),
];
const EMAIL = 'ada.example@example.com';

interface Visit {
  origin: string;
  /** The visitors and their pages. */
  rounds: { as: string; key?: string | undefined; person?: SignedIn; paths: string[] }[];
  close(): Promise<void>;
}

interface Shot {
  file: string;
  path: string;
  as: string;
  width: string;
  colors: string;
}

async function takeScreenshots(args: string[]): Promise<void> {
  const options = { of: { type: 'string' }, key: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [folder = 'dist/screenshots', ...only] = positionals;
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'platbook-screenshots-'));
  const executablePath = prepareChromium(join(scratch, 'chromium'));
  if (!executablePath) throw new Error('No Chromium is installed, and npm has none for this machine.');
  const visit = values.of ? visitServer(values.of, values.key, only) : await serveSandbox(scratch, only);
  const launch = (flags: string[]) => chromium.launch({ executablePath, args: ['--no-sandbox', ...flags] });
  const mapping = await launch(SOFTWARE_MAPS);
  const browser = await launch(NO_MAPS);
  try {
    const shots: Shot[] = [];
    for (const [width, height] of Object.entries(WIDTHS)) {
      for (const round of visit.rounds) {
        const screen = { width: Number(width), height };
        const contexts = await Promise.all(
          [browser, mapping].map((each) => openContext(each, visit.origin, screen, round)),
        );
        for (const path of round.paths) {
          const context = contexts[Number(MAPPED.test(path))];
          shots.push(...(await shoot(context, { url: visit.origin + path, path, as: round.as, width, folder })));
        }
        for (const context of contexts) await context.close();
      }
    }
    writeFileSync(
      join(folder, 'index.html'),
      contactSheet(shots, ({ file }) => file),
    );
    for (const width of Object.keys(WIDTHS)) {
      for (const colors of COLORS) await montage(browser, folder, { width, colors }, shots);
    }
    console.log(`${shots.length} screenshots: ${resolve(folder, 'index.html')}`);
  } finally {
    for (const each of [browser, mapping]) await each.close();
    await visit.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function visitServer(of: string, key: string | undefined, only: string[]): Visit {
  const paths = only.length > 0 ? only : FOR_ANYONE;
  return { origin: new URL(of).origin, rounds: [{ as: key ? 'key' : 'guest', key, paths }], close: async () => {} };
}

async function serveSandbox(home: string, only: string[]): Promise<Visit> {
  const port = await findFreePort();
  const config = readConfig({
    PLATBOOK_HOME: home,
    LOG_LEVEL: 'silent',
    PORT: String(port),
    WEBHOOK_ALLOW_PRIVATE: 'loopback',
  });
  const { deps, close } = await open(config);
  await prepareSandbox(deps, undefined, TEST_PROPERTIES);
  await buildWeb();
  const { app } = await buildApp(deps);
  const origin = await app.listen({ port, host: '127.0.0.1' });
  const worker = await startWorker(deps, origin);
  const person = openBrowser(app);
  await person.send('POST', '/session/sign-up', {
    name: 'Ada Example',
    email: EMAIL,
    password: 'nine quiet lighthouses',
  });
  await deps.background.settle();
  const letters = join(home, 'mail');
  const letter = readFileSync(join(letters, readdirSync(letters).sort().at(-1)!), 'utf8').replaceAll('=\r\n', '');
  const token = /verify\?token=(?:3D)?([\w-]+)/.exec(letter.replaceAll('=3D', '='))![1];
  const { body } = await person.send('POST', '/session/verify', { token });
  const account = await getAccount(deps, body.account.id);
  await updateAccount(deps.control, { ...account, plan: 'enterprise' });
  const own = await makeOneOfEverything(deps, person, EMAIL);
  const wanted = (paths: string[]) =>
    only.length > 0
      ? paths.filter((path) => only.some((word) => path === word || (word !== '/' && path.startsWith(word))))
      : paths;
  return {
    origin,
    rounds: [
      { as: 'guest', paths: wanted(FOR_ANYONE) },
      { as: 'person', person, paths: wanted(own.filter((path) => path.startsWith('/dashboard'))) },
    ],
    close: async () => {
      await worker.stop();
      await app.close();
      await close();
    },
  };
}

/** The docs show their own URL, so the port must be known before serving. */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function openContext(
  browser: Browser,
  origin: string,
  viewport: { width: number; height: number },
  { key, person }: Visit['rounds'][number],
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport, colorScheme: 'light' });
  if (person) {
    const [name, value] = person.cookie!.split('=');
    await context.addCookies([{ name, value, url: origin }]);
    await context.addInitScript(() => localStorage.setItem('platbook.signed-in', 'yes'));
  }
  if (key) await context.addInitScript((secret) => sessionStorage.setItem('platbook.key', secret), key);
  return context;
}

interface Wanted {
  url: string;
  path: string;
  as: string;
  width: string;
  folder: string;
}

async function shoot(context: BrowserContext, { url, path, as, width, folder }: Wanted): Promise<Shot[]> {
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  page.on('pageerror', (error) => console.error(`${path}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${path}: ${message.text()}`);
  });
  const shots: Shot[] = [];
  try {
    await page.goto(url);
    for (const colors of COLORS.filter((each) => each !== 'print' || PRINTED.test(path))) {
      await page.emulateMedia(colors === 'print' ? { media: 'print', colorScheme: 'dark' } : { colorScheme: colors });
      await settle(page);
      const name = path === '/' ? 'home' : path.slice(1).replaceAll(/[^\w-]+/g, '-');
      const file = `${width}-${colors}-${as}-${name.slice(0, 80)}.png`;
      const height = Math.min(TALLEST_PX, await page.evaluate<number>('document.documentElement.scrollHeight'));
      const clip = { x: 0, y: 0, width: Number(width), height };
      await page.screenshot({ path: join(folder, file), fullPage: true, clip, timeout: WAIT_MS });
      shots.push({ file, path, as, width, colors });
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (overflow > 0 && colors !== 'print')
        console.error(`${path} is ${overflow}px wider than a screen of ${width}px`);
    }
  } catch (error) {
    console.error(`${path}, ${width} px: ${(error as Error).message}`);
  } finally {
    await page.close();
  }
  return shots;
}

/** Waits until everything is loaded and drawn: no skeletons, no loading map, no finite animation. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('h1').first().waitFor({ state: 'attached' });
  for (const unfinished of ['.skeleton', '.map-loading'])
    await page.locator(unfinished).first().waitFor({ state: 'detached' });
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getTiming().iterations !== Infinity).map(({ finished }) => finished))`);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

function contactSheet(shots: Shot[], sourceOf: (shot: Shot) => string): string {
  const figures = shots.map((shot) => {
    const { file, path, as, width, colors } = shot;
    return `<figure><a href="${file}"><img loading="lazy" src="${sourceOf(shot)}" alt=""></a>
<figcaption>${path} <small>${as}, ${width}, ${colors}</small></figcaption></figure>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Every page</title><style>
body { margin: 16px; background: #777; font: 13px sans-serif; display: grid; gap: 14px; grid-template-columns: repeat(auto-fill, 300px) }
figure { margin: 0; background: #fff } img { display: block; width: 300px; height: 400px; object-fit: cover; object-position: top }
figcaption { padding: 5px 8px; overflow-wrap: anywhere } small { color: #666 }
</style>${figures.join('\n')}`;
}

/** The pages of one width and color in one picture. */
async function montage(
  browser: Browser,
  folder: string,
  { width, colors }: { width: string; colors: string },
  shots: Shot[],
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  const shown = shots.filter((shot) => shot.width === width && shot.colors === colors);
  const dataOf = ({ file }: Shot) => `data:image/png;base64,${readFileSync(join(folder, file)).toString('base64')}`;
  await page.setContent(contactSheet(shown, dataOf).replaceAll('loading="lazy"', ''), { waitUntil: 'load' });
  await page.screenshot({ path: join(folder, `montage-${width}-${colors}.png`), fullPage: true });
  await page.close();
}

await takeScreenshots(process.argv.slice(2));
