// Parses an area from GeoJSON, WKT, or coordinate lines into a ring for the map and the search. Pure.

export type Ring = [longitude: number, latitude: number][];

const MAX_CORNERS = 1_000;

/** Returns the ring, or a message for the user about what is wrong with the text. */
export function readArea(text: string): Ring | string {
  const typed = text.trim();
  const pairs = typed.startsWith('{') ? cornersOfGeoJson(typed) : cornersOfText(typed);
  if (typeof pairs === 'string') return pairs;
  const [first, last] = [pairs[0], pairs.at(-1)];
  const ring = pairs.length > 3 && first[0] === last![0] && first[1] === last![1] ? pairs.slice(0, -1) : pairs;
  if (ring.length < 3) return 'An area needs at least three corners.';
  if (ring.length > MAX_CORNERS) return `An area can have at most ${MAX_CORNERS.toLocaleString('en-US')} corners.`;
  const wrong = ring.find(([longitude, latitude]) => !(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90));
  return wrong ? `${wrong[1]}, ${wrong[0]} is not a valid latitude and longitude.` : ring;
}

const ONE_RING = 'Enter a single polygon without holes. The API also accepts holes and multipolygons.';

function cornersOfGeoJson(text: string): Ring | string {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return 'This looks like GeoJSON but is not valid JSON.';
  }
  const geometry = value.type === 'FeatureCollection' ? value.features?.[0]?.geometry : (value.geometry ?? value);
  if (geometry?.type !== 'Polygon' || !Array.isArray(geometry.coordinates)) return 'Enter a GeoJSON Polygon.';
  if (geometry.coordinates.length !== 1) return ONE_RING;
  return geometry.coordinates[0].map(([longitude, latitude]: number[]) => [Number(longitude), Number(latitude)]);
}

function cornersOfText(text: string): Ring | string {
  const wkt = /^POLYGON\s*\(\((.*)\)\)$/is.exec(text);
  if (wkt) {
    if (wkt[1].includes(')')) return ONE_RING;
    return wkt[1].split(',').map((pair) => pair.trim().split(/\s+/).map(Number) as [number, number]);
  }
  const corners: Ring = [];
  for (const line of text.split(/[\n;]+/).filter((part) => part.trim() !== '')) {
    const numbers = line
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    if (numbers.length !== 2 || numbers.some(Number.isNaN)) return `“${line.trim()}” is not a latitude and longitude.`;
    // People and web maps put latitude first. GeoJSON and WKT put longitude first.
    corners.push([numbers[1], numbers[0]]);
  }
  return corners;
}

/** The ring as `latitude, longitude` lines, for the text field. */
export function writeArea(ring: Ring | undefined): string {
  return (ring ?? []).map(([longitude, latitude]) => `${latitude}, ${longitude}`).join('\n');
}

/** The ring as a URL parameter: `lng,lat;lng,lat;…`. */
export function areaParameter(ring: Ring): string {
  return ring.map(([longitude, latitude]) => `${longitude.toFixed(5)},${latitude.toFixed(5)}`).join(';');
}
