// The map style: our own tiles in the design system's colors, without fonts.
import type { ExpressionSpecification, StyleSpecification } from 'maplibre-gl';
import { colorOf } from '../ui/theme.ts';

export const VALUE_COLORS = ['--value-1', '--value-2', '--value-3', '--value-4', '--value-5'];

export function valueColor(breaks: number[]): ExpressionSpecification {
  const unknown = colorOf('--map-dot');
  const colors = VALUE_COLORS.map(colorOf);
  const value: ExpressionSpecification = ['coalesce', ['get', 'value'], ['get', 'average_value'], -1];
  if (breaks.length < 4) return ['case', ['<', value, 0], unknown, colors[2]] as ExpressionSpecification;
  const steps = breaks.flatMap((at, index) => [at, colors[index + 1]]);
  return ['case', ['<', value, 0], unknown, ['step', value, colors[0], ...steps]] as ExpressionSpecification;
}

export function styleOf(origin: string, breaks: number[]): StyleSpecification {
  const line = colorOf('--map-line');
  return {
    version: 8,
    sources: {
      ground: { type: 'vector', tiles: [`${origin}/api/v1/tiles/boundaries/{z}/{x}/{y}.mvt`], minzoom: 4, maxzoom: 14 },
      properties: { type: 'vector', tiles: [`${origin}/api/v1/tiles/{z}/{x}/{y}.mvt`], minzoom: 0, maxzoom: 16 },
      found: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
      drawn: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': colorOf('--map-water') } },
      {
        id: 'land',
        type: 'fill',
        source: 'ground',
        'source-layer': 'tracts',
        paint: { 'fill-color': colorOf('--map-land'), 'fill-antialias': false },
      },
      {
        id: 'district',
        type: 'fill',
        source: 'ground',
        'source-layer': 'neighborhoods',
        filter: ['!', ['has', 'wide']],
        paint: { 'fill-color': colorOf('--map-district'), 'fill-opacity': 0.85 },
      },
      {
        id: 'flood',
        type: 'fill',
        source: 'ground',
        'source-layer': 'flood',
        filter: ['!', ['get', 'minimal']],
        paint: {
          'fill-color': ['case', ['get', 'sfha'], colorOf('--map-flood'), colorOf('--map-flood-low')],
          'fill-opacity': 0.55,
          'fill-antialias': false,
        },
      },
      {
        id: 'tract-line',
        type: 'line',
        source: 'ground',
        'source-layer': 'tracts',
        paint: { 'line-color': line, 'line-width': 0.8, 'line-dasharray': [3, 2] },
      },
      {
        id: 'district-line',
        type: 'line',
        source: 'ground',
        'source-layer': 'neighborhoods',
        filter: ['!', ['has', 'wide']],
        paint: { 'line-color': line, 'line-width': 0.8 },
      },
      {
        id: 'cells',
        type: 'circle',
        source: 'properties',
        'source-layer': 'cells',
        paint: {
          'circle-color': valueColor(breaks),
          'circle-opacity': 0.82,
          'circle-radius': ['interpolate', ['linear'], ['sqrt', ['get', 'count']], 1, 3, 10, 8, 40, 17, 200, 34],
        },
      },
      {
        id: 'parcels',
        type: 'fill',
        source: 'properties',
        'source-layer': 'parcels',
        minzoom: 15,
        paint: { 'fill-color': valueColor(breaks), 'fill-opacity': 0.22 },
      },
      {
        id: 'parcel-lines',
        type: 'line',
        source: 'properties',
        'source-layer': 'parcels',
        minzoom: 15,
        paint: { 'line-color': line, 'line-width': ['interpolate', ['linear'], ['zoom'], 15, 0.4, 18, 1.4] },
      },
      {
        id: 'dots',
        type: 'circle',
        source: 'properties',
        'source-layer': 'properties',
        paint: {
          'circle-color': valueColor(breaks),
          'circle-radius': ['interpolate', ['exponential', 1.6], ['zoom'], 14, 2.4, 16, 5, 19, 12],
          'circle-stroke-color': colorOf('--surface'),
          'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 14, 0.3, 17, 1.2],
        },
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
        filter: ['==', ['get', 'id'], ''],
        paint: {
          'circle-color': colorOf('--bad'),
          'circle-radius': 9,
          'circle-stroke-color': colorOf('--surface'),
          'circle-stroke-width': 3,
        },
      },
      {
        id: 'drawn-fill',
        type: 'fill',
        source: 'drawn',
        paint: { 'fill-color': colorOf('--series-3'), 'fill-opacity': 0.12 },
      },
      {
        id: 'drawn-line',
        type: 'line',
        source: 'drawn',
        paint: { 'line-color': colorOf('--series-3'), 'line-width': 2 },
      },
    ],
  };
}
