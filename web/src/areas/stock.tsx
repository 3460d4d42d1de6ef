// What stands in the area: a few figures at a glance, the homes, their values, and what is recorded against them.
import type { ReactNode } from 'react';
import { Bars } from '../charts/bars.tsx';
import { compactMoney, day, percent, plural, whole, words } from '../format.ts';
import type { AreaSummary, SalesSeries } from '../types.ts';
import { Card, Skeleton, Stat } from '../ui/parts.tsx';
import type { Reading } from '../use-api.ts';
import { FIGURES, SEGMENTS, type AreaState, type SalesFigure } from './state.ts';
import { figureText } from './words.ts';

const AT_A_GLANCE: SalesFigure[] = [
  'median_price',
  'median_price_per_sqft',
  'price_growth_1y',
  'price_growth_3y',
  'price_growth_5y',
  'turnover',
  'dispersion',
  'price_to_assessment',
  'resale_share',
];

const YEARS_OF_GROWTH: Partial<Record<SalesFigure, number>> = {
  price_growth_1y: 1,
  price_growth_3y: 3,
  price_growth_5y: 5,
};

/** The last period that is closed, so that no figure rests on half of its sales. */
export function Glance({ reading, state }: { reading: Reading<SalesSeries>; state: AreaState }) {
  if (!reading.data) return reading.isLoading ? <Skeleton lines={2} /> : null;
  const closed = reading.data.data.filter((point) => !point.is_open);
  const point = closed.at(-1) ?? reading.data.data.at(-1);
  if (!point) return null;
  return (
    <Card
      title={`At a glance, ${point.period}`}
      lead={`${plural(point.n, 'sale')} in the last closed ${state.interval}, ${day(point.starts_on)} to ${day(point.ends_on)}.${
        point.withheld ? ' Too few to say more: figures of fewer than five sales are withheld.' : ''
      }`}
    >
      <dl className="stats">
        {AT_A_GLANCE.map((figure) => (
          <Stat
            key={figure}
            label={FIGURES[figure].label}
            value={figureText(figure, figure === 'sales' ? point.n : point[figure])}
            note={baseOf(figure, point)}
          />
        ))}
      </dl>
    </Card>
  );
}

/** A growth rests on the earlier period as much as on this one. */
function baseOf(figure: SalesFigure, { growth_bases }: SalesSeries['data'][number]): string | undefined {
  const base = growth_bases.find(({ years }) => years === YEARS_OF_GROWTH[figure]);
  if (!base) return undefined;
  return base.coverage_changed ? 'coverage changed' : `from ${plural(base.n, 'sale')} then`;
}

type Layer = AreaSummary['permits'];

