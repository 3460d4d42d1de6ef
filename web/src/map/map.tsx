// The property map: MapLibre on our own tiles, with filters, colors, selection, and drawings passed in as props.
import {
  LngLatBounds,
  Map as MapLibre,
  Marker,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
  type ExpressionSpecification,
  type FilterSpecification,
  type GeoJSONSource,
  type LayerSpecification,
  type SourceSpecification,
  type VectorTileSource,
} from 'maplibre-gl';
import 'maplibre-gl/dist/maplibre-gl.css';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { headersOf } from '../api.ts';
import { useCaller } from '../caller.tsx';
import { useApi } from '../use-api.ts';
import { tellUnderPointer } from './card.ts';
import { breaksOf, type FigureId, type Reading } from './figures.ts';
import { hasHomes, readingsOf, watchMap, type View } from './events.ts';
import type { OverlayId, Period, TractFigureId } from './overlays.ts';
import { addPins } from './pins.ts';
import { placeOf, type Place, type Position, type TilesAnswer } from './place.ts';
import {
  markFilter,
  paintBreaks,
  pinImage,
  propertyTiles,
  sourcesOf,
  styleOf,
  tractColor,
  type Look,
} from './style.ts';

setWorkerUrl(workerUrl);

export type { View } from './events.ts';

export interface MapPoint {
  id: string;
  longitude: number;
  latitude: number;
}

export interface PropertyMapProps {
  label: string;
  /** Initial view. Without it, the map opens on the largest market. */
  start?: Place | undefined;
  /** On a page that scrolls: the wheel scrolls the page. */
  isQuiet?: boolean;
  /** Fly to this position when it changes. */
  goTo?: Place | undefined;
  /** Color by this figure. */
  figure?: FigureId;
  /** Search filters as a query, applied in the tiles. */
  filters?: string;
  /** Only homes in this ring. */
  within?: Position[] | undefined;
  overlays?: OverlayId[];
  period?: Period | undefined;
  tractFigure?: TractFigureId;
  found?: MapPoint[];
  chosenId?: string | undefined;
  numbered?: (MapPoint & { label: string; isSubject?: boolean })[];
  /** Zoom to fit every numbered marker. */
  isFitted?: boolean;
  drawn?: Position[] | undefined;
  /** Whether the drawing is a line, as while measuring, or an area. */
  isLine?: boolean;
  isDrawing?: boolean;
  onPick?: (id: string) => void;
  onView?: (view: View) => void;
  onPoint?: (position: Position) => void;
  /** Drawn over the map, from the figures of the homes in view. */
  legend?: (readings: Reading[], breaks: number[]) => ReactNode;
  /** Homes are in view, but none has the figure they should be colored by. */
  onNoFigure?: () => void;
}

const PARCELS: OverlayId[] = ['parcels'];
interface Basemap {
  layers: LayerSpecification[];
  source: SourceSpecification;
}

export function PropertyMap(props: PropertyMapProps) {
  const tiles = useApi<TilesAnswer>('tiles');
  if (!tiles.data && tiles.isLoading) return <div className="map" />;
  return <OpenMap {...props} start={props.start ?? placeOf(tiles.data?.center)} basemapUrl={tiles.data?.basemap} />;
}

