// A figure of the sales over time, for each area compared, with downloads and a table.
import { useRef } from 'react';
import { PeriodLines } from '../charts/periods.tsx';
import { saveCsv, savePng } from '../charts/save.ts';
import { day, plural, whole } from '../format.ts';
import type { SalesSeries } from '../types.ts';
import { Button, Card, Skeleton } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import type { Reading } from '../use-api.ts';
import {
  FIGURES,
  hasSegments,
  HOME_GROUPS,
  INTERVALS,
  isSalesFigure,
  SEGMENTS,
  type AreaState,
  type Interval,
  type SalesFigure,
} from './state.ts';
import { areaText, figureText, shortText } from './words.ts';

export const LINE_COLORS = [1, 2, 3, 4, 5].map((number) => `var(--series-${number})`);

type Point = SalesSeries['data'][number];

const valueOf = (point: Point | undefined, figure: SalesFigure): number | null =>
  figure !== 'sales' ? (point?.[figure] ?? null) : point?.unplaced_share === null ? point.n : null;

export function PriceCard({
  state,
  readings,
  onChange,
}: {
  state: AreaState;
  readings: Reading<SalesSeries>[];
  onChange: (changes: Partial<AreaState>) => void;
}) {
  const holder = useRef<HTMLDivElement>(null);
  const figure = isSalesFigure(state.figure) ? state.figure : 'median_price';
  const all = readings.flatMap(({ data }) => data ?? []);
  const periods = periodsOf(all, figure);
  const lines = all.map((series, index) => {
    const byPeriod = new Map(series.data.map((point) => [point.period, point]));
    return {
      name: areaText(state.areas[index] ?? { kind: 'zip', id: series.area.id }, series.area.name),
      color: LINE_COLORS[index],
      points: periods.map((period) => byPeriod.get(period)),
      values: periods.map((period) => valueOf(byPeriod.get(period), figure)),
    };
  });
  const openFrom = periods.findIndex((_, index) => lines.some(({ points }) => points[index]?.is_open));
  const title = `${FIGURES[figure].label}: ${lines.map(({ name }) => name).join(', ')}`;
  const homesText = [...HOME_GROUPS, ...SEGMENTS].find(([group]) => group === state.homes)?.[1] ?? state.homes;
  const fileName = `${figure}-${state.areas.map(({ kind, id }) => (kind === 'search' ? kind : id)).join('-')}`
    .toLowerCase()
    .replaceAll(/[^\w-]+/g, '-');
  const savePicture = async () => {
    const svg = holder.current?.querySelector<SVGSVGElement>('svg.chart');
    const subtitle = `${homesText}, by ${state.interval}. ${sourcesText(all)}`;
    if (svg) await savePng(svg, { title: FIGURES[figure].label, subtitle, legend: lines }, `${fileName}.png`);
  };
  if (all.length === 0 && readings.every(({ isLoading }) => !isLoading)) return null;
  return (
    <Card
      title="Over time"
      lead={FIGURES[figure].help}
      actions={
        <>
          <Button small look="quiet" icon="export" onClick={() => saveTable(all, fileName)} disabled={all.length === 0}>
            CSV
          </Button>
          <Button small look="quiet" icon="export" onClick={() => void savePicture()} disabled={all.length === 0}>
            PNG
          </Button>
        </>
      }
    >
      <div className="row area-controls">
        <select
          aria-label="Figure"
          value={figure}
          onChange={(event) => onChange({ figure: event.target.value as SalesFigure })}
        >
          {Object.entries(FIGURES).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <select aria-label="Homes" value={state.homes} onChange={(event) => onChange({ homes: event.target.value })}>
          {HOME_GROUPS.map(([group, label]) => (
            <option key={group} value={group}>
              {label}
            </option>
          ))}
          {state.areas.every(({ kind }) => hasSegments(kind)) && (
            <optgroup label="Segments">
              {SEGMENTS.map(([segment, label]) => (
                <option key={segment} value={segment}>
                  {label}
                </option>
              ))}
            </optgroup>
          )}
        </select>
        <div className="tabs" role="group" aria-label="Length of a period">
          {INTERVALS.map((interval: Interval) => (
            <button
              key={interval}
              type="button"
              aria-pressed={interval === state.interval}
              onClick={() => onChange({ interval })}
            >
              {interval === 'month' ? 'Months' : interval === 'quarter' ? 'Quarters' : 'Years'}
            </button>
          ))}
        </div>
      </div>
      {all.length === 0 && readings.some(({ isLoading }) => isLoading) ? (
        <Skeleton lines={6} />
      ) : (
        <div ref={holder}>
          <PeriodLines
            label={title}
            periods={periods}
            lines={lines}
            format={(value) => shortText(figure, value)}
            isFromZero={figure === 'sales' || figure === 'turnover' || figure === 'resale_share'}
            openFrom={openFrom === -1 ? undefined : openFrom}
          />
        </div>
      )}
      <p className="fine">{explain(all, figure)}</p>
      <details>
        <summary>Show as a table</summary>
        <Table
          caption={title}
          rows={periods.toReversed()}
          keyOf={(period) => period}
          columns={[
            { head: 'Period', cell: (period) => <strong>{period}</strong> },
            ...lines.flatMap(({ name, points }) => [
              {
                head: name,
                align: 'right' as const,
                cell: (period: string) => {
                  const point = points[periods.indexOf(period)];
                  const value = valueOf(point, figure);
                  return value === null ? 'withheld' : figureText(figure, value);
                },
              },
              {
                head: 'n',
                align: 'right' as const,
                cell: (period: string) => whole(points[periods.indexOf(period)]?.n ?? 0),
              },
            ]),
          ]}
        />
      </details>
      {all.length > 0 && <p className="fine">{sourcesText(all)}</p>}
    </Card>
  );
}

/** Every period of any of the series, in order, from the first that has the figure; each series is without gaps. */
function periodsOf(all: SalesSeries[], figure: SalesFigure): string[] {
  const points = all.flatMap(({ data }) => data).toSorted((a, b) => (a.starts_on < b.starts_on ? -1 : 1));
  const first = points.findIndex((point) => valueOf(point, figure) !== null);
  return [...new Set(points.slice(Math.max(0, first)).map(({ period }) => period))];
}

function explain(all: SalesSeries[], figure: SalesFigure): string {
  const points = all.flatMap(({ data }) => data);
  const withheld = points.filter((point) => valueOf(point, figure) === null).length;
  const late = points.reduce((total, point) => total + point.late_sales, 0);
  const revised = points
    .flatMap((point) => point.revised_on ?? [])
    .sort()
    .at(-1);
  return [
    withheld > 0 &&
      `${plural(withheld, 'period')} withheld: fewer than five sales, nothing to compare with, or too many sales around in no known area.`,
    points.some((point) => point.is_open) && 'Shaded periods are open: more of their sales may come.',
    late > 0 && `${plural(late, 'sale')} arrived late${revised ? `, figures last revised ${day(revised)}` : ''}.`,
    figure === 'turnover' &&
      all.some(({ homes }) => homes === null) &&
      'Turnover needs every home on record, not only those that sold.',
  ]
    .filter(Boolean)
    .join(' ');
}

function sourcesText(all: SalesSeries[]): string {
  const names = [...new Set(all.flatMap(({ sources }) => sources.map(({ name }) => name)))];
  const n = all.reduce((total, series) => total + series.n, 0);
  return `${plural(n, 'sale')}. ${names.length > 0 ? `Sources: ${names.join('; ')}.` : ''}`;
}

function saveTable(all: SalesSeries[], name: string): void {
  const [first] = all[0]?.data ?? [];
  const lists = ['sources', 'growth_bases'];
  const columns = Object.keys(first ?? {}).filter((column) => !lists.includes(column)) as (keyof Point)[];
  const bases = first?.growth_bases.map(({ years }) => `growth_base_n_${years}y`) ?? [];
  saveCsv(
    ['kind', 'area', 'property_type', 'segment', ...columns, ...bases, 'sources'],
    all.flatMap(({ area, property_type, segment, data }) =>
      data.map((point) => [
        area.kind,
        area.id,
        property_type,
        segment,
        ...columns.map((column) => point[column] as string | number | boolean | null),
        ...point.growth_bases.map(({ n }) => n),
        point.sources.join(' '),
      ]),
    ),
    `${name}.csv`,
  );
}
