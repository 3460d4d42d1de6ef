// Reports: lender's files that were made, and the rules they are checked against.
import type { Static } from 'typebox';
import type { ReportPage } from '../../../../src/delivery/reports/schema.ts';
import { send } from '../../api.ts';
import { useCall, useCaller } from '../../caller.tsx';
import { saveFile } from '../../save-file.ts';
import { instant, money, UNKNOWN } from '../../format.ts';
import { OUTCOMES } from '../../property/lenders-file.tsx';
import { Link } from '../../router.tsx';
import { ShareButton } from '../../share/share-button.tsx';
import {
  Badge,
  Button,
  Card,
  Empty,
  PageHead,
  ProblemNotice,
  Skeleton,
  SureButton,
  type Tone,
} from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useAct, useList } from '../../use-api.ts';
import { RulesCard } from './rules.tsx';

type Summary = Static<typeof ReportPage>['data'][number];

const TONES: Record<Summary['outcome'], Tone> = {
  pass: 'good',
  refer: 'warn',
  decline: 'bad',
  not_evaluated: 'neutral',
};

export function ReportsSection() {
  const list = useList<Summary>('reports?limit=50');
  return (
    <>
      <PageHead
        title="Reports"
        lead="Lender’s files: value, comparables, title, risk, market and data gaps in one PDF, checked against your rules."
        actions={
          <Link className="button primary" href="/explore">
            Find a property
          </Link>
        }
      />
      <div className="sections">
        <RulesCard />
        <Reports list={list} />
      </div>
    </>
  );
}

function Reports({ list }: { list: ReturnType<typeof useList<Summary>> }) {
  const { credential } = useCaller();
  const call = useCall();
  const act = useAct(async (what: 'pdf' | 'delete', { id }: Summary) => {
    if (what === 'pdf') {
      saveFile(await (await send(credential, `reports/${id}/pdf`)).blob(), `${id}.pdf`);
    } else {
      await call(`reports/${id}`, { method: 'DELETE' });
      list.reload();
    }
  });
  return (
    <Card flush title="Files">
      <ProblemNotice problem={list.problem ?? act.problem} onRetry={list.reload} />
      {!list.data && list.isLoading && <Skeleton />}
      {list.data?.length === 0 && (
        <Empty icon="log" title="No files yet">
          Open a property and select “Lender’s file”, or call <code>POST /reports</code>.
        </Empty>
      )}
      {list.data && list.data.length > 0 && (
        <Table
          caption="Reports"
          rows={list.data}
          keyOf={({ id }) => id}
          more={list}
          columns={[
            {
              head: 'Property',
              wide: true,
              cell: (row) => <Link href={`/p/${row.property_id}`}>{row.address ?? row.property_id}</Link>,
            },
            { head: 'Reference', cell: (row) => row.reference ?? UNKNOWN },
            { head: 'Value', align: 'right', cell: (row) => money(row.estimated_value) },
            { head: 'Outcome', cell: (row) => <Badge tone={TONES[row.outcome]}>{OUTCOMES[row.outcome]}</Badge> },
            { head: 'Made', cell: (row) => instant(row.created_at) },
            {
              head: <span className="unseen">Actions</span>,
              align: 'right',
              cell: (row) => (
                <span className="row nowrap end">
                  <Button small onClick={() => void act.run('pdf', row)} aria-label={`Download PDF of ${row.id}`}>
                    PDF
                  </Button>
                  <ShareButton small what={{ report_id: row.id }} calls={0} label={`Share ${row.id}`} />
                  <SureButton
                    small
                    sure="Confirm delete"
                    onSure={() => void act.run('delete', row)}
                    aria-label={`Delete ${row.id}`}
                  >
                    Delete
                  </SureButton>
                </span>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}
