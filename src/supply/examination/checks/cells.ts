// Checks of every cell that the recipe reads: what spreadsheets, exporters and code pages leave behind.
import { withWords, type CellCheck } from '../check.ts';

/** Any of the signs that the checks of words look for: most cells have none. */
const SUSPICIOUS = /[\u00c2\u00c3\u00e2\ufffd&{[\n#]/;

const words = (pattern: RegExp) => (cell: string) => SUSPICIOUS.test(cell) && pattern.test(cell);

export const CELL_CHECKS = withWords<CellCheck>([
  {
    id: 'points-for-commas',
    reads: 'amounts',
    isWrong: (cell) => /^\s*[$€]?\s*[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?\s*$/.test(cell),
    // 22624.170 is among those of a column with three decimals.
    isRefuted: (cell) => /^\s*\d{4,}\.\d{3}\s*$/.test(cell),
  },
  {
    id: 'rounded-numbers',
    reads: 'amounts',
    isWrong: (cell) => /^\s*\d(?:\.\d+)?e\+?\d+\s*$/i.test(cell),
  },
  {
    id: 'negative-numbers',
    reads: 'amounts',
    isWrong: (cell) => /^\s*(?:\$?-\s*\$?\d|\(\$?\d)/.test(cell),
  },
  {
    id: 'broken-letters',
    reads: 'words',
    isWrong: words(/\u00c3[\u0080-\u00bf]|\u00e2\u20ac|\u00e2\u0080|\u00c2[\u00a0-\u00bf]|\ufffd/),
  },
  {
    id: 'html-in-cells',
    reads: 'words',
    isWrong: words(/&(?:amp|lt|gt|quot|apos|nbsp|#\d+);/i),
  },
  {
    id: 'spreadsheet-errors',
    reads: 'words',
    isWrong: words(/^#(?:REF|VALUE|DIV\/0|NAME|NULL|NUM|N\/A)[!?]?$/i),
  },
  {
    id: 'structured-cells',
    reads: 'words',
    isWrong: words(/^\s*[{[]\s*['"{[]/),
  },
  {
    id: 'swallowed-lines',
    reads: 'words',
    isWrong: words(/(?:\n[^\n]*){4}/),
  },
]);
