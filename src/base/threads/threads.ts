// Heavy work on a few threads: reading a file, printing a page or simulating a portfolio for one caller delays no other
// caller's request. Each task has time and memory limits, scheduling is fair across accounts, and overflow is rejected.
import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { ApiError, type ErrorCode, type ErrorMembers } from '../lib/errors.ts';
import { createTurns } from '../lib/turns.ts';

/** A waiting task may hold a body of 16 MB. */
const MOST_WAITING_PER_ACCOUNT = 8;
const MOST_WAITING = 64;
/** CPU time of a thread. The largest accepted body, 16 MB of CSV, takes 2 s and 150 MB. */
const LONGEST_MS = 20_000;
/** On a busy machine a thread waits for a core longer than it works, but not forever. */
const MOST_WAITING_FOR_A_CORE = 5;
const MEMORY = { maxOldGenerationSizeMb: 320, maxYoungGenerationSizeMb: 64 };

type Work = (...args: never[]) => unknown;

interface Place {
  /** The module that exports the work. */
  file: URL;
  name: string;
  /** The account for fair scheduling. */
  account: string;
}

interface Threads {
  /** Calls a function on a thread; its arguments and its result are copied. */
  run<Function extends Work>(place: Place, ...args: Parameters<Function>): Promise<Awaited<ReturnType<Function>>>;
}

type Answer =
  | { result: unknown }
  | { error: Error }
  | { refusal: { code: ErrorCode; detail: string; members: ErrorMembers } };

declare module '../deps.ts' {
  interface Deps {
    threads: Threads;
  }
}

/** Tells our threads from others that import this file. */
const THREAD = 'platbook-thread';

export function createThreads({
  most = Math.max(2, availableParallelism() - 1),
  longestMs = LONGEST_MS,
} = {}): Threads {
  const idle: Worker[] = [];
  const inTurn = createTurns({
    most,
    mostOf: () => 1,
    mostWaitingOf: MOST_WAITING_PER_ACCOUNT,
    mostWaiting: MOST_WAITING,
  });

  async function carryOut({ file, name }: Place, args: unknown[]): Promise<unknown> {
    const worker = idle.pop() ?? new Worker(new URL(import.meta.url), { workerData: THREAD, resourceLimits: MEMORY });
    worker.ref();
    try {
      const answer = await askWorker(worker, { file: file.href, name, args }, longestMs);
      if ('refusal' in answer) throw new ApiError(answer.refusal.code, answer.refusal.detail, answer.refusal.members);
      if ('error' in answer) throw answer.error;
      // A thread without work does not keep the process alive.
      worker.unref();
      idle.push(worker);
      return withBuffer(answer.result);
    } catch (error) {
      // A thread with leftovers of failed work is not reused.
      worker.on('error', () => {});
      void worker.terminate();
      throw error;
    }
  }

  return {
    run: (place, ...args) => inTurn(() => carryOut(place, args) as Promise<never>, place.account),
  };
}

function askWorker(worker: Worker, order: object, longestMs: number): Promise<Answer> {
  let stop = () => {};
  let isOver = false;
  return new Promise<Answer>((resolve, reject) => {
    const tooMuch = (what: string) =>
      reject(new ApiError('payload_too_large', `This takes more ${what} than one request may. Send less at once.`));
    const cap = setTimeout(() => tooMuch('time'), longestMs * MOST_WAITING_FOR_A_CORE);
    const spentBefore = spentBy(worker, 0);
    const check = async () => {
      const leftMs = longestMs - (await spentBy(worker, Infinity)) + (await spentBefore);
      if (leftMs <= 0) tooMuch('time');
      else if (!isOver) timer = setTimeout(check, leftMs);
    };
    let timer = setTimeout(check, longestMs);
    const listeners = {
      message: resolve,
      error: (error: NodeJS.ErrnoException) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('memory') : reject(error),
      exit: (code: number) => reject(new Error(`the thread ended with code ${code}`)),
    };
    for (const [name, listener] of Object.entries(listeners)) worker.once(name, listener);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(order);
    stop = () => {
      isOver = true;
      clearTimeout(cap);
      clearTimeout(timer);
      for (const [name, listener] of Object.entries(listeners)) worker.off(name, listener);
    };
  }).finally(() => stop());
}

/** CPU milliseconds of a thread. One that does not answer has not started, or has ended. */
const spentBy = (worker: Worker, otherwise: number): Promise<number> =>
  worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1_000,
    () => otherwise,
  );

if (workerData === THREAD && parentPort) {
  parentPort.on('message', async ({ file, name, args }: { file: string; name: string; args: never[] }) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort!.postMessage(await answerOrder(file, name, args));
  });
}

/** Copying turns a Buffer into a Uint8Array. */
const withBuffer = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;

async function answerOrder(file: string, name: string, args: never[]): Promise<Answer> {
  try {
    const module = (await import(file)) as Record<string, Work>;
    return { result: await module[name](...(args.map(withBuffer) as never[])) };
  } catch (error) {
    if (!(error instanceof ApiError)) return { error: error as Error };
    return { refusal: { code: error.code, detail: error.message, members: error.members } };
  }
}
