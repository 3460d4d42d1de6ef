// The operator's own basemap: a PMTiles file that our server hands out in ranges, in the style of Protomaps.
import { layers, namedFlavor } from '@protomaps/basemaps';
import { addProtocol, type LayerSpecification, type SourceSpecification } from 'maplibre-gl';
import { Protocol } from 'pmtiles';
import { FONT } from './ground.ts';

let isKnown = false;

export function basemapOf(url: string): { layers: LayerSpecification[]; source: SourceSpecification } {
  if (!isKnown) addProtocol('pmtiles', new Protocol().tile);
  isKnown = true;
  const drawn = layers('basemap', namedFlavor(isDark() ? 'dark' : 'light'), { lang: 'en' });
  return { layers: drawn.map(inOurFont), source: { type: 'vector', url: `pmtiles://${url}` } };
}

/** `light dark` leaves it to the system; a chosen theme and a printer have one of the two. */
function isDark(): boolean {
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme === 'light dark' ? matchMedia('(prefers-color-scheme: dark)').matches : colorScheme === 'dark';
}

/** Names are drawn from the reader's fonts, as on our own ground. */
function inOurFont(layer: LayerSpecification): LayerSpecification {
  if (layer.type !== 'symbol' || !layer.layout || !('text-field' in layer.layout)) return layer;
  return { ...layer, layout: { ...layer.layout, 'text-font': FONT } };
}
