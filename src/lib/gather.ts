// Work that comes in while a lot is being done is done together in the next lot: an idle process answers in one round trip,
// a busy one spreads its cost over many.

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** `doAll` answers for each item of a lot, in their order; if it fails, all of the lot have failed. */
export function gather<Item, Result>(
  doAll: (items: Item[]) => Promise<Result[]>,
  most: number,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
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
      if (isBusy) return;
      isBusy = true;
      // After this tick, so that what came in together is done together.
      setImmediate(() => void drain());
    });
}
