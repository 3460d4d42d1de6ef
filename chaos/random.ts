// Choices that a seed repeats.
import { seededRandom } from '../bench/synthetic.ts';

export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  between(low: number, high: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

export function createRandom(seed: number): Random {
  const next = seededRandom(seed);
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick: (items) => items[Math.floor(next() * items.length)],
    shuffle: (items) => {
      const rest = [...items];
      return items.map(() => rest.splice(Math.floor(next() * rest.length), 1)[0]);
    },
  };
}
