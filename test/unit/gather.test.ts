// Batched work: every caller gets its own result, and a failed batch fails only its own items.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gather } from '../../src/base/lib/gather.ts';

describe('batched work', () => {
  test('runs what arrives together together, the rest in the next batch, up to a limit', async () => {
    const lots: number[][] = [];
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const double = gather(async (items: number[]) => {
      lots.push(items);
      begun.resolve();
      await released.promise;
      return items.map((item) => item * 2);
    }, 3);
    const first = [1, 2].map(double);
    await begun.promise;
    const later = [3, 4, 5, 6].map(double);
    released.resolve();
    assert.deepEqual(await Promise.all([...first, ...later]), [2, 4, 6, 8, 10, 12]);
    assert.deepEqual(lots, [[1, 2], [3, 4, 5], [6]]);
  });

  test('a failed batch fails for everything in it, and the next one runs', async () => {
    const run = gather(async (items: string[]) => {
      if (items.includes('bad')) throw new Error('no');
      return items;
    }, 10);
    const outcomes = await Promise.allSettled(['good', 'bad'].map(run));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await run('again'), 'again');
  });
});
