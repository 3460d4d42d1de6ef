// Every job that runs in its own process, by name.
import { readSources } from '../../sources/sources.ts';
import type { Deps } from '../base/deps.ts';
import type { JobReporter } from '../base/jobs/jobs.ts';
import type { Job } from '../base/jobs/sql.ts';
import type { JobName } from '../base/jobs/payloads.ts';
import { findSources } from '../supply/ingest/ingest.ts';
import { runCountyStep } from './counties/steps.ts';
import { loadSources, trainAndValue } from './load-and-train.ts';

type Run<Name extends JobName> = (deps: Deps, job: Job<Name>, report: JobReporter) => Promise<object>;

const RUNS: { [Name in Exclude<JobName, 'export' | 'schedule'>]: Run<Name> } = {
  ingest: async (deps, { subject, payload }, report) => {
    const all = readSources();
    return { reports: await loadSources(deps, { ...findSources(all, [subject]), all, ...payload, report }) };
  },
  train: (deps, { subject, payload }, report) => trainAndValue(deps, subject, payload, report),
  'county-read': runCountyStep,
  'county-preview': runCountyStep,
  'county-load': runCountyStep,
  'county-train': runCountyStep,
};

export type ProcessJobName = keyof typeof RUNS;

/** Returns the result of the job. */
export async function runJob(deps: Deps, job: Job<ProcessJobName>, report: JobReporter): Promise<object> {
  const result = await (RUNS[job.name] as Run<ProcessJobName>)(deps, job, report);
  // A caller that sees the job as done also sees its effect, on the replica too.
  await deps.replica?.settle();
  return result;
}
