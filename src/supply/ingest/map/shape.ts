// Tells rows with too few or too many cells, which have lost a quote or hold an unquoted separator.
import type { Row } from '../read/rows.ts';

/** Some publishers end every row with separators. A row with more of them than the first has shifted cells. */
export function shapeCheckerOf(header: string[]): (row: Row) => string | undefined {
  let trailing: number | undefined;
  return ({ cells }) => {
    const extra = cells.length - header.length;
    trailing ??= Math.max(0, extra);
    if (extra === 0) return undefined;
    if (extra < 0) return 'too_few_cells';
    const isBlank = cells.slice(header.length).every((cell) => cell.trim() === '');
    return isBlank && extra <= trailing ? undefined : 'too_many_cells';
  };
}
