// Frame times of the explorer in a real browser, with 200,000 homes within reach of the view: pan and zoom over the whole
// market, then street by street, next to a page that draws nothing and to the same map with nothing but its background.
// `npm run bench -- map [properties]`.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { buildApp } from '../src/app.ts';
import { buildWeb } from '../src/operate/build-web.ts';
import { startEmbedded } from '../src/base/db/embedded.ts';
import { CommandError } from '../src/base/lib/command-error.ts';
import { loadSandbox } from '../src/operate/prepare-sandbox.ts';
import { rollUpMarketAfter } from '../src/supply/map-aggregates/squares.ts';
import { prepareChromium, SOFTWARE_MAPS } from '../test/chromium.ts';
import { printTable } from './measure.ts';
import { openService } from './service.ts';

const PROPERTIES = 200_000;
const WAIT_MS = 300_000;

export async function run(args: string[]): Promise<void> {
  const properties = args.length > 0 ? Number(args[0]) : PROPERTIES;
  const folder = mkdtempSync(join(tmpdir(), 'platbook-bench-map-'));
  const executablePath = prepareChromium(join(folder, 'chromium'));
  if (!executablePath) throw new CommandError('No Chromium is installed, and npm has none for this machine.');
  const server = await startEmbedded(join(folder, 'home'));
  try {
    await buildWeb();
    const { origin, close } = await serve(server.url, properties);
    // Software rendering, as in the browser tests: a graphics card would only be faster.
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...SOFTWARE_MAPS] });
    try {
      const trace = join(folder, 'trace.json');
      const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
      page.setDefaultTimeout(WAIT_MS);
      const rows: [name: string, times: number[]][] = [];
      rows.push(['a page that draws nothing', await drag(page)]);
      await browser.startTracing(page, { path: trace });
      const opening = await openExplorer(page, origin);
      rows.push(['pan over the market', await drag(page)]);
      rows.push(['zoom to streets', await framesOf(page, () => zoom(page, 14))]);
      await settle(page);
      rows.push(['pan over streets', await drag(page)]);
      await browser.stopTracing();
      // What the library and the page around the map cost by themselves.
      await page.route('**/*.mvt*', (route) => route.fulfill({ body: '' }));
      const streets = page.url();
      await openEmpty(page, `${origin}/explore`);
      rows.push(['an empty map, as wide as the market', await drag(page)]);
      await openEmpty(page, streets);
      rows.push(['an empty map, as close as streets', await drag(page)]);
      printTable(
        `Frames with ${properties.toLocaleString('en')} homes`,
        ['', 'frames', 'median ms', 'p95 ms', 'worst ms'],
        rows.map(([name, times]) => [
          name,
          times.length,
          ...[0.5, 0.95, 1].map((share) => at(times, share).toFixed(1)),
        ]),
      );
      printTable(
        'The explorer opens',
        ['', 'first ms', 'again ms'],
        Object.entries(opening.first).map(([what, ms]) => [what, ms.toFixed(0), opening.again[what].toFixed(0)]),
      );
      console.log(`The browser's trace: ${trace}`);
    } finally {
      await browser.close();
      await close();
    }
  } finally {
    await server.stop();
  }
}

async function serve(url: string, properties: number) {
  const { deps, close: closeDatabase } = await openService(url);
  const { data } = deps;
  await loadSandbox(data, properties);
  // Values are not needed to measure how they are drawn; the assessor's stand in for them.
  await data.query('update properties set value = assessed_value');
  await rollUpMarketAfter(deps, 'sandbox', async () => {});
  const { app } = await buildApp(deps);
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const close = async () => {
    await app.close();
    await closeDatabase();
  };
  return { origin, close };
}

/** From the click on a link to what a reader can use: with nothing cached, then with the files and tiles of before. */
async function openExplorer(page: Page, origin: string) {
  const open = async (): Promise<Record<string, number>> => {
    await page.goto(`${origin}/explore`, { waitUntil: 'commit' });
    const since = () => page.evaluate<number>('performance.now()');
    await page.locator('.results li').first().waitFor();
    const list = await since();
    await settle(page);
    const map = await since();
    const paint = await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`);
    return { 'first paint': paint, 'homes in the list': list, 'every tile drawn': map };
  };
  return { first: await open(), again: await open() };
}

async function openEmpty(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await settle(page);
}

async function settle(page: Page): Promise<void> {
  await page.locator('.map-canvas[data-idle="true"]').waitFor();
}

const MIDDLE = { x: 860, y: 460 };
const STEPS = 100;

/** A step of the hand in every frame, made in the page itself: from here they would wait for whatever this process serves. */
async function drag(page: Page): Promise<number[]> {
  const times = await page.evaluate<number[]>(`new Promise((done) => {
    const under = document.elementFromPoint(${MIDDLE.x}, ${MIDDLE.y}) ?? document.body;
    const send = (type, step, buttons) =>
      under.dispatchEvent(new MouseEvent(type, {
        bubbles: true,
        cancelable: true,
        view: window,
        buttons,
        clientX: ${MIDDLE.x} - step * 3,
        clientY: ${MIDDLE.y} + Math.sin(step / 16) * 60,
      }));
    const times = [];
    let last = performance.now();
    send('mousedown', 0, 1);
    const tick = (now) => {
      times.push(now - last);
      last = now;
      if (times.length < ${STEPS}) {
        send('mousemove', times.length, 1);
        requestAnimationFrame(tick);
      } else {
        send('mouseup', times.length, 0);
        done(times);
      }
    };
    requestAnimationFrame(tick);
  })`);
  return times.sort((a, b) => a - b);
}

async function zoom(page: Page, notches: number): Promise<void> {
  await page.mouse.move(MIDDLE.x, MIDDLE.y);
  for (let notch = 0; notch < notches; notch++) {
    await page.mouse.wheel(0, -240);
    await page.waitForTimeout(80);
  }
}

/** Milliseconds between frames while something moves. */
async function framesOf(page: Page, move: () => Promise<void>): Promise<number[]> {
  await page.evaluate(`{
    window.frames_ = [];
    window.recording = true;
    let last = performance.now();
    const tick = (now) => {
      window.frames_.push(now - last);
      last = now;
      if (window.recording) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }`);
  await move();
  const times = await page.evaluate<number[]>('(window.recording = false, window.frames_)');
  return times.sort((a, b) => a - b);
}

const at = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
