// The process that does one job on a market: started by whoever has claimed the job, who sends it the settings and the job,
// and ended with it.
import type { JobOutcome } from '../base/jobs/jobs.ts';
import { open } from './open.ts';
import type { JobMessage, JobOrder } from './perform-apart.ts';
import { performJob, type Telling } from './perform-job.ts';
import { LOAD_TIMEOUT_MS } from './refresh.ts';

const send = (message: JobMessage, then = () => {}): void => void process.send!(message, then);

const tell: Telling = {
  report: (report) => send({ report }),
  progress: (...progress) => send({ progress }),
  write: (write) => send({ write }),
};

async function run({ config, job }: JobOrder): Promise<JobOutcome> {
  const { deps, close } = await open({ ...config, statementTimeoutMs: LOAD_TIMEOUT_MS });
  try {
    return { result: await performJob(deps, job, tell) };
  } catch (error) {
    return { error: (error as Error).message };
  } finally {
    await close();
  }
}

// Without whoever started it nobody would learn how it ended, and the job is given to another.
process.once('disconnect', () => process.exit(1));
process.once('message', (order: JobOrder) => {
  void run(order).then((outcome) => send({ outcome }, () => process.exit(0)));
});
