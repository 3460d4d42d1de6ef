// The quality-adjusted index of the area with its band, and what the next months are expected to bring.
import { queryOf } from '../api.ts';
import { PeriodLines } from '../charts/periods.tsx';
import { plural } from '../format.ts';
import type { PriceForecast, PriceIndex } from '../types.ts';
import { Card, Stat } from '../ui/parts.tsx';
import { useApi } from '../use-api.ts';
import { isSegment, type AreaState } from './state.ts';
import { figureText } from './words.ts';

export function IndexCard({ state }: { state: AreaState }) {
  const [{ kind, id }] = state.areas;
  const homes = isSegment(state.homes) ? undefined : state.homes;
  const query = { kind, area: id, market: state.market, property_type: homes };
  const { data } = useApi<PriceIndex>(`analytics/index${queryOf({ ...query, interval: 'month' })}`);
  const forecast = useApi<PriceForecast>(`analytics/forecast${queryOf(query)}`);
  if (!data) return null;
  if (data.withheld || data.data.length === 0) {
    return (
      <Card
        title="Price index"
        lead={
          data.reason === 'not_homes'
            ? 'Only homes have an index.'
            : 'Too few sales of such homes for an index. Choose a larger area or all homes.'
        }
      />
    );
  }
  const { base_period: base, band, growth, method, n } = data;
  const points = [...data.data, ...expectedAfter(data, forecast.data)];
  return (
    <Card
      title="Price index"
      lead={`What a home that stays the same would cost, ${base} = 100, with the band that holds the true level ${Math.round(band * 100)}% of the time. Rests on ${plural(n, 'sale')}.`}
    >
      {growth.length > 0 && (
        <dl className="stats">
          {growth.map(({ years, rate, low, high }) => (
            <Stat
              key={years}
              label={plural(years, 'year')}
              value={figureText('price_growth_1y', rate)}
              note={`${figureText('price_growth_1y', low)} to ${figureText('price_growth_1y', high)}`}
            />
          ))}
        </dl>
      )}
      <PeriodLines
        label={`Price index, ${base} = 100`}
        periods={points.map(({ period }) => period)}
        format={(value) => value.toFixed(0)}
        lines={[
          {
            name: 'Index',
            color: 'var(--series-1)',
            values: points.map(({ index }) => index),
            bands: points.map(({ low, high }) => [low, high]),
            expectedFrom: points.length > data.data.length ? data.data.length : undefined,
          },
        ]}
      />
      {points.length > data.data.length && (
        <p className="fine">The dashed line is what the next twelve months are expected to bring, with its band.</p>
      )}
      <details>
        <summary>How it is made</summary>
        <p className="fine">{method}</p>
        {forecast.data && !forecast.data.withheld && <p className="fine">{forecast.data.method}</p>}
      </details>
    </Card>
  );
}

type Point = Pick<PriceIndex['data'][number], 'period' | 'index' | 'low' | 'high'>;

/** The expected months, on the same base. */
function expectedAfter(index: PriceIndex, forecast: PriceForecast | undefined): Point[] {
  return !forecast || forecast.withheld || forecast.base_period !== index.base_period ? [] : forecast.data;
}
