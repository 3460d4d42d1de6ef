// What a job on a market does: loads a source and what follows from it, or trains a market and values its homes.
import { readSources } from '../../sources/sources.ts';
import type { Deps } from '../base/deps.ts';
import { type JobRow } from '../base/jobs/sql.ts';
import { findSources, ingest } from '../supply/ingest/ingest.ts';
import { formatReport } from '../supply/ingest/report.ts';
import type { Progress } from '../base/progress.ts';
import { measureMarket } from '../insight/quality/quality.ts';
import { followLoad, loadingDeps, valueAndRollUp } from './refresh.ts';
import { trainMarket } from '../insight/training/training.ts';

export interface Telling {
  report?(line: string): void;
  progress?: Progress;
  /** Receives the progress of loads. */
  write?(text: string): void;
}

/** Returns what there is to say about it, in lines. */
export async function performJob(deps: Deps, job: Pick<JobRow, 'kind' | 'subject' | 'options'>, tell: Telling = {}) {
  const lines = job.kind === 'train' ? await train(deps, job, tell) : await load(deps, job, tell);
  // Whoever is told that it is done sees what it did.
  await deps.replica?.settle();
  return lines.join('\n');
}

type Job = Pick<JobRow, 'subject' | 'options'>;

async function train(deps: Deps, { subject, options }: Job, { report, progress }: Telling): Promise<string[]> {
  const training = await trainMarket(deps, subject, {
    isForced: options.force,
    report,
    progress,
    home: deps.config.home,
  });
  const decision = `${subject}  ${training.version}  ${training.decision}`;
  if (!training.isPublished) return [decision];
  const values = describeValues(await valueAndRollUp(deps, subject));
  await measureMarket(deps, subject);
  return [decision, values];
}

async function load(deps: Deps, { subject, options }: Job, { write }: Telling): Promise<string[]> {
  const { sources, datasets } = findSources(readSources(), [subject]);
  const reports = await ingest(loadingDeps(deps, write), sources, readSources(), {
    from: options.from ?? deps.config.recordsFolder,
    datasets,
    force: options.force,
    afterLoad: (market) => followLoad(deps, readSources(), market),
  });
  return reports.map(formatReport);
}

export function describeValues(result: Awaited<ReturnType<typeof valueAndRollUp>>): string {
  return `${result.market}  ${result.valued.toLocaleString('en')} homes valued by ${result.model} in ${result.seconds} s; ${result.skipped} have too few sales nearby`;
}
