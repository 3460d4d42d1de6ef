// Share links: a page for people without an account, what it shows and what it does not, what making one costs, and how
// it ends.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listEntries } from '../../src/base/audit/sql.ts';
import { getAccount, updateAccount } from '../../src/customers/accounts/accounts.ts';
import { SCOPES, type Scope } from '../../src/customers/accounts/scopes.ts';
import { readUsage } from '../../src/customers/usage/usage.ts';
import { SCOPES_OF_ROLE } from '../../src/customers/people/team.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { drain, runSchedule } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { readPdf } from '../pdf-text.ts';

const api = await testClient();
const { app, deps, usage } = api;
type Row = Record<string, any>;
const id = DEMO.property_id;
const PLANTED = 'Quixzelby';
await deps.data.query('update owners set names = array[$1], mailing_address = $2', [
  `Ada ${PLANTED}`,
  `9 ${PLANTED} St`,
]);

const AREA = { kind: 'zip', area: '00103' };
const withScopes = (...without: Scope[]) => api.keyWith(SCOPES.filter((scope) => !without.includes(scope)));

async function share(body: object, key = api.testKey): Promise<Row> {
  const answer = await api.call('POST', '/shares', { body, key });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as Row;
}

/** As anyone's browser asks: no key, no cookie. The page itself is opened in test/e2e/web-shares.test.ts. */
async function open(link: string, part: '/content' | '/file' = '/content', ip = '203.0.113.9') {
  const url = `${new URL(link).pathname}${part}`;
  return app.inject({ method: 'GET', url, remoteAddress: ip, headers: { accept: 'text/html' } });
}
const contentOf = async (link: string) => {
  const answer = await open(link, '/content');
  assert.equal(answer.statusCode, 200, answer.payload);
  return answer.json();
};

const list = (await api.post('/watchlists', { name: 'Two homes', property_ids: [id] })).body;
const report = (await api.post('/reports', { property: { id }, reference: 'LN-7' })).body;

describe('a link', () => {
  const cases: [kind: string, body: object, check: (data: Row) => void][] = [
    ['property', { property_id: id }, (data) => assert.equal(data.id, id)],
    ['area', { area: AREA }, (data) => assert.ok(data.summary.stock.homes > 0 && data.series.data.length > 0)],
    ['portfolio', { watchlist_id: list.id }, (data) => assert.equal(data.property_count, 1)],
    ['report', { report_id: report.id }, (data) => assert.equal(data.reference, 'LN-7')],
  ];
  for (const [kind, body, check] of cases)
    it(`to a ${kind} opens without an account, and is neither cached, indexed nor told to others`, async () => {
      const made = await share(body);
      assert.equal(made.kind, kind);
      const answer = await open(made.url, '/content');
      assert.equal(answer.statusCode, 200, answer.payload);
      assert.equal(answer.headers['referrer-policy'], 'no-referrer');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.match(String(answer.headers['x-robots-tag']), /noindex/);
      const page = await contentOf(made.url);
      assert.equal(page.kind, kind);
      assert.equal(page.mode, 'test');
      check(page.data);
    });

  it('shows the page as it was when the link was made', async () => {
    const made = await share({ property_id: id });
    const before = (await contentOf(made.url)).data;
    await deps.data.query('update properties set sqft = coalesce(sqft, 0) + 111 where id = $1', [id]);
    assert.deepEqual((await contentOf(made.url)).data, before);
    await deps.data.query('update properties set sqft = sqft - 111 where id = $1', [id]);
  });

  it('has a secret of 256 bits, of which only a keyed hash is stored', async () => {
    const { url } = await share({ property_id: id });
    const token = new URL(url).pathname.split('/').at(-1)!;
    assert.equal(Buffer.from(token, 'base64url').length, 32);
    const { rows } = await deps.control.query(
      `select s::text, p::text as page from shares s left join share_pages p on p.share_id = s.id`,
    );
    assert.ok(!JSON.stringify(rows).includes(token));
    const { rows: log } = await deps.control.query('select row_to_json(a)::text as line from audit_log a');
    assert.ok(log.length > 0 && !JSON.stringify(log).includes(token));
    assert.ok(!(await api.get('/shares?limit=500')).text.includes(token));
  });

  it('serves the PDF of a file, and no file of a page', async () => {
    const made = await share({ report_id: report.id });
    const file = await open(made.url, '/file');
    assert.equal(file.statusCode, 200);
    assert.match(readPdf(file.rawPayload).pages.join('\n'), /LN-7/);
    assert.equal((await open((await share({ property_id: id })).url, '/file')).statusCode, 404);
  });

  it('is to one thing, which must exist in the mode of the key', async () => {
    for (const body of [{}, { property_id: id, watchlist_id: list.id }, { property_id: id, expires_in_days: 0 }])
      assert.equal((await api.post('/shares', body)).status, 400, JSON.stringify(body));
    for (const body of [
      { property_id: 'prop_r5ebv95m3tdzj4wkwbq0' },
      { area: { kind: 'zip', area: '99999' } },
      { watchlist_id: 'wl_none' },
      { report_id: 'rep_none' },
    ])
      assert.equal((await api.post('/shares', body)).status, 404, JSON.stringify(body));
    const live = { body: { watchlist_id: list.id }, key: api.liveKey };
    assert.equal((await api.call('POST', '/shares', live)).status, 404, 'of the sandbox, to a live key');
  });
});

