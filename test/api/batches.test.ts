// Batches: what goes in, what comes out and in which order, what it costs, and who may see it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { workOnBatches } from '../../src/delivery/batches/batches.ts';
import { PROVIDERS } from '../../src/delivery/batches/providers.ts';
import { DEMO, FIXTURES } from '../../src/supply/sandbox/fixtures.ts';
import { createEnrichPorts, drain, runSchedule } from '../../src/worker.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const found = await api.get('/properties/search?limit=60&property_type=single_family&fields=address');
const homes: { id: string; address: { formatted: string } }[] = found.body.data.filter(
  (home: { address: { formatted: string | null } }) =>
    home.address.formatted && !home.address.formatted.includes('Sandbox Way'),
);

async function submit(body: unknown, headers: Record<string, string> = {}, path = '/batches') {
  return api.call('POST', path, { body, headers });
}

async function finish(body: unknown, headers?: Record<string, string>, path?: string) {
  const submitted = await submit(body, headers, path);
  assert.equal(submitted.status, 202, submitted.text);
  await drain(api.deps, ['batches']);
  const results = await api.get(`/batches/${submitted.body.id}/results?limit=500`);
  const batch = await api.get(`/batches/${submitted.body.id}`);
  return { batch: batch.body, results: results.body.data as any[], id: submitted.body.id as string };
}

