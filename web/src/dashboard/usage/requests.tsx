// The request log: calls from the last 30 days, filterable by ID, status, mode, and key.
import { useEffect, useState } from 'react';
import { queryOf } from '../../api.ts';
import { moment, routeName, whole, zone } from '../../format.ts';
import { Link, useQuery } from '../../router.tsx';
import { Badge, Button, Card, Copy, Empty, PageHead, ProblemNotice, Skeleton } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useList } from '../../use-api.ts';
import type { ApiKey, LoggedRequest } from '../answers.ts';
import { ErrorGroups } from './error-groups.tsx';
import { RequestDialog } from './request-dialog.tsx';
import { isOwnRead, statusTone } from './status.ts';

/** New calls are in the log within a second. */
const FOLLOW_MS = 2_000;
const STATUSES = [200, 201, 202, 304, 400, 401, 402, 403, 404, 409, 422, 429, 500, 503];

export function RequestsSection() {
  const [query, change] = useQuery();
  const [typed, setTyped] = useState(query.get('request_id') ?? '');
  const keys = useList<ApiKey>('keys?limit=500');
  const filter = Object.fromEntries(['request_id', 'status', 'mode', 'key_id'].map((name) => [name, query.get(name)]));
  const [isAll, setAll] = useState(false);
  const list = useList<LoggedRequest>(`requests${queryOf({ ...filter, limit: 100 })}`);
  const [isFollowing, setFollowing] = useState(false);
  const [shown, setShown] = useState<LoggedRequest>();
  useEffect(() => {
    if (!isFollowing) return undefined;
    const timer = setInterval(() => document.hidden || list.reload(), FOLLOW_MS);
    return () => clearInterval(timer);
  }, [isFollowing, list.reload]);
  const nameOfKey = (id: string | null) =>
    keys.data?.find((key) => key.id === id)?.name ?? (id?.startsWith('usr_') ? 'Dashboard' : (id ?? 'Batch'));
  const rows = isAll || filter.request_id ? list.data : list.data?.filter((row) => !isOwnRead(row));
  const hidden = (list.data?.length ?? 0) - (rows?.length ?? 0);
  return (
    <>
      <PageHead
        title="Request log"
        lead="Each call of the last 30 days. Open one to see what was asked and answered, for 24 hours."
        actions={
          <>
            <Button aria-pressed={isFollowing} onClick={() => setFollowing(!isFollowing)}>
              <span className={`live-dot ${isFollowing ? 'on' : ''}`} aria-hidden="true" />
              {isFollowing ? 'Following' : 'Follow live'}
            </Button>
            <Button icon="refresh" onClick={list.reload}>
              Refresh
            </Button>
          </>
        }
      />
      {rows && <ErrorGroups rows={rows} onShow={setShown} />}
      <Card flush>
        <form
          className="filters-row"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            change({ request_id: typed.trim() });
          }}
        >
          <input
            type="search"
            aria-label="Request ID"
            placeholder="Request ID"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              if (event.target.value === '') change({ request_id: undefined });
            }}
          />
          <select
            aria-label="Status"
            value={query.get('status') ?? ''}
            onChange={(event) => change({ status: event.target.value })}
          >
            <option value="">Any status</option>
            {STATUSES.map((status) => (
              <option key={status}>{status}</option>
            ))}
          </select>
          <select
            aria-label="Mode"
            value={query.get('mode') ?? ''}
            onChange={(event) => change({ mode: event.target.value })}
          >
            <option value="">Live and sandbox</option>
            <option value="live">Live</option>
            <option value="test">Sandbox</option>
          </select>
          <select
            aria-label="Key"
            value={query.get('key_id') ?? ''}
            onChange={(event) => change({ key_id: event.target.value })}
          >
            <option value="">Any key</option>
            {keys.data?.map((key) => (
              <option key={key.id} value={key.id}>
                {key.name}
              </option>
            ))}
          </select>
        </form>
        <label className="check log-own">
          <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.target.checked)} />
          Show dashboard requests
          {hidden > 0 && <span className="fine"> ({whole(hidden)} hidden)</span>}
        </label>
        <ProblemNotice problem={list.problem} onRetry={list.reload} />
        {!list.data && list.isLoading && <Skeleton lines={6} />}
        {rows?.length === 0 && (
          <Empty
            icon="log"
            title="No requests found"
            action={
              <Link className="button" href="/dashboard/start">
                Make your first call
              </Link>
            }
          >
            Requests appear here within a second.
          </Empty>
        )}
        {rows && rows.length > 0 && (
          <Table
            caption="Requests"
            rows={rows}
            keyOf={(row, index) => `${row.request_id}-${index}`}
            more={list}
            columns={[
              { head: 'Status', cell: (row) => <Badge tone={statusTone(row.status)}>{row.status}</Badge> },
              {
                head: 'Request',
                wide: true,
                cell: (row) => (
                  <>
                    <button type="button" className="link-button" onClick={() => setShown(row)}>
                      <code>
                        {row.method} {routeName(row.route)}
                      </code>
                    </button>
                    {row.error_code && <span className="fine"> {row.error_code}</span>}
                  </>
                ),
              },
              {
                head: 'Usage',
                cell: (row) => (row.meter === 'none' || row.units === 0 ? '' : `${whole(row.units)} ${row.meter}`),
              },
              {
                head: 'Duration',
                align: 'right',
                cell: (row) => `${row.duration_ms < 10 ? row.duration_ms.toFixed(1) : whole(row.duration_ms)} ms`,
              },
              { head: `Time (${zone()})`, cell: (row) => <time dateTime={row.at}>{moment(row.at)}</time> },
              {
                head: 'ID',
                cell: (row) => (
                  <span className="row nowrap">
                    <code className="clip">{row.request_id}</code>
                    <Copy text={row.request_id} label="Copy" isBare />
                  </span>
                ),
              },
            ]}
          />
        )}
      </Card>
      {shown && <RequestDialog request={shown} keyName={nameOfKey(shown.key_id)} onClose={() => setShown(undefined)} />}
    </>
  );
}
