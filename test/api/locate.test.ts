// Which property a request means: the same answer, and the same refusal, from lookups, valuations, batches, reports and
// agents.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { drain } from '../../src/worker.ts';
import { answerOf } from '../agents.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const { data } = api.deps;

/** Every way of asking, by what it says about the same locators. */
const WAYS: Record<string, (locators: Record<string, any>) => Promise<any>> = {
  lookup: async (locators) => {
    const { status, body } = await api.get(`/properties/lookup?${new URLSearchParams(locators)}`);
    return status === 200 ? { ...body, property_id: body.id } : body;
  },
  'GET estimate': async (locators) => (await api.get(`/avm/estimate?${new URLSearchParams(locators)}`)).body,
  'POST estimate': async (locators) => (await api.post('/avm/estimate', { property: locators })).body,
  report: async (locators) => {
    const { status, body } = await api.post('/reports', { property: locators });
    return status === 201 ? { ...body, property_id: body.property.id } : body;
  },
  batch: async ({ id, ...locators }) => {
    const item = { ...locators, ...(id && { property_id: id }) };
    const { body } = await api.post('/batches', { items: [item], include: ['property', 'valuation'] });
    await drain(api.deps, ['batches']);
    const [result] = (await api.get(`/batches/${body.id}/results`)).body.data;
    return result.error ?? result;
  },
  'agent: resolve_property': async ({ id, ...locators }) =>
    id ? WAYS.lookup({ id }) : tool('resolve_property', locators, (body) => body.id),
  'agent: estimate_value': async ({ id, ...locators }) =>
    tool('estimate_value', { ...locators, ...(id && { property_id: id }) }, (body) => body.property_id),
};

const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
const agent = new Client({ name: 'test', version: '1' });
await agent.connect(
  new StreamableHTTPClientTransport(new URL(`${address}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${api.testKey}` } },
  }),
);
after(() => agent.close());

async function tool(name: string, args: Record<string, unknown>, idOf: (body: any) => string): Promise<any> {
  const body = answerOf(await agent.callTool({ name, arguments: args }));
  return { ...body, ...(body.code === undefined && { property_id: idOf(body) }) };
}

/** Homes that can be valued, far enough from others to be moved. */
const { rows: homes } = await data.query<{ id: string; fips: number; latitude: number; longitude: number }>(
  `select id, fips, latitude, longitude from properties
   where market = 'sandbox' and property_type = 'single_family' and status = 'active' and sqft is not null
     and latitude is not null and address_line1 is not null and address_line1 not like '%SANDBOX WAY%'
   order by id limit 6`,
);
const [first, second, third, fourth] = homes;
const ids = (body: any) => body.candidates?.map((each: any) => each.property_id).toSorted();

async function expectEverywhere(locators: Record<string, any>, check: (body: any, way: string) => void) {
  for (const [way, ask] of Object.entries(WAYS)) check(await ask(locators), way);
}

describe('two properties at one point', () => {
  it('are refused with both as candidates', async () => {
    await data.query('delete from parcel_shapes where property_id = any($1)', [[first.id, second.id]]);
    const { latitude, longitude } = first;
    await data.query(
      `update properties p set latitude = $2, longitude = $3, cell_coarse = o.cell_coarse, cell_fine = o.cell_fine
       from properties o where o.id = $4 and p.id = $1`,
      [second.id, latitude, longitude, first.id],
    );
    const wanted = [first.id, second.id].toSorted();
    await expectEverywhere({ latitude, longitude }, (body, way) => {
      assert.deepEqual([body.code, body.reason], ['address_ambiguous', 'several_properties'], way);
      assert.deepEqual(ids(body), wanted, way);
      for (const candidate of body.candidates) assert.match(candidate.address, /^\d+ .+, ZZ \d{5}$/, way);
    });
    const chosen = await WAYS['POST estimate']({ id: wanted[1] });
    assert.equal(chosen.property_id, wanted[1]);
  });

  it('keep their candidates in the CSV and the lines that agents read', async () => {
    const { latitude, longitude } = first;
    const { body } = await api.post('/batches', { items: [{ latitude, longitude }, { property_id: third.id }] });
    await drain(api.deps, ['batches']);
    const csv = (await api.get(`/batches/${body.id}/results?format=csv`)).text.split('\r\n');
    assert.match(csv[0], /error_detail,candidates,property_id/);
    assert.ok(csv[1].includes(`",${[first.id, second.id].toSorted().join(' ')},`), csv[1]);
    assert.ok(csv[2].includes(`,,,${third.id},`), csv[2]);
    const lines = answerOf(await agent.callTool({ name: 'get_batch_results', arguments: { batch_id: body.id } }));
    assert.deepEqual(ids(lines.data[0]), [first.id, second.id].toSorted());
  });

  it('sharing one outline are refused too', async () => {
    await data.query('delete from parcel_shapes where property_id = $1', [fourth.id]);
    const copied = await data.query(
      `insert into parcel_shapes select (jsonb_populate_record(s, jsonb_build_object('property_id', $2::text))).*
       from parcel_shapes s where property_id = $1`,
      [third.id, fourth.id],
    );
    assert.equal(copied.rowCount, 1);
    await data.query(
      `update properties p set latitude = o.latitude, longitude = o.longitude, cell_coarse = o.cell_coarse, cell_fine = o.cell_fine
       from properties o where o.id = $1 and p.id = $2`,
      [third.id, fourth.id],
    );
    const { latitude, longitude } = third;
    await expectEverywhere({ latitude, longitude }, (body, way) =>
      assert.deepEqual([body.code, ids(body)], ['address_ambiguous', [third.id, fourth.id].toSorted()], way),
    );
  });
});

