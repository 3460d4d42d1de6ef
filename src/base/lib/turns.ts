// Limits how much work runs at once. The rest waits for its turn, in the order it arrived.

/** Runs the work when its turn comes. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

interface Limits {
  /** How many run at once; one by default, so that each runs after the one before it. */
  most?: number;
  /** How many may wait. */
  mostWaiting?: number;
  /** Throws what whoever comes when all places are taken gets. */
  refuse?(): never;
}

export function createTurns({ most = 1, mostWaiting = Infinity, refuse }: Limits = {}): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < most) running++;
    else {
      if (waiting.length >= mostWaiting) refuse?.();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // The next in line takes over the slot, so `running` stays as it is.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
