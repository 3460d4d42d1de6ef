// What the map tells the page: where it looks, what was clicked, whether it is loading, and the figures in view.
import type { Map as MapLibre, MapGeoJSONFeature, PointLike, VectorTileSource } from 'maplibre-gl';
import type { Reading } from './figures.ts';
import { TRACT_FIGURES, type TractFigureId } from './overlays.ts';
import { boxOf, type Position, type View } from './place.ts';
import { HOME_LAYERS } from './style.ts';

interface Listeners {
  isDrawing?: boolean;
  onPick?: (id: string) => void;
  onView?: (view: View) => void;
  onPoint?: (position: Position) => void;
}

const CLICK_REACH_PX = 6;

export function watchMap(
  map: MapLibre,
  latest: { current: Listeners },
  { loading, settled }: { loading: (isLoading: boolean) => void; settled: () => void },
): void {
  const tellView = () => latest.current.onView?.(viewOf(map));
  map.on('dataloading', () => loading(true));
  map.on('idle', () => {
    loading(false);
    settled();
  });
  map.on('error', () => loading(false));
  tellView();
  map.on('moveend', tellView);
  map.on('click', (event) => {
    if (latest.current.isDrawing) {
      latest.current.onPoint?.([event.lngLat.lng, event.lngLat.lat]);
      return;
    }
    const { x, y } = event.point;
    const reach: [[number, number], [number, number]] = [
      [x - CLICK_REACH_PX, y - CLICK_REACH_PX],
      [x + CLICK_REACH_PX, y + CLICK_REACH_PX],
    ];
    const [hit] = drawnFeatures(map, HOME_LAYERS, reach);
    if (hit?.layer.id === 'cells') map.flyTo({ center: event.lngLat, zoom: Math.min(15, map.getZoom() + 2) });
    else if (hit) latest.current.onPick?.(String(hit.properties.id));
  });
}

function viewOf(map: MapLibre): View {
  const bounds = map.getBounds();
  const { lng, lat } = map.getCenter();
  return {
    bbox: boxOf([bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]),
    center: [lng, lat],
    zoom: map.getZoom(),
  };
}

const MAY_RELOAD_AFTER_MS = 5_000;
const reloadedAt = new WeakMap<MapLibre, number>();

/** What these layers show, everywhere or at one place. */
export function drawnFeatures(
  map: MapLibre,
  layers: string[],
  place?: PointLike | [PointLike, PointLike],
): MapGeoJSONFeature[] {
  const present = layers.filter((layer) => map.getLayer(layer));
  try {
    return place
      ? map.queryRenderedFeatures(place, { layers: present })
      : map.queryRenderedFeatures({ layers: present });
  } catch (error) {
    // Two answers for one tile can cross in the library, which then finds its features in the bytes of the other answer
    // until the tile is loaded again (maplibre-gl-js issue 8064). Wait in between: another cause would not go away.
    if (!map.loaded()) return [];
    if (performance.now() - (reloadedAt.get(map) ?? -Infinity) < MAY_RELOAD_AFTER_MS) throw error;
    reloadedAt.set(map, performance.now());
    for (const source of new Set(present.map((layer) => map.getLayer(layer)!.source))) map.refreshTiles(source);
    return [];
  }
}

export function hasHomes(map: MapLibre): boolean {
  return isDrawn(map)(['dots', 'cells']);
}

/** The figure by which the tiles on the map were asked for. */
export function shownFigure(map: MapLibre): string {
  const [url] = map.getSource<VectorTileSource>('properties')!.tiles;
  return new URL(url).searchParams.get('color') ?? 'value';
}

/** The figures of the homes in view, or the medians of their groups with as much weight as they have homes. */
export function readingsOf(map: MapLibre): Reading[] {
  return drawnFeatures(map, ['dots', 'cells']).flatMap(({ layer, properties }) => {
    const amount = Number(properties.figure ?? properties.median ?? Number.NaN);
    if (Number.isNaN(amount)) return [];
    return [{ amount, homes: layer.id === 'cells' ? Number(properties.count) : 1 }];
  });
}

export const isDrawn =
  (map: MapLibre) =>
  (layers: string[]): boolean =>
    drawnFeatures(map, layers).length > 0;

/** The tracts in view, if they are drawn, by the figures they have. */
export function tractReadingsOf(map: MapLibre): Map<TractFigureId, Reading[]> {
  const tracts = drawnFeatures(map, ['tract-line']);
  const readings = TRACT_FIGURES.map(([id]): [TractFigureId, Reading[]] => [
    id,
    tracts.flatMap(({ properties }) =>
      properties[id] === undefined ? [] : [{ amount: Number(properties[id]), homes: 1 }],
    ),
  ]);
  return new Map(readings.filter(([, known]) => known.length > 0));
}
