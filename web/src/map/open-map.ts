// Opens a MapLibre map on an element and keeps it in the style that the page describes: one function from what is shown
// to the whole style, compared with the style that is drawn. Nothing else touches layers, so nothing can touch them
// before they exist.
import {
  GPUInitializationError,
  Map as MapLibre,
  NavigationControl,
  setWorkerUrl,
  type MapOptions,
  type StyleSpecification,
  type VectorTileSource,
} from 'maplibre-gl';
import 'maplibre-gl/dist/maplibre-gl.css';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { headersOf, type Credential } from '../api.ts';
import { drawIcons } from './icons.ts';
import { keepPace } from './pace.ts';

setWorkerUrl(workerUrl);

/** The contents of sources, such as tiles of a filter or drawn features, are not a matter of style. */
type Layers = StyleSpecification['layers'];

interface Opening {
  holder: RefObject<HTMLDivElement | null>;
  credential: Credential | undefined;
  /** Not to be opened yet. */
  isHeld?: boolean;
  sources: () => StyleSpecification['sources'];
  /** In the colors of the moment. */
  layers: () => Layers;
  options: () => Omit<MapOptions, 'container' | 'style'>;
  /** Once for each map, before anything is drawn. */
  onOpen?: (map: MapLibre) => void;
  /** When the colors have changed, before the layers are drawn in them. */
  onColors?: (map: MapLibre) => void;
}

interface OpenMap {
  /** Undefined until its style is loaded; from then on layers and sources can be used. */
  map: MapLibre | undefined;
  /** Draws the layers as they are described now. */
  draw: () => void;
  /** The browser does not draw maps, which takes WebGL. */
  isImpossible: boolean;
}

export function useMap(opening: Opening): OpenMap {
  const { holder, credential, isHeld = false } = opening;
  const latest = useRef(opening);
  latest.current = opening;
  const [map, setMap] = useState<MapLibre>();
  const opened = useRef<MapLibre>(undefined);
  const [isImpossible, setImpossible] = useState(false);

  const draw = () => {
    const drawn = opened.current;
    if (!drawn) return;
    if (exchanging.has(drawn)) {
      drawn.once('idle', draw);
      return;
    }
    const { sources } = drawn.getStyle();
    drawn.setStyle({ ...FRAME, sources: { ...latest.current.sources(), ...sources }, layers: latest.current.layers() });
  };

  const open = () => {
    const { origin } = window.location;
    const made = new MapLibre({
      container: holder.current!,
      style: { ...FRAME, sources: latest.current.sources(), layers: latest.current.layers() },
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      transformRequest: (url) =>
        url.startsWith(`${origin}/api/`)
          ? { url, headers: headersOf(credential), credentials: 'same-origin' }
          : { url },
      ...latest.current.options(),
    });
    made.touchZoomRotate.disableRotation();
    made.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    made.once('style.load', () => {
      opened.current = made;
      latest.current.onColors?.(made);
      setMap(made);
    });
    // A listener keeps MapLibre from writing to the console, which is right only for what the page expects.
    made.on('error', ({ error }) => {
      if (!isExpected(error)) console.error(error);
    });
    drawIcons(made);
    keepPace(made);
    latest.current.onOpen?.(made);
    const recolor = () => {
      if (opened.current !== made) return;
      latest.current.onColors?.(made);
      draw();
      // A printer takes what is on the canvas now; there is no next frame to wait for.
      made.redraw();
    };
    const schemes = ['(prefers-color-scheme: dark)', 'print'].map((query) => matchMedia(query));
    window.addEventListener('platbook:theme', recolor);
    for (const scheme of schemes) scheme.addEventListener('change', recolor);
    return () => {
      window.removeEventListener('platbook:theme', recolor);
      for (const scheme of schemes) scheme.removeEventListener('change', recolor);
      opened.current = undefined;
      setMap(undefined);
      made.remove();
    };
  };

  useEffect(() => {
    if (isHeld) return undefined;
    let close = () => {};
    let isWanted = true;
    // Without a graphics card, opening a map blocks the page for seconds: what is around it is painted first.
    requestAnimationFrame(() =>
      setTimeout(() => {
        // A page that is left loses its elements a moment before its effects are undone.
        if (!isWanted || !holder.current) return;
        try {
          close = open();
        } catch (error) {
          if (!(error instanceof GPUInitializationError)) throw error;
          setImpossible(true);
        }
      }),
    );
    return () => {
      isWanted = false;
      close();
    };
  }, [credential, isHeld]);

  return { map, draw, isImpossible };
}

/** Maps that wait for other tiles of a source. */
const exchanging = new WeakSet<MapLibre>();

/** Shows other tiles of a source, once whatever was asked for before is drawn; layers that change meanwhile are drawn after
    them. Of two answers for one tile the library keeps the one that arrives last, whichever was asked for last. Returns how
    to give it up. */
export function exchangeTiles(map: MapLibre, sourceId: string, url: string): () => void {
  const exchange = () => {
    if (!map.loaded() || exchanging.has(map)) return;
    wait.unsubscribe();
    const source = map.getSource<VectorTileSource>(sourceId)!;
    if (source.tiles[0] === url) return;
    exchanging.add(map);
    const end = map.on('idle', () => {
      end.unsubscribe();
      exchanging.delete(map);
    });
    source.setTiles([url]);
  };
  const wait = map.on('idle', exchange);
  exchange();
  return () => wait.unsubscribe();
}

/** Colors change at once: a print would show them halfway. */
const FRAME = { version: 8, transition: { duration: 0 } } as const;

/** Tiles that were given up as the map moved on, refused by a limit, or asked of a server that is away. */
function isExpected(error: { name?: string; message: string; status?: number }): boolean {
  if (error.name === 'AbortError') return true;
  // The browser has no network, or nobody answers; the list beside the map says so.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) return true;
  const { status } = error;
  return status !== undefined && (status === 0 || status === 401 || status === 402 || status === 429 || status >= 500);
}
