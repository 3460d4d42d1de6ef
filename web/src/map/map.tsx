// The property map: MapLibre on our own tiles, with results, selection, and drawings passed in as props.
import {
  LngLatBounds,
  Map as MapLibre,
  Marker,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
  type GeoJSONSource,
} from 'maplibre-gl';
import 'maplibre-gl/dist/maplibre-gl.css';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { useEffect, useRef, useState } from 'react';
import { headersOf } from '../api.ts';
import { useCaller } from '../caller.tsx';
import { compactMoney } from '../format.ts';
import { colorOf } from '../ui/theme.ts';
import { boundsOfCells, breaksOf } from './breaks.ts';
import type { Place, Position } from './place.ts';
import { nameDistricts, tellUnderPointer } from './names.ts';
import { styleOf, VALUE_COLORS, valueColor } from './style.ts';

setWorkerUrl(workerUrl);

export interface MapPoint {
  id: string;
  longitude: number;
  latitude: number;
}

export interface View {
  bbox: string;
  center: Position;
  zoom: number;
}

export interface PropertyMapProps {
  /** Initial view. Without it, the map opens where the properties are. */
  start?: Place | undefined;
  /** On a page that scrolls: the wheel scrolls the page, and there is no legend. */
  isQuiet?: boolean;
  /** Fly to this position when it changes. */
  goTo?: Place | undefined;
  found?: MapPoint[];
  chosenId?: string | undefined;
  numbered?: (MapPoint & { label: string; isSubject?: boolean })[];
  /** Zoom to fit every numbered marker. */
  isFitted?: boolean;
  drawn?: Position[] | undefined;
  isDrawing?: boolean;
  label: string;
  onPick?: (id: string) => void;
  onView?: (view: View) => void;
  onPoint?: (position: Position) => void;
}

export function PropertyMap(props: PropertyMapProps) {
  const { credential } = useCaller();
  const holder = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibre>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [isStyled, setStyled] = useState(false);
  const [breaks, setBreaks] = useState<number[]>([]);

  useEffect(() => {
    const { origin } = window.location;
    const made = new MapLibre({
      container: holder.current!,
      style: styleOf(origin, []),
      center: latest.current.start?.center ?? [-98, 39],
      zoom: latest.current.start?.zoom ?? 0,
      maxZoom: 19,
      attributionControl: false,
      dragRotate: false,
      scrollZoom: !latest.current.isQuiet,
      pitchWithRotate: false,
      transformRequest: (url) =>
        url.startsWith(`${origin}/api/`)
          ? { url, headers: headersOf(credential), credentials: 'same-origin' }
          : { url },
    });
    map.current = made;
    made.touchZoomRotate.disableRotation();
    made.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    made.addControl(new ScaleControl({ unit: 'imperial' }), 'bottom-right');
    wireEvents(made, latest, setStyled, setBreaks);
    nameDistricts(made);
    tellUnderPointer(made);
    const onTheme = () => {
      setStyled(false);
      made.setStyle(styleOf(origin, []), { diff: false });
      made.once('styledata', () => setStyled(true));
    };
    window.addEventListener('platbook:theme', onTheme);
    return () => {
      window.removeEventListener('platbook:theme', onTheme);
      made.remove();
      map.current = undefined;
      setStyled(false);
    };
  }, [credential]);

  useEffect(() => {
    if (!isStyled || breaks.length === 0) return;
    for (const layer of ['cells', 'dots']) map.current?.setPaintProperty(layer, 'circle-color', valueColor(breaks));
    map.current?.setPaintProperty('parcels', 'fill-color', valueColor(breaks));
  }, [isStyled, breaks]);

  useFound(map, isStyled, props);
  useNumbered(map, isStyled, props.numbered, props.isFitted === true);

  useEffect(() => {
    if (props.goTo) map.current?.flyTo({ ...props.goTo, duration: 900, essential: false });
  }, [props.goTo]);

  return (
    <div className={`map ${props.isDrawing ? 'drawing' : ''}`}>
      <div ref={holder} className="map-canvas" role="region" aria-label={props.label} data-styled={isStyled} />
      {breaks.length === 4 && !props.isQuiet && (
        <div className="map-legend">
          <span className="map-legend-title">Value</span>
          <span>{compactMoney(breaks[0])}</span>
          {VALUE_COLORS.map((color) => (
            <i key={color} style={{ background: `var(${color})` }} />
          ))}
          <span>{compactMoney(breaks[3])}+</span>
        </div>
      )}
    </div>
  );
}

