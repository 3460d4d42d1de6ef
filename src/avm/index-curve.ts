// A market's price index as stored: log price level relative to the first day, on a grid of days.

export type IndexCurve = { firstDay: number; stepDays: number; values: Float64Array };

/** Log level on a day: linear between grid points, flat outside them. */
export function indexAt(curve: IndexCurve, day: number): number {
  const at = (day - curve.firstDay) / curve.stepDays;
  const last = curve.values.length - 1;
  if (at <= 0) return curve.values[0];
  if (at >= last) return curve.values[last];
  const low = Math.floor(at);
  return curve.values[low] + (at - low) * (curve.values[low + 1] - curve.values[low]);
}
