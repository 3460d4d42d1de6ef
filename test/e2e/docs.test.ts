// The docs as readers see them: every snippet runs, every link resolves, and the pages work in a real browser.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { listCode } from '../../src/edge/docs/markdown.ts';
import { GROUPS } from '../../src/edge/docs/pages.ts';
import { ERRORS } from '../../src/base/lib/errors.ts';
import { startWorker } from '../../src/worker.ts';
import { anchorReceipts } from '../../src/insight/quality/anchors.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { findBarriers, launch, needsBrowser, WAIT_MS } from './browser.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SLUGS = GROUPS.flatMap(([, slugs]) => slugs);
const run = promisify(execFile);

const api = await testClient();
const worker = await startWorker(api.deps);
after(() => worker.stop());
const baseUrl = await api.app.listen({ port: 0, host: '127.0.0.1' });
const folder = mkdtempSync(join(tmpdir(), 'platbook-docs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const read = async (path: string) => {
  const response = await fetch(baseUrl + path);
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
    headers: response.headers,
  };
};

const markdownOf = (slug: string) =>
  readFileSync(join(ROOT, slug === 'changelog' ? 'CHANGELOG.md' : `docs/site/${slug}.md`), 'utf8');
const runnable = (slug: string) => listCode(markdownOf(slug)).filter(({ flags }) => flags.includes('run'));

