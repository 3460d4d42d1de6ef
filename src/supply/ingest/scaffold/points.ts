// Detects columns of projected coordinates from their cells, and the projection if it is certain.
import { epsgDefinition } from '../../../base/lib/epsg.ts';
import { projectionNamed } from '../../../base/lib/projection.ts';
import type { FileFormat } from '../source.ts';
import type { Guesses } from './guess.ts';
import { readYaml } from './roles.ts';

/** Massachusetts encodes a parcel's location in its number, in meters (M) or feet (F). */
const LOC_ID: [RegExp, string][] = [
  [/^M_\d+_\d+$/, 'EPSG:26986'],
  [/^F_\d+_\d+$/, 'EPSG:2249'],
];

/** The states with one state plane zone, in feet and in meters. Elsewhere the coordinates fit several zones. */
const ONE_ZONE = readYaml<Record<string, number[]>>('state-planes');

/** Format settings that give a file's rows points; none if they have degrees or shapes. */
export function pointFormat({ byRole }: Guesses, stated: FileFormat, state: string): Partial<FileFormat> {
  if (byRole.has('latitude') && byRole.has('longitude')) return {};
  const place = byRole.get('point')?.column;
  if (place) {
    const known = LOC_ID.find(([pattern]) => place.values.slice(0, 20).every(([value]) => pattern.test(value)));
    return { point: place.name, ...(known && { projection: stated.projection ?? known[1] }) };
  }
  const [x, y] = [byRole.get('x'), byRole.get('y')];
  if (!x || !y) return {};
  const projection = stated.projection ?? zoneOf(state, x.column.median, y.column.median);
  return { point: { x: x.column.name, y: y.column.name }, ...(projection && { projection }) };
}

/** Feet or meters: whichever places the point closer to the zone's center. */
function zoneOf(state: string, x: number, y: number): string | undefined {
  const zones = (ONE_ZONE[state] ?? []).map((code) => {
    const definition = epsgDefinition(code) ?? '';
    const middle = Number(/lon_0=(\S+)/.exec(definition)?.[1]);
    const south = Number(/lat_0=(\S+)/.exec(definition)?.[1]);
    const [longitude, latitude] = projectionNamed(`EPSG:${code}`)!(x, y);
    return { code, away: Math.abs(longitude - middle), north: latitude - south };
  });
  const [best] = zones
    .filter(({ away, north }) => away < 8 && north > 0 && north < 7)
    .toSorted((a, b) => a.away - b.away);
  return best && `EPSG:${best.code}`;
}
