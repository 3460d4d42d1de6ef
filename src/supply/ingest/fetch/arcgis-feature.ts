// Converts an ArcGIS feature to GeoJSON in degrees, with labels for codes, dates for milliseconds, and holes assigned
// to their rings.
import { centroidOfRing, ringHolds, type Ring } from '../../../base/lib/geo.ts';
import { projectionNamed, type Project } from '../../../base/lib/projection.ts';
import { signedSqftOf } from '../../../base/lib/shapes.ts';
import type { Answer, Layer, LayerFacts, LayerField, Quantized, SpatialReference } from './arcgis-layer.ts';

interface EsriGeometry {
  x?: number | null | string;
  y?: number | null | string;
  points?: Numbers[];
  paths?: Vertex[][];
  rings?: Vertex[][];
  curvePaths?: Vertex[][];
  curveRings?: Vertex[][];
}
type Numbers = (number | null)[];
/** A point, or a curve: an arc through a point, a Bézier curve or an ellipse, the end first. */
type Vertex = Numbers | { c?: Numbers[]; b?: Numbers[]; a?: [Numbers, ...unknown[]] };

export interface Feature {
  type: 'Feature';
  id: number;
  properties: Record<string, unknown>;
  geometry: { type: string; coordinates: unknown } | null;
}

export type ReadFeatures = (answer: Answer) => Feature[];

/** `keepsCodes` keeps coded values as codes. */
export function featureReader({ facts, idField }: Layer, { keepsCodes = false } = {}): ReadFeatures {
  const columns = columnsOf(facts.fields ?? []);
  const label = keepsCodes ? (_: string, value: unknown) => value : labeler(facts);
  const idKey = idField.toLowerCase();
  return ({ features = [], spatialReference, transform }) => {
    const project = projectionOf(spatialReference);
    const items = features as ({
      attributes?: Record<string, unknown> | null;
      geometry?: EsriGeometry | null;
    } | null)[];
    return items.flatMap((item): Feature[] => {
      const attributes = item?.attributes ?? {};
      const subtype = subtypeOf(facts, attributes);
      const properties: Record<string, unknown> = {};
      let id = Number.NaN;
      for (const [key, value] of Object.entries(attributes)) {
        const lower = key.toLowerCase();
        const column = columns.get(lower) ?? { name: key, type: undefined };
        if (lower === idKey || plainName(lower) === plainName(idKey)) id = Number(value);
        properties[column.name] = readValue(label(lower, value, subtype), column.type);
      }
      const geometry = item?.geometry ? geometryOf(unquantized(item.geometry, transform), project) : null;
      return [{ type: 'Feature', id, properties, geometry }];
    });
  };
}

/** `GIS.PARCELS.PIN` is PIN. */
export const plainName = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** Strips table prefixes, and replaces meaningless names with aliases, as long as names stay unique. */
function columnsOf(fields: LayerField[]): Map<string, { name: string; type?: string }> {
  const wanted = fields.map(({ name, alias }) => {
    const short = plainName(name);
    return /^(f|col|column|field)_?\d+$/i.test(short) && alias ? alias : short;
  });
  const times = new Map<string, number>();
  for (const name of wanted) times.set(name.toLowerCase(), (times.get(name.toLowerCase()) ?? 0) + 1);
  return new Map(
    fields.map(({ name, type }, i) => {
      const isDistinct = times.get(wanted[i].toLowerCase()) === 1;
      return [name.toLowerCase(), { name: isDistinct ? wanted[i] : name, type }];
    }),
  );
}

type Labels = Map<string, string>;

const labelsOf = (domain: LayerField['domain']): Labels | undefined =>
  domain?.codedValues && new Map(domain.codedValues.map(({ code, name }) => [String(code), name]));

