// What the properties of a watchlist are worth together: total and joint interval, exposure, and what changed.
import { useState } from 'react';
import { useCaller } from '../caller.tsx';
import { day, money, percent, plural, UNKNOWN, whole, words } from '../format.ts';
import { EXPOSURE_LABELS } from '../layers.ts';
import type { Portfolio } from '../types.ts';
import { Button, ProblemNotice, Skeleton, Stat } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useApi } from '../use-api.ts';

const MOST_AREAS = 6;

export function PortfolioSummary({ id, count }: { id: string; count: number }) {
  const { mode } = useCaller();
  // The sandbox is free. Live lists cost a call per 500 properties, so they wait for a click.
  const [isAsked, setAsked] = useState(mode === 'test');
  const portfolio = useApi<Portfolio>(isAsked ? `watchlists/${id}/portfolio` : null);
  return (
    <section className="stack">
      {!isAsked && (
        <div className="row">
          <Button look="primary" onClick={() => setAsked(true)}>
            Value together
          </Button>
          <span className="fine">Uses {plural(Math.max(1, Math.ceil(count / 500)), 'standard call')}.</span>
        </div>
      )}
      <ProblemNotice problem={portfolio.problem} onRetry={portfolio.reload} />
      {!portfolio.data && portfolio.isLoading && <Skeleton lines={4} />}
      {portfolio.data && <PortfolioFigures portfolio={portfolio.data} />}
    </section>
  );
}

/** Also drawn on shared pages. */
export function PortfolioFigures({ portfolio }: { portfolio: Portfolio }) {
  const { total, since, exposure } = portfolio;
  const cities = exposure.areas.filter(({ kind }) => kind === 'city').slice(0, MOST_AREAS);
  return (
    <>
      <dl className="stats">
        <Stat
          label="Total value"
          value={money(total?.value)}
          note={
            total
              ? `${money(total.low)} to ${money(total.high)} at ${percent(total.interval_level, 0)}`
              : 'No property has a value'
          }
        />
        <Stat
          label="Valued"
          value={`${whole(portfolio.valued_count)} of ${whole(portfolio.property_count)}`}
          note={total ? `Through ${day(total.valued_to)}` : undefined}
        />
        <Stat
          label={`Since ${day(since.day)}`}
          value={since.change === null ? UNKNOWN : percent(since.change)}
          note={plural(
            since.changes.reduce((sum, { changes }) => sum + changes, 0),
            'change',
          )}
        />
        <Stat
          label="Shared uncertainty"
          value={total ? percent(1 - total.error_shares.own, 0) : UNKNOWN}
          note="Of the market and neighborhoods"
        />
      </dl>
      <Table
        caption="Exposure"
        rows={[
          ...cities.map((area) => ({ ...area, label: area.name, notKnown: 0 })),
          ...exposure.risk.map((risk) => ({
            ...risk,
            label: EXPOSURE_LABELS[risk.layer] ?? risk.title,
            notKnown: risk.not_known_count,
          })),
        ]}
        keyOf={({ label }) => label}
        columns={[
          {
            head: 'Exposure',
            wide: true,
            cell: (row) => (
              <>
                {row.label}
                {row.notKnown > 0 && (
                  <span className="source">{plural(row.notKnown, 'property', 'properties')} not known</span>
                )}
              </>
            ),
          },
          { head: 'Properties', align: 'right', cell: (row) => whole(row.property_count) },
          { head: 'Value', align: 'right', cell: (row) => money(row.value) },
          { head: 'Share', align: 'right', cell: (row) => percent(row.share) },
        ]}
      />
      {since.changes.length > 0 && (
        <p className="fine">
          {since.changes.map(({ type, changes }) => `${words(type)}: ${whole(changes)}`).join(' · ')}
        </p>
      )}
    </>
  );
}
