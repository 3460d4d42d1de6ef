// Batch size limits and their errors. A file over a limit is rejected before the rest of it is read.
import { fail } from '../../base/lib/errors.ts';
import { MAX_ITEMS } from './schema.ts';

/** A hundred thousand items with fifty columns. */
export const MAX_CELLS = 5_000_000;

/**
 * Texts of a workbook, or objects and lists of a JSON body: seven million of either in 16 MB would exhaust the memory
 * of the thread that reads them, and kill the process.
 */
export const MAX_PARTS = 1_000_000;

export function refuseMoreParts(parts: number, what: string): void {
  if (parts > MAX_PARTS + 1)
    fail('batch_too_large', `The body has more than ${MAX_PARTS.toLocaleString('en')} ${what}.`, { limit: MAX_ITEMS });
}

/** Rows include a header. */
export function refuseMoreRows(rows: number): void {
  if (rows > MAX_ITEMS + 1)
    fail('batch_too_large', `A batch has at most ${MAX_ITEMS.toLocaleString('en')} items.`, { limit: MAX_ITEMS });
}

export function refuse(detail: string, line?: number): never {
  const where = line === undefined ? detail : `Line ${line}: ${detail}`;
  return fail('invalid_request', where, { errors: [{ pointer: '/body', code: 'invalid', detail: where }] });
}
