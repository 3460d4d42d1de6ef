// The names of people stay behind their scope when they are read, not when something was made: every operation, file, PDF,
// event, log, tile, count and suggestion, for every set of scopes, searched for names planted in the records.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { runAdmin } from '../../src/operate/commands/admin.ts';
import { SCOPES_OF_ROLE } from '../../src/customers/people/team.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { drain } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { readPdf } from '../pdf-text.ts';
import { exampleCalls, type ExampleCall } from '../postman.ts';

const api = await testClient({ settings: { WEBHOOK_TIMEOUT_MS: '1000', LONGEST_WAIT_SECONDS: '0' } });
const { app, deps, testKey } = api;
const PLANTED = 'Quixzelby';
await deps.data.query('update owners set names = array[$1]', [`Ada ${PLANTED}`]);
await deps.data.query(`update transactions set buyers = array[$1], sellers = array[$2] where property_id = $3`, [
  `Bo ${PLANTED}`,
  `Cy ${PLANTED}`,
  DEMO.property_id,
]);
await deps.data.query(`update changes set after = after || $1::jsonb where property_id = $2`, [
  JSON.stringify({ buyers: [`Di ${PLANTED}`], owner_names: [`Ed ${PLANTED}`] }),
  DEMO.property_id,
]);

