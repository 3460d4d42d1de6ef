// Precomputed homes and sales per map square, so a drawn area needs a few hundred rows instead of tens of thousands:
// squares entirely inside are used whole, and only the homes of the others are tested. Pure.
import * as geo from '../../base/lib/geo.ts';
import type { Place } from '../../records/properties/filter.ts';
import type { SaleFact } from './cells.ts';
import type { HomeFact } from './stock.ts';

type KeptSale = [
  soldOn: string,
  isYearOnly: 0 | 1,
  price: number,
  sqft: number | null,
  assessed: number | null,
  source: string,
];
type KeptHome = [latitude: number, longitude: number, type: string];
type SoldHome = [...KeptHome, sales: KeptSale[]];

/** About 700 by 500 meters: a drawn area of a few thousand homes is mostly whole squares. */
export const SQUARE_DEGREES = 0.00625;

export interface Square {
  fips: number;
  market: string;
  cell: number;
  /** All homes in it, including those of unknown type, which no series has. */
  n: number;
  sold: SoldHome[];
  /** Counts of unsold homes by type and, for edge squares, their locations. */
  unsold_count: Record<string, number>;
  unsold: KeptHome[] | null;
}

/** Add all sales of a market before its homes. */
export function createSquareBook(market: string) {
  const sales = new Map<string, KeptSale[]>();
  const squares = new Map<string, Square & { unsold: KeptHome[] }>();
  return {
    addSale({ home, soldOn, isYearOnly, price, sqft, assessed, source }: Omit<SaleFact, 'areas'>): void {
      const own = sales.get(home) ?? [];
      sales.set(home, own);
      own.push([soldOn, isYearOnly ? 1 : 0, price, sqft, assessed, source]);
    },
    addHome({ fips, id, latitude, longitude, propertyType: type }: Omit<HomeFact, 'areas'> & { id: string }): void {
      if (latitude === null || longitude === null) return;
      const cell = geo.cellOf({ latitude, longitude }, SQUARE_DEGREES);
      const key = `${fips} ${cell}`;
      const square = squares.get(key) ?? { fips, market, cell, n: 0, sold: [], unsold_count: {}, unsold: [] };
      squares.set(key, square);
      square.n++;
      if (type === null) return;
      const own = sales.get(id);
      if (own) return void square.sold.push([latitude, longitude, type, own]);
      square.unsold.push([latitude, longitude, type]);
      square.unsold_count[type] = (square.unsold_count[type] ?? 0) + 1;
    },
    squares: () => [...squares.values()],
  };
}

const NOWHERE = { market: null, county: null, city: null, zip: null, tract: null, neighborhood: null };

/** The touched squares whose homes must be tested: all of them, unless the place is a polygon. */
export function edgeOf(place: Place, cells: number[]): Set<number> {
  return place.kind === 'polygon' ? geo.edgeCellsOf(place.polygons, SQUARE_DEGREES) : new Set(cells);
}

/** The sales of the homes of some types in a place, and how many homes each market has there. */
export function readSquares(
  squares: Square[],
  { place, edge, types }: { place: Place; edge: ReadonlySet<number>; types: ReadonlySet<string> },
): { sales: SaleFact[]; homes: Map<string, number> } {
  const sales: SaleFact[] = [];
  const homes = new Map<string, number>();
  for (const [at, { market, cell, sold, unsold_count, unsold }] of squares.entries()) {
    const isWhole = !edge.has(cell);
    if (isWhole && !holds(place, middleOf(cell))) continue;
    const isIn = ([latitude, longitude, type]: KeptHome | SoldHome) =>
      types.has(type) && (isWhole || holds(place, { latitude, longitude }));
    const found = sold.filter(isIn);
    const others = isWhole ? Object.entries(unsold_count).filter(([type]) => types.has(type)) : [];
    const count = unsold ? unsold.filter(isIn).length : others.reduce((sum, [, n]) => sum + n, 0);
    if (found.length + count > 0) homes.set(market, (homes.get(market) ?? 0) + found.length + count);
    for (const [k, [latitude, longitude, propertyType, own]] of found.entries()) {
      const traits = { propertyType, bedrooms: null, yearBuilt: null };
      const home = { home: `${at} ${k}`, latitude, longitude, ...traits, areas: NOWHERE };
      for (const [soldOn, isYearOnly, price, sqft, assessed, source] of own)
        sales.push({ ...home, soldOn, isYearOnly: isYearOnly === 1, price, sqft, assessed, source });
    }
  }
  return { sales, homes };
}

function middleOf(cell: number): geo.Point {
  const { minLatitude, minLongitude } = geo.boxOfCell(cell, SQUARE_DEGREES);
  return { latitude: minLatitude + SQUARE_DEGREES / 2, longitude: minLongitude + SQUARE_DEGREES / 2 };
}

/** The same test as in a search. */
function holds(place: Place, point: geo.Point): boolean {
  if (!geo.boxHolds(place.box, point)) return false;
  if (place.kind === 'polygon') return geo.polygonsHold(place.polygons, point);
  return place.kind === 'box' || geo.distanceMiles(place.center, point) <= place.radiusMiles;
}
