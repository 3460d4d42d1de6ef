// Checks against the product: whether homes will be found by their addresses, and whether sales can carry values.
import type { WholeCheck } from '../check.ts';

const FEW = 50;
/** Fewer of the steps from row to row go against the order of a sorted file. */
const SORTED = 0.1;

export const PRODUCT_CHECKS: WholeCheck[] = [
  {
    id: 'unfindable',
    find: ({ addresses: { unfiled } }) => [{ ...unfiled, limits: { warn: 0.25, stop: 0.97 } }],
  },
  {
    id: 'no-street-type',
    find: ({ addresses: { untyped } }) => [{ ...untyped, limits: { warn: 0.35 } }],
  },
  {
    id: 'one-price-for-several',
    find: ({ neighbors: { packages } }) => [{ ...packages, limits: { warn: 0.05 } }],
  },
  {
    id: 'sales-elsewhere',
    find: ({ neighbors: { elsewhere } }) => [{ ...elsewhere, limits: { warn: 0.5 } }],
  },
  {
    id: 'same-as-above',
    // In a file that is sorted by its prices or days, equal ones stand below one another.
    find: ({ neighbors: { filledDown } }) =>
      filledDown
        .filter(({ about, rises, falls }) => about === 'house' || Math.min(rises, falls) > SORTED * (rises + falls))
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
  {
    id: 'one-type',
    find: ({ subject, rows }) =>
      subject.fields
        .filter(
          ({ target, name, kind }) =>
            target === 'properties' && name === 'property_type' && kind.startsWith('constant'),
        )
        .map(({ kind }) => ({
          about: kind.replace(/^constant "?|"$/g, '').replaceAll('_', ' '),
          count: rows,
          total: rows,
          limits: { warn: 0 },
        })),
  },
];
