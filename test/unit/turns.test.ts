// Work that takes turns: at most so many at once, in the order it came, whatever fails.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTurns } from '../../src/base/lib/turns.ts';

describe('turns', () => {
  it('run one after another by default, and a failure does not stop the next', async () => {
    const inTurn = createTurns();
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const results = [
      inTurn(async () => {
        order.push('first begins');
        await first.promise;
        order.push('first ends');
        throw new Error('first');
      }),
      inTurn(async () => order.push('second')),
    ];
    await Promise.resolve();
    assert.deepEqual(order, ['first begins']);
    first.resolve();
    await assert.rejects(results[0], /first/);
    assert.equal(await results[1], 3);
    assert.deepEqual(order, ['first begins', 'first ends', 'second']);
  });

  it('run a few at once, let a few wait, and refuse the rest', async () => {
    const inTurn = createTurns({
      most: 2,
      mostWaiting: 1,
      refuse: () => {
        throw new Error('full');
      },
    });
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    const work = async () => {
      most = Math.max(most, ++running);
      await gate.promise;
      running -= 1;
    };
    const admitted = [inTurn(work), inTurn(work), inTurn(work)];
    await assert.rejects(inTurn(work), /full/);
    assert.equal(running, 2);
    gate.resolve();
    await Promise.all(admitted);
    assert.deepEqual([most, running], [2, 0]);
    await inTurn(work);
  });

  it('go round the callers, each of whom has so many', async () => {
    const inTurn = createTurns({ most: 2, mostOf: () => 1, mostWaitingOf: 2, mostWaiting: 3 });
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const run = (caller: string) => inTurn(async () => void (order.push(caller), await gate.promise), caller);
    const admitted = ['a', 'a', 'a', 'b', 'b'].map(run);
    await assert.rejects(run('a'), { code: 'rate_limited' });
    await assert.rejects(run('c'), { code: 'rate_limited' });
    assert.deepEqual(order, ['a', 'b']);
    gate.resolve();
    await Promise.all(admitted);
    assert.deepEqual(order, ['a', 'b', 'a', 'b', 'a']);
  });
});
