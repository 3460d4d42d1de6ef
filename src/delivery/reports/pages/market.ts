// The market page: prices over five years around the home and in its market, and the sales of each year.
import { titleCase } from '../../../base/lib/title-case.ts';
import { drawChart } from '../../../base/pdf/chart.ts';
import { INK } from '../../../base/pdf/colors.ts';
import type { Paper } from '../../../base/pdf/paper.ts';
import { drawList, leftOf, rightOf } from '../../../base/pdf/table.ts';
import { dayNumber } from '../../../base/lib/clock.ts';
import { asChange, asDay, asMoney, asNumber, asPercent, asShortMoney, DASH } from '../../../base/lib/figures.ts';
import type { Report } from '../schema.ts';
import { yearTicks } from './value.ts';
import { lastOf } from '../../../base/lib/must.ts';

type Series = NonNullable<Report['market']['local']>;
type Index = NonNullable<Report['market']['index']>;
type Forecast = NonNullable<Report['market']['forecast']>;

export function drawMarketPage(paper: Paper, { market }: Report): void {
  const { local, market: whole, index, forecast = null, change_1y: change } = market;
  const main = [local, whole].find((series) => series?.data.some(({ median_price }) => median_price !== null));
  paper.heading('Market', {
    ...(local && { note: `Updated ${asDay(local.updated_at.slice(0, 10))}` }),
    room: main ? 560 : 90,
  });
  if (!main) return paper.paragraph(market.note);
  if (change) paper.paragraph(describeChange(change, local ?? main));
  if (index) drawIndex(paper, index, forecast);
  drawChart(paper, {
    alt: `Median price by quarter in ${nameOf(main)}`,
    lines: [
      { name: `Median price, ${nameOf(main)}`, color: INK.accent, points: pointsOf(main), hasDots: true },
      ...(main !== whole && whole ? [wholeMarket(whole)] : []),
    ],
    bandName: 'middle half of the prices',
    formatValue: asShortMoney,
    ticks: yearTicks(main.starts_on!, main.ends_on!),
    height: index ? 120 : 170,
  });
  paper.paragraph(market.note, { size: 8.5, color: INK.faint });
  drawQuarters(paper, main);
}

function describeChange(change: NonNullable<Report['market']['change_1y']>, { area }: Pick<Series, 'area'>): string {
  const moved = `${change.change < 0 ? 'fell' : 'rose'} ${asPercent(Math.abs(change.change))}`;
  if (change.basis === 'median_price')
    return `The median price in ${nameOf({ area })} ${moved} from ${change.from} (${asNumber(change.n_from)} sales) to ${change.to} (${asNumber(change.n_to)} sales).`;
  const band = change.low === null ? '' : ` (80% band: ${asPercent(change.low)} to ${asPercent(change.high ?? 0)})`;
  return `Prices by the index ${moved} from ${change.from} to ${change.to}${band}.`;
}

function drawIndex(paper: Paper, index: Index, forecast: Forecast | null): void {
  const last = lastOf(index.data);
  const ahead = forecast?.data ?? [];
  drawChart(paper, {
    alt: `Price index of ${nameOf(index)} from ${index.data[0].period} to ${last.period}`,
    lines: [
      {
        name: `Price index, ${nameOf(index)} (${index.base_period} = 100)`,
        color: INK.accent,
        points: index.data.map(pointOf),
      },
      ...(ahead.length === 0
        ? []
        : [{ name: 'forecast', color: INK.accent, isDashed: true, points: [last, ...ahead].map(pointOf) }]),
    ],
    bandName: `${Math.round(index.band * 100)}% band`,
    formatValue: (value) => String(Math.round(value * 10) / 10),
    ticks: yearTicks(index.data[0].starts_on, (ahead.at(-1) ?? last).ends_on),
    height: 110,
  });
  const growth = index.growth.map(
    ({ years, rate, low, high }) =>
      `${years === 1 ? 'one year' : `${years} years`} ${asChange(rate)} (${asChange(low)} to ${asChange(high)})`,
  );
  const grown = growth.length === 0 ? '' : ` Growth over ${growth.join(', ')}.`;
  paper.paragraph(
    `Quality-adjusted, from ${asNumber(index.n)} sales of which ${asNumber(index.n_repeat)} are of homes sold before.${grown}${describeForecast(ahead.at(-1))}`,
    { size: 8.5 },
  );
}

type Value = Pick<Index['data'][number], 'starts_on' | 'index' | 'low' | 'high'>;

const pointOf = ({ starts_on, index: value, low, high }: Value) => ({ at: dayNumber(starts_on), value, low, high });

function describeForecast(end: Forecast['data'][number] | undefined): string {
  if (!end) return '';
  const { period, growth, growth_low, growth_high } = end;
  return ` Expected by ${period}: ${asChange(growth)} (${asChange(growth_low)} to ${asChange(growth_high)}), told from past prices alone.`;
}

const wholeMarket = (whole: Series) => ({
  name: `Median price, ${nameOf(whole)}`,
  color: INK.second,
  isDashed: true,
  points: pointsOf(whole).map(({ at, value }) => ({ at, value })),
});

const nameOf = ({ area }: Pick<Series, 'area'>) => (area.kind === 'zip' ? `ZIP ${area.id}` : titleCase(area.name));

const pointsOf = ({ data }: Series) =>
  data.map(({ starts_on, ends_on, median_price, price_p25, price_p75 }) => ({
    at: (dayNumber(starts_on) + dayNumber(ends_on)) / 2,
    value: median_price,
    low: price_p25,
    high: price_p75,
  }));

function drawQuarters(paper: Paper, series: Series): void {
  paper.subheading(`Sales by quarter, ${nameOf(series)}`);
  drawList(paper, series.data.toReversed().slice(0, 8), [
    leftOf('Quarter', 1, ({ period }) => period),
    rightOf('Sales', 0.8, ({ n }) => asNumber(n)),
    rightOf('Median price', 1.3, (point) => (point.withheld ? 'withheld' : asMoney(point.median_price))),
    rightOf('Middle half', 2, ({ withheld, price_p25, price_p75 }) =>
      withheld ? DASH : `${asMoney(price_p25)} – ${asMoney(price_p75)}`,
    ),
    rightOf('Per sq ft', 1, ({ median_price_per_sqft: price }) => (price === null ? DASH : `$${Math.round(price)}`)),
    leftOf('', 1.4, ({ is_open, late_sales }) =>
      is_open ? 'more may come' : late_sales > 0 ? `${late_sales} came late` : '',
    ),
  ]);
  const sources = series.sources.map(({ name, publisher }) => (publisher ? `${name} (${publisher})` : name)).join('; ');
  paper.paragraph(
    `Arm’s-length sales of homes of all types. Quarters with fewer than five sales are counted and their prices withheld. Sources: ${sources || DASH}.`,
    { size: 8.5, color: INK.faint },
  );
}