describe('names', () => {
  const shows = async (body: object, key?: string) => {
    const { url } = await share(body, key);
    const texts = [(await open(url, '/content')).payload];
    const file = await open(url, '/file');
    if (file.statusCode === 200) texts.push(readPdf(file.rawPayload).pages.join('\n'));
    return texts.some((text) => text.toLowerCase().includes(PLANTED.toLowerCase()));
  };
  const THINGS = [{ property_id: id }, { report_id: report.id }, { watchlist_id: list.id }, { area: AREA }];

  it('are shown only where the caller may read them and asked for them', async () => {
    assert.equal(await shows({ property_id: id, include_owners: true }), true);
    for (const thing of THINGS) assert.equal(await shows(thing), false, JSON.stringify(thing));
    const without = await withScopes('owners:read');
    for (const thing of THINGS) {
      assert.equal(await shows(thing, without), false, JSON.stringify(thing));
      const asked = await api.call('POST', '/shares', { body: { ...thing, include_owners: true }, key: without });
      assert.equal(asked.status, 403, asked.text);
      assert.equal(asked.body.required_scope, 'owners:read');
    }
  });

  it('of an owner who asks not to be shown are gone from links that were made before', async () => {
    const { url } = await share({ property_id: id, include_owners: true });
    const { rows } = await deps.data.query('select fips from properties where id = $1', [id]);
    await deps.data.query(
      `insert into owner_suppressions (fips, property_id, reason, suppressed_at) values ($1, $2, 'asked', now())`,
      [rows[0].fips, id],
    );
    const page = await open(url, '/content');
    assert.equal(page.statusCode, 200);
    assert.ok(!page.payload.includes(PLANTED));
    await deps.data.query('delete from owner_suppressions');
  });
});

describe('who may make one', () => {
  it('is a caller with `shares:write` and the scope of what is shared; a viewer has neither', async () => {
    const cases: [scope: Scope, body: object][] = [
      ['shares:write', { property_id: id }],
      ['properties:read', { property_id: id }],
      ['properties:read', { area: AREA }],
      ['watchlists:read', { watchlist_id: list.id }],
      ['reports:read', { report_id: report.id }],
    ];
    for (const [scope, body] of cases) {
      const answer = await api.call('POST', '/shares', { body, key: await withScopes(scope) });
      assert.equal(answer.status, 403, `${scope} ${answer.text}`);
      assert.equal(answer.body.required_scope, scope);
    }
    const viewer = await api.keyWith(SCOPES_OF_ROLE.viewer);
    assert.equal((await api.call('POST', '/shares', { body: { property_id: id }, key: viewer })).status, 403);
    assert.equal((await api.call('GET', '/shares', { key: viewer })).status, 200);
  });

  it('sees risk layers only with `risk:read`', async () => {
    const without = await share({ property_id: id }, await withScopes('risk:read'));
    assert.equal((await contentOf(without.url)).data.risk, undefined);
    assert.ok((await contentOf((await share({ property_id: id })).url)).data.risk);
  });
});

