// The job engine. A submitter inserts a row; any worker claims it under a lease, renews the lease while it works, and
// completes it. If a worker dies, another claims the job when the lease expires.
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { announceWork } from '../events/sql.ts';
import { randomId } from '../lib/ids.ts';
import { createTurns } from '../lib/turns.ts';
import { backoffMs, keepRenewing, leaseFrom } from './lease.ts';
import type { JobName } from './payloads.ts';
import * as sql from './sql.ts';

/** The payload that announces new jobs. */
export const JOBS_TOPIC = 'jobs';

/** Also the maximum delay before a running job is canceled. */
const RENEW_MS = 1_000;
const POLL_MS = 1_000;
const REPORT_EVERY_MS = 500;
/** After this, a stopping worker abandons work that ignores the signal and leaves it to another worker. */
const STOP_WITHIN_MS = 10_000;
const LONGEST_ERROR = 2_000;
const LOST = 'The server stopped while this was running. Nothing is left half done: try again.';

type JobDeps = Pick<Deps, 'control' | 'clock' | 'log'>;

/** The job's process died: it is retried immediately. */
export class JobLost extends Error {}

/** A retry would fail the same way. */
export class FinalError extends Error {}

/** Reports a job's progress. */
export type JobReporter = (progress: Partial<sql.JobProgress> & Pick<sql.JobProgress, 'phase'>) => void;

export interface JobContext {
  /** Aborted when the job is canceled, its worker stops, or another worker has claimed it. */
  signal: AbortSignal;
  report: JobReporter;
}

export interface JobDefinition<Name extends JobName = JobName> {
  /** A job with one attempt is never repeated automatically, not even when its worker stops. */
  attempts: number;
  /** Total claims allowed when workers die; by default `attempts`. */
  claims?: number;
  /** The initial backoff, which doubles. Without it, an error ends the job. */
  retryMs?: number;
  /** Returns the result of the job, if it has one. */
  run(job: sql.Job<Name>, context: JobContext): Promise<object | void>;
  /** Called before the job is ended as failed; once more if the worker dies in between. */
  onFailed?(job: sql.Job<Name>, error: Error): Promise<void>;
  /** A recurring job returns to the queue for this time. */
  next?(job: sql.Job<Name>, now: Date): Date;
}

export type JobDefinitions = { [Name in JobName]?: JobDefinition<Name> };

export async function submitJob<Name extends JobName>(
  { clock }: Pick<Deps, 'clock'>,
  db: Queryable,
  job: sql.NewJob<Name>,
): Promise<{ job: sql.Job<Name>; isNew: boolean }> {
  const [id, at] = [randomId('job'), clock()];
  const inserted = await sql.insertJob(db, { ...job, id, runAt: at, at });
  await announceWork(db, JOBS_TOPIC);
  return { job: inserted, isNew: inserted.id === id };
}

/** A subject with an open job is not queued twice. Returns the ids of the open jobs. */
export async function submitJobs<Name extends JobName>(
  deps: Pick<Deps, 'control' | 'clock'>,
  subjects: string[],
  job: Omit<sql.NewJob<Name>, 'subject'>,
): Promise<string[]> {
  const ids: string[] = [];
  for (const subject of subjects) ids.push((await submitJob(deps, deps.control, { ...job, subject })).job.id);
  return ids;
}

interface WorkOptions {
  /** Only these jobs. */
  ids?: string[];
  stopping?: AbortSignal;
  /** Another listener for a job's progress. */
  reporterOf?(job: sql.Job): JobReporter;
}

/** Claims one of the defined jobs and performs it to its end; false if there is none to do. */
export async function workOnJob(deps: JobDeps, definitions: JobDefinitions, options: WorkOptions = {}) {
  const started = await startJob(deps, definitions, options);
  await started?.ended;
  return started !== undefined;
}

/** Claims one of the defined jobs and begins to perform it. */
export async function startJob(
  deps: JobDeps,
  definitions: JobDefinitions,
  { ids, stopping, reporterOf }: WorkOptions = {},
): Promise<{ ended: Promise<void> } | undefined> {
  const now = deps.clock();
  const names = Object.keys(definitions);
  const claim = { names, now, leasedUntil: leaseFrom(now), host: hostname(), ids };
  const job = await sql.claimJob(deps.control, claim);
  if (!job) return undefined;
  const definition = definitions[job.name] as JobDefinition;
  return { ended: perform(deps, { job, definition, stopping, alsoReport: reporterOf?.(job) }) };
}

interface Work {
  job: sql.Job;
  definition: JobDefinition;
  stopping?: AbortSignal;
  alsoReport?: JobReporter;
}

type AbortReason = 'canceled' | 'stopping' | 'lost';

