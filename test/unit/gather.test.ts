// Work done in lots: everybody gets their own answer, and a failed lot fails only its own.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gather } from '../../src/lib/gather.ts';

describe('gathered work', () => {
  test('what comes in together is done together, what comes meanwhile in the next lot, at most so many', async () => {
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

  test('a lot that fails has failed for all in it, and the next is done', async () => {
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
