// The append-only audit log. Each entry includes the hash of the previous one.
import type { Static } from 'typebox';
import type { AuditPage } from '../../../../src/customers/accounts/schema.ts';
import type { MemberPage } from '../../../../src/customers/people/schema.ts';
import { instant, zone } from '../../format.ts';
import { Card, Empty, PageHead, ProblemNotice, Skeleton } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useList } from '../../use-api.ts';

type Member = Static<typeof MemberPage>['data'][number];
type Entry = Static<typeof AuditPage>['data'][number];

export function AuditSection() {
  const list = useList<Entry>('/session/audit-log?limit=50');
  const members = useList<Member>('/session/members');
  const nameOf = (actor: string) => members.data?.find(({ id }) => id === actor)?.name ?? actor;
  return (
    <>
      <PageHead
        title="Audit log"
        lead="Every change to keys, people, plans, and webhooks, with who made it and from where. Entries can’t be deleted."
      />
      <ProblemNotice problem={list.problem} onRetry={list.reload} />
      <Card flush>
        {!list.data && list.isLoading && <Skeleton />}
        {list.data?.length === 0 && (
          <Empty icon="shield" title="No entries yet">
            Changes to keys, people, and billing appear here.
          </Empty>
        )}
        {list.data && list.data.length > 0 && (
          <Table
            caption="Audit log"
            rows={list.data}
            keyOf={({ sequence }) => String(sequence)}
            more={list}
            columns={[
              { head: '#', cell: (row) => row.sequence },
              { head: `Time (${zone()})`, cell: (row) => instant(row.at) },
              { head: 'Action', cell: (row) => <code>{row.action}</code> },
              { head: 'Actor', cell: (row) => <span title={row.actor}>{nameOf(row.actor)}</span> },
              { head: 'Target', wide: true, cell: (row) => row.target ?? '' },
              { head: 'IP', cell: (row) => row.ip ?? '' },
              { head: 'Hash', cell: (row) => <code title={row.hash}>{row.hash.slice(0, 10)}</code> },
            ]}
          />
        )}
      </Card>
    </>
  );
}
