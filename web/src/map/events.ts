// What the map tells the page: where it looks, what was clicked, whether it is loading, and the figures in view.
import type { Map as MapLibre } from 'maplibre-gl';
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
    const layers = HOME_LAYERS.filter((layer) => map.getLayer(layer));
    const [hit] = map.queryRenderedFeatures(reach, { layers });
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

export function hasHomes(map: MapLibre): boolean {
  return isDrawn(map)(['dots', 'cells']);
}

/** The figures of the homes in view, or the medians of their groups with as much weight as they have homes. */
export function readingsOf(map: MapLibre): Reading[] {
  const layers = ['dots', 'cells'].filter((layer) => map.getLayer(layer));
  return map.queryRenderedFeatures({ layers }).flatMap(({ layer, properties }) => {
    const amount = Number(properties.figure ?? properties.median ?? Number.NaN);
    if (Number.isNaN(amount)) return [];
    return [{ amount, homes: layer.id === 'cells' ? Number(properties.count) : 1 }];
  });
}

export const isDrawn =
  (map: MapLibre) =>
  (layers: string[]): boolean =>
    map.queryRenderedFeatures({ layers: layers.filter((layer) => map.getLayer(layer)) }).length > 0;

/** The tracts in view, if they are drawn, by the figures they have. */
export function tractReadingsOf(map: MapLibre): Map<TractFigureId, Reading[]> {
  const tracts = map.queryRenderedFeatures({ layers: ['tract-line'] });
  const readings = TRACT_FIGURES.map(([id]): [TractFigureId, Reading[]] => [
    id,
    tracts.flatMap(({ properties }) =>
      properties[id] === undefined ? [] : [{ amount: Number(properties[id]), homes: 1 }],
    ),
  ]);
  return new Map(readings.filter(([, known]) => known.length > 0));
}
