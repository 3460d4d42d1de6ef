// Work on threads: its limits of time and memory, the turns that accounts take, and who is refused.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createThreads } from '../../src/base/threads/threads.ts';

const errors = new URL('../../src/base/lib/errors.ts', import.meta.url).href;
const MODULE = `data:text/javascript,import { fail } from '${errors}';
export async function work(word, gate) {
  if (word === 'wait') Atomics.wait(new Int32Array(gate), 0, 0);
  if (word === 'throw') throw new Error('no such page');
  if (word === 'refuse') fail('invalid_request', 'Line 3: no.', { limit: 7 });
  if (word === 'exit') process.exit(3);
  if (word === 'forever') for (;;);
  if (word === 'memory') { const all = []; for (;;) all.push(new Array(10000).fill(word)); }
  return new TextEncoder().encode(word);
}`.replaceAll('\n', ' ');

const open = (options?: Parameters<typeof createThreads>[0]) => {
  const { run } = createThreads(options);
  const gate = new SharedArrayBuffer(4);
  const place = { file: new URL(MODULE), name: 'work' };
  const work = (word: string, account = 'one') =>
    run<(word: string, gate: SharedArrayBuffer) => Buffer>({ ...place, account }, word, gate).then(String);
  /** Lets go of all that waits. */
  const release = () => {
    Atomics.store(new Int32Array(gate), 0, 1);
    Atomics.notify(new Int32Array(gate), 0);
  };
  return { work, release };
};
const outcome = (promise: Promise<string>) => promise.catch((error: Error & { code?: string }) => error);

it('answers, and goes on after work that fails, is refused, or ends its thread', async () => {
  const { work } = open();
  const words = ['one', 'throw', 'two', 'exit', 'refuse', 'three'];
  const found = [];
  for (const word of words) found.push(await outcome(work(word)));
  assert.deepEqual(
    found.map((each) => (typeof each === 'string' ? each : each.message)),
    ['one', 'no such page', 'two', 'the thread ended with code 3', 'Line 3: no.', 'three'],
  );
  const refused = (await outcome(work('refuse'))) as unknown as { code: string; members: object };
  assert.deepEqual([refused.code, refused.members], ['invalid_request', { limit: 7 }]);
});

it('ends work that takes too much memory or time with a 413', async () => {
  const { work } = open({ longestMs: 2_000 });
  for (const word of ['memory', 'forever']) {
    const { code, message } = (await outcome(work(word))) as { code?: string; message: string };
    assert.equal(code, 'payload_too_large', message);
  }
  assert.equal(await work('after'), 'after');
});

it('lets an account do one thing at a time, so that the work of another is not behind it', async () => {
  const { work, release } = open({ most: 2 });
  const ended: string[] = [];
  const long = ['wait', 'wait'].map((word) => work(word).then(() => ended.push('long')));
  ended.push(await work('quick', 'two'));
  release();
  await Promise.all(long);
  assert.deepEqual(ended, ['quick', 'long', 'long']);
});

it('refuses with a 429 what an account lets wait beyond eight, and nobody else', async () => {
  const { work, release } = open({ most: 2 });
  const words = Array.from({ length: 13 }, () => outcome(work('wait')));
  assert.equal(await work('theirs', 'two'), 'theirs');
  release();
  const codes = (await Promise.all(words)).map((each) => (typeof each === 'string' ? each : each.code));
  assert.deepEqual(codes, [...Array(9).fill('wait'), ...Array(4).fill('rate_limited')]);
});
