// The process of one job: receives the settings and the job from the worker that claimed it, and ends with the job.
import { explain } from '../base/lib/command-error.ts';
import type { JobMessage, JobOrder } from './job-process.ts';
import { open } from './open.ts';
import { LOAD_TIMEOUT_MS } from './refresh.ts';
import { runJob } from './run-job.ts';

const send = (message: JobMessage, onSent = () => {}): void => void process.send!(message, onSent);

async function run({ config, job }: JobOrder): Promise<JobMessage> {
  const { deps, close } = await open({ ...config, statementTimeoutMs: LOAD_TIMEOUT_MS });
  try {
    return { result: await runJob(deps, job, (progress) => send({ progress })) };
  } catch (error) {
    const sentence = explain(error);
    if (typeof sentence === 'string') return { error: sentence };
    deps.log.error({ err: error, job: job.name }, 'job failed');
    return { error: (error as Error).message };
  } finally {
    await close();
  }
}

// Without its worker, nobody could cancel the job or learn how it ended.
process.once('disconnect', () => process.exit(1));
process.once('message', (order: JobOrder) => {
  run(order).then(
    (message) => send(message, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
