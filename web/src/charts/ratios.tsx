// Median ratio of value to price by group of homes, with its confidence interval. On the line, values match prices.
import { linear, rangeOf, ticksOf } from './scale.ts';
import { useWidth } from './width.ts';

interface RatioPoint {
  label: string;
  ratio: number;
  low: number;
  high: number;
}

export function Ratios({ label, points, height = 260 }: { label: string; points: RatioPoint[]; height?: number }) {
  const [figure, width] = useWidth(640);
  const [left, right, top, bottom] = [52, 12, 12, 34];
  const [from, to] = rangeOf([1, ...points.flatMap(({ low, high }) => [low, high])], false);
  const x = linear([-0.5, points.length - 0.5], [left, width - right]);
  const y = linear([from, to], [height - bottom, top]);
  const isNarrow = (width - left - right) / points.length < 64;
  const text = points.map((point) => `${point.label}: ${describe(point)}`).join('; ');
  return (
    <figure ref={figure}>
      <svg className="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${label}. ${text}`}>
        {ticksOf(from, to).map((tick) => (
          <g key={tick}>
            <line className="grid" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
            <text x={left - 8} y={y(tick) + 4} textAnchor="end">
              {tick.toFixed(2)}
            </text>
          </g>
        ))}
        <line x1={left} x2={width - right} y1={y(1)} y2={y(1)} stroke="var(--ink-3)" strokeDasharray="5 5" />
        {points.map((point, k) => (
          <g key={point.label}>
            <title>{`${point.label}: ${describe(point)}`}</title>
            <line x1={x(k)} x2={x(k)} y1={y(point.low)} y2={y(point.high)} stroke="var(--accent)" strokeWidth="2" />
            <circle cx={x(k)} cy={y(point.ratio)} r="5" fill="var(--accent)" stroke="var(--surface)" strokeWidth="2" />
            {(!isNarrow || k % 3 === 0) && (
              <text x={x(k)} y={height - 10} textAnchor="middle">
                {point.label}
              </text>
            )}
          </g>
        ))}
      </svg>
    </figure>
  );
}

const describe = ({ ratio, low, high }: RatioPoint): string =>
  `${ratio.toFixed(3)}, ${low.toFixed(3)} to ${high.toFixed(3)}`;
