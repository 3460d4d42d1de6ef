import assert from 'node:assert/strict';
import { it, describe } from 'node:test';
import stringifierOf from 'fast-json-stringify';
import { WrittenOnce, writeJson } from '../../src/base/lib/written-once.ts';

describe('JSON that is written once', () => {
  const shared = { status: 'found', summary: 'Says "\0" and \\u0000.', source: { id: 'a' } };
  const answer = () => {
    const layer = new WrittenOnce(shared);
    return { data: [{ layers: { layer, other: null } }, { layers: { layer } }, { quote: '"\\u0000"' }] };
  };
  const plain = {
    data: [{ layers: { layer: shared, other: null } }, { layers: { layer: shared } }, { quote: '"\\u0000"' }],
  };

  it('reads as if each place had been written', () => {
    assert.equal(
      writeJson(() => JSON.stringify(answer())),
      JSON.stringify(plain),
    );
    assert.equal(JSON.stringify(answer()), JSON.stringify(plain));
    assert.equal(
      writeJson(() => JSON.stringify({ none: 1 })),
      '{"none":1}',
    );
  });

  it('gives its members to a serializer that follows a shape', () => {
    const shape = {
      type: 'object',
      properties: { layer: { type: 'object', properties: { status: { type: 'string' } }, additionalProperties: true } },
    } as const;
    const stringify = stringifierOf(shape);
    assert.deepEqual(JSON.parse(writeJson(() => stringify({ layer: new WrittenOnce({ ...shared }) }))), {
      layer: shared,
    });
  });

  it('writes members in full after a serializer has failed', () => {
    const failing = {
      get layer() {
        throw new Error('no');
      },
    };
    assert.throws(() => writeJson(() => JSON.stringify({ first: new WrittenOnce(shared), failing })), /no/);
    assert.equal(JSON.stringify(new WrittenOnce(shared)), JSON.stringify(shared));
  });
});
