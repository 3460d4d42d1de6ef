// What every list of the API has in common: filters by time, one name for one thing, nothing unknown accepted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';

const api = await testClient({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const DAYS = ['2026-11-01', '2026-11-02', '2026-11-03'];
const at = (day: string, hour = '12') => `${day}T${hour}:00:00Z`;

const hook = (await api.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] })).body;
for (const day of DAYS) {
  api.deps.travel(at(day));
  await api.post('/sandbox/events', { type: 'ping' });
  await api.post(`/webhooks/${hook.id}/test`);
  await api.post('/batches', { items: [{ property_id: DEMO.property_id }] });
  await api.post('/reports', { property: { id: DEMO.property_id } });
}

describe('lists ordered by time', () => {
  const lists: [path: string, timeOf: (item: any) => string][] = [
    ['/events', (event) => event.timestamp],
    [`/webhooks/${hook.id}/deliveries`, (delivery) => delivery.created_at],
    ['/batches', (batch) => batch.created_at],
    ['/reports', (report) => report.created_at],
    ['/requests', (request) => request.at],
  ];
  for (const [path, timeOf] of lists) {
    it(`${path.replace(hook.id, ':id')} takes \`since\` and \`until\``, async () => {
      const days = async (query: string) => {
        const { status, body, text } = await api.get(`${path}?${query}&limit=100`);
        assert.equal(status, 200, text);
        return [...new Set(body.data.map((item: any) => timeOf(item).slice(0, 10)))].sort();
      };
      assert.deepEqual(
        await days(`since=${at(DAYS[1])}&until=${at(DAYS[2])}`),
        [DAYS[1]],
        'from inclusive to exclusive',
      );
      assert.deepEqual(await days(`since=${at(DAYS[1], '13')}&until=${at(DAYS[2], '13')}`), [DAYS[2]]);
      assert.deepEqual(await days(`until=${at(DAYS[0], '13')}`), [DAYS[0]]);
      const wrong = await api.get(`${path}?since=${at(DAYS[1])}&until=${at(DAYS[0])}`);
      assert.deepEqual([wrong.status, wrong.body.errors?.[0].pointer], [400, '/query/until']);
      const vague = await api.get(`${path}?since=yesterday`);
      assert.deepEqual([vague.status, vague.body.errors?.[0].pointer], [400, '/query/since']);
      const first = await api.get(`${path}?since=${at(DAYS[0])}&limit=1`);
      const { next_cursor: cursor } = first.body.pagination;
      assert.equal((await api.get(`${path}?since=${at(DAYS[0])}&limit=1&cursor=${cursor}`)).status, 200);
      assert.equal((await api.get(`${path}?limit=1&cursor=${cursor}`)).body.code, 'cursor_mismatch');
    });
  }
});

describe('names', () => {
  it('an unknown type is refused wherever types are listed, with the nearest one', async () => {
    for (const path of ['/changes', '/events', `/webhooks/${hook.id}/deliveries`]) {
      const { status, body } = await api.get(`${path}?type=property.sale_recordet`);
      assert.deepEqual([status, body.errors[0].pointer], [400, '/query/type'], path);
      assert.match(body.detail, /did you mean `property.sale_recorded`/);
    }
  });

  it('an error says where in the request it is, by one rule', async () => {
    const cases: [method: string, path: string, body: object | undefined, pointer: string][] = [
      ['POST', '/avm/estimate', { property: {} }, '/body/property'],
      ['POST', '/avm/estimate', {}, '/body/property'],
      [
        'POST',
        '/avm/estimate',
        { property: { id: DEMO.property_id }, options: { model_version: 'x' } },
        '/body/options/model_version',
      ],
      ['POST', '/properties/search', { zip: ['abc'] }, '/body/zip'],
      ['GET', '/properties/search?zip=abc', undefined, '/query/zip'],
      ['GET', '/properties/search?sort=distance', undefined, '/query/sort'],
      ['GET', '/properties/search?fields=adress', undefined, '/query/fields'],
      ['GET', '/properties/lookup', undefined, '/query/address'],
      ['GET', '/properties/lookup?apn=1', undefined, '/query/fips'],
      ['POST', '/webhooks', { url: 'ftp://example.com' }, '/body/url'],
    ];
    for (const [method, path, body, pointer] of cases) {
      const answer = await api.call(method, path, { body });
      assert.equal(answer.body.errors?.[0].pointer, pointer, `${method} ${path}: ${answer.text}`);
    }
  });
});

describe('every route of the API', () => {
  const routes = api.routes.filter(({ path }) => path.startsWith('/api/v1/') && !path.includes('*'));
  for (const { method, path } of routes) {
    it(`${method} ${path} refuses an unknown query parameter`, async () => {
      const url = path
        .slice('/api/v1'.length)
        .replace(/:(\w+)(\([^)]*\))?/g, '1')
        .replace('/valuations/1', '/valuations/val_00000000000000000000')
        .replace('/autocomplete', '/autocomplete?q=lantern')
        .replace(/\/analytics\/(series|index|forecast|summary)$/, '/analytics/$1?kind=market&area=sandbox')
        .replace('/analytics/rankings', '/analytics/rankings?kind=zip&figure=sales')
        .replace('/avm/quality', '/avm/quality?market=sandbox')
        .replace('/places', '/places?q=00103');
      const { status, body } = await api.call(
        method,
        `${url}${url.includes('?') ? '&' : '?'}no_such_parameter=1`,
        method === 'GET' ? {} : { body: {} },
      );
      assert.equal(status, 400, JSON.stringify(body));
      // A body may be refused as well; whichever is looked at first is named.
      if (method === 'GET') {
        assert.equal(body.code, 'unknown_parameter');
        assert.equal(body.errors[0].pointer, '/query/no_such_parameter');
      }
    });
  }
});
