// What an agent sees: tools over streamable HTTP, admitted and trimmed to size.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { DEMO, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { answerOf } from '../agents.ts';
import { testClient } from '../harness.ts';

const TOOLS = [
  'resolve_property',
  'estimate_value',
  'estimate_rent',
  'explain_value',
  'search_properties',
  'get_property',
  'get_risk',
  'get_title',
  'get_transactions',
  'get_market_accuracy',
  'describe_coverage',
  'get_usage',
  'list_portfolios',
  'get_portfolio',
  'get_market_figures',
  'rank_areas',
  'list_changes',
  'get_quality',
  'start_batch',
  'get_batch',
  'get_batch_results',
  'create_report',
];
/** Those that start work or keep something. */
const WRITING = ['start_batch', 'create_report'];

const api = await testClient();
const address = await api.app.listen({ port: 0, host: '127.0.0.1' });

async function connect(headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } });
  await client.connect(transport);
  after(() => client.close());
  return client;
}

const agent = await connect({ authorization: `Bearer ${api.testKey}` });

async function call(name: string, args: Record<string, unknown> = {}, client = agent): Promise<any> {
  const result = await client.callTool({ name, arguments: args });
  const bytes = Buffer.byteLength(JSON.stringify(result));
  assert.ok(bytes <= 20_000, `${name} answered with ${bytes} bytes`);
  return { ...answerOf(result), isError: result.isError ?? false };
}

