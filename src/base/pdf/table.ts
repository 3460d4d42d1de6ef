// Tables on paper: cells wrap, rows stay whole, and the header repeats on every page of the table.
import { INK, type Color } from './colors.ts';
import { drawLine, PAGE, WHOLE_PAGE, WIDTH, type Paper, type TextStyle } from './paper.ts';

export interface Column {
  title: string;
  /** Share of the width of the page. */
  share: number;
  align?: 'left' | 'right' | 'center';
}

/** A column's cell for an item of a list. */
type CellOf<Item> = (item: Item) => Cell;

export const left = (title: string, share: number): Column => ({ title, share });
export const right = (title: string, share: number): Column => ({ title, share, align: 'right' });
export const leftOf = <Item>(title: string, share: number, cell: CellOf<Item>) => ({ ...left(title, share), cell });
export const rightOf = <Item>(title: string, share: number, cell: CellOf<Item>) => ({ ...right(title, share), cell });

export type Cell = string | { text: string; bold?: boolean; color?: Color; note?: string; maxLines?: number };

interface TableOptions {
  size?: number;
  /** Rows with a darker ground: totals. */
  strong?: ReadonlySet<number>;
  /** Starts on a new page if that avoids a break. */
  isWhole?: boolean;
  /** Shown instead of an empty table. */
  empty?: string;
}

const PAD = { x: 4, y: 3 };

/** One row per item. */
export function drawList<Item>(
  paper: Paper,
  items: readonly Item[],
  columns: readonly (Column & { cell: CellOf<NoInfer<Item>> })[],
  options?: TableOptions,
): void {
  const rows = items.map((item) => columns.map(({ cell }) => cell(item)));
  drawTable(paper, columns, rows, options);
}

export function drawTable(
  paper: Paper,
  columns: readonly Column[],
  rows: readonly Cell[][],
  options: TableOptions = {},
): void {
  const { size = 8.5, strong = new Set(), empty, isWhole = false } = options;
  if (rows.length === 0 && empty !== undefined) return paper.paragraph(empty, { color: INK.faint });
  const total = columns.reduce((sum, { share }) => sum + share, 0);
  const widths = columns.map(({ share }) => (share / total) * WIDTH);
  const lefts = widths.map((_, i) => PAGE.left + widths.slice(0, i).reduce((sum, width) => sum + width, 0));
  const styleOf = (column: number, style: TextStyle): TextStyle => ({
    size,
    align: columns[column].align ?? 'left',
    width: widths[column] - 2 * PAD.x,
    ...style,
  });

  const headStyle = (column: number) => styleOf(column, { size: size - 0.5, weight: 'bold', color: INK.soft });
  const headHeight = Math.max(...columns.map(({ title }, i) => paper.heightOf(title || ' ', headStyle(i)))) + 2 * PAD.y;
  const drawHead = () => {
    const top = paper.y;
    paper.pdf.rect(PAGE.left, top, WIDTH, headHeight).fill(INK.wash);
    paper.mark('TH', () => {
      for (const [i, { title }] of columns.entries()) paper.put(title, lefts[i] + PAD.x, top + PAD.y, headStyle(i));
    });
    paper.y = top + headHeight;
  };

  const measured = rows.map((row) => row.map((cell, i) => measure(paper, cell, (style) => styleOf(i, style))));
  const heightOf = (row: number) => Math.max(...measured[row].map(({ height }) => height)) + 2 * PAD.y;
  const isHeaded = columns.some(({ title }) => title !== '');
  const whole = headHeight + rows.reduce((sum, _, row) => sum + heightOf(row), 0);
  // A short table stays in one piece.
  paper.need(whole < (isWhole ? WHOLE_PAGE : WHOLE_PAGE / 3) ? whole : headHeight + heightOf(0));
  if (isHeaded) drawHead();
  for (const [at, cells] of measured.entries()) {
    const height = heightOf(at);
    if (paper.y + height > PAGE.bottom) {
      paper.nextPage();
      if (isHeaded) drawHead();
    }
    const top = paper.y;
    if (strong.has(at)) paper.pdf.rect(PAGE.left, top, WIDTH, height).fill(INK.wash);
    paper.mark('TR', () => {
      for (const [i, cell] of cells.entries()) cell.draw(lefts[i] + PAD.x, top + PAD.y);
    });
    paper.y = top + height;
    drawLine(paper.pdf, [PAGE.left, paper.y], [PAGE.right, paper.y], { width: 0.4, color: INK.line });
  }
  paper.space(10);
}

function measure(paper: Paper, cell: Cell, styled: (style: TextStyle) => TextStyle) {
  const { text, bold = false, color = INK.text, note, maxLines = 6 } = typeof cell === 'string' ? { text: cell } : cell;
  const style = styled({ weight: bold ? 'bold' : 'regular', color, maxLines });
  const height = text === '' ? 0 : paper.heightOf(text, style);
  const noteStyle = styled({ size: (style.size ?? 8.5) - 1, color: INK.faint, maxLines });
  const noteHeight = note ? paper.heightOf(note, noteStyle) : 0;
  return {
    height: height + noteHeight,
    draw(x: number, y: number) {
      if (text !== '') paper.put(text, x, y, style);
      if (note) paper.put(note, x, y + height, noteStyle);
    },
  };
}

/** Names and values in columns, read from left to right. */
export function drawFacts(paper: Paper, facts: readonly [name: string, value: string][], columns = 3): void {
  const gap = 14;
  const width = (WIDTH - gap * (columns - 1)) / columns;
  for (let at = 0; at < facts.length; at += columns) {
    const line = facts.slice(at, at + columns);
    const style: TextStyle = { size: 9.5, width, maxLines: 3 };
    const height = 11 + Math.max(...line.map(([, value]) => paper.heightOf(value, style))) + 5;
    paper.need(height);
    const top = paper.y;
    paper.mark('P', () => {
      for (const [i, [name, value]] of line.entries()) {
        const x = PAGE.left + i * (width + gap);
        paper.put(name, x, top, { size: 7.5, color: INK.faint });
        paper.put(value, x, top + 10.5, style);
      }
    });
    paper.y = top + height;
  }
  paper.space(6);
}
