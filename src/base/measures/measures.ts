// Service-wide measurements, taken once a minute and stored in the control plane, so that a scrape costs one small read
// and every process shows the same numbers: the age of queues, the lag of the relay, the last load of each source.
import type { Queryable } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import written from './measures.json' with { type: 'json' };
import * as sql from './sql.ts';

export type MeasureName = keyof typeof written;

/** All processes expose the same value: use `max`, never `sum`, over instances. */
export const MEASURES = written as Record<MeasureName, { type: string; help: string; labels: string[] }>;

export interface Measurement extends sql.MeasurementRow {
  name: MeasureName;
}

export const measurement = (name: MeasureName, value: number, labels: Record<string, string> = {}): Measurement => ({
  name,
  labels,
  value,
});

/** Failing to count must not fail the job. */
export async function countJob(deps: Pick<Deps, 'control' | 'clock'>, job: string, isSuccess: boolean): Promise<void> {
  const now = deps.clock();
  const outcome = isSuccess ? 'succeeded' : 'failed';
  await sql
    .addToMeasurements(deps.control, [measurement('platbook_job_runs_total', 1, { job, outcome })], now)
    .then(() => (isSuccess ? markSuccess(deps.control, job, now) : undefined))
    .catch(() => {});
}

async function markSuccess(db: Queryable, job: string, now: Date): Promise<void> {
  const at = measurement('platbook_job_last_success_timestamp_seconds', now.getTime() / 1000, { job });
  await sql.replaceMeasurements(db, [], [at], now);
}
