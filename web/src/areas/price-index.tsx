// The quality-adjusted index of the area, with its band and growth.
import { queryOf } from '../api.ts';
import { PeriodLines } from '../charts/periods.tsx';
import { plural } from '../format.ts';
import type { PriceIndex } from '../types.ts';
import { Card, Stat } from '../ui/parts.tsx';
import { useApi } from '../use-api.ts';
import { isSegment, type AreaState } from './state.ts';
import { figureText } from './words.ts';

export function IndexCard({ state }: { state: AreaState }) {
  const [{ kind, id }] = state.areas;
  const query = queryOf({
    kind,
    area: id,
    market: state.market,
    interval: state.interval,
    property_type: isSegment(state.homes) ? undefined : state.homes,
  });
  const { data } = useApi<PriceIndex>(`analytics/index${query}`);
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
        periods={data.data.map(({ period }) => period)}
        format={(value) => value.toFixed(0)}
        lines={[
          {
            name: 'Index',
            color: 'var(--series-1)',
            values: data.data.map(({ index }) => index),
            bands: data.data.map(({ low, high }) => [low, high]),
          },
        ]}
      />
      <p className="fine">{method}</p>
    </Card>
  );
}