describe('submitting', () => {
  it('returns 202 with a location; each item succeeds or has its own error; resolved items are counted', async () => {
    const { batch, results } = await finish({
      items: [
        { custom_id: 'a', address: DEMO.address },
        { custom_id: 'b', property_id: homes[0].id },
        { custom_id: 'c', address: '20 Fogbell Ln, Port Ellowby, ZZ 00102' },
        { custom_id: 'd', address: '404 Sandbox Way, Port Ellowby, ZZ 00101' },
        { custom_id: 'e', property_id: 'prop_00000000000000000000' },
        { custom_id: 'f', address: '503 Sandbox Way, Port Ellowby, ZZ 00101' },
      ],
      include: ['property', 'risk'],
    });
    assert.equal(batch.status, 'completed');
    assert.deepEqual(batch.counts, { total: 6, succeeded: 2, failed: 4 });
    assert.deepEqual(batch.usage, { standard: 2, avm: 0 });
    assert.equal(batch.progress.percent, 100);
    assert.deepEqual(
      results.map((result) => [result.index, result.custom_id, result.error?.code ?? result.status]),
      [
        [0, 'a', 'succeeded'],
        [1, 'b', 'succeeded'],
        [2, 'c', 'address_ambiguous'],
        [3, 'd', 'address_not_resolved'],
        [4, 'e', 'property_not_found'],
        [5, 'f', 'unavailable'],
      ],
    );
    assert.equal(results[0].property_id, DEMO.property_id);
    assert.equal(results[0].property.object, 'property');
    assert.equal(results[0].risk.layers.flood.status, 'found');
    assert.ok(results[2].error.candidates.length > 1);
    const alone = await api.get(`/properties/${DEMO.property_id}`);
    const { provenance: _provenance, ...record } = alone.body;
    // Results are kept, so what follows from names is not in them.
    const { occupancy: _occupancy, vesting: _vesting, ...tenure } = record.tenure;
    assert.deepEqual(results[0].property, { ...record, tenure });
  });

  it('returns the matched address as recorded, and the sandbox’s unavailable layer', async () => {
    const layerAway = FIXTURES.find(({ name }) => name === 'layer_unavailable')!.request.property_id!;
    const items = [
      { address: DEMO.address.toLowerCase() },
      { address: '1208 Lantern Hil Dr, Port Ellowby, ZZ 00103' },
      { property_id: layerAway },
    ];
    const { results, id } = await finish({ items, include: ['risk'] });
    assert.deepEqual(
      results.map(({ match }) => [match.address, match.match_quality]),
      [
        [DEMO.address, 'exact'],
        [DEMO.address, 'corrected'],
        [(await api.get(`/properties/${layerAway}`)).body.address.formatted, 'exact'],
      ],
    );
    assert.deepEqual(
      [results[0].risk.layers.permits.status, results[2].risk.layers.permits.status],
      ['found', 'temporarily_unavailable'],
    );
    assert.deepEqual(results[2].risk, (await api.get(`/properties/${layerAway}/risk`)).body);
    const [head, first] = (await api.get(`/batches/${id}/results?format=csv`)).text.split('\r\n');
    assert.ok(head.includes(',matched_address,') && first.includes(`"${DEMO.address}"`), first);
  });

  it('values what it can; an item that cannot be valued keeps its record and says why', async () => {
    const commercial = '600 Sandbox Way, Port Ellowby, ZZ 00101';
    const items = [{ address: DEMO.address }, { address: commercial }];
    const both = await finish({ items, include: ['property', 'valuation'] });
    const alone = await api.post('/avm/estimate', { property: { id: DEMO.property_id } });
    assert.equal(alone.status, 200, alone.text);
    assert.equal(both.results[0].valuation.estimated_value, alone.body.estimated_value);
    assert.deepEqual(both.results[0].valuation.confidence_interval, alone.body.confidence_interval);
    assert.deepEqual(Object.keys(both.results[0].valuation).sort(), Object.keys(alone.body).sort());
    assert.equal(both.results[1].status, 'succeeded');
    assert.equal(both.results[1].valuation, null);
    assert.equal(both.results[1].valuation_error.code, 'unsupported_property_type');
    assert.deepEqual(both.batch.usage, { standard: 2, avm: 1 });
    const valuesOnly = await finish({ items, include: ['valuation'] });
    assert.equal(valuesOnly.results[1].error.code, 'unsupported_property_type');
    assert.deepEqual(valuesOnly.batch.usage, { standard: 0, avm: 1 });
  });

  it('gives the same results for NDJSON and CSV as for JSON', async () => {
    const three = homes.slice(0, 3);
    const json = await finish({
      items: three.map((home, i) => ({ custom_id: `h${i}`, address: home.address.formatted })),
    });
    const ndjson = await finish(
      three.map((home, i) => JSON.stringify({ custom_id: `h${i}`, address: home.address.formatted })).join('\n'),
      { 'content-type': 'application/x-ndjson' },
    );
    const csv = await finish(
      `custom_id,address\r\n${three.map((home, i) => `h${i},"${home.address.formatted}"`).join('\r\n')}\r\n`,
      { 'content-type': 'text/csv' },
    );
    assert.equal(json.batch.counts.succeeded, 3);
    assert.deepEqual(ndjson.results, json.results);
    assert.deepEqual(csv.results, json.results);
  });

  it('returns 400 for no items, both locators, a repeated custom_id, an unknown member, broken NDJSON or an unknown column', async () => {
    const cases: [unknown, Record<string, string>][] = [
      [{ items: [] }, {}],
      [{ items: [{ address: 'x', property_id: 'y' }] }, {}],
      [{ items: [{}] }, {}],
      [
        {
          items: [
            { custom_id: 'a', address: 'x' },
            { custom_id: 'a', address: 'y' },
          ],
        },
        {},
      ],
      [{ items: [{ adress: 'x' }] }, {}],
      ['{"address": "x"}\n{oops', { 'content-type': 'application/x-ndjson' }],
      ['colour,size\nred,big\n', { 'content-type': 'text/csv' }],
    ];
    for (const [body, headers] of cases) assert.equal((await submit(body, headers)).status, 400, JSON.stringify(body));
    assert.equal((await submit('hello', { 'content-type': 'text/plain' })).status, 415);
    const nothing = await api.call('POST', '/batches', {});
    assert.deepEqual([nothing.status, nothing.body.code], [400, 'invalid_request']);
    assert.equal((await submit('<x/>', { 'content-type': 'application/xml' })).status, 415);
  });

  it('finds a property by address, parts of it, id, parcel or point, in JSON, NDJSON and CSV alike', async () => {
    const { body: home } = await api.get(`/properties/${DEMO.property_id}`);
    const { fips, apn } = home.identifiers;
    const [street] = DEMO.address.split(', ');
    const county = (await api.get('/markets/sandbox')).body.counties.find((each: any) => each.fips === fips).name;
    const items: Record<string, string | number>[] = [
      { address: DEMO.address },
      { street, city: 'Port Ellowby', state: 'ZZ', zip: '103' },
      { address: street, city: 'Port Ellowby', state: 'ZZ' },
      { street, zip: '00103' },
      { property_id: DEMO.property_id },
      { property_id: `${fips}:${apn}` },
      { apn, fips },
      { apn: apn.replaceAll('-', ''), county: county.replace(' County', ''), state: 'zz' },
      { latitude: home.latitude, longitude: home.longitude },
    ];
    const ids = (results: any[]) => results.map((result) => result.property_id ?? result.error.detail);
    const wanted = items.map(() => DEMO.property_id);
    assert.deepEqual(ids((await finish({ items })).results), wanted);
    const lines = items.map((item) => JSON.stringify(item)).join('\n');
    assert.deepEqual(ids((await finish(lines, { 'content-type': 'application/x-ndjson' })).results), wanted);
    const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
    const cell = (value: string | number | undefined) => (value === undefined ? '' : `"${value}"`);
    const rows = items.map((item) => columns.map((column) => cell(item[column])).join(','));
    const csv = [columns.join(','), ...rows].join('\n');
    assert.deepEqual(ids((await finish(csv, { 'content-type': 'text/csv' })).results), wanted);
  });

  it('refuses an item that is not clear, and says which', async () => {
    const cases: [item: object, says: RegExp][] = [
      [{ latitude: 43 }, /Item 1: latitude and longitude must be sent together/],
      [{ apn: '12' }, /Item 1: a parcel number needs the county/],
      [{ apn: '12', fips: '1' }, /Item 1: `1` is not a five-digit/],
      [{ address: 'x', street: 'y' }, /Item 1: has both/],
      [{ address: 'x', latitude: 1, longitude: 1 }, /Item 1: needs only one of/],
      [{ city: 'Port Ellowby' }, /Item 1: needs one of/],
      [{ adress: 'x' }, /`adress` is not known here. Did you mean `address`/],
      [{ address: 'x', metadata: { a: 1 } }, /metadata/],
      [{ address: 'x', metadata: { a: 'x'.repeat(501) } }, /metadata/],
      [
        { address: 'x', metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v'])) },
        /metadata/,
      ],
    ];
    for (const [item, says] of cases) {
      const { status, body } = await submit({ items: [{ address: DEMO.address }, item] });
      assert.equal(status, 400, JSON.stringify(item));
      assert.match(body.detail, says);
      const lines = `${JSON.stringify({ address: DEMO.address })}\n\n${JSON.stringify(item)}\n`;
      const ndjson = await submit(lines, { 'content-type': 'application/x-ndjson' });
      assert.equal(ndjson.status, 400, JSON.stringify(item));
      assert.match(ndjson.body.detail, /^Line 3: /);
    }
  });

  it('returns metadata and further columns with each result, in JSON, NDJSON and CSV', async () => {
    const given = await finish({
      items: [
        { address: DEMO.address, metadata: { loan: 'L-1', status: 'new' } },
        { address: 'nowhere', metadata: { branch: '=1+1' } },
        { property_id: DEMO.property_id },
      ],
    });
    assert.deepEqual(
      given.results.map(({ metadata }) => metadata),
      [{ loan: 'L-1', status: 'new' }, { branch: '=1+1' }, undefined],
    );
    const csv = (await api.get(`/batches/${given.id}/results?format=csv`)).text.trim().split('\r\n');
    assert.ok(csv[0].endsWith(',loan,metadata.status,branch'), csv[0]);
    assert.ok(csv[1].endsWith(',L-1,new,') && csv[2].endsWith(",,,'=1+1") && csv[3].endsWith(',,,'), csv.join('\n'));
    const sheet = await finish(
      `Loan No;Street Address;Town;ST;Zip Code;lat;lon\nL-9;${DEMO.address.split(',')[0]};Port Ellowby;ZZ;103;1;2\n`,
      {
        'content-type': 'text/csv',
      },
    );
    assert.equal(sheet.results[0].property_id, DEMO.property_id);
    assert.deepEqual(sheet.results[0].metadata, { 'Loan No': 'L-9', lat: '1', lon: '2' });
    const [line] = (await api.get(`/batches/${sheet.id}/results?format=ndjson`)).text.split('\n');
    assert.deepEqual(JSON.parse(line).metadata, sheet.results[0].metadata);
  });

  it('returns 422 above the plan’s limit and 403 for a part the key may not read', async () => {
    const many = { items: Array.from({ length: 1_001 }, () => ({ property_id: homes[0].id })) };
    const tooLarge = await submit(many);
    assert.equal(tooLarge.body.code, 'batch_too_large');
    assert.equal(tooLarge.body.limit, 1_000);
    const key = await api.keyWith(['batch:write', 'properties:read']);
    const refused = await api.post('/batches', { items: [{ property_id: homes[0].id }], include: ['risk'] }, { key });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.required_scope, 'risk:read');
  });

  it('returns the finished batch and its results with `wait`', async () => {
    const asked = submit({ items: [{ address: DEMO.address }] }, {}, '/batches?wait=30');
    while ((await Promise.race([asked, sleep(50)])) === undefined) await drain(api.deps, ['batches']);
    const answer = await asked;
    assert.equal(answer.status, 200);
    assert.equal(answer.body.status, 'completed');
    assert.equal(answer.body.results[0].property_id, DEMO.property_id);
  });
});