describe('the list of tools', () => {
  it('has every tool with its cost, its arguments, and whether it only reads, in 20 kB', async () => {
    const list = await agent.listTools();
    const { tools } = list;
    const answer = await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":"a-long-id-of-a-client-00000000000","method":"tools/list"}',
    });
    const sent = (await answer.arrayBuffer()).byteLength;
    assert.ok(sent > 10_000 && sent <= 19_600, `${sent} bytes as sent, which leaves too few of 20,000 for what comes`);
    assert.ok(Buffer.byteLength(JSON.stringify(list)) <= 19_600, 'as an official client has it');
    assert.deepEqual(tools.map(({ name }) => name).sort(), [...TOOLS].sort());
    for (const tool of tools) {
      assert.match(tool.description ?? '', /Cost: (free|[12] (standard|AVM) call)/, tool.name);
      assert.equal(tool.annotations?.readOnlyHint, !WRITING.includes(tool.name), tool.name);
      assert.equal(tool.annotations?.destructiveHint ?? false, false);
      assert.equal(tool.annotations?.openWorldHint, false);
      assert.equal(tool.inputSchema.type, 'object');
    }
  });

  it('can be listed without a key; anything else is a 401 that says where to sign in', async () => {
    const send = (message: object) =>
      fetch(`${address}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      });
    const listed = await send({ method: 'tools/list' });
    assert.equal(listed.status, 200);
    for (const name of TOOLS) assert.match(await listed.clone().text(), new RegExp(`"${name}"`));
    for (const method of ['initialize', 'server/discover', 'tools/call']) {
      const refused = await send({ method, params: { name: 'search_properties', arguments: {} } });
      assert.equal(refused.status, 401, method);
      assert.match(refused.headers.get('www-authenticate') ?? '', /resource_metadata="/);
      assert.equal(((await refused.json()) as { code: string }).code, 'missing_api_key');
    }
  });

  it('takes filters that are too rare to be listed', async () => {
    const { tools } = await agent.listTools();
    const listed = tools.find(({ name }) => name === 'search_properties')!.inputSchema.properties!;
    const rare = { min_assessed_value: 300_000, max_value_per_sqft: 400, min_open_loans: 1 };
    for (const [name, value] of Object.entries(rare)) {
      assert.ok(!(name in listed), name);
      const { count } = await call('search_properties', { zip: '00103', [name]: value, count_only: true });
      const rest = await api.get(`/properties/count?zip=00103&${name}=${value}`);
      assert.equal(count, rest.body.count, name);
      assert.ok(count > 0, name);
    }
    const wrong = await call('search_properties', { min_open_loans: 'many', count_only: true });
    assert.ok(wrong.isError);
    assert.match(wrong.detail, /min_open_loans.*whole number.*many/);
  });

  it('offers the underwriting prompt and the coverage resource', async () => {
    const prompt = await agent.getPrompt({ name: 'underwrite_property', arguments: { address: DEMO.address } });
    assert.match(JSON.stringify(prompt.messages), /1208 Lantern Hill/);
    const { contents } = await agent.readResource({ uri: 'platbook://coverage' });
    assert.match((contents[0] as { text: string }).text, /"sandbox"/);
  });
});

describe('title and portfolios', () => {
  it('a title and a portfolio are those of REST', async () => {
    const title = await call('get_title', { property_id: sandboxId(99_001, MAGIC_APN.titleLoans) });
    const rest = await api.get(`/properties/${sandboxId(99_001, MAGIC_APN.titleLoans)}/title`);
    assert.deepEqual([title.flags, title.mortgages], [rest.body.flags, rest.body.mortgages]);
    const made = await api.post('/watchlists', { name: 'two', property_ids: [DEMO.property_id] });
    const { data } = await call('list_portfolios');
    assert.ok(data.some((list: any) => list.id === made.body.id));
    const portfolio = await call('get_portfolio', { portfolio_id: made.body.id, interval_level: 0.9 });
    assert.deepEqual([portfolio.property_count, portfolio.total.interval_level], [1, 0.9]);
    const unknown = await call('get_portfolio', { portfolio_id: 'wl_00000000000000000000' });
    assert.deepEqual([unknown.isError, unknown.code], [true, 'resource_not_found']);
  });
});

describe('places as people say them', () => {
  const count = async (args: object) => (await call('search_properties', { ...args, count_only: true })).count;

  it('a city, a ZIP, a county with or without its state: the same homes as by code', async () => {
    const city = await count({ city: 'Port Ellowby', state: 'ZZ' });
    assert.ok(city > 100);
    for (const place of ['Port Ellowby', 'port ellowby, zz', 'PORT ELLOWBY ZZ', 'City of Port Ellowby'])
      assert.equal(await count({ place }), city, place);
    assert.equal(await count({ city: 'Port Ellowby, ZZ' }), city);
    const zip = await count({ zip: '00103' });
    for (const place of ['00103', 'Port Ellowby, ZZ 00103', '00103-1234'])
      assert.equal(await count({ place }), zip, place);
    const county = await count({ fips: '99001' });
    for (const place of [
      'Wendemere County',
      'wendemere co.',
      'Wendemere County, ZZ',
      'Wendemere',
      'County of Wendemere',
    ])
      assert.equal(await count({ place }), county, place);
    assert.equal(await count({ fips: 'Wendemere County' }), county);
    assert.equal(
      await count({ place: 'Wendemere County', property_type: 'condo' }),
      await count({ fips: '99001', property_type: 'condo' }),
    );
    assert.equal(await count({ place: 'ZZ' }), await count({ state: 'ZZ' }));
    assert.equal(await count({ place: 'Sandbox Isle' }), await count({ market: 'sandbox' }));
  });

  it('in every tool that takes one', async () => {
    for (const place of ['Port Ellowby, ZZ', '00103', 'Wendemere County', 'sandbox']) {
      assert.ok((await call('get_market_figures', { place, interval: 'year' })).data.length > 5, place);
      for (const figures of ['price_index', 'forecast', 'homes'])
        assert.equal((await call('get_market_figures', { place, figures })).isError, false, `${place} ${figures}`);
      assert.ok((await call('rank_areas', { place, kind: 'zip', figure: 'median_price' })).data.length > 0, place);
      assert.equal((await call('get_market_accuracy', { market: place })).data[0].market, 'sandbox');
      assert.equal((await call('get_quality', { market: place })).market, 'sandbox');
      assert.ok((await call('describe_coverage', { market: place })).data.length > 0);
      assert.equal((await call('list_changes', { place, limit: 3 })).isError, false);
      assert.equal((await call('search_properties', { place, limit: 1 })).data.length, 1);
    }
  });

  it('one that is not loaded is answered with the nearest, and costs nothing', async () => {
    const wrong = await call('search_properties', { place: 'Port Elowby, ZZ' });
    assert.deepEqual([wrong.isError, wrong.code], [true, 'resource_not_found']);
    assert.equal(wrong.suggestions[0], 'Port Ellowby');
    assert.deepEqual([wrong.errors[0].argument, wrong.errors[0].pointer], ['place', '/place']);
    const far = await call('get_market_figures', { place: 'Springfield County, IL' });
    assert.equal(far.code, 'resource_not_found');
  });

  it('one of several of a name is asked for, and none is guessed', async () => {
    const { data, catalog } = api.deps;
    const { rows } = await data.query<{ name: string }>('select name from counties where fips = 99003');
    const rename = async (name: string) => {
      await data.query('update counties set name = $1 where fips = 99003', [name]);
      catalog.forget();
    };
    await rename('Wendemere County');
    try {
      const doubt = await call('search_properties', { place: 'Wendemere County' });
      assert.deepEqual([doubt.isError, doubt.code, doubt.errors[0].argument], [true, 'invalid_request', 'place']);
      assert.match(doubt.detail, /several of that name: Wendemere County, ZZ; Wendemere County, ZZ/);
    } finally {
      await rename(rows[0].name);
    }
  });

  it('GET /places says the same to everyone, free', async () => {
    const { body } = await api.get('/places?q=Quillmoor+County');
    assert.deepEqual([body.data[0].kind, body.data[0].filter], ['county', { fips: '99003' }]);
    const byCode = (await api.get('/places?q=99003')).body.data;
    assert.deepEqual(byCode, body.data, 'a county’s code that is no ZIP names the county');
    const live = await api.get('/places?q=Port+Ellowby', { key: api.liveKey });
    assert.equal(live.status, 404);
  });
});

describe('records', () => {
  it('count and search use the REST filters, with lists as arrays or comma-separated', async () => {
    const filter = { state: 'ZZ', min_bedrooms: 3, max_sqft: 2_500 };
    const rest = await api.get('/properties/count?state=ZZ&min_bedrooms=3&max_sqft=2500&property_type=condo,townhouse');
    const asArray = await call('search_properties', {
      ...filter,
      count_only: true,
      property_type: ['condo', 'townhouse'],
    });
    const asText = await call('search_properties', { ...filter, count_only: true, property_type: 'condo,townhouse' });
    assert.equal(asArray.count, rest.body.count);
    assert.equal(asText.count, rest.body.count);
    const found = await call('search_properties', { ...filter, property_type: ['condo'], include_total: true });
    assert.equal(found.data.length, 5);
    assert.ok(found.pagination.total > 5);
    assert.equal(found.truncated, false);
    assert.ok(found.data.every((property: any) => property.property_type === 'condo' && !('provenance' in property)));
  });

  it('a page too long for one answer is trimmed, and the cursor continues without gaps or repeats', async () => {
    const narrow = { zip: '00103', property_type: ['condo', 'townhouse'] };
    const query = { ...narrow, limit: 40, detail: 'full' };
    const { body: whole } = await api.post('/properties/search', { ...narrow, limit: 500 });
    assert.equal(whole.pagination.has_more, false);
    const expected: string[] = whole.data.map((property: any) => property.id);
    assert.ok(expected.length > 40, `${expected.length} homes fill more than a page`);
    const seen: string[] = [];
    let cursor: string | undefined;
    let wasCut = false;
    for (;;) {
      const page = await call('search_properties', { ...query, ...(cursor && { cursor }) });
      assert.ok(page.data.length > 0);
      wasCut ||= page.truncated;
      seen.push(...page.data.map((property: any) => property.id));
      cursor = page.pagination.next_cursor ?? undefined;
      assert.equal(page.pagination.has_more, cursor !== undefined);
      if (cursor === undefined) break;
    }
    assert.ok(wasCut, 'forty full records do not fit');
    assert.deepEqual(seen, expected, 'every home, once, in the order of the API');
  });

  it('one property, with the requested extras', async () => {
    const plain = await call('get_property', { property_id: DEMO.property_id });
    assert.equal(plain.sqft, 2_180);
    assert.ok(!('owner' in plain) && !('transactions' in plain));
    const more = await call('get_property', { property_id: DEMO.property_id, include: ['owner', 'transactions'] });
    assert.ok(more.owner.names.length > 0 && more.transactions.length > 0);
    assert.equal(more.truncated, false);
  });

  it('transactions continue with a cursor', async () => {
    const first = await call('get_transactions', { property_id: DEMO.property_id, limit: 2 });
    assert.equal(first.data.length, 2);
    const second = await call('get_transactions', {
      property_id: DEMO.property_id,
      limit: 2,
      cursor: first.pagination.next_cursor,
    });
    assert.notEqual(second.data[0].id, first.data[0].id);
  });

  it('an address serves wherever an id does, or comes back with its candidates', async () => {
    for (const tool of ['get_property', 'get_transactions', 'get_risk', 'get_title']) {
      const [byAddress, byId] = [
        await call(tool, { address: DEMO.address }),
        await call(tool, { property_id: DEMO.property_id }),
      ];
      const { made_at: _a, ...one } = byAddress;
      const { made_at: _b, ...other } = byId;
      assert.equal(byAddress.isError, false, tool);
      assert.deepEqual(one, other, tool);
      const doubt = await call(tool, { address: '350 Lighthouse Ave, Port Ellowby, ZZ 00101' });
      assert.deepEqual([doubt.code, doubt.candidates.length >= 2], ['address_ambiguous', true], tool);
    }
  });

  it('homes can be asked for by their number of units', async () => {
    const two = await call('search_properties', { state: 'ZZ', min_units: 2, max_units: 2, detail: 'full', limit: 10 });
    assert.ok(two.data.length > 0);
    assert.deepEqual(new Set(two.data.map((home: any) => home.structure.units)), new Set([2]));
  });

  it('several figures of a place come in one call', async () => {
    const figures = ['sales', 'price_index', 'forecast', 'homes'];
    const joint = await call('get_market_figures', { place: 'Port Ellowby, ZZ', figures, interval: 'year' });
    assert.equal(joint.isError, false);
    for (const name of figures) {
      const alone = await call('get_market_figures', { place: 'Port Ellowby, ZZ', figures: name, interval: 'year' });
      assert.deepEqual(joint[name].data?.[0], alone.data?.[0], name);
    }
    assert.ok(joint.sales.data.length > 3 && joint.homes.stock !== undefined, JSON.stringify(Object.keys(joint.homes)));
  });

  it('a merged parcel leads to its successor', async () => {
    const merged = await call('get_risk', { property_id: sandboxId(99_001, MAGIC_APN.merged) });
    assert.equal(merged.isError, false);
    assert.equal(merged.property_id, sandboxId(99_001, MAGIC_APN.mergedInto));
  });

  it('risk distinguishes "none" from "not covered", and says which layer is unavailable', async () => {
    const away = await call('get_risk', { property_id: sandboxId(99_001, MAGIC_APN.layerAway), layers: ['permits'] });
    assert.deepEqual(Object.keys(away.layers), ['permits']);
    assert.equal(away.layers.permits.status, 'temporarily_unavailable');
    const uncovered = await call('get_risk', { property_id: sandboxId(99_003, MAGIC_APN.marketQuillmoor) });
    assert.equal(uncovered.layers.code_violations.status, 'not_covered');
  });

  it('coverage can be narrowed to a layer', async () => {
    const [county] = (await call('describe_coverage', { market: 'sandbox', fields: true })).data;
    assert.ok(
      county.fields.some(({ field, share }: { field: string; share: number }) => field === 'sqft' && share > 0.5),
    );
    const { data } = await call('describe_coverage', { layer: 'flood' });
    assert.ok(data.length >= 1 && data.every((item: any) => item.layer === 'flood'));
  });
});

describe('failures', () => {
  it('carry the REST error code and a hint', async () => {
    const missing = await call('get_property', { property_id: 'prop_r5e00000000000000000' });
    assert.deepEqual([missing.isError, missing.code, missing.status], [true, 'property_not_found', 404]);
    assert.match(missing.hint, /search_properties/);
    const split = await call('get_property', { property_id: sandboxId(99_001, MAGIC_APN.split) });
    assert.equal(split.code, 'property_superseded');
    assert.equal(split.successors.length, 2);
  });

  it('a bad argument is named, with what is allowed and the nearest, before anything is called', async () => {
    const cases: [tool: string, args: object, code: string, argument: string, nearest?: string][] = [
      ['search_properties', { sate: 'ZZ' }, 'unknown_parameter', 'sate', 'state'],
      ['search_properties', { max_price: 500_000 }, 'unknown_parameter', 'max_price', 'max_value'],
      ['search_properties', { price_max: 500_000 }, 'unknown_parameter', 'price_max', 'max_value'],
      ['search_properties', { beds_min: 3 }, 'unknown_parameter', 'beds_min', 'min_bedrooms'],
      ['search_properties', { zipcode: '00103' }, 'unknown_parameter', 'zipcode', 'zip'],
      ['search_properties', { nonsense: 1, limit: 900 }, 'unknown_parameter', 'nonsense'],
      ['get_risk', { id: DEMO.property_id }, 'unknown_parameter', 'id', 'property_id'],
      ['get_risk', {}, 'invalid_request', 'property_id'],
      ['get_risk', { property_id: DEMO.property_id, layers: ['floods'] }, 'invalid_request', 'layers', 'flood'],
      ['search_properties', { limit: 900 }, 'invalid_request', 'limit'],
      ['search_properties', { sort: 'price' }, 'invalid_request', 'sort', 'value'],
      ['get_market_figures', { place: '00103', interval: 'monthly' }, 'invalid_request', 'interval', 'month'],
      ['get_market_figures', { location: 'Port Ellowby' }, 'unknown_parameter', 'location', 'place'],
      ['start_batch', { addresses: '1208 Lantern Hill Dr' }, 'invalid_request', 'addresses'],
      ['start_batch', { addresses: [] }, 'invalid_request', 'addresses'],
      ['create_report', { address: DEMO.address, loan: 1 }, 'unknown_parameter', 'loan', 'loan_amount'],
      ['describe_coverage', { layer: 'mortgage' }, 'invalid_request', 'layer', 'mortgages'],
      ['search_properties', { min_value: 'cheap' }, 'invalid_request', 'min_value'],
      ['resolve_property', { address: 12 }, 'invalid_request', 'address'],
      ['search_properties', { property_type: ['duplex'] }, 'invalid_request', 'property_type'],
      ['get_title', { property_id: DEMO.property_id, address: DEMO.address }, 'invalid_request', 'property_id'],
    ];
    for (const [tool, args, code, argument, nearest] of cases) {
      const failure = await call(tool, args as Record<string, unknown>);
      const [error] = failure.errors;
      assert.deepEqual([failure.isError, failure.code, failure.status], [true, code, 400], JSON.stringify(failure));
      assert.deepEqual([error.argument, error.pointer, error.nearest], [argument, `/${argument}`, nearest]);
      assert.ok(failure.detail.includes(`\`${argument}\``) && failure.hint.length > 0);
      if (code === 'unknown_parameter') assert.ok(error.allowed.length > 1 && !error.allowed.includes(argument));
    }
  });

  it('a blank address among many is named by its place', async () => {
    const failure = await call('start_batch', { addresses: [DEMO.address, '', DEMO.address] });
    assert.deepEqual([failure.code, failure.detail], ['invalid_request', '`addresses[1]` must not be blank.']);
    assert.equal(failure.errors[0].argument, 'addresses');
  });

  it('a file is made with what is known of other debts, and a loan without its amount is refused', async () => {
    const asked = { address: DEMO.address, purpose: 'home_equity', existing_balance: 90_000, other_liens: 5_000 };
    const { loan } = await call('create_report', { ...asked, loan_amount: 50_000 });
    assert.deepEqual(
      [loan.total_debt, loan.other_liens, loan.existing_mortgages.basis],
      [145_000, 5_000, 'stated_below_record'],
    );
    const refused = await call('create_report', asked);
    assert.deepEqual([refused.isError, refused.code], [true, 'invalid_request']);
    assert.match(refused.detail, /amount is required/);
  });

  it('a required argument comes with the values it may have', async () => {
    const failure = await call('rank_areas', { place: 'sandbox', figure: 'sales' });
    assert.deepEqual(failure.errors[0].allowed, ['county', 'city', 'zip', 'tract', 'neighborhood']);
    assert.match(failure.detail, /`kind` is required: one of county/);
  });

  it('twenty homes are twenty homes', async () => {
    const { data, truncated } = await call('search_properties', { state: 'ZZ', limit: 20 });
    assert.deepEqual([data.length, truncated], [20, false]);
  });

  it('a key without the scope is told which one it lacks', async () => {
    const narrow = await connect({ 'x-api-key': await api.keyWith(['properties:read']) });
    const refused = await call('get_risk', { property_id: DEMO.property_id }, narrow);
    assert.deepEqual(
      [refused.isError, refused.code, refused.required_scope],
      [true, 'insufficient_scope', 'risk:read'],
    );
  });

  it('an invalid key is rejected at once', async () => {
    await assert.rejects(connect({ authorization: 'Bearer sk_test_pb_nonsense' }));
  });

  it('live keys do not see the sandbox', async () => {
    const live = await connect({ 'x-api-key': api.liveKey });
    assert.equal((await call('get_property', { property_id: DEMO.property_id }, live)).code, 'property_not_found');
  });
});

