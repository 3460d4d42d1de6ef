// Reads well-known binary shapes, as GeoPackage and GeoParquet store them.
import type { MultiPolygon, Ring } from '../../../base/lib/geo.ts';
import type { Project } from '../../../base/lib/projection.ts';
import type { Geometry } from './geometry.ts';

/** Points, polygons and several of them, in any of the dimension flavors; other shapes are dropped. */
export function readWkb(bytes: Buffer, project: Project = (x, y) => [x, y]): Geometry | undefined {
  let at = 0;
  const read = (): Geometry | undefined => {
    const little = bytes[at++] === 1;
    const uint = () => {
      const value = little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
      at += 4;
      return value;
    };
    const double = () => {
      const value = little ? bytes.readDoubleLE(at) : bytes.readDoubleBE(at);
      at += 8;
      return value;
    };
    const raw = uint();
    // ISO adds thousands for Z and M; PostGIS sets high bits and may put the reference system next.
    const type = (raw & 0x1fff_ffff) % 1000;
    const thousands = Math.floor((raw & 0x1fff_ffff) / 1000);
    const extra =
      (raw & 0x8000_0000 ? 1 : 0) + (raw & 0x4000_0000 ? 1 : 0) + (thousands === 3 ? 2 : thousands > 0 ? 1 : 0);
    if (raw & 0x2000_0000) uint();
    const position = (): [number, number] => {
      const place = project(double(), double());
      at += extra * 8;
      return place;
    };
    const polygon = (): Ring[] =>
      Array.from({ length: uint() }, () => Array.from({ length: uint() }, position)).filter((ring) => ring.length >= 4);
    if (type === 1) {
      const [longitude, latitude] = position();
      return Number.isFinite(longitude) ? { type: 'point', point: { latitude, longitude } } : undefined;
    }
    if (type === 3) {
      const rings = polygon();
      return rings.length > 0 ? { type: 'polygons', polygons: [rings] } : undefined;
    }
    if (type === 4 || type === 6) {
      const parts = Array.from({ length: uint() }, read);
      const polygons: MultiPolygon = parts.flatMap((part) => (part?.type === 'polygons' ? part.polygons : []));
      return polygons.length > 0 ? { type: 'polygons', polygons } : parts.find((part) => part?.type === 'point');
    }
    return undefined;
  };
  return read();
}
