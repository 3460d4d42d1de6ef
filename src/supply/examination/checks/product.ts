// Checks against the product: whether homes will be found by their addresses, and whether sales can carry values.
import type { WholeCheck } from '../check.ts';

const FEW = 50;

export const PRODUCT_CHECKS: WholeCheck[] = [
  {
    id: 'unfindable',
    title: 'street lines cannot be filed, so that these homes are not found by address',
    cause: 'lines without a number or a street, or another column',
    mend: 'address_line1: { join: [<number>, <street>], with: " " }',
    find: ({ addresses: { unfiled } }) => [{ ...unfiled, limits: { warn: 0.25, stop: 0.97 } }],
  },
  {
    id: 'no-street-type',
    title: 'street lines have no ST, AVE or other type of street',
    cause: 'the column is too narrow and cuts the text, or the type stands in a column of its own',
    mend: 'address_line1: { join: [<number>, <street>, <type>], with: " " }',
    find: ({ addresses: { untyped } }) => [{ ...untyped, limits: { warn: 0.35 } }],
  },
  {
    id: 'no-market-sales',
    title: 'sales with a price are no market sales',
    cause: 'a code of validity that was read the wrong way, or prices in another unit',
    mend: 'stated_valid: { code: <column>, table: { … } }',
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
    title: 'homes have no living area, so that values will be wide',
    cause: 'the file has none, or its column was not recognized',
    mend: 'sqft: { positive: <column> }',
    find: ({ fields }) => {
      const [area, price] = [fields.get('properties.sqft'), fields.get('transactions.price')];
      if (!area || !price || area.records < FEW) return [];
      return [{ count: area.records - area.filled, total: area.records, limits: { warn: 0.6 } }];
    },
  },
  {
    id: 'one-type',
    title: 'every home is {about}, because no column says what it is',
    cause: 'the file has no use code, or its column was not recognized',
    mend: 'property_type: { code: <column>, table: { … } }',
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
