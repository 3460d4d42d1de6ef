// Trimming an answer: what is dropped, what stays, and where the cursor continues.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodePosition, encodePosition, fit, MAX_ANSWER_BYTES } from '../../src/edge/mcp/fit.ts';
import { brief } from '../../src/edge/mcp/shapes.ts';

const weigh = (body: object) => JSON.stringify(body).length;
const items = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, n) => ({ n, text: 'x'.repeat(bytes) }));

describe('fit', () => {
  it('leaves a short answer unchanged, and reports it', () => {
    assert.deepEqual(fit({ data: [1, 2] }, { paged: 'data' }, 0, weigh), {
      body: { data: [1, 2], truncated: false },
      left: 0,
    });
  });

  it('pages through a long list without gaps or repeats', () => {
    const whole = { data: items(100, 900) };
    const seen: number[] = [];
    for (let skip = 0, left = 1; left > 0;) {
      const step = fit(whole, { paged: 'data' }, skip, weigh);
      assert.ok(weigh(step.body) <= MAX_ANSWER_BYTES);
      const shown = (step.body.data as { n: number }[]).map(({ n }) => n);
      seen.push(...shown);
      skip += shown.length;
      left = step.left;
      assert.equal(step.body.truncated, left > 0);
    }
    assert.deepEqual(
      seen,
      whole.data.map(({ n }) => n),
    );
  });

  it('shows one item even if it alone is too long, so that paging always ends', () => {
    const { body, left } = fit({ data: items(3, 30_000) }, { paged: 'data' }, 1, weigh);
    assert.deepEqual([(body.data as unknown[]).length, left], [1, 1]);
  });

  it('shortens side lists before dropping members, and counts the items cut', () => {
    const whole = {
      id: 'a',
      taxes: items(20, 800),
      layers: { permits: { items: items(40, 800) } },
      provenance: 'p'.repeat(9_000),
    };
    const cut = { lists: ['taxes', 'layers.permits.items'], expendable: ['provenance'] };
    const { body } = fit(whole, cut, 0, weigh);
    assert.ok(weigh(body) <= MAX_ANSWER_BYTES);
    assert.equal(body.truncated, true);
    const omitted = body.omitted as Record<string, number>;
    const kept = (body.layers as typeof whole.layers).permits.items.length;
    assert.equal(kept + (omitted['layers.permits.items'] ?? 0), 40);
    assert.equal((body.taxes as unknown[]).length + omitted.taxes, 20);
    assert.equal(whole.taxes.length, 20, 'the answer itself is unchanged');
  });
});

describe('positions', () => {
  it('round-trip, and an API cursor passes through unchanged', () => {
    for (const position of [
      { cursor: undefined, skip: 7 },
      { cursor: 'abc-_9', skip: 12 },
      { cursor: 'abc-_9', skip: 0 },
    ])
      assert.deepEqual(decodePosition(encodePosition(position)), position);
    assert.equal(encodePosition({ cursor: 'abc', skip: 0 }), 'abc');
    assert.deepEqual(decodePosition(undefined), { cursor: undefined, skip: 0 });
  });
});

describe('brief', () => {
  it('drops bounds and all but the first of several ways, and keeps members, even those named like a bound', () => {
    const shape = {
      type: 'object',
      title: 'Thing',
      properties: {
        format: { type: 'string', maxLength: 9, description: 'd' },
        title: { type: 'integer', minimum: 0 },
        words: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] },
      },
      additionalProperties: false,
    };
    assert.deepEqual(brief(shape), {
      type: 'object',
      properties: {
        format: { type: 'string', description: 'd' },
        title: { type: 'integer' },
        words: { type: 'array', items: { type: 'string' } },
      },
    });
  });
});
