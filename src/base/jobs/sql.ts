// Every query of the jobs on markets.
import type { Queryable } from '../db/postgres.ts';

export type JobKind = 'ingest' | 'train';

export interface JobOptions {
  /** ingest: a folder, a URL or `publisher`. */
  from?: string;
  force?: boolean;
  /** Only a worker of this machine may take it: it is about a folder there. */
  host?: string;
}

export interface JobRow {
  id: string;
  kind: JobKind;
  subject: string;
  options: JobOptions;
  state: 'waiting' | 'running' | 'done' | 'failed';
  attempts: number;
  result: string | null;
}

const JOB = 'id, kind, subject, options, state, attempts, result';

type NewJob = Pick<JobRow, 'id' | 'kind' | 'subject' | 'options'>;

/** One that is open for the same subject stands for this one. Returns the id of either. */
export async function insertJob(db: Queryable, job: NewJob, at: Date): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `insert into market_jobs (id, kind, subject, options, created_at) values ($1, $2, $3, $4, $5)
     on conflict (kind, subject) where state in ('waiting', 'running') do update set kind = excluded.kind
     returning id`,
    [job.id, job.kind, job.subject, JSON.stringify(job.options), at],
  );
  return rows[0].id;
}

interface Claim {
  now: Date;
  leasedUntil: Date;
  mostAttempts: number;
  host: string;
  /** Only these. */
  ids?: string[];
}

/** The oldest that waits, or whose worker was lost. */
export async function claimJob(db: Queryable, claim: Claim): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(
    `update market_jobs set state = 'running', leased_until = $2, attempts = attempts + 1
     where id = (
       select id from market_jobs
       where (state = 'waiting' or (state = 'running' and leased_until < $1)) and attempts < $3
         and coalesce(options->>'host', $4) = $4 and ($5::text[] is null or id = any ($5))
       order by created_at, id for update skip locked limit 1)
     returning ${JOB}`,
    [claim.now, claim.leasedUntil, claim.mostAttempts, claim.host, claim.ids ?? null],
  );
  return rows[0];
}

/** False once the job was taken for lost and given to another. */
export async function renewJob(
  db: Queryable,
  { id, attempts }: Pick<JobRow, 'id' | 'attempts'>,
  until: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update market_jobs set leased_until = $3 where id = $1 and attempts = $2 and state = 'running'`,
    [id, attempts, until],
  );
  return rowCount === 1;
}

interface Finish extends Pick<JobRow, 'id' | 'attempts'> {
  state: 'done' | 'failed';
  result: string;
  at: Date;
}

export async function finishJob(db: Queryable, { id, attempts, state, result, at }: Finish): Promise<void> {
  await db.query(
    `update market_jobs set state = $3, result = $4, finished_at = $5, leased_until = null
     where id = $1 and attempts = $2 and state = 'running'`,
    [id, attempts, state, result, at],
  );
}

/** Another may take it at once. */
export async function releaseJob(
  db: Queryable,
  { id, attempts }: Pick<JobRow, 'id' | 'attempts'>,
  isNoTry: boolean,
): Promise<void> {
  await db.query(
    `update market_jobs set state = 'waiting', leased_until = null, attempts = attempts - $3
     where id = $1 and attempts = $2 and state = 'running'`,
    [id, attempts, isNoTry ? 1 : 0],
  );
}

/** Jobs whose worker was lost once too often. */
export async function failLostJobs(
  db: Queryable,
  { now, mostAttempts, result }: { now: Date; mostAttempts: number; result: string },
): Promise<void> {
  await db.query(
    `update market_jobs set state = 'failed', result = $3, finished_at = $1, leased_until = null
     where state = 'running' and leased_until < $1 and attempts >= $2`,
    [now, mostAttempts, result],
  );
}

export async function listJobs(db: Queryable, ids: string[]): Promise<JobRow[]> {
  const { rows } = await db.query<JobRow>(
    `select ${JOB} from market_jobs where id = any ($1) order by finished_at, created_at, id`,
    [ids],
  );
  return rows;
}

export async function findJob(db: Queryable, id: string): Promise<JobRow | undefined> {
  return (await db.query<JobRow>(`select ${JOB} from market_jobs where id = $1`, [id])).rows[0];
}

export async function deleteFinishedJobs(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from market_jobs where finished_at < $1', [before]);
}
