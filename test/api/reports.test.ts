// The lender's file through HTTP: what it holds, what it costs, who may see it, and the rules it is checked against.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO } from '../../src/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';

const api = await testClient();

describe('POST /reports', () => {
  it('201', async () => {
    const { status, body, headers } = await api.post('/reports', {
      property: { address: DEMO.address },
      loan: { amount: 300_000 },
    });
    assert.equal(status, 201, JSON.stringify(body).slice(0, 2000));
    console.log(
      JSON.stringify(body).length,
      headers.location,
      JSON.stringify(
        { ...body, valuation: 0, title: 0, risk: 0, property: 0, market: { ...body.market, local: 0, market: 0 } },
        null,
        1,
      ),
    );
  });
});
