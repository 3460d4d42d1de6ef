// The page behind a share link: for anyone, without an account, as it was when the link was made.
import { useEffect, useState, type ReactNode } from 'react';
import { call, type Mode, type Problem } from '../api.ts';
import { Glance, StockCards } from '../areas/stock.tsx';
import { readState } from '../areas/state.ts';
import { PeriodLines } from '../charts/periods.tsx';
import { IntervalBar } from '../charts/interval.tsx';
import { PortfolioFigures } from '../dashboard/portfolio.tsx';
import { calm, compactMoney, day, money, percent, words } from '../format.ts';
import { Facts } from '../property/facts.tsx';
import { History } from '../property/history.tsx';
import { OUTCOMES } from '../property/lenders-file.tsx';
import { RiskLayers } from '../property/risk.tsx';
import { useTitle } from '../router.tsx';
import type { AreaSummary, Portfolio, Property, Report, RiskReport, SalesSeries } from '../types.ts';
import { Icon, Mark } from '../ui/icons.tsx';
import { Badge, Card, Empty, Notice, ProblemNotice, Skeleton, Stat } from '../ui/parts.tsx';
import { problemOf, type Reading } from '../use-api.ts';

interface FileSummary {
  made_on: string;
  as_of: string;
  reference: string | null;
  estimated_value: number;
  interval: { low: number; high: number; level: number };
  outcome: Report['decision']['outcome'];
}

interface SharedPage {
  kind: 'property' | 'area' | 'portfolio' | 'report';
  mode: Mode;
  title: string;
  created_at: string;
  expires_at: string;
  shared_by?: { name: string | null; logo: string | null } | null;
  data: unknown;
}

export function SharedPageView({ token }: { token: string }) {
  const [page, setPage] = useState<SharedPage>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    call<SharedPage>(undefined, `/shared/${encodeURIComponent(token)}/content`).then(setPage, (error: unknown) =>
      setProblem(problemOf(error)),
    );
  }, [token]);
  const title = page ? calm(page.title) : problem ? 'Link not available' : 'Shared page';
  useTitle(title);
  if (problem) return <Ended problem={problem} />;
  if (!page) {
    return (
      <div className="page">
        <Skeleton lines={9} />
      </div>
    );
  }
  return (
    <div className="page shared">
      <header className="page-head">
        <div>
          <SharedBy by={page.shared_by} />
          <h1>{title}</h1>
          <p className="lead">
            As of {day(page.created_at)} · link ends {day(page.expires_at)}
          </p>
        </div>
      </header>
      <div className="sections">
        {page.mode === 'test' && (
          <Notice tone="warn">This page is from the sandbox: an invented place with invented records.</Notice>
        )}
        {contentOf(page, token)}
      </div>
      <footer className="shared-foot fine">
        <Mark /> Compiled from public records by Platbook. Not an appraisal.
      </footer>
    </div>
  );
}

function SharedBy({ by }: { by: SharedPage['shared_by'] }) {
  if (!by || (!by.logo && !by.name)) return null;
  return (
    <p className="shared-by">
      {by.logo && <img src={by.logo} alt="" />}
      {by.name && <strong>{by.name}</strong>}
    </p>
  );
}

function Ended({ problem }: { problem: Problem }) {
  if (problem.status !== 404 && problem.status !== 410) {
    return (
      <div className="page">
        <h1 className="unseen">{problem.title}</h1>
        <ProblemNotice problem={problem} />
      </div>
    );
  }
  return (
    <div className="page">
      <h1 className="unseen">Link not available</h1>
      <Empty icon="clock" title={problem.status === 410 ? 'This link has ended' : 'No such link'}>
        {problem.status === 410
          ? 'It has expired or was revoked. Ask whoever sent it for a new one.'
          : 'Check that the link was copied whole.'}
      </Empty>
    </div>
  );
}

function contentOf({ kind, data }: SharedPage, token: string): ReactNode {
  if (kind === 'property') return <PropertyContent property={data as Property} />;
  if (kind === 'area') return <AreaContent area={data as AreaContentData} />;
  if (kind === 'portfolio')
    return (
      <Card title="Portfolio">
        <div className="stack">
          <PortfolioFigures portfolio={data as Portfolio} />
        </div>
      </Card>
    );
  return <FileContent file={data as FileSummary} token={token} />;
}

const known = <Answer,>(data: Answer): Reading<Answer> => ({
  data,
  problem: undefined,
  isLoading: false,
  reload: () => {},
});

function PropertyContent({ property }: { property: Property }) {
  const { valuation: stored } = property;
  return (
    <>
      <Card title="Estimated value">
        {stored ? (
          <div className="value-grid">
            <div>
              <p className="value-big">{money(stored.estimated_value)}</p>
              <p className="fine">
                Valued {day(stored.valued_on)}
                {stored.low != null && `; 80% interval ${money(stored.low)} to ${money(stored.high)}`}
              </p>
              <div className="row">
                <Badge>{words(property.property_type)}</Badge>
              </div>
            </div>
            {stored.low != null && stored.high != null && (
              <IntervalBar low={stored.low} value={stored.estimated_value} high={stored.high} level={0.8} />
            )}
          </div>
        ) : (
          <p>This property has no stored value.</p>
        )}
      </Card>
      <Facts property={property} />
      <History property={property} valuation={undefined} />
      {property.risk != null && <RiskLayers risk={known(property.risk as RiskReport)} />}
    </>
  );
}

interface AreaContentData {
  summary: AreaSummary;
  series: SalesSeries;
}

function AreaContent({ area: { summary, series } }: { area: AreaContentData }) {
  return (
    <>
      <Glance reading={known(series)} state={readState(new URLSearchParams())} />
      <Card title="Median price" lead="Arm’s-length sales of homes by quarter.">
        <PeriodLines
          label="Median price by quarter"
          periods={series.data.map(({ period }) => period)}
          format={compactMoney}
          lines={[
            { name: 'Median price', color: 'var(--series-1)', values: series.data.map((point) => point.median_price) },
          ]}
        />
      </Card>
      <StockCards summary={summary} />
    </>
  );
}

function FileContent({ file, token }: { file: FileSummary; token: string }) {
  return (
    <Card
      title="Lender’s file"
      lead="Value, comparables, title, risk, market and data gaps in one PDF."
      actions={
        <a className="button primary" href={`/shared/${encodeURIComponent(token)}/file`} download>
          <Icon name="export" size={17} />
          Download PDF
        </a>
      }
    >
      <dl className="stats">
        <Stat
          label="Estimated value"
          value={money(file.estimated_value)}
          note={`${money(file.interval.low)} to ${money(file.interval.high)} at ${percent(file.interval.level, 0)}`}
        />
        <Stat label="As of" value={day(file.as_of)} note={`Made ${day(file.made_on)}`} />
        <Stat label="Outcome of the rules" value={OUTCOMES[file.outcome]} />
        {file.reference && <Stat label="Reference" value={file.reference} />}
      </dl>
    </Card>
  );
}
