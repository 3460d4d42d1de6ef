// Price pins: one stretchable image per color, drawn here so that nothing is fetched.
import type { Map as MapLibre } from 'maplibre-gl';
import { colorOf } from '../ui/theme.ts';
import { VALUE_COLORS } from './style.ts';

const RATIO = 2;
const [WIDTH, HEIGHT, TAIL, RADIUS] = [36, 24, 5, 7];

export function addPins(map: MapLibre): void {
  const border = colorOf('--surface');
  for (const [index, variable] of [...VALUE_COLORS, '--map-dot'].entries()) {
    const name = `pin-${index < VALUE_COLORS.length ? index : 'unknown'}`;
    if (map.hasImage(name)) map.removeImage(name);
    map.addImage(name, drawPin(colorOf(variable), border), {
      pixelRatio: RATIO,
      // The sides stretch with the price; the corners and the tail do not.
      stretchX: [
        [RADIUS * RATIO + 2, (WIDTH / 2 - TAIL - 1) * RATIO],
        [(WIDTH / 2 + TAIL + 1) * RATIO, (WIDTH - RADIUS) * RATIO - 2],
      ],
      stretchY: [[RADIUS * RATIO + 2, (HEIGHT - TAIL - RADIUS) * RATIO - 2]],
      content: [5 * RATIO, 3 * RATIO, (WIDTH - 5) * RATIO, (HEIGHT - TAIL - 3) * RATIO],
    });
  }
}

function drawPin(fill: string, border: string): ImageData {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH * RATIO, HEIGHT * RATIO];
  const context = canvas.getContext('2d')!;
  context.scale(RATIO, RATIO);
  const bottom = HEIGHT - TAIL;
  context.beginPath();
  context.roundRect(1, 1, WIDTH - 2, bottom - 1, RADIUS);
  context.moveTo(WIDTH / 2 - TAIL, bottom - 0.5);
  context.lineTo(WIDTH / 2, HEIGHT - 1);
  context.lineTo(WIDTH / 2 + TAIL, bottom - 0.5);
  context.strokeStyle = border;
  context.lineWidth = 2;
  context.stroke();
  context.fillStyle = fill;
  context.fill();
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
