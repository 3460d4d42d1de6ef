// Seeded random numbers: a stream follows from the words it is asked for, so that one part can change without moving another.

export type Random = {
  /** Uniform in [0, 1). */
  next(): number;
  between(low: number, high: number): number;
  /** A whole number from low to high, both included. */
  whole(low: number, high: number): number;
  normal(mean?: number, sigma?: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  weighted<Key extends string>(weights: Partial<Record<Key, number>>): Key;
};

const SEED = 'platbook-sandbox-1';

/** One stream per subject: `randomFor('home', id)` is the same on every machine and in every order of calls. */
export function randomFor(...subject: (string | number)[]): Random {
  let state = hashOf(`${SEED}|${subject.join('|')}`);
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    whole: (low, high) => low + Math.floor((high - low + 1) * next()),
    normal: (mean = 0, sigma = 1) =>
      mean + sigma * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)],
    weighted: (weights) => pickWeighted(weights, next()),
  };
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = random.whole(0, last);
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}

function pickWeighted<Key extends string>(weights: Partial<Record<Key, number>>, uniform: number): Key {
  const entries = Object.entries(weights) as [Key, number][];
  let rest = uniform * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [key, weight] of entries) {
    rest -= weight;
    if (rest < 0) return key;
  }
  return entries[entries.length - 1][0];
}

/** FNV-1a with a final avalanche, so that subjects that differ by one digit start far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
