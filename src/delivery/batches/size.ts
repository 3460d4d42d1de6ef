// How much a batch may hold. A larger one is refused before the rest of it is read.
import { fail } from '../../base/lib/errors.ts';
import { MAX_ITEMS } from './schema.ts';

/** A hundred thousand items with fifty columns. */
export const MAX_CELLS = 5_000_000;

/** Of items and a header. */
export function refuseMoreRows(rows: number): void {
  if (rows > MAX_ITEMS + 1)
    fail('batch_too_large', `A batch has at most ${MAX_ITEMS.toLocaleString('en')} items.`, { limit: MAX_ITEMS });
}
