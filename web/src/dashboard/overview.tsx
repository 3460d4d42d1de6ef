// Account overview: usage against the allowance, the hourly limit, projected overage, and recent errors.
import type { Page } from '../api.ts';
import { useCaller } from '../caller.tsx';
import { ago, cents, day, plural, routeName, whole } from '../format.ts';
import { Link } from '../router.tsx';
import { Badge, Card, Empty, Notice, PageHead, ProblemNotice, Skeleton, Stat } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useApi } from '../use-api.ts';
import type { Account, LoggedRequest, Usage, UsageDay } from './answers.ts';
import { DailyBars } from './usage/daily-bars.tsx';
import { Meter } from './usage/meter.tsx';
import { isOwnRead, statusTone } from './usage/status.ts';

export function OverviewSection() {
  const { session, mode } = useCaller();
  const account = useApi<Account>('account');
  const usage = useApi<Usage>('usage');
  const days = useApi<Page<UsageDay>>('usage/daily');
  const requests = useApi<Page<LoggedRequest>>('requests?limit=200');
  const calls = (requests.data?.data ?? []).filter((row) => !isOwnRead(row));
  const failed = calls.filter(({ status }) => status >= 400);
  return (
    <>
      <PageHead
        title={session ? `Welcome, ${session.user.name.split(' ')[0]}` : (account.data?.name ?? 'Overview')}
        lead={
          account.data &&
          `${account.data.plan.name} plan${account.data.trial_ends_at ? `, trial ends ${day(account.data.trial_ends_at)}` : ''}`
        }
        actions={
          <>
            <Link className="button" href="/explore">
              Explore
            </Link>
            <Link className="button primary" href="/dashboard/keys">
              API keys
            </Link>
          </>
        }
      />
      <div className="sections">
        <ProblemNotice problem={usage.problem ?? account.problem} onRetry={usage.reload} />
        {account.data?.needs_card && (
          <Notice tone="warn" title="Add a card to start your trial">
            <p>You can use the sandbox right away. You won’t be charged during the trial.</p>
            <Link className="button small primary" href="/dashboard/billing">
              Add card
            </Link>
          </Notice>
        )}
        {!usage.data && usage.isLoading && <Skeleton lines={5} />}
        {usage.data && <Meters usage={usage.data} />}
        <div className="grid-2">
          <Card title="Last 30 days" lead="Metered live calls">
            <DailyBars days={days.data?.data ?? []} />
          </Card>
          <RecentCalls calls={calls} failed={failed} />
        </div>
        {mode === 'test' && (
          <p className="fine">You’re in the sandbox. Calls are logged and rate limited, but never metered or billed.</p>
        )}
      </div>
    </>
  );
}

/** Shows errors instead of recent calls if there are any, since they need attention first. */
function RecentCalls({ calls, failed }: { calls: LoggedRequest[]; failed: LoggedRequest[] }) {
  const shown = failed.length > 0 ? failed : calls;
  return (
    <Card
      flush={shown.length > 0}
      title={failed.length > 0 ? 'Recent errors' : 'Recent calls'}
      lead={
        calls.length === 0
          ? 'Live and sandbox'
          : `${failed.length === 0 ? 'No' : whole(failed.length)} ${failed.length === 1 ? 'error' : 'errors'} in the last ${plural(calls.length, 'call')}, live and sandbox`
      }
      actions={
        shown.length > 0 && (
          <Link className="button small" href="/dashboard/requests">
            Request log
          </Link>
        )
      }
    >
      {shown.length === 0 ? (
        <Empty
          icon="arrow"
          title="No calls yet"
          action={
            <Link className="button small" href="/dashboard/start">
              Quick start
            </Link>
          }
        >
          Your first call takes about a minute.
        </Empty>
      ) : (
        <Table
          caption="Recent calls"
          rows={shown.slice(0, 6)}
          keyOf={({ request_id }) => request_id}
          columns={[
            { head: 'Status', cell: (row) => <Badge tone={statusTone(row.status)}>{row.status}</Badge> },
            {
              head: 'Call',
              wide: true,
              cell: (row) => (
                <code>{row.error_code ?? `${row.method} ${routeName(row.route).replace('/api/v1', '')}`}</code>
              ),
            },
            { head: 'Time', align: 'right', cell: (row) => ago(row.at) },
          ]}
        />
      )}
    </Card>
  );
}

function Meters({ usage }: { usage: Usage }) {
  const [start, end] = [new Date(usage.period_start).getTime(), new Date(usage.period_end).getTime()];
  const elapsed = Math.min(1, Math.max(0.01, (Date.now() - start) / (end - start)));
  const projection = (used: number) => Math.round(used / elapsed);
  return (
    <Card title="This period" lead={`${day(usage.period_start)} to ${day(usage.period_end)}`}>
      <div className="stack wide-gap">
        <div className="grid-2">
          <Meter
            name="Calls"
            used={usage.standard.used}
            included={usage.standard.included}
            projected={projection(usage.standard.used)}
            note={forecast(projection(usage.standard.used), usage.standard.included, usage.period_end)}
          />
          <Meter
            name="Valuations"
            used={usage.avm.used}
            included={usage.avm.included}
            projected={projection(usage.avm.used)}
            note={forecast(projection(usage.avm.used), usage.avm.included, usage.period_end)}
          />
        </div>
        <dl className="stats">
          <Stat label="Overage so far" value={cents(usage.standard.overage_cents + usage.avm.overage_cents)} />
          <Stat label="Projected overage" value={cents(usage.projected_overage_cents)} note="At the current rate" />
          <Stat
            label="This hour"
            value={`${whole(usage.hour.used)} of ${whole(usage.hour.limit)}`}
            note={`${whole(usage.hour.remaining)} calls left`}
          />
          <Stat label="Reserved by batches" value={whole(usage.standard.reserved + usage.avm.reserved)} />
        </dl>
      </div>
    </Card>
  );
}

/** What the period ends with at the current rate, and how that compares with the plan. */
function forecast(projected: number, included: number | null, end: string): string {
  const share =
    included === null || included === 0
      ? ''
      : projected > included
        ? `, ${whole(projected - included)} over your plan`
        : `, ${Math.round((100 * projected) / included)}% of your plan`;
  return `Projected: ${whole(projected)} by ${day(end)}${share}`;
}
