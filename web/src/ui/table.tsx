// A table that scrolls horizontally on small screens, with a caption for screen readers.
import type { ReactNode } from 'react';
import { Button } from './parts.tsx';

export interface Column<Row> {
  head: ReactNode;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  wide?: boolean;
}

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
      <div className="table-scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption className="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th key={index} scope="col" className={column.align}>
                  {column.head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={keyOf(row, index)}>
                {columns.map((column, place) => (
                  <td key={place} className={`${column.align ?? ''} ${column.wide ? 'wide' : ''}`}>
                    {column.cell(row)}
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
