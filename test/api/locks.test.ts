// Locks that one process at a time holds, whatever happens to it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { holdLock } from '../../src/base/db/lock.ts';
import { testDeps } from '../harness.ts';

const { data, control } = await testDeps();

it('lets one in at a time, and the next when the work ends, well or not', async () => {
  let inside = 0;
  const done: number[] = [];
  const work = (n: number) => async () => {
    assert.equal((inside += 1), 1);
    await data.query('select pg_sleep(0.05)');
    inside -= 1;
    if (n === 1) throw new Error('It failed.');
    done.push(n);
    return n;
  };
  const pools = [data, control, data, control];
  const ended = await Promise.allSettled(pools.map((pool, n) => holdLock(pool, 'scratch', work(n))));
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(done.toSorted(), [0, 2, 3]);
});
