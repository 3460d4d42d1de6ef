// Unknown is not zero: a record of unknown status in every layer that has one, read on every surface that counts it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { PbfReader } from 'pbf';
import { inTransaction } from '../../src/base/db/postgres.ts';
import { rollUpMarket } from '../../src/insight/analytics/analytics.ts';
import { EVENT_LAYERS } from '../../src/supply/layers/layers.ts';
import { rollUpCounties } from '../../src/supply/map-aggregates/squares.ts';
import { drain } from '../../src/worker.ts';
import { answerOf } from '../agents.ts';
import { untilFinal } from '../final.ts';
import { testClient } from '../harness.ts';
import { readPdf } from '../pdf-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-unknown-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const api = await testClient({ settings: { EXPORT_FOLDER: folder } });
const query = async (text: string, values: unknown[] = []): Promise<any[]> =>
  (await api.deps.data.query(text, values)).rows;

const FIPS = 99001;
/** Nothing was ever recorded against these homes. */
const clean = await query(
  `select id, zip, latitude, longitude from properties p where fips = $1 and market = 'sandbox' and status = 'active'
     and property_type = 'single_family' and sqft is not null and value is not null and open_violations = 0
     and not exists (select 1 from code_violations v where v.fips = p.fips and v.property_id = p.id)
     and not exists (select 1 from tax_liens v where v.fips = p.fips and v.property_id = p.id)
     and not exists (select 1 from permits v where v.fips = p.fips and v.property_id = p.id)
   order by id limit 2`,
  [FIPS],
);
/** All that is on record against the first is of unknown status; the second has an open record beside each of those. */
const [HAZY, MIXED] = clean as { id: string; zip: string; latitude: number; longitude: number }[];

const COUNTED = [
  ['code_violations', 'open_violations', 'has_open_violation', 'violations'],
  ['tax_liens', 'open_tax_liens', 'has_open_tax_lien', 'tax_liens'],
] as const;

async function plant(propertyId: string, status: string): Promise<void> {
  const at = [FIPS, propertyId, `planted_${status}`, status];
  const rest = `'2025-01-02', 'sandbox_assessor', 1, now()`;
  const permit = status === 'open' ? 'Issued' : 'Somewhere';
  await query(
    `insert into code_violations (fips, property_id, id, status, opened_date, known_on, source_id, load_id, loaded_at)
     values ($1, $2, $3, $4, '2025-01-02', ${rest})`,
    at,
  );
  await query(
    `insert into tax_liens (fips, property_id, id, status, type, amount, known_on, source_id, load_id, loaded_at)
     values ($1, $2, $3, $4, 'tax_lien', 1200, ${rest})`,
    at,
  );
  await query(
    `insert into permits (fips, property_id, id, status, type, issue_date, job_value, known_on, source_id, load_id, loaded_at)
     values ($1, $2, $3, $4, 'Deck', '2025-01-02', null, ${rest})`,
    [...at.slice(0, 3), permit],
  );
}

before(async () => {
  await plant(HAZY.id, 'unknown');
  await plant(MIXED.id, 'unknown');
  await plant(MIXED.id, 'open');
  for (const { name, events } of EVENT_LAYERS)
    for (const [column, aggregate] of Object.entries(events.summaries))
      await query(
        `update properties p set ${column} = (select ${aggregate} from ${name} t where t.fips = p.fips and t.property_id = p.id)
         where fips = $1 and id = any($2)`,
        [FIPS, [HAZY.id, MIXED.id]],
      );
  await query(`delete from sales_rollups where market = 'sandbox'`);
  await rollUpMarket(api.deps, 'sandbox');
  await inTransaction(api.deps.data, (client) =>
    rollUpCounties(client, { market: 'sandbox', counties: [FIPS], at: api.deps.clock() }),
  );
});

const read = async (path: string) => {
  const { status, body, text } = await api.get(path);
  assert.equal(status, 200, text);
  return body;
};
const idsFound = async (filter: string) => {
  const { data } = await read(`/properties/search?zip=${HAZY.zip}&limit=500&${filter}`);
  return data.map(({ id }: { id: string }) => id);
};

