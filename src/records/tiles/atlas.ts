// Land, states and counties of the whole country, as context for a single county's map: from npm packages of the Census
// Bureau's boundaries and Natural Earth's land. Loaded once, on the first tile.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mapValues } from '../../base/lib/pick.ts';
import { boxOfPolygon, type Box, type MultiPolygon, type Ring } from '../../base/lib/geo.ts';
import { decodeArcs, ringOfArcs, type Topology } from '../../base/lib/topology.ts';

interface Shape {
  type: string;
  id?: string;
  properties?: { name?: string };
  arcs: number[][] | number[][][];
}

export interface AtlasArea {
  /** 53033 for a county, 53 for a state; 0 for land abroad. */
  code: number;
  name: string;
  polygons: MultiPolygon;
  box: Box;
}

interface AtlasLine {
  path: Ring;
  box: Box;
  /** The one or two counties it bounds. */
  counties: number[];
  isState: boolean;
}

export interface Atlas {
  counties: AtlasArea[];
  states: AtlasArea[];
  abroad: AtlasArea[];
  /** Borders between two counties; a shore is not one. */
  lines: AtlasLine[];
}

const UNITED_STATES = '840';

export function readAtlas(): Atlas {
  const us = readTopology('us-atlas/counties-10m.json');
  const world = readTopology('world-atlas/countries-50m.json');
  return {
    counties: areasOf(us, 'counties'),
    states: areasOf(us, 'states'),
    abroad: areasOf({ ...world, shapes: withoutUnitedStates(world) }, 'countries').map((area) => ({
      ...area,
      code: 0,
    })),
    lines: bordersOf(us),
  };
}

interface Decoded {
  shapes: Record<string, Shape[]>;
  arcs: Ring[];
}

function readTopology(name: string): Decoded {
  const file = readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8');
  const topology = JSON.parse(file) as Topology<Shape>;
  const shapes = mapValues(topology.objects, ({ geometries }) => geometries);
  return { shapes, arcs: decodeArcs(topology) };
}

function withoutUnitedStates({ shapes }: Decoded): Decoded['shapes'] {
  return { countries: shapes.countries.filter(({ id }) => id !== UNITED_STATES) };
}

function areasOf({ shapes, arcs }: Decoded, object: string): AtlasArea[] {
  return shapes[object].flatMap((shape) => {
    const polygons = polygonsOf(shape).map((polygon) => polygon.map((ring) => ringOfArcs(ring, arcs)));
    if (polygons.length === 0) return [];
    return [{ code: Number(shape.id ?? 0), name: shape.properties?.name ?? '', polygons, box: boxOfPolygon(polygons) }];
  });
}

const polygonsOf = ({ type, arcs }: Shape): number[][][] =>
  type === 'Polygon' ? [arcs as number[][]] : type === 'MultiPolygon' ? (arcs as number[][][]) : [];

/** An arc that two counties share is the border between them. */
function bordersOf({ shapes, arcs }: Decoded): AtlasLine[] {
  const users = new Map<number, number[]>();
  for (const shape of shapes.counties) {
    for (const index of polygonsOf(shape).flat(2)) {
      const arc = index < 0 ? ~index : index;
      users.set(arc, [...(users.get(arc) ?? []), Number(shape.id)]);
    }
  }
  return [...users].flatMap(([arc, counties]) => {
    if (counties.length < 2) return [];
    const [a, b] = counties.map((code) => Math.floor(code / 1000));
    return [{ path: arcs[arc], box: boxOfPolygon([[arcs[arc]]]), counties, isState: a !== b }];
  });
}
