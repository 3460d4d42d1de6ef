// The streets that the lots lie on, and the water between them, as lines and areas for the map.
import { boxOfPolygon, type Box, type Ring } from '../../src/base/lib/geo.ts';
import { QUILLMOOR, WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import {
  coastX,
  isInCounty,
  isWater,
  lakeShore,
  pointOf,
  RIVER_START_X,
  riverHalfWidth,
  ringOf,
  riverY,
  type Place,
} from '../geography.ts';
import type { District } from './district.ts';
import { DISTRICTS } from './districts.ts';
import { isInside } from './outlines.ts';
import { gridOf, placeOf, streetNameAt, type Grid } from './streets.ts';

export interface MapLine {
  fips: number;
  kind: 'road';
  id: string;
  name: string;
  rank: number;
  path: Ring[];
  box: Box;
}

/** Points per block along a street; between them it runs straight. */
const STEPS_PER_BLOCK = 4;

export function drawRoads(scale: number): MapLine[] {
  return DISTRICTS.flatMap((district) => {
    const grid = gridOf(district, scale);
    const rows = Array.from({ length: grid.rows }, (_, row) => rowOf(district, grid, scale, row));
    // The last column ends the last block.
    const columns = Array.from({ length: grid.columns }, (_, column) => columnOf(district, grid, scale, column));
    return [...rows, ...columns].flat().map((street, index) => lineOf(district, street, index, scale));
  });
}

interface Street {
  name: string;
  isMain: boolean;
  places: Place[];
}

function rowOf(district: District, grid: Grid, scale: number, row: number): Street[] {
  const v = (row + 0.5) / grid.rows - 0.5;
  const steps = grid.columns * STEPS_PER_BLOCK;
  const isMain = row === Math.floor(grid.rows / 2);
  return cut(district, scale, steps, isMain, (step) => {
    const u = step / steps - 0.5;
    const column = Math.min(grid.columns - 1, Math.floor((step / steps) * grid.columns));
    return { u, v, name: streetNameAt(district, grid, { row, column, cross: false, u, v }) };
  });
}

/** A cross street runs along the beginning of its block. */
function columnOf(district: District, grid: Grid, scale: number, column: number): Street[] {
  const u = (column + 0.06) / grid.columns - 0.5;
  const steps = grid.rows * STEPS_PER_BLOCK;
  return cut(district, scale, steps, column === Math.floor(grid.columns / 2), (step) => {
    const v = step / steps - 0.5;
    const row = Math.min(grid.rows - 1, Math.floor((step / steps) * grid.rows));
    return { u, v, name: streetNameAt(district, grid, { row, column, cross: true, u, v }) };
  });
}

type Station = { u: number; v: number; name: string };

/** Ends where the district, the county or the land ends, and where the name changes. */
function cut(
  district: District,
  scale: number,
  steps: number,
  isMain: boolean,
  stationAt: (step: number) => Station,
): Street[] {
  const streets: Street[] = [];
  let open: Street | undefined;
  for (let step = 0; step <= steps; step++) {
    const { u, v, name } = stationAt(step);
    const place = placeOf(district, scale, u, v);
    const isOnLand = isInside(district, u, v, place) && !isWater(place) && isInCounty(district.fips, place);
    if (open && (!isOnLand || open.name !== name)) {
      // A street that only changes its name goes on where it was.
      if (isOnLand) open.places.push(place);
      open = undefined;
    }
    if (!isOnLand) continue;
    if (!open) streets.push((open = { name, isMain, places: [] }));
    open.places.push(place);
  }
  return streets.filter(({ places }) => places.length > 1);
}

function lineOf(district: District, { name, isMain, places }: Street, index: number, scale: number): MapLine {
  const line: Ring = places.map((place) => {
    const { longitude, latitude } = pointOf(place, scale);
    return [longitude, latitude];
  });
  const isHighway = /Highway/.test(name);
  return {
    fips: district.fips,
    kind: 'road',
    id: `${district.key}-${index}`,
    name,
    rank: isHighway ? 1 : isMain || /Route|County Road/.test(name) ? 2 : 3,
    path: [line],
    box: boxOfPolygon([[line]]),
  };
}

export interface Water {
  fips: number;
  id: string;
  name: string;
  rings: Ring[];
  box: Box;
}

export function drawWater(scale: number): Water[] {
  const river = (from: number, to: number): Place[] => {
    const xs = Array.from({ length: 41 }, (_, step) => from + ((to - from) * step) / 40);
    const bank = (side: number) => xs.map((x) => ({ x, y: riverY(x) + side * riverHalfWidth(x) }));
    return [...bank(-1), ...bank(1).toReversed()];
  };
  const drafts: [fips: number, id: string, name: string, outline: Place[]][] = [
    [QUILLMOOR, 'lake', 'Heron Lake', lakeShore(0)],
    [QUILLMOOR, 'river-west', 'Ellow River', river(RIVER_START_X - 0.1, 7.6)],
    [WENDEMERE, 'river-east', 'Ellow River', river(7.6, coastX(riverY(15.2)) + 0.05)],
  ];
  return drafts.map(([fips, id, name, outline]) => {
    const rings = [ringOf(outline, scale)];
    return { fips, id, name, rings, box: boxOfPolygon([rings]) };
  });
}