/** Labels by a field's domain, which a subtype may override. */
function labeler(facts: LayerFacts): (field: string, value: unknown, subtype?: string) => unknown {
  const byField = new Map<string, Labels>();
  for (const { name, domain } of facts.fields ?? []) {
    const labels = labelsOf(domain);
    if (labels) byField.set(name.toLowerCase(), labels);
  }
  const subtypes = facts.subtypes ?? facts.types ?? [];
  const typeField = (facts.subtypeField || facts.typeIdField)?.toLowerCase();
  const names: Labels = new Map(subtypes.map(({ id, code, name }) => [String(id ?? code), name]));
  const bySubtype = new Map(
    subtypes.flatMap(({ id, code, domains = {} }) =>
      (Array.isArray(domains) ? domains.map(({ field, domain }) => [field, domain] as const) : Object.entries(domains))
        .map(([field, domain]) => [`${String(id ?? code)} ${field.toLowerCase()}`, labelsOf(domain)] as const)
        .filter(([, labels]) => labels !== undefined),
    ),
  );
  return (field, value, subtype) => {
    if (value === null || value === undefined) return value;
    const labels =
      bySubtype.get(`${subtype} ${field}`) ?? byField.get(field) ?? (field === typeField ? names : undefined);
    return labels?.get(String(value)) ?? value;
  };
}

function subtypeOf({ subtypeField, typeIdField }: LayerFacts, attributes: Record<string, unknown>): string | undefined {
  const field = (subtypeField || typeIdField)?.toLowerCase();
  if (!field) return undefined;
  const key = Object.keys(attributes).find((name) => name.toLowerCase() === field);
  return key === undefined ? undefined : String(attributes[key]);
}

/** Dates are milliseconds since 1970, negative before it. */
function readValue(value: unknown, type: string | undefined): unknown {
  if (type === 'esriFieldTypeDate' && typeof value === 'number') {
    const date = new Date(value);
    if (Number.isNaN(date.getTime())) return null;
    const text = date.toISOString();
    return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19);
  }
  if (typeof value === 'string') return /^\s*(<null>)?\s*$/i.test(value) ? null : value;
  return typeof value === 'object' ? null : value;
}

/** Esri's number of the Web Mercator projection, which EPSG calls 3857. */
const WEB_MERCATOR = [102100, 102113, 900913];

/** The server may ignore `outSR` and answer in its own coordinates, feet or meters. */
function projectionOf(reference: SpatialReference = {}): Project | undefined {
  const { wkid, latestWkid, wkt } = reference;
  const code = latestWkid ?? wkid;
  if (code === undefined) return wkt ? projectionNamed(wkt) : undefined;
  return projectionNamed(`EPSG:${WEB_MERCATOR.includes(code) ? 3857 : code}`);
}

/** Decodes integer deltas to coordinates. */
function unquantized(geometry: EsriGeometry, transform: Quantized | undefined): EsriGeometry {
  if (!transform) return geometry;
  const { scale, translate, originPosition } = transform;
  const flip = originPosition === 'lowerLeft' ? 1 : -1;
  const place = ([x, y]: number[]) => [x * scale[0] + translate[0], flip * y * scale[1] + translate[1]];
  const line = (steps: Vertex[]) => {
    let [x, y] = [0, 0];
    return (steps as number[][]).map(([dx, dy]) => place([(x += dx), (y += dy)]));
  };
  if (typeof geometry.x === 'number') {
    const [x, y] = place([geometry.x, geometry.y as number]);
    return { x, y };
  }
  return { rings: geometry.rings?.map(line), paths: geometry.paths?.map(line) };
}

function geometryOf(geometry: EsriGeometry, project: Project | undefined): Feature['geometry'] {
  const place = ([x, y]: [number, number]): [number, number] => (project ? project(x, y) : [x, y]);
  const [x, y] = [Number(geometry.x ?? Number.NaN), Number(geometry.y ?? Number.NaN)];
  if (Number.isFinite(x) && Number.isFinite(y)) return { type: 'Point', coordinates: place([x, y]) };
  const point = geometry.points?.find(isPlaced);
  if (point) return { type: 'Point', coordinates: place(point) };
  const lines = (geometry.paths ?? geometry.curvePaths ?? []).map((path) => straight(path).map(place));
  if (lines.length > 0) return { type: 'MultiLineString', coordinates: lines.filter((line) => line.length > 1) };
  const rings = (geometry.rings ?? geometry.curveRings ?? []).map((ring) => closed(straight(ring)).map(place));
  const polygons = nest(rings.filter((ring) => ring.length >= 4));
  return polygons.length === 0 ? null : { type: 'MultiPolygon', coordinates: polygons };
}

