// Areas colored by a figure: filled where their boundaries are loaded, otherwise circles at the middle of their homes.
import {
  LngLatBounds,
  Map as MapLibre,
  NavigationControl,
  Popup,
  setWorkerUrl,
  type ExpressionSpecification,
  type GeoJSONSource,
  type StyleSpecification,
} from 'maplibre-gl';
import 'maplibre-gl/dist/maplibre-gl.css';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { useEffect, useMemo, useRef, useState } from 'react';
import { headersOf } from '../api.ts';
import type { Kind } from '../areas/state.ts';
import { useCaller } from '../caller.tsx';
import type { Ranking } from '../types.ts';
import { colorOf } from '../ui/theme.ts';
import { VALUE_COLORS } from './style.ts';

setWorkerUrl(workerUrl);

type Ranked = Ranking['data'][number];
type Area = Ranked['area'];

export interface AreaMapProps {
  label: string;
  kind: Kind;
  areas: Ranked[];
  withheld: Ranking['withheld'];
  chosen: string | undefined;
  /** Where to look; the areas themselves otherwise. */
  box: number[] | undefined;
  format: (value: number) => string;
  nameOf: (area: Area) => string;
  onPick: (id: string) => void;
}

/** How the boundary tiles call a kind, and by what its areas go there. */
const LAYERS: Partial<Record<Kind, { layer: string; id: ExpressionSpecification }>> = {
  tract: { layer: 'tracts', id: ['get', 'id'] },
  neighborhood: { layer: 'neighborhoods', id: ['upcase', ['get', 'name']] },
};

