// Checks of every cell that the recipe reads: what spreadsheets, exporters and code pages leave behind.
import type { CellCheck } from '../check.ts';

/** Any of the signs that the checks of words look for: most cells have none. */
const SUSPICIOUS = /[\u00c2\u00c3\u00e2\ufffd&{[\n#]/;

const words = (pattern: RegExp) => (cell: string) => SUSPICIOUS.test(cell) && pattern.test(cell);

export const CELL_CHECKS: CellCheck[] = [
  {
    id: 'points-for-commas',
    reads: 'amounts',
    isWrong: (cell) => /^\s*[$€]?\s*[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?\s*$/.test(cell),
    warn: 0.0005,
    stop: 0.1,
    title: '{about}: numbers like 285.600 have points between thousands',
    cause: 'a computer with European settings has written the file',
    mend: '{ expression: number(replace({about}, r"\\.", "")) }',
  },
  {
    id: 'rounded-numbers',
    reads: 'amounts',
    isWrong: (cell) => /^\s*\d(?:\.\d+)?e\+?\d+\s*$/i.test(cell),
    warn: 0.0005,
    title: '{about}: numbers in scientific notation have lost digits',
    cause: 'a spreadsheet or a statistics program has shortened them',
    mend: 'ask the publisher for the numbers in full',
  },
  {
    id: 'negative-numbers',
    reads: 'amounts',
    isWrong: (cell) => /^\s*(?:\$?-\s*\$?\d|\(\$?\d)/.test(cell),
    warn: 0.001,
    stop: 0.3,
    title: '{about}: negative numbers',
    cause: 'reversals of an account, or a code that stands for unknown',
    mend: 'only_if: { expression: number({about}, 0) >= 0 }',
  },
  {
    id: 'broken-letters',
    reads: 'words',
    isWrong: words(/\u00c3[\u0080-\u00bf]|\u00e2\u20ac|\u00e2\u0080|\u00c2[\u00a0-\u00bf]|\ufffd/),
    warn: 0.0001,
    title: '{about}: letters are broken, as in CaÃ±on',
    cause: 'the file was written in UTF-8 and read in another encoding before it came here',
    mend: 'ask the publisher for UTF-8, or format: { encoding: windows-1252 }',
  },
  {
    id: 'html-in-cells',
    reads: 'words',
    isWrong: words(/&(?:amp|lt|gt|quot|apos|nbsp|#\d+);/i),
    warn: 0.0001,
    title: '{about}: texts with HTML such as &amp;',
    cause: 'the file was taken from web pages',
    mend: '{ expression: replace({about}, r"&amp;", "&") }',
  },
  {
    id: 'spreadsheet-errors',
    reads: 'words',
    isWrong: words(/^#(?:REF|VALUE|DIV\/0|NAME|NULL|NUM|N\/A)[!?]?$/i),
    warn: 0.0001,
    stop: 0.5,
    title: '{about}: cells like #REF! of a spreadsheet',
    cause: 'a formula lost the cells that it refers to; the cells are read as unknown',
    mend: 'ask the publisher for the values',
  },
  {
    id: 'structured-cells',
    reads: 'words',
    isWrong: words(/^\s*[{[]\s*['"{[]/),
    warn: 0.0005,
    stop: 0.3,
    title: '{about}: cells hold a list or a dictionary',
    cause: 'an exporter wrote a nested record into one cell',
    mend: 'each: {about} in a record of its own, or { expression: extract({about}, r"…") }',
  },
  {
    id: 'swallowed-lines',
    reads: 'words',
    isWrong: words(/(?:\n[^\n]*){4}/),
    warn: 0.00001,
    stop: 0.02,
    title: '{about}: cells of more than four lines',
    cause: 'a quote that was never closed has swallowed rows',
    mend: 'mend the quote in the file, on the line of the example',
  },
];
