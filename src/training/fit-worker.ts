// A thread that fits trees: one job in, one result out.
import { parentPort } from 'node:worker_threads';
import { runFit, type FitJob } from './fits.ts';

parentPort!.on('message', (job: FitJob) => {
  parentPort!.postMessage(runFit(job));
});
