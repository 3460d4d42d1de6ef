// Lines over months, quarters or years: gaps where a figure is withheld, bands where there is one, and the values of
// the period under the pointer.
import { useId, useState, type PointerEvent } from 'react';
import { linear, rangeOf, ticksOf } from './scale.ts';
import { useWidth } from './width.ts';

interface PeriodLine {
  name: string;
  color: string;
  /** One per period; null where there is none. */
  values: (number | null)[];
  bands?: ([low: number, high: number] | null)[];
  /** From this period on the line is dashed: it tells what is expected. */
  expectedFrom?: number;
}

const [HEIGHT, RIGHT, TOP, BOTTOM] = [280, 16, 14, 30];
const CHARACTER_PX = 6.6;
/** The first label begins where its period is, and the next one stands around its own. */
const LABEL_PX = 80;
/** More points than this would only thicken the line. */
const MOST_DOTS = 40;

export function PeriodLines({
  label,
  periods,
  lines,
  format,
  isFromZero = false,
  openFrom,
}: {
  label: string;
  periods: string[];
  lines: PeriodLine[];
  format: (value: number) => string;
  isFromZero?: boolean;
  /** From this period on more sales may come. */
  openFrom?: number;
}) {
  const titleId = useId();
  const [figure, width] = useWidth(720);
  const [pointed, setPointed] = useState<number>();
  const known = lines.flatMap(({ values, bands }) => [
    ...values.filter((value) => value !== null),
    ...(bands ?? []).flatMap((band) => band ?? []),
  ]);
  const [from, to] = known.length > 0 ? rangeOf(known, isFromZero) : [0, 1];
  const ticks = ticksOf(from, to);
  const left = Math.max(...ticks.map((tick) => format(tick).length), 3) * CHARACTER_PX + 12;
  const x = linear([0, Math.max(1, periods.length - 1)], [left + 6, width - RIGHT]);
  const y = linear([from, to], [HEIGHT - BOTTOM, TOP]);
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    const step = x(1) - x(0) || 1;
    setPointed(Math.min(periods.length - 1, Math.max(0, Math.round((at - x(0)) / step))));
  };
  const shown = pointed ?? lastKnown(lines);
  return (
    <figure ref={figure} className="stack tight period-chart">
      <svg
        className="chart"
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-labelledby={titleId}
        onPointerMove={point}
        onPointerLeave={() => setPointed(undefined)}
      >
        <title id={titleId}>{label}</title>
        {openFrom !== undefined && openFrom < periods.length && (
          <rect
            x={x(Math.max(0, openFrom - 0.5))}
            width={Math.max(4, width - RIGHT + 6 - x(Math.max(0, openFrom - 0.5)))}
            y={TOP}
            height={HEIGHT - BOTTOM - TOP}
            fill="var(--sunken)"
          />
        )}
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid" x1={left} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={left - 8} y={y(tick) + 4} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {from < 0 && to > 0 && (
          <line x1={left} x2={width - RIGHT} y1={y(0)} y2={y(0)} stroke="var(--ink-3)" strokeWidth="1" />
        )}
        {labelsOf(periods, width - left - RIGHT).map((index) => (
          <text key={index} x={x(index)} y={HEIGHT - 8} textAnchor={anchorOf(index, periods.length)}>
            {periods[index]}
          </text>
        ))}
        {known.length === 0 && (
          <text x={(left + width) / 2} y={HEIGHT / 2} textAnchor="middle">
            No period has enough sales
          </text>
        )}
        {lines.map((line) => (
          <g key={line.name}>
            {bandsOf(line).map((run) => (
              <path
                key={run[0].at}
                d={`${pathOf(run.map(({ at, high }) => [x(at), y(high)]))}${pathOf(
                  run.toReversed().map(({ at, low }) => [x(at), y(low)]),
                ).replace('M', 'L')}Z`}
                fill={line.color}
                opacity="0.16"
              />
            ))}
            {runsOf(line.values).map((run) => (
              <g key={run[0].at}>
                {splitAt(run, line.expectedFrom).map((part, isExpected) => (
                  <path
                    key={isExpected}
                    d={pathOf(part.map(({ at, value }) => [x(at), y(value)]))}
                    fill="none"
                    stroke={line.color}
                    strokeWidth="2.2"
                    strokeLinejoin="round"
                    strokeDasharray={isExpected ? '5 5' : undefined}
                  />
                ))}
                {(run.length === 1 || periods.length <= MOST_DOTS) &&
                  run.map(({ at, value }) => (
                    <circle
                      key={at}
                      cx={x(at)}
                      cy={y(value)}
                      r="2.8"
                      fill={line.color}
                      stroke="var(--surface)"
                      strokeWidth="1"
                    />
                  ))}
              </g>
            ))}
          </g>
        ))}
        {pointed !== undefined && (
          <g pointerEvents="none">
            <line x1={x(pointed)} x2={x(pointed)} y1={TOP} y2={HEIGHT - BOTTOM} stroke="var(--line-strong)" />
            {lines.map(({ name, color, values }) =>
              values[pointed] == null ? null : (
                <circle
                  key={name}
                  cx={x(pointed)}
                  cy={y(values[pointed])}
                  r="5"
                  fill={color}
                  stroke="var(--surface)"
                  strokeWidth="2"
                />
              ),
            )}
          </g>
        )}
      </svg>
      <figcaption className="legend">
        <span className="legend-period">{periods[shown] ?? ''}</span>
        {lines.map(({ name, color, values, bands }) => (
          <span key={name}>
            <i style={{ background: color }} />
            {name} <strong>{values[shown] == null ? 'withheld' : format(values[shown])}</strong>
            {bands?.[shown] && ` (${format(bands[shown][0])} to ${format(bands[shown][1])})`}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

interface Run {
  at: number;
  value: number;
}

/** Stretches without a gap. */
function runsOf(values: (number | null)[]): Run[][] {
  const runs: Run[][] = [];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last && last.at(-1)!.at === at - 1) last.push({ at, value });
    else runs.push([{ at, value }]);
  }
  return runs;
}

function bandsOf({ bands }: PeriodLine): { at: number; low: number; high: number }[][] {
  return runsOf((bands ?? []).map((band) => band && band[0])).map((run) =>
    run.map(({ at, value }) => ({ at, low: value, high: bands![at]![1] })),
  );
}

function splitAt(run: Run[], from: number | undefined): Run[][] {
  if (from === undefined) return [run];
  return [run.filter(({ at }) => at < from), run.filter(({ at }) => at >= from - 1)];
}

const pathOf = (points: [number, number][]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

function lastKnown(lines: PeriodLine[]): number {
  return Math.max(0, ...lines.map(({ values }) => values.findLastIndex((value) => value !== null)));
}

/** Which periods are named: years where there is a choice, as many as fit. */
function labelsOf(periods: string[], width: number): number[] {
  const most = Math.max(2, Math.floor(width / LABEL_PX));
  if (periods.length <= most) return periods.map((_, index) => index);
  const years = periods.flatMap((period, index) => (/^\d{4}(-01|-Q1)?$/.test(period) ? [index] : []));
  const choice = years.length >= 2 ? years : periods.map((_, index) => index);
  const every = Math.ceil(choice.length / most);
  return choice.filter((_, index) => index % every === 0);
}

const anchorOf = (index: number, count: number): 'middle' | 'end' | 'start' =>
  index === count - 1 && count > 3 ? 'end' : index === 0 ? 'start' : 'middle';
