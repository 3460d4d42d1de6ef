// The property map: MapLibre on our own tiles, with filters, colors, selection, and drawings passed in as props.
import {
  LngLatBounds,
  Marker,
  ScaleControl,
  type GeoJSONSource,
  type LayerSpecification,
  type Map as MapLibre,
  type SourceSpecification,
} from 'maplibre-gl';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useCaller } from '../caller.tsx';
import { useApi } from '../use-api.ts';
import { tellUnderPointer } from './card.ts';
import { breaksOf, type FigureId, type Reading } from './figures.ts';
import { hasHomes, isDrawn, readingsOf, shownFigure, tractReadingsOf, watchMap } from './events.ts';
import { exchangeTiles, useMap } from './open-map.ts';
import { reasonsOfNothing, type OverlayId, type Period, type TractFigureId } from './overlays.ts';
import { NoMap } from './no-map.tsx';
import { addPins } from './pins.ts';
import { fitted, placeOf, viewAt, type Place, type Position, type TilesAnswer, type View } from './place.ts';
import { layersOf, propertyTiles, sourcesOf } from './style.ts';

export type { View } from './place.ts';

export interface MapPoint {
  id: string;
  longitude: number;
  latitude: number;
}

interface PropertyMapProps {
  label: string;
  /** Initial view. Without it, the map opens on the largest market. */
  start?: Place | undefined;
  /** On a page that scrolls: the wheel scrolls the page. */
  isQuiet?: boolean;
  /** Tells its view, but is not opened yet. */
  isHeld?: boolean;
  /** Fly to this position when it changes. */
  goTo?: Place | undefined;
  /** Color by this figure. */
  figure?: FigureId;
  /** Search filters as a query, applied in the tiles. */
  filters?: string;
  overlays?: OverlayId[];
  period?: Period | undefined;
  tractFigure?: TractFigureId;
  /** A layer that the server has loaded by recipe. */
  loadedLayer?: string | undefined;
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
  /** Drawn over the map, from what is in view. */
  legend?: (seen: Seen) => ReactNode;
  /** Homes are in view, but none has the figure they should be colored by. */
  onNoFigure?: () => void;
  /** Tracts are in view, and have this figure instead of the one they should be colored by. */
  onOtherTractFigure?: (figure: TractFigureId) => void;
}

interface Seen {
  /** Undefined until the tiles of the figure are there. */
  readings: Reading[] | undefined;
  breaks: number[];
  tractBreaks: number[];
  /** What is switched on and not to be seen, and why. */
  missing: string[];
}

const PARCELS: OverlayId[] = ['parcels'];
const UNREAD = { readings: undefined, breaks: [] };
interface Basemap {
  layers: LayerSpecification[];
  source: SourceSpecification;
}

export function PropertyMap(props: PropertyMapProps) {
  const tiles = useApi<TilesAnswer>('tiles');
  if (!tiles.data && tiles.isLoading) return <div className="map" />;
  return <TileMap {...props} suggested={placeOf(tiles.data?.center)} basemapUrl={tiles.data?.basemap} />;
}

