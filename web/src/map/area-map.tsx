// Areas colored by a figure: filled where their boundaries are loaded, otherwise circles at the middle of their homes.
import {
  LngLatBounds,
  Popup,
  type ExpressionSpecification,
  type GeoJSONSource,
  type Map as MapLibre,
  type StyleSpecification,
} from 'maplibre-gl';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Kind } from '../areas/state.ts';
import { useCaller } from '../caller.tsx';
import type { Ranking } from '../types.ts';
import { colorOf } from '../ui/theme.ts';
import { drawnFeatures } from './events.ts';
import { landLayers, lineLayers, placeNameLayers } from './ground.ts';
import { NoMap } from './no-map.tsx';
import { Scale } from './legend.tsx';
import { useMap } from './open-map.ts';
import { VALUE_COLORS } from './style.ts';

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
  zip: { layer: 'zips', id: ['get', 'id'] },
  tract: { layer: 'tracts', id: ['get', 'id'] },
  neighborhood: { layer: 'neighborhoods', id: ['upcase', ['get', 'name']] },
};

export function AreaMap(props: AreaMapProps) {
  const { kind, areas, withheld, chosen, box, format } = props;
  const { credential } = useCaller();
  const holder = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  /** Undefined until the tiles have told. */
  const [hasShapes, setShapes] = useState<boolean>();
  const breaks = useMemo(() => quintilesOf(areas.map(({ value }) => value)), [areas]);
  const painted = { kind, areas, withheld, chosen, breaks, hasShapes };

  const { map, draw, isImpossible } = useMap({
    holder,
    credential,
    sources: () => sourcesOf(window.location.origin),
    layers: () => layersOf(painted),
    // A page that scrolls should not stop at its map.
    options: () => ({ center: [-98, 39], zoom: 3, maxZoom: 15, cooperativeGestures: true }),
    onOpen: (made) => {
      made.on('idle', () => {
        const drawn = LAYERS[latest.current.kind];
        setShapes(drawn ? made.querySourceFeatures('ground', { sourceLayer: drawn.layer }).length > 0 : false);
      });
      tellAreas(made, latest);
    },
  });
  useEffect(() => {
    draw();
    void map?.getSource<GeoJSONSource>('centers')?.setData(centersOf(painted));
  }, [map, hasShapes, kind, areas, withheld, chosen, breaks]);

  useEffect(() => {
    if (!map) return;
    const bounds = new LngLatBounds();
    for (const { area } of areas) if (area.center) bounds.extend([area.center.longitude, area.center.latitude]);
    if (box && box.length === 4) {
      // Its neighbors in sight: the area takes up the middle third.
      const [west, south, east, north] = box;
      const [width, height] = [Math.max(east - west, 0.01), Math.max(north - south, 0.01)];
      map.fitBounds([west - width, south - height, east + width, north + height], { animate: false });
    } else if (!bounds.isEmpty()) map.fitBounds(bounds, { padding: 36, animate: false, maxZoom: 12 });
  }, [map, areas, box]);

  return (
    <div className="area-map">
      <div className="map">
        <div
          ref={holder}
          className="map-canvas"
          role="region"
          aria-label={props.label}
          data-styled={map !== undefined}
        />
        {isImpossible && <NoMap />}
        {breaks.length > 0 && !isImpossible && (
          <div className="map-legend">
            <Scale colors={VALUE_COLORS} breaks={breaks} format={format} />
          </div>
        )}
      </div>
      {hasShapes === false && (
        <p className="fine">
          {areas.some(({ area }) => area.center)
            ? 'Each circle is at the middle of an area’s homes, larger with more of them: no boundaries are loaded for these areas.'
            : 'Not on the map: no boundaries are loaded for these areas, and none of their homes has coordinates.'}
        </p>
      )}
    </div>
  );
}

function sourcesOf(origin: string): StyleSpecification['sources'] {
  return {
    ground: { type: 'vector', tiles: [`${origin}/api/v1/tiles/boundaries/{z}/{x}/{y}.mvt`], minzoom: 0, maxzoom: 15 },
    centers: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
  };
}

