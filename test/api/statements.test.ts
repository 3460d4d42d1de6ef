// How many statements a read costs, endpoint by endpoint: what grows with the rows of an answer is noticed here.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';

const api = await testClient({ plan: 'enterprise' });
const id = DEMO.property_id;
const address = encodeURIComponent(DEMO.address);

/** At most how many statements a second call of the same path sends to the data plane, and how many queries to the control
    plane. Who may call, and what the call is booked as, is settled for many calls at once and not counted. */
const READS: [path: string, data: number, control: number][] = [
  [`/properties/${id}`, 1, 0],
  [`/properties/${id}?include=owner,assessments,transactions,risk`, 13, 0],
  [`/properties/${id}/transactions`, 3, 0],
  [`/properties/${id}/assessments`, 2, 0],
  [`/properties/${id}/changes`, 3, 0],
  [`/properties/${id}/risk`, 9, 0],
  [`/properties/${id}/title`, 7, 0],
  [`/properties/${id}/comparables`, 2, 1],
  ['/properties/search?state=ZZ&limit=100', 1, 0],
  ['/properties/search?state=ZZ&limit=100&include=risk', 9, 0],
  ['/properties/search?state=ZZ&limit=5&include_total=true', 1, 0],
  ['/properties/count?state=ZZ', 0, 0],
  [`/properties/lookup?address=${address}`, 4, 0],
  [`/properties/lookup?address=${address}&include=risk`, 13, 0],
  ['/properties/autocomplete?q=lantern', 1, 0],
  [`/avm/estimate?address=${address}`, 6, 2],
  [`/rents/estimate?id=${id}`, 6, 0],
  ['/avm/models', 0, 2],
  ['/avm/accuracy', 0, 1],
  ['/avm/quality?market=sandbox', 0, 3],
  ['/markets', 0, 0],
  ['/markets/sandbox', 0, 0],
  ['/coverage', 0, 0],
  ['/coverage/fields?market=sandbox', 1, 0],
  ['/analytics/series?kind=market&area=sandbox', 1, 0],
  ['/analytics/index?kind=market&area=sandbox', 2, 0],
  ['/analytics/forecast?kind=market&area=sandbox', 1, 0],
  ['/analytics/summary?kind=market&area=sandbox', 1, 0],
  ['/analytics/rankings?kind=zip&figure=sales&market=sandbox', 2, 0],
  ['/places?q=Quillmoor+County', 1, 0],
  ['/places?q=00103', 2, 0],
  ['/tiles', 1, 0],
  ['/tiles/8/70/98.mvt', 0, 0],
  ['/changes?from=earliest&limit=100', 5, 0],
  ['/plans', 0, 0],
  ['/usage', 0, 2],
  ['/usage/daily', 0, 1],
  ['/account', 0, 0],
  ['/requests', 0, 1],
  ['/keys', 0, 1],
  ['/invoices', 0, 1],
  ['/reports', 0, 1],
  ['/reports/rules', 0, 1],
  ['/reviews', 0, 1],
  ['/loans', 0, 2],
  ['/shares', 0, 1],
  ['/test-clocks', 0, 1],
  ['/account/branding', 0, 1],
  ['/webhooks', 0, 1],
  ['/events', 0, 1],
  ['/watchlists', 0, 2],
  ['/exports', 0, 1],
  ['/batches', 0, 1],
];
const OF_ANY_CALL = /admit\(|from api_keys k join accounts|usage_journals|request_log \(|request_details/;

describe('a read', () => {
  for (const [path, data, control] of READS) {
    it(`of ${path} sends at most ${data} to the data plane and ${control} to the control plane`, async () => {
      // What is kept for a while is filled just before, or on a busy machine it may be old by the second call.
      let { status } = await api.get(path);
      const sent = await api.deps.countStatements(async () => ({ status } = await api.get(path)));
      assert.equal(status, 200);
      assert.ok(sent.data.length <= data, sent.data.join('\n'));
      const queries = sent.control.filter((text) => /^\s*(select|with)\b/i.test(text) && !OF_ANY_CALL.test(text));
      assert.ok(queries.length <= control, queries.join('\n'));
    });
  }
});
