// Draws the map of a report: the home and its comparables among parcels, streets and boundaries, in points of the page.
// Stored with the report, so that its PDF never changes.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import * as geo from '../../base/lib/geo.ts';
import { readSurroundings, type Surroundings } from '../../records/tiles/outlines.ts';
import { fitStreets } from '../../records/tiles/streets.ts';
import type { Report } from './schema.ts';

export const FRAME = { width: 504, height: 300 } as const;
const MARGIN = 26;
/** Minimum extent: a map of a few adjacent comparables would show no context. */
const LEAST_HALF_HEIGHT_METERS = 250;
/** On a map wider than this, a lot is less than two points wide. */
const PARCELS_TO_METERS_PER_POINT = 11;

/** A shorter street has no room for its name. */
const LEAST_STREET_POINTS = 40;
const MOST_STREETS = 60;

/** A street's name, and its course in points of the page. */
export interface Street {
  name: string;
  path: [x: number, y: number][];
}

/** Corners as x, y, x, y … in tenths of a point. */
type Path = number[];

export interface MapDrawing {
  metersPerPoint: number;
  subject: [x: number, y: number];
  lot: Path[];
  comparables: { number: number; x: number; y: number }[];
  parcels: Path[];
  /** Homes, for places without parcel outlines. */
  homes: Path;
  streets: Street[];
  hazards: Path[];
  boundaries: Path[];
}

type Subject = Report['property'];
type Comparables = NonNullable<Report['valuation']['comparables']>;
type Project = (point: geo.Point) => [x: number, y: number];

export async function drawMap(
  deps: Pick<Deps, 'dataReplica' | 'catalog'>,
  mode: KeyMode,
  subject: Subject,
  comparables: Comparables,
): Promise<MapDrawing | null> {
  const center = pointOf(subject);
  if (!center) return null;
  const placed = comparables.flatMap((each, i) => {
    const point = pointOf(each);
    return point ? [{ number: i + 1, point }] : [];
  });
  const { project, box, metersPerPoint } = fit([center, ...placed.map(({ point }) => point)]);
  const around = await readSurroundings(deps, mode, {
    box,
    withParcels: metersPerPoint <= PARCELS_TO_METERS_PER_POINT,
  });
  const lot = subject.geometry && polygonsOf(subject.geometry);
  const [x, y] = project(center);
  return {
    metersPerPoint,
    subject: [x, y],
    lot: lot ? pathsOf(lot, project) : [],
    comparables: placed.map(({ number, point }) => ({ number, x: project(point)[0], y: project(point)[1] })),
    ...background(around, { project, box }),
  };
}

function background({ parcels, homes, areas }: Surroundings, { project, box }: { project: Project; box: geo.Box }) {
  const of = (kinds: string[]) =>
    areas.filter(({ kind }) => kinds.includes(kind)).flatMap(({ polygons }) => pathsOf(polygons, project));
  const inside = homes.filter((home) => geo.boxHolds(box, home));
  return {
    parcels: parcels.flatMap((polygons) => pathsOf(polygons, project)),
    homes: parcels.length > 50 ? [] : inside.flatMap((home) => project(home).map(tenths)),
    streets: streetsThrough(inside, project),
    hazards: of(['hazard']),
    boundaries: of(['tract', 'neighborhood']),
  };
}

/** Longest first. */
function streetsThrough(homes: Surroundings['homes'], project: Project): Street[] {
  const fitted = fitStreets(homes.flatMap(({ line1, ...at }) => (line1 === null ? [] : [{ line: line1, ...at }])));
  return fitted
    .map(({ name, path }): Street => ({
      name,
      path: path.map(([longitude, latitude]) => {
        const [x, y] = project({ longitude, latitude });
        return [tenths(x) / 10, tenths(y) / 10];
      }),
    }))
    .filter((street) => lengthOf(street) >= LEAST_STREET_POINTS)
    .toSorted((a, b) => lengthOf(b) - lengthOf(a) || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_STREETS);
}

/** From end to end, in points of the page. */
export function lengthOf({ path }: Street): number {
  const [[x1, y1], [x2, y2]] = [path[0], path.at(-1)!];
  return Math.hypot(x2 - x1, y2 - y1);
}

const pointOf = ({
  latitude,
  longitude,
}: {
  latitude?: number | null;
  longitude?: number | null;
}): geo.Point | undefined =>
  typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : undefined;

const polygonsOf = ({ type, coordinates }: NonNullable<Subject['geometry']>) =>
  (type === 'Polygon' ? [coordinates] : coordinates) as geo.MultiPolygon;

/** A local tangent plane at the map's center: accurate over the few miles shown. */
function fit(points: geo.Point[]): { project: Project; box: geo.Box; metersPerPoint: number } {
  const latitudes = points.map(({ latitude }) => latitude);
  const longitudes = points.map(({ longitude }) => longitude);
  const middle = {
    latitude: (Math.min(...latitudes) + Math.max(...latitudes)) / 2,
    longitude: (Math.min(...longitudes) + Math.max(...longitudes)) / 2,
  };
  const perLongitude = geo.METERS_PER_DEGREE * Math.cos((middle.latitude * Math.PI) / 180);
  const wide = (Math.max(...longitudes) - Math.min(...longitudes)) * perLongitude;
  const high = (Math.max(...latitudes) - Math.min(...latitudes)) * geo.METERS_PER_DEGREE;
  const metersPerPoint = Math.max(
    wide / (FRAME.width - 2 * MARGIN),
    high / (FRAME.height - 2 * MARGIN),
    (2 * LEAST_HALF_HEIGHT_METERS) / FRAME.height,
  );
  const project: Project = ({ latitude, longitude }) => [
    FRAME.width / 2 + ((longitude - middle.longitude) * perLongitude) / metersPerPoint,
    FRAME.height / 2 - ((latitude - middle.latitude) * geo.METERS_PER_DEGREE) / metersPerPoint,
  ];
  const reach = {
    latitude: ((FRAME.height / 2) * metersPerPoint) / geo.METERS_PER_DEGREE,
    longitude: ((FRAME.width / 2) * metersPerPoint) / perLongitude,
  };
  const box = {
    minLatitude: middle.latitude - reach.latitude,
    maxLatitude: middle.latitude + reach.latitude,
    minLongitude: middle.longitude - reach.longitude,
    maxLongitude: middle.longitude + reach.longitude,
  };
  return { project, box, metersPerPoint };
}

const tenths = (points: number) => Math.round(points * 10);

/** Drops vertices closer than a third of a point to the previous one, which are invisible. */
const pathsOf = (polygons: geo.MultiPolygon, project: Project): Path[] =>
  polygons.flat().flatMap((ring) => {
    const path: Path = [];
    for (const [longitude, latitude] of ring) {
      const [x, y] = project({ longitude, latitude }).map(tenths);
      const [lastX, lastY] = path.slice(-2);
      if (path.length === 0 || Math.abs(x - lastX) + Math.abs(y - lastY) > 3) path.push(x, y);
    }
    return path.length >= 6 ? [path] : [];
  });

/** A round distance of about a fifth of the map's width. */
export function scaleOf(metersPerPoint: number): { points: number; label: string } {
  const miles = ((FRAME.width / 5) * metersPerPoint) / geo.METERS_PER_MILE;
  const steps = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
  const chosen = steps.findLast((step) => step <= miles) ?? steps[0];
  return { points: (chosen * geo.METERS_PER_MILE) / metersPerPoint, label: `${chosen} mi` };
}
