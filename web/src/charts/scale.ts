// Maps numbers to chart positions: linear scales and round ticks. Pure.

type Scale = (value: number) => number;

export function linear(from: [number, number], to: [number, number]): Scale {
  const span = from[1] - from[0] || 1;
  return (value) => to[0] + ((value - from[0]) / span) * (to[1] - to[0]);
}

/** Roughly `wanted` round numbers across the range. */
export function ticksOf(min: number, max: number, wanted = 4): number[] {
  if (!(max > min)) return [min];
  const raw = (max - min) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw)! * power;
  const first = Math.ceil(min / step) * step;
  const ticks: number[] = [];
  for (let tick = first; tick <= max + step / 1e6; tick += step) ticks.push(Number(tick.toPrecision(12)));
  return ticks;
}

export const yearOf = (at: number): number => new Date(at).getUTCFullYear();

/** At most `most` New Year's Days in the range, evenly spaced; within a single year, where the range begins. */
export function yearTicks(first: number, last: number, most: number): number[] {
  const [from, to] = [yearOf(first - 1) + 1, yearOf(last)];
  if (from > to) return [first];
  const step = [1, 2, 5, 10, 20, 50].find((years) => Math.floor(to / years) - Math.ceil(from / years) < most) ?? 100;
  const start = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - start) / step) + 1 }, (_, index) =>
    Date.UTC(start + index * step, 0, 1),
  );
}

/** A range with a small margin around the values, starting at zero if asked. */
export function rangeOf(values: number[], isFromZero: boolean): [number, number] {
  if (values.length === 0) return [0, 1];
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const margin = (max - min || Math.abs(max) || 1) * 0.08;
  return [isFromZero ? 0 : min - margin, max + margin];
}
