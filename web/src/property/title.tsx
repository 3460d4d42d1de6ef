// The title: how far back the records go, what is odd, the chain of deeds, and what encumbers the property.
import { useState } from 'react';
import { useCaller } from '../caller.tsx';
import { day, money, month, percent, plural, UNKNOWN, words } from '../format.ts';
import type { TitleReport } from '../types.ts';
import { Badge, Button, Card, ProblemNotice, Skeleton, Stat, type Tone } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useApi } from '../use-api.ts';

type Link = TitleReport['chain'][number];
type Mortgage = TitleReport['mortgages'][number];

const CONNECTIONS: Record<Link['connection'], [string, Tone]> = {
  matched: ['Connected', 'good'],
  similar: ['Name differs', 'warn'],
  broken: ['Missing link', 'bad'],
  not_stated: ['Parties not on record', 'neutral'],
  correction: ['Correction', 'neutral'],
  first: ['Oldest on record', 'neutral'],
};
const STATUSES: Record<Mortgage['status'], [string, Tone]> = {
  open: ['Open', 'warn'],
  partly_released: ['Partly released', 'warn'],
  released: ['Released', 'good'],
};
/** Stated in the column next to it; a list of them would bury the rest. */
const SHOWN_ELSEWHERE = new Set(['non_arms_length']);

export function Title({ id }: { id: string }) {
  const { mode } = useCaller();
  // Sandbox reports are free. Live ones count against the plan, so they wait for a click.
  const [isAsked, setAsked] = useState(mode === 'test');
  const title = useApi<TitleReport>(isAsked ? `properties/${encodeURIComponent(id)}/title` : null);
  return (
    <Card title="Title" lead={title.data?.coverage.note}>
      {!isAsked && (
        <div className="row no-print">
          <Button look="primary" onClick={() => setAsked(true)}>
            Read the title
          </Button>
          <span className="fine">Uses one standard call.</span>
        </div>
      )}
      <ProblemNotice problem={title.problem} onRetry={title.reload} />
      {!title.data && title.isLoading && <Skeleton lines={5} />}
      {title.data && <Report title={title.data} />}
    </Card>
  );
}

function Report({ title }: { title: TitleReport }) {
  const { open, ownership, coverage } = title;
  const flags = title.flags.filter(({ code }) => !SHOWN_ELSEWHERE.has(code));
  return (
    <div className="stack wide-gap title-report">
      <dl className="stats">
        <Stat
          label="Owned since"
          value={day(ownership?.since)}
          note={ownership?.years == null ? undefined : `${ownership.years} years`}
        />
        <Stat
          label="Open mortgages"
          value={open.mortgages ?? UNKNOWN}
          note={
            open.estimated_balance
              ? `About ${money(open.estimated_balance)} left, an estimate`
              : coverage.mortgages.status === 'partial'
                ? 'On record; others may be open'
                : open.mortgages
                  ? 'Balance not known'
                  : undefined
          }
        />
        <Stat
          label="Open liens"
          value={sumOf(open.tax_liens, open.other_liens)}
          note={notKnown(open.tax_liens, 'taxes')}
        />
        <Stat
          label="Open permits and violations"
          value={sumOf(open.permits, open.violations)}
          note={notKnown(open.violations, 'violations')}
        />
      </dl>
      {flags.length > 0 && (
        <ul className="title-flags">
          {flags.map(({ code, reason }, index) => (
            <li key={index}>
              <Badge tone="warn">{words(code)}</Badge>
              <span>{reason}</span>
            </li>
          ))}
        </ul>
      )}
      {title.chain.length > 0 && <Chain links={title.chain} isChain={coverage.status === 'covered'} />}
      {coverage.mortgages.status !== 'covered' && <p className="fine">{coverage.mortgages.note}</p>}
      {title.mortgages.length > 0 && <Mortgages mortgages={title.mortgages} />}
      {title.other_liens.length > 0 && <Documents name="Liens" documents={title.other_liens} />}
      {title.other_documents.length > 0 && (
        <Documents name="Other recorded documents" documents={title.other_documents} />
      )}
      {title.unmatched.length > 0 && (
        <p className="fine">
          {plural(title.unmatched.length, 'release or assignment', 'releases and assignments')} of loans that are not on
          record here.
        </p>
      )}
      <p className="fine">{title.notice}</p>
    </div>
  );
}

