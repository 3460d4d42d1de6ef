// Checks against the product: whether homes will be found by their addresses, and whether sales can carry values.
import { READ_CHECKS, wordsOf, type Found, type WholeCheck } from '../check.ts';
import type { Examined } from '../examined.ts';

const FEW = 50;

/** What the pass over the rows has counted. */
const TALLIES: [id: string, tallyOf: (exam: Examined) => Omit<Found, 'limits'>][] = [
  ['copies', ({ keys, rows }) => ({ count: keys.copies, total: rows })],
  ['rows-disagree', ({ keys, rows }) => ({ count: keys.disagreements, total: rows, examples: keys.disagreeing })],
  ['unfindable', ({ addresses }) => addresses.unfiled],
  ['no-street-type', ({ addresses }) => addresses.untyped],
  ['one-price-for-several', ({ neighbors }) => neighbors.packages],
  ['sales-elsewhere', ({ neighbors }) => neighbors.elsewhere],
  ['sale-again', ({ neighbors }) => neighbors.again],
];

export const PRODUCT_CHECKS: WholeCheck[] = [
  ...TALLIES.map(([id, tallyOf]) => ({ id, find: (exam: Examined) => [{ ...tallyOf(exam), limits: wordsOf(id) }] })),
  ...READ_CHECKS,
  {
    id: 'same-as-above',
    // In a file that is sorted by its prices or days, equal ones stand below one another.
    find: ({ neighbors }) =>
      neighbors.filledDown
        .filter(({ about }) => about === 'house' || !neighbors.isSorted(about))
        .map(({ about, tally }) => ({ ...tally, about, limits: { warn: 0.08 } })),
  },
  {
    id: 'no-market-sales',
    find: ({ fields }) => {
      const [prices, verdicts] = [fields.get('transactions.price'), fields.get('transactions.arms_length')];
      const priced = prices?.numbers.filter((price) => price > 0).length ?? 0;
      if (!prices || !verdicts || priced < FEW) return [];
      const total = Math.round((priced / prices.sample.values.length) * prices.filled);
      return [{ count: Math.max(0, total - verdicts.trues), total, limits: { warn: 0.8, stop: 0.995 } }];
    },
  },
  {
    id: 'cannot-be-valued',
    find: ({ fields }) => {
      const [area, price] = [fields.get('properties.sqft'), fields.get('transactions.price')];
      if (!area || !price || area.records < FEW) return [];
      return [{ count: area.records - area.filled, total: area.records, limits: { warn: 0.6 } }];
    },
  },
];