describe('the end of a link', () => {
  const endsWith410 = async (url: string) => {
    for (const part of ['/content', '/file'] as const) {
      const answer = await open(url, part);
      assert.equal(answer.statusCode, 410, part);
      assert.ok(!answer.payload.includes(id));
    }
  };

  it('comes at once when it is revoked, by its own account only, and is on record', async () => {
    const made = await share({ report_id: report.id });
    const stranger = await testClient();
    assert.equal((await stranger.post(`/shares/${made.id}/revoke`)).status, 404);
    const revoked = await api.post(`/shares/${made.id}/revoke`);
    assert.equal(revoked.body.status, 'revoked');
    assert.deepEqual((await api.post(`/shares/${made.id}/revoke`)).body, revoked.body, 'twice');
    await endsWith410(made.url);
    const entries = await listEntries(deps.control, api.accountId, {}, 10);
    assert.deepEqual(
      entries
        .slice(0, 2)
        .map(({ action }) => action)
        .toSorted(),
      ['share.created', 'share.revoked'],
    );
  });

  it('comes with its day, and the list says how each stands', async () => {
    const made = await share({ property_id: id, expires_in_days: 2 });
    await contentOf(made.url);
    deps.travel(new Date(Date.parse(made.expires_at) - 1_000).toISOString());
    await contentOf(made.url);
    deps.travel(made.expires_at);
    await endsWith410(made.url);
    const listed = (await api.get('/shares?limit=500')).body.data.find((row: Row) => row.id === made.id);
    assert.equal(listed.status, 'expired');
    assert.equal(listed.opened_count, 2);
    assert.equal('url' in listed || 'digest' in listed, false);
    deps.travel(new Date(Date.parse(made.expires_at) + 91 * 86_400_000).toISOString());
    await runSchedule(deps, 'forget-old-shares');
    assert.equal((await open(made.url)).statusCode, 404);
  });

  it('comes when its file is deleted or its account is suspended, and a guess is a 404', async () => {
    const other = (await api.post('/reports', { property: { id } })).body;
    const made = await share({ report_id: other.id });
    await api.call('DELETE', `/reports/${other.id}`);
    assert.equal((await open(made.url, '/content')).statusCode, 410);
    const page = await share({ property_id: id });
    const account = await getAccount(deps, api.accountId);
    await updateAccount(deps.control, { ...account, status: 'suspended' });
    await endsWith410(page.url);
    await updateAccount(deps.control, account);
    await contentOf(page.url);
    for (const part of ['/content', '/file'] as const)
      assert.equal((await open(`http://localhost/shared/${'A'.repeat(43)}`, part)).statusCode, 404);
  });

  it('does not wait for a reader who opens too much', async () => {
    const { url } = await share({ property_id: id });
    const statuses = [];
    for (let n = 0; n < 70; n++) statuses.push((await open(url, '/content', '198.51.100.77')).statusCode);
    assert.equal(statuses[0], 200);
    assert.equal(statuses.at(-1), 429);
  });
});

describe('the price', () => {
  it('is that of the read, once; opening, listing and revoking cost nothing', async () => {
    await deps.data.query('update markets set sandbox = false');
    deps.catalog.forget();
    const used = async () => {
      await usage.flush();
      const { standard, avm } = await readUsage(deps, await getAccount(deps, api.accountId));
      return standard.used + avm.used + standard.reserved + avm.reserved;
    };
    const call = async (path: string, body?: object) => {
      const answer = await api.call(body ? 'POST' : 'GET', path, { key: api.liveKey, ...(body && { body }) });
      assert.ok(answer.status < 300, answer.text);
      return answer;
    };
    const watchlist = (await call('/watchlists', { name: 'All', filter: { state: ['ZZ'] } })).body;
    await drain(deps, ['watchlists']);
    const file = (await call('/reports', { property: { id } })).body;
    const cases: [body: object, reads: string[]][] = [
      [{ property_id: id }, [`/properties/${id}`]],
      [{ area: AREA }, ['/analytics/summary?kind=zip&area=00103', '/analytics/series?kind=zip&area=00103']],
      [{ watchlist_id: watchlist.id }, [`/watchlists/${watchlist.id}/portfolio`]],
      [{ report_id: file.id }, [`/reports/${file.id}`]],
    ];
    for (const [body, reads] of cases) {
      let before = await used();
      for (const path of reads) await call(path);
      const price = (await used()) - before;
      before = await used();
      const made = await call('/shares', body);
      assert.equal((await used()) - before, price, JSON.stringify(body));
      assert.equal(Number(made.headers['x-usage-units'] ?? 0), price);
      before = await used();
      await contentOf(made.body.url);
      await call('/shares');
      await api.call('POST', `/shares/${made.body.id}/revoke`, { key: api.liveKey });
      assert.equal(await used(), before, 'after it was made');
    }
  });
});