export function StockCards({ summary }: { summary: AreaSummary }) {
  const { stock, values } = summary;
  return (
    <>
      <Card
        title="Homes"
        lead={
          stock.is_complete
            ? `${plural(stock.properties, 'property', 'properties')} on record, ${whole(stock.homes)} of them homes. ${recordsText(stock)}`
            : `Only homes that sold are on record here, ${whole(stock.homes)} of them. ${recordsText(stock)}`
        }
      >
        <dl className="stats">
          <Stat
            label="Median year built"
            value={figureText('median_year_built', stock.year_built.median)}
            note={known(stock.year_built.n, stock.homes)}
          />
          <Stat
            label="Median size"
            value={figureText('median_sqft', stock.sqft.median)}
            note={known(stock.sqft.n, stock.homes)}
          />
          <Stat
            label="Owner-occupied"
            value={percent(stock.owner_occupied.share, 0)}
            note={known(stock.owner_occupied.n, stock.homes)}
          />
          {stock.by_type.slice(0, 4).map(({ property_type, n }) => (
            <Stat key={property_type} label={words(property_type)} value={whole(n)} />
          ))}
        </dl>
        <div className="grid-3 area-bars">
          <ClassBars title="By bedrooms" classes={stock.bedrooms} />
          <ClassBars title="By size" classes={stock.sizes} />
          <ClassBars title="By year built" classes={stock.eras} />
        </div>
      </Card>
      <div className="grid-2">
        <Card
          title="Values"
          lead={
            values.n > 0
              ? `Estimated values of ${plural(values.n, 'home')}, as of ${day(values.as_of)}.`
              : 'Homes here have no estimated values yet.'
          }
        >
          {values.median !== null && (
            <>
              <dl className="stats">
                <Stat label="Median" value={compactMoney(values.median)} />
                <Stat label="Middle half" value={`${compactMoney(values.p25)} – ${compactMoney(values.p75)}`} />
                <Stat label="Middle 80%" value={`${compactMoney(values.p10)} – ${compactMoney(values.p90)}`} />
                {summary.tax_rate && summary.tax_rate.median !== null && (
                  <Stat
                    label="Property tax, of the value"
                    value={percent(summary.tax_rate.median, 2)}
                    note={known(summary.tax_rate.n, stock.homes)}
                  />
                )}
              </dl>
              <Bars
                label="Homes by estimated value"
                format={whole}
                bars={values.histogram.map(({ from, to, n }) => ({
                  label:
                    to === null ? `${compactMoney(from)}+` : from === 0 ? `<${compactMoney(to)}` : compactMoney(from),
                  parts: [{ name: to === null ? 'and more' : `to ${compactMoney(to)}`, value: n, color: LINE }],
                }))}
              />
            </>
          )}
        </Card>
        <Card title="Permits, violations, liens" lead="What is recorded against the homes of the area.">
          <dl className="stats">
            <LayerStat label="Permits" layer={summary.permits} what="a permit on record" />
            <LayerStat label="Open violations" layer={summary.violations} what="one open" />
            <LayerStat label="Open tax liens" layer={summary.liens} what="one open" />
          </dl>
          <LayerBars title="Permits issued by year" layer={summary.permits} />
          <LayerBars title="Violations opened by year" layer={summary.violations} />
        </Card>
      </div>
      <p className="fine">
        {summary.sources.length > 0 &&
          `Sources: ${summary.sources.map(({ name, publisher }) => (publisher ? `${name} (${publisher})` : name)).join('; ')}.`}
      </p>
    </>
  );
}

const LINE = 'var(--series-1)';

const known = (n: number, of: number): ReactNode =>
  n === 0 ? 'not on record' : n === of ? 'known of all' : `known of ${whole(n)}`;

const recordsText = ({ as_of }: { as_of: string | null }): string => (as_of ? `Records to ${day(as_of)}.` : '');

function ClassBars({ title, classes }: { title: string; classes: AreaSummary['stock']['bedrooms'] }) {
  if (classes.every(({ n }) => n === 0)) return null;
  const nameOf = (segment: string) => SEGMENTS.find(([each]) => each === segment)?.[1] ?? segment;
  return (
    <section>
      <h3>{title}</h3>
      <Bars
        label={title}
        format={whole}
        height={170}
        bars={classes.map(({ segment, n }) => ({
          label: shortClass(segment),
          parts: [{ name: nameOf(segment), value: n, color: LINE }],
        }))}
      />
    </section>
  );
}

/** `bedrooms_5_plus` → `5+`, `sqft_under_1000` → `<1,000`, `built_1940_1969` → `1940–69`. */
function shortClass(segment: string): string {
  const [, ...rest] = segment.split('_');
  const number = (text: string) => (segment.startsWith('sqft') ? whole(Number(text)) : text);
  if (rest[0] === 'under' || rest[0] === 'before') return `<${number(rest[1])}`;
  if (rest[1] === 'plus') return `${number(rest[0])}+`;
  if (rest.length === 2)
    return `${number(rest[0])}–${segment.startsWith('built') ? rest[1].slice(2) : number(rest[1])}`;
  return rest[0];
}

function LayerStat({ label, layer, what }: { label: string; layer: Layer; what: string }) {
  if (!layer) return <Stat label={label} value="—" note="not covered by any source here" />;
  if (layer.records === null)
    return (
      <Stat label={label} value="—" note={`${plural(layer.homes_unknown, 'home')} with records of unknown status`} />
    );
  return (
    <Stat
      label={label}
      value={whole(layer.records)}
      note={`${layer.share === null ? whole(layer.homes ?? 0) : percent(layer.share)} of ${plural(layer.n, 'home')} with ${what}${layer.as_of ? `, ${day(layer.as_of)}` : ''}`}
    />
  );
}

function LayerBars({ title, layer }: { title: string; layer: Layer }) {
  if (!layer || layer.by_year.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <Bars
        label={title}
        format={whole}
        height={150}
        bars={layer.by_year.map(({ year, n }) => ({
          label: String(year),
          parts: [{ name: 'records', value: n, color: 'var(--series-3)' }],
        }))}
      />
    </section>
  );
}