function wireEvents(
  map: MapLibre,
  latest: { current: PropertyMapProps },
  setStyled: (isStyled: boolean) => void,
  setBreaks: (change: (known: number[]) => number[]) => void,
): void {
  let isPlaced = latest.current.start !== undefined;
  const tellView = () => {
    const bounds = map.getBounds();
    // Zoomed far out, the viewport spans more than 360 degrees, which the API rejects.
    const edges = [
      Math.max(-180, bounds.getWest()),
      bounds.getSouth(),
      Math.min(180, bounds.getEast()),
      bounds.getNorth(),
    ];
    const { lng, lat } = map.getCenter();
    latest.current.onView?.({
      bbox: edges.map((edge) => edge.toFixed(5)).join(','),
      center: [lng, lat],
      zoom: map.getZoom(),
    });
  };
  map.once('style.load', () => setStyled(true));
  map.on('idle', () => {
    if (!isPlaced) {
      const bounds = boundsOfCells(map.querySourceFeatures('properties', { sourceLayer: 'cells' }));
      isPlaced = true;
      if (bounds) map.fitBounds(bounds, { padding: 50, animate: false, maxZoom: 13 });
      else tellView();
      return;
    }
    paintGround(map);
    const layers = ['dots', 'cells'].filter((layer) => map.getLayer(layer));
    const found = breaksOf(
      map
        .queryRenderedFeatures({ layers })
        .map(({ properties }) => Number(properties.value ?? properties.average_value)),
    );
    // Keep the same array for equal breaks: a repaint triggers another idle event, which would loop forever.
    setBreaks((known) => (found.length === 0 || String(found) === String(known) ? known : found));
  });
  map.on('moveend', () => {
    if (isPlaced) tellView();
  });
  map.on('click', (event) => {
    if (latest.current.isDrawing) {
      latest.current.onPoint?.([event.lngLat.lng, event.lngLat.lat]);
      return;
    }
    const reach: [[number, number], [number, number]] = [
      [event.point.x - 6, event.point.y - 6],
      [event.point.x + 6, event.point.y + 6],
    ];
    const [hit] = map.queryRenderedFeatures(reach, { layers: ['found', 'dots', 'parcels', 'cells'] });
    if (hit?.layer.id === 'cells') map.flyTo({ center: event.lngLat, zoom: Math.min(15, map.getZoom() + 2) });
    else if (hit) latest.current.onPick?.(String(hit.properties.id));
  });
  if (isPlaced) tellView();
}

/** Anything outside the census tracts is drawn as water, but a market without tracts would be all water. */
function paintGround(map: MapLibre): void {
  if (!map.getLayer('water')) return;
  const hasTracts = map.querySourceFeatures('ground', { sourceLayer: 'tracts' }).length > 0;
  const wanted = colorOf(hasTracts ? '--map-water' : '--map-land');
  // Repaint only on change, because a repaint triggers another idle event.
  if (map.getPaintProperty('water', 'background-color') !== wanted)
    map.setPaintProperty('water', 'background-color', wanted);
}

type Held = { current: MapLibre | undefined };

/** Draws search results as their own dots and dims the rest. */
function useFound(map: Held, isStyled: boolean, { found, chosenId, drawn, numbered }: PropertyMapProps): void {
  useEffect(() => {
    if (!isStyled) return;
    const points = found ?? [];
    void map.current?.getSource<GeoJSONSource>('found')?.setData({
      type: 'FeatureCollection',
      features: points.map(({ id, longitude, latitude }) => ({
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [longitude, latitude] },
        properties: { id },
      })),
    });
    const isQuiet = points.length > 0 || numbered !== undefined;
    map.current?.setPaintProperty('dots', 'circle-opacity', isQuiet ? 0.55 : 1);
    map.current?.setPaintProperty('cells', 'circle-opacity', isQuiet ? 0.45 : 0.82);
  }, [map, isStyled, found, numbered]);
  useEffect(() => {
    if (isStyled) map.current?.setFilter('chosen', ['==', ['get', 'id'], chosenId ?? '']);
  }, [map, isStyled, chosenId]);
  useEffect(() => {
    if (!isStyled) return;
    const ring = drawn ?? [];
    void map.current?.getSource<GeoJSONSource>('drawn')?.setData({
      type: 'Feature',
      properties: {},
      geometry:
        ring.length < 3
          ? { type: 'LineString', coordinates: ring }
          : { type: 'Polygon', coordinates: [[...ring, ring[0]]] },
    });
  }, [map, isStyled, drawn]);
}

/** Numbered markers are HTML because the style has no fonts, which saves fetching them. */
function useNumbered(map: Held, isStyled: boolean, numbered: PropertyMapProps['numbered'], isFitted: boolean): void {
  useEffect(() => {
    if (!isStyled || !map.current || !numbered) return undefined;
    const markers = numbered.map(({ longitude, latitude, label, isSubject }) => {
      const element = document.createElement('div');
      element.className = `map-number ${isSubject ? 'subject' : ''}`;
      element.textContent = label;
      return new Marker({ element }).setLngLat([longitude, latitude]).addTo(map.current!);
    });
    if (isFitted && numbered.length > 1) {
      const bounds = new LngLatBounds();
      for (const { longitude, latitude } of numbered) bounds.extend([longitude, latitude]);
      map.current.fitBounds(bounds, {
        padding: { top: 40, right: 56, bottom: 60, left: 40 },
        maxZoom: 16,
        animate: false,
      });
    }
    return () => {
      for (const marker of markers) marker.remove();
    };
  }, [map, isStyled, numbered, isFitted]);
}
