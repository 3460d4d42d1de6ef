// Compares rows with those near them: columns that slipped by a row in a part of the file, and cells that were filled down.
import { correlation } from '../../base/math/correlation.ts';
import { emptyTally, note } from './tally.ts';

type Neighbor = ReturnType<typeof neighborOf>;

function neighborOf(line: number, valueOf: (target: string, name: string) => unknown) {
  const amountOf = (target: string, name: string) => {
    const value = valueOf(target, name);
    return typeof value === 'number' && value > 0 ? value : null;
  };
  const [sqft, lot, year] = ['sqft', 'lot_sqft', 'year_built'].map((name) => amountOf('properties', name));
  const isHouse = valueOf('properties', 'property_type') === 'single_family';
  const soldOn = valueOf('transactions', 'sale_date') as string | null;
  return {
    line,
    home: valueOf('properties', 'property_id'),
    price: amountOf('transactions', 'price'),
    sqft,
    total: amountOf('assessments', 'total'),
    soldOn,
    /** Unknown where the first of a month or year may stand for all of it. */
    sale_date: soldOn?.endsWith('-01') ? null : soldOn,
    house: isHouse && sqft && lot && year ? [sqft, lot, year].join() : null,
    address: isHouse ? (valueOf('properties', 'address_line1') as string | null) : null,
    isDocumented: valueOf('transactions', 'document_number') !== null,
  };
}

/** Rows that are correlated at once; so many of them must have both amounts. */
export const PIECE = 50;
const FEW = 30;
/** By chance, hardly one piece in a thousand fits the row above or below so much better. */
const [FITS, BETTER] = [0.6, 0.3];
/** Prices below say nothing of a home. */
const NOMINAL = 10_000;
const MOST = 4000;
/** The sale of several parcels stands on as many rows. */
const NEAR = 6;

const REPEATED = ['price', 'sale_date', 'house', 'address'] as const;
const MOST_SALES = 20_000;

export class Neighbors {
  /** In the order of the file. */
  readonly first: Neighbor[] = [];
  /** Pieces of the file by whether their amounts fit the row above or below better than their own. */
  readonly slipped = { price: emptyTally(), total: emptyTally() };
  /** Sales by whether a row nearby tells the same price and day of another home. */
  readonly packages = emptyTally();
  /** Of a sample of sales that tell their day: those at a home that is not the first one with their price and day. */
  readonly elsewhere = emptyTally();
  readonly #homes = new Map<string, unknown>();
  /** Rows by whether they tell of their home what the row above tells of another one. */
  readonly filledDown = REPEATED.map((about) => ({ about, tally: emptyTally(), rises: 0, falls: 0 }));
  #near: Neighbor[] = [];
  #piece: Neighbor[] = [];

  see(line: number, valueOf: (target: string, name: string) => unknown): void {
    const row = neighborOf(line, valueOf);
    if (this.first.length < MOST) this.first.push(row);
    this.#compare(row);
    this.#near = [row, ...this.#near.slice(0, NEAR - 1)];
    this.#piece.push(row);
    if (this.#piece.length === PIECE) this.#correlate(this.#piece.splice(0));
  }

  #compare(row: Neighbor): void {
    const sale = `${row.price} on ${row.soldOn}`;
    const isSaleOf = (near: Neighbor) => near.price === row.price && near.soldOn === row.soldOn;
    const isPackage = this.#near.some((near) => isSaleOf(near) && near.home !== row.home);
    if (row.price && !row.isDocumented) note(this.packages, isPackage, () => `line ${row.line}: ${sale}`);
    if (row.price && row.sale_date && !isPackage) {
      if (this.#homes.size < MOST_SALES && !this.#homes.has(sale)) this.#homes.set(sale, row.home);
      note(this.elsewhere, (this.#homes.get(sale) ?? row.home) !== row.home, () => `line ${row.line}: ${sale}`);
    }
    const [above] = this.#near;
    if (!above || above.home === row.home) return;
    for (const repeats of this.filledDown) {
      const [before, value] = [above[repeats.about], row[repeats.about]];
      if (!before || !value) continue;
      if (value > before) repeats.rises++;
      if (value < before) repeats.falls++;
      const isSame = value === before && (!/price|date/.test(repeats.about) || !isSaleOf(above));
      note(repeats.tally, isSame, () => `line ${row.line}: ${value}`);
    }
  }

  #correlate(piece: Neighbor[]): void {
    const by = piece.filter(({ sqft }) => sqft !== null).length < FEW ? 'total' : 'sqft';
    for (const amount of ['price', 'total'] as const) {
      const fitOf = (lag: number) => {
        const pairs = piece.flatMap((row, i) => {
          const [value, other] = [row[amount] ?? 0, piece[i + lag]?.[by] ?? 0];
          return value > NOMINAL && other > 0 ? [[value, other] as const] : [];
        });
        return pairs.length < FEW ? Number.NaN : correlation(pairs).r;
      };
      const own = fitOf(0);
      const isBetter = Math.max(fitOf(-1), fitOf(1)) > Math.max(FITS, own + BETTER);
      if (!Number.isNaN(own))
        note(this.slipped[amount], isBetter, () => `lines ${piece[0].line} to ${piece[PIECE - 1].line}`);
    }
  }
}
