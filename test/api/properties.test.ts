// Single records: by id and by parcel, with their related records, and who may see owners.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { showOwner, suppressOwner } from '../../src/records/properties/properties.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const path = `/properties/${DEMO.property_id}`;
const idOf = (apn: string) => sandboxId(99001, apn);

describe('GET /properties/:id', () => {
  it('200: the plain record, with the documented member names first', async () => {
    const { status, body, headers } = await api.get(path);
    assert.equal(status, 200);
    assert.equal(body.object, 'property');
    assert.equal(body.id, DEMO.property_id);
    for (const name of ['sqft', 'bedrooms', 'bathrooms', 'latitude', 'longitude'])
      assert.equal(typeof body[name], 'number');
    assert.equal(body.address.formatted, DEMO.address);
    assert.equal(body.identifiers.fips, '99001');
    assert.match(String(headers['x-request-id']), /^req_/);
    assert.equal(headers['x-usage-meter'], 'none', 'sandbox calls are never billed');
  });

  it('200: by `fips:apn`, however the parcel number is written', async () => {
    for (const apn of [MAGIC_APN.demo, MAGIC_APN.demo.replaceAll('-', ''), MAGIC_APN.demo.replaceAll('-', '.')]) {
      const { status, body } = await api.get(`/properties/99001:${apn}`);
      assert.equal(status, 200);
      assert.equal(body.id, DEMO.property_id);
    }
  });

  it('200: only what was requested is present', async () => {
    const plain = (await api.get(path)).body;
    for (const member of ['owner', 'assessments', 'taxes', 'transactions', 'risk'])
      assert.equal(member in plain, false, member);
    const full = (await api.get(`${path}?include=owner,assessments,taxes,transactions,risk`)).body;
    assert.ok(full.owner.names.length > 0);
    assert.ok(full.assessments.length >= 5);
    assert.ok(full.taxes.length >= 5);
    assert.ok(full.transactions.some((item: { type: string }) => item.type === 'deed'));
    assert.equal(full.risk.object, 'risk_report');
    const years = full.assessments.map((item: { year: number }) => item.year);
    assert.deepEqual(
      years,
      [...years].sort((a, b) => b - a),
      'newest first',
    );
  });

  it('200: fields keeps the named members', async () => {
    const { body } = await api.get(`${path}?fields=sqft,address`);
    assert.deepEqual(Object.keys(body).sort(), ['address', 'id', 'object', 'sqft']);
  });

  it('200: provenance gives the source of a field, its license, and the values not chosen', async () => {
    const { body } = await api.get(`/properties/${idOf(MAGIC_APN.disagreement)}`);
    const disputed = Object.values<{ source: string; others: unknown[] }>(body.provenance.fields).filter(
      (field) => field.others.length > 0,
    );
    assert.ok(disputed.length > 0);
    assert.ok(body.provenance.sources[disputed[0].source].licence.length > 0);
  });

  it('200 and 404: concurrent requests each get their own record', async () => {
    const { body } = await api.get('/properties/search?limit=30');
    const ids: string[] = body.data.map(({ id }: { id: string }) => id);
    assert.equal(ids.length, 30);
    const wanted = [...ids, idOf('no such parcel'), ids[0], ids[0]];
    const answers = await Promise.all(wanted.map((id) => api.get(`/properties/${id}`)));
    answers.forEach((answer, k) => {
      assert.equal(answer.status, k === 30 ? 404 : 200);
      if (k !== 30) assert.equal(answer.body.id, wanted[k]);
    });
  });

  it('304: an unchanged record is not sent again', async () => {
    const first = await api.get(path);
    const again = await api.get(path, { headers: { 'if-none-match': String(first.headers.etag) } });
    assert.equal(again.status, 304);
    assert.equal(again.text, '');
  });

  it('301: a merged property redirects to its successor', async () => {
    const { status, headers } = await api.get(`/properties/${idOf(MAGIC_APN.merged)}/risk?layers=flood`);
    assert.equal(status, 301);
    assert.equal(headers.location, `/api/v1/properties/${idOf(MAGIC_APN.mergedInto)}/risk?layers=flood`);
  });

  it('410: a split property lists its successors', async () => {
    const { status, body } = await api.get(`/properties/${idOf(MAGIC_APN.split)}`);
    assert.equal(status, 410);
    assert.equal(body.code, 'property_superseded');
    assert.deepEqual(body.successors.sort(), [idOf(MAGIC_APN.splitFirst), idOf(MAGIC_APN.splitSecond)].sort());
  });

  it('404: unknown, malformed and invisible references all look alike', async () => {
    const unknown = sandboxId(99001, 'no such parcel');
    for (const reference of [
      unknown,
      'prop_xyz',
      'nonsense',
      '99001:',
      '99001:no-such',
      '12345:1',
      unknown.toUpperCase(),
    ]) {
      const { status, body } = await api.get(`/properties/${encodeURIComponent(reference)}`);
      assert.equal(status, 404, reference);
      assert.equal(body.code, 'property_not_found');
    }
    const live = await api.get(path, { key: api.liveKey });
    assert.equal(live.status, 404, 'live keys do not see the sandbox');
    assert.equal(live.body.code, 'property_not_found');
  });

  it('400: unknown fields and includes get a suggestion', async () => {
    const { status, body } = await api.get(`${path}?include=onwer`);
    assert.equal(status, 400);
    assert.match(body.detail, /did you mean `owner`/);
    assert.equal((await api.get(`${path}?fields=sqfeet`)).status, 400);
  });
});

