// Polygons of the map: flood zones along river, lake and coast, census tracts in two vintages, neighborhoods.
import { boxHolds, boxOfPolygon, polygonsHold, type Box, type Point, type Ring } from '../../src/base/lib/geo.ts';
import { DISTRICTS } from './districts.ts';
import { outlineOf } from './outlines.ts';
import { COUNTIES, QUILLMOOR, WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import {
  bentRectangle,
  coastX,
  countyColumns,
  countyOutline,
  ISLAND,
  lakeShore,
  RIVER_START_X,
  ringOf,
  riverY,
  type Place,
} from '../geography.ts';

export type Area = {
  fips: number;
  id: string;
  vintage: number;
  name: string;
  attributes: Record<string, unknown>;
  /** The outline, then the holes in it. */
  rings: Ring[];
  box: Box;
};
type Draft = Omit<Area, 'rings' | 'box'> & { outline: Place[]; holes?: Place[][] };

export const drawTracts = (scale: number): Area[] => draw(tracts(), scale);
export const drawNeighborhoods = (scale: number): Area[] => draw(neighborhoods(), scale);

/** June's flood map draws the zone along the upper river narrower than the one it replaces. */
export const drawFloodZones = (scale: number, edition: 'may' | 'june'): Area[] =>
  draw(floodZones(edition === 'june' ? 0 : REMAPPED_KM), scale);

function draw(drafts: Draft[], scale: number): Area[] {
  return drafts.map(({ outline, holes = [], ...draft }) => {
    const rings = [outline, ...holes].map((places) => ringOf(places, scale));
    return { ...draft, rings, box: boxOfPolygon([rings]) };
  });
}

export function areasAt(areas: readonly Area[], point: Point): Area[] {
  return areas.filter((area) => boxHolds(area.box, point) && polygonsHold([area.rings], point));
}

type Zone = { zone: string; subtype: string | null; bfe?: number };
const SHADED_X = { zone: 'X', subtype: '0.2 PCT ANNUAL CHANCE FLOOD HAZARD' };
const MINIMAL_X = { zone: 'X', subtype: 'AREA OF MINIMAL FLOOD HAZARD' };
const FLOODWAY_KM = 0.13;
const SHADED_KM = 0.26;
/** How much wider the zone along the remapped stretch used to be. */
const REMAPPED_KM = 0.06;
const REMAPPED_STRETCH = 4;

function floodZones(wider: number): Draft[] {
  const drafts: Draft[] = [];
  const stretches: [number, number, number][] = [
    [QUILLMOOR, RIVER_START_X, 5],
    [QUILLMOOR, 5, 6.3],
    [QUILLMOOR, 6.3, 7.6],
    [WENDEMERE, 7.6, 9.5],
    [WENDEMERE, 9.5, 11.4],
    [WENDEMERE, 11.4, 13.3],
    [WENDEMERE, 13.3, 15.4],
  ];
  for (const [index, [fips, from, to]] of stretches.entries()) {
    const edge = FLOODWAY_KM + (index === REMAPPED_STRETCH ? wider : 0);
    const strip = (low: number, high: number) =>
      between(
        sample(from, to),
        (x) => atMouth(x, riverY(x) + low),
        (x) => atMouth(x, riverY(x) + high),
      );
    drafts.push(
      zone(fips, strip(-edge, edge), {
        zone: 'AE',
        subtype: index < 2 ? 'FLOODWAY' : null,
        bfe: 34 - 4.5 * index,
      }),
    );
    drafts.push(zone(fips, strip(edge, SHADED_KM), SHADED_X), zone(fips, strip(-SHADED_KM, -edge), SHADED_X));
  }
  for (const [index, [south, north]] of [
    [0, 3],
    [3, 6],
    [6, 9],
    [9, 12],
  ].entries()) {
    const strip = (low: number, high: number) =>
      between(
        sample(south, north),
        (y) => ({ x: coastX(y) - low, y }),
        (y) => ({ x: coastX(y) - high, y }),
      );
    drafts.push(zone(WENDEMERE, strip(-0.02, 0.08), { zone: 'VE', subtype: null, bfe: 14 + (index % 2) }));
    drafts.push(zone(WENDEMERE, strip(0.08, 0.22), { zone: 'AE', subtype: null, bfe: 10 + (index % 2) }));
    drafts.push(zone(WENDEMERE, strip(0.22, 0.4), SHADED_X));
  }
  drafts.push(zone(QUILLMOOR, lakeShore(0.07), { zone: 'AE', subtype: null, bfe: 41 }));
  drafts.push({ ...zone(QUILLMOOR, lakeShore(0.15), { zone: 'A', subtype: null }), holes: [lakeShore(0.07)] });
  // The last of a county's zones is all of it, so any other that holds a home is named first.
  for (const { fips } of COUNTIES) drafts.push(zone(fips, countyOutline(fips), MINIMAL_X));
  const counters = new Map<number, number>();
  for (const draft of drafts) {
    const number = (counters.get(draft.fips) ?? 0) + 1;
    counters.set(draft.fips, number);
    draft.id = `${draft.fips}C_${String(number).padStart(2, '0')}`;
  }
  return drafts;
}

function zone(fips: number, outline: Place[], { zone, subtype, bfe }: Zone): Draft {
  const sfha = zone !== 'X';
  return {
    fips,
    id: '',
    vintage: 2021,
    name: zone,
    outline,
    attributes: {
      zone,
      subtype,
      sfha,
      base_flood_elevation_ft: bfe ?? null,
      firm_panel: `${fips}C0120F`,
      effective_date: '2021-09-24',
    },
  };
}

/** Tracts on a grid of the bent map; since 2010, those of the larger towns have been cut in two. */
function tracts(): Draft[] {
  const drafts: Draft[] = [];
  const rows = [ISLAND.south, 3.1, 5.8, 8.2, ISLAND.north];
  const columns: Record<number, number[]> = { [WENDEMERE]: [7.6, 10.9, 13.6, 17], [QUILLMOOR]: [0, 3.9, 7.6] };
  for (const { fips } of COUNTIES) {
    const edges = columns[fips];
    for (let row = 0; row + 1 < rows.length; row++) {
      for (let column = 0; column + 1 < edges.length; column++) {
        const number = 100 * (row + 1) + column + 1;
        const [west, east, south, north] = [edges[column], edges[column + 1], rows[row], rows[row + 1]];
        drafts.push(tract(fips, number * 100, 2010, bentRectangle(west, south, east, north)));
        const isTown = fips === WENDEMERE ? row > 0 || column > 0 : column === 1;
        const middle = (west + Math.min(east, countyColumns(fips)[1], 15.1)) / 2;
        if (isTown) {
          drafts.push(tract(fips, number * 100 + 1, 2020, bentRectangle(west, south, middle, north)));
          drafts.push(tract(fips, number * 100 + 2, 2020, bentRectangle(middle, south, east, north)));
        } else drafts.push(tract(fips, number * 100, 2020, bentRectangle(west, south, east, north)));
      }
    }
  }
  return drafts;
}

function tract(fips: number, code: number, vintage: number, outline: Place[]): Draft {
  const id = `${fips}${String(code).padStart(6, '0')}`;
  const label = code % 100 === 0 ? String(code / 100) : (code / 100).toFixed(2);
  return { fips, id, vintage, name: `Census Tract ${label}`, attributes: {}, outline };
}

function neighborhoods(): Draft[] {
  return DISTRICTS.map((district) => ({
    fips: district.fips,
    id: district.key,
    vintage: 2026,
    name: district.name,
    attributes: { city: district.city },
    outline: outlineOf(district),
  }));
}

/** The river's banks end at the coast. */
function atMouth(x: number, y: number): Place {
  return { x: Math.min(x, coastX(y)), y };
}

function between(steps: number[], first: (at: number) => Place, second: (at: number) => Place): Place[] {
  return [...steps.map(first), ...steps.toReversed().map(second)];
}

function sample(from: number, to: number): number[] {
  return Array.from({ length: 17 }, (_, step) => from + ((to - from) * step) / 16);
}