describe('pages', () => {
  it('are HTML for people and Markdown for machines', async () => {
    for (const slug of SLUGS) {
      const page = await read(slug === SLUGS[0] ? '/docs' : `/docs/${slug}`);
      assert.equal(page.status, 200, slug);
      assert.match(page.type, /text\/html/);
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /unsafe/);
      assert.doesNotMatch(page.text, /\{\{\w+\}\}/, `${slug}: a placeholder was not filled in`);
      assert.doesNotMatch(page.text, /<script>|style="/, `${slug}: inline code would be blocked`);
      const source = await read(`/docs/${slug}.md`);
      assert.match(source.type, /text\/markdown/);
      assert.match(source.text, /^# /);
    }
    assert.equal((await read('/docs/no-such-page')).status, 404);
    assert.equal((await read('/docs/no-such-page.md')).status, 404);
  });

  it('have an anchor for every error, matching its `type`', async () => {
    const { text } = await read('/docs/errors');
    for (const code of Object.keys(ERRORS)) assert.ok(text.includes(`id="${code}"`), code);
  });

  it('say of every error why it happens and what to do, where its `type` points', async () => {
    for (const code of Object.keys(ERRORS)) {
      const page = await read(`/docs/errors/${code}`);
      assert.equal(page.status, 200, code);
      assert.match(page.text, /id="why-it-happens"[\s\S]+id="what-to-do"/, code);
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.match((await read(`/docs/errors/${code}.md`)).text, new RegExp(`^# ${code}\n`));
    }
    assert.equal((await read('/docs/errors/no_such_error')).status, 404);
  });

  it('come with what the sandbox answers to their snippets, as the service answers it', async () => {
    const answersOf = async (slug: string) =>
      JSON.parse((await read(`/docs/answers/${slug}.json`)).text) as Record<string, { status: number; text: string }>;
    const quickStart = Object.entries(await answersOf('quick-start'));
    assert.ok(quickStart.length >= 3);
    for (const [asked, { status, text }] of quickStart) {
      const { method, url, headers, body } = JSON.parse(asked);
      const own = await fetch(baseUrl + url, { method, body, headers: { ...headers, 'x-api-key': api.testKey } });
      assert.equal(status, own.status, url);
      const known = JSON.parse(text);
      const { object, property_id: property, data } = (await own.json()) as Record<string, any>;
      assert.deepEqual([known.object, known.property_id, known.data?.length], [object, property, data?.length], url);
    }
    for (const code of ['address_ambiguous', 'rate_limited', 'unavailable']) {
      const [{ text }] = Object.values(await answersOf(`errors/${code}`));
      assert.equal(JSON.parse(text).code, code);
    }
    assert.equal((await read('/docs/answers/no-such-page.json')).status, 404);
  });

  it('are searched by section, operation and error, and every result exists', async () => {
    const entries = JSON.parse((await read('/docs/search.json')).text) as Record<'href' | 'title' | 'place', string>[];
    const { paths } = api.openApi() as { paths: Record<string, object> };
    for (const [path, operations] of Object.entries(paths))
      for (const method of Object.keys(operations))
        assert.ok(
          entries.some(({ title }) => title === `${method.toUpperCase()} ${path}`),
          path,
        );
    for (const code of Object.keys(ERRORS))
      assert.ok(
        entries.some(({ href }) => href === `/docs/errors/${code}`),
        code,
      );
    const texts = new Map<string, string>();
    for (const { href } of entries.filter(({ place }) => place !== 'API reference')) {
      const [path, anchor] = href.split('#');
      if (!texts.has(path)) texts.set(path, (await read(path)).text);
      if (anchor) assert.ok(texts.get(path)!.includes(`id="${anchor}"`), href);
    }
    assert.deepEqual(
      SLUGS.filter((slug) => !texts.has(slug === SLUGS[0] ? '/docs' : `/docs/${slug}`)),
      [],
    );
  });

  it('have a feed of changes, one dated entry per section of the changelog', async () => {
    const { text, type } = await read('/docs/changelog.xml');
    assert.match(type, /application\/atom\+xml/);
    const dates = [...markdownOf('changelog').matchAll(/^## (\d{4}-\d{2}-\d{2})$/gm)].map(([, date]) => date);
    assert.ok(dates.length > 0);
    const updated = [...text.matchAll(/<entry>[\s\S]*?<updated>(\d{4}-\d{2}-\d{2})T00:00:00Z<\/updated>/g)];
    assert.deepEqual(
      updated.map(([, date]) => date),
      dates,
    );
    const page = await read('/docs/changelog');
    for (const date of dates) assert.ok(page.text.includes(`id="${date}"`), date);
  });

  it('link only to existing pages', async () => {
    const seen = new Map<string, string>();
    for (const slug of SLUGS) {
      const { text } = await read(`/docs/${slug}`);
      for (const [, href] of text.matchAll(/href="([^"]+)"/g)) {
        const target = href.replaceAll('&amp;', '&');
        if (target.startsWith('#')) assert.ok(text.includes(`id="${target.slice(1)}"`), `${slug} → ${target}`);
        else if (target.startsWith('/')) seen.set(target, slug);
        else assert.match(target, /^https:\/\//);
      }
    }
    // Dashboard pages come from a separate build and may be absent.
    const own = [...seen].filter(([href]) => /^\/(docs|llms|openapi)/.test(href));
    for (const [href, from] of own) assert.equal((await read(href)).status, 200, `${from} → ${href}`);
  });

  it('are listed in llms.txt, with every route', async () => {
    const { text, type } = await read('/llms.txt');
    assert.match(type, /text\/plain/);
    for (const slug of SLUGS) assert.ok(text.includes(`/docs/${slug}.md`), slug);
    for (const path of Object.keys((api.openApi() as { paths: object }).paths)) assert.ok(text.includes(path), path);
  });
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe('snippets', () => {
  before(async () => {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(ROOT, 'sdk') });
    const target = join(folder, 'node_modules', '@platbook', 'sdk');
    mkdirSync(target, { recursive: true });
    await run('tar', ['-xzf', join(folder, stdout.trim().split('\n').pop()!), '-C', target, '--strip-components=1']);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'platbook.py'), (await read('/platbook.py')).text);
  });

  const env = { PATH: process.env.PATH, HOME: folder, PLATBOOK_URL: baseUrl, PLATBOOK_KEY: api.testKey };
  const runners: Record<string, { file: string; command: string; args: string[]; skip: string | false }> = {
    sh: { file: 'sh', command: 'sh', args: ['-e'], skip: hasCurl ? false : 'curl is not installed' },
    ts: { file: 'ts', command: process.execPath, args: [], skip: false },
    python: { file: 'py', command: 'python3', args: [], skip: hasPython ? false : 'python3 is not installed' },
  };

  for (const slug of SLUGS) {
    for (const [index, block] of runnable(slug).entries()) {
      const { file, command, args, skip } = runners[block.language];
      it(`${slug}, ${index + 1}: ${block.language}`, { skip }, async () => {
        const path = join(folder, `${slug}-${index}.${file}`);
        writeFileSync(path, block.code);
        await run(command, [...args, path], { cwd: folder, env, timeout: WAIT_MS }).catch(
          (failure: { stdout: string; stderr: string; message: string }) =>
            assert.fail(`${failure.message}\n${failure.stdout.slice(0, 2_000)}\n${failure.stderr.slice(0, 2_000)}`),
        );
      });
    }
  }

  const skip = hasPython ? false : 'python3 is not installed';
  it('proves a receipt up to our signature, and no receipt that was changed', { skip }, async () => {
    // Several, so that the path to the root has steps on both sides.
    for (let left = 5; left > 0; left--) await api.post('/avm/estimate', { property: { id: DEMO.property_id } });
    const { body } = await api.post('/avm/estimate', { property: { id: DEMO.property_id } });
    for (let left = 2; left > 0; left--) await api.post('/avm/estimate', { property: { id: DEMO.property_id } });
    await anchorReceipts(api.deps);
    const script = runnable('quality').find(({ language }) => language === 'python')!.code;
    assert.ok(script.trim().split('\n').length <= 60, 'short enough to be read before it is trusted');
    const prove = async (code = script) => run('python3', ['-c', code, body.id], { env });
    assert.match((await prove()).stdout, /is proven/);
    const otherKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' });
    await assert.rejects(
      prove(script.replace('read("/receipt-key.pem")', JSON.stringify(otherKey))),
      /not signed by us/,
    );
    await api.deps.control.query(`update valuations set model_version = model_version || 'x' where id = $1`, [body.id]);
    await assert.rejects(prove(), /not under the root/);
  });

  const hasPip = hasPython && spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
  it(
    'install the Python client with pip from this server',
    { skip: hasPip ? false : 'pip is not installed' },
    async () => {
      const [, wheel] = /pip install \S+\/(\S+\.whl)/.exec((await read('/docs/python.md')).text)!;
      const target = join(folder, 'pip');
      const options = ['--quiet', '--no-index', '--disable-pip-version-check', '--no-cache-dir', '--target', target];
      await run('python3', ['-m', 'pip', 'install', ...options, `${baseUrl}/${wheel}`], {
        env: { ...env, PIP_CONFIG_FILE: '/dev/null' },
      });
      const script =
        'import platbook, sys; print(platbook.__file__); print(len(platbook.Platbook("k", "u").__dir__()))';
      const { stdout } = await run('python3', ['-c', script], { env: { ...env, PYTHONPATH: target } });
      const installed = join(target, 'platbook', '__init__.py');
      assert.ok(stdout.startsWith(installed), stdout);
      assert.equal(readFileSync(installed, 'utf8'), (await read('/platbook.py')).text);
      assert.ok(existsSync(join(target, 'platbook', 'py.typed')), 'type checkers read its annotations');
    },
  );

  it('have a Python method for every operation', async () => {
    const { text } = await read('/platbook.py');
    const { paths } = api.openApi() as { paths: Record<string, Record<string, { operationId: string }>> };
    for (const operations of Object.values(paths))
      for (const { operationId } of Object.values(operations))
        assert.ok(text.includes(`    def ${operationId}(self`), operationId);
  });

  it('in TypeScript and Python all run; others are settings and sample responses', () => {
    for (const slug of SLUGS)
      for (const { language, flags } of listCode(markdownOf(slug)))
        if (language === 'ts' || language === 'python') assert.ok(flags.includes('run'), slug);
  });
});

describe('in a browser', needsBrowser, () => {
  let browser: Browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());

  /** One window for many pages, with a list of the problems seen in it. */
  async function openWindow(options: { width?: number; scheme?: 'light' | 'dark' } = {}) {
    const context = await browser.newContext({
      viewport: { width: options.width ?? 1_280, height: 860 },
      colorScheme: options.scheme ?? 'light',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(baseUrl)) problems.push(request.url());
    });
    const visit = (path: string) => page.goto(baseUrl + path, { waitUntil: 'load' });
    return { page, problems, visit, close: () => context.close() };
  }

  // Colors are the same on every page, so in dark mode the richest pages are enough.
  for (const [scheme, slugs] of [
    ['light', SLUGS],
    ['dark', ['quick-start', 'errors', 'agents']],
  ] as const) {
    it(`no page has an error, a third-party request, or a serious axe violation (${scheme})`, async () => {
      const { page, problems, visit, close } = await openWindow({ scheme });
      for (const slug of slugs) {
        await visit(`/docs/${slug}`);
        assert.deepEqual(await findBarriers(page), [], slug);
      }
      assert.deepEqual(problems, []);
      await close();
    });
  }

  it('one language choice applies to every block and the next page', async () => {
    const { page, visit, close } = await openWindow();
    await visit('/docs');
    await page.getByRole('tab', { name: 'Python' }).first().click();
    assert.equal(await page.locator('.panel[data-language=python]:visible').count(), 3);
    await visit('/docs/search');
    await page.locator('.panel[data-language=python]').first().waitFor({ state: 'visible' });
    await close();
  });

  it('search finds a section, an operation and an error by keyboard, and says when there is nothing', async () => {
    const { page, problems, visit, close } = await openWindow();
    await visit('/docs/limits');
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: 'Search the docs' });
    for (const [words, found] of [
      ['idempotency', 'Idempotency'],
      ['avm estimate', 'POST /api/v1/avm/estimate'],
      ['address ambig', 'address_ambiguous'],
    ]) {
      await field.fill(words);
      await page.getByRole('option').filter({ hasText: found }).first().waitFor();
    }
    assert.deepEqual(await findBarriers(page), []);
    await field.fill('xyzzy');
    await page.getByText('No results for “xyzzy”.').waitFor();
    await field.fill('address ambig');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors/address_ambiguous');
    assert.deepEqual(problems, []);
    await close();
  });

  it('a snippet runs as it is, then with the reader’s own test key, and both stay in the tab', async () => {
    const { page, problems, visit, close } = await openWindow();
    await visit('/docs');
    const first = page.locator('.panel[data-run][data-language=sh]').first();
    await first.getByText('200 · from the sandbox').waitFor();
    await first.getByLabel('Answer').getByText('Lantern Hill').first().waitFor();
    await first.getByRole('button', { name: 'Run' }).click();
    await first.getByText(/200 · \d+ ms/).waitFor();
    await first.getByLabel('Your test key').fill(api.liveKey);
    await first.getByLabel('Your test key').press('Enter');
    await first.getByText('Only test keys').waitFor();
    await first.getByLabel('Your test key').fill(api.testKey);
    await first.getByLabel('Your test key').press('Enter');
    await page.getByText(`export PLATBOOK_KEY=${api.testKey}`).waitFor();
    const answered = page.waitForResponse((response) => response.request().headers()['x-api-key'] === api.testKey);
    await first.getByRole('button', { name: 'Run' }).click();
    assert.equal((await answered).status(), 200);
    await page.reload();
    await first.getByText('200 · your last answer').waitFor();
    await first.getByLabel('Answer').getByText('Lantern Hill').first().waitFor();
    assert.deepEqual(await findBarriers(page), []);
    const stored = await page.evaluate(() => JSON.stringify((globalThis as any).localStorage));
    assert.ok(!stored.includes(api.testKey), 'a key outlives the tab');
    assert.deepEqual(problems, []);
    await close();
  });

  it('on a phone nothing is wider than the screen, and the page list opens', async () => {
    const { page, visit, close } = await openWindow({ width: 390 });
    for (const slug of SLUGS) {
      await visit(`/docs/${slug}`);
      const width = await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${slug} is ${width} wide`);
    }
    await page.getByRole('button', { name: 'Pages' }).click();
    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await page.waitForURL('**/docs/webhooks');
    await close();
  });

  it('the reference loads from this server alone', async () => {
    const { page, problems, visit, close } = await openWindow();
    await visit('/docs/reference');
    await page.getByText('/api/v1/avm/estimate').first().waitFor();
    assert.deepEqual(problems, []);
    await close();
  });
});
