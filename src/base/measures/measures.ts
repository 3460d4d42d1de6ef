// Service-wide measurements, taken once a minute and stored in the control plane, so that a scrape costs one small read
// and every process shows the same numbers: the age of queues, the lag of the relay, the last load of each source.
import type { Queryable } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import * as sql from './sql.ts';

interface Measure {
  type: 'gauge' | 'counter';
  help: string;
  labels: readonly string[];
}

const gauge = (help: string, ...labels: string[]): Measure => ({ type: 'gauge', help, labels });

/** All processes expose the same value: use `max`, never `sum`, over instances. */
export const MEASURES = {
  platbook_measured_timestamp_seconds: gauge('When the worker last measured.'),
  platbook_queue_age_seconds: gauge('How long the oldest work of a queue has waited beyond its time.', 'queue'),
  platbook_queue_waiting: gauge('Pieces of work that are due and wait.', 'queue'),
  platbook_relay_lag_seconds: gauge('Age of the oldest property change not yet relayed to watchlists.'),
  platbook_source_last_load_timestamp_seconds: gauge('When a source was last known to be current.', 'market', 'source'),
  platbook_source_cadence_seconds: gauge('How often a source is published.', 'market', 'source'),
  platbook_source_failed_loads: gauge('Failed loads of a source since its last success.', 'market', 'source'),
  platbook_payments_last_day: gauge('Payments of the last 24 hours by outcome.', 'status'),
  platbook_invoices_overdue: gauge('Open invoices past their due date.'),
  platbook_usage_unaccounted: gauge('Counters whose usage no invoice, allowance or waiver accounts for; always 0.'),
  platbook_backup_last_success_timestamp_seconds: gauge('When the last backup was finished; absent if none was.'),
  platbook_backup_failures: gauge('Backups that failed since the last one that did not.'),
  platbook_component_up: gauge('1 while a component is up by its last judged minute.', 'component'),
  platbook_job_runs_total: {
    type: 'counter',
    help: 'Scheduled jobs and portions of queues, by outcome.',
    labels: ['job', 'outcome'],
  },
  platbook_job_last_success_timestamp_seconds: gauge('When a scheduled job last succeeded.', 'job'),
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof MEASURES;

export interface Measurement {
  name: MeasureName;
  labels: Record<string, string>;
  value: number;
}

export const measurement = (name: MeasureName, value: number, labels: Record<string, string> = {}): Measurement => ({
  name,
  labels,
  value,
});

/** Replaces all measurements with these names. */
export async function saveMeasurements(
  db: Queryable,
  names: MeasureName[],
  measured: Measurement[],
  now: Date,
): Promise<void> {
  await sql.replaceMeasurements(db, names, measured, now);
}

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

export const { listMeasurements } = sql;
