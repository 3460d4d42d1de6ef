// Seeded random numbers: each stream derives from its subject, so that one part can change without shifting another.

const SEED = 'platbook-sandbox-1';

/** One stream per subject: `randomFor('home', id)` is the same on every machine and in every call order. */
export function randomFor(...subject: (string | number)[]): Random {
  return new Random(hashOf(`${SEED}|${subject.join('|')}`));
}

export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** Uniform in [0, 1), by mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** An integer from low to high, inclusive. */
  whole(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.next());
  }

  normal(mean = 0, sigma = 1): number {
    return mean + sigma * Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)];
  }

  weighted<Key extends string>(weights: Partial<Record<Key, number>>): Key {
    return pickWeighted(weights, this.next());
  }
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

/** FNV-1a with a final avalanche, so that subjects differing by one digit start far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
