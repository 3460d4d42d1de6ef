// Where a map opens: a position from the URL, or the center that the tiles suggest. Pure.

export type Position = [longitude: number, latitude: number];

export interface Place {
  center: Position;
  zoom: number;
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
