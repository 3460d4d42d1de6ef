// Bringing in a county on the dashboard: who may, what is refused, and that nothing is lost to a kill or a second operator.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { listEntries } from '../../src/base/audit/sql.ts';
import { safeName } from '../../src/operate/counties/files.ts';
import { JobLost, startJob, workOnJob, type JobDefinition } from '../../src/base/jobs/jobs.ts';
import { runJobProcess } from '../../src/operate/job-process.ts';
import { setOperator } from '../../src/customers/people/people.ts';
import { drain, startWorker } from '../../src/worker.ts';
import { COUNTY, writeCounty } from '../county-file.ts';
import { testClient } from '../harness.ts';
import { openBrowser, signUp, startMailbox, type Browser } from '../people.ts';
import { until } from '../until.ts';

const mailbox = await startMailbox();
const home = mkdtempSync(join(tmpdir(), 'platbook-counties-'));
const api = await testClient({
  settings: {
    SMTP_URL: mailbox.url,
    PLATBOOK_HOME: home,
    WEBHOOK_ALLOW_PRIVATE: 'loopback',
    COUNTY_FILE_LIMIT_MB: '1',
    TRAINING: 'tiny',
  },
});
const { app, deps } = api;
const BINARY = { 'content-type': 'application/octet-stream' };
const { county, place, fips } = COUNTY;

async function newOperator(email: string): Promise<Browser> {
  const { browser } = await signUp(app, mailbox, email);
  await setOperator(deps, email, true);
  return browser;
}
const ada = await newOperator('ada@example.com');
const bob = await newOperator('bob@example.com');

const get = async (id: string) => (await ada.send('GET', `/session/counties/${id}`)).body;
const stepOf = (draft: any, kind: string) => draft.steps.find((step: any) => step.kind === kind);
const begin = async (file: Buffer, name = 'parcels.csv') =>
  (await ada.send('POST', '/session/counties', { county, place, fips, file_name: name, file_bytes: file.length })).body;

async function upload(file: Buffer, name?: string): Promise<any> {
  const { id } = await begin(file, name);
  const answer = await ada.send('PUT', `/session/counties/${id}/file?offset=0`, file, BINARY);
  assert.equal(answer.status, 200, answer.text);
  await drain(deps, ['counties']);
  return get(id);
}
const start = (id: string, body: object, who = ada) => who.send('POST', `/session/counties/${id}/steps`, body);
const small = Buffer.from(writeCounty({ homes: 40 }));

const preview = (run: JobDefinition<'county-preview'>['run']) => ({ 'county-preview': { attempts: 1, run } });
/** A process that is killed as soon as it starts. */
const KILLED = pathToFileURL(join(home, 'killed.mjs'));
writeFileSync(KILLED, `process.kill(process.pid, 'SIGKILL');`);