describe('a point', () => {
  const alone = homes[4];

  it('in a parcel’s outline means that parcel, in any place of it', async () => {
    const { latitude, longitude } = alone;
    await expectEverywhere({ latitude, longitude }, (body, way) => assert.equal(body.property_id, alone.id, way));
  });

  it('in no parcel and near none is refused with what is around it', async () => {
    const { rows } = await data.query(
      `select max(latitude) as latitude, (array_agg(longitude order by latitude desc))[1] as longitude from properties
       where market = 'sandbox' and status = 'active'`,
    );
    const point = { latitude: rows[0].latitude + 0.0009, longitude: rows[0].longitude };
    await expectEverywhere(point, (body, way) => {
      assert.deepEqual([body.code, body.reason], ['address_not_resolved', 'no_property_near'], way);
      assert.ok(body.suggestions.length > 0, way);
    });
    assert.match((await WAYS['POST estimate'](point)).detail, /send `sqft` and `property_type`/);
  });

  it('far from every record is out of coverage, described or not', async () => {
    const point = { latitude: 10, longitude: -150 };
    await expectEverywhere(point, (body, way) => assert.equal(body.code, 'out_of_coverage', way));
    const described = { ...point, sqft: 1500, property_type: 'single_family' };
    assert.equal((await WAYS['POST estimate'](described)).code, 'out_of_coverage');
  });

  it('is found with three statements that read no home but its own', async () => {
    const reads: number[] = [];
    const { query } = data;
    const counting = async () => {
      reads.length = 0;
      data.query = async function counted(...args: never[]) {
        const result: { rows: unknown[] } = await (query as any).apply(data, args);
        reads.push(result.rows.length);
        return result;
      } as never;
    };
    const { latitude, longitude } = alone;
    const dry = { property: { latitude, longitude }, options: { dry_run: true } };
    await api.post('/avm/estimate', dry);
    await counting();
    assert.equal((await api.post('/avm/estimate', dry)).body.property_id, alone.id);
    data.query = query;
    assert.ok(reads.length <= 3, `${reads.length} statements`);
    assert.ok(Math.max(...reads) <= 3, `${reads} rows`);
    const described = {
      property: { ...dry.property, sqft: 1500, property_type: 'single_family' },
      options: dry.options,
    };
    await counting();
    assert.equal((await api.post('/avm/estimate', described)).body.resolution.method, 'attributes');
    data.query = query;
    assert.deepEqual(reads, [1]);
  });
});

describe('an id that moved', () => {
  it('means what it was merged into, through several mergers', async () => {
    const into = sandboxId(99_001, MAGIC_APN.mergedInto);
    await expectEverywhere({ id: sandboxId(99_001, MAGIC_APN.merged) }, (body, way) =>
      assert.equal(body.property_id, into, way),
    );
    const [, , , , , last] = homes;
    await data.query(`update properties set status = 'retired' where id = $1`, [into]);
    await data.query(
      `insert into lineage (fips, property_id, successor_id, kind, happened_on, load_id)
       select fips, $1, $2, 'merged', happened_on, load_id from lineage where successor_id = $1 limit 1`,
      [into, last.id],
    );
    await expectEverywhere({ id: sandboxId(99_001, MAGIC_APN.merged) }, (body, way) =>
      assert.equal(body.property_id, last.id, way),
    );
  });

  it('of a split parcel is refused with its successors', async () => {
    await expectEverywhere({ id: sandboxId(99_001, MAGIC_APN.split) }, (body, way) =>
      assert.deepEqual([body.code, body.successors.length], ['property_superseded', 2], way),
    );
  });
});