describe('the entry point', () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

  it('403: a page from another site, and a hostname that only resolves to us', async () => {
    for (const extra of [{ origin: 'https://evil.example' }, { host: 'evil.example' }]) {
      const response = await api.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...headers, ...extra },
        payload: body,
      });
      assert.equal(response.statusCode, 403);
    }
  });

  it('200: a page of our own', async () => {
    const response = await fetch(`${address}/mcp`, { method: 'POST', headers: { ...headers, origin: address }, body });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /search_properties/);
  });
});

describe('metering', () => {
  it('a tool is one API call: charged once if it succeeds, never if it fails or is free', async () => {
    const live = await connect({ 'x-api-key': api.liveKey });
    const used = async () => {
      await api.usage.flush();
      const { standard, avm } = await call('get_usage', {}, live);
      return [standard.used, avm.used];
    };
    assert.deepEqual(await used(), [0, 0]);
    assert.equal((await call('search_properties', { state: 'WA' }, live)).isError, false);
    assert.equal((await call('search_properties', { state: 'WA' }, live)).isError, false);
    assert.equal((await call('search_properties', { state: 'WA', count_only: true }, live)).isError, false);
    assert.equal((await call('get_property', { property_id: DEMO.property_id }, live)).isError, true);
    assert.deepEqual(await used(), [2, 0]);
  });
});

