// Usage by day, key, and endpoint.
import { useMemo, useState } from 'react';
import { queryOf, type Page } from '../../api.ts';
import { plural, routeName, whole } from '../../format.ts';
import { Card, PageHead, ProblemNotice, Skeleton } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useApi, useList } from '../../use-api.ts';
import type { ApiKey, UsageDay } from '../answers.ts';
import { DailyBars } from './daily-bars.tsx';

interface Sum {
  name: string;
  standard: number;
  avm: number;
}

export function UsageSection() {
  const [span, setSpan] = useState(30);
  const from = useMemo(() => new Date(Date.now() - (span - 1) * 86_400_000).toISOString().slice(0, 10), [span]);
  const { data, problem, isLoading, reload } = useApi<Page<UsageDay>>(`usage/daily${queryOf({ from })}`);
  const keys = useList<ApiKey>('keys?limit=500');
  const days = data?.data ?? [];
  const nameOfKey = (id: string | null) =>
    keys.data?.find((key) => key.id === id)?.name ?? (id?.startsWith('usr_') ? 'Dashboard' : (id ?? 'Batches'));
  const byKey = sumBy(days.flatMap((day) => day.by_key.map((row) => ({ ...row, name: nameOfKey(row.key_id) }))));
  const byRoute = sumBy(days.flatMap((day) => day.by_route.map((row) => ({ ...row, name: routeName(row.route) }))));
  const total = byRoute.reduce((sum, row) => sum + row.standard + row.avm, 0);
  return (
    <>
      <PageHead
        title="Usage"
        lead="Successful live calls. Errors and sandbox calls are free."
        actions={
          <div className="tabs" role="group" aria-label="Period">
            {[7, 30, 90].map((days) => (
              <button key={days} type="button" aria-pressed={span === days} onClick={() => setSpan(days)}>
                {days} days
              </button>
            ))}
          </div>
        }
      />
      <div className="sections">
        <ProblemNotice problem={problem} onRetry={reload} />
        {!data && isLoading && <Skeleton lines={6} />}
        {data && (
          <Card title="By day" lead={plural(total, 'metered call')}>
            <DailyBars days={days} />
          </Card>
        )}
        {total > 0 && (
          <div className="grid-2">
            <Sums title="By key" rows={byKey} />
            <Sums title="By endpoint" rows={byRoute} />
          </div>
        )}
      </div>
    </>
  );
}

function sumBy(rows: Sum[]): Sum[] {
  return [...Map.groupBy(rows, (row) => row.name)]
    .map(([name, group]) => ({
      name,
      standard: group.reduce((sum, row) => sum + row.standard, 0),
      avm: group.reduce((sum, row) => sum + row.avm, 0),
    }))
    .toSorted((a, b) => b.standard + b.avm - a.standard - a.avm);
}

function Sums({ title, rows }: { title: string; rows: Sum[] }) {
  const top = Math.max(1, ...rows.map((row) => row.standard + row.avm));
  return (
    <Card flush title={title}>
      <Table
        caption={title}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          {
            head: 'Name',
            wide: true,
            cell: (row) => (
              <>
                <span>{row.name}</span>
                <span className="meter-track thin" aria-hidden="true">
                  <span className="meter-fill" style={{ width: `${((row.standard + row.avm) / top) * 100}%` }} />
                </span>
              </>
            ),
          },
          { head: 'Calls', align: 'right', cell: (row) => whole(row.standard) },
          { head: 'Valuations', align: 'right', cell: (row) => whole(row.avm) },
        ]}
      />
    </Card>
  );
}
