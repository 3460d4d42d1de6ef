// Measured accuracy: calibration, error by property type and price band, and comparison with baselines.
import { useState } from 'react';
import type { Page } from '../api.ts';
import { Bars } from '../charts/bars.tsx';
import { Calibration } from '../charts/calibration.tsx';
import { Ratios } from '../charts/ratios.tsx';
import { compactMoney, day, percent, whole, words } from '../format.ts';
import { useTitle } from '../router.tsx';
import type { AccuracyReport } from '../types.ts';
import { Card, Empty, PageHead, ProblemNotice, Skeleton, Stat } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useApi } from '../use-api.ts';
import { QualitySections } from './quality.tsx';

type Segment = AccuracyReport['segments'][number];

export function AccuracyPage() {
  useTitle('Accuracy');
  const { data, problem, isLoading, reload } = useApi<Page<AccuracyReport>>('avm/accuracy');
  const [chosen, setChosen] = useState<string>();
  const reports = data?.data ?? [];
  const report = reports.find(({ market }) => market === chosen) ?? reports[0];
  return (
    <div className="page">
      <PageHead
        title="Accuracy"
        lead="Measured on sales the model had never seen, all later than the sales it learned from. No sales are excluded."
        actions={
          reports.length > 1 && (
            <label className="row">
              <span className="label">Market</span>
              <select value={report?.market} onChange={(event) => setChosen(event.target.value)}>
                {reports.map(({ market, market_name }) => (
                  <option key={market} value={market}>
                    {market_name}
                  </option>
                ))}
              </select>
            </label>
          )
        }
      />
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && isLoading && <Skeleton lines={6} />}
      {data && reports.length === 0 && (
        <Empty icon="chart" title="No models released yet">
          Backtest results appear here once a market’s model is trained.
        </Empty>
      )}
      {report && (
        <div className="sections" key={report.market}>
          <Report report={report} />
          <QualitySections market={report.market} />
        </div>
      )}
    </div>
  );
}

