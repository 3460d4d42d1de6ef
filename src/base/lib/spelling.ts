// Spelling: edit distance, the tolerance for a name, and an index that finds similar names without scanning all.

/** Only the start of a name is varied, which needs a third of the keys; the edit distance checks the rest. */
const HEAD_LENGTH = 7;

const MIN_FOR_ONE = 4;
const MIN_FOR_TWO = 9;

/** Maximum edits corrected: none in short names and numbered streets, one from 4 letters, two from 9. */
export function tolerance(name: string): number {
  if (!/^[A-Z]+$/.test(name)) return 0;
  if (name.length >= MIN_FOR_TWO) return 2;
  return name.length >= MIN_FOR_ONE ? 1 : 0;
}

/** Counts insertions, deletions, replacements and transpositions up to `max`; returns `max + 1` beyond it. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(last[j] + 1, row[j - 1] + 1, replaced);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, beforeLast[j - 2] + 1);
      row.push(cost);
      best = Math.min(best, cost);
    }
    if (best > max) return max + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}

/** The start of the name with up to `edits` letters left out. Two names within that many edits share at least one of
    these keys, so equality on keys finds them (the symmetric-delete method). */
export function spellingKeys(name: string, edits: number): string[] {
  const keys = new Set([name.slice(0, HEAD_LENGTH)]);
  let shorter = [...keys];
  for (let round = 0; round < edits; round++) {
    shorter = shorter.flatMap((key) => Array.from(key, (_, index) => key.slice(0, index) + key.slice(index + 1)));
    for (const key of shorter) keys.add(key);
  }
  return [...keys];
}

/** The keys a name is indexed under. Short names too: HOE competes with HOME when HOEE was typed. */
export function indexedSpellings(name: string): string[] {
  if (!/^[A-Z]{2,}$/.test(name)) return [];
  return spellingKeys(name, name.length >= MIN_FOR_TWO - 2 ? 2 : 1);
}

/** An in-memory index of names by similar spelling. */
export class SpellingIndex {
  readonly #names = new Map<string, string[]>();

  constructor(names: Iterable<string>) {
    for (const name of names) {
      for (const key of indexedSpellings(name)) {
        const list = this.#names.get(key);
        if (list) list.push(name);
        else this.#names.set(key, [name]);
      }
    }
  }

  /** Other names within `edits` of this one. */
  listNear(name: string, edits: number): string[] {
    const near = new Set<string>();
    for (const key of spellingKeys(name, edits)) {
      for (const other of this.#names.get(key) ?? []) {
        if (other !== name && editDistance(name, other, edits) <= edits) near.add(other);
      }
    }
    return [...near];
  }
}
