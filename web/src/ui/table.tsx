// A table with a caption for screen readers. On a phone each row is a card if there are many columns; wider tables scroll.
import type { ReactNode } from 'react';
import { Button } from './parts.tsx';

interface Column<Row> {
  head: ReactNode;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  wide?: boolean;
}

/** The roles are said again because a table that is not laid out as one loses them. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  more,
}: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row, index: number) => string;
  more?: { hasMore: boolean; isLoadingMore: boolean; more(): void };
}) {
  return (
    <>
      <div
        className={`table-scroll ${columns.length > 2 ? 'stacks' : ''}`}
        tabIndex={0}
        role="region"
        aria-label={caption}
      >
        <table role="table">
          <caption className="unseen">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column, index) => (
                <th key={index} role="columnheader" scope="col" className={column.align}>
                  {column.head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row, index) => (
              <tr key={keyOf(row, index)} role="row">
                {columns.map((column, place) => (
                  <td
                    key={place}
                    role="cell"
                    className={`${column.align ?? ''} ${column.wide ? 'wide' : ''}`}
                    data-label={typeof column.head === 'string' ? column.head : undefined}
                  >
                    {/* One box, so that on a phone its lines stay below each other, beside their label. */}
                    <div className="cell">{column.cell(row)}</div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more?.hasMore && (
        <div className="table-more">
          <Button small onClick={more.more} isRunning={more.isLoadingMore}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
