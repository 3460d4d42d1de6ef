// Every query on jobs.
import type { Queryable } from '../db/postgres.ts';
import { changeRow, changeRows, findRow, findValue, getRow, hasRow, listRows, part, raw } from '../db/statements.ts';
import type { JobName, JobPayloads } from './payloads.ts';

type JobState = 'queued' | 'running' | 'done' | 'failed' | 'canceled';

export interface JobProgress {
  phase: string;
  rows: number | null;
  rows_per_second: number | null;
  /** 0 to 1. */
  share: number | null;
  seconds_left: number | null;
  /** For a terminal, next to the progress bar. */
  detail?: string;
}

export interface Job<Name extends JobName = JobName> {
  id: string;
  name: Name;
  subject: string;
  payload: JobPayloads[Name];
  state: JobState;
  attempts: number;
  fence: number;
  is_cancel_requested: boolean;
  progress: JobProgress | null;
  result: Record<string, unknown> | null;
  error: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

const JOB = `id, name, subject, payload, state, attempts, fence, is_cancel_requested, progress, result, error, created_at,
  started_at, finished_at`;

export interface NewJob<Name extends JobName = JobName> {
  name: Name;
  subject: string;
  payload: JobPayloads[Name];
  /** At most one open job has a key; the name and subject unless given. */
  key?: string;
  /** Only a worker on this machine may claim it. */
  host?: string;
}

/** Returns the existing open job with the same key, if any. */
export const insertJob = <Name extends JobName>(
  db: Queryable,
  { id, name, subject, payload, key, host, runAt, at }: NewJob<Name> & { id: string; runAt: Date; at: Date },
) =>
  getRow<Job<Name>>(db)`
    insert into jobs (id, name, subject, key, payload, host, run_at, created_at) values (${id}, ${name}, ${subject}, ${key ?? `${name}:${subject}`}, ${JSON.stringify(payload)}, ${host ?? null}, ${runAt}, ${at})
    on conflict (key) where state in ('queued', 'running') do update set key = excluded.key
    returning ${raw(JOB)}`;

interface Claim {
  names: string[];
  now: Date;
  leasedUntil: Date;
  host: string;
  /** Only these jobs. */
  ids?: string[];
}

/**
 * Claims the job that has been due longest, queued or with an expired lease. Jobs per second with 8 lanes on 1,000 and on
 * 100,000 queued jobs (docs/decisions/0012):
 * - `for update skip locked limit 1`, this one: 556 and 261;
 * - the same without the partial index `jobs_due`: 466 and 37;
 * - `for update`, where lanes wait for each other: 316 and 228;
 * - `select`, then `update` where the fence is unchanged: 155 and 122, because lanes race for the same row;
 * - ten at once: 1,428 and 1,126, but jobs take seconds, and nine of the ten would be kept from idle workers.
 */
export const claimJob = (db: Queryable, claim: Claim) =>
  findRow<Job>(db)`
    update jobs set state = 'running', leased_until = ${claim.leasedUntil}, attempts = attempts + 1, fence = fence + 1, started_at = ${claim.now}
    where id = (
      select id from jobs
      where state in ('queued', 'running') and run_at <= ${claim.now} and name = any (${claim.names})
        and (leased_until is null or leased_until < ${claim.now}) and (host is null or host = ${claim.host})
        and (${claim.ids ?? null}::text[] is null or id = any (${claim.ids ?? null}::text[]))
      order by run_at, id for update skip locked limit 1)
    returning ${raw(JOB)}`;

const held = ({ id, fence }: Job) => part`id = ${id} and fence = ${fence} and state = 'running'`;

/** Undefined if the lease was lost to another worker; otherwise whether cancellation was requested. */
export const renewJob = (db: Queryable, job: Job, leasedUntil: Date) =>
  findValue<boolean>(db)`
    update jobs set leased_until = ${leasedUntil} where ${held(job)} returning is_cancel_requested`;

export const updateProgress = (db: Queryable, job: Job, progress: JobProgress) =>
  changeRows(db)`update jobs set progress = ${progress} where ${held(job)}`;

export interface Ending {
  state: JobState;
  attempts: number;
  /** When a job that returns to the queue may be claimed again. */
  runAt?: Date;
  result?: object | null;
  error?: string | null;
  finishedAt: Date | null;
}

/** Ends a job or returns it to the queue. False if the lease was lost to another worker, which then decides. */
export const endJob = (db: Queryable, job: Job, ending: Ending) =>
  changeRow(db)`
    update jobs set state = ${ending.state}, attempts = ${ending.attempts}, run_at = coalesce(${ending.runAt ?? null}, run_at),
      result = ${ending.result ?? null}, error = ${ending.error ?? null}, finished_at = ${ending.finishedAt}, leased_until = null
    where ${held(job)}`;

/** A queued job is canceled at once, a running one by its worker. */
export const requestCancel = (db: Queryable, id: string, now: Date) =>
  changeRows(db)`update jobs set is_cancel_requested = true,
      state = case when state = 'queued' then 'canceled' else state end,
      finished_at = case when state = 'queued' then ${now} else finished_at end
    where id = ${id} and state in ('queued', 'running')`;

export const listJobs = (db: Queryable, ids: string[]) =>
  listRows<Job>(db)`select ${raw(JOB)} from jobs where id = any (${ids}) order by finished_at, created_at, id`;

/** The newest job of each name for each subject. */
export const listLatestJobs = <Name extends JobName>(db: Queryable, names: readonly Name[], subjects: string[]) =>
  listRows<Job<Name>>(db)`
    select distinct on (subject, name) ${raw(JOB)} from jobs where subject = any (${subjects}) and name = any (${names})
    order by subject, name, created_at desc, id desc`;

export const findOpenJob = (db: Queryable, key: string) =>
  findRow<Job>(db)`select ${raw(JOB)} from jobs where key = ${key} and state in ('queued', 'running')`;

/** Whether such a job was ever done, with at least these members in its payload. */
export const hasDone = <Name extends JobName>(
  db: Queryable,
  { name, subject, payload = {} }: { name: Name; subject: string; payload?: Partial<JobPayloads[Name]> },
) =>
  hasRow(db)`
    select from jobs where subject = ${subject} and name = ${name} and state = 'done' and payload @> ${payload} limit 1`;

export const deleteJobsOf = (db: Queryable, names: readonly JobName[], subject: string) =>
  changeRows(db)`delete from jobs where subject = ${subject} and name = any (${names})`;

export const deleteFinishedJobs = (db: Queryable, names: JobName[], before: Date) =>
  changeRows(db)`
    delete from jobs where state in ('done', 'failed', 'canceled') and finished_at < ${before} and name = any (${names})`;

/** Adds new schedules, moves those whose times were changed, and deletes those that no longer exist. */
export const saveSchedules = (
  db: Queryable,
  schedules: { id: string; subject: string; schedule: JobPayloads['schedule']; runAt: Date }[],
  at: Date,
) =>
  changeRows(db)`with listed as (
      select * from jsonb_to_recordset(${JSON.stringify(schedules)}::jsonb) as s (id text, subject text, schedule jsonb, "runAt" timestamptz)
    ), gone as (
      delete from jobs where name = 'schedule' and id not in (select id from listed)
    )
    insert into jobs as j (id, name, subject, key, payload, run_at, created_at)
    select id, 'schedule', subject, id, schedule, "runAt", ${at} from listed order by id
    on conflict (id) do update set payload = excluded.payload, run_at = excluded.run_at
      where j.payload <> excluded.payload`;