async function perform(deps: JobDeps, work: Work): Promise<void> {
  const { job, stopping, alsoReport } = work;
  const abort = new AbortController();
  const stop = () => abort.abort('stopping' satisfies AbortReason);
  if (stopping?.aborted) stop();
  stopping?.addEventListener('abort', stop);
  const renewal = keepRenewing(async () => {
    const isCanceled = await sql.renewJob(deps.control, job, leaseFrom(deps.clock()));
    if (isCanceled !== false) abort.abort((isCanceled ? 'canceled' : 'lost') satisfies AbortReason);
  }, RENEW_MS);
  const progress = createProgressWriter(deps, job);
  const report: JobReporter = (far) => {
    progress.report(far);
    alsoReport?.(far);
  };
  try {
    const outcome = await run(work, { signal: abort.signal, report }).then(
      (result) => ({ result }),
      (error: Error) => ({ error }),
    );
    await progress.settle();
    if ('result' in outcome)
      await end(deps, work, { state: 'done', attempts: job.attempts, ...outcome, finishedAt: deps.clock() });
    else await endAfterError(deps, work, outcome.error, abort.signal.reason as AbortReason | undefined);
  } finally {
    renewal.stop();
    stopping?.removeEventListener('abort', stop);
  }
}

async function run({ job, definition }: Work, context: JobContext): Promise<object | undefined> {
  if (job.attempts > (definition.claims ?? definition.attempts)) throw new FinalError(LOST);
  const abandoned = new Promise<never>((_resolve, reject) => {
    const abandon = () => setTimeout(() => reject(new JobLost(LOST)), STOP_WITHIN_MS).unref();
    if (context.signal.aborted) abandon();
    else context.signal.addEventListener('abort', abandon);
  });
  return (await Promise.race([definition.run(job, context), abandoned])) ?? undefined;
}

async function endAfterError(deps: JobDeps, work: Work, error: Error, reason?: AbortReason): Promise<void> {
  const { job, definition } = work;
  const { attempts } = job;
  const now = deps.clock();
  if (reason === 'lost') return;
  if (reason === 'canceled') return end(deps, work, { state: 'canceled', attempts, finishedAt: now });
  const isRepeatable = definition.attempts > 1;
  // A stop that we asked for is not the job's fault and does not count as an attempt.
  if (reason === 'stopping' && isRepeatable)
    return end(deps, work, { state: 'queued', attempts: attempts - 1, finishedAt: null });
  const cause = reason === 'stopping' ? new FinalError(LOST) : error;
  deps.log.warn({ err: cause, job: job.name, subject: job.subject, attempts }, 'job failed');
  const text = cause.message.slice(0, LONGEST_ERROR);
  const waitMs = cause instanceof JobLost ? 0 : definition.retryMs && backoffMs(attempts, definition.retryMs);
  if (waitMs !== undefined && attempts < definition.attempts && !(cause instanceof FinalError)) {
    const runAt = new Date(now.getTime() + waitMs);
    return end(deps, work, { state: 'queued', attempts, runAt, error: text, finishedAt: null });
  }
  await definition.onFailed?.(job, cause);
  return end(deps, work, { state: 'failed', attempts, error: text, finishedAt: now });
}

/** A recurring job starts over, and is not retried beyond its next scheduled time. */
async function end(deps: JobDeps, { job, definition }: Work, ending: sql.Ending): Promise<void> {
  const next = definition.next?.(job, deps.clock());
  const isOver = ending.state !== 'queued';
  if (next && (isOver || (ending.runAt && ending.runAt >= next)))
    await sql.endJob(deps.control, job, { ...ending, state: 'queued', attempts: 0, runAt: next });
  else await sql.endJob(deps.control, job, ending);
}

/** Writes a job's progress, at most twice a second within a phase. */
function createProgressWriter(deps: JobDeps, job: sql.Job): { report: JobReporter; settle(): Promise<void> } {
  const turns = createTurns();
  let lastAt = 0;
  let lastPhase = '';
  return {
    report({ phase, ...rest }) {
      const now = performance.now();
      if (phase === lastPhase && now - lastAt < REPORT_EVERY_MS) return;
      [lastAt, lastPhase] = [now, phase];
      const progress = { phase, rows: null, rows_per_second: null, share: null, seconds_left: null, ...rest };
      // A report that cannot be written is superseded by the next one.
      void turns(() => sql.updateProgress(deps.control, job, progress)).catch(() => {});
    },
    settle: () => turns(async () => {}),
  };
}

interface Part extends Pick<WorkOptions, 'reporterOf'> {
  ids: string[];
  jobs: JobDefinitions;
  onEnd(job: sql.Job): void;
}

/** Works on the jobs until all have ended; `onEnd` is called for each. */
export async function workUntilDone(deps: JobDeps, { ids, jobs, reporterOf, onEnd }: Part): Promise<void> {
  const ended = new Set<string>();
  for (;;) {
    const isBusy = await workOnJob(deps, jobs, { ids, reporterOf });
    for (const job of await sql.listJobs(deps.control, ids)) {
      if (ended.has(job.id) || job.state === 'queued' || job.state === 'running') continue;
      ended.add(job.id);
      onEnd(job);
    }
    if (ended.size === ids.length) return;
    if (!isBusy) await sleep(POLL_MS);
  }
}