export function AreaMap(props: AreaMapProps) {
  const { kind, areas, withheld, chosen, box, format } = props;
  const { credential } = useCaller();
  const holder = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibre>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [isStyled, setStyled] = useState(false);
  /** Undefined until the tiles have told. */
  const [hasShapes, setShapes] = useState<boolean>();
  const breaks = useMemo(() => quintilesOf(areas.map(({ value }) => value)), [areas]);

  useEffect(() => {
    const { origin } = window.location;
    const made = new MapLibre({
      container: holder.current!,
      style: styleOf(origin),
      center: [-98, 39],
      zoom: 3,
      maxZoom: 15,
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      // A page that scrolls should not stop at its map.
      cooperativeGestures: true,
      transformRequest: (url) =>
        url.startsWith(`${origin}/api/`)
          ? { url, headers: headersOf(credential), credentials: 'same-origin' }
          : { url },
    });
    map.current = made;
    made.touchZoomRotate.disableRotation();
    made.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    made.once('style.load', () => setStyled(true));
    made.on('idle', () => {
      const drawn = LAYERS[latest.current.kind];
      setShapes(drawn ? made.querySourceFeatures('ground', { sourceLayer: drawn.layer }).length > 0 : false);
    });
    tellAreas(made, latest);
    const onTheme = () => {
      setStyled(false);
      made.setStyle(styleOf(origin), { diff: false });
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
    if (!isStyled || !map.current) return;
    paint(map.current, { kind, areas, withheld, chosen, breaks, hasShapes });
  }, [isStyled, hasShapes, kind, areas, withheld, chosen, breaks]);

  useEffect(() => {
    if (!isStyled || !map.current) return;
    const bounds = new LngLatBounds();
    for (const { area } of areas) if (area.center) bounds.extend([area.center.longitude, area.center.latitude]);
    if (box && box.length === 4) {
      // Its neighbors in sight: the area takes up the middle third.
      const [west, south, east, north] = box;
      const [width, height] = [Math.max(east - west, 0.01), Math.max(north - south, 0.01)];
      map.current.fitBounds([west - width, south - height, east + width, north + height], { animate: false });
    } else if (!bounds.isEmpty()) map.current.fitBounds(bounds, { padding: 36, animate: false, maxZoom: 12 });
  }, [isStyled, areas, box]);

  return (
    <div className="area-map">
      <div className="map">
        <div ref={holder} className="map-canvas" role="region" aria-label={props.label} data-styled={isStyled} />
        {breaks.length > 0 && (
          <div className="map-legend">
            <span>{format(breaks[0])}</span>
            {VALUE_COLORS.map((color) => (
              <i key={color} style={{ background: `var(${color})` }} />
            ))}
            <span>{format(breaks.at(-1)!)}+</span>
          </div>
        )}
      </div>
      {hasShapes === false && (
        <p className="fine">
          Each circle is at the middle of an area’s homes, larger with more of them: no boundaries are loaded for these
          areas.
        </p>
      )}
    </div>
  );
}

function styleOf(origin: string): StyleSpecification {
  const line = colorOf('--map-line');
  const empty = { type: 'geojson' as const, data: { type: 'FeatureCollection' as const, features: [] } };
  return {
    version: 8,
    sources: {
      ground: { type: 'vector', tiles: [`${origin}/api/v1/tiles/boundaries/{z}/{x}/{y}.mvt`], minzoom: 4, maxzoom: 14 },
      centers: empty,
    },
    layers: [
      { id: 'land', type: 'background', paint: { 'background-color': colorOf('--map-land') } },
      ...(['tracts', 'neighborhoods'] as const).flatMap((layer): StyleSpecification['layers'] => [
        {
          id: `${layer}-fill`,
          type: 'fill',
          source: 'ground',
          'source-layer': layer,
          layout: { visibility: 'none' },
          paint: { 'fill-color': colorOf('--map-land'), 'fill-opacity': 0.9 },
        },
        {
          id: `${layer}-line`,
          type: 'line',
          source: 'ground',
          'source-layer': layer,
          paint: { 'line-color': line, 'line-width': layer === 'tracts' ? 0.5 : 0.8 },
        },
        {
          id: `${layer}-chosen`,
          type: 'line',
          source: 'ground',
          'source-layer': layer,
          filter: ['==', ['literal', 0], 1],
          paint: { 'line-color': colorOf('--ink'), 'line-width': 2.5 },
        },
      ]),
      {
        id: 'centers',
        type: 'circle',
        source: 'centers',
        paint: {
          'circle-color': ['get', 'color'],
          'circle-opacity': 0.88,
          'circle-radius': ['interpolate', ['linear'], ['sqrt', ['get', 'homes']], 5, 7, 60, 15, 200, 26],
          'circle-stroke-color': ['case', ['get', 'chosen'], colorOf('--ink'), colorOf('--surface')],
          'circle-stroke-width': ['case', ['get', 'chosen'], 3, 1.2],
        },
      },
    ],
  };
}

interface Painted extends Pick<AreaMapProps, 'kind' | 'areas' | 'withheld' | 'chosen'> {
  breaks: number[];
  hasShapes: boolean | undefined;
}

function paint(map: MapLibre, { kind, areas, withheld, chosen, breaks, hasShapes }: Painted): void {
  const colors = VALUE_COLORS.map(colorOf);
  const unknown = colorOf('--map-district');
  const colorFor = (value: number) => colors[breaks.filter((at) => value >= at).length] ?? colors[2];
  for (const [each, layer] of Object.entries(LAYERS)) {
    // Its lines are always drawn: a layer that is not used is not read, and then nobody knows whether there are shapes.
    const isShown = each === kind && hasShapes === true;
    map.setLayoutProperty(`${layer.layer}-fill`, 'visibility', isShown ? 'visible' : 'none');
    map.setLayoutProperty(`${layer.layer}-line`, 'visibility', each === kind ? 'visible' : 'none');
    if (!isShown) {
      map.setFilter(`${layer.layer}-chosen`, ['==', ['literal', 0], 1]);
      continue;
    }
    const fills = areas.flatMap(({ area, value }) => [area.id, colorFor(value)]);
    map.setPaintProperty(`${layer.layer}-fill`, 'fill-color', [
      'match',
      layer.id,
      ...fills,
      unknown,
    ] as unknown as ExpressionSpecification);
    map.setFilter(`${layer.layer}-chosen`, ['==', layer.id, chosen ?? '']);
  }
  const features =
    hasShapes !== false
      ? []
      : [
          ...areas.map((each) => ({ ...each, color: colorFor(each.value) })),
          ...withheld.map((each) => ({ ...each, homes: 0, color: unknown })),
        ];
  void map.getSource<GeoJSONSource>('centers')?.setData({
    type: 'FeatureCollection',
    features: features.flatMap(({ area, homes, color }) =>
      area.center === null
        ? []
        : [
            {
              type: 'Feature' as const,
              geometry: { type: 'Point' as const, coordinates: [area.center.longitude, area.center.latitude] },
              properties: { id: area.id, homes: homes ?? 0, color, chosen: area.id === chosen },
            },
          ],
    ),
  });
}

/** A tooltip for the area under the pointer, and its page on a click. */
function tellAreas(map: MapLibre, latest: { current: AreaMapProps }): void {
  const popup = new Popup({ closeButton: false, closeOnClick: false, className: 'map-tip', offset: 10 });
  const areaAt = (point: { x: number; y: number }): string | undefined => {
    const layers = ['tracts-fill', 'neighborhoods-fill', 'centers'].filter((layer) => map.getLayer(layer));
    const [hit] = map.queryRenderedFeatures([point.x, point.y], { layers });
    if (!hit) return undefined;
    return hit.layer.id === 'neighborhoods-fill'
      ? String(hit.properties.name).toUpperCase()
      : String(hit.properties.id);
  };
  map.on('mousemove', ({ point, lngLat }) => {
    const id = areaAt(point);
    const { areas, withheld, nameOf, format } = latest.current;
    const ranked = areas.find(({ area }) => area.id === id);
    const apart = withheld.find(({ area }) => area.id === id);
    map.getCanvas().classList.toggle('pointing', ranked !== undefined || apart !== undefined);
    if (ranked)
      popup
        .setLngLat(lngLat)
        .setText(`${nameOf(ranked.area)}: ${format(ranked.value)} (n = ${ranked.n})`)
        .addTo(map);
    else if (apart)
      popup
        .setLngLat(lngLat)
        .setText(`${nameOf(apart.area)}: withheld (n = ${apart.n})`)
        .addTo(map);
    else popup.remove();
  });
  map.on('mouseout', () => popup.remove());
  map.on('click', ({ point }) => {
    const id = areaAt(point);
    const { areas, withheld, onPick } = latest.current;
    if (id !== undefined && [...areas, ...withheld].some(({ area }) => area.id === id)) onPick(id);
  });
}

/** Four breaks between five groups of equal size; none where too few areas differ. */
function quintilesOf(values: number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  const breaks = [0.2, 0.4, 0.6, 0.8].map((share) => sorted[Math.floor(share * sorted.length)]);
  return sorted.length >= 5 && new Set(breaks).size === 4 ? breaks : [];
}
