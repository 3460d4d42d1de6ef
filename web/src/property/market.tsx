// The market around a home: prices, index and sales of its ZIP code beside its county.
import { useState } from 'react';
import { queryOf } from '../api.ts';
import { areaHref, type AreaKey } from '../areas/state.ts';
import { areaText, figureText, shortText } from '../areas/words.ts';
import { useCaller } from '../caller.tsx';
import { Bars } from '../charts/bars.tsx';
import { PeriodLines } from '../charts/periods.tsx';
import { whole } from '../format.ts';
import { Link } from '../router.tsx';
import type { PriceIndex, Property, SalesSeries } from '../types.ts';
import { Button, Card, ProblemNotice, Skeleton, Stat } from '../ui/parts.tsx';
import { useApi } from '../use-api.ts';

const YEARS_SHOWN = 10;

export function MarketAround({ property }: { property: Property }) {
  const { mode } = useCaller();
  // Free in the sandbox. Live ones count against the plan, so they wait for a click.
  const [isAsked, setAsked] = useState(mode === 'test');
  const { address, identifiers } = property;
  const county: AreaKey | undefined = identifiers?.fips ? { kind: 'county', id: identifiers.fips } : undefined;
  const near: AreaKey | undefined = address?.zip ? { kind: 'zip', id: address.zip } : county;
  if (!near || !county) return null;
  const areas = near === county ? [county] : [near, county];
  const lead = `${areas.map((area) => areaText(area, area.kind === 'county' ? (identifiers?.county ?? undefined) : undefined)).join(' beside ')}, from recorded sales.`;
  if (!isAsked)
    return (
      <Card title="Market" lead={lead}>
        <div>
          <Button onClick={() => setAsked(true)}>Show the market ({areas.length + 1} calls)</Button>
        </div>
      </Card>
    );
  return <Figures areas={areas} market={identifiers?.market} lead={lead} />;
}

function Figures({ areas, market, lead }: { areas: AreaKey[]; market: string | undefined; lead: string }) {
  const [near, county] = areas;
  const seriesOf = (area: AreaKey | undefined) =>
    area ? `analytics/series${queryOf({ kind: area.kind, area: area.id, market, interval: 'quarter' })}` : null;
  const first = useApi<SalesSeries>(seriesOf(near));
  const second = useApi<SalesSeries>(seriesOf(county));
  const index = useApi<PriceIndex>(
    `analytics/index${queryOf({ kind: near.kind, area: near.id, market, interval: 'month' })}`,
  );
  const problem = first.problem ?? second.problem ?? index.problem;
  const series = [first.data, second.data].filter((one) => one !== undefined);
  const href = areaHref(near.kind, near.id, market);
  return (
    <Card
      title="Market"
      lead={lead}
      actions={
        <Link className="button small no-print" href={href}>
          All figures
        </Link>
      }
    >
      <ProblemNotice problem={problem} />
      {series.length === 0 && !problem && <Skeleton lines={6} />}
      {series.length > 0 && (
        <div className="stack">
          <Glance series={series[0]} index={index.data} />
          <div className="grid-2">
            <section className="stack tight">
              <h3>Median price by quarter</h3>
              <Prices series={series} />
            </section>
            <section className="stack tight">
              <h3>Price index</h3>
              <Index index={index.data} />
            </section>
            <section className="stack tight">
              <h3>Sales by year</h3>
              <SalesByYear series={series[0]} />
            </section>
          </div>
        </div>
      )}
    </Card>
  );
}

/** Periods that are over, and whose sales have arrived. */
const closed = ({ data }: SalesSeries) => data.filter(({ is_open: isOpen }) => !isOpen);

function Glance({ series, index }: { series: SalesSeries; index: PriceIndex | undefined }) {
  const last = closed(series).findLast(({ median_price: price }) => price != null);
  const year = closed(series).slice(-4);
  const growth = index?.withheld ? [] : (index?.growth ?? []);
  return (
    <dl className="stats">
      <Stat
        label={`Median price${last ? `, ${last.period}` : ''}`}
        value={figureText('median_price', last?.median_price)}
        note={last ? `${whole(last.n)} sales` : undefined}
      />
      <Stat label="Sales in four quarters" value={whole(year.reduce((sum, { n }) => sum + n, 0))} />
      {growth.map(({ years, rate, low, high }) => (
        <Stat
          key={years}
          label={years === 1 ? 'Index, 1 year' : `Index, ${years} years`}
          value={figureText('price_growth_1y', rate)}
          note={`${figureText('price_growth_1y', low)} to ${figureText('price_growth_1y', high)}`}
        />
      ))}
    </dl>
  );
}

function Prices({ series }: { series: SalesSeries[] }) {
  const periods = [...new Set(series.flatMap(({ data }) => data.map(({ period }) => period)))]
    .sort()
    .slice(-4 * YEARS_SHOWN);
  const lines = series.map(({ area, data }, place) => {
    const byPeriod = new Map(data.map((point) => [point.period, point.median_price]));
    return {
      name: areaText({ kind: area.kind as AreaKey['kind'], id: area.id }, area.name),
      color: `var(--series-${place + 1})`,
      values: periods.map((period) => byPeriod.get(period) ?? null),
    };
  });
  if (lines.every(({ values }) => values.every((value) => value === null)))
    return <p className="fine">Too few sales for a median.</p>;
  return (
    <PeriodLines
      label="Median price by quarter"
      periods={periods}
      lines={lines}
      format={(value) => shortText('median_price', value)}
    />
  );
}

function Index({ index }: { index: PriceIndex | undefined }) {
  if (!index) return <Skeleton lines={5} />;
  if (index.withheld || index.data.length === 0) return <p className="fine">Too few sales here for an index.</p>;
  const points = index.data.slice(-12 * YEARS_SHOWN);
  return (
    <PeriodLines
      label={`Price index, ${index.base_period} = 100`}
      periods={points.map(({ period }) => period)}
      format={(value) => value.toFixed(0)}
      lines={[
        {
          name: `${index.base_period} = 100`,
          color: 'var(--series-1)',
          values: points.map((point) => point.index),
          bands: points.map(({ low, high }) => [low, high]),
        },
      ]}
    />
  );
}

function SalesByYear({ series }: { series: SalesSeries }) {
  const byYear = Map.groupBy(series.data, ({ period }) => period.slice(0, 4));
  const bars = [...byYear].slice(-YEARS_SHOWN).map(([year, quarters]) => ({
    label: year,
    parts: [{ name: 'Sales', value: quarters.reduce((sum, { n }) => sum + n, 0), color: 'var(--series-3)' }],
  }));
  return <Bars label="Sales by year" bars={bars} format={whole} height={260} />;
}
