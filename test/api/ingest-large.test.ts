// A load with more properties than exist: its tables are rebuilt next to the old ones (but not where they are spread over a
// cluster), and readers do not notice.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDistributed } from '../../src/base/db/distribution.ts';
import { dumpSchema } from '../../tools/schema-dump.ts';
import { addresses } from '../../src/records/address/filing.ts';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { testDeps } from '../harness.ts';
import { FIPS, rollRow, testville, writeRoll } from '../testville.ts';
import { ANYWAY } from '../anyway.ts';

const deps = await testDeps();
const folder = mkdtempSync(join(tmpdir(), 'platbook-large-'));
const load = (options: { accept?: typeof ANYWAY } = {}) =>
  ingest({ data: deps.data, clock: deps.clock, cacheFolder: folder, addresses }, [testville], [testville], {
    from: folder,
    datasets: ['roll'],
    ...options,
  });
const oneOf = async (text: string) => (await deps.data.query(text)).rows[0];
const readOthers = async () => ({
  ...(await oneOf(
    `select count(*) as homes, md5(string_agg(p::text, ',' order by id)) as content from properties p where fips <> ${FIPS}`,
  )),
  ...(await oneOf(`select md5(string_agg(c::text, ',' order by seq)) as changes from changes c where fips <> ${FIPS}`)),
});
const isSpread = await isDistributed(deps.data);
/** What the load does when it has written much and committed nothing. */
const MIDDLE = isSpread ? 'insert into changes%' : 'create % index%data_next%';

const { present } = await oneOf('select count(*) as present from properties');
const count = present * 2 + 10_000;
writeRoll(
  folder,
  Array.from({ length: count }, (_, i) => rollRow(i + 1)),
);

it('that dies in the middle leaves the old tables as they were', async () => {
  const before = await readOthers();
  const loading = load();
  const killing = (async () => {
    for (;;) {
      const { rows } = await deps.data.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike $1`,
        [MIDDLE],
      );
      if (rows.length > 0) return;
      await sleep(2);
    }
  })();
  await assert.rejects(Promise.all([loading, killing]));
  assert.deepEqual(await readOthers(), before);
  assert.equal((await deps.data.query(`select 1 from pg_namespace where nspname = 'data_next'`)).rowCount, 0);
});

it('is visible to others entirely or not at all, and preserves existing rows and the schema', async () => {
  const [schema, before] = [await dumpSchema(deps.data, 'data'), await readOthers()];
  const tables = ['properties', 'property_claims', 'changes'];
  const listOids = async () =>
    (await oneOf(`select '{${tables.join(',')}}'::regclass[]::oid[] as oids`)).oids as number[];
  const old = await listOids();
  const seen = new Set<number>();
  const loading = new AbortController();
  const reading = (async () => {
    while (!loading.signal.aborted) {
      const query = { name: 'count', text: 'select count(*) as homes from properties where fips = $1', values: [FIPS] };
      seen.add((await deps.data.query(query)).rows[0].homes);
      await sleep(2);
    }
  })();
  const [report] = await load().finally(() => loading.abort());
  await reading;
  const rebuilt = (await listOids()).filter((oid) => !old.includes(oid));
  assert.equal(rebuilt.length, isSpread ? 0 : tables.length, 'the tables were rebuilt');
  assert.equal(report.targets.properties?.inserted, count);
  assert.deepEqual(
    [...seen].filter((homes) => homes !== count),
    [0],
  );
  assert.deepEqual(await readOthers(), before);
  assert.equal(await dumpSchema(deps.data, 'data'), schema);
  const written = await oneOf(
    `select count(*) as rows, count(distinct property_id) as homes from changes where fips = ${FIPS}`,
  );
  assert.deepEqual(written, { rows: count, homes: count });
  const sequence = await oneOf(
    `select count(distinct seq) = count(*) as is_unique, max(seq) < nextval('changes_seq_seq') as goes_on from changes`,
  );
  assert.deepEqual(sequence, { is_unique: true, goes_on: true });
});

it('changes nothing when loaded again', async () => {
  const [report] = await load({ accept: ANYWAY });
  assert.equal(report.targets.properties?.unchanged, count);
  assert.equal((await deps.data.query('select 1 from changes where load_id = $1', [report.loadId])).rowCount, 0);
});

it('stays in the old table if someone was granted rights on it', async () => {
  await deps.data.query('grant select on properties to pg_monitor');
  const source = { ...testville, id: 'otherville', market: { ...testville.market!, id: 'otherville' } };
  source.counties = [{ fips: FIPS + 1, name: 'Other County', state: 'ZY' }];
  source.datasets = [
    { ...testville.datasets[0], id: 'otherville/roll', key: { ...testville.datasets[0].key!, fips: FIPS + 1 } },
  ];
  await deps.data.query(`delete from properties where fips = ${FIPS}`);
  const before = await oneOf(`select 'properties'::regclass::oid as oid`);
  await ingest({ data: deps.data, clock: deps.clock, cacheFolder: folder }, [source], [source], { from: folder });
  assert.deepEqual(await oneOf(`select 'properties'::regclass::oid as oid`), before);
  assert.equal((await oneOf(`select count(*) as homes from properties where fips = ${FIPS + 1}`)).homes, count);
});
