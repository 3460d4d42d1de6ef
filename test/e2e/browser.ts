// What browser tests stand on: the real app on a port, with its worker, and a Chromium (see ../chromium.ts) that records
// every console error and every request that leaves this machine.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { buildWeb } from '../../src/operate/build-web.ts';
import { getAccount, updateAccount } from '../../src/customers/accounts/accounts.ts';
import type { PlanId } from '../../src/customers/accounts/plans.ts';
import { startWorker } from '../../src/worker.ts';
import { NO_MAPS, SOFTWARE_MAPS } from '../chromium.ts';
import { testClient, type TestClient } from '../harness.ts';
import { openBrowser, type Browser as SignedIn } from '../people.ts';

/** Chosen or unpacked by test/run.ts. */
export const CHROMIUM = process.env.PLATBOOK_TEST_CHROMIUM || undefined;
/** For `describe`: skipped, and reported so, only where no Chromium is installed and npm has none for the machine. */
export const needsBrowser = {
  skip: CHROMIUM ? false : `no Chromium is installed, and npm has none for ${process.platform} on ${process.arch}`,
  concurrency: false,
};

/** Generous: the cores may be busy with other work, and a wait that ends early costs nothing. */
export const WAIT_MS = 180_000;

/** Every pixel of a map is drawn by the CPU. */
const SMALL_SCREEN = { width: 1024, height: 640 };

export interface Site {
  client: TestClient;
  origin: string;
  home: string;
  /** What went wrong in any page opened so far. */
  complaints: string[];
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** The newest email in the outbox, once everything under way has been sent. */
  lastLetter(): Promise<string>;
  /** Somebody with an account of their own, who has confirmed their email. */
  signUp(name: string, plan?: PlanId): Promise<SignedIn>;
}

interface SiteOptions {
  settings?: Record<string, string>;
  /** Whether the browser draws maps, without a graphics card: only tests about maps pay for that. */
  hasMaps?: boolean;
}

export const PASSWORD = 'nine quiet lighthouses';

export interface OpenOptions {
  /** A key or a person to arrive as; without either, the visitor is unknown. */
  key?: string;
  person?: SignedIn;
  colors?: 'light' | 'dark';
  isPhone?: boolean;
  context?: BrowserContext;
}

/** At the top of a test file, so that it lives as long as the file does. */
export async function openSite({ settings = {}, hasMaps = false }: SiteOptions = {}): Promise<Site> {
  if (!CHROMIUM) return undefined as never;
  await buildWeb();
  const home = mkdtempSync(join(tmpdir(), 'platbook-web-'));
  const client = await testClient({
    settings: { PLATBOOK_HOME: home, WEBHOOK_ALLOW_PRIVATE: 'loopback', ...settings },
  });
  await client.app.listen({ port: Number(settings.PORT ?? 0), host: '127.0.0.1' });
  const origin = `http://127.0.0.1:${(client.app.server.address() as { port: number }).port}`;
  const worker = await startWorker(client.deps);
  const browser = await launch(hasMaps);
  client.deps.beforeClose(async () => {
    await browser.close();
    await worker.stop();
  });
  after(() => rmSync(home, { recursive: true, force: true }));
  const complaints: string[] = [];

  async function open(
    path: string,
    { key, person, colors = 'light', isPhone = false, context }: OpenOptions = {},
  ): Promise<Page> {
    const place =
      context ??
      (await browser.newContext({
        viewport: isPhone ? { width: 390, height: 844 } : hasMaps ? SMALL_SCREEN : { width: 1280, height: 860 },
        colorScheme: colors,
        // A map in motion is drawn many times over.
        reducedMotion: 'reduce',
        acceptDownloads: true,
      }));
    if (person) {
      const [name, value] = person.cookie!.split('=');
      await place.addCookies([{ name, value, url: origin }]);
      await place.addInitScript(() => localStorage.setItem('platbook.signed-in', 'yes'));
    }
    const page = await place.newPage();
    page.setDefaultTimeout(WAIT_MS);
    listenTo(page, origin, complaints);
    if (key) await page.addInitScript((value) => sessionStorage.setItem('platbook.key', value), key);
    await page.goto(origin + path);
    return page;
  }

  async function signUp(name: string, plan?: PlanId): Promise<SignedIn> {
    const person = openBrowser(client.app);
    const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;
    await person.send('POST', '/session/sign-up', { name, email, password: PASSWORD });
    const token = /verify\?token=([\w-]+)/.exec(readLastLetter(home))![1];
    const { body } = await person.send('POST', '/session/verify', { token });
    const account = await getAccount(client.deps, body.account.id);
    if (plan) await updateAccount(client.deps.control, { ...account, plan });
    return person;
  }

  async function lastLetter(): Promise<string> {
    await client.deps.background.settle();
    return readLastLetter(home);
  }

  return { client, origin, home, complaints, open, signUp, lastLetter };
}

export function launch(hasMaps = false): Promise<Browser> {
  const drawing = hasMaps ? SOFTWARE_MAPS : NO_MAPS;
  // Root may not use the sandbox.
  return chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox', ...drawing], timeout: WAIT_MS });
}

function listenTo(page: Page, origin: string, complaints: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${new URL(page.url()).pathname}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${new URL(page.url()).pathname}: ${error.message}`));
  page.on('request', (request) => {
    const isOurs = [`${origin}/`, 'data:', `blob:${origin}/`].some((start) => request.url().startsWith(start));
    if (!isOurs) complaints.push(`a request to ${request.url()}`);
  });
}

function readLastLetter(home: string): string {
  const folder = join(home, 'mail');
  const newest = readdirSync(folder).sort().at(-1)!;
  // Quoted-printable breaks long lines; links must be whole again.
  return readFileSync(join(folder, newest), 'utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
}

/** What axe finds serious or critical, in words. It is put into a page once, whatever it is then asked for. */
export async function findBarriers(page: Page, rules: Pick<RunOptions, 'runOnly' | 'rules'> = {}): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source);
  const options: RunOptions = { resultTypes: ['violations'], ...rules };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(' | ')}`);
}