interface Painted extends Pick<AreaMapProps, 'kind' | 'areas' | 'withheld' | 'chosen'> {
  breaks: number[];
  hasShapes: boolean | undefined;
}

const colorIn = (breaks: number[], value: number): number => breaks.filter((at) => value >= at).length;

function layersOf({ kind, areas, chosen, breaks, hasShapes }: Painted): StyleSpecification['layers'] {
  const colors = VALUE_COLORS.map(colorOf);
  const unknown = colorOf('--map-district');
  const colorFor = (value: number) => (breaks.length === 0 ? colors[2] : colors[colorIn(breaks, value)]);
  return [
    ...landLayers(),
    ...lineLayers(),
    ...Object.entries(LAYERS).flatMap(([each, { layer, id }]): StyleSpecification['layers'] => {
      const shape = { source: 'ground', 'source-layer': layer };
      const isShown = each === kind && hasShapes === true;
      const fills = isShown ? areas.flatMap(({ area, value }) => [area.id, colorFor(value)]) : [];
      const visible = (isVisible: boolean) => ({ visibility: isVisible ? ('visible' as const) : ('none' as const) });
      return [
        {
          id: `${layer}-fill`,
          type: 'fill',
          ...shape,
          layout: visible(isShown),
          paint: {
            'fill-color': fills.length > 0 ? (['match', id, ...fills, unknown] as never) : unknown,
            'fill-opacity': 0.8,
          },
        },
        // Its lines are always drawn: a layer that is not used is not read, and then nobody knows whether there are shapes.
        {
          id: `${layer}-line`,
          type: 'line',
          ...shape,
          layout: visible(each === kind),
          paint: { 'line-color': colorOf('--map-line'), 'line-width': layer === 'tracts' ? 0.5 : 0.8 },
        },
        {
          id: `${layer}-chosen`,
          type: 'line',
          ...shape,
          layout: visible(isShown),
          filter: ['==', id, chosen ?? ''],
          paint: { 'line-color': colorOf('--ink'), 'line-width': 2.5 },
        },
      ];
    }),
    {
      id: 'centers',
      type: 'circle',
      source: 'centers',
      paint: {
        'circle-color': ['match', ['get', 'step'], ...colors.flatMap((color, step) => [step, color]), unknown] as never,
        'circle-opacity': 0.88,
        'circle-radius': ['interpolate', ['linear'], ['sqrt', ['get', 'homes']], 5, 7, 60, 15, 200, 26],
        'circle-stroke-color': ['case', ['get', 'chosen'], colorOf('--ink'), colorOf('--surface')],
        'circle-stroke-width': ['case', ['get', 'chosen'], 3, 1.2],
      },
    },
    ...placeNameLayers(),
  ];
}

/** Areas without a boundary, each at the middle of its homes. */
function centersOf({ areas, withheld, chosen, breaks, hasShapes }: Painted) {
  const each =
    hasShapes !== false
      ? []
      : [
          ...areas.map(({ area, homes, value }) => ({
            area,
            homes,
            step: breaks.length === 0 ? 2 : colorIn(breaks, value),
          })),
          ...withheld.map(({ area }) => ({ area, homes: 0, step: -1 })),
        ];
  return {
    type: 'FeatureCollection' as const,
    features: each.flatMap(({ area, homes, step }) =>
      area.center === null
        ? []
        : [
            {
              type: 'Feature' as const,
              geometry: { type: 'Point' as const, coordinates: [area.center.longitude, area.center.latitude] },
              properties: { id: area.id, homes: homes ?? 0, step, chosen: area.id === chosen },
            },
          ],
    ),
  };
}

/** A tooltip for the area under the pointer, and its page on a click. */
function tellAreas(map: MapLibre, latest: { current: AreaMapProps }): void {
  const popup = new Popup({ closeButton: false, closeOnClick: false, className: 'map-tip', offset: 10 });
  const areaAt = (point: { x: number; y: number }): string | undefined => {
    const layers = [...Object.values(LAYERS).map(({ layer }) => `${layer}-fill`), 'centers'];
    const [hit] = drawnFeatures(map, layers, [point.x, point.y]);
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
