// Computes the map's color breaks and initial bounds from the features on screen. Pure.

interface Feature {
  geometry: { type: string; coordinates?: unknown };
  properties: Record<string, unknown>;
}

/** Four breaks that split the values into five groups of equal size, rounded for the legend. */
export function breaksOf(values: number[]): number[] {
  const known = values.filter((value) => Number.isFinite(value) && value > 0).sort((a, b) => a - b);
  if (known.length < 5) return [];
  const breaks = [0.2, 0.4, 0.6, 0.8].map((share) => roundOff(known[Math.floor(share * known.length)]));
  // The steps of a color scale must be strictly increasing.
  return new Set(breaks).size === 4 ? breaks : [];
}

function roundOff(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
}

const REACH_DEGREES = 1.5;

/** Bounds of the cells near the fullest one. With markets on two coasts, the map opens on one of them. */
export function boundsOfCells(features: Feature[]): [[number, number], [number, number]] | undefined {
  const cells = features.map((feature) => ({
    at: feature.geometry.coordinates as [number, number],
    count: Number(feature.properties.count),
  }));
  const [fullest] = cells.toSorted((a, b) => b.count - a.count);
  if (!fullest) return undefined;
  const near = cells.filter(({ at }) => Math.hypot(at[0] - fullest.at[0], at[1] - fullest.at[1]) < REACH_DEGREES);
  const longitudes = near.map(({ at }) => at[0]);
  const latitudes = near.map(({ at }) => at[1]);
  const pad = 0.05;
  return [
    [Math.min(...longitudes) - pad, Math.min(...latitudes) - pad],
    [Math.max(...longitudes) + pad, Math.max(...latitudes) + pad],
  ];
}
