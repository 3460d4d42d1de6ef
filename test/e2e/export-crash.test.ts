// Kills workers in the middle of an export: no manifest appears before its files, the run is delivered once and
// complete, and nothing is left behind.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, it } from 'node:test';
import { drain } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { runAndKill } from '../kill.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-export-crash-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const api = await testClient({ settings: { EXPORT_FOLDER: folder } });
const { control } = api.deps;
const environment = {
  DATABASE_URL: api.deps.config.databaseUrl!,
  PLATBOOK_SECRET: api.deps.config.secret!,
  EXPORT_FOLDER: folder,
  LOG_LEVEL: 'silent',
};
const endLeases = () => control.query(`update jobs set leased_until = now() where name = 'export'`);

it('an export survives its workers being killed', async () => {
  const body = { dataset: 'properties', format: 'ndjson', destination: { type: 'folder' } };
  const { body: made } = await api.post('/exports', body);
  // Each portion is a page read from the replica; later kills also hit a little later within the page.
  for (let kill = 0; kill < 4; kill++) {
    assert.ok(await runAndKill(['exports'], environment, 1 + (kill >> 1), kill * 15), 'killed while working');
    await endLeases();
    assert.deepEqual(globSync('**/_manifest.json', { cwd: folder }), []);
  }
  await drain(api.deps, ['exports']);

  const { body: done } = await api.get(`/exports/${made.id}/runs/${made.run.id}`);
  assert.deepEqual([done.status, done.attempt_count], ['delivered', 5]);
  const place = join(folder, api.accountId, dirname(done.manifest));
  const manifest = JSON.parse(readFileSync(join(place, '_manifest.json'), 'utf8'));
  const { body: count } = await api.get('/properties/count');
  assert.equal(manifest.row_count, count.count);
  for (const file of manifest.files) {
    const bytes = readFileSync(join(place, file.name));
    assert.equal(createHash('sha256').update(bytes).digest('hex'), file.sha256);
    const ids = bytes.toString().trim().split('\n');
    assert.equal(new Set(ids.map((line) => JSON.parse(line).property_id)).size, file.rows);
  }
  assert.ok(existsSync(join(place, '_SUCCESS')));
  assert.deepEqual(readdirSync(folder), [api.accountId], 'no work folder left by a killed worker');
  const { rows } = await control.query(`select count(*)::int as n from events where type = 'export.delivered'`);
  assert.equal(rows[0].n, 1);
});

it('a run whose worker always dies is abandoned, with an event', async () => {
  const { body } = await api.post('/exports', { dataset: 'valuations', destination: { type: 'folder' } });
  await control.query(
    `update jobs set state = 'running', attempts = 10, fence = 10, leased_until = now() - interval '1 s'
     where name = 'export' and subject = $1`,
    [body.run.id],
  );
  await drain(api.deps, ['exports']);
  const { body: run } = await api.get(`/exports/${body.id}/runs/${body.run.id}`);
  assert.deepEqual(
    [run.status, run.error],
    ['failed', 'Error: The server stopped while this was running. Nothing is left half done: try again.'],
  );
  assert.equal((await api.get('/events?type=export.failed')).body.data[0].data.run_id, body.run.id);
});
