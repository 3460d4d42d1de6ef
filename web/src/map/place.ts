// Where a map opens, from the URL or as the tiles suggest, and what is in view there. Pure.

export type Position = [longitude: number, latitude: number];

export interface Place {
  center: Position;
  zoom: number;
}

export interface View extends Place {
  /** `west,south,east,north`, as searches take it. */
  bbox: string;
}

interface Size {
  clientWidth: number;
  clientHeight: number;
}

export interface TilesAnswer {
  /** Where the operator's own basemap is, if there is one. */
  basemap?: string;
  center?: [longitude: number, latitude: number, zoom: number];
}

export function placeOf(center: TilesAnswer['center']): Place | undefined {
  return center && { center: [center[0], center[1]], zoom: center[2] };
}

/** Reads `latitude,longitude,zoom`, as the URL has it. */
export function readPlace(text: string | null): Place | undefined {
  const [latitude, longitude, zoom] = (text ?? '').split(',').map(Number);
  const isPlace = text && [latitude, longitude, zoom].every(Number.isFinite);
  return isPlace ? { center: [longitude, latitude], zoom } : undefined;
}

export function writePlace({ center, zoom }: Place): string {
  return `${center[1].toFixed(5)},${center[0].toFixed(5)},${zoom.toFixed(1)}`;
}

/** The size of the map that zooms are suggested for. */
const SUGGESTED = { widthPx: 900, heightPx: 660 };
const WHOLE_COUNTRY: Place = { center: [-98, 39], zoom: 3.4 };

/** All of the suggested place, as large as this screen allows. */
export function fitted(place: Place | undefined, { clientWidth, clientHeight }: Size): Place {
  if (!place) return WHOLE_COUNTRY;
  const scale = Math.min(clientWidth / SUGGESTED.widthPx, clientHeight / SUGGESTED.heightPx);
  return { ...place, zoom: place.zoom + Math.log2(Math.max(0.1, scale)) };
}

/** Of the whole world at zoom 0, as the map draws it. */
const WORLD_PX = 512;

/** What a map of this size shows, told before there is a map. */
export function viewAt({ center, zoom }: Place, { clientWidth, clientHeight }: Size): View {
  const world = WORLD_PX * 2 ** zoom;
  const [longitude, latitude] = center;
  const aside = ((clientWidth / 2) * 360) / world;
  const northing = Math.asinh(Math.tan((latitude * Math.PI) / 180));
  const latitudeAt = (px: number) => (Math.atan(Math.sinh(northing + (px * 2 * Math.PI) / world)) * 180) / Math.PI;
  return {
    center,
    zoom,
    bbox: boxOf([longitude - aside, latitudeAt(-clientHeight / 2), longitude + aside, latitudeAt(clientHeight / 2)]),
  };
}

/** Zoomed far out, a screen spans more than 360 degrees, which the API rejects. */
export function boxOf([west, south, east, north]: [number, number, number, number]): string {
  return [Math.max(-180, west), south, Math.min(180, east), north].map((edge) => edge.toFixed(5)).join(',');
}