/** A kind that is not covered may exist, so "none" of the others does not mean none. */
function sumOf(...counts: (number | null)[]) {
  const known = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return counts.includes(null) && known === 0 ? UNKNOWN : known;
}

const notKnown = (count: number | null, what: string) => (count === null ? `${words(what)} not known` : undefined);

function Chain({ links, isChain }: { links: Link[]; isChain: boolean }) {
  return (
    <section>
      <h3>{isChain ? 'Chain of deeds' : 'Sales'}</h3>
      <Table
        caption="Chain of deeds"
        rows={links}
        keyOf={(link) => link.transaction_id}
        columns={[
          { head: 'Date', cell: (link) => day(link.sold_on ?? link.recorded_on) },
          {
            head: 'Instrument',
            cell: (link) => (
              <>
                <strong>{words(link.instrument)}</strong>
                <span className="source">{placeOf(link)}</span>
              </>
            ),
          },
          {
            head: 'Parties',
            wide: true,
            cell: (link) =>
              [link.grantors?.join(', '), link.grantees?.join(', ')].filter(Boolean).join(' → ') || UNKNOWN,
          },
          {
            head: 'Price',
            align: 'right',
            cell: (link) => (
              <>
                {money(link.price)}
                {link.arms_length === false && <span className="source">Not a market sale</span>}
              </>
            ),
          },
          {
            head: 'To the deed before',
            cell: ({ connection }) => <Badge tone={CONNECTIONS[connection][1]}>{CONNECTIONS[connection][0]}</Badge>,
          },
        ]}
      />
    </section>
  );
}

function Mortgages({ mortgages }: { mortgages: Mortgage[] }) {
  return (
    <section>
      <h3>Mortgages</h3>
      <Table
        caption="Mortgages"
        rows={mortgages}
        keyOf={(mortgage) => mortgage.transaction_id}
        columns={[
          { head: 'Recorded', cell: (mortgage) => day(mortgage.recorded_on) },
          {
            head: 'Lender',
            wide: true,
            cell: (mortgage) => (
              <>
                <strong>{mortgage.lender ?? UNKNOWN}</strong>
                {mortgage.assignments.length > 0 && <span className="source">Now {mortgage.holder ?? UNKNOWN}</span>}
              </>
            ),
          },
          { head: 'Amount', align: 'right', cell: (mortgage) => money(mortgage.amount) },
          {
            head: 'Status',
            cell: ({ status, releases }) => (
              <>
                <Badge tone={STATUSES[status][1]}>{STATUSES[status][0]}</Badge>
                {releases.length > 0 && <span className="source">{day(releases.at(-1)!.recorded_on)}</span>}
              </>
            ),
          },
          {
            head: 'Estimated balance',
            align: 'right',
            cell: ({ estimated_balance: balance }) =>
              balance === null ? (
                UNKNOWN
              ) : (
                <>
                  {money(balance.amount)}
                  <span className="source">
                    at {percent(balance.rate, 2)}, {month(`${balance.rate_month}-01`)} average
                    {balance.rate_months_old > 0 && `, ${plural(balance.rate_months_old, 'month')} older than the loan`}
                  </span>
                </>
              ),
          },
        ]}
      />
    </section>
  );
}

type Recorded = TitleReport['other_documents'][number] & { status?: Mortgage['status'] };

function Documents({ name, documents }: { name: string; documents: Omit<Recorded, 'refers_to'>[] }) {
  return (
    <section>
      <h3>{name}</h3>
      <Table
        caption={name}
        rows={documents}
        keyOf={(document) => document.transaction_id}
        columns={[
          { head: 'Recorded', cell: (document) => day(document.recorded_on) },
          { head: 'Document', wide: true, cell: (document) => words(document.document_type ?? document.instrument) },
          { head: 'Where', cell: (document) => placeOf(document) },
          ...(documents.some(({ status }) => status)
            ? [
                {
                  head: 'Status',
                  cell: ({ status }: (typeof documents)[number]) =>
                    status && <Badge tone={STATUSES[status][1]}>{STATUSES[status][0]}</Badge>,
                },
              ]
            : []),
        ]}
      />
    </section>
  );
}

function placeOf({
  book,
  page,
  document_number,
  recorded_in,
}: Pick<Link, 'book' | 'page' | 'document_number' | 'recorded_in'>): string {
  const where =
    book && page ? `Book ${book}, page ${page}` : document_number ? `No. ${document_number}` : 'Not numbered';
  return recorded_in ? `${where}, ${recorded_in}` : where;
}
