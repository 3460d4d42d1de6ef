// The compiled matrix kernel is what its source says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import openWabt from 'wabt';

const read = (ending: string) => readFileSync(new URL(`../../src/base/math/multiply.${ending}`, import.meta.url));

it('multiply.wasm is compiled from multiply.wat', async () => {
  const wabt = await openWabt();
  const { buffer } = wabt.parseWat('multiply.wat', read('wat').toString(), { simd: true }).toBinary({});
  assert.equal(Buffer.from(buffer).equals(read('wasm')), true, 'npx wat2wasm src/base/math/multiply.wat -o …wasm');
});
