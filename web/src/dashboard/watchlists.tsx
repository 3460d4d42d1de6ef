// Watchlists: properties or searches whose changes are sent to webhooks, and what they are worth together.
import { useState } from 'react';
import type { Static } from 'typebox';
import type { MemberPage, Watchlist as WatchlistSchema } from '../../../src/delivery/watchlists/schema.ts';
import { useCall } from '../caller.tsx';
import { bodyOfQuery, describeFilters } from '../explore/filter.ts';
import { ago, day, plural, whole } from '../format.ts';
import { Link, navigate, useQuery } from '../router.tsx';
import { ShareButton } from '../share/share-button.tsx';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import { Badge, Button, Card, Empty, Field, PageHead, ProblemNotice, Skeleton, SureButton } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useToast } from '../ui/toast.tsx';
import { useAct, useList } from '../use-api.ts';
import { PortfolioSummary } from './portfolio.tsx';

type Watchlist = Static<typeof WatchlistSchema>;
type Member = Static<typeof MemberPage>['data'][number];

export function WatchlistsSection() {
  const call = useCall();
  const [query] = useQuery();
  const list = useList<Watchlist>('watchlists?limit=100');
  const [isCreating, setCreating] = useState(query.has('new'));
  const [shown, setShown] = useState<Watchlist>();
  const remove = useAct(async (id: string) => {
    await call(`watchlists/${id}`, { method: 'DELETE' });
    list.reload();
  });
  const close = () => {
    setCreating(false);
    navigate('/dashboard/watchlists', { replace: true });
  };
  return (
    <>
      <PageHead
        title="Watchlists"
        lead="Watch properties or a search, see what they are worth together, and get changes through your webhooks."
        actions={
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            New watchlist
          </Button>
        }
      />
      <ProblemNotice problem={list.problem ?? remove.problem} onRetry={list.reload} />
      <Card flush>
        {!list.data && list.isLoading && <Skeleton />}
        {list.data?.length === 0 && (
          <Empty
            icon="eye"
            title="No watchlists yet"
            action={
              <Link className="button" href="/explore">
                Open explorer
              </Link>
            }
          >
            Filter in the explorer and select “Watch”, or add property IDs here.
          </Empty>
        )}
        {list.data && list.data.length > 0 && (
          <Table
            caption="Watchlists"
            rows={list.data}
            keyOf={({ id }) => id}
            more={list}
            columns={[
              { head: 'Name', wide: true, cell: (row) => <strong>{row.name}</strong> },
              { head: 'Type', cell: (row) => (row.filter ? 'Search' : 'List') },
              {
                head: 'Properties',
                align: 'right',
                cell: (row) => (row.is_ready ? whole(row.property_count) : <Badge tone="info">Preparing</Badge>),
              },
              { head: 'Events', cell: (row) => row.events.join(', ') },
              { head: 'Value change', align: 'right', cell: (row) => `${row.valuation_change_percent}%` },
              { head: 'Updated', cell: (row) => ago(row.updated_at) },
              {
                head: <span className="unseen">Actions</span>,
                align: 'right',
                cell: (row) => (
                  <span className="row nowrap end">
                    <Button small onClick={() => setShown(row)} aria-label={`Open ${row.name}`}>
                      Open
                    </Button>
                    <SureButton
                      small
                      sure="Confirm delete"
                      onSure={() => void remove.run(row.id)}
                      aria-label={`Delete ${row.name}`}
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
      {isCreating && (
        <CreateDialog
          query={query}
          onClose={close}
          onDone={() => {
            close();
            list.reload();
          }}
        />
      )}
      {shown && <MembersDialog watchlist={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function CreateDialog({ query, onDone, onClose }: { query: URLSearchParams; onDone: () => void; onClose: () => void }) {
  const call = useCall();
  const say = useToast();
  const filters = describeFilters(query);
  const isSearch = filters.length > 0;
  const act = useAct(async (form: FormData) => {
    const ids = String(form.get('property_ids') ?? '')
      .split(/[\s,]+/)
      .filter(Boolean);
    const { updated_since: _since, ...filter } = bodyOfQuery(query);
    const made = await call<Watchlist>('watchlists', {
      body: {
        name: form.get('name'),
        valuation_change_percent: Number(form.get('percent')),
        ...(form.get('total_percent') && { total_change_percent: Number(form.get('total_percent')) }),
        ...(isSearch ? { filter } : { property_ids: ids }),
      },
    });
    say(`${made.name} created`);
    onDone();
  });
  return (
    <FormDialog
      title="New watchlist"
      submit="Create watchlist"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <Field label="Name">{(id) => <input id={id} name="name" type="text" maxLength={100} required />}</Field>
      {isSearch ? (
        <div className="field">
          <span className="label">Search</span>
          <ul className="bullets">
            {filters.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <p className="hint">Properties are added and removed as they start or stop matching.</p>
        </div>
      ) : (
        <Field label="Property IDs" hint="One per line, or separated by commas.">
          {(id, described) => (
            <textarea id={id} name="property_ids" placeholder="prop_…" aria-describedby={described} required />
          )}
        </Field>
      )}
      <Field label="Notify when the value changes by (percent)">
        {(id) => <input id={id} name="percent" type="number" min={0} max={1000} step="any" defaultValue={5} required />}
      </Field>
      <Field label="Notify when the total changes by (percent)" hint="Leave empty for no notification.">
        {(id, described) => (
          <input
            id={id}
            name="total_percent"
            type="number"
            min={0.1}
            max={1000}
            step="any"
            aria-describedby={described}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function MembersDialog({ watchlist, onClose }: { watchlist: Watchlist; onClose: () => void }) {
  const list = useList<Member>(`watchlists/${watchlist.id}/properties?limit=100`);
  return (
    <Dialog title={watchlist.name} onClose={onClose} wide>
      {watchlist.is_ready && (
        <>
          <PortfolioSummary id={watchlist.id} count={watchlist.property_count} />
          <p>
            <ShareButton
              what={{ watchlist_id: watchlist.id }}
              calls={Math.max(1, Math.ceil(watchlist.property_count / 500))}
            />
          </p>
        </>
      )}
      <ProblemNotice problem={list.problem} />
      {!list.data && list.isLoading && <Skeleton />}
      {list.data && (
        <>
          <p className="fine">{plural(watchlist.property_count, 'property', 'properties')}</p>
          <Table
            caption="Properties"
            rows={list.data}
            keyOf={({ property_id }) => property_id}
            more={list}
            columns={[
              {
                head: 'Property',
                wide: true,
                cell: (row) => <Link href={`/p/${row.property_id}`}>{row.property_id}</Link>,
              },
              { head: 'Added', cell: (row) => day(row.added_at) },
            ]}
          />
        </>
      )}
    </Dialog>
  );
}
