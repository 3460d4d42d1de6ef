// Reads TopoJSON (shared, delta-encoded arcs). The arcs come last, so the whole file is held in memory.
import { readGeoJsonGeometry } from './geometry.ts';
import { cellsOf, type Row, type Table } from './rows.ts';

interface Topology {
  transform?: { scale: [number, number]; translate: [number, number] };
  arcs: [number, number][][];
  objects: Record<string, { geometries: Shape[] }>;
}

interface Shape {
  type: string;
  id?: string | number;
  arcs?: unknown;
  coordinates?: [number, number];
  properties?: Record<string, unknown>;
}

const BATCH = 1000;

export async function readTopoJson(bytes: AsyncIterable<Buffer>): Promise<Table> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const topology = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Topology;
  const arcs = topology.arcs.map((arc) => decodeArc(arc, topology.transform));
  const shapes = Object.values(topology.objects).flatMap((object) => object.geometries);
  const header = [...new Set(shapes.flatMap((shape) => Object.keys(shape.properties ?? {}))), '$id'];
  async function* rows(): AsyncGenerator<Row[]> {
    for (let at = 0; at < shapes.length; at += BATCH) {
      yield shapes.slice(at, at + BATCH).map((shape, i) => ({
        line: at + i + 1,
        cells: cellsOf({ ...shape.properties, $id: shape.id }, header),
        geometry: readGeoJsonGeometry({ type: shape.type, coordinates: coordinatesOf(shape, arcs) }),
      }));
    }
  }
  return { header, rows: rows() };
}

function decodeArc(arc: [number, number][], transform: Topology['transform']): [number, number][] {
  if (!transform) return arc;
  const { scale, translate } = transform;
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
}

function coordinatesOf(shape: Shape, arcs: [number, number][][]): unknown {
  const ring = (indexes: number[]) =>
    indexes.flatMap((index, i) => {
      // ~index is the same arc reversed; the point where two arcs meet is kept once.
      const arc = index < 0 ? arcs[~index].toReversed() : arcs[index];
      return i === 0 ? arc : arc.slice(1);
    });
  if (shape.type === 'Polygon') return (shape.arcs as number[][]).map(ring);
  if (shape.type === 'MultiPolygon') return (shape.arcs as number[][][]).map((rings) => rings.map(ring));
  return shape.coordinates;
}
