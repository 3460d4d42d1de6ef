// Share links of the account: how each stands, how often it was opened, and a way to revoke it.
import type { Static } from 'typebox';
import type { Share as ShareSchema } from '../../../src/delivery/shares/schema.ts';
import { useCall, useCaller } from '../caller.tsx';
import { ago, calm, day, whole, words } from '../format.ts';
import { Link } from '../router.tsx';
import { Badge, Card, Empty, PageHead, ProblemNotice, Skeleton, SureButton, type Tone } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useAct, useList } from '../use-api.ts';

type Share = Static<typeof ShareSchema>;

const TONES: Record<Share['status'], Tone> = { active: 'good', expired: 'neutral', revoked: 'bad' };
const KINDS: Record<Share['kind'], string> = {
  property: 'Property',
  area: 'Area',
  portfolio: 'Portfolio',
  report: 'Lender’s file',
};

export function SharesSection() {
  const call = useCall();
  const { session } = useCaller();
  const list = useList<Share>('shares?limit=100');
  const revoke = useAct(async (id: string) => {
    await call(`shares/${id}/revoke`, { body: {} });
    list.reload();
  });
  return (
    <>
      <PageHead
        title="Share links"
        lead="Pages that anyone with the link can open, without an account. Make one with “Share” on a property, an area, a portfolio or a lender’s file."
      />
      <ProblemNotice problem={list.problem ?? revoke.problem} onRetry={list.reload} />
      <Card flush>
        {!list.data && list.isLoading && <Skeleton />}
        {list.data?.length === 0 && (
          <Empty
            icon="share"
            title="No links yet"
            action={
              <Link className="button" href="/explore">
                Open explorer
              </Link>
            }
          >
            Open a property and select “Share”.
          </Empty>
        )}
        {list.data && list.data.length > 0 && (
          <Table
            caption="Share links"
            rows={list.data}
            keyOf={({ id }) => id}
            more={list}
            columns={[
              {
                head: 'Page',
                wide: true,
                cell: (row) => (
                  <>
                    <strong>{calm(row.title)}</strong>
                    <p className="fine">
                      {KINDS[row.kind]}
                      {row.include_owners && ', with the names of owners'}
                    </p>
                  </>
                ),
              },
              { head: 'Status', cell: (row) => <Badge tone={TONES[row.status]}>{words(row.status)}</Badge> },
              { head: 'Ends', cell: (row) => day(row.revoked_at ?? row.expires_at) },
              {
                head: 'Opened',
                align: 'right',
                cell: (row) => (
                  <span title={row.last_opened_at ? `Last ${ago(row.last_opened_at)}` : 'Never'}>
                    {whole(row.opened_count)}
                  </span>
                ),
              },
              { head: 'Made', cell: (row) => ago(row.created_at) },
              {
                head: <span className="unseen">Actions</span>,
                align: 'right',
                cell: (row) =>
                  row.status === 'active' &&
                  session?.role !== 'viewer' && (
                    <SureButton
                      small
                      sure="Confirm revoke"
                      aria-label={`Revoke ${calm(row.title)}`}
                      onSure={() => void revoke.run(row.id)}
                    >
                      Revoke
                    </SureButton>
                  ),
              },
            ]}
          />
        )}
      </Card>
    </>
  );
}
