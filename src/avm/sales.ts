// Sales as bytes outside of the heap: the garbage collector would traverse half a million sale objects on every run.
import { LRUCache } from 'lru-cache';
import { noAttributes, type Attributes, type Sale } from './attributes.ts';

/** Sales by number, oldest first. */
export type Sales = { readonly length: number; at(i: number): Sale };

export function listSales(sales: readonly Sale[]): Sales {
  return { length: sales.length, at: (i) => sales[i] };
}

export function salesSince(sales: Sales, day: number): Sales {
  let [first, end] = [0, sales.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (sales.at(middle).soldDay < day) first = middle + 1;
    else end = middle;
  }
  return first === 0 ? sales : { length: sales.length - first, at: (i) => sales.at(first + i) };
}

const BLOCK = 4 << 20;
/** How many are cached as objects: homes valued one after the other look at the same sales. */
const LATELY_READ = 5000;
const NAMES = Object.keys(noAttributes).filter((name) => name !== 'extras') as Exclude<keyof Attributes, 'extras'>[];

/** Takes sales in any order and returns them sorted by date when closed. */
export function openSaleBuffer() {
  const blocks: Buffer[] = [];
  const starts: number[] = [];
  const sizes: number[] = [];
  const byDay = new Map<number, { id: string; slot: number }[]>();
  let used = BLOCK;
  return {
    put(sale: Sale): void {
      const text = write(sale);
      const size = Buffer.byteLength(text);
      if (used + size > BLOCK) {
        blocks.push(Buffer.allocUnsafeSlow(Math.max(BLOCK, size)));
        used = 0;
      }
      blocks[blocks.length - 1].write(text, used);
      const entry = { id: sale.id, slot: starts.push((blocks.length - 1) * BLOCK + used) - 1 };
      sizes.push(size);
      used += size;
      const day = byDay.get(sale.soldDay);
      if (day) day.push(entry);
      else byDay.set(sale.soldDay, [entry]);
    },
    close(): Sales {
      const days = [...byDay.keys()].toSorted((a, b) => a - b);
      const order = days.flatMap((day) => byDay.get(day)!.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
      const start = Float64Array.from(order, ({ slot }) => starts[slot]);
      const size = Uint32Array.from(order, ({ slot }) => sizes[slot]);
      const lately = new LRUCache<number, Sale>({ max: LATELY_READ });
      return {
        length: order.length,
        at(i) {
          let sale = lately.get(i);
          if (!sale) {
            const from = start[i] % BLOCK;
            sale = read(blocks[Math.floor(start[i] / BLOCK)].toString('utf8', from, from + size[i]));
            lately.set(i, sale);
          }
          return sale;
        },
      };
    },
  };
}

/** Written without the names of the attributes, a sale takes a third of the bytes. */
function write({ id, propertyId, soldDay, knownDay, priceUsd, address, attributes, isVouched }: Sale): string {
  const values = NAMES.map((name) => attributes[name]);
  return JSON.stringify([
    id,
    propertyId,
    soldDay,
    knownDay,
    priceUsd,
    address,
    attributes.extras,
    values,
    ...(isVouched ? [1] : []),
  ]);
}

type Written = [string, string, number, number, number, string | null, Record<string, number>, never[], 1?];

function read(text: string): Sale {
  const [id, propertyId, soldDay, knownDay, priceUsd, address, extras, values, vouched] = JSON.parse(text) as Written;
  const attributes: Attributes = { ...noAttributes, extras };
  for (let k = 0; k < NAMES.length; k++) attributes[NAMES[k]] = values[k];
  return { id, propertyId, soldDay, knownDay, priceUsd, attributes, address, ...(vouched && { isVouched: true }) };
}
