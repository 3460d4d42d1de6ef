// Map labels and tooltips, as HTML because the map style has no fonts.
import { Marker, Popup, type Map as MapLibre, type MapGeoJSONFeature } from 'maplibre-gl';
import { compactMoney, plural, words } from '../format.ts';

const MOST_NAMES = 40;
const CHARACTER_PX = 7;
const HOVERED = ['found', 'dots', 'parcels', 'cells'];

/** Labels each district that is wide enough on screen for its name. */
export function nameDistricts(map: MapLibre): void {
  const shown = new Map<string, Marker>();
  const draw = () => {
    if (!map.getLayer('district')) return;
    const districts = Map.groupBy(map.queryRenderedFeatures({ layers: ['district'] }), ({ properties }) =>
      String(properties.id),
    );
    const wanted = new Set<string>();
    for (const [id, parts] of districts) {
      const name = String(parts[0].properties.name ?? '');
      const box = boxOf(parts);
      const widthPx = map.project([box.east, box.north]).x - map.project([box.west, box.north]).x;
      if (name === '' || widthPx < name.length * CHARACTER_PX || wanted.size >= MOST_NAMES) continue;
      wanted.add(id);
      // Labels go at the top edge, because the properties are in the middle.
      const place: [number, number] = [(box.west + box.east) / 2, box.north];
      const known = shown.get(id);
      if (known) known.setLngLat(place);
      else shown.set(id, new Marker({ element: label(name), anchor: 'top' }).setLngLat(place).addTo(map));
    }
    for (const [id, marker] of shown) {
      if (wanted.has(id)) continue;
      marker.remove();
      shown.delete(id);
    }
  };
  map.on('idle', draw);
}

function label(name: string): HTMLElement {
  const element = document.createElement('span');
  element.className = 'map-name';
  element.textContent = name;
  return element;
}

function boxOf(features: MapGeoJSONFeature[]) {
  const points = features.flatMap(({ geometry }) => outlineOf(geometry));
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { west: Math.min(...xs), east: Math.max(...xs), south: Math.min(...ys), north: Math.max(...ys) };
}

function outlineOf(geometry: MapGeoJSONFeature['geometry']): number[][] {
  if (geometry.type === 'Polygon') return geometry.coordinates[0];
  const polygons: number[][][][] = geometry.type === 'MultiPolygon' ? geometry.coordinates : [];
  return polygons.flatMap(([outer]) => outer);
}

/** A tooltip for the dot or circle under the pointer. */
export function tellUnderPointer(map: MapLibre): void {
  const popup = new Popup({ closeButton: false, closeOnClick: false, className: 'map-tip', offset: 10 });
  map.on('mousemove', (event) => {
    const layers = HOVERED.filter((layer) => map.getLayer(layer));
    const [hit] = map.queryRenderedFeatures(event.point, { layers });
    map.getCanvas().classList.toggle('pointing', hit !== undefined);
    if (hit) popup.setLngLat(event.lngLat).setText(describe(hit)).addTo(map);
    else popup.remove();
  });
  map.on('mouseout', () => popup.remove());
}

function describe({ layer, properties }: MapGeoJSONFeature): string {
  const value = Number(properties.value ?? properties.average_value ?? Number.NaN);
  const price = Number.isNaN(value) ? '' : compactMoney(value);
  if (layer.id === 'cells') {
    const count = plural(Number(properties.count), 'property', 'properties');
    return price ? `${count}, average ${price}` : count;
  }
  const flags = [
    properties.flood_sfha && 'flood hazard area',
    properties.has_open_lien && 'open lien',
    properties.has_open_violation && 'open violation',
  ].filter(Boolean);
  return [properties.property_type && words(String(properties.property_type)), price, ...flags]
    .filter(Boolean)
    .join(' · ');
}
