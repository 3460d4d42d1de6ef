// An index as it is kept: with what was published for each period at first, so that every revision can be seen. Pure.
import { nextStart } from './cells.ts';
import type { AreaIndex } from './price-index.ts';
import { isClosed } from './revisions.ts';

/** By period: the index first published after the period had closed, in hundredths of the base; null while it is open. */
export interface KeptIndex extends Omit<AreaIndex, 'kind' | 'area' | 'propertyType' | 'step'> {
  published: (number | null)[];
  sources: string[];
}

/** 100 at the base period. */
export const indexOf = (level: number): number => Math.round(1e4 * Math.exp(level)) / 100;

export function keepPublished(
  { kind: _kind, area: _area, propertyType: _type, step, ...index }: AreaIndex,
  before: KeptIndex | undefined,
  lastSoldOn: string | null,
): Omit<KeptIndex, 'sources'> {
  const earlier = before?.base === index.base ? before : undefined;
  const old = new Map<string, number | null>();
  for (let [starts, k] = [earlier?.first ?? '', 0]; k < (earlier?.published.length ?? 0); k++) {
    old.set(starts, earlier!.published[k]);
    starts = nextStart(starts, step);
  }
  const published: (number | null)[] = [];
  for (let [starts, k] = [index.first, 0]; k < index.level.length; k++) {
    const isOut = isClosed(starts, step, lastSoldOn);
    published.push(isOut ? (old.get(starts) ?? indexOf(index.level[k])) : null);
    starts = nextStart(starts, step);
  }
  return { ...index, published };
}
