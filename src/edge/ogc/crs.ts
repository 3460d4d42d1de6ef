// The coordinate systems that features are given in, and that a box may be given in.
import { fail } from '../../base/lib/errors.ts';

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
    // Latitude first, as the registry has it.
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
      x / MERCATOR_RADIUS / RADIANS,
      (2 * Math.atan(Math.exp(y / MERCATOR_RADIUS)) - Math.PI / 2) / RADIANS,
    ],
  },
];

export const STORAGE_CRS = SYSTEMS[0].uri;
export const CRS_URIS = SYSTEMS.map(({ uri }) => uri);

export function crsNamed(parameter: string, uri: string = STORAGE_CRS): Crs {
  const known = SYSTEMS.find((system) => system.uri === uri);
  if (known) return known;
  const detail = `\`${uri}\` is not one of ${CRS_URIS.join(', ')}`;
  return fail('invalid_request', `${parameter}: ${detail}.`, {
    errors: [{ pointer: `/${parameter}`, code: 'enum', detail }],
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

/** `minX,minY,maxX,maxY`, with heights in between where six are given, as the box of degrees that searches take. */
export function boxInDegrees(value: string, { toDegrees }: Crs): string {
  const numbers = value.split(',').map((each) => (each.trim() === '' ? Number.NaN : Number(each)));
  const flat = numbers.length === 6 ? [numbers[0], numbers[1], numbers[3], numbers[4]] : numbers;
  if (flat.length !== 4 || !flat.every(Number.isFinite)) return value;
  const [low, high] = [toDegrees(flat[0], flat[1]), toDegrees(flat[2], flat[3])];
  return [...low, ...high].join(',');
}
