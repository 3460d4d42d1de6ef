// The ground of the map in our own tiles: land, water, streets, borders and names, in the design system's colors.
import type { ExpressionSpecification, LayerSpecification, SymbolLayerSpecification } from 'maplibre-gl';
import { colorOf } from '../ui/theme.ts';

/** Drawn by the browser from the reader's own fonts, so none are served or fetched. */
export const FONT = ['Inter', 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', 'Arial', 'sans-serif'];
/** The first name says how heavy; no such family exists, so the others draw it. */
export const BOLD = ['Platbook Semibold', ...FONT];

type Stops = (number | ExpressionSpecification)[];
const byZoom = (base: number, ...stops: Stops): ExpressionSpecification =>
  ['interpolate', ['exponential', base], ['zoom'], ...stops] as ExpressionSpecification;
const byRank = (...widths: [highway: number, main: number, street: number, path: number]): ExpressionSpecification => [
  'match',
  ['get', 'rank'],
  1,
  widths[0],
  2,
  widths[1],
  3,
  widths[2],
  widths[3],
];

const ROAD_WIDTH = byZoom(
  1.6,
  9,
  byRank(0.8, 0.3, 0.2, 0.1),
  13,
  byRank(2.6, 1.8, 0.9, 0.4),
  16,
  byRank(9, 8, 6, 2),
  19,
  byRank(34, 30, 24, 8),
);
const ROAD_CASING = byZoom(
  1.6,
  9,
  byRank(1.4, 0.6, 0.3, 0.1),
  13,
  byRank(3.8, 2.8, 1.6, 0.6),
  16,
  byRank(11, 10, 7.6, 3),
  19,
  byRank(37, 33, 27, 10),
);

export function landLayers(): LayerSpecification[] {
  const land = colorOf('--map-land');
  return [
    { id: 'water', type: 'background', paint: { 'background-color': colorOf('--map-water') } },
    ground('land-around', 'fill', 'land', { 'fill-color': land, 'fill-antialias': false }),
    // Between the finely drawn tracts of a county and its roughly drawn neighbors: about a mile wide.
    {
      ...ground('seam', 'line', 'borders', { 'line-color': land, 'line-width': byZoom(2, 9, 16, 19, 16384) }),
      filter: ['has', 'seam'],
    } as LayerSpecification,
    ground('land', 'fill', 'tracts', { 'fill-color': land, 'fill-antialias': false }),
    {
      ...ground('district', 'fill', 'neighborhoods', { 'fill-color': colorOf('--map-district'), 'fill-opacity': 0.7 }),
      filter: ['!', ['has', 'wide']],
    } as LayerSpecification,
    ground('lakes', 'fill', 'water', { 'fill-color': colorOf('--map-water') }),
    ground('streams', 'line', 'streams', {
      'line-color': colorOf('--map-water'),
      'line-width': byZoom(1.6, 11, 0.6, 16, 4),
    }),
  ];
}

export function lineLayers(): LayerSpecification[] {
  const line = colorOf('--map-line');
  return [
    {
      ...ground('county-line', 'line', 'borders', {
        'line-color': colorOf('--map-border'),
        'line-width': ['case', ['get', 'state'], 1.6, 0.9],
        'line-dasharray': [4, 2],
      }),
      // Too roughly drawn to run between houses.
      maxzoom: 13,
    },
    {
      ...ground('district-line', 'line', 'neighborhoods', { 'line-color': line, 'line-width': 0.8 }),
      filter: ['!', ['has', 'wide']],
    } as LayerSpecification,
    road('road-casing', { 'line-color': colorOf('--map-road-edge'), 'line-width': ROAD_CASING }),
    road('road', {
      'line-color': ['match', ['get', 'rank'], 1, colorOf('--map-highway'), colorOf('--map-road')],
      'line-width': ROAD_WIDTH,
    }),
  ];
}

const haloOf = () => ({ 'text-halo-color': colorOf('--map-land'), 'text-halo-width': 1.6 });

export function streetNameLayers(): SymbolLayerSpecification[] {
  const halo = haloOf();
  const street = { ...halo, 'text-color': colorOf('--map-street-name') };
  const alongLine: SymbolLayerSpecification['layout'] = {
    'text-field': ['get', 'name'],
    'text-font': FONT,
    'symbol-placement': 'line',
    'text-size': byZoom(1.2, 14, 10.5, 18, 13.5),
    'text-padding': 4,
    'text-letter-spacing': 0.01,
    'text-max-angle': 40,
  };
  return [
    {
      id: 'road-name',
      type: 'symbol',
      source: 'ground',
      'source-layer': 'roads',
      minzoom: 13.5,
      layout: { ...alongLine, 'symbol-sort-key': ['get', 'rank'] },
      paint: street,
    },
    {
      id: 'street-name',
      type: 'symbol',
      source: 'ground',
      'source-layer': 'streets',
      minzoom: 14,
      layout: { ...alongLine, 'symbol-sort-key': ['-', ['get', 'homes']] },
      paint: street,
    },
  ];
}

export function placeNameLayers(): SymbolLayerSpecification[] {
  const halo = haloOf();
  const place = (
    id: string,
    kind: string,
    layout: SymbolLayerSpecification['layout'],
    paint: SymbolLayerSpecification['paint'],
    zooms: { minzoom?: number; maxzoom?: number } = {},
  ): SymbolLayerSpecification => ({
    id,
    type: 'symbol',
    source: 'ground',
    'source-layer': 'places',
    filter: ['==', ['get', 'kind'], kind],
    ...zooms,
    layout: {
      'text-field': ['get', 'name'],
      'text-font': FONT,
      'symbol-sort-key': ['-', ['get', 'homes']],
      // A name whose place is taken steps aside before it gives up.
      'text-variable-anchor': ['center', 'bottom', 'top', 'left', 'right'],
      'text-radial-offset': 1.2,
      ...layout,
    },
    paint: { ...halo, ...paint },
  });
  return [
    place(
      'water-name',
      'water',
      { 'text-size': 12, 'text-max-width': 6 },
      {
        'text-color': colorOf('--map-water-name'),
        'text-halo-color': colorOf('--map-water'),
        'text-halo-width': 1,
      },
    ),
    place(
      'district-name',
      'district',
      { 'text-font': BOLD, 'text-size': byZoom(1.2, 11, 11.5, 16, 15), 'text-max-width': 7 },
      { 'text-color': colorOf('--ink-2') },
      { minzoom: 11 },
    ),
    place(
      'zip-name',
      'zip',
      { 'text-size': 11, 'text-letter-spacing': 0.06 },
      { 'text-color': colorOf('--ink-3') },
      { minzoom: 11.5, maxzoom: 15 },
    ),
    place(
      'county-name',
      'county',
      {
        'text-size': byZoom(1.2, 7, 11, 11, 15),
        'text-letter-spacing': 0.08,
        'text-transform': 'uppercase',
        'text-max-width': 8,
      },
      { 'text-color': colorOf('--ink-3') },
      { minzoom: 7, maxzoom: 12 },
    ),
    place(
      'state-name',
      'state',
      {
        'text-size': byZoom(1.2, 3, 11, 7, 18),
        'text-letter-spacing': 0.14,
        'text-transform': 'uppercase',
        'text-max-width': 8,
      },
      { 'text-color': colorOf('--ink-3') },
      { maxzoom: 8 },
    ),
    place(
      'city-name',
      'city',
      { 'text-size': byZoom(1.2, 8, 12, 14, 20), 'text-font': BOLD },
      { 'text-color': colorOf('--ink') },
      { minzoom: 8, maxzoom: 14 },
    ),
  ];
}

function ground(id: string, type: 'fill' | 'line', layer: string, paint: object): LayerSpecification {
  return { id, type, source: 'ground', 'source-layer': layer, paint };
}

function road(id: string, paint: object): LayerSpecification {
  const layout = { 'line-cap': 'round', 'line-join': 'round', 'line-sort-key': ['-', ['get', 'rank']] };
  return { ...ground(id, 'line', 'roads', paint), layout } as LayerSpecification;
}
