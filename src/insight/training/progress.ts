// Progress of a training and the time left: stages have measured shares of the time, and fits are counted within them.
import type { Progress } from '../../base/progress.ts';
import type { RunFits } from './fit/fits.ts';
import type { Report } from './stages.ts';

/** Share of one model's time that each stage takes, from the first, measured on King County. */
const SHARES = [0, 0.06, 0.01, 0.12, 0.02, 0.08, 0.5, 0.08, 0.03, 0.1];
const LAST_STAGE = 9;

/** Wraps `report` and `run` of a training of several models so that each call updates the progress. */
export function followTraining(
  { report, run }: { report: Report; run: RunFits },
  models: number,
  progress: Progress,
  now: () => number = () => performance.now(),
): { report: Report; run: RunFits } {
  const startedAt = now();
  let [finished, stage, inStage, reused] = [-1, 0, 0, 0];
  const shareUpTo = (last: number) => SHARES.slice(1, last + 1).reduce((sum, share) => sum + share, 0);
  const done = (): number => (Math.max(0, finished) + shareUpTo(stage) + inStage * (SHARES[stage + 1] ?? 0)) / models;
  const update = (what: string): void => {
    const own = done() - reused;
    const left = own > 0.005 ? ((now() - startedAt) * (1 - done())) / own : undefined;
    progress(
      Math.min(999, Math.round(1000 * done())),
      1000,
      left === undefined ? what : `${what}, ${wordsFor(left)} left`,
    );
  };
  return {
    report(line) {
      report(line);
      const numbered = /^(\d) /.exec(line);
      // A line without a number begins the next model.
      if (!numbered) [finished, stage] = [finished + 1, 0];
      else stage = Math.min(LAST_STAGE, Number(numbered[1]));
      inStage = 0;
      update(line.split(':')[0]);
    },
    run: (jobs, onResult) => {
      let count = 0;
      return run(jobs, (at, result, isReused) => {
        onResult?.(at, result, isReused);
        inStage = ++count / jobs.length;
        if (isReused) reused += (SHARES[stage + 1] ?? 0) / jobs.length / models;
        update(`fit ${count} of ${jobs.length}`);
      });
    },
  };
}

function wordsFor(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 90) return `about ${Math.max(1, Math.round(seconds / 5) * 5)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `about ${minutes} min` : `about ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
