// The map style: the ground, then the homes on it and what is switched on over them, in the design system's colors.
import type { ExpressionSpecification, FilterSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';
import { AREA_STYLES } from '../layers.ts';
import { colorOf } from '../ui/theme.ts';
import { loadedLayerStyles } from './loaded-layers.ts';
import { BOLD, landLayers, lineLayers, placeNameLayers, streetNameLayers } from './ground.ts';
import {
  FLAG_OVERLAYS,
  monthAfter,
  monthOf,
  RECENT_PERMIT_MONTHS,
  type OverlayId,
  type Period,
  type TractFigureId,
} from './overlays.ts';

export const VALUE_COLORS = ['--value-1', '--value-2', '--value-3', '--value-4', '--value-5'];
export const TRACT_COLORS = ['--tract-1', '--tract-2', '--tract-3', '--tract-4', '--tract-5'];

/** What of the style follows from the page around the map. */
interface Look {
  overlays: OverlayId[];
  period: Period | undefined;
  tractFigure: TractFigureId;
  tractBreaks: number[];
  breaks: number[];
  chosenId: string | undefined;
  /** A layer that the server has loaded by recipe. */
  loadedLayer?: string | undefined;
  /** Tiles of real places tell the middle of a band. */
  isRough: boolean;
}

const FIGURE: ExpressionSpecification = ['coalesce', ['get', 'figure'], ['get', 'median'], -1e9];
const IS_UNKNOWN: ExpressionSpecification = ['<', FIGURE, -1e8];

function figureColor(breaks: number[]): ExpressionSpecification {
  const colors = VALUE_COLORS.map(colorOf);
  if (breaks.length < 4) return ['case', IS_UNKNOWN, colorOf('--map-dot'), colors[2]];
  const steps = breaks.flatMap((at, index) => [at, colors[index + 1]]);
  return ['case', IS_UNKNOWN, colorOf('--map-dot'), ['step', FIGURE, colors[0], ...steps]] as ExpressionSpecification;
}

function pinImage(breaks: number[]): ExpressionSpecification {
  if (breaks.length < 4) return ['case', IS_UNKNOWN, 'pin-unknown', 'pin-2'];
  const steps = breaks.flatMap((at, index) => [at, `pin-${index + 1}`]);
  return ['case', IS_UNKNOWN, 'pin-unknown', ['step', FIGURE, 'pin-0', ...steps]] as ExpressionSpecification;
}

/** Dark text on the two lightest colors of either theme, light text on the others. */
function textOn(breaks: number[]): ExpressionSpecification {
  const texts = ['--on-value-1', '--on-value-2', '--on-value-3', '--on-value-4', '--on-value-5'].map(colorOf);
  if (breaks.length < 4) return ['case', IS_UNKNOWN, colorOf('--surface'), texts[2]];
  const steps = breaks.flatMap((at, index) => [at, texts[index + 1]]);
  return ['case', IS_UNKNOWN, colorOf('--surface'), ['step', FIGURE, texts[0], ...steps]] as ExpressionSpecification;
}

/** $1.25M, $845K; ~$840K of a band. */
const valueText = (isRough: boolean): ExpressionSpecification => [
  'concat',
  isRough ? '~$' : '$',
  [
    'case',
    ['>=', ['get', 'value'], 999_500],
    ['concat', ['number-format', ['/', ['get', 'value'], 1e6], { 'max-fraction-digits': 2 }], 'M'],
    ['concat', ['to-string', ['round', ['/', ['get', 'value'], 1000]]], 'K'],
  ],
];

/** 850, 2.4k. */
const COUNT_TEXT: ExpressionSpecification = [
  'case',
  ['>=', ['get', 'count'], 1000],
  ['concat', ['number-format', ['/', ['get', 'count'], 1000], { 'max-fraction-digits': 1 }], 'k'],
  ['to-string', ['get', 'count']],
];

export function sourcesOf(origin: string, tilesUrl: string): StyleSpecification['sources'] {
  const empty = { type: 'FeatureCollection', features: [] } as const;
  return {
    ground: { type: 'vector', tiles: [`${origin}/api/v1/tiles/boundaries/{z}/{x}/{y}.mvt`], minzoom: 0, maxzoom: 15 },
    properties: { type: 'vector', tiles: [tilesUrl], minzoom: 0, maxzoom: 16, promoteId: 'id' },
    found: { type: 'geojson', data: empty },
    drawn: { type: 'geojson', data: empty },
  };
}

export const propertyTiles = (origin: string, query: string): string =>
  `${origin}/api/v1/tiles/{z}/{x}/{y}.mvt${query === '' ? '' : `?${query}`}`;

export function layersOf(look: Look, basemap?: LayerSpecification[]): LayerSpecification[] {
  return [
    ...(basemap ?? landLayers()),
    ...groundOverlays(look),
    ...(basemap ? [] : lineLayers()),
    ...parcelLayers(look),
    ...flagLayers(look),
    ...dotLayers(look),
    ...(basemap ? [] : streetNameLayers()),
    ...pinLayers(look),
    ...(basemap ? [] : placeNameLayers()),
    // Above the names, which give way to what is counted.
    cellCounts(look),
    ...drawnLayers(),
  ];
}

const shown = (isShown: boolean) => ({ visibility: isShown ? ('visible' as const) : ('none' as const) });

function groundOverlays({ overlays, tractFigure, tractBreaks, loadedLayer }: Look): LayerSpecification[] {
  const has = (id: OverlayId) => overlays.includes(id);
  return [
    {
      id: 'tract-figure',
      type: 'fill',
      source: 'ground',
      'source-layer': 'tracts',
      layout: shown(has('tracts')),
      filter: ['has', tractFigure],
      paint: { 'fill-color': tractColor(tractFigure, tractBreaks), 'fill-opacity': 0.5 },
    },
    {
      id: 'tract-line',
      type: 'line',
      source: 'ground',
      'source-layer': 'tracts',
      layout: shown(has('tracts')),
      paint: { 'line-color': colorOf('--map-border'), 'line-width': 0.8, 'line-dasharray': [3, 2] },
    },
    ...AREA_STYLES.toReversed().map(([id, , { color, opacity, outline, filter }]): LayerSpecification => ({
      id,
      type: 'fill',
      source: 'ground',
      'source-layer': id,
      layout: shown(has(id as OverlayId)),
      ...(filter && { filter }),
      paint: {
        'fill-color': color(colorOf),
        'fill-opacity': opacity,
        ...(outline ? { 'fill-outline-color': colorOf(outline) } : { 'fill-antialias': false }),
      },
    })),
    ...loadedLayerStyles(loadedLayer),
  ];
}

function parcelLayers({ breaks, overlays }: Look): LayerSpecification[] {
  const parcels = { source: 'properties', 'source-layer': 'parcels', minzoom: 15 };
  const layout = shown(overlays.includes('parcels'));
  return [
    {
      id: 'parcels',
      type: 'fill',
      ...parcels,
      layout,
      paint: {
        'fill-color': figureColor(breaks),
        'fill-opacity': ['case', ['boolean', ['feature-state', 'hover'], false], 0.6, 0.3],
      },
    },
    {
      id: 'parcel-lines',
      type: 'line',
      ...parcels,
      layout,
      paint: {
        'line-color': colorOf('--map-parcel'),
        'line-width': ['interpolate', ['linear'], ['zoom'], 15, 0.4, 18, 1.4],
      },
    },
  ];
}

/** The layers with which a home is picked, topmost first. */
export const HOME_LAYERS = ['pins', 'found', 'dots', 'parcels', 'cells'];
/** With what is only told about. */
export const TOLD_LAYERS = [...HOME_LAYERS, 'flags'];

/** Marks over the homes that an overlay is about. */
function markFilter({ overlays, period }: Pick<Look, 'overlays' | 'period'>): FilterSpecification {
  const marks: ExpressionSpecification[] = [];
  if (overlays.includes('violations')) marks.push(['==', ['get', 'has_open_violation'], true]);
  if (overlays.includes('liens')) marks.push(['==', ['get', 'has_open_lien'], true]);
  if (overlays.includes('permits')) marks.push(['>=', ['coalesce', ['get', 'permitted'], 0], recentMonth()]);
  if (overlays.includes('sales') && period) marks.push(soldIn(period));
  return marks.length === 0 ? ['==', ['get', 'id'], ''] : (['any', ...marks] as FilterSpecification);
}

const recentMonth = (): number => monthAfter(monthOf(new Date()), -RECENT_PERMIT_MONTHS);

/** How many homes of a group the overlays are about. */
function flagged(overlays: OverlayId[]): ExpressionSpecification {
  const counted = FLAG_OVERLAYS.filter((id) => overlays.includes(id));
  return ['+', 0, ...counted.map((id): ExpressionSpecification => ['coalesce', ['get', id], 0])];
}

/** The gravest of what is switched on. */
function flagColor(overlays: OverlayId[]): string {
  if (overlays.includes('liens')) return colorOf('--bad');
  return colorOf(overlays.includes('violations') ? '--series-2' : '--series-3');
}

/** Wide enough for the count, which is written from 20 homes on. */
function cellRadius(ring = 0): ExpressionSpecification {
  const stops = [
    [1, 4],
    [4, 6],
    [4.4, 8.5],
    [10, 10.5],
    [32, 15],
    [70, 18],
    [200, 26],
  ];
  const radii = stops.flatMap(([root, radius]) => [root, radius + ring]);
  return ['interpolate', ['linear'], ['sqrt', ['get', 'count']], ...radii] as ExpressionSpecification;
}

/** Groups with flagged homes have a ring; live tiles count them in squares of a few blocks instead of home by home. */
function flagLayers({ overlays }: Look): LayerSpecification[] {
  const count = flagged(overlays);
  const isAny: FilterSpecification = ['>', count, 0];
  const squares = { source: 'properties', 'source-layer': 'flags', filter: isAny } as const;
  return [
    {
      id: 'cell-flags',
      type: 'circle',
      source: 'properties',
      'source-layer': 'cells',
      filter: isAny,
      paint: {
        'circle-color': flagColor(overlays),
        'circle-radius': cellRadius(4),
      },
    },
    {
      id: 'flags',
      type: 'circle',
      ...squares,
      paint: {
        'circle-color': flagColor(overlays),
        'circle-opacity': 0.18,
        'circle-stroke-color': flagColor(overlays),
        'circle-stroke-width': 1.5,
        'circle-radius': ['interpolate', ['linear'], ['sqrt', count], 3, 22, 10, 36, 30, 60],
      },
    },
    {
      id: 'flag-counts',
      type: 'symbol',
      ...squares,
      layout: { 'text-field': ['concat', ['to-string', count], '+'], 'text-font': BOLD, 'text-size': 13 },
      paint: {
        'text-color': flagColor(overlays),
        'text-halo-color': colorOf('--surface'),
        'text-halo-width': 2,
      },
    },
  ];
}

const soldIn = ({ from, to }: Period): ExpressionSpecification => {
  const sold: ExpressionSpecification = ['coalesce', ['get', 'sold'], 0];
  return ['all', ['>=', sold, from], ['<=', sold, to]];
};

const markColor = (): ExpressionSpecification => [
  'case',
  ['==', ['get', 'has_open_lien'], true],
  colorOf('--bad'),
  ['==', ['get', 'has_open_violation'], true],
  colorOf('--series-2'),
  colorOf('--series-3'),
];

/** While sales of a period are shown, homes that were not sold in it step back. */
function dotOpacity({ overlays, period }: Look): number | ExpressionSpecification {
  return overlays.includes('sales') && period ? ['case', soldIn(period), 1, 0.18] : 1;
}

const HOMES = { source: 'properties', 'source-layer': 'properties' } as const;

function dotLayers(look: Look): LayerSpecification[] {
  const { breaks } = look;
  const opacity = dotOpacity(look);
  return [
    {
      id: 'cells',
      type: 'circle',
      source: 'properties',
      'source-layer': 'cells',
      layout: { 'circle-sort-key': ['get', 'count'] },
      paint: {
        'circle-color': figureColor(breaks),
        'circle-opacity': 0.92,
        'circle-stroke-color': colorOf('--surface'),
        'circle-stroke-width': 1.2,
        'circle-radius': cellRadius(),
      },
    },
    {
      id: 'dots',
      type: 'circle',
      ...HOMES,
      paint: {
        'circle-color': figureColor(breaks),
        'circle-opacity': opacity,
        'circle-stroke-opacity': opacity,
        'circle-radius': ['interpolate', ['exponential', 1.6], ['zoom'], 14, 2.4, 16, 5, 19, 10],
        'circle-stroke-color': colorOf('--surface'),
        'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 14, 0.3, 17, 1.2],
      },
    },
    {
      id: 'marks',
      type: 'circle',
      ...HOMES,
      filter: markFilter(look),
      paint: {
        'circle-color': 'rgba(0,0,0,0)',
        'circle-radius': ['interpolate', ['exponential', 1.6], ['zoom'], 14, 4.4, 16, 8, 19, 15],
        'circle-stroke-color': markColor(),
        'circle-stroke-width': 2,
      },
    },
  ];
}

function pinLayers(look: Look): LayerSpecification[] {
  const { breaks } = look;
  const opacity = dotOpacity(look);
  return [
    {
      id: 'pins',
      type: 'symbol',
      ...HOMES,
      minzoom: 16,
      filter: ['has', 'value'],
      layout: {
        'icon-image': pinImage(breaks),
        'icon-text-fit': 'both',
        'text-field': valueText(look.isRough),
        'text-font': BOLD,
        'text-size': 11.5,
        'text-anchor': 'bottom',
        'icon-anchor': 'bottom',
        // The tip touches the dot.
        'text-offset': [0, -1.15],
        'text-padding': 1,
      },
      paint: { 'text-color': textOn(breaks), 'text-opacity': opacity, 'icon-opacity': opacity },
    },
    {
      id: 'found',
      type: 'circle',
      source: 'found',
      paint: {
        'circle-color': colorOf('--series-2'),
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 9, 3.5, 16, 7],
        'circle-stroke-color': colorOf('--surface'),
        'circle-stroke-width': 1.5,
      },
    },
    {
      id: 'chosen',
      type: 'circle',
      source: 'found',
      filter: ['==', ['get', 'id'], look.chosenId ?? ''],
      paint: {
        'circle-color': colorOf('--bad'),
        'circle-radius': 9,
        'circle-stroke-color': colorOf('--surface'),
        'circle-stroke-width': 3,
      },
    },
  ];
}

