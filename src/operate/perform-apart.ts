// A job on a market in a process of its own: it takes all of a core for minutes, during which nobody in that process could
// renew its lease.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Config } from '../base/config.ts';
import { JobLost, type JobOutcome } from '../base/jobs/jobs.ts';
import { type JobRow } from '../base/jobs/sql.ts';
import type { Telling } from './perform-job.ts';

export interface JobOrder {
  config: Config;
  job: JobRow;
}

/** What the process of a job says of it while it goes on, and how it ended. */
export type JobMessage =
  | { report: string }
  | { progress: Parameters<NonNullable<Telling['progress']>> }
  | { write: string }
  | { outcome: JobOutcome };

/** Returns what there is to say about it. */
export async function performApart(
  order: JobOrder,
  { tell = {}, stopping }: { tell?: Telling; stopping?: AbortSignal } = {},
): Promise<string> {
  const child = fork(new URL('./market-job.ts', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const kill = () => child.kill('SIGKILL');
  stopping?.addEventListener('abort', kill);
  let outcome: JobOutcome | undefined;
  child.on('message', (message: JobMessage) => {
    if ('outcome' in message) outcome = message.outcome;
    else if ('report' in message) tell.report?.(message.report);
    else if ('progress' in message) tell.progress?.(...message.progress);
    else tell.write?.(message.write);
  });
  child.send(order, () => {});
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  stopping?.removeEventListener('abort', kill);
  if (outcome && 'result' in outcome) return outcome.result;
  if (outcome) throw new Error(outcome.error);
  throw new JobLost(`The process that did this ended with ${signal ?? `code ${code}`}.`, stopping?.aborted ?? false);
}
