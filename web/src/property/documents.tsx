// Recorded deeds, mortgages, and releases, newest first, and assessments by year.
import { day, money, UNKNOWN, words } from '../format.ts';
import type { Property } from '../types.ts';
import { Badge, Card } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';

export function Documents({ property }: { property: Property }) {
  const transactions = property.transactions ?? [];
  const assessments = property.assessments ?? [];
  return (
    <>
      <Card flush title="Recorded documents">
        {transactions.length === 0 ? (
          <p className="fine card-pad">No documents on record.</p>
        ) : (
          <Table
            caption="Recorded documents"
            rows={transactions}
            keyOf={({ id }) => id}
            columns={[
              { head: 'Recorded', cell: (row) => day(row.recording_date ?? row.sale_date) },
              { head: 'Document', cell: (row) => <strong>{row.document_type ?? words(row.type)}</strong> },
              { head: 'Amount', align: 'right', cell: (row) => money(row.price ?? row.loan_amount) },
              {
                head: 'Sale',
                cell: (row) =>
                  row.type !== 'deed' ? (
                    ''
                  ) : row.market_price === false ? (
                    <span title={row.market_price_note ?? undefined}>
                      <Badge tone="warn">
                        {row.market_price_reason ? words(row.market_price_reason) : 'Not a market price'}
                      </Badge>
                    </span>
                  ) : row.market_price ? (
                    <Badge tone="good">Market price</Badge>
                  ) : (
                    UNKNOWN
                  ),
              },
              {
                head: 'Parties',
                wide: true,
                cell: (row) =>
                  row.type === 'deed'
                    ? [row.sellers?.join(', '), row.buyers?.join(', ')].filter(Boolean).join(' → ')
                    : (row.lender ?? row.buyers?.join(', ') ?? ''),
              },
              { head: 'Number', cell: (row) => row.document_number ?? UNKNOWN },
            ]}
          />
        )}
      </Card>
      {assessments.length > 0 && (
        <Card flush title="Assessments">
          <Table
            caption="Assessments by year"
            rows={assessments}
            keyOf={({ year }) => String(year)}
            columns={[
              { head: 'Year', cell: (row) => <strong>{row.year}</strong> },
              { head: 'Land', align: 'right', cell: (row) => money(row.land) },
              { head: 'Improvements', align: 'right', cell: (row) => money(row.improvements) },
              { head: 'Assessed', align: 'right', cell: (row) => money(row.total) },
              { head: 'Market value', align: 'right', cell: (row) => money(row.market_total) },
            ]}
          />
        </Card>
      )}
    </>
  );
}
