// The thread that prints documents: one at a time, and a new one after it is lost.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPrinter } from '../../src/base/pdf/printer.ts';

const DOCUMENT = `data:text/javascript,export async function render(word) {
  if (word === 'throw') throw new Error('no such page');
  if (word === 'exit') process.exit(3);
  return new TextEncoder().encode(word);
}`.replaceAll('\n', ' ');

it('prints in order, and goes on after a document that fails or ends the thread', { timeout: 30_000 }, async () => {
  const { print } = createPrinter();
  const words = ['one', 'throw', 'two', 'exit', 'three', ...Array.from({ length: 12 }, (_, i) => `copy ${i}`)];
  const printed = await Promise.allSettled(words.map((word) => print(new URL(DOCUMENT), word as never)));
  assert.deepEqual(
    printed.map((each) => (each.status === 'fulfilled' ? String(each.value) : (each.reason as Error).message)),
    words.map((word) =>
      word === 'throw' ? 'no such page' : word === 'exit' ? 'the printing thread ended with code 3' : word,
    ),
  );
});
