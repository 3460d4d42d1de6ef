// Reads the sheets of an Excel workbook from before 2007 (XLS). Held in memory: a sheet has at most 65,536 rows.
import { readFileSync } from 'node:fs';
import type { CellObject } from '@e965/xlsx';
import { CommandError } from '../../../base/lib/command-error.ts';
import { dateOf, isDateFormat } from '../../../base/lib/workbook.ts';
import { inBatches, type Row } from './rows.ts';

/** Days between the epochs of workbooks from Windows and from old Macintosh computers. */
const DAYS_TO_1904 = 1462;

async function readBook(path: string) {
  const { read } = await import('@e965/xlsx');
  return read(readFileSync(path), { dense: true, cellNF: true, cellText: false, cellHTML: false, cellFormula: false });
}

export const readXlsNames = async (path: string): Promise<string[]> => (await readBook(path)).SheetNames;

/** The rows that are not empty. */
export async function readXlsRows(path: string, name?: string): Promise<AsyncGenerator<Row[]>> {
  const { SheetNames: names, Sheets: sheets, Workbook: facts } = await readBook(path);
  const wanted = name ?? names[0];
  if (!names.includes(wanted))
    throw new CommandError(`The workbook has no sheet "${wanted}". It has ${names.join(', ')}.`);
  const shift = facts?.WBProps?.date1904 ? DAYS_TO_1904 : 0;
  const rows = ((sheets[wanted]['!data'] ?? []) as (CellObject | undefined)[][]).map((cells, i): Row => ({
    line: i + 1,
    cells: Array.from(cells ?? [], (cell) => textOf(cell, shift)),
  }));
  return inBatches(rows.filter(({ cells }) => cells.some((cell) => cell !== '')));
}

/** Formats a cell like our XLSX reader: dates as ISO days, numbers without format. An error such as #N/A is empty. */
function textOf(cell: CellObject | undefined, shift: number): string {
  if (cell?.v === undefined || cell.t === 'e') return '';
  if (cell.t === 'b') return cell.v ? 'TRUE' : 'FALSE';
  return cell.t === 'n' && isDateFormat(String(cell.z ?? '')) ? dateOf(Number(cell.v) + shift) : String(cell.v);
}
