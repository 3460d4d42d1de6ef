// A time series chart with optional bands and dots, used for values, assessments, and sales.
import { useId } from 'react';
import { linear, rangeOf, ticksOf, yearOf, yearTicks } from './scale.ts';
import { useWidth } from './width.ts';

export interface Series {
  name: string;
  color: string;
  points: { at: number; value: number }[];
  isDots?: boolean;
  band?: { at: number; low: number; high: number }[];
}

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [240, 58, 14, 12, 28];

export function Lines({
  label,
  series,
  format,
  isFromZero = false,
}: {
  label: string;
  series: Series[];
  format: (value: number) => string;
  isFromZero?: boolean;
}) {
  const titleId = useId();
  const [figure, width] = useWidth(720);
  const values = series.flatMap((line) => [
    ...line.points.map((point) => point.value),
    ...(line.band ?? []).flatMap((point) => [point.low, point.high]),
  ]);
  const times = series.flatMap((line) => line.points.map((point) => point.at));
  if (values.length === 0) return <p className="fine">No data yet.</p>;
  const range = rangeOf(values, isFromZero);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  // A single day is drawn in the middle.
  const x = linear(first === last ? [first - 1, last + 1] : [first, last], [LEFT + 6, width - RIGHT - 6]);
  const y = linear(range, [HEIGHT - BOTTOM, TOP]);
  const pathOf = (points: { at: number; value: number }[]) =>
    points
      .map((point, index) => `${index === 0 ? 'M' : 'L'}${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`)
      .join('');
  return (
    <figure ref={figure} className="stack tight">
      <svg className="chart" viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-labelledby={titleId}>
        <title id={titleId}>{label}</title>
        {ticksOf(range[0], range[1]).map((tick) => (
          <g key={tick}>
            <line className="grid" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {yearTicks(first, last, width > 480 ? 6 : 4).map((at) => (
          <text key={at} x={x(at)} y={HEIGHT - 8} textAnchor="middle">
            {yearOf(at)}
          </text>
        ))}
        {series.map((line) => (
          <g key={line.name}>
            {line.band && line.band.length > 1 && (
              <path
                d={`${pathOf(line.band.map(({ at, high }) => ({ at, value: high })))}${line.band
                  .toReversed()
                  .map(({ at, low }) => `L${x(at).toFixed(1)} ${y(low).toFixed(1)}`)
                  .join('')}Z`}
                fill={line.color}
                opacity="0.15"
              />
            )}
            {line.band?.length === 1 && (
              <line
                x1={x(line.band[0].at)}
                x2={x(line.band[0].at)}
                y1={y(line.band[0].low)}
                y2={y(line.band[0].high)}
                stroke={line.color}
                strokeWidth="7"
                strokeLinecap="round"
                opacity="0.25"
              />
            )}
            {!line.isDots && (
              <path d={pathOf(line.points)} fill="none" stroke={line.color} strokeWidth="2.2" strokeLinejoin="round" />
            )}
            {(line.isDots || line.points.length < 25) &&
              line.points.map((point) => (
                <circle
                  key={`${point.at}-${point.value}`}
                  cx={x(point.at)}
                  cy={y(point.value)}
                  r={line.isDots || line.points.length === 1 ? 5 : 3}
                  fill={line.color}
                  stroke="var(--surface)"
                  strokeWidth="1.5"
                >
                  <title>{`${line.name}, ${yearOf(point.at)}: ${format(point.value)}`}</title>
                </circle>
              ))}
          </g>
        ))}
      </svg>
      <figcaption className="legend">
        {series
          .filter((line) => line.points.length > 0)
          .map((line) => (
            <span key={line.name}>
              <i style={{ background: line.color }} />
              {line.name}
            </span>
          ))}
      </figcaption>
    </figure>
  );
}
