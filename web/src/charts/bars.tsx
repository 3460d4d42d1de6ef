// A stacked bar chart, used for daily usage, errors by price band, and taxes.
import { useId } from 'react';
import { linear, ticksOf } from './scale.ts';
import { useWidth } from './width.ts';

interface Bar {
  label: string;
  parts: { name: string; value: number; color: string }[];
}

/** Slightly above the average character width of chart labels. */
const CHARACTER_PX = 6.2;
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 10, 12, 28];

export function Bars({
  label,
  bars,
  format,
  height = 220,
}: {
  label: string;
  bars: Bar[];
  format: (value: number) => string;
  height?: number;
}) {
  const titleId = useId();
  const [figure, width] = useWidth(720);
  const totals = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0));
  const top = Math.max(...totals, 0) || 1;
  const y = linear([0, top * 1.08], [height - BOTTOM, TOP]);
  if (Math.max(...totals, 0) === 0) return <p className="fine">No data yet.</p>;
  const step = (width - LEFT - RIGHT) / Math.max(1, bars.length);
  const longest = Math.max(...bars.map((bar) => bar.label.length));
  const everyNth = Math.max(1, Math.ceil((longest * CHARACTER_PX + 8) / step));
  const names = bars[0]?.parts.map(({ name, color }) => ({ name, color })) ?? [];
  return (
    <figure ref={figure} className="stack tight">
      <svg className="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={titleId}>
        <title id={titleId}>{label}</title>
        {ticksOf(0, top * 1.08).map((tick) => (
          <g key={tick}>
            <line className="grid" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {bars.map((bar, index) => {
          let sum = 0;
          const x = LEFT + index * step + step * 0.16;
          return (
            <g key={`${bar.label}-${index}`}>
              {bar.parts.map((part) => {
                const from = sum;
                sum += part.value;
                return (
                  <rect
                    key={part.name}
                    x={x}
                    width={step * 0.68}
                    y={y(sum)}
                    height={Math.max(0, y(from) - y(sum))}
                    fill={part.color}
                    rx="2"
                  >
                    <title>{`${bar.label}, ${part.name}: ${format(part.value)}`}</title>
                  </rect>
                );
              })}
              {index % everyNth === 0 && (
                <text x={x + step * 0.34} y={height - 8} textAnchor="middle">
                  {bar.label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      {names.length > 1 && (
        <figcaption className="legend">
          {names.map(({ name, color }) => (
            <span key={name}>
              <i style={{ background: color }} />
              {name}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  );
}