const isPlaced = (point: Numbers): point is [number, number] =>
  typeof point[0] === 'number' && typeof point[1] === 'number' && Number.isFinite(point[0] + point[1]);

function closed(ring: [number, number][]): [number, number][] {
  const [first, last] = [ring[0], ring.at(-1)];
  return first && last && (first[0] !== last[0] || first[1] !== last[1]) ? [...ring, first] : ring;
}

/** Segments per curve: a parcel's cul-de-sac stays accurate to a foot. */
const STEPS = 8;

function straight(vertices: Vertex[]): [number, number][] {
  const line: [number, number][] = [];
  for (const vertex of vertices) {
    if (Array.isArray(vertex)) {
      if (isPlaced(vertex)) line.push([vertex[0], vertex[1]]);
      continue;
    }
    const [end, ...controls] = (vertex.c ?? vertex.b ?? vertex.a?.slice(0, 1) ?? []) as [number, number][];
    const start = line.at(-1);
    if (!end || !isPlaced(end)) continue;
    if (start && vertex.c && controls[0]) line.push(...alongArc(start, controls[0], end));
    else if (start && vertex.b && controls[1]) line.push(...alongBezier(start, controls[0], controls[1], end));
    else line.push([end[0], end[1]]);
  }
  return line;
}

function alongBezier(...[p, q, r, s]: [number, number][]): [number, number][] {
  return Array.from({ length: STEPS }, (_, i) => {
    const t = (i + 1) / STEPS;
    const at = (k: 0 | 1) =>
      (1 - t) ** 3 * p[k] + 3 * (1 - t) ** 2 * t * q[k] + 3 * (1 - t) * t ** 2 * r[k] + t ** 3 * s[k];
    return [at(0), at(1)];
  });
}

/** The circle through three points, from the first by way of the second. */
function alongArc(a: [number, number], b: [number, number], c: [number, number]): [number, number][] {
  const [bx, by, cx, cy] = [b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]];
  const d = 2 * (bx * cy - by * cx);
  if (Math.abs(d) < 1e-12) return [b, c];
  const x = (cy * (bx * bx + by * by) - by * (cx * cx + cy * cy)) / d;
  const y = (bx * (cx * cx + cy * cy) - cx * (bx * bx + by * by)) / d;
  const radius = Math.hypot(x, y);
  const from = Math.atan2(-y, -x);
  const round = 2 * Math.PI;
  const turned = (Math.atan2(cy - y, cx - x) - from + 2 * round) % round;
  const sweep = d > 0 ? turned : turned - round;
  return Array.from({ length: STEPS }, (_, i) => {
    const angle = from + (sweep * (i + 1)) / STEPS;
    return i + 1 === STEPS ? c : [a[0] + x + radius * Math.cos(angle), a[1] + y + radius * Math.sin(angle)];
  });
}

/** Outer rings run clockwise and holes counterclockwise; if none runs clockwise, all are outer rings. */
function nest(rings: Ring[]): Ring[][] {
  const outers = rings.filter((ring) => signedSqftOf(ring) <= 0);
  if (outers.length === 0 || outers.length === rings.length) return rings.map((ring) => [ring]);
  const polygons = outers.map((ring) => [ring]);
  for (const hole of rings) {
    if (signedSqftOf(hole) <= 0) continue;
    const inside = centroidOfRing(hole);
    const [longitude, latitude] = hole[0];
    const home = polygons.find(([outer]) => ringHolds(outer, inside) || ringHolds(outer, { longitude, latitude }));
    if (home) home.push(hole);
    else polygons.push([hole]);
  }
  return polygons;
}
