// The six layers of every server answer, byte for byte, as they did before layers could be loaded by recipe.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { testClient } from '../harness.ts';

/** Of the answers of forty homes of the sandbox, as version 1.0.0 gave them. */
const DIGEST = 'ab455e3643d2751fd8b8566ee74b4c889d199fb431856c8694315eb095d5507b';

it('GET /properties/:id/risk is byte-equal for the six layers', async () => {
  const api = await testClient();
  const { rows } = await api.deps.data.query<{ id: string }>(
    `select id from properties where status = 'active' order by md5(id) limit 40`,
  );
  const six = 'flood,tax_liens,permits,code_violations,census,opportunity_zone';
  const hash = createHash('sha256');
  for (const { id } of rows) hash.update((await api.get(`/properties/${id}/risk?layers=${six}`)).text);
  assert.equal(hash.digest('hex'), DIGEST);
});
