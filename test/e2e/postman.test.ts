// The Postman collection as shipped: every request is sent as it stands, in order, with a sandbox key, and succeeds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drain } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { exampleCalls } from '../postman.ts';

const api = await testClient({ settings: { WEBHOOK_TIMEOUT_MS: '1000' } });

describe('the Postman collection', () => {
  const calls = exampleCalls(api);

  it('has every operation', () => {
    const { paths } = api.openApi() as { paths: Record<string, object> };
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods));
    // An invoice exists only after a month of a paid plan.
    assert.equal(calls.length, operations.length - 1);
  });

  for (const call of calls) {
    it(`${call.method} ${call.name}`, async () => {
      if (call.route.includes('exports')) await drain(api.deps, ['exports']);
      await call.prepare(api.testKey);
      assert.match(call.path, /^[^?]*[^/?](\?|$)/, 'every variable of the path has a value');
      assert.ok(!call.path.includes('//'), call.path);
      const answer = await call.send(api.testKey);
      assert.ok(answer.status < 300, `${answer.status} ${answer.text.slice(0, 500)}`);
    });
  }
});
