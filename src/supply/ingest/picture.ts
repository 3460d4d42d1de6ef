// Draws an SVG map of properties for checking coordinates. Transparent, in colors visible on light and dark
// backgrounds.
import type { Point } from '../../base/lib/geo.ts';

const WIDTH = 900;
const MARGIN = 60;
const TALLEST = 1400;
/** Scales dots so a few homes are as visible as a hundred thousand. */
const dotSize = (dots: number): number => Math.round(Math.max(2, Math.min(10, 300 / Math.sqrt(dots))));

export function drawMap(title: string, dots: Point[], total: number): string {
  const text = (x: number, y: number, words: string, anchor = 'start') =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${escape(words)}</text>`;
  if (dots.length === 0) {
    return svg(WIDTH, 200, [
      text(MARGIN, 100, `${title}: none of ${total.toLocaleString('en')} properties has coordinates.`),
    ]);
  }
  // A few outliers would shrink all others to a dot, so the frame excludes the outermost thousandth.
  const [west, east] = frame(dots.map((dot) => dot.longitude));
  const [south, north] = frame(dots.map((dot) => dot.latitude));
  const squeeze = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const scale = Math.min((WIDTH - 2 * MARGIN) / ((east - west) * squeeze), (TALLEST - 2 * MARGIN) / (north - south));
  const height = Math.round((north - south) * scale + 2 * MARGIN);
  const x = (longitude: number) => MARGIN + (longitude - west) * squeeze * scale;
  const y = (latitude: number) => height - MARGIN - (latitude - south) * scale;
  const inside = dots.filter(
    ({ latitude, longitude }) => latitude >= south && latitude <= north && longitude >= west && longitude <= east,
  );
  const marks = inside.map((dot) => `M${x(dot.longitude).toFixed(1)} ${y(dot.latitude).toFixed(1)}h0`).join('');
  const outside = dots.length - inside.length;
  return svg(WIDTH, height, [
    text(
      MARGIN,
      30,
      `${title}: ${dots.length.toLocaleString('en')} of ${total.toLocaleString('en')} properties${outside ? `, ${outside} outside the frame` : ''}`,
    ),
    `<path d="${marks}" stroke="#2b7fd9" stroke-width="${dotSize(inside.length)}" stroke-linecap="round" fill="none" opacity="0.7"/>`,
    text(MARGIN, height - 20, `${south.toFixed(4)}, ${west.toFixed(4)}`),
    text(WIDTH - MARGIN, height - 20, `${north.toFixed(4)}, ${east.toFixed(4)}`, 'end'),
  ]);
}

function frame(values: number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const cut = Math.floor(sorted.length / 1000);
  const [low, high] = [sorted[cut], sorted.at(-1 - cut)!];
  const pad = Math.max((high - low) * 0.02, 0.001);
  return [low - pad, high + pad];
}

function svg(width: number, height: number, parts: string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="20" fill="#74807b">`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