describe('who may bring in a county', () => {
  const paths: [string, string][] = [
    ['GET', ''],
    ['POST', ''],
    ['GET', '/cty_1'],
    ['PUT', '/cty_1/file?offset=0'],
    ['POST', '/cty_1/columns'],
    ['PUT', '/cty_1/recipe'],
    ['POST', '/cty_1/steps'],
    ['POST', '/cty_1/cancel'],
    ['GET', '/cty_1/map.svg'],
    ['DELETE', '/cty_1'],
  ];

  it('is an operator; to anyone else, signed in or with any key, there is nothing here', async () => {
    const { browser: customer } = await signUp(app, mailbox, 'carl@example.com');
    const stranger = openBrowser(app);
    for (const [method, path] of paths) {
      const body = method === 'POST' ? {} : undefined;
      for (const [who, headers] of [
        [customer, {}],
        [stranger, {}],
        [stranger, { 'x-api-key': api.liveKey }],
      ] as const) {
        const answer = await who.send(method, `/session/counties${path}`, body, headers);
        assert.deepEqual([answer.status, answer.body.code], [404, 'route_not_found'], `${method} ${path}`);
      }
    }
    assert.equal((await customer.send('GET', '/session')).body.user.is_operator, false);
    assert.equal((await ada.send('GET', '/session')).body.user.is_operator, true);
  });

  it('ends with the right, and both are in the audit log', async () => {
    const eve = await newOperator('eve@example.com');
    assert.equal((await eve.send('GET', '/session/counties')).status, 200);
    await setOperator(deps, 'Eve@Example.com', false);
    assert.equal((await eve.send('GET', '/session/counties')).status, 404);
    const accountId = (await eve.send('GET', '/session')).body.account.id;
    const acts = (await listEntries(deps.control, accountId, {}, 10)).map(({ action, actor }) => [action, actor]);
    assert.deepEqual(acts.slice(0, 2), [
      ['user.operator_removed', 'operator'],
      ['user.operator_granted', 'operator'],
    ]);
    await assert.rejects(setOperator(deps, 'nobody@example.com', true), /Nobody has signed up/);
  });

  it('is said by a command, which also tells where to go and what a trial account lacks', async () => {
    await signUp(app, mailbox, 'fay@example.com');
    const run = (...args: string[]) =>
      new Promise<{ code: number; text: string }>((resolve) => {
        const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
        const env = {
          ...process.env,
          DATABASE_URL: deps.config.databaseUrl!,
          PLATBOOK_SECRET: deps.config.secret!,
          PLATBOOK_HOME: home,
        };
        execFile(process.execPath, [main, 'admin', 'make-operator', ...args], { env }, (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
        );
      });
    const made = await run('fay@example.com');
    assert.deepEqual(
      [made.code, /dashboard\/counties\n.*no plan yet[^]*admin contract acct_/.test(made.text)],
      [0, true],
    );
    assert.match((await run('--remove', 'fay@example.com')).text, /fay@example.com is no longer an operator/);
    const unknown = await run('gil@example.com');
    assert.deepEqual([unknown.code, /^Nobody has signed up as gil@example.com/.test(unknown.text)], [1, true]);
    assert.match((await run()).text, /^Usage: admin make-operator/);
  });

  it('refuses a change that another site asks for', async () => {
    const answer = await ada.send(
      'POST',
      '/session/counties',
      { county, place, fips },
      { origin: 'https://evil.example' },
    );
    assert.equal(answer.body.code, 'origin_not_allowed');
  });
});

describe('a file', () => {
  it('arrives in parts, goes on where it broke off, and is read', async () => {
    const draft = await begin(small);
    const half = Math.floor(small.length / 2);
    const put = (offset: number, part: Buffer) =>
      ada.send('PUT', `/session/counties/${draft.id}/file?offset=${offset}`, part, BINARY);
    assert.equal((await put(0, small.subarray(0, half))).body.file.received_bytes, half);
    const again = await put(0, small.subarray(0, half));
    assert.deepEqual([again.status, again.body.code], [409, 'invalid_state']);
    assert.match(again.body.detail, new RegExp(`byte ${half}`));
    assert.equal((await start(draft.id, { kind: 'read' })).status, 409);
    assert.equal((await put(half, small.subarray(half))).status, 200);
    await drain(deps, ['counties']);
    const read = await get(draft.id);
    assert.equal(stepOf(read, 'read').state, 'done');
    assert.equal(readFileSync(join(home, 'counties', draft.id, 'parcels.csv'), 'utf8'), small.toString());
    const roles = new Map(read.columns.map((column: any) => [column.column, [column.role, column.certainty]]));
    assert.deepEqual(roles.get('PARCEL_ID'), ['parcel', 'sure']);
    assert.deepEqual(roles.get('SALE_PRICE'), ['sale_price', 'sure']);
    assert.equal(read.columns.find((column: any) => column.column === 'OWNER_NAME').example, '');
    assert.match(read.recipe, /id: beatrice-ne/);
    assert.deepEqual([read.file.type, read.file.rows, read.market], ['csv', 40, 'beatrice-ne']);
  });

  it('of a place that the program knows gets an id of its own', async () => {
    const form = {
      county: 'Milwaukee County',
      place: 'Milwaukee, Wisconsin',
      fips: '55079',
      file_name: 'x.csv',
      file_bytes: 9,
    };
    const { body } = await ada.send('POST', '/session/counties', form);
    assert.equal(body.place.id, 'milwaukee-county-wi');
  });

  it('that is garbage is refused in one sentence, and can be replaced by starting over', async () => {
    const garbage: [string, Buffer, RegExp][] = [
      ['photo.csv', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), /photo\.csv/],
      ['empty.csv', Buffer.from('A,B\n'), /has no rows/],
      ['page.csv', Buffer.from('<!doctype html><html><body>Sign in</body></html>'), /page\.csv/],
      ['noise.bin', Buffer.from(Array.from({ length: 2_000 }, (_, i) => (i * 7919) % 251)), /noise\.bin/],
      ['broken.zip', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(300, 1)]), /broken\.zip/],
    ];
    for (const [name, bytes, sentence] of garbage) {
      const draft = await upload(bytes, name);
      const { state, error } = stepOf(draft, 'read');
      assert.equal(state, 'failed', name);
      assert.match(error, sentence);
      assert.equal(error.includes('\n    at '), false, error);
      assert.equal(error.includes(home), false, error);
      assert.equal((await ada.send('DELETE', `/session/counties/${draft.id}`)).status, 204);
      assert.equal(existsSync(join(home, 'counties', draft.id)), false);
    }
  });

  it('larger than the limit, or than announced, is refused', async () => {
    const body = { county, place, fips, file_name: 'x.csv', file_bytes: 1024 * 1024 + 1 };
    const announced = await ada.send('POST', '/session/counties', body);
    assert.deepEqual([announced.status, announced.body.code], [413, 'payload_too_large']);
    assert.match(announced.body.detail, /COUNTY_FILE_LIMIT_MB/);
    const { id } = await begin(Buffer.from('A,B\n'));
    const more = await ada.send('PUT', `/session/counties/${id}/file?offset=0`, small, BINARY);
    assert.equal(more.status, 413);
    const huge = await ada.send('PUT', `/session/counties/${id}/file?offset=0`, Buffer.alloc(9 * 1024 * 1024), BINARY);
    assert.equal(huge.status, 413);
    assert.equal((await get(id)).file.received_bytes, 0);
  });

  it('keeps a name that leads nowhere else', async () => {
    const names = [
      '../../etc/passwd',
      '..\\..\\boot.ini',
      '.ssh',
      'a/b/c.csv',
      'x\0.csv',
      '-rf',
      '…',
      `${'n'.repeat(400)}.geojson`,
    ];
    for (const name of names) {
      const safe = safeName(name);
      assert.match(safe, /^[A-Za-z0-9][\w.-]{0,99}$/, name);
    }
    assert.match(safeName(`${'n'.repeat(400)}.geojson`), /\.geojson$/);
    const draft = await upload(small, '../../../escape.csv');
    assert.equal(draft.file.name, 'escape.csv');
    assert.deepEqual(readdirSync(join(home, 'counties', draft.id)), ['escape.csv']);
    assert.equal(existsSync(join(home, 'escape.csv')), false);
  });

  it('finds a full disk: a clear error, and nothing left of it', { skip: !existsSync('/dev/full') }, async () => {
    const { id } = await begin(small, 'full.csv');
    mkdirSync(join(home, 'counties', id), { recursive: true });
    symlinkSync('/dev/full', join(home, 'counties', id, 'full.csv'));
    const answer = await ada.send('PUT', `/session/counties/${id}/file?offset=0`, small, BINARY);
    assert.deepEqual([answer.status, answer.body.code], [503, 'storage_full']);
    assert.match(answer.body.detail, /disk is full.*again/);
    assert.deepEqual(readdirSync(join(home, 'counties', id)), []);
    assert.equal((await ada.send('PUT', `/session/counties/${id}/file?offset=0`, small, BINARY)).status, 200);
    await drain(deps, ['counties']);
  });
});

