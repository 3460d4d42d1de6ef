// Fits a street's line through the homes on it, if no roads are loaded. Pure.
import { METERS_PER_DEGREE } from '../../base/lib/geo.ts';
import { titleCase } from '../../base/lib/title-case.ts';

export interface Doorstep {
  /** `1208 LANTERN HILL DR` */
  line: string;
  latitude: number;
  longitude: number;
}

interface FittedStreet {
  name: string;
  path: [longitude: number, latitude: number][];
  homes: number;
}

/** Fewer homes than this do not show which way a street runs. */
const FEWEST_HOMES = 4;
/** Homes are averaged over this stretch of the street. */
const STRETCH_M = 70;
/** Homes farther from the line than this are not on one street: the name is used twice, or is not a street. */
const WIDEST_M = 60;

export function fitStreets(doorsteps: Doorstep[]): FittedStreet[] {
  const named = doorsteps.flatMap(({ line, ...at }) => {
    const found = /^(\d+)\S*\s+(?:1\/2\s+)?(\D.*|\d+(?:ST|ND|RD|TH)\b.*)$/i.exec(line.trim());
    return found ? [{ ...at, number: Number(found[1]), street: found[2] }] : [];
  });
  return [...Map.groupBy(named, ({ street }) => street.toUpperCase())].flatMap(([, homes]) => {
    const path = homes.length < FEWEST_HOMES ? undefined : fitLine(homes);
    return path ? [{ name: titleCase(homes[0].street), path, homes: homes.length }] : [];
  });
}

function fitLine(homes: { number: number; latitude: number; longitude: number }[]): FittedStreet['path'] | undefined {
  const origin = { latitude: mean(homes, 'latitude'), longitude: mean(homes, 'longitude') };
  const squeeze = Math.cos((origin.latitude * Math.PI) / 180) * METERS_PER_DEGREE;
  const placed = homes.map(({ number, latitude, longitude }) => ({
    isEven: number % 2 === 0,
    x: (longitude - origin.longitude) * squeeze,
    y: (latitude - origin.latitude) * METERS_PER_DEGREE,
  }));
  const [cos, sin] = directionOf(placed);
  const along = placed.map(({ x, y, isEven }) => ({ isEven, t: x * cos + y * sin, off: y * cos - x * sin }));
  // Even and odd numbers face each other: the street runs halfway between the two sides, even where only one has homes.
  const center = betweenSides(along);
  const sides = { even: center - sideOf(along, true, center), odd: center - sideOf(along, false, center) };
  const onStreet = along.map(({ t, off, isEven }) => ({ t, off: off + (isEven ? sides.even : sides.odd) }));
  if (spreadOf(onStreet.map(({ off }) => off)) > WIDEST_M) return undefined;
  const stretches = [...Map.groupBy(onStreet, ({ t }) => Math.round(t / STRETCH_M))]
    .toSorted(([a], [b]) => a - b)
    .map(([, part]) => ({ t: mean(part, 't'), off: mean(part, 'off') }));
  if (stretches.length < 2) return undefined;
  return smooth(stretches).map(({ t, off }) => [
    origin.longitude + (t * cos - off * sin) / squeeze,
    origin.latitude + (t * sin + off * cos) / METERS_PER_DEGREE,
  ]);
}

/** The direction in which the homes are spread most. */
function directionOf(points: { x: number; y: number }[]): [cos: number, sin: number] {
  let [xx, xy, yy] = [0, 0, 0];
  for (const { x, y } of points) {
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  const angle = Math.atan2(2 * xy, xx - yy) / 2;
  return [Math.cos(angle), Math.sin(angle)];
}

function betweenSides(along: { isEven: boolean; off: number }[]): number {
  const [even, odd] = [along.filter(({ isEven }) => isEven), along.filter(({ isEven }) => !isEven)];
  if (even.length === 0 || odd.length === 0) return mean(along, 'off');
  return (mean(even, 'off') + mean(odd, 'off')) / 2;
}

function sideOf(along: { isEven: boolean; off: number }[], isEven: boolean, center: number): number {
  const side = along.filter((home) => home.isEven === isEven);
  return side.length === 0 ? center : mean(side, 'off');
}

const smooth = (points: { t: number; off: number }[]): { t: number; off: number }[] =>
  points.map(({ t, off }, index) => {
    const near = points.slice(Math.max(0, index - 1), index + 2);
    return { t, off: index === 0 || index === points.length - 1 ? off : mean(near, 'off') };
  });

function spreadOf(values: number[]): number {
  const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / values.length);
}

const mean = <Name extends string>(items: Record<Name, number>[], name: Name): number =>
  items.reduce((sum, item) => sum + item[name], 0) / items.length;
