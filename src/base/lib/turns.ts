// Limits how much work runs at once. The rest waits in FIFO order; named callers are served round-robin.
import { fail } from './errors.ts';

/** Runs the work when its turn comes. */
export type Turns = <Result>(work: () => Promise<Result>, caller?: string) => Promise<Result>;

interface Limits {
  /** Maximum concurrency; one by default, which serializes the work. */
  most?: number;
  mostOf?(caller: string): number;
  /** How many may wait. */
  mostWaiting?: number;
  mostWaitingOf?: number;
  /** Throws the error for a caller that arrives when the queue is full, by default a 429. */
  refuse?(): never;
}

const RETRY_AFTER_SECONDS = 2;
export const refuseToWait = (): never =>
  fail('rate_limited', `Too much work of this kind is waiting. Try again in ${RETRY_AFTER_SECONDS} s.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

export function createTurns({
  most = 1,
  mostOf = () => Infinity,
  mostWaiting = Infinity,
  mostWaitingOf = Infinity,
  refuse = refuseToWait,
}: Limits = {}): Turns {
  const running = new Map<string, number>();
  /** Waiting work by caller, in round-robin order. */
  const queues = new Map<string, (() => void)[]>();
  let [allRunning, allWaiting] = [0, 0];

  const mayRun = (caller: string) => allRunning < most && (running.get(caller) ?? 0) < mostOf(caller);
  function count(caller: string, change: 1 | -1): void {
    const own = (running.get(caller) ?? 0) + change;
    if (own === 0) running.delete(caller);
    else running.set(caller, own);
    allRunning += change;
  }
  function startNext(): void {
    for (const [caller, queue] of queues) {
      if (!mayRun(caller)) continue;
      const begin = queue.shift()!;
      queues.delete(caller);
      // Moves the caller to the end.
      if (queue.length > 0) queues.set(caller, queue);
      allWaiting -= 1;
      count(caller, 1);
      begin();
    }
  }

  return async (work, caller = '') => {
    const queue = queues.get(caller) ?? [];
    if (queue.length === 0 && mayRun(caller)) count(caller, 1);
    else {
      if (allWaiting >= mostWaiting || queue.length >= mostWaitingOf) refuse();
      allWaiting += 1;
      await new Promise<void>((resolve) => {
        queue.push(resolve);
        queues.set(caller, queue);
        startNext();
      });
    }
    try {
      return await work();
    } finally {
      count(caller, -1);
      startNext();
    }
  };
}
