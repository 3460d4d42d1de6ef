// Profiles a column: numbers, dates, distinct values, and a few examples.
import { DAY_MS } from '../../../base/lib/clock.ts';
import { readDate, readNumber, readText } from '../map/values.ts';
import type { Table } from '../read/rows.ts';

export type Profile = ReturnType<typeof profileColumn>;
export type FileProfile = Awaited<ReturnType<typeof profileTable>>;

const SAMPLED_ROWS = 20_000;
const KEPT_VALUES = 300;
const MOSTLY_DATES = 0.8;

export async function profileTable(table: Table) {
  const cells: string[][] = table.header.map(() => []);
  const shapes = { polygons: 0, points: 0 };
  let rows = 0;
  let columns: Profile[] | undefined;
  for await (const batch of table.rows) {
    for (const row of batch) {
      if (rows < SAMPLED_ROWS) {
        rows++;
        table.header.forEach((_, i) => cells[i].push(row.cells[i] ?? ''));
        if (row.geometry?.type === 'polygons') shapes.polygons++;
        if (row.geometry?.type === 'point') shapes.points++;
      } else {
        columns ??= table.header.map((name, i) => profileColumn(name, cells[i]));
        followDates(columns, row.cells);
      }
    }
  }
  const hasMore = columns !== undefined;
  return { columns: columns ?? table.header.map((name, i) => profileColumn(name, cells[i])), rows, hasMore, shapes };
}

/** A file's newest date indicates its publication, and may be in any row. */
function followDates(columns: Profile[], cells: string[]): void {
  columns.forEach((column, i) => {
    if (column.dated < MOSTLY_DATES) return;
    const date = dateOf(cells[i] ?? '');
    if (!date || (column.latestDate !== null && (date <= column.latestDate || isFarAfter(column.latestDate, date))))
      return;
    column.latestDate = date;
  });
}

function profileColumn(name: string, cells: string[]) {
  const texts = cells.map((cell) => readText(cell)).filter((text) => text !== null);
  const numbers = texts.map(numberOf).filter((number) => number !== null);
  const dates = texts.map(dateOf).filter((date) => date !== null);
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const sorted = numbers.toSorted((a, b) => a - b);
  const share = (count: number) => (texts.length === 0 ? 0 : count / texts.length);
  return {
    name,
    /** Shares of the rows, 0 to 1. */
    filled: cells.length === 0 ? 0 : texts.length / cells.length,
    numeric: share(numbers.length),
    whole: share(numbers.filter((number) => Number.isInteger(number)).length),
    dated: share(dates.length),
    /** `12 ELM ST`, not `5TH AVE`. */
    numbered: share(texts.filter((text) => /^\d+(?!\d|ST |ND |RD |TH )\S*\s+\S/i.test(text)).length),
    /** Share of filled cells. */
    distinct: share(counts.size),
    min: sorted[0] ?? Number.NaN,
    median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
    latestDate: newestOf(dates.toSorted()),
    /** Values by how often they occur, at most `KEPT_VALUES` of them. */
    values: [...counts].sort((a, b) => b[1] - a[1]).slice(0, KEPT_VALUES),
    hasAll: counts.size <= KEPT_VALUES,
  };
}

const isFarAfter = (earlier: string, later: string) => Date.parse(later) - Date.parse(earlier) > 366 * DAY_MS;

/** The newest date, excluding a few mistyped ones more than a year after all others. */
function newestOf(sorted: string[]): string | null {
  let at = sorted.length - 1;
  const fewest = sorted.length >= 100 ? sorted.length - 4 : at;
  while (at > fewest && isFarAfter(sorted[at - 1], sorted[at])) at--;
  return sorted[at] ?? null;
}

function numberOf(text: string): number | null {
  try {
    return readNumber(text, /ac/i.test(text) ? 'acres' : 'sqft');
  } catch {
    return null;
  }
}

/** Bare years and other numbers are ambiguous, so only formatted dates count. */
function dateOf(text: string): string | null {
  if (!/[-/]|^\d{8}(T\d{6}|\.0)?$|^\d{12,13}$|^[A-Za-z]{3}.*\d{4}$/.test(text)) return null;
  try {
    // A sentinel date still indicates a date column.
    const date = readDate(text)?.date ?? '1700-01-01';
    return date >= '1700-01-01' && date < '2100-01-01' ? date : null;
  } catch {
    return null;
  }
}
