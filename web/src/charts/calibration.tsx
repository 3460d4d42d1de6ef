// Plots measured coverage against nominal coverage. Points on the diagonal are perfectly calibrated.
import { percent } from '../format.ts';
import { linear } from './scale.ts';
import { useWidth } from './width.ts';

export function Calibration({ points }: { points: { nominal: number; measured: number; name?: string }[] }) {
  const [figure, width] = useWidth(400);
  const [size, edge] = [Math.min(width, 340), 44];
  const lowest = Math.min(0.4, ...points.flatMap((point) => [point.nominal, point.measured]));
  const from = Math.max(0, Math.floor(lowest * 10) / 10);
  const x = linear([from, 1], [edge, size - 12]);
  const y = linear([from, 1], [size - edge, 12]);
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1].filter((tick) => tick >= from);
  const text = points
    .map((point) => `${percent(point.nominal, 0)} nominal, ${percent(point.measured)} measured`)
    .join('; ');
  return (
    <figure ref={figure}>
      <svg
        className="chart square"
        viewBox={`0 0 ${size} ${size}`}
        style={{ maxWidth: size }}
        role="img"
        aria-label={`Calibration: ${text}`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid" x1={edge} x2={size - 12} y1={y(tick)} y2={y(tick)} />
            <text x={edge - 6} y={y(tick) + 4} textAnchor="end">
              {percent(tick, 0)}
            </text>
            <text x={x(tick)} y={size - edge + 18} textAnchor="middle">
              {percent(tick, 0)}
            </text>
          </g>
        ))}
        <line x1={x(from)} y1={y(from)} x2={x(1)} y2={y(1)} stroke="var(--ink-3)" strokeDasharray="5 5" />
        {points.map((point) => (
          <circle
            key={`${point.name}-${point.nominal}`}
            cx={x(point.nominal)}
            cy={y(point.measured)}
            r="6"
            fill="var(--accent)"
            stroke="var(--surface)"
            strokeWidth="2"
          >
            <title>{`${point.name ?? ''} ${percent(point.nominal, 0)} nominal, ${percent(point.measured)} measured`}</title>
          </circle>
        ))}
        {points.map((point) => (
          <text
            key={point.nominal}
            className="strong"
            // Keep labels clear of the diagonal: left of points above it, right of points below it.
            x={x(point.nominal) + (point.measured >= point.nominal ? -11 : 11)}
            y={y(point.measured) + 4}
            textAnchor={point.measured >= point.nominal ? 'end' : 'start'}
          >
            {percent(point.measured)}
          </text>
        ))}
        <text x={(edge + size) / 2} y={size - 6} textAnchor="middle">
          nominal
        </text>
        <text x={12} y={size / 2 - 12} textAnchor="middle" transform={`rotate(-90 12 ${size / 2 - 12})`}>
          measured
        </text>
      </svg>
    </figure>
  );
}
