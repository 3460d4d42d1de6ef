// Layers that the server has loaded by recipe, on the map: how tracts, ZIP codes and areas read, and where sites are.
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import { LEVEL_COLORS } from '../layers.ts';
import { colorOf } from '../ui/theme.ts';

export interface LoadedLayer {
  name: string;
  title: string;
  is_built_in: boolean;
  join: string | null;
  levels: { if: string; reads: keyof typeof LEVEL_COLORS; label: string | null }[];
}

/** Those that the map can draw: sites as they are, and whatever else says how it reads. */
export const drawnLayers = (layers: LoadedLayer[]): LoadedLayer[] =>
  layers.filter(({ is_built_in, join, levels }) => !is_built_in && (join === 'nearest' || levels.length > 0));

/** Never drawn; without a layer the filters need a name all the same. */
const NONE = '';

const colorBy = (level: ExpressionSpecification): ExpressionSpecification => [
  'match',
  level,
  'bad',
  colorOf(LEVEL_COLORS.bad),
  'fair',
  colorOf(LEVEL_COLORS.fair),
  'good',
  colorOf(LEVEL_COLORS.good),
  'transparent',
];

export function loadedLayerStyles(name: string = NONE): LayerSpecification[] {
  const layout = { visibility: name === NONE ? ('none' as const) : ('visible' as const) };
  const isOfLayer: ExpressionSpecification = ['==', ['get', 'layer'], name];
  const shade = (sourceLayer: string): LayerSpecification => ({
    id: `loaded-${sourceLayer}`,
    type: 'fill',
    source: 'ground',
    'source-layer': sourceLayer,
    layout,
    filter: ['has', `layer.${name}`],
    paint: { 'fill-color': colorBy(['get', `layer.${name}`]), 'fill-opacity': 0.35 },
  });
  return [
    shade('tracts'),
    shade('zips'),
    {
      id: 'loaded-areas',
      type: 'fill',
      source: 'ground',
      'source-layer': 'layer_areas',
      layout,
      filter: isOfLayer,
      paint: { 'fill-color': colorBy(['get', 'level']), 'fill-opacity': 0.4 },
    },
    {
      id: 'loaded-sites',
      type: 'circle',
      source: 'ground',
      'source-layer': 'layer_sites',
      layout,
      filter: isOfLayer,
      paint: {
        'circle-radius': 5,
        'circle-color': colorOf('--series-2'),
        'circle-stroke-color': colorOf('--surface'),
        'circle-stroke-width': 1.5,
      },
    },
  ];
}
