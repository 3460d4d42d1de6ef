// Tracks revisions of published figures: late sales, revised figures, and indexes as first published. Pure.
import { nextStart, startOfPeriod, type Cell, type Step } from './cells.ts';
import type { AreaIndex } from './price-index.ts';

/** A stored cell. */
export interface KeptCell extends Cell {
  /** Sales known when the period was first published after its end; null while it is open. */
  nFirst: number | null;
  /** When published figures last changed. */
  revisedOn: string | null;
}

export interface Occasion {
  step: Step;
  /** The last sale known now, and at the previous roll-up; null if there was none. */
  lastSoldOn: string | null;
  lastSoldBefore: string | null;
  today: string;
}

/** A period is closed once a later sale of the market is known, because records then reach beyond it. */
export const isClosed = (starts: string, step: Step, lastSoldOn: string | null): boolean =>
  lastSoldOn !== null && nextStart(starts, step) <= lastSoldOn;

export function reviseCells(cells: Cell[], before: KeptCell[], { step, lastSoldOn, lastSoldBefore, today }: Occasion) {
  const earlier = new Map(before.map((cell) => [cell.starts, cell]));
  return cells.map((cell): KeptCell => {
    const old = earlier.get(cell.starts);
    const wasClosed = isClosed(cell.starts, step, lastSoldBefore);
    // A closed period without a cell had no sales, so all of them are late.
    const nFirst = wasClosed ? (old ? old.nFirst : 0) : isClosed(cell.starts, step, lastSoldOn) ? cell.n : null;
    const isRevised = wasClosed && (old === undefined || !hasSameFigures(cell, old));
    return { ...cell, nFirst, revisedOn: isRevised ? today : (old?.revisedOn ?? null) };
  });
}

/** Compares counts and prices only: a late assessment is not a revision. */
function hasSameFigures(a: Cell, b: Cell): boolean {
  const figures = ({ n, prices, nSqft, perSqft }: Cell) => JSON.stringify([n, prices, nSqft, perSqft]);
  return figures(a) === figures(b);
}

/** By period: the index first published after the period closed, in hundredths of the base; null while it is open. */
export interface KeptIndex extends Omit<AreaIndex, 'kind' | 'area' | 'propertyType' | 'step' | 'marketBase'> {
  published: (number | null)[];
  sources: string[];
}

/** The index of a log level: 100 at the base period. */
export const indexOf = (level: number): number => Math.round(1e4 * Math.exp(level)) / 100;

export function keepPublished(
  { kind: _kind, area: _area, propertyType: _type, marketBase: _base, step, ...index }: AreaIndex,
  before: KeptIndex | undefined,
  lastSoldOn: string | null,
): Omit<KeptIndex, 'sources'> {
  const earlier = before?.base === index.base ? before : undefined;
  const old = new Map(earlier?.published.map((value, k) => [startOfPeriod(earlier.first, k, step), value]));
  const published = index.level.map((level, k) => {
    const starts = startOfPeriod(index.first, k, step);
    return isClosed(starts, step, lastSoldOn) ? (old.get(starts) ?? indexOf(level)) : null;
  });
  return { ...index, published };
}
