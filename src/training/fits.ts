// Runs many independent tree fits, on this thread or spread over worker threads; the result is the same either way.
import { Worker } from 'node:worker_threads';
import { predictRows, type Trees } from '../valuations/trees.ts';
import type { Matrix } from './bins.ts';
import { growTrees, type TreeOptions } from './trees.ts';

export type FitJob = {
  matrix: Matrix;
  target: Float64Array;
  options: TreeOptions;
  /** Rows to predict with the fitted trees. */
  predict: Float32Array;
  keepTrees: boolean;
};

export type FitResult = { trees: Trees | null; predictions: Float64Array };

/** Jobs are made when a thread is free for them, so that only a few matrices exist at a time. */
export type RunFits = (jobs: Array<() => FitJob>) => Promise<FitResult[]>;

export function runFit(job: FitJob): FitResult {
  const trees = growTrees(job.matrix, job.target, job.options);
  const predictions = job.predict.length > 0 ? predictRows(trees, job.predict) : new Float64Array(0);
  return { trees: job.keepTrees ? trees : null, predictions };
}

export const runFitsHere: RunFits = async (jobs) => jobs.map((makeJob) => runFit(makeJob()));

export type FitThreads = { run: RunFits; close(): Promise<void> };

export function openFitThreads(count: number): FitThreads {
  if (count <= 1) return { run: runFitsHere, close: async () => {} };
  const workers = Array.from({ length: count }, () => new Worker(new URL('./fit-worker.ts', import.meta.url)));
  const run: RunFits = async (jobs) => {
    const results: FitResult[] = Array.from({ length: jobs.length });
    let next = 0;
    const drain = async (worker: Worker): Promise<void> => {
      while (next < jobs.length) {
        const at = next++;
        results[at] = await askWorker(worker, jobs[at]());
      }
    };
    await Promise.all(workers.map(drain));
    return results;
  };
  return {
    run,
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function askWorker(worker: Worker, job: FitJob): Promise<FitResult> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(error);
    worker.once('error', onError);
    worker.once('message', (result: FitResult) => {
      worker.off('error', onError);
      resolve(result);
    });
    worker.postMessage(job, [job.matrix.values.buffer as ArrayBuffer, job.predict.buffer as ArrayBuffer]);
  });
}
