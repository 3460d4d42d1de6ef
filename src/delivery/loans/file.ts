// Loans from a spreadsheet: locator columns are mapped as in a batch, terms by their headers. Runs on a thread. An
// unreadable row carries its reason.
import { readRows } from '../batches/columns.ts';
import { locatorOf } from '../batches/input.ts';
import type { BatchItem } from '../batches/schema.ts';
import { readTable } from '../batches/table.ts';
import { ApiError, fail } from '../../base/lib/errors.ts';
import HEADINGS from './headings.json' with { type: 'json' };
import { MAX_ITEMS, type LoanItem } from './schema.ts';

type Field = keyof typeof HEADINGS;
const FIELD_OF = new Map(
  Object.entries(HEADINGS).flatMap(([field, names]) => names.map((name) => [name, field as Field])),
);
const TEXTS = new Set<Field>(['reference', 'document_number', 'match']);
const WHOLE = new Set<Field>(['amount', 'balance']);

export interface LoanFile {
  items: LoanItem[];
  /** Columns that are neither a locator nor a term. */
  ignored: string[];
}

export async function readLoanFile(bytes: Buffer): Promise<LoanFile> {
  const rows = readRows(await readTable(bytes));
  if (rows.length === 0 || rows.length > MAX_ITEMS)
    fail('invalid_request', `A file registers 1 to ${MAX_ITEMS} loans. This one has ${rows.length}.`);
  const names = new Set(rows.flatMap(({ item }) => Object.keys(item.metadata ?? {})));
  const items = rows.map(({ item, where }, index): LoanItem => {
    const line = Number(where.replace(/\D/g, ''));
    const { reference = item.custom_id, ...terms } = termsOf(item.metadata);
    const named = { ...terms, ...(reference !== undefined && { reference }) };
    try {
      const { property_id: id, ...found } = locatorOf(item, where, index) as Partial<BatchItem>;
      return { line, loan: { property: { ...found, ...(id !== undefined && { id }) }, ...named }, error: null };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { line, loan: named, error: { code: error.code, detail: error.message } };
    }
  });
  return { items, ignored: [...names].filter((name) => !FIELD_OF.has(plain(name))) };
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** An empty cell is skipped; an unparsable one is left as is, for the loan schema to reject. */
function termsOf(cells: Record<string, string> = {}): Partial<Record<Field, unknown>> {
  const terms: Partial<Record<Field, unknown>> = {};
  for (const [name, cell] of Object.entries(cells)) {
    const field = FIELD_OF.get(plain(name));
    if (field !== undefined && cell !== '') terms[field] = readCell(field, cell);
  }
  return terms;
}

function readCell(field: Field, cell: string): unknown {
  if (TEXTS.has(field)) return cell;
  if (field === 'closed_on') {
    const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(cell) ?? [];
    return year === undefined ? cell.slice(0, 10) : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  }
  const [, digits, percent] = /^\$?\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+)\s*(%?)$/.exec(cell) ?? [];
  if (digits === undefined) return cell;
  const number = Number(digits.replaceAll(',', ''));
  if (percent) return Number((number / 100).toPrecision(12));
  return WHOLE.has(field) ? Math.round(number) : number;
}