describe('a status that is not known', () => {
  it('is null in the record, and neither yes nor no for a filter', async () => {
    const hazy = await read(`/properties/${HAZY.id}`);
    const mixed = await read(`/properties/${MIXED.id}`);
    for (const [, column, filter] of COUNTED) {
      assert.deepEqual([hazy.risk_summary[column], mixed.risk_summary[column]], [null, 1], column);
      const [open, closed] = [await idsFound(`${filter}=true`), await idsFound(`${filter}=false`)];
      assert.ok(!open.includes(HAZY.id) && !closed.includes(HAZY.id), filter);
    }
  });

  it('is null in the risk report, with how many have none', async () => {
    const { layers } = await read(`/properties/${HAZY.id}/risk`);
    const { layers: mixed } = await read(`/properties/${MIXED.id}/risk`);
    for (const [layer] of COUNTED) {
      assert.deepEqual(
        [layers[layer].status, layers[layer].open_count, layers[layer].status_unknown],
        ['found', null, 1],
      );
      assert.deepEqual([mixed[layer].open_count, mixed[layer].status_unknown], [1, 1]);
    }
    assert.deepEqual([layers.tax_liens.open_amount, mixed.tax_liens.open_amount], [null, null]);
    assert.deepEqual([layers.permits.count, layers.permits.total_job_value], [1, null]);
  });

  it('is null in the title', async () => {
    const title = await read(`/properties/${HAZY.id}/title`);
    const mixed = await read(`/properties/${MIXED.id}/title`);
    for (const part of ['tax_liens', 'permits', 'violations']) {
      assert.deepEqual([title.open[part], title[part].status_unknown], [null, 1], part);
      assert.deepEqual([mixed.open[part], mixed[part].status_unknown], [1, 1], part);
    }
  });

  it('is referred by every rule that counts it, never passed, and is a gap of the file', async () => {
    const rules = ['open_tax_liens_above', 'open_permits_above', 'open_violations_above'];
    const make = async (id: string, limit: number) => {
      const { body, text } = await api.post('/reports', {
        property: { id },
        rules: rules.map((when) => ({ when, limit, outcome: 'decline' })),
      });
      assert.equal(body.object, 'report', text);
      return body;
    };
    const outcomes = ({ decision }: any) => decision.rules.map(({ outcome }: any) => outcome);
    const hazy = await make(HAZY.id, 0);
    assert.deepEqual(outcomes(hazy), ['refer', 'refer', 'refer']);
    assert.deepEqual(outcomes(await make(HAZY.id, 50)), ['refer', 'refer', 'refer']);
    assert.deepEqual(outcomes(await make(MIXED.id, 0)), ['decline', 'decline', 'decline']);
    assert.deepEqual(outcomes(await make(MIXED.id, 1)), ['refer', 'refer', 'refer']);
    assert.deepEqual(outcomes(await make(MIXED.id, 2)), ['pass', 'pass', 'pass']);
    const codes = hazy.gaps.map(({ code }: any) => code);
    for (const [layer] of COUNTED) assert.ok(codes.includes(`${layer}_status_unknown`), codes.join());
    const { rawPayload } = await api.app.inject({
      url: `/api/v1/reports/${hazy.id}/pdf`,
      headers: { 'x-api-key': api.testKey },
    });
    const { pages } = readPdf(rawPayload);
    assert.match(pages[0], /Liens and violations\s+–/);
    assert.match(pages.join('\n'), /Not known how many are open/);
  });

  it('is null in the summary and no place in the ranking of its area', async () => {
    const summary = await read(`/analytics/summary?kind=zip&area=${HAZY.zip}`);
    for (const part of ['violations', 'liens']) {
      const { records, homes, share, homes_unknown } = summary[part];
      assert.ok(homes_unknown >= 1, part);
      assert.deepEqual([records, homes, share], [null, null, null], part);
    }
    for (const figure of ['open_violation_share', 'open_lien_share']) {
      const ranking = await read(`/analytics/rankings?kind=zip&figure=${figure}&limit=100`);
      assert.ok(!ranking.data.some(({ area }: any) => area.id === HAZY.zip), figure);
      const held = ranking.withheld.find(({ area }: any) => area.id === HAZY.zip);
      assert.equal(held?.reason, 'not_known', JSON.stringify(ranking.withheld));
    }
  });

  it('leaves its mark off the map, and no zero in its place', async () => {
    const z = 15;
    const sine = Math.sin((HAZY.latitude * Math.PI) / 180);
    const x = Math.floor(((HAZY.longitude + 180) / 360) * 2 ** z);
    const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z);
    const { rawPayload } = await api.app.inject({
      url: `/api/v1/tiles/${z}/${x}/${y}.mvt`,
      headers: { 'x-api-key': api.testKey },
    });
    const { properties: points } = new VectorTile(new PbfReader(rawPayload)).layers;
    const homes = Array.from({ length: points.length }, (_, index) => points.feature(index).properties);
    const home = homes.find(({ id }) => id === HAZY.id);
    assert.ok(home);
    assert.deepEqual([home.has_open_violation, home.has_open_lien], [undefined, undefined]);
    assert.ok(homes.some((other) => other.has_open_violation === false));
  });

  it('is counted in a portfolio as not known', async () => {
    const { body } = await api.post('/watchlists', { name: 'hazy', property_ids: [HAZY.id, MIXED.id] });
    const { exposure } = await read(`/watchlists/${body.id}/portfolio`);
    for (const [layer] of COUNTED) {
      const { property_count, not_known_count } = exposure.risk.find((each: any) => each.layer === layer);
      assert.deepEqual([property_count, not_known_count], [1, 1], layer);
    }
  });

  it('is empty in exports and batches', async () => {
    const { body: batch } = await api.post('/batches', {
      items: [{ property_id: HAZY.id }, { property_id: MIXED.id }],
      include: ['risk'],
    });
    const { body: made } = await api.post('/exports', {
      dataset: 'risk',
      format: 'ndjson',
      destination: { type: 'folder' },
      filter: { zip: [HAZY.zip], property_type: ['single_family'] },
    });
    await untilFinal(api.deps.data);
    await drain(api.deps, ['batches', 'exports']);
    const { payload } = await api.app.inject({
      url: `/api/v1/exports/${made.id}/runs/${made.run.id}/files/part-00000.ndjson`,
      headers: { 'x-api-key': api.testKey },
    });
    const rows = payload
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const row = rows.find(({ property_id }) => property_id === HAZY.id);
    assert.ok(row, payload.slice(0, 500));
    assert.deepEqual([row.open_violations, row.open_tax_liens, row.open_tax_lien_amount], [null, null, null]);
    assert.deepEqual([row.violation_status_unknown, row.tax_lien_status_unknown], [1, 1]);
    const { payload: csv } = await api.app.inject({
      url: `/api/v1/batches/${batch.id}/results?format=csv`,
      headers: { 'x-api-key': api.testKey },
    });
    const [head, ...lines] = csv
      .replace(/"[^"]*"/g, 'quoted')
      .trim()
      .split(/\r?\n/);
    const at = (name: string) => head.split(',').indexOf(name);
    const cells = (lines.find((line) => line.includes(HAZY.id)) ?? csv).split(',');
    assert.deepEqual([cells[at('open_violations')], cells[at('open_tax_liens')]], ['', ''], csv);
  });

  it('is called unknown to agents', async () => {
    const agent = new Client({ name: 'test', version: '1' });
    const base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    after(() => agent.close());
    const requestInit = { headers: { authorization: `Bearer ${api.testKey}` } };
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
    const call = async (name: string, args: Record<string, unknown>) =>
      answerOf(await agent.callTool({ name, arguments: args }));
    const { id } = await call('start_batch', { addresses: [HAZY.id], include: ['risk'], wait: 0 });
    await drain(api.deps, ['batches']);
    const { data } = await call('get_batch_results', { batch_id: id });
    assert.deepEqual([data[0].risk.code_violations, data[0].risk.tax_liens], ['status_unknown', 'status_unknown']);
  });
});
