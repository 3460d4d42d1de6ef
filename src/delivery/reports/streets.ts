// Where streets run, from the addresses along them: no street is on record, but the homes on both its sides are. Pure.

export interface Street {
  name: string;
  /** Ends of the straight line that its homes lie along, in points of the page. */
  from: [x: number, y: number];
  to: [x: number, y: number];
}

interface Home {
  line1: string;
  at: [x: number, y: number];
}

const MOST_STREETS = 60;
const LEAST_HOMES = 5;
/** Homes further from the line than this belong to a street that bends. */
const MOST_ASIDE_METERS = 45;
const LEAST_POINTS = 40;

export function findStreets(homes: readonly Home[], metersPerPoint: number): Street[] {
  const groups = Map.groupBy(homes, ({ line1 }) => streetOf(line1));
  const lines = [...groups].flatMap(([name, group]) => {
    const line = name === undefined || group.length < LEAST_HOMES ? undefined : lineThrough(group.map(({ at }) => at));
    if (!line || line.aside * metersPerPoint > MOST_ASIDE_METERS || line.length < LEAST_POINTS) return [];
    return [{ name: name!, from: line.from, to: line.to, length: line.length }];
  });
  return lines
    .toSorted((a, b) => b.length - a.length || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_STREETS)
    .map(({ name, from, to }) => ({ name: capitalized(name), from, to }));
}

function streetOf(line1: string): string | undefined {
  return /^\d\S*\s+(?:1\/2\s+)?(\D.*|\d+(?:ST|ND|RD|TH)\b.*)$/i.exec(line1.trim())?.[1].toUpperCase();
}

const capitalized = (name: string) =>
  name
    .toLowerCase()
    .replace(/\b([a-z])/g, (letter) => letter.toUpperCase())
    .replace(/(\d)(St|Nd|Rd|Th)\b/g, (_, digit, end) => digit + end.toLowerCase())
    .replace(/\b(N|S)(e|w)\b/g, (word) => word.toUpperCase());

type Place = [x: number, y: number];

/** The principal axis of the places, and how far they lie from it on average. */
function lineThrough(places: readonly Place[]): { from: Place; to: Place; length: number; aside: number } {
  const n = places.length;
  const [mx, my] = [0, 1].map((k) => places.reduce((sum, place) => sum + place[k], 0) / n);
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of places) {
    xx += (x - mx) ** 2;
    xy += (x - mx) * (y - my);
    yy += (y - my) ** 2;
  }
  const angle = Math.atan2(2 * xy, xx - yy) / 2;
  const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
  const along = places.map(([x, y]) => (x - mx) * ux + (y - my) * uy);
  const aside = places.reduce((sum, [x, y]) => sum + Math.abs((y - my) * ux - (x - mx) * uy), 0) / n;
  const [least, most] = [Math.min(...along), Math.max(...along)];
  const at = (t: number): Place => [tenth(mx + t * ux), tenth(my + t * uy)];
  return { from: at(least), to: at(most), length: most - least, aside };
}

const tenth = (value: number) => Math.round(value * 10) / 10;
