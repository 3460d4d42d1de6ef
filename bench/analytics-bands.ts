// Whether the band of an index holds what it promises: two indexes of an area, each from half of the homes, may differ by
// as much as both bands together say.
import type { Kind } from '../src/insight/analytics/cells.ts';
import { complete } from '../src/base/lib/steps.ts';
import { fitKind, openIndexBook } from '../src/insight/analytics/price-index.ts';
import type { Sale } from '../src/insight/avm/attributes.ts';
import { quantile } from '../src/base/math/quantiles.ts';
import { hashOf } from './analytics-baselines.ts';
import { printTable } from './measure.ts';

const EIGHTY = 1.2816;
const YEARS = [1, 3, 5];

/** A row for each kind of area and span of years. */
export function measureBands(name: string, sales: Sale[]): (string | number)[][] {
  const books = [0, 1].map((half) =>
    complete(openIndexBook(sales.filter(({ propertyId }) => hashOf(propertyId) % 2 === half))),
  );
  const [a, b] = books;
  if (!a || !b) return [];
  const first = Math.max(a.first, b.first);
  const last = Math.min(a.first + a.months, b.first + b.months) - 1;
  const rows: (string | number)[][] = [];
  for (const kind of ['market', 'zip', 'neighborhood'] satisfies Kind[]) {
    const curves = [a, b].map(
      (book) => new Map(complete(fitKind(book, name, kind, false)).areas.map(({ area, curve }) => [area, curve])),
    );
    for (const years of YEARS) {
      const misses: number[] = [];
      for (const [area, one] of curves[0]) {
        const other = curves[1].get(area);
        if (!other) continue;
        for (let to = last; to - 12 * years >= first; to -= 12) {
          const growths = [one, other].map(
            ({ level }, k) => level[to - books[k]!.first] - level[to - 12 * years - books[k]!.first],
          );
          const variance = [one, other].reduce(
            (sum, curve, k) => sum + curve.varianceBetween(to - 12 * years - books[k]!.first, to - books[k]!.first),
            0,
          );
          misses.push(Math.abs(growths[0] - growths[1]) / Math.sqrt(variance));
        }
      }
      if (misses.length === 0) continue;
      const inside = misses.filter((miss) => miss < EIGHTY).length / misses.length;
      const eighty = quantile(Float64Array.from(misses).sort(), 0.8) / EIGHTY;
      rows.push([name, kind, years, misses.length, (100 * inside).toFixed(1), eighty.toFixed(2)]);
    }
  }
  return rows;
}

export function printBands(rows: (string | number)[][]): void {
  printTable(
    'Growth by two indexes, each of half the homes: how often they differ by less than their bands say',
    ['market', 'areas', 'years', 'cases', 'inside 80%', 'width needed'],
    rows,
  );
}
