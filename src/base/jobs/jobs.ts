// Loads and trainings as jobs: whoever wants one puts it into a table, and any worker takes it, so that many markets take
// as long as their share of the workers. A job whose worker is lost is taken by another when its lease ends.
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { announceWork } from '../events/sql.ts';
import { DAY_MS } from '../lib/clock.ts';
import { randomId } from '../lib/ids.ts';
import * as sql from './sql.ts';

const LEASE_MS = 30_000;
const RENEW_MS = 5_000;
const LOOK_MS = 1_000;
const MOST_ATTEMPTS = 3;
const KEPT_MS = 30 * DAY_MS;
const LOST = 'Every process that tried was lost. See its log, and try again.';

type JobDeps = Pick<Deps, 'control' | 'clock'>;

/** What the process of a job reports. */
export type JobOutcome = { result: string } | { error: string };

/** The process that did the job is gone: another has to. */
export class JobLost extends Error {
  /** Ended by us, which does not count as a try. */
  readonly isOurs: boolean;
  constructor(message: string, isOurs: boolean) {
    super(message);
    this.isOurs = isOurs;
  }
}

/** Does a job and returns what there is to say about it. */
type Perform = (job: sql.JobRow) => Promise<string>;

export async function submitJobs(
  deps: JobDeps,
  kind: sql.JobKind,
  subjects: string[],
  options: sql.JobOptions,
): Promise<string[]> {
  const ids: string[] = [];
  for (const subject of subjects)
    ids.push(await sql.insertJob(deps.control, { id: randomId('mjob'), kind, subject, options }, deps.clock()));
  await announceWork(deps.control, 'markets');
  return ids;
}

/** One job from claim to end; false when there is none to do. `ids` limits it to some. */
export async function workOnJob(deps: JobDeps, perform: Perform, ids?: string[]): Promise<boolean> {
  const now = deps.clock();
  await sql.failLostJobs(deps.control, { now, mostAttempts: MOST_ATTEMPTS, result: LOST });
  const job = await sql.claimJob(deps.control, {
    now,
    leasedUntil: leaseFrom(now),
    mostAttempts: MOST_ATTEMPTS,
    host: hostname(),
    ids,
  });
  if (!job) return false;
  const timer = setInterval(
    // A database that is away for a moment has the rest of the lease to come back.
    () => void sql.renewJob(deps.control, job, leaseFrom(deps.clock())).catch(() => {}),
    RENEW_MS,
  );
  try {
    const result = await perform(job);
    await sql.finishJob(deps.control, { ...job, state: 'done', result, at: deps.clock() });
  } catch (error) {
    if (error instanceof JobLost && (error.isOurs || job.attempts < MOST_ATTEMPTS)) {
      await sql.releaseJob(deps.control, job, error.isOurs);
      return true;
    }
    const result = (error as Error).message.split('\n')[0].slice(0, 500);
    await sql.finishJob(deps.control, { ...job, state: 'failed', result, at: deps.clock() });
  } finally {
    clearInterval(timer);
  }
  return true;
}

/** Takes part in the jobs until all of them have ended, and tells of each as it ends. */
export async function workUntilDone(
  deps: JobDeps,
  { ids, perform, onEnd }: { ids: string[]; perform: Perform; onEnd(job: sql.JobRow): void },
): Promise<void> {
  const told = new Set<string>();
  for (;;) {
    const isBusy = await workOnJob(deps, perform, ids);
    for (const job of await sql.listJobs(deps.control, ids)) {
      if (told.has(job.id) || (job.state !== 'done' && job.state !== 'failed')) continue;
      told.add(job.id);
      onEnd(job);
    }
    if (told.size === ids.length) return;
    if (!isBusy) await sleep(LOOK_MS);
  }
}

export async function forgetOldJobs(deps: JobDeps): Promise<void> {
  await sql.deleteFinishedJobs(deps.control, new Date(deps.clock().getTime() - KEPT_MS));
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}