/** The bytes of an answer as text, those of a PDF as its words. */
async function read(method: string, path: string, key: string, body?: string) {
  const headers = { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const answer = await app.inject({ method: method as 'GET', url: path, headers, ...(body && { payload: body }) });
  const isPdf = String(answer.headers['content-type']).includes('pdf');
  const text = isPdf ? readPdf(answer.rawPayload).pages.join('\n') : answer.payload;
  return { status: answer.statusCode, hasNames: text.toLowerCase().includes(PLANTED.toLowerCase()) };
}

const { property_id: id } = DEMO;
const examples = exampleCalls(api, {
  'POST /api/v1/exports': {
    body: { dataset: 'transactions', format: 'ndjson', destination: { type: 'folder' }, filter: { zip: ['00103'] } },
  },
  'GET /api/v1/properties/:id': { path: `/api/v1/properties/${id}?include=owner,transactions` },
  'GET /api/v1/properties/:id/transactions': { path: `/api/v1/properties/${id}/transactions` },
  'GET /api/v1/properties/:id/title': { path: `/api/v1/properties/${id}/title` },
  'GET /api/v1/properties/:id/changes': { path: `/api/v1/properties/${id}/changes` },
  'GET /api/v1/properties/autocomplete': { path: `/api/v1/properties/autocomplete?q=${PLANTED.slice(0, 5)}` },
  'GET /api/v1/places': { path: `/api/v1/places?q=${PLANTED.slice(0, 5)}` },
});

async function fileOf(call: ExampleCall): Promise<string> {
  const manifest = await api.get(call.path.replace('/api/v1', ''));
  return call.path.replace('_manifest.json', JSON.parse(manifest.text).files[0].name);
}

describe('names', () => {
  it('are looked for in the answers of every route that takes a key', () => {
    const walked = new Set(examples.map(({ method, route }) => `${method} ${route}`));
    const keyed = api.routes
      .filter(({ method, path }) => path.startsWith('/api/v1/') && method !== 'HEAD' && method !== 'OPTIONS')
      .map(({ method, path }) => `${method} ${path.replace(/\(.*?\)/g, '')}`);
    assert.deepEqual(
      keyed.filter((name) => !walked.has(name)),
      [
        'GET /api/v1/tiles/:z/:x/:y.mvt',
        'GET /api/v1/tiles/boundaries/:z/:x/:y.mvt',
        'GET /api/v1/invoices/:id',
        'GET /api/v1/ogc/api',
      ],
      'tiles are no text, an invoice of the sandbox does not exist, and a description of layers is always the same',
    );
  });

  it('are in no answer to a key or viewer without `owners:read`, whoever made what is read', async () => {
    const without = SCOPES.filter((scope) => scope !== 'owners:read');
    const keys = new Map<string, string>([
      ['all others', await api.keyWith(without)],
      ['a viewer', await api.keyWith(SCOPES_OF_ROLE.viewer)],
    ]);
    for (const scope of without) keys.set(scope, await api.keyWith([scope]));
    const named = new Set<string>();
    for (const call of examples) {
      const name = `${call.method} ${call.route}`;
      if (call.route.includes('exports')) await drain(deps, ['exports']);
      await call.prepare(testKey);
      const { scope } =
        api.routes.find((route) => `${route.method} ${route.path.replace(/\(.*?\)/g, '')}` === name) ?? {};
      const path = call.route.includes('/files/') ? await fileOf(call) : call.path;
      const readers = ['all others', 'a viewer', ...(keys.has(scope ?? '') ? [scope!] : [])];
      if (call.method === 'GET') {
        if ((await read('GET', path, testKey)).hasNames) named.add(name);
        for (const reader of readers) {
          const { hasNames } = await read('GET', path, keys.get(reader)!);
          assert.ok(!hasNames, `${name} shows names to ${reader}`);
        }
      }
      const answer = await call.send(testKey);
      assert.ok(answer.status < 300 || name.endsWith('/places'), `${name} ${answer.text}`);
      if (answer.text.includes(PLANTED)) named.add(name);
      if (call.method === 'POST' && /search|series|estimate|reports$/.test(call.route))
        assert.ok(!(await read('POST', path, keys.get('all others')!, call.body)).hasNames, name);
    }
    for (const shown of ['title', 'transactions', 'files/:name', 'reports/:id', 'reports/:id/pdf', 'changes'])
      assert.ok(
        [...named].some((name) => name.endsWith(shown)),
        `${shown} has names for those who may: ${[...named]}`,
      );
  });

  it('are not found by searching, sorting or filtering for them', async () => {
    const key = await api.keyWith(SCOPES.filter((scope) => scope !== 'owners:read'));
    for (const query of [
      '/properties/search?state=ZZ&owner_type=individual',
      '/properties/count?state=ZZ&owner_occupied=true',
      '/properties/search?state=ZZ&sort=owner_name',
      `/properties/search?state=ZZ&owner_name=${PLANTED}`,
    ])
      assert.ok((await api.get(query, { key })).status >= 400, query);
    const list = await api.post('/watchlists', { name: 'Theirs', filter: { state: ['ZZ'], owner_type: 'individual' } });
    assert.equal(list.status, 201, list.text);
    for (const path of ['', '/properties', '/portfolio'])
      assert.equal((await api.get(`/watchlists/${list.body.id}${path}`, { key })).status, 403, path);
  });

  it('leave a scheduled export when the key that made it is narrowed or revoked', async () => {
    const account = await createAccount(deps.control, deps.clock(), 'Maker', 'enterprise');
    const make = () => createKey(deps, account.id, { name: 'k', mode: 'test', scopes: [...SCOPES] });
    const [maker, other] = [await make(), await make()];
    const definition = { dataset: 'transactions', format: 'ndjson', filter: { zip: ['00103'] } };
    const { body } = await api.post(
      '/exports',
      { ...definition, destination: { type: 'folder' } },
      { key: maker.secret },
    );
    const filesHaveNames = async () => {
      await drain(deps, ['exports']);
      const [run] = (await api.get(`/exports/${body.id}/runs`, { key: other.secret })).body.data;
      const files = `/exports/${body.id}/runs/${run.id}/files`;
      const manifest = JSON.parse((await api.get(`${files}/_manifest.json`, { key: other.secret })).text);
      return (await read('GET', `/api/v1${files}/${manifest.files[0].name}`, other.secret)).hasNames;
    };
    assert.equal(await filesHaveNames(), true);
    await deps.control.query('update api_keys set revoked_at = $2 where id = $1', [maker.key.id, deps.clock()]);
    assert.equal((await api.post(`/exports/${body.id}/runs`, undefined, { key: other.secret })).status, 202);
    assert.equal(await filesHaveNames(), false);
  });
});

describe('an owner who asks not to be shown', () => {
  it('is in no answer from then on, to whoever may read names, nor in a file made before', async () => {
    const definition = { dataset: 'transactions', format: 'ndjson', filter: { zip: ['00103'] } };
    const { body } = await api.post('/exports', { ...definition, destination: { type: 'folder' } });
    await drain(deps, ['exports']);
    const [run] = (await api.get(`/exports/${body.id}/runs`)).body.data;
    const files = `/api/v1/exports/${body.id}/runs/${run.id}/files`;
    const { files: parts } = JSON.parse((await api.get(`/${files}/_manifest.json`)).text);
    const file = `${files}/${parts[0].name}`;
    assert.equal((await read('GET', file, testKey)).hasNames, true);
    await deps.data.query(`update owners set names = array['Only Here'] where property_id <> $1`, [id]);
    const paths: string[] = [];
    for (const call of examples) {
      if (call.method !== 'GET' || call.route.includes('/files/')) continue;
      await call.prepare(testKey);
      paths.push(call.path);
    }
    await runAdmin(deps.config, ['hide-owner', id, 'asked']);
    assert.deepEqual(await read('GET', file, testKey), { status: 404, hasNames: false });
    for (const path of paths) assert.ok(!(await read('GET', path, testKey)).hasNames, path);
  });
});

describe('the log', () => {
  it('shows a test key the requests of test keys only', async () => {
    await api.get(`/properties/${id}`, { key: api.liveKey });
    const modesOf = async (key: string) =>
      new Set((await api.get('/requests?limit=100', { key })).body.data.map(({ mode }: { mode: string }) => mode));
    assert.ok((await modesOf(api.liveKey)).has('live'));
    assert.deepEqual(await modesOf(testKey), new Set(['test']));
    const [{ request_id }] = (await api.get('/requests?mode=live', { key: api.liveKey })).body.data;
    assert.equal((await api.get(`/requests/${request_id}`)).status, 404);
  });
});
