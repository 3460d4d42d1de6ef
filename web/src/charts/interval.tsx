// Draws an estimate inside its interval, with both ends labeled.
import type { Ref } from 'react';
import { compactMoney, money, month, percent } from '../format.ts';
import { useWidth } from './width.ts';

export function IntervalBar({
  low,
  value,
  high,
  level,
  sale,
}: {
  low: number;
  value: number;
  high: number;
  level: number;
  sale?: { price: number; date: string | null } | undefined;
}) {
  const reach = Math.max(high - value, value - low, sale === undefined ? 0 : Math.abs(sale.price - value)) * 1.35 || 1;
  const [holder, width] = useWidth(600);
  const place = (amount: number) => width / 2 + ((amount - value) / reach) * (width / 2 - 24);
  const text = `Estimated value ${money(value)}, ${percent(level, 0)} interval ${money(low)} to ${money(high)}`;
  return (
    <div ref={holder as Ref<HTMLDivElement>}>
      <svg className="chart interval" viewBox={`0 -10 ${width} 88`} role="img" aria-label={text}>
        <line x1={12} x2={width - 12} y1="34" y2="34" className="grid" />
        <rect
          x={place(low)}
          width={Math.max(2, place(high) - place(low))}
          y="22"
          height="24"
          rx="6"
          fill="var(--accent)"
          opacity="0.22"
        />
        <line x1={place(low)} x2={place(low)} y1="18" y2="50" stroke="var(--accent)" strokeWidth="2" />
        <line x1={place(high)} x2={place(high)} y1="18" y2="50" stroke="var(--accent)" strokeWidth="2" />
        <circle cx={place(value)} cy="34" r="8" fill="var(--accent)" stroke="var(--surface)" strokeWidth="3" />
        <text x={place(low)} y="70" textAnchor="middle">
          {compactMoney(low)}
        </text>
        <text x={place(high)} y="70" textAnchor="middle">
          {compactMoney(high)}
        </text>
        <text className="strong" x={place(value)} y="70" textAnchor="middle">
          {compactMoney(value)}
        </text>
        {sale && (
          <>
            <path d={`M${place(sale.price)} 17l5-8h-10z`} fill="var(--series-2)" />
            <text x={Math.min(Math.max(place(sale.price), 62), width - 62)} y="4" textAnchor="middle">
              Sold {compactMoney(sale.price)}
              {sale.date && `, ${month(sale.date)}`}
            </text>
          </>
        )}
      </svg>
    </div>
  );
}
