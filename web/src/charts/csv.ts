// Writes CSV as spreadsheets read it. Pure.

export type Cell = string | number | boolean | null;

export function csvOf(rows: Cell[][]): string {
  const quoted = (cell: Cell) => {
    const text = cell === null ? '' : String(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}
