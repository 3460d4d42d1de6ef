// Compares rows with those near them: columns that slipped by a row in a part of the file, and cells that were filled down.
import { DAY_MS } from '../../base/lib/clock.ts';
import { correlation } from '../../base/math/correlation.ts';
import { median } from '../../base/math/quantiles.ts';
import { emptyTally, note, type Tally } from './tally.ts';

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
    beds: amountOf('properties', 'bedrooms'),
    zip: valueOf('properties', 'zip') as string | null,
    city: valueOf('properties', 'city') as string | null,
    point: ['latitude', 'longitude'].map((name) => valueOf('properties', name)) as [number, number],
    isMarket: valueOf('transactions', 'arms_length') !== false,
    taxYear: amountOf('assessments', 'year'),
    house: isHouse && sqft && lot && year ? [sqft, lot, year].join() : null,
    isHome: !/^(?:land|other|commercial|industrial)$/.test(String(valueOf('properties', 'property_type'))),
    address: isHouse ? (valueOf('properties', 'address_line1') as string | null) : null,
    isDocumented: valueOf('transactions', 'document_number') !== null,
  };
}

/** Rows that are compared with their neighbors at once, and those of them whose order may be lost. */
const CHUNK = 1000;
export const PIECE = 50;
/** So many of a piece must have both amounts. */
const FEW = 30;
/** Amounts that have to do with each other at all. */
const FITS = 0.5;
/** Of a run of rows that fit the row above or below: how much likelier that is than their own, as a logarithm, and the most
    that one row adds. By chance, hardly one file in a thousand has such a run. */
const [SURE, MOST_OF_ROW] = [30, 3];
/** In a file that is sorted by areas a poor street can look like such a run; there its own areas tell as much of the amounts. */
const BETTER = 0.3;
/** Twice the square of the spread, from the median of the squares. */
const SQUARES = 4.4;
/** In a piece that was sorted or pasted, amounts have so much less to do with each other than in most others. */
export const LESS = 0.6;
/** Prices below say nothing of a home. */
const NOMINAL = 10_000;
const MOST = 4000;
/** The sale of several parcels stands on as many rows. */
const NEAR = 6;

/** Amounts that belong to the size of a home. */
const SIZED = ['price', 'total', 'beds'] as const;
const REPEATED = ['price', 'sale_date', 'house', 'address'] as const;
const MOST_SALES = 20_000;
/** Fewer of the steps from row to row go against the order of a sorted file. */
const SORTED = 0.1;

export class Neighbors {
  /** In the order of the file. */
  readonly first: Neighbor[] = [];
  /** Rows by whether their amount fits the row above or below better than their own. */
  readonly slipped = SIZED.map((about) => ({ about, ...emptyTally() }));
  /** How much amounts and areas have to do with each other, piece by piece. */
  readonly pieces = SIZED.slice(0, 2).map((about) => ({
    about,
    fits: [] as { r: number; lines: string; rows: number }[],
  }));
  /** Sales by whether a row nearby tells the same price and day of another home. */
  readonly packages = emptyTally();
  /** Of a sample of sales that tell their day: those at a home that is not the first one with their price and day. */
  readonly elsewhere = emptyTally();
  /** Sales by whether the file tells of the same home and price within the two months around. */
  readonly again = emptyTally();
  /** Rows by whether they tell otherwise of a home that a row of a later year has told of. */
  readonly older = emptyTally();
  readonly #homes = new Map<string, unknown>();
  readonly #told = new Map<unknown, { taxYear: number; facts: string }>();
  readonly #sold = new Map<string, string>();
  /** Rows by whether they tell of their home what the row above tells of another one. */
  readonly filledDown = REPEATED.map((about) => ({ about, tally: emptyTally(), rises: 0, falls: 0 }));
  #near: Neighbor[] = [];
  #chunk: Neighbor[] = [];