function OpenMap(props: PropertyMapProps & { basemapUrl: string | undefined }) {
  const { credential } = useCaller();
  const { figure = 'value', filters = '', overlays = PARCELS, period, tractFigure = 'median_household_income' } = props;
  const holder = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibre>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [isStyled, setStyled] = useState(false);
  const [isLoading, setLoading] = useState(true);
  const [readings, setReadings] = useState<Reading[]>([]);
  const [breaks, setBreaks] = useState<number[]>([]);
  const query = new URLSearchParams(filters);
  if (figure !== 'value') query.set('color', figure);
  const look: Look = { overlays, period, tractFigure, breaks };
  const current = useRef({ look, query: query.toString(), figure });
  current.current = { look, query: query.toString(), figure };

  useEffect(() => {
    const { origin } = window.location;
    let basemap: Basemap | undefined;
    const style = () => {
      const sources = sourcesOf(origin, current.current.query);
      return styleOf(
        basemap ? { ...sources, basemap: basemap.source } : sources,
        current.current.look,
        basemap?.layers,
      );
    };
    const made = new MapLibre({
      container: holder.current!,
      style: style(),
      center: latest.current.start?.center ?? [-98, 39],
      zoom: latest.current.start?.zoom ?? 3.4,
      maxZoom: 20,
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      scrollZoom: !latest.current.isQuiet,
      fadeDuration: 150,
      transformRequest: (url) =>
        url.startsWith(`${origin}/api/`)
          ? { url, headers: headersOf(credential), credentials: 'same-origin' }
          : { url },
    });
    map.current = made;
    made.touchZoomRotate.disableRotation();
    made.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    made.addControl(new ScaleControl({ unit: 'imperial' }), 'bottom-right');
    made.on('style.load', () => {
      addPins(made);
      setStyled(true);
    });
    watchMap(made, latest, {
      loading: setLoading,
      settled: () => {
        const next = readingsOf(made);
        const found = breaksOf(next);
        setReadings(next);
        if (next.length === 0 && hasHomes(made)) latest.current.onNoFigure?.();
        // Keep the same array for equal breaks: a repaint triggers another idle event, which would loop forever.
        setBreaks((known) => (String(found) === String(known) ? known : found));
      },
    });
    tellUnderPointer(made, () => ({ figure: current.current.figure, isQuiet: latest.current.isDrawing === true }));
    const restyle = () => {
      setStyled(false);
      made.setStyle(style(), { diff: false });
    };
    const recolor = () =>
      void loadBasemap(latest.current.basemapUrl).then((loaded) => {
        basemap = loaded;
        if (map.current === made) restyle();
      });
    // Print is always light. The canvas must be drawn before the page is, so there is no waiting for a frame.
    const print = () => {
      restyle();
      made.redraw();
    };
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    window.addEventListener('platbook:theme', recolor);
    window.addEventListener('beforeprint', print);
    window.addEventListener('afterprint', recolor);
    scheme.addEventListener('change', recolor);
    if (latest.current.basemapUrl) recolor();
    return () => {
      window.removeEventListener('platbook:theme', recolor);
      window.removeEventListener('beforeprint', print);
      window.removeEventListener('afterprint', recolor);
      scheme.removeEventListener('change', recolor);
      made.remove();
      map.current = undefined;
      setStyled(false);
    };
  }, [credential]);

  useEffect(() => {
    const wanted = propertyTiles(window.location.origin, query.toString());
    const source = isStyled ? map.current?.getSource<VectorTileSource>('properties') : undefined;
    // A source that has not loaded yet has no tiles to compare with, and a new style already asks for the wanted ones.
    if (source && (source.tiles?.[0] ?? wanted) !== wanted) source.setTiles([wanted]);
  }, [isStyled, query.toString()]);

  useLook(map, isStyled, look, props.within);
  useFound(map, isStyled, props);
  useNumbered(map, isStyled, props.numbered, props.isFitted === true);

  useEffect(() => {
    if (props.goTo) map.current?.flyTo({ ...props.goTo, duration: 900, essential: false });
  }, [props.goTo]);

  return (
    <div className={`map ${props.isDrawing ? 'drawing' : ''}`}>
      <div
        ref={holder}
        className="map-canvas"
        role="region"
        aria-label={props.label}
        data-styled={isStyled}
        data-idle={!isLoading}
      />
      {isLoading && <div className="map-loading" role="progressbar" aria-label="Loading the map" />}
      {props.legend?.(readings, breaks)}
    </div>
  );
}

/** The operator's own basemap in the colors of the theme; its code is loaded only where one is set. */
async function loadBasemap(url: string | undefined): Promise<Basemap | undefined> {
  if (!url) return undefined;
  const { basemapOf } = await import('./basemap.ts');
  return basemapOf(new URL(url, window.location.origin).href);
}

type Held = { current: MapLibre | undefined };

