// Batches work that arrives while others are busy: an idle process answers in one round trip, a busy one shares its
// cost among many.
import { setImmediate } from 'node:timers/promises';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** `doAll` returns a result for each item of a batch, in order; if it fails, the whole batch fails. */
export function gather<Item, Result>(
  doAll: (items: Item[]) => Promise<Result[]>,
  most: number,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;

  async function drain(): Promise<void> {
    isBusy = true;
    while (waiting.length > 0) {
      await letOthersCome();
      const lot = waiting.splice(0, most);
      try {
        const results = await doAll(lot.map(({ item }) => item));
        for (const [index, { resolve }] of lot.entries()) resolve(results[index]);
      } catch (error) {
        for (const { reject } of lot) reject(error);
      }
    }
    isBusy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isBusy) void drain();
    });
}

/** An event loop turn shorter than this had nothing to do. */
const IDLE_MS = 0.15;
/** With eight valuations in flight, waiting four turns gave 17% more per second than one; eight turns gave less
    again. */
const MOST_TURNS = 4;

/** Batches what arrived together. While this thread has other work to do, a waiting batch loses no time. */
async function letOthersCome(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const began = performance.now();
    await setImmediate();
    if (performance.now() - began < IDLE_MS) return;
  }
}