describe('results', () => {
  it('are paged and streamed in input order, and resumable', async () => {
    const { id, results } = await finish({ items: homes.slice(0, 55).map((home) => ({ property_id: home.id })) });
    assert.deepEqual(
      results.map((result) => result.property_id),
      homes.slice(0, 55).map((home) => home.id),
    );
    const pages: any[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await api.get(`/batches/${id}/results?limit=20${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.body.data);
      cursor = page.body.pagination.next_cursor;
    }
    assert.deepEqual(pages, results);
    const lines = (await api.get(`/batches/${id}/results?format=ndjson`)).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(lines, results);
    const rest = (await api.get(`/batches/${id}/results?format=ndjson&after_index=49`)).text.trim().split('\n');
    assert.deepEqual(
      rest.map((line) => JSON.parse(line)),
      results.slice(50),
    );
    const csv = (await api.get(`/batches/${id}/results?format=csv`)).text.trim().split('\r\n');
    assert.equal(csv.length, 56);
    assert.ok(csv[0].startsWith('index,custom_id,status'));
  });

  it('are invisible to other accounts', async () => {
    const { id } = await finish({ items: [{ property_id: homes[0].id }] });
    const stranger = await createAccount(api.deps.control, api.deps.clock(), 'Other', 'pro');
    const { secret } = await createKey(api.deps, stranger.id, { name: 'x', mode: 'test', scopes: [...SCOPES] });
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/results'],
      ['POST', '/cancel'],
      ['DELETE', ''],
    ]) {
      const theirs = await api.call(method, `/batches/${id}${path}`, { key: secret });
      const missing = await api.call(method, `/batches/batch_00000000000000000000${path}`, { key: secret });
      assert.equal(theirs.status, 404);
      assert.equal(theirs.body.detail.replace(id, 'X'), missing.body.detail.replace('batch_00000000000000000000', 'X'));
    }
    assert.equal((await api.get(`/batches/${id}`, { key: api.liveKey })).status, 404);
    assert.equal((await api.get('/batches', { key: secret })).body.data.length, 0);
  });
});

describe('ending', () => {
  it('cancels unfinished items; deletes only finished batches', async () => {
    const { body } = await submit({ items: homes.slice(0, 5).map((home) => ({ property_id: home.id })) });
    assert.equal((await api.call('DELETE', `/batches/${body.id}`)).status, 409);
    const canceled = await api.post(`/batches/${body.id}/cancel`);
    assert.equal(canceled.body.status, 'canceled');
    assert.equal((await api.post(`/batches/${body.id}/cancel`)).status, 409);
    await drain(api.deps, ['batches']);
    const results = await api.get(`/batches/${body.id}/results`);
    assert.deepEqual([...new Set(results.body.data.map((result: any) => result.status))], ['canceled']);
    assert.equal((await api.get(`/batches/${body.id}`)).body.usage.standard, 0);
    assert.equal((await api.call('DELETE', `/batches/${body.id}`)).status, 204);
    assert.equal((await api.get(`/batches/${body.id}`)).status, 404);
  });

  it('keeps finished items, their results and charges when canceled halfway', async () => {
    const { body } = await submit({ items: homes.slice(0, 40).map((home) => ({ property_id: home.id })) });
    await workOnBatches(api.deps, createEnrichPorts(api.deps));
    const half = await api.get(`/batches/${body.id}`);
    assert.ok(half.body.progress.percent > 0 && half.body.progress.percent < 100);
    assert.ok(half.body.progress.eta_seconds >= 0);
    const { succeeded } = half.body.counts;
    const canceled = await api.post(`/batches/${body.id}/cancel`);
    assert.deepEqual(canceled.body.usage, { standard: succeeded, avm: 0 });
    await drain(api.deps, ['batches']);
    const { body: page } = await api.get(`/batches/${body.id}/results`);
    assert.deepEqual(
      page.data.map((result: any) => result.status),
      Array.from({ length: 40 }, (_, i) => (i < succeeded ? 'succeeded' : 'canceled')),
    );
  });

  it('cancels without waiting for the items that a worker has in hand, and those alone still finish', async () => {
    const { body } = await submit({ items: homes.slice(0, 60).map((home) => ({ property_id: home.id })) });
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const ports = createEnrichPorts(api.deps);
    const working = workOnBatches(api.deps, {
      ...ports,
      beforeItem: async () => {
        begun.resolve();
        await gate.promise;
      },
    });
    await begun.promise;
    const canceled = await api.post(`/batches/${body.id}/cancel`);
    assert.equal(canceled.body.status, 'canceled');
    gate.resolve();
    await working;
    await drain(api.deps, ['batches']);
    const { body: page } = await api.get(`/batches/${body.id}/results`);
    const statuses = Map.groupBy(page.data, (result: any) => result.status);
    assert.deepEqual(
      [statuses.get('succeeded')?.length, statuses.get('canceled')?.length],
      [25, page.data.length - 25],
    );
    assert.equal((await api.get(`/batches/${body.id}`)).body.usage.standard, 25, 'only what finished counts');
  });

  it('closes what a worker had in hand when it died, and frees its allowance', async () => {
    const { body } = await submit({ items: homes.slice(0, 5).map((home) => ({ property_id: home.id })) });
    // A worker that dies holding its items: they are locked while the batch is canceled, and free afterward.
    const worker = await api.deps.control.connect();
    await worker.query('begin');
    await worker.query(`select 1 from batch_items where batch_id = $1 limit 2 for update`, [body.id]);
    assert.equal((await api.post(`/batches/${body.id}/cancel`)).body.status, 'canceled');
    await worker.query('rollback');
    worker.release();
    await api.deps.control.query(`update batches set finished_at = finished_at - interval '1 hour' where id = $1`, [
      body.id,
    ]);
    await runSchedule(api.deps, 'tidy-batches');
    const { body: page } = await api.get(`/batches/${body.id}/results`);
    assert.deepEqual([...new Set(page.data.map((result: any) => result.status))], ['canceled']);
  });

  it('records an event when a batch finishes; results are kept for seven days', async () => {
    const { id } = await finish({ items: [{ property_id: homes[0].id }] });
    const { rows } = await api.deps.control.query(`select type, data from events where data ->> 'batch_id' = $1`, [id]);
    assert.deepEqual(rows, [
      { type: 'batch.completed', data: { batch_id: id, counts: { total: 1, succeeded: 1, failed: 0 } } },
    ]);
    await api.deps.control.query(`update batches set finished_at = finished_at - interval '8 days' where id = $1`, [
      id,
    ]);
    await runSchedule(api.deps, 'tidy-batches');
    assert.equal((await api.get(`/batches/${id}/results`)).status, 404);
    assert.equal((await api.get(`/batches/${id}`)).status, 200);
  });

  it('expires a batch that takes longer than a day, with an event', async () => {
    const { body } = await submit({ items: [{ property_id: homes[0].id }] });
    await api.deps.control.query(`update batches set created_at = created_at - interval '25 hours' where id = $1`, [
      body.id,
    ]);
    await runSchedule(api.deps, 'tidy-batches');
    assert.equal((await api.get(`/batches/${body.id}`)).body.status, 'expired');
    const { rows } = await api.deps.control.query(`select type from events where data ->> 'batch_id' = $1`, [body.id]);
    assert.deepEqual(rows, [{ type: 'batch.failed' }]);
  });
});

describe('a live batch’s hold', () => {
  const meters = async (key: string) => {
    const { standard, avm } = (await api.get('/usage', { key })).body;
    assert.equal(standard.remaining, 100_000 - standard.used - standard.reserved, 'reserved units are not remaining');
    return { used: [standard.used, avm.used], held: [standard.reserved, avm.reserved] };
  };
  async function liveKey(): Promise<string> {
    const account = await createAccount(api.deps.control, api.deps.clock(), 'Live', 'pro');
    return (await createKey(api.deps, account.id, { name: 'x', mode: 'live', scopes: [...SCOPES] })).secret;
  }
  // Live keys cannot see the sandbox: no item is found, so nothing is charged and everything is released.
  const body = { items: Array.from({ length: 30 }, () => ({ property_id: DEMO.property_id })) };
  const wanted = { ...body, include: ['property', 'valuation'] };

  it('reserves the most the batch can cost and releases what is left when it completes', async () => {
    const key = await liveKey();
    const submitted = await api.post('/batches', wanted, { key });
    assert.equal(submitted.status, 202, submitted.text);
    assert.deepEqual(await meters(key), { used: [0, 0], held: [30, 30] });
    await drain(api.deps, ['batches']);
    const { body: batch } = await api.get(`/batches/${submitted.body.id}`, { key });
    assert.deepEqual([batch.status, batch.counts.failed], ['completed', 30]);
    assert.deepEqual(await meters(key), { used: [0, 0], held: [0, 0] });
  });

  it('is released when the batch is canceled or expires', async () => {
    const key = await liveKey();
    const first = await api.post('/batches', wanted, { key });
    await api.post(`/batches/${first.body.id}/cancel`, {}, { key });
    assert.deepEqual(await meters(key), { used: [0, 0], held: [0, 0] });
    const second = await api.post('/batches', wanted, { key });
    assert.deepEqual((await meters(key)).held, [30, 30]);
    await api.deps.control.query(`update batches set created_at = created_at - interval '25 hours' where id = $1`, [
      second.body.id,
    ]);
    await runSchedule(api.deps, 'tidy-batches');
    assert.equal((await api.get(`/batches/${second.body.id}`, { key })).body.status, 'expired');
    assert.deepEqual((await meters(key)).held, [0, 0]);
  });
});

describe('an item that breaks what it is processed with', () => {
  const failures: [name: string, error: Error, code: string][] = [
    ['a bug', new TypeError('x is not a function'), 'internal_error'],
    ['a query that takes too long', Object.assign(new Error('canceled'), { code: '57014' }), 'timeout'],
    ['a lost connection', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }), 'unavailable'],
  ];
  for (const [name, error, code] of failures) {
    it(`fails alone: ${name}`, async () => {
      const own = await testClient();
      await own.deps.data.query('update markets set sandbox = false');
      const poison = new Set([homes[7].id, homes[8].id, homes[29].id]);
      const items = homes.slice(0, 40).map(({ id }) => ({ property_id: id }));
      const wanted = { items, include: ['property', 'risk', 'valuation'] };
      const { body: submitted } = await own.post('/batches', wanted, { key: own.liveKey });
      const ports = createEnrichPorts(own.deps);
      const broken = {
        ...ports,
        risk: async (rows: { id: string }[]) => {
          if (rows.some(({ id }) => poison.has(id))) throw error;
          return ports.risk(rows as never);
        },
      };
      // Two workers at once, as in a running program.
      const run = async () => {
        while (await workOnBatches(own.deps, broken));
      };
      await Promise.all([run(), run()]);
      const { body: batch } = await own.get(`/batches/${submitted.id}`, { key: own.liveKey });
      assert.deepEqual([batch.status, batch.counts], ['completed', { total: 40, succeeded: 37, failed: 3 }]);
      assert.deepEqual(batch.usage, { standard: 37, avm: 37 });
      const { body: page } = await own.get(`/batches/${submitted.id}/results`, { key: own.liveKey });
      for (const [index, result] of page.data.entries()) {
        assert.equal(result.index, index);
        const expected = poison.has(homes[index].id) ? ['failed', code] : ['succeeded', undefined];
        assert.deepEqual([result.status, result.error?.code], expected, `item ${index}`);
      }
      const { body: usage } = await own.get('/usage', { key: own.liveKey });
      assert.deepEqual([usage.standard.used, usage.avm.used], [37, 37], 'each item is charged once');
      assert.deepEqual([usage.standard.reserved, usage.avm.reserved], [0, 0]);
    });
  }

  it('fails alone when its result cannot be stored', async () => {
    const { body } = await submit({
      items: homes.slice(0, 10).map(({ id }) => ({ property_id: id })),
      include: ['valuation'],
    });
    const ports = createEnrichPorts(api.deps);
    const value = async (row: { id: string }) => ({ note: row.id === homes[4].id ? 'a\u0000b' : 'fine' });
    while (await workOnBatches(api.deps, { ...ports, value }));
    const { body: page } = await api.get(`/batches/${body.id}/results`);
    assert.deepEqual(
      page.data.map((result: any) => result.error?.code ?? result.status),
      homes.slice(0, 10).map((_, index) => (index === 4 ? 'internal_error' : 'succeeded')),
    );
  });

  it('waits while the disk is full, and fails nothing', async () => {
    const items = homes.slice(0, 3).map(({ id }) => ({ property_id: id }));
    const { body } = await submit({ items, include: ['valuation'] });
    const full = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' });
    const ports = { ...createEnrichPorts(api.deps), value: () => Promise.reject(full) };
    for (let i = 0; i < 20; i++) await assert.rejects(workOnBatches(api.deps, ports), /No space left/);
    await drain(api.deps, ['batches']);
    assert.equal((await api.get(`/batches/${body.id}`)).body.counts.succeeded, 3);
  });

  it('waits while the database is away, and fails nothing', async () => {
    const { body } = await submit({ items: homes.slice(0, 3).map(({ id }) => ({ property_id: id })) });
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const risk = () => Promise.reject(away);
    const gone = { ...api.deps, data: { query: risk } } as never;
    for (let i = 0; i < 20; i++)
      await assert.rejects(workOnBatches(gone, { ...createEnrichPorts(api.deps), beforeItem: risk }));
    await drain(api.deps, ['batches']);
    assert.equal((await api.get(`/batches/${body.id}`)).body.counts.succeeded, 3);
  });
});

describe('a live batch’s cost', () => {
  it('is one unit for each item found and one for each item valued', async () => {
    const own = await testClient();
    // Make the sandbox market a live one.
    await own.deps.data.query('update markets set sandbox = false');
    const items = [...homes.slice(0, 3).map(({ id }) => ({ property_id: id })), { property_id: 'prop_unknown' }];
    const wanted = { items, include: ['property', 'valuation'] };
    const submitted = await own.post('/batches', wanted, { key: own.liveKey });
    await drain(own.deps, ['batches']);
    const { body: batch } = await own.get(`/batches/${submitted.body.id}`, { key: own.liveKey });
    assert.deepEqual([batch.counts.succeeded, batch.counts.failed], [3, 1]);
    assert.deepEqual(batch.usage, { standard: 3, avm: 3 });
    const { body } = await own.get('/usage', { key: own.liveKey });
    assert.deepEqual([body.standard.used, body.avm.used], [3, 3]);
    assert.deepEqual([body.standard.reserved, body.avm.reserved], [0, 0]);
  });
});

describe('turns', () => {
  it('finish a small batch long before another account’s earlier big one', async () => {
    const other = await createAccount(api.deps.control, api.deps.clock(), 'Small', 'pro');
    const { secret } = await createKey(api.deps, other.id, { name: 'x', mode: 'test', scopes: [...SCOPES] });
    const big = await submit({ items: Array.from({ length: 500 }, (_, i) => ({ property_id: homes[i % 50].id })) });
    const small = await api.post('/batches', { items: [{ property_id: homes[0].id }] }, { key: secret });
    const { rows } = await (async () => {
      await drain(api.deps, ['batches']);
      return api.deps.control.query(
        `select id, finished_at, (select count(*)::int from batch_items i
        where i.batch_id = $1 and i.finished_at <= b.finished_at) as before from batches b where id = $2`,
        [big.body.id, small.body.id],
      );
    })();
    assert.ok(rows[0].before <= 50, `${rows[0].before} items of the big batch came first`);
  });
});

describe('the names of other providers', () => {
  it('stand for fields that records and valuations have', () => {
    const { schemas } = (api.openApi() as any).components;
    const has = (shape: any, path: string): boolean => {
      const [first, ...rest] = path.split('.');
      const resolved = shape?.$ref ? schemas[shape.$ref.split('/').pop()] : shape;
      const variants: any[] = resolved?.anyOf ?? [resolved?.items ?? resolved];
      return variants.some((each) => {
        const found = each?.$ref ? schemas[each.$ref.split('/').pop()] : each;
        const member = found?.properties?.[first];
        return member !== undefined && (rest.length === 0 || has(member, rest.join('.')));
      });
    };
    for (const { name, record, valuation } of Object.values(PROVIDERS)) {
      for (const { ours, theirs, locates } of record) {
        if (ours !== null) assert.ok(has({ $ref: '/Property' }, ours), `${name}: ${theirs} → ${ours}`);
        if (locates !== undefined) assert.ok(locates in schemas.BatchItem.properties, `${name}: ${theirs}`);
      }
      for (const { ours, theirs } of valuation)
        if (ours !== null) assert.ok(has({ $ref: '/Valuation' }, ours), `${name}: ${theirs} → ${ours}`);
      const all = [...record, ...valuation].map(({ theirs }) => theirs);
      assert.equal(new Set(all).size, all.length, name);
    }
  });

  it('name the columns of a CSV of results, and only of that', async () => {
    const { id } = await finish({ items: [{ address: DEMO.address }], include: ['property', 'valuation'] });
    const head = async (names: string) =>
      (await api.get(`/batches/${id}/results?format=csv&names=${names}`)).text.split('\r\n')[0].split(',');
    const ours = (await api.get(`/batches/${id}/results?format=csv`)).text;
    const expected = {
      rentcast: ['squareFootage', 'yearBuilt', 'lotSize', 'lastSalePrice', 'price', 'priceRangeLow', 'match_quality'],
      attom: ['building.size.livingSize', 'summary.yearBuilt', 'sale.amount.saleAmt', 'avm.amount.value', 'custom_id'],
      estated: ['structure.total_area_sq_ft', 'structure.year_built', 'valuation.value', 'last_sale_price'],
    };
    for (const [names, columns] of Object.entries(expected)) {
      const found = await head(names);
      for (const column of columns) assert.ok(found.includes(column), `${names}: ${column}`);
      assert.equal(found.length, ours.split('\r\n')[0].split(',').length);
    }
    assert.equal(
      (await api.get(`/batches/${id}/results?format=csv&names=rentcast`)).text.split('\r\n')[1],
      ours.split('\r\n')[1],
    );
    assert.equal((await api.get(`/batches/${id}/results?names=rentcast`)).status, 400);
  });
});
