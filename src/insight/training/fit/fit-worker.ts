// A thread that runs fits: one job in, one result out.
import { parentPort } from 'node:worker_threads';
import { runFit, type FitJob } from './fits.ts';

parentPort!.on('message', (job: FitJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage(runFit(job));
});