function cellCounts({ breaks }: Look): LayerSpecification {
  return {
    id: 'cell-counts',
    type: 'symbol',
    source: 'properties',
    'source-layer': 'cells',
    filter: ['>=', ['get', 'count'], 20],
    layout: {
      'text-field': COUNT_TEXT,
      'text-font': BOLD,
      'text-size': ['interpolate', ['linear'], ['get', 'count'], 20, 9.5, 1000, 12.5],
      // Of groups that overlap, the larger one keeps its count.
      'text-padding': 6,
      'symbol-sort-key': ['-', ['get', 'count']],
    },
    paint: { 'text-color': textOn(breaks) },
  };
}

function drawnLayers(): LayerSpecification[] {
  const color = colorOf('--series-3');
  return [
    { id: 'drawn-fill', type: 'fill', source: 'drawn', paint: { 'fill-color': color, 'fill-opacity': 0.12 } },
    { id: 'drawn-line', type: 'line', source: 'drawn', paint: { 'line-color': color, 'line-width': 2 } },
    {
      id: 'drawn-corner',
      type: 'circle',
      source: 'drawn',
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': color,
        'circle-radius': 4,
        'circle-stroke-color': colorOf('--surface'),
        'circle-stroke-width': 1.5,
      },
    },
  ];
}

/** Tracts in the colors of the legend, from light to strong. */
function tractColor(figure: TractFigureId, breaks: number[]): ExpressionSpecification | string {
  if (breaks.length < 4) return colorOf('--map-tract');
  const colors = TRACT_COLORS.map(colorOf);
  const steps = breaks.flatMap((at, index) => [at, colors[index + 1]]);
  return ['step', ['get', figure], colors[0], ...steps] as ExpressionSpecification;
}
