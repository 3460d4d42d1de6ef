// How far a training is and how long it will take: stages have known shares, fits are counted within them.
import type { Progress } from '../../base/progress.ts';
import type { RunFits } from './fit/fits.ts';
import type { Report } from './stages.ts';

/** Share of the time of one model that passes before the line of each stage, measured on King County and Milwaukee. */
const SHARES: Record<string, number> = {
  1: 0.08,
  2: 0.01,
  3: 0.13,
  4: 0.1,
  5: 0.02,
  6: 0.08,
  7: 0.43,
  8: 0.09,
  9: 0.06,
};
const LAST_STAGE = 9;

/** Wraps what a training of so many models reports and runs, and tells how much of it is done. */
export function followTraining(
  { report, run }: { report: Report; run: RunFits },
  models: number,
  progress: Progress,
  now: () => number = () => performance.now(),
): { report: Report; run: RunFits } {
  const startedAt = now();
  let [finished, stage, inStage, reused] = [-1, 0, 0, 0];
  const shareUpTo = (last: number): number => {
    let sum = 0;
    for (let k = 1; k <= last; k++) sum += SHARES[k];
    return sum;
  };
  const done = (): number => (Math.max(0, finished) + shareUpTo(stage) + inStage * (SHARES[stage + 1] ?? 0)) / models;
  const tell = (what: string): void => {
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
      const told = /^(\d) /.exec(line);
      // A line without a number begins the next model.
      if (!told) [finished, stage] = [finished + 1, 0];
      else stage = Math.min(LAST_STAGE, Number(told[1]));
      inStage = 0;
      tell(line.split(':')[0]);
    },
    run: (jobs, told) => {
      let count = 0;
      return run(jobs, (at, result, isReused) => {
        told?.(at, result, isReused);
        inStage = ++count / jobs.length;
        if (isReused) reused += (SHARES[stage + 1] ?? 0) / jobs.length / models;
        tell(`fit ${count} of ${jobs.length}`);
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
