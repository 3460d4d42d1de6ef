// Metered usage per day, as stacked bars.
import { Bars } from '../../charts/bars.tsx';
import { whole } from '../../format.ts';
import { Empty } from '../../ui/parts.tsx';
import type { UsageDay } from '../answers.ts';

export function DailyBars({ days }: { days: UsageDay[] }) {
  if (days.every(({ standard, avm }) => standard + avm === 0)) {
    return (
      <Empty icon="chart" title="No live calls yet">
        Calls appear here within a second. Sandbox calls are free and not counted.
      </Empty>
    );
  }
  return (
    <Bars
      label="Usage by day"
      format={whole}
      bars={days.map(({ day: date, standard, avm }) => ({
        label: date.slice(5),
        parts: [
          { name: 'Calls', value: standard, color: 'var(--series-1)' },
          { name: 'Valuations', value: avm, color: 'var(--series-2)' },
        ],
      }))}
    />
  );
}
