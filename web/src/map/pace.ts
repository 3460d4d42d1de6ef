// A map that cannot keep up while it moves, for want of a graphics card or over a remote desktop, is drawn with fewer pixels
// until it rests: sharpness that nobody sees in motion is given for motion that everybody sees.
import type { Map as MapLibre } from 'maplibre-gl';

/** Below 25 frames a second a map no longer follows the hand. */
const SLOW_FRAME_MS = 40;
/** In a row: one alone is a tile that arrived. */
const SLOW_FRAMES = 3;
const COARSE_SHARE = 0.5;
/** Notches of a wheel and strokes on a trackpad are one movement. */
const RESTS_AFTER_MS = 250;

export function keepPace(map: MapLibre): void {
  let isCoarse = false;
  let frame = 0;
  let rest: ReturnType<typeof setTimeout> | undefined;

  const watch = () => {
    let last = performance.now();
    let slow = 0;
    // By the browser's frames, not the map's: a hand that holds still asks for none.
    const tick = (now: number) => {
      slow = now - last > SLOW_FRAME_MS ? slow + 1 : 0;
      last = now;
      if (slow === SLOW_FRAMES) draw(true);
      else frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
  };
  const draw = (coarsely: boolean) => {
    isCoarse = coarsely;
    setPixelRatio(map, coarsely ? devicePixelRatio * COARSE_SHARE : null);
  };
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(rest);
  };
  map.on('movestart', () => {
    stop();
    if (!isCoarse) watch();
  });
  map.on('moveend', () => {
    stop();
    if (isCoarse) rest = setTimeout(() => draw(false), RESTS_AFTER_MS);
  });
  map.on('remove', stop);
}

/** The library's own `setPixelRatio` lets go of a map that is being dragged. With null, the ratio is the screen's. */
function setPixelRatio(map: MapLibre, ratio: number | null): void {
  map._overridePixelRatio = ratio;
  map._resizeInternal();
  map.triggerRepaint();
}
