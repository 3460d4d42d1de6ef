// A market's sales by number, oldest first: as objects in training, as columns in a process that serves.
import { LRUCache } from 'lru-cache';
import { numberOf } from '../../base/math/numbering.ts';
import { countWhile } from '../../base/math/quantiles.ts';
import type { Sale } from './attributes.ts';
import { columnsFrom, openSaleColumnBuilder, saleReader, type SaleColumns } from './columns/sale-columns.ts';
import { lookupReader, textReader, type NumberOf } from './columns/texts.ts';

export type Sales = {
  readonly length: number;
  at(i: number): Sale;
  idAt(i: number): string;
  /** The properties sold, numbered, and the number of each sale's. */
  properties(): { numbers: NumberOf; count: number; of: Int32Array };
  columns(): SaleColumns;
};

export const listSales = (sales: readonly Sale[]): Sales => ({
  length: sales.length,
  at: (i) => sales[i],
  idAt: (i) => sales[i].id,
  properties() {
    const numbers = new Map<string, number>();
    const of = Int32Array.from(sales, ({ propertyId }) => numberOf(numbers, propertyId));
    return { numbers, count: numbers.size, of };
  },
  columns() {
    const buffer = openSaleColumnBuilder();
    for (const sale of sales) buffer.put(sale);
    return buffer.close();
  },
});

/** How many were sold before the day. */
export const salesBefore = (sales: Sales, day: number): number =>
  countWhile(sales.length, (i) => sales.at(i).soldDay < day);

export function salesSince(sales: Sales, day: number): Sales {
  const first = salesBefore(sales, day);
  if (first === 0) return sales;
  return {
    length: sales.length - first,
    at: (i) => sales.at(first + i),
    idAt: (i) => sales.idAt(first + i),
    properties() {
      const { of, ...all } = sales.properties();
      return { ...all, of: of.subarray(first) };
    },
    columns: () => columnsFrom(sales.columns(), first),
  };
}

/** Sales cached as objects: homes valued one after another read the same sales. */
const CACHED_SALES = 1000;

export function readSaleColumns(columns: SaleColumns): Sales {
  const read = saleReader(columns);
  const cache = new LRUCache<number, Sale>({ max: CACHED_SALES });
  return {
    length: columns.soldDay.length,
    at(i) {
      let sale = cache.get(i);
      if (!sale) cache.set(i, (sale = read(i)));
      return sale;
    },
    idAt: textReader(columns.ids),
    properties: () => ({
      numbers: lookupReader(columns.properties),
      count: columns.properties.texts.starts.length - 1,
      of: columns.property,
    }),
    columns: () => columns,
  };
}

/** Takes sales in any order and returns them sorted by date when closed. */
export function openSaleBuffer() {
  const builder = openSaleColumnBuilder();
  return { put: builder.put, close: (): Sales => readSaleColumns(builder.close()) };
}
