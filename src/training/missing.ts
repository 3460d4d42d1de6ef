// Measures how much the error grows when an attribute is unknown, by hiding it from tested sales.
import type { Attributes } from '../avm/attributes.ts';
import type { Book } from '../avm/evidence.ts';
import type { Model } from '../avm/model.ts';
import { ALL_MISSING, appraise, readHome } from '../avm/appraise.ts';
import { median } from '../math/quantiles.ts';
import type { TestedSale } from './back-test.ts';

export function hide(a: Attributes, names: string[]): Attributes {
  const hidden: Attributes = { ...a, extras: { ...a.extras } };
  for (const name of names) {
    if (name.startsWith('extras.')) delete hidden.extras[name.slice(7)];
    else (hidden as Record<string, unknown>)[name] = null;
    // Without the year the effective year is unknown too; without the bath count, so are full and half baths.
    if (name === 'yearBuilt') hidden.effectiveYearBuilt = null;
    if (name === 'bathrooms') [hidden.bathsFull, hidden.bathsHalf] = [null, null];
  }
  return hidden;
}

/** By attribute: median error with it hidden ÷ median error with it known, on up to `sample` sales each; at least 1. */
export function measureMissing(model: Model, book: Book, tested: TestedSale[], sample: number): Record<string, number> {
  const names = [...new Set(Object.values(model.expected).flat())];
  const step = Math.max(1, Math.floor(tested.length / sample));
  const chosen = tested.filter((_, i) => i % step === 0);
  const known = median(chosen.map((each) => Math.abs(Math.log(each.value / each.sale.priceUsd))));
  const hidden: Array<[string, string[]]> = [
    ...names.map((name): [string, string[]] => [name, [name]]),
    [ALL_MISSING, names],
  ];
  return Object.fromEntries(
    hidden.map(([label, together]) => {
      const errors = chosen.map(({ sale }) => {
        const home = { attributes: hide(sale.attributes, together), propertyId: sale.propertyId };
        return Math.abs(appraise(model, readHome(model, book, home, sale.soldDay)).logValue - Math.log(sale.priceUsd));
      });
      return [label, Math.max(1, Math.round((100 * median(errors)) / known) / 100)];
    }),
  );
}