describe('names of people', () => {
  it('403: owners only with owners:read', async () => {
    const key = await api.keyWith(['properties:read', 'transactions:read']);
    const { status, body } = await api.get(`${path}?include=owner`, { key });
    assert.equal(status, 403);
    assert.equal(body.code, 'insufficient_scope');
    assert.equal(body.required_scope, 'owners:read');
  });

  it('200: without owners:read documents come without their parties', async () => {
    const key = await api.keyWith(['properties:read', 'transactions:read']);
    const { body } = await api.get(`${path}/transactions`, { key });
    assert.ok(body.data.length > 0);
    for (const item of body.data) assert.equal('buyers' in item || 'sellers' in item, false);
    const open = (await api.get(`${path}/transactions`)).body;
    assert.ok(open.data.some((item: { buyers: string[] }) => item.buyers.length > 0));
  });

  it('200: an owner hidden by the operator is no longer named anywhere, and cached names are gone', async () => {
    const id = idOf(MAGIC_APN.coastal);
    const before = (await api.get(`/properties/${id}?include=owner,transactions`)).body;
    assert.ok(before.owner.names.length > 0);
    const row = await suppressOwner(api.deps, id, 'asked by letter');
    assert.equal(row.id, id);
    const after = (await api.get(`/properties/${id}?include=owner,transactions`)).body;
    for (const name of before.owner.names) assert.ok(!JSON.stringify(after).includes(name));
    assert.deepEqual([after.owner.suppressed, after.owner.names, after.owner.mailing_address], [true, [], null]);
    const { rows } = await api.deps.data.query(
      `select (select count(*) from owners where property_id = $1 and (names <> '{}' or mailing_address <> '')) as owners,
         (select count(*) from transactions where property_id = $1 and (buyers <> '{}' or sellers <> '{}')) as parties`,
      [id],
    );
    assert.deepEqual(rows[0], { owners: 0, parties: 0 });
    await showOwner(api.deps, id);
    const shown = (await api.get(`/properties/${id}?include=owner`)).body.owner;
    assert.deepEqual([shown.suppressed, shown.names], [false, []], 'until the next load');
    await assert.rejects(suppressOwner(api.deps, 'prop_none', 'asked'), { code: 'property_not_found' });
  });

  it('200: a suppressed owner is not named anywhere', async () => {
    const { body } = await api.get(`/properties/${idOf(MAGIC_APN.ownerHidden)}?include=owner,transactions`);
    assert.equal(body.owner.suppressed, true);
    assert.deepEqual(body.owner.names, []);
    assert.equal(body.owner.mailing_address, null);
    for (const item of body.transactions) assert.deepEqual([...item.buyers, ...item.sellers], []);
  });
});

describe('lists of a property', () => {
  it('200: transactions page by cursor without gaps or repeats', async () => {
    const all = (await api.get(`${path}/transactions`)).body.data.map((item: { id: string }) => item.id);
    assert.ok(all.length >= 3);
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor ? `&cursor=${cursor}` : '';
      const { body } = await api.get(`${path}/transactions?limit=1${query}`);
      paged.push(...body.data.map((item: { id: string }) => item.id));
      cursor = body.pagination.next_cursor;
    } while (cursor);
    assert.deepEqual(paged, all);
  });

  it('200: transactions of one type', async () => {
    const { body } = await api.get(`${path}/transactions?type=deed`);
    assert.ok(body.data.length > 0);
    assert.ok(body.data.every((item: { type: string }) => item.type === 'deed'));
  });

  it('200: assessments and changes', async () => {
    assert.ok((await api.get(`${path}/assessments`)).body.data.length >= 5);
    const changes = (await api.get(`${path}/changes`)).body.data;
    assert.equal(changes.at(-1).op, 'insert');
  });

  it('400: a cursor from one list does not continue another', async () => {
    const { body } = await api.get(`${path}/transactions?limit=1`);
    const wrong = await api.get(`${path}/changes?cursor=${body.pagination.next_cursor}`);
    assert.equal(wrong.status, 400);
    assert.equal(wrong.body.code, 'cursor_mismatch');
  });
});

describe('markets and coverage', () => {
  it('200: the sandbox for test keys, nothing for live keys on an empty database', async () => {
    const { body } = await api.get('/markets');
    assert.deepEqual(
      body.data.map((market: { id: string }) => market.id),
      ['sandbox'],
    );
    assert.equal(body.data[0].counties.length, 2);
    assert.ok(body.data[0].property_count > 1_000);
    assert.deepEqual((await api.get('/markets', { key: api.liveKey })).body.data, []);
    assert.equal((await api.get('/markets/sandbox', { key: api.liveKey })).status, 404);
    assert.equal((await api.get('/markets/sandbox')).body.id, 'sandbox');
  });

  it('200: coverage of one market counts its properties alone', async () => {
    const whole = (await api.get('/coverage')).body;
    const own = (await api.get('/coverage?market=Sandbox')).body;
    assert.equal(own.property_count, whole.property_count);
    assert.deepEqual(own.data, whole.data);
    const { body } = await api.get('/coverage?market=nowhere');
    assert.deepEqual([body.property_count, body.data], [0, []]);
  });

  it('200: coverage says what, where, when, from whom and under which license', async () => {
    const { body } = await api.get('/coverage');
    const layers = new Set(body.data.map((item: { layer: string }) => item.layer));
    for (const layer of ['flood', 'tax_liens', 'permits', 'code_violations', 'census', 'opportunity_zone'])
      assert.ok(layers.has(layer), layer);
    for (const item of body.data) assert.ok(item.source.licence && item.source.attribution && item.loaded_at);
  });
});
