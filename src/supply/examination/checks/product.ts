// Checks against the product: whether homes will be found by their addresses, and whether sales can carry values.
import { READ_CHECKS, type WholeChecks } from '../check.ts';

const FEW = 50;

export const PRODUCT_CHECKS: WholeChecks = {
  copies: ({ keys, rows }) => [{ count: keys.copies, total: rows }],
  'rows-disagree': ({ keys, rows, parcels: { values }, subject: { fields } }) => {
    // The rank says which of several rows describes the home.
    const isRanked = fields.some(({ name }) => name === 'rank');
    // Where addresses take the place of numbers, any row that comes again may be of another home.
    const isOfAddresses = values.filter((apn) => /^\d+\S* \D/.test(apn)).length > values.length / 2;
    const isRepeated = isOfAddresses && !fields.some(({ target }) => target === 'transactions');
    const count = isRepeated ? keys.repeats : isRanked ? 0 : keys.disagreements;
    return [{ count, total: rows, examples: keys.disagreeing, ...(isOfAddresses && { limits: { warn: 0 } }) }];
  },
  unfindable: ({ addresses }) => [addresses.unfiled],
  'no-street-type': ({ addresses }) => [addresses.untyped],
  'one-price-for-several': ({ neighbors }) => [neighbors.packages],
  'sales-elsewhere': ({ neighbors }) => [neighbors.elsewhere],
  'sale-again': ({ neighbors }) => [neighbors.again],
  'older-below': ({ neighbors }) => [neighbors.older],
  ...READ_CHECKS,
  // In a file that is sorted by its prices or days, equal ones stand below one another.
  'same-as-above': ({ neighbors }) =>
    neighbors.filledDown
      .filter(({ about }) => about === 'house' || !neighbors.isSorted(about))
      .map(({ about, tally }) => ({ ...tally, about })),
  'no-market-sales': ({ fields }) => {
    const [prices, verdicts] = [fields.get('transactions.price'), fields.get('transactions.arms_length')];
    const priced = prices?.numbers.filter((price) => price > 0).length ?? 0;
    if (!prices || !verdicts || priced < FEW) return [];
    const total = Math.round((priced / prices.sample.values.length) * prices.filled);
    return [{ count: Math.max(0, total - verdicts.trues), total }];
  },
  'cannot-be-valued': ({ fields }) => {
    const [area, price] = [fields.get('properties.sqft'), fields.get('transactions.price')];
    if (!area || !price || area.records < FEW) return [];
    return [{ count: area.records - area.filled, total: area.records }];
  },
};
