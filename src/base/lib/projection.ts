// Converts projected coordinates to degrees, by EPSG code, proj4 text or the WKT of a .prj file.
import proj4 from 'proj4';
import { CommandError } from './command-error.ts';
import { epsgDefinition } from './epsg.ts';

/** Projected coordinates to degrees. */
export type Project = (x: number, y: number) => [longitude: number, latitude: number];

/** Degrees themselves: WGS 84 and NAD 83, which differ by a meter or two. */
const DEGREES = new Set(['EPSG:4326', 'EPSG:4269', 'OGC:CRS84']);

/** Undefined for coordinates that are degrees already. */
export function projectionNamed(name: string): Project | undefined {
  const wanted = name.trim();
  const code = /^(?:EPSG:)?(\d{1,6})$/i.exec(wanted)?.[1];
  if (DEGREES.has(code ? `EPSG:${code}` : wanted.toUpperCase())) return undefined;
  const definition = code ? epsgDefinition(Number(code)) : wanted;
  if (!definition) {
    throw new CommandError(`Unknown projection ${name}. Use its proj4 text or the contents of a .prj file instead.`);
  }
  if (/^GEOGCS|^GEOGCRS|\+proj=longlat/i.test(definition)) return undefined;
  try {
    const { inverse } = proj4(definition);
    return (x, y) => inverse<[number, number]>([x, y]);
  } catch {
    throw new CommandError(`The projection ${wanted.slice(0, 120)} cannot be read.`);
  }
}
