// The process that does one job on a market: started by the worker, which sends it the settings and the job, and ended
// with it.
import type { Config } from './config.ts';
import type { JobOutcome, JobRow } from './jobs/jobs.ts';
import { open } from './open.ts';
import { performJob } from './perform-job.ts';
import { LOAD_TIMEOUT_MS } from './refresh.ts';

export interface JobOrder {
  config: Config;
  job: JobRow;
}

async function run({ config, job }: JobOrder): Promise<JobOutcome> {
  const { deps, close } = await open({ ...config, statementTimeoutMs: LOAD_TIMEOUT_MS });
  try {
    return { result: await performJob(deps, job) };
  } catch (error) {
    return { error: (error as Error).message };
  } finally {
    await close();
  }
}

// Without its worker nobody would learn how it ended, and the job is given to another.
process.once('disconnect', () => process.exit(1));
process.once('message', (order: JobOrder) => {
  void run(order).then((outcome) => process.send!(outcome, () => process.exit(0)));
});
