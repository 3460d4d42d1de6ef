// TopoJSON: shapes that share delta-encoded arcs. Pure.
import type { Ring } from './geo.ts';

export interface Topology<Shape> {
  transform?: { scale: [number, number]; translate: [number, number] };
  arcs: [number, number][][];
  objects: Record<string, { geometries: Shape[] }>;
}

export function decodeArcs({ arcs, transform }: Pick<Topology<unknown>, 'arcs' | 'transform'>): Ring[] {
  if (!transform) return arcs;
  const { scale, translate } = transform;
  return arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]) => {
      x += dx;
      y += dy;
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
  });
}

/** `~index` is the same arc reversed; the shared endpoint of two arcs is kept once. */
export const ringOfArcs = (indexes: number[], arcs: Ring[]): Ring =>
  indexes.flatMap((index, i) => {
    const arc = index < 0 ? arcs[~index].toReversed() : arcs[index];
    return i === 0 ? arc : arc.slice(1);
  });