function Report({ report }: { report: AccuracyReport }) {
  const all = report.segments.find((segment) => segment.kind === 'all') ?? report.segments[0];
  const bands = report.segments.filter((segment) => segment.kind === 'price_band').toSorted(byPrice);
  const types = report.segments.filter((segment) => segment.kind === 'property_type');
  const usual = report.segments.find(({ kind, segment }) => kind === 'market_price' && segment !== SET_ASIDE);
  const headline = usual ?? all;
  const others = report.segments.filter(
    (segment) => segment !== all && !types.includes(segment) && !bands.includes(segment),
  );
  const equity = report.vertical_equity;
  const points = Object.entries(all?.interval_coverage ?? {})
    .map(([level, measured]) => ({ nominal: Number(level), measured }))
    .toSorted((a, b) => a.nominal - b.nominal);
  return (
    <div className="sections">
      <Card
        title={report.market_name}
        lead={`Sales from ${day(report.window.from)} to ${day(report.window.to)} · Model ${report.model_version}`}
      >
        <dl className="stats">
          <Stat
            label="Median error"
            value={percent(headline.median_error_rate)}
            note={usual && `Of market prices; of all deeds ${percent(all.median_error_rate)}`}
          />
          <Stat label="Within 10%" value={percent(headline.within_10_percent)} />
          <Stat label="Within 20%" value={percent(headline.within_20_percent)} />
          <Stat
            label="Sales tested"
            value={whole(all.sample_size)}
            note={`${percent(all.hit_rate)} received a value`}
          />
          <Stat
            label="Dispersion (COD)"
            value={headline.cod.toFixed(1)}
            note={`${usual ? `${all.cod.toFixed(1)} of all deeds; a` : 'A'}ssessor standard: 5 to 15`}
          />
          {equity && (
            <Stat
              label="Vertical equity (VEI)"
              value={`${signed(equity.vei)}%`}
              note={`${signed(equity.low)} to ${signed(equity.high)}; assessor standard: ±10`}
            />
          )}
          <Stat
            label="Price-related bias (PRB)"
            value={headline.prb.toFixed(3).replace('-', '−')}
            note={`PRD ${headline.prd.toFixed(3)}`}
          />
        </dl>
      </Card>
      <div className="grid-2">
        <Card
          title="Calibration"
          lead="How often sale prices fell inside their interval. Points on the line match the stated level exactly."
        >
          {points.length > 0 ? <Calibration points={points} /> : <p className="fine">No intervals measured yet.</p>}
        </Card>
        <Card title="Error by price" lead="Median error by price band.">
          <Bars
            label="Median error by price band"
            format={(value) => percent(value)}
            height={300}
            bars={bands.map((segment) => ({
              label: shortBand(segment.segment),
              parts: [{ name: 'Median error', value: segment.median_error_rate, color: 'var(--series-1)' }],
            }))}
          />
        </Card>
      </div>
      {equity && <Equity equity={equity} />}
      <SegmentTable title="By property type" segments={types} />
      <SegmentTable title="By price band" segments={bands} />
      {[...Map.groupBy(others, (segment) => segment.kind)].map(([kind, segments]) => (
        <details key={kind} className="card flush">
          <summary>{KINDS[kind] ?? words(kind)}</summary>
          <Segments title={KINDS[kind] ?? words(kind)} segments={segments} />
        </details>
      ))}
      <Card flush title="Compared with simpler methods" lead="Other methods, valued on the same sales and dates.">
        <Table
          caption="Baselines"
          keyOf={(row) => row.name}
          rows={[{ ...headline, name: 'This model' }, ...report.baselines]}
          columns={[
            { head: 'Method', cell: (row) => <strong>{words(row.name)}</strong> },
            { head: 'Median error', align: 'right', cell: (row) => percent(row.median_error_rate) },
            { head: 'Within 10%', align: 'right', cell: (row) => percent(row.within_10_percent) },
            { head: 'Within 20%', align: 'right', cell: (row) => percent(row.within_20_percent) },
            { head: 'COD', align: 'right', cell: (row) => row.cod.toFixed(1) },
          ]}
        />
      </Card>
    </div>
  );
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;

const GROUPS: Record<number, string> = { 2: 'halves', 4: 'quarters', 10: 'tenths' };

/** Whether cheap and expensive homes are valued alike. */
function Equity({ equity }: { equity: NonNullable<AccuracyReport['vertical_equity']> }) {
  const { groups } = equity;
  return (
    <Card
      title="Cheap and expensive homes"
      lead={`Median of value ÷ price in ${GROUPS[groups.length] ?? 'groups'} of the tested sales by value (half price, half estimate), with its 90% confidence interval. 1.00 is neither high nor low.`}
    >
      <Ratios
        label="Median ratio of value to price by value"
        points={groups.map((group) => ({
          label: `≤ ${compactMoney(group.value_to)}`,
          ratio: group.median_ratio,
          low: group.low,
          high: group.high,
        }))}
      />
    </Card>
  );
}

const SET_ASIDE = 'set aside';

const KINDS: Record<string, string> = {
  type_and_band: 'By type and price',
  confidence: 'By confidence level',
  tract_income: 'By tract income',
  neighborhood: 'By neighborhood',
  zip: 'By ZIP code',
  market_price: 'Market prices, and sales set aside because they are none',
};

function SegmentTable({ title, segments }: { title: string; segments: Segment[] }) {
  if (segments.length === 0) return null;
  return (
    <Card flush title={title}>
      <Segments title={title} segments={segments} />
    </Card>
  );
}

function Segments({ title, segments }: { title: string; segments: Segment[] }) {
  return (
    <Table
      caption={title}
      rows={segments}
      keyOf={(segment) => `${segment.kind}-${segment.segment}`}
      columns={[
        { head: 'Segment', cell: (segment) => <strong>{words(segment.segment)}</strong> },
        { head: 'Sales', align: 'right', cell: (segment) => whole(segment.sample_size) },
        { head: 'Median error', align: 'right', cell: (segment) => percent(segment.median_error_rate) },
        { head: 'Within 5%', align: 'right', cell: (segment) => percent(segment.within_5_percent) },
        { head: 'Within 10%', align: 'right', cell: (segment) => percent(segment.within_10_percent) },
        { head: 'Within 20%', align: 'right', cell: (segment) => percent(segment.within_20_percent) },
        { head: 'COD', align: 'right', cell: (segment) => segment.cod.toFixed(1) },
        {
          head: '80% interval coverage',
          align: 'right',
          cell: (segment) => percent(segment.interval_coverage['0.8'] ?? segment.interval_coverage['0.80']),
        },
        { head: 'Above low', align: 'right', cell: (segment) => percent(segment.share_above_low) },
      ]}
    />
  );
}

/** `$310,000–$450,000` → `$310–450K`, `Under $310,000` → `< $310K`. */
function shortBand(text: string): string {
  return text
    .replaceAll(/\$([\d,]+)/g, (_, digits: string) => compactMoney(Number(digits.replaceAll(',', ''))))
    .replace(' and more', '+')
    .replace(/^under /i, '< ')
    .replace(/K?–\$(?=.*K$)/, '–')
    .replace('–$', '–');
}

function byPrice(a: Segment, b: Segment): number {
  const from = ({ segment }: Segment) =>
    /^under/i.test(segment) ? 0 : Number(/[\d,]+/.exec(segment)?.[0].replaceAll(',', '') ?? 0);
  return from(a) - from(b);
}