/** Colors, switches and filters of layers that are already drawn. */
function useLook(map: Held, isStyled: boolean, look: Look, within: Position[] | undefined): void {
  const { overlays, period, tractFigure, breaks } = look;
  useEffect(() => {
    const drawn = map.current;
    if (!isStyled || !drawn) return;
    for (const [layer, property, value] of paintBreaks(breaks)) drawn.setPaintProperty(layer, property, value);
    drawn.setLayoutProperty('pins', 'icon-image', pinImage(breaks));
  }, [map, isStyled, breaks]);
  useEffect(() => {
    const drawn = map.current;
    if (!isStyled || !drawn) return;
    const show = (layer: string, isShown: boolean) =>
      drawn.setLayoutProperty(layer, 'visibility', isShown ? 'visible' : 'none');
    for (const layer of ['parcels', 'parcel-lines']) show(layer, overlays.includes('parcels'));
    for (const layer of ['tract-figure', 'tract-line']) show(layer, overlays.includes('tracts'));
    show('flood', overlays.includes('flood'));
    show('zones', overlays.includes('zones'));
    const area: FilterSpecification | undefined = within && [
      'within',
      { type: 'Polygon', coordinates: [[...within, within[0]]] },
    ];
    const both = (filter: FilterSpecification | undefined): FilterSpecification | null => {
      const parts = [area, filter].filter((part) => part !== undefined);
      return parts.length === 0 ? null : (['all', ...parts] as FilterSpecification);
    };
    for (const layer of ['dots', 'cells']) drawn.setFilter(layer, both(undefined));
    drawn.setFilter('cell-counts', both(['>=', ['get', 'count'], 20]));
    drawn.setFilter('pins', both(['has', 'value']));
    drawn.setFilter('marks', both(markFilter({ overlays, period })));
    const isBySale = overlays.includes('sales') && period !== undefined;
    const opacity = isBySale
      ? (['case', markFilter({ overlays: ['sales'], period }), 1, 0.18] as ExpressionSpecification)
      : 1;
    for (const property of ['circle-opacity', 'circle-stroke-opacity'] as const)
      drawn.setPaintProperty('dots', property, opacity);
    for (const property of ['text-opacity', 'icon-opacity'] as const) drawn.setPaintProperty('pins', property, opacity);
  }, [map, isStyled, overlays.join(), period?.from, period?.to, within]);
  useEffect(() => {
    const drawn = map.current;
    if (!isStyled || !drawn || !overlays.includes('tracts')) return undefined;
    drawn.setFilter('tract-figure', ['has', tractFigure]);
    const paint = () => {
      const tracts = drawn.querySourceFeatures('ground', { sourceLayer: 'tracts' });
      const amounts = tracts.flatMap(({ properties }) =>
        properties[tractFigure] === undefined ? [] : [{ amount: Number(properties[tractFigure]), homes: 1 }],
      );
      const color = tractColor(tractFigure, breaksOf(amounts));
      // Repaint only on change, because a repaint triggers another idle event.
      if (JSON.stringify(drawn.getPaintProperty('tract-figure', 'fill-color')) !== JSON.stringify(color))
        drawn.setPaintProperty('tract-figure', 'fill-color', color);
    };
    paint();
    drawn.on('idle', paint);
    return () => void drawn.off('idle', paint);
  }, [map, isStyled, overlays.join(), tractFigure]);
}

/** Draws search results as their own dots, the chosen one, and what is being drawn. */
function useFound(map: Held, isStyled: boolean, { found, chosenId, drawn, isLine }: PropertyMapProps): void {
  useEffect(() => {
    if (!isStyled) return;
    void map.current?.getSource<GeoJSONSource>('found')?.setData({
      type: 'FeatureCollection',
      features: (found ?? []).map(({ id, longitude, latitude }) => ({
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [longitude, latitude] },
        properties: { id },
      })),
    });
  }, [map, isStyled, found]);
  useEffect(() => {
    if (isStyled) map.current?.setFilter('chosen', ['==', ['get', 'id'], chosenId ?? '']);
  }, [map, isStyled, chosenId]);
  useEffect(() => {
    if (!isStyled) return;
    const ring = drawn ?? [];
    const shape =
      isLine || ring.length < 3
        ? { type: 'LineString' as const, coordinates: ring }
        : { type: 'Polygon' as const, coordinates: [[...ring, ring[0]]] };
    void map.current?.getSource<GeoJSONSource>('drawn')?.setData({
      type: 'FeatureCollection',
      features: [
        ...(ring.length > 1 ? [{ type: 'Feature' as const, properties: {}, geometry: shape }] : []),
        ...ring.map((coordinates) => ({
          type: 'Feature' as const,
          properties: {},
          geometry: { type: 'Point' as const, coordinates },
        })),
      ],
    });
  }, [map, isStyled, drawn, isLine]);
}

/** Numbered markers are HTML, so that a screen reader finds them. */
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