  see(line: number, valueOf: (target: string, name: string) => unknown): void {
    const row = neighborOf(line, valueOf);
    if (this.first.length < MOST) this.first.push(row);
    this.#compare(row);
    this.#near = [row, ...this.#near.slice(0, NEAR - 1)];
    this.#chunk.push(row);
    if (this.#chunk.length === CHUNK) this.finish();
  }

  isSorted(by: (typeof REPEATED)[number]): boolean {
    const { rises, falls } = this.filledDown[REPEATED.indexOf(by)];
    return Math.min(rises, falls) <= SORTED * (rises + falls);
  }

  /** Judges the rows that wait for it. */
  finish(): void {
    const rows = this.#chunk.splice(0);
    for (const slipped of this.slipped) findSlip(rows, slipped);
    const pieces = rows.flatMap((_, i) => (i % PIECE === 0 ? [rows.slice(i, i + PIECE)] : []));
    for (const { about, fits } of this.pieces)
      // In a file that was sorted, only all of it has a spread.
      for (const piece of [...pieces, rows]) {
        const homes = piece.filter(({ isHome, isMarket }) => isHome && isMarket);
        const pairs = homes.map((_, i) => pairOf(homes, i, about, 0)).filter((pair) => pair !== undefined);
        const { r, hasSpread } = correlation(pairs);
        const lines = `lines ${piece[0]?.line} to ${piece.at(-1)?.line}`;
        if (pairs.length >= FEW && hasSpread && (piece !== rows || fits.length === 0))
          fits.push({ r, lines, rows: piece.length });
      }
  }

  #compare(row: Neighbor): void {
    const sale = `${row.price} on ${row.soldOn}`;
    const isSaleOf = (near: Neighbor) => near.price === row.price && near.soldOn === row.soldOn;
    const isPackage = this.#near.some((near) => isSaleOf(near) && near.home !== row.home);
    const price = row.price ?? 0;
    if (price > NOMINAL && !row.isDocumented) note(this.packages, isPackage, () => `line ${row.line}: ${sale}`);
    if (price > NOMINAL && row.sale_date && !isPackage) {
      if (this.#homes.size < MOST_SALES && !this.#homes.has(sale)) this.#homes.set(sale, row.home);
      note(this.elsewhere, (this.#homes.get(sale) ?? row.home) !== row.home, () => `line ${row.line}: ${sale}`);
    }
    if (price > NOMINAL && row.soldOn) {
      const known = `${String(row.home)} ${price}`;
      const before = this.#sold.get(known) ?? row.soldOn;
      if (this.#sold.size < MOST_SALES) this.#sold.set(known, row.soldOn);
      const days = Math.abs(Date.parse(before) - Date.parse(row.soldOn)) / DAY_MS;
      note(this.again, days > 0 && days < 60, () => `line ${row.line}: ${sale}, also ${before}`);
    }
    if (row.taxYear) {
      const facts = [row.sqft, row.beds].join();
      const before = this.#told.get(row.home) ?? { taxYear: row.taxYear, facts };
      if (this.#told.size < MOST_SALES) this.#told.set(row.home, before);
      const isOlder = row.taxYear < before.taxYear && facts !== before.facts;
      note(this.older, isOlder, () => `line ${row.line}: ${row.taxYear}, after ${before.taxYear}`);
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
}

/** The amount of a row and the size that the row above, below or itself tells: its area, or its value where there is none. */
function pairOf(rows: Neighbor[], i: number, about: (typeof SIZED)[number], lag: number): [number, number] | undefined {
  const [value, near] = [rows[i].isHome ? rows[i][about] : null, rows[i + lag]];
  const size = near?.isHome && (near.sqft ?? (about === 'price' ? near.total : null));
  return value && size && (value > NOMINAL || about === 'beds') ? [value, size] : undefined;
}

/** Notes the run of rows that fits the row above or below best. */
function findSlip(rows: Neighbor[], slipped: Tally & { about: (typeof SIZED)[number] }): void {
  const lags = [0, -1, 1].map((lag) => rows.map((_, i) => pairOf(rows, i, slipped.about, lag)));
  const lines = lags.map((pairs) => correlation(pairs.filter((pair) => pair !== undefined)));
  const [best] = lines.toSorted((a, b) => b.r - a.r);
  if (lags[0].filter((pair) => pair !== undefined).length < FEW || best.r < FITS) return;
  slipped.total += rows.length;
  const misses = lags.map((pairs) => pairs.map((pair) => (pair ? best.missOf(...pair) ** 2 : Number.NaN)));
  const usual = Math.min(...misses.map((list) => median(list.filter((miss) => !Number.isNaN(miss)))));
  let run = { score: SURE, from: 0, to: -1, lag: 0 };
  for (const lag of [1, 2]) {
    let [score, from] = [0, 0];
    misses[0].forEach((own, i) => {
      const gain = (own - misses[lag][i]) / (SQUARES * usual) || 0;
      if (score === 0) from = i;
      score = Math.max(0, score + Math.max(-MOST_OF_ROW, Math.min(MOST_OF_ROW, gain)));
      if (score > run.score) run = { score, from, to: i, lag };
    });
  }
  const inRun = (pairs: (typeof lags)[number]) =>
    pairs.slice(run.from, run.to + 1).filter((pair) => pair !== undefined);
  if (run.to < 0 || correlation(inRun(lags[run.lag])).r < correlation(inRun(lags[0])).r + BETTER) return;
  slipped.count += run.to - run.from + 1;
  slipped.examples.push(`lines ${rows[run.from].line} to ${rows[run.to].line}`);
}
