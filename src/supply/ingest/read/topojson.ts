// Reads TopoJSON (shared, delta-encoded arcs). The arcs come last, so the whole file is held in memory.
import { json } from 'node:stream/consumers';
import type { Ring } from '../../../base/lib/geo.ts';
import { decodeArcs, ringOfArcs, type Topology } from '../../../base/lib/topology.ts';
import { readGeoJsonGeometry } from './geometry.ts';
import { cellsOf, type Row, type Table } from './rows.ts';

interface Shape {
  type: string;
  id?: string | number;
  arcs?: unknown;
  coordinates?: [number, number];
  properties?: Record<string, unknown>;
}

const BATCH = 1000;

export async function readTopoJson(bytes: AsyncIterable<Buffer>): Promise<Table> {
  const topology = (await json(bytes)) as Topology<Shape>;
  const arcs = decodeArcs(topology);
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

function coordinatesOf({ type, arcs: indexes, coordinates }: Shape, arcs: Ring[]): unknown {
  const ring = (list: number[]) => ringOfArcs(list, arcs);
  if (type === 'Polygon') return (indexes as number[][]).map(ring);
  return type === 'MultiPolygon' ? (indexes as number[][][]).map((rings) => rings.map(ring)) : coordinates;
}
