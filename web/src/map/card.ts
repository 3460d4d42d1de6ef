// The card under the pointer: what the tile knows about the home or the group of homes there.
import { Popup, type Map as MapLibre, type MapGeoJSONFeature } from 'maplibre-gl';
import { calm, compactMoney, plural, words, whole } from '../format.ts';
import { drawnFeatures } from './events.ts';
import { FIGURES, type FigureId } from './figures.ts';
import { FLAG_NAMES, FLAG_OVERLAYS, type OverlayId } from './overlays.ts';
import { TOLD_LAYERS } from './style.ts';

interface Told {
  figure: FigureId;
  overlays: OverlayId[];
  /** Amounts are the middle of a band. */
  isRough: boolean;
  isQuiet: boolean;
}

export function tellUnderPointer(map: MapLibre, told: () => Told): void {
  const popup = new Popup({
    closeButton: false,
    closeOnClick: false,
    className: 'map-tip',
    offset: 12,
    maxWidth: '260px',
  });
  let hovered: string | number | undefined;
  const highlight = (id: string | number | undefined) => {
    if (id === hovered || !map.getSource('properties')) return;
    const target = (of: string | number) => ({ source: 'properties', sourceLayer: 'parcels', id: of });
    if (hovered !== undefined) map.setFeatureState(target(hovered), { hover: false });
    hovered = id;
    if (id !== undefined) map.setFeatureState(target(id), { hover: true });
  };
  map.on('mousemove', (event) => {
    // Skip the search under the pointer while somebody drags the map: it would run in every frame.
    if (map.isMoving()) return;
    const [hit] = told().isQuiet ? [] : drawnFeatures(map, TOLD_LAYERS, event.point);
    map.getCanvas().classList.toggle('pointing', hit !== undefined);
    highlight(hit && isHome(hit) ? (hit.id ?? undefined) : undefined);
    if (hit) popup.setLngLat(event.lngLat).setDOMContent(cardOf(hit, told())).addTo(map);
    else popup.remove();
  });
  map.on('mouseout', () => {
    popup.remove();
    highlight(undefined);
  });
}

const isHome = ({ layer }: MapGeoJSONFeature): boolean => layer.id !== 'cells' && layer.id !== 'flags';

function cardOf({ layer, properties }: MapGeoJSONFeature, { figure, overlays, isRough }: Told): HTMLElement {
  const card = document.createElement('div');
  const add = (text: string, look: string) => {
    if (text === '') return;
    const line = document.createElement('p');
    line.className = look;
    line.textContent = text;
    card.append(line);
  };
  const { label, format } = FIGURES[figure];
  const addFlags = (rounded: string) => {
    for (const id of FLAG_OVERLAYS.filter((each) => overlays.includes(each) && properties[each] > 0))
      add(`${whole(properties[id])}${rounded} ${FLAG_NAMES[id]}s`, 'tip-line');
  };
  if (layer.id === 'flags') {
    addFlags(' or more');
    return card;
  }
  if (layer.id === 'cells') {
    add(plural(Number(properties.count), 'property', 'properties'), 'tip-value');
    if (properties.median !== undefined) add(`Median ${label.toLowerCase()}: ${format(properties.median)}`, 'tip-line');
    addFlags('');
    return card;
  }
  if (Number(properties.count) > 1) {
    add(plural(Number(properties.count), 'unit'), 'tip-value');
    return card;
  }
  const known = figure !== 'value' && properties.figure !== undefined ? format(properties.figure) : undefined;
  if (properties.value !== undefined) add(`${isRough ? 'About ' : ''}${compactMoney(properties.value)}`, 'tip-value');
  else add(known ? `${known} ${label.toLowerCase()}` : 'No value', 'tip-value');
  add(calm(properties.address ?? ''), 'tip-line');
  const size = [
    properties.property_type && words(String(properties.property_type)),
    properties.bedrooms !== undefined && `${properties.bedrooms} bd`,
    properties.bathrooms !== undefined && `${properties.bathrooms} ba`,
    properties.sqft !== undefined && `${whole(properties.sqft)} sq ft`,
  ].filter(Boolean);
  add(size.join(' · '), 'tip-fine');
  if (properties.value !== undefined && known) add(`${label}: ${known}`, 'tip-fine');
  const flags = [
    properties.flood_sfha === true && 'Flood hazard area',
    properties.has_open_lien === true && 'Open lien',
    properties.has_open_violation === true && 'Open violation',
    properties.opportunity_zone === true && 'Opportunity zone',
  ].filter(Boolean);
  add(flags.join(' · '), 'tip-flags');
  return card;
}
