// The coordinate systems of features and boxes.
import { fail } from '../../base/lib/errors.ts';
import type { Box } from '../../base/lib/geo.ts';

type Position = [number, number];

interface Crs {
  uri: string;
  fromDegrees(longitude: number, latitude: number): Position;
  toDegrees(x: number, y: number): Position;
}

const MERCATOR_RADIUS = 6_378_137;
const RADIANS = Math.PI / 180;
const MAX_MERCATOR_LATITUDE = 85.051_128_779_806_59;

const SYSTEMS: readonly Crs[] = [
  {
    uri: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
    fromDegrees: (longitude, latitude) => [longitude, latitude],
    toDegrees: (x, y) => [x, y],
  },
  {
    // Latitude first, as in the EPSG registry.
    uri: 'http://www.opengis.net/def/crs/EPSG/0/4326',
    fromDegrees: (longitude, latitude) => [latitude, longitude],
    toDegrees: (x, y) => [y, x],
  },
  {
    uri: 'http://www.opengis.net/def/crs/EPSG/0/3857',
    fromDegrees(longitude, latitude) {
      const north = Math.max(-MAX_MERCATOR_LATITUDE, Math.min(MAX_MERCATOR_LATITUDE, latitude)) * RADIANS;
      return [MERCATOR_RADIUS * longitude * RADIANS, MERCATOR_RADIUS * Math.log(Math.tan(Math.PI / 4 + north / 2))];
    },
    toDegrees: (x, y) => [
      // Half of the equator's circumference is 180.00000000000003 degrees.
      Math.max(-180, Math.min(180, x / MERCATOR_RADIUS / RADIANS)),
      (2 * Math.atan(Math.exp(y / MERCATOR_RADIUS)) - Math.PI / 2) / RADIANS,
    ],
  },
];

export const STORAGE_CRS = SYSTEMS[0].uri;
export const CRS_URIS = SYSTEMS.map(({ uri }) => uri);

export const crsNamed = (parameter: string, uri: string = STORAGE_CRS): Crs =>
  SYSTEMS.find((system) => system.uri === uri) ?? refuse(parameter, `\`${uri}\` is not one of ${CRS_URIS.join(', ')}`);

export function refuse(parameter: string, detail: string): never {
  return fail('invalid_request', `${parameter}: ${detail}.`, {
    errors: [{ pointer: `/${parameter}`, code: 'invalid', detail }],
  });
}

/** A geometry's coordinates, at whatever depth, in another system. */
export function projectGeometry<Shape extends { coordinates: unknown } | null>(
  shape: Shape,
  { uri, fromDegrees }: Crs,
): Shape {
  if (shape === null || uri === STORAGE_CRS) return shape;
  const project = (part: unknown): unknown => {
    const [first, second] = part as [unknown, unknown];
    return typeof first === 'number' ? fromDegrees(first, second as number) : (part as unknown[]).map(project);
  };
  return { ...shape, coordinates: project(shape.coordinates) };
}

/** `minX,minY,maxX,maxY`, with heights in between if there are six numbers. A box across the antimeridian, where minX
    is larger than maxX, becomes two boxes. */
export function boxesInDegrees(value: string, { toDegrees }: Crs): Box[] {
  const numbers = value.split(',').map((each) => (each.trim() === '' ? Number.NaN : Number(each)));
  const corners = numbers.length === 6 ? [numbers[0], numbers[1], numbers[3], numbers[4]] : numbers;
  const [west, minLatitude] = toDegrees(corners[0], corners[1]);
  const [east, maxLatitude] = toDegrees(corners[2], corners[3]);
  const isOnEarth = Math.abs(west) <= 180 && Math.abs(east) <= 180 && minLatitude >= -90 && maxLatitude <= 90;
  if (corners.length !== 4 || !isOnEarth || minLatitude > maxLatitude)
    refuse('bbox', 'write minX,minY,maxX,maxY, in degrees or as `bbox-crs` says');
  const box = { minLongitude: west, minLatitude, maxLongitude: east, maxLatitude };
  return west <= east
    ? [box]
    : [
        { ...box, maxLongitude: 180 },
        { ...box, minLongitude: -180 },
      ];
}
