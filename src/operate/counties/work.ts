// The worker's side of a step: claims it, starts a process that does it, and ends that process when it is to be canceled.
// A process of its own, so that requests do not wait behind a training, and so that there is something to kill.
import type { Deps } from '../../base/deps.ts';
import * as sql from './sql.ts';

const LEASE_MS = 30_000;
const LOOK_EVERY_MS = 1_000;
const LOST = 'The server stopped while this was running. Nothing is left half done: try again.';

export interface StepProcess {
  /** Resolves when the process has ended, with how. */
  ended: Promise<string>;
  kill(): void;
}

type WorkDeps = Pick<Deps, 'control' | 'clock' | 'catalog' | 'places' | 'models'>;

/** One step from claim to end; false when there is none to do. */
export async function workOnCounties(
  deps: WorkDeps,
  start: (stepId: string) => StepProcess,
  stopping?: AbortSignal,
): Promise<boolean> {
  const now = deps.clock();
  await sql.failLostSteps(deps.control, now, LOST);
  const step = await sql.claimStep(deps.control, now, leaseFrom(now));
  if (!step) return false;
  const child = start(step.id);
  let why: 'canceled' | 'stopped' | undefined;
  const end = (reason: typeof why) => {
    why ??= reason;
    child.kill();
  };
  const onStop = () => end('stopped');
  if (stopping?.aborted) onStop();
  stopping?.addEventListener('abort', onStop);
  const timer = setInterval(() => {
    sql.renewStep(deps.control, step.id, leaseFrom(deps.clock())).then(
      (isCanceled) => {
        if (isCanceled) end('canceled');
        // Taken for lost, so someone may be trying again already.
        if (isCanceled === undefined) end('stopped');
      },
      // The database is away: the lease has time, and the process will notice by itself.
      () => {},
    );
  }, LOOK_EVERY_MS);
  const how = await child.ended;
  clearInterval(timer);
  stopping?.removeEventListener('abort', onStop);
  // A process that came to an end of its own has said so; this is for one that could not.
  await sql.finishStep(deps.control, {
    id: step.id,
    state: why === 'canceled' ? 'canceled' : 'failed',
    result: null,
    error: why === 'canceled' ? null : why === 'stopped' ? LOST : `The process that did this ended ${how}. Try again.`,
    finished_at: deps.clock(),
  });
  for (const kept of [deps.catalog, deps.places, deps.models]) kept.forget();
  return true;
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}