describe('an agent’s session', () => {
  it('resolves, values, explains and checks the risk of a property in four calls', async () => {
    const property = await call('resolve_property', { address: '1208 lantern hill drive, port ellowby zz' });
    assert.equal(property.id, DEMO.property_id);
    const value = await call('estimate_value', { property_id: property.id });
    assert.equal(value.isError, false);
    assert.ok(
      value.confidence_interval.low < value.estimated_value && value.estimated_value < value.confidence_interval.high,
    );
    const why = await call('explain_value', { valuation_id: value.id });
    assert.equal(why.isError, false);
    assert.equal(why.estimated_value, value.estimated_value);
    assert.ok(why.comparables.length >= 3);
    const risk = await call('get_risk', { property_id: property.id });
    assert.equal(risk.layers.flood.status, 'found');
  });

  it('an ambiguous address comes back with candidates to choose from', async () => {
    const doubt = await call('resolve_property', { address: '350 Lighthouse Ave, Port Ellowby, ZZ 00101' });
    assert.equal(doubt.code, 'address_ambiguous');
    assert.ok(doubt.candidates.length >= 2);
    assert.match(doubt.hint, /candidates/);
  });

  it('the sandbox simulates an exhausted quota, and the hint says that waiting will not help', async () => {
    const refused = await call('estimate_value', { address: '402 Sandbox Way, Port Ellowby, ZZ 00101' });
    assert.deepEqual([refused.code, refused.retryable], ['quota_exhausted', false]);
    const later = await call('estimate_value', { address: '429 Sandbox Way, Port Ellowby, ZZ 00101' });
    assert.deepEqual([later.code, later.retry_after_seconds], ['rate_limited', 30]);
  });
});