describe('a file by its URL', () => {
  const server = createServer((request, response) => {
    const { url } = request;
    if (url === '/moved') return void response.writeHead(302, { location: '/parcels.csv' }).end();
    if (url === '/inside') return void response.writeHead(302, { location: 'http://10.0.0.1/parcels.csv' }).end();
    if (url === '/loop') return void response.writeHead(302, { location: '/loop' }).end();
    if (url === '/large') return void response.end(Buffer.alloc(1024 * 1024 + 10, 'x'));
    if (url === '/parcels.csv') return void response.end(small);
    return void response.writeHead(404).end();
  });
  const listening = new Promise<string>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}`)),
  );
  after(() => server.close());
  const fetched = async (url: string) => {
    const answer = await ada.send('POST', '/session/counties', { county, place, fips, url });
    if (answer.status !== 201) return answer.body.detail as string;
    await drain(deps, ['counties']);
    const draft = await get(answer.body.id);
    return stepOf(draft, 'read').error ?? draft;
  };

  it('is fetched, over a redirect too, and named in the recipe', async () => {
    const origin = await listening;
    const draft = await fetched(`${origin}/moved`);
    assert.equal(draft.file.received_bytes, small.length);
    assert.match(draft.recipe, new RegExp(`url: ${origin}/moved`));
  });

  it('must not lead inside, be too large, loop or be missing', async () => {
    const origin = await listening;
    for (const inside of [
      'https://169.254.169.254/latest',
      'https://10.1.2.3/x.csv',
      'ftp://example.com/x',
      'http://example.com/x.csv',
      'not a url',
    ])
      assert.match(await fetched(inside), /^The URL /, inside);
    assert.match(await fetched(`${origin}/inside`), /10\.0\.0\.1.*(must|public)/);
    assert.match(await fetched(`${origin}/large`), /larger than 1 MB/);
    assert.match(await fetched(`${origin}/loop`), /redirects/);
    assert.match(await fetched(`${origin}/gone`), /returned 404/);
    const left = readdirSync(join(home, 'counties')).filter((id) => existsSync(join(home, 'counties', id, 'large')));
    assert.deepEqual(left, []);
  });
});

describe('columns and the recipe', () => {
  it('a column mapped by hand is read so, and what is wrong is said', async () => {
    const draft = await upload(Buffer.from(writeCounty({ homes: 40, hasTellingNames: false })));
    assert.equal(draft.columns.find((column: any) => column.column === 'COL_17').certainty, 'unused');
    const change = (meanings: object, recipe_version = draft.recipe_version) =>
      ada.send('POST', `/session/counties/${draft.id}/columns`, { meanings, recipe_version });
    assert.match((await change({ COL_17: 'castle' })).body.detail, /`castle` is not a meaning/);
    assert.match((await change({ COL_17: 'sqft', ZIP: 'sqft' })).body.detail, /Two columns/);
    assert.equal((await change({ COL_17: 'sqft', BEDROOMS: null, ZIP: 'personal' })).status, 202);
    assert.equal((await change({ COL_17: null })).status, 409);
    await drain(deps, ['counties']);
    const mapped = await get(draft.id);
    assert.match(mapped.recipe, /sqft: \{ positive: COL_17/);
    assert.doesNotMatch(mapped.recipe, /bedrooms/);
    const of = (name: string) => mapped.columns.find((column: any) => column.column === name);
    assert.deepEqual([of('COL_17').certainty, of('ZIP').example], ['stated', '']);
    assert.match((await change({ COL_17: null }, 1)).body.detail, /Someone changed this recipe/);
  });

  it('an edited recipe must be valid and read nothing but the draft’s own file', async () => {
    const draft = await upload(small);
    const save = (recipe: string) =>
      ada.send('PUT', `/session/counties/${draft.id}/recipe`, { recipe, recipe_version: draft.recipe_version });
    const wrong: [RegExp | string, string, RegExp][] = [
      ['id: beatrice-ne', 'id: milwaukee-wi', /belongs to another source/],
      ['id: beatrice-ne', 'id: sandbox', /belongs to another source/],
      ['fips: 31067', 'fips: 99001', /FIPS code/],
      ['parcels.csv', '../../secret', /not the name of an uploaded file/],
      ['parcels.csv', '/etc/passwd', /not the name of an uploaded file/],
      ['positive: LIVING_AREA', 'positve: LIVING_AREA', /line \d+.*positive/s],
      [/^[^]*$/, 'a: [', /not a valid recipe/],
    ];
    for (const [from, to, sentence] of wrong) {
      const answer = await save(draft.recipe.replace(from, to));
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'], to);
      assert.match(answer.body.detail, sentence);
    }
    assert.equal((await save(draft.recipe.replace('cadence: unknown', 'cadence: monthly'))).status, 200);
    const edited = await get(draft.id);
    assert.deepEqual([edited.is_recipe_edited, edited.recipe_version], [true, draft.recipe_version + 1]);
    assert.equal((await save(draft.recipe)).body.code, 'invalid_state');
  });
});

describe('steps', () => {
  it('preview tells what would be loaded, and a load needs a preview of the same recipe', async () => {
    const draft = await upload(Buffer.from(writeCounty({ homes: 40, badRows: 2 })));
    const { recipe_version } = draft;
    assert.match((await start(draft.id, { kind: 'load', recipe_version })).body.detail, /Preview/);
    assert.match((await start(draft.id, { kind: 'train' })).body.detail, /Load the county first/);
    assert.equal((await ada.send('GET', `/session/counties/${draft.id}/map.svg`)).status, 404);
    assert.equal((await start(draft.id, { kind: 'preview', recipe_version })).status, 202);
    assert.equal((await start(draft.id, { kind: 'preview', recipe_version }, bob)).body.code, 'invalid_state');
    await drain(deps, ['counties']);
    const { result } = stepOf(await get(draft.id), 'preview');
    // A bad date costs its sale, not the home.
    assert.equal(result.properties, 40);
    const reasons = { 'not_a_date (SALE_DATE)': 2 };
    assert.deepEqual(result.reports[0].quarantined_by_reason, reasons);
    assert.equal(result.samples.length, 3);
    assert.equal(JSON.stringify(result).includes('PAT EXAMPLE'), false);
    const map = await ada.send('GET', `/session/counties/${draft.id}/map.svg`);
    assert.match(map.text, /^<svg /);
    assert.match(map.headers['content-security-policy']!, /^default-src 'none';/);
    const recipe = draft.recipe.replace('cadence: unknown', 'cadence: monthly');
    await ada.send('PUT', `/session/counties/${draft.id}/recipe`, { recipe, recipe_version });
    const stale = await start(draft.id, { kind: 'load', recipe_version }, bob);
    assert.match(stale.body.detail, /Someone changed this recipe/);
    assert.match((await start(draft.id, { kind: 'load', recipe_version: recipe_version + 1 })).body.detail, /Preview/);
  });

  it('a step that waits is canceled at once, one that runs by its worker, and either can be tried again', async () => {
    const draft = await upload(small);
    await start(draft.id, { kind: 'preview' });
    const cancel = () => bob.send('POST', `/session/counties/${draft.id}/cancel`);
    assert.equal(stepOf((await cancel()).body, 'preview').state, 'canceled');
    assert.equal((await cancel()).body.code, 'invalid_state');

    await start(draft.id, { kind: 'preview' });
    let killedBy: unknown;
    const working = workOnJob(
      deps,
      preview(async (_job, { signal }) => {
        await once(signal, 'abort');
        killedBy = signal.reason;
        throw new JobLost('The process that did this ended with SIGKILL.');
      }),
    );
    await until(async () => stepOf(await get(draft.id), 'preview').state === 'running');
    assert.equal((await ada.send('DELETE', `/session/counties/${draft.id}`)).body.code, 'invalid_state');
    assert.equal(stepOf((await cancel()).body, 'preview').is_canceling, true);
    assert.equal(await working, true);
    assert.equal(killedBy, 'canceled');
    assert.equal(stepOf(await get(draft.id), 'preview').state, 'canceled');
    assert.equal((await start(draft.id, { kind: 'preview' })).status, 202);
    await drain(deps, ['counties']);
    assert.equal(stepOf(await get(draft.id), 'preview').state, 'done');
  });

  it('a killed process, a stopped worker and a dead machine each show as failed, and trying again succeeds', async () => {
    const draft = await upload(small);
    const failed = async () => {
      const step = stepOf(await get(draft.id), 'preview');
      assert.equal(step.state, 'failed');
      return step.error as string;
    };
    await start(draft.id, { kind: 'preview' });
    await workOnJob(
      deps,
      preview((job, context) => runJobProcess({ config: deps.config, job }, context, KILLED)),
    );
    assert.match(await failed(), /ended with SIGKILL. Try again/);

    await start(draft.id, { kind: 'preview' });
    const worker = await startWorker(deps);
    await until(async () => stepOf(await get(draft.id), 'preview').state === 'running');
    await worker.stop();
    assert.match(await failed(), /server stopped.*try again/);

    await start(draft.id, { kind: 'preview' });
    const hanging = Promise.withResolvers<object>();
    const lost = await startJob(
      deps,
      preview(() => hanging.promise),
    );
    await until(async () => stepOf(await get(draft.id), 'preview').state === 'running');
    deps.travel(new Date(Date.now() + 120_000).toISOString());
    await workOnJob(
      deps,
      preview(() => assert.fail('there is nothing to start')),
    );
    hanging.resolve({});
    await lost!.ended;
    assert.match(await failed(), /server stopped.*try again/);

    assert.equal((await start(draft.id, { kind: 'preview' })).status, 202);
    await drain(deps, ['counties']);
    assert.equal(stepOf(await get(draft.id), 'preview').state, 'done');
  });

  it('load and training end with homes that can be found and valued, and every act is in the audit log', async () => {
    const draft = await upload(Buffer.from(writeCounty()));
    for (const body of [{ kind: 'preview' }, { kind: 'load' }, { kind: 'train', quick: true }]) {
      assert.equal((await start(draft.id, body)).status, 202);
      await drain(deps, ['counties']);
      const step = stepOf(await get(draft.id), body.kind);
      assert.equal(step.state, 'done', step.error);
    }
    const done = await get(draft.id);
    const { result } = stepOf(done, 'train');
    assert.equal(result.is_published, true, result.decision);
    assert.ok(result.accuracy.tested > 50 && result.accuracy.median_error < 0.2, JSON.stringify(result.accuracy));
    assert.ok(result.accuracy.coverage_80 > 0.4 && result.accuracy.coverage_80 <= 1);
    assert.ok(result.valued > 800);
    const found = await api.get('/properties/search?market=beatrice-ne&limit=1&sort=-value', { key: api.liveKey });
    assert.equal(found.status, 200, found.text);
    assert.ok(found.body.data[0].valuation.estimated_value > 100_000, found.text);
    assert.equal((await api.get('/properties/search?market=beatrice-ne')).body.data?.length ?? 0, 0);
    const area = await api.get('/analytics/summary?kind=market&area=beatrice-ne', { key: api.liveKey });
    assert.equal(area.body.values?.n, result.valued, area.text);
    const { rows } = await deps.data.query(
      `select max(sale_date)::text as day from transactions where market = 'beatrice-ne' and arms_length`,
    );
    const markets = (await api.get('/markets', { key: api.liveKey })).body.data as Record<string, unknown>[];
    assert.equal(markets.find(({ id }) => id === 'beatrice-ne')!.sales_through, rows[0].day, 'its recipe does not say');
    assert.ok(existsSync(join(home, 'counties', draft.id, 'beatrice-ne.yaml')));
    const accountId = (await ada.send('GET', '/session')).body.account.id;
    const acts = (await listEntries(deps.control, accountId, {}, 200))
      .filter(({ target }) => target === draft.id)
      .map(({ action }) => action);
    assert.deepEqual(acts.toReversed(), [
      'county.created',
      'county.file_uploaded',
      'county.preview_started',
      'county.load_started',
      'county.train_started',
    ]);
    assert.equal((await ada.send('DELETE', `/session/counties/${draft.id}`)).status, 204);
    assert.equal((await ada.send('GET', `/session/counties/${draft.id}`)).status, 404);
  });
});
