// Runs independent fits of trees and networks on this thread or on worker threads, with the same result either way.
import { Worker } from 'node:worker_threads';
import type { Attention, AttentionShape } from '../../avm/attention.ts';
import type { Gaussian } from '../../avm/gaussian.ts';
import { predictRows, type Trees } from '../../avm/trees.ts';
import { fitAttention, predictAttention, type AttentionData, type AttentionOptions } from './attention.ts';
import { fitGaussian, predictGaussianRows, type GaussianOptions } from './gaussian.ts';
import type { Matrix } from './bins.ts';
import { growTrees, type TreeOptions } from './trees.ts';

type RowJob = {
  matrix: Matrix;
  target: Float64Array;
  options: TreeOptions | GaussianOptions;
  /** Rows to predict with the fitted model. */
  predict: Float32Array;
  isKept: boolean;
};

type AttentionJob = {
  attention: { data: AttentionData; shape: AttentionShape; options: AttentionOptions };
  /** Rows to fit on, and rows to predict with the fitted network. */
  learned: Int32Array;
  predicted: Int32Array;
  isKept: boolean;
};

export type FitJob = RowJob | AttentionJob;

export type FitResult = { fitted: Trees | Gaussian | Attention | null; predictions: Float64Array };

/**
 * Jobs are created when a thread is free for them, so that only a few matrices exist at a time. `onResult` receives
 * each result as soon as it is ready, and whether an earlier run produced it.
 */
export type RunFits = (jobs: Array<() => FitJob>, onResult?: OnResult) => Promise<FitResult[]>;
type OnResult = (at: number, result: FitResult, isReused: boolean) => void;

export function runFit(job: FitJob): FitResult {
  if ('attention' in job) {
    const { data, shape, options } = job.attention;
    const network = fitAttention(data, shape, job.learned, options);
    return { fitted: job.isKept ? network : null, predictions: predictAttention(data, network, job.predicted) };
  }
  const { matrix, target, options, predict, isKept } = job;
  if ('kernel' in options) {
    const fitted = fitGaussian(matrix, target, options);
    return { fitted: isKept ? fitted : null, predictions: predictGaussianRows(fitted, predict, matrix.columns) };
  }
  const trees = growTrees(matrix, target, options);
  const predictions = predict.length > 0 ? predictRows(trees, predict) : new Float64Array(0);
  return { fitted: isKept ? trees : null, predictions };
}

export const runFitsHere: RunFits = async (jobs, onResult) =>
  jobs.map((makeJob, at) => {
    const result = runFit(makeJob());
    onResult?.(at, result, false);
    return result;
  });

type FitThreads = { run: RunFits; close(): Promise<void> };

export function openFitThreads(count: number): FitThreads {
  if (count <= 1) return { run: runFitsHere, close: async () => {} };
  const workers = Array.from({ length: count }, () => new Worker(new URL('./fit-worker.ts', import.meta.url)));
  const run: RunFits = async (jobs, onResult) => {
    const results: FitResult[] = Array.from({ length: jobs.length });
    let next = 0;
    const drain = async (worker: Worker): Promise<void> => {
      while (next < jobs.length) {
        const at = next++;
        results[at] = await askWorker(worker, jobs[at]());
        onResult?.(at, results[at], false);
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

const askWorker = (worker: Worker, job: FitJob): Promise<FitResult> =>
  new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(error);
    worker.once('error', onError);
    worker.once('message', (result: FitResult) => {
      worker.off('error', onError);
      resolve(result);
    });
    const handedOver = 'attention' in job ? [] : [job.matrix.values.buffer, job.predict.buffer];
    worker.postMessage(job, handedOver as ArrayBuffer[]);
  });
