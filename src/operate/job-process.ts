// Runs a job in its own process, because it occupies a core for minutes, which would block lease renewal here, and
// because a process can be killed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Config } from '../base/config.ts';
import { JobLost, type JobContext, type JobReporter } from '../base/jobs/jobs.ts';
import type { Job } from '../base/jobs/sql.ts';
import type { ProcessJobName } from './run-job.ts';

export interface JobOrder {
  config: Config;
  job: Job<ProcessJobName>;
}

/** Sent by the process of a job. */
export type JobMessage = { progress: Parameters<JobReporter>[0] } | { result: object } | { error: string };

const ENTRY = new URL('./job-main.ts', import.meta.url);

/** Returns the result of the job. */
export async function runJobProcess(order: JobOrder, { signal, report }: JobContext, entry = ENTRY): Promise<object> {
  const child = fork(entry, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const kill = () => child.kill('SIGKILL');
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill);
  let ending: Exclude<JobMessage, { progress: unknown }> | undefined;
  child.on('message', (message: JobMessage) => {
    if ('progress' in message) report(message.progress);
    else ending = message;
  });
  // Ignores send errors: a process that ended early is handled by its exit.
  child.send(order, () => {});
  const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null];
  signal.removeEventListener('abort', kill);
  if (!ending) throw new JobLost(`The process that did this ended with ${killedBy ?? `code ${code}`}. Try again.`);
  if ('error' in ending) throw new Error(ending.error);
  return ending.result;
}