function TileMap(props: PropertyMapProps & { suggested: Place | undefined; basemapUrl: string | undefined }) {
  const { credential, mode } = useCaller();
  const isRough = mode === 'live';
  const { figure = 'value', filters = '', overlays = PARCELS, period, tractFigure = 'median_household_income' } = props;
  const holder = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [isLoading, setLoading] = useState(true);
  const [read, setRead] = useState<{ figure: string; readings: Reading[] }>();
  const [breaks, setBreaks] = useState<number[]>([]);
  const [tractBreaks, setTractBreaks] = useState<number[]>([]);
  const [missing, setMissing] = useState<string[]>([]);
  const [basemapOf, setBasemapOf] = useState<() => Basemap>();
  const query = new URLSearchParams(filters);
  if (figure !== 'value') query.set('color', figure);
  const tilesUrl = propertyTiles(window.location.origin, query.toString());
  // While the tiles of another figure are on their way, the map still shows the last one's.
  const isRead = read?.figure === figure;
  const { chosenId, loadedLayer } = props;
  const look = { overlays, period, tractFigure, tractBreaks, breaks, chosenId, loadedLayer, isRough };
  const current = useRef({ figure, tractFigure, overlays });
  current.current = { figure, tractFigure, overlays };

  const opensAt = () => props.start ?? fitted(props.suggested, holder.current!);

  useEffect(() => props.onView?.(viewAt(opensAt(), holder.current!)), []);

  const { map, draw, isImpossible } = useMap({
    holder,
    credential,
    isHeld: props.isHeld === true,
    sources: () => ({
      ...sourcesOf(window.location.origin, tilesUrl),
      ...(basemapOf && { basemap: basemapOf().source }),
    }),
    layers: () => layersOf(look, basemapOf?.().layers),
    options: () => ({
      ...opensAt(),
      maxZoom: 20,
      scrollZoom: !props.isQuiet,
      fadeDuration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 150,
    }),
    onOpen: (made) => {
      made.addControl(new ScaleControl({ unit: 'imperial' }), 'bottom-right');
      watchMap(made, latest, {
        loading: setLoading,
        settled: () => {
          const next = readingsOf(made);
          const shown = shownFigure(made);
          setRead({ figure: shown, readings: next });
          if (shown === current.current.figure && next.length === 0 && hasHomes(made)) latest.current.onNoFigure?.();
          setBreaks(keepEqual(breaksOf(next)));
          const { overlays: drawn, tractFigure: wanted } = current.current;
          const tracts = tractReadingsOf(made);
          setTractBreaks(keepEqual(breaksOf(tracts.get(wanted) ?? [])));
          if (tracts.size > 0 && !tracts.has(wanted)) latest.current.onOtherTractFigure?.([...tracts.keys()][0]);
          setMissing(keepEqual(reasonsOfNothing(drawn, made.getZoom(), isDrawn(made))));
        },
      });
      tellUnderPointer(made, () => ({ ...current.current, isRough, isQuiet: latest.current.isDrawing === true }));
    },
    onColors: addPins,
  });

  // The operator's own basemap; its code is loaded only where one is set.
  useEffect(() => {
    if (!props.basemapUrl) return;
    // From where the page came from: the same server may be known by another name.
    const { pathname } = new URL(props.basemapUrl, window.location.origin);
    const url = window.location.origin + pathname;
    void import('./basemap.ts').then((module) => setBasemapOf(() => () => module.basemapOf(url)));
  }, [props.basemapUrl]);

  useEffect(() => (map ? exchangeTiles(map, 'properties', tilesUrl) : undefined), [map, tilesUrl]);
  useEffect(draw, [
    map,
    breaks,
    tractBreaks,
    overlays.join(),
    period?.from,
    period?.to,
    tractFigure,
    chosenId,
    loadedLayer,
    basemapOf,
  ]);
  useDrawn(map, props);
  useNumbered(map, props.numbered, props.isFitted === true);

  useEffect(() => {
    if (props.goTo) map?.flyTo({ ...props.goTo, duration: 900, essential: false });
  }, [map, props.goTo]);

  return (
    <div className={`map ${props.isDrawing ? 'drawing' : ''}`}>
      <div
        ref={holder}
        className="map-canvas"
        role="region"
        aria-label={props.label}
        data-styled={map !== undefined}
        data-idle={!isLoading}
      />
      {isImpossible && <NoMap />}
      {isLoading && !isImpossible && <div className="map-loading" role="progressbar" aria-label="Loading the map" />}
      {props.legend?.({ ...(isRead ? { readings: read.readings, breaks } : UNREAD), tractBreaks, missing })}
    </div>
  );
}

/** Keeps the same array for equal breaks: a repaint triggers another idle event, which would loop forever. */
const keepEqual =
  <Item,>(found: Item[]) =>
  (known: Item[]) =>
    String(found) === String(known) ? known : found;

/** Draws search results as their own dots, and what is being drawn. */
function useDrawn(map: MapLibre | undefined, { found, drawn, isLine }: PropertyMapProps): void {
  useEffect(() => {
    void map?.getSource<GeoJSONSource>('found')?.setData({
      type: 'FeatureCollection',
      features: (found ?? []).map(({ id, longitude, latitude }) => ({
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [longitude, latitude] },
        properties: { id },
      })),
    });
  }, [map, found]);
  useEffect(() => {
    const ring = drawn ?? [];
    const shape =
      isLine || ring.length < 3
        ? { type: 'LineString' as const, coordinates: ring }
        : { type: 'Polygon' as const, coordinates: [[...ring, ring[0]]] };
    void map?.getSource<GeoJSONSource>('drawn')?.setData({
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
  }, [map, drawn, isLine]);
}

/** Numbered markers are HTML, so that a screen reader finds them. */
function useNumbered(map: MapLibre | undefined, numbered: PropertyMapProps['numbered'], isFitted: boolean): void {
  useEffect(() => {
    if (!map || !numbered) return undefined;
    const markers = numbered.map(({ longitude, latitude, label, isSubject }) => {
      const element = document.createElement('div');
      element.className = `map-number ${isSubject ? 'subject' : ''}`;
      element.textContent = label;
      return new Marker({ element }).setLngLat([longitude, latitude]).addTo(map);
    });
    if (isFitted && numbered.length > 1) {
      const bounds = new LngLatBounds();
      for (const { longitude, latitude } of numbered) bounds.extend([longitude, latitude]);
      map.fitBounds(bounds, {
        padding: { top: 40, right: 56, bottom: 60, left: 40 },
        maxZoom: 16,
        animate: false,
      });
    }
    return () => {
      for (const marker of markers) marker.remove();
    };
  }, [map, numbered, isFitted]);
}
