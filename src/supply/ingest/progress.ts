// Reports a running load by phase: rows, rate and time left; as lines on stderr, or for the dashboard.
import type { JobProgress } from '../../base/jobs/sql.ts';

export interface Progress {
  advance(rows: number, bytes: number): void;
  /** Reports a PostgreSQL phase while it runs, and its rate at the end. Work in steps of similar length reports
      completed steps, which gives the time left. */
  during<Result>(what: string, rows: number, work: (step: Step) => Promise<Result>): Promise<Result>;
  /** Bytes or features of a download so far. */
  received(name: string, bytes: number, total: number | undefined): void;
  done(): void;
}

export type Step = (done: number, total: number) => void;

const EVERY_MS = 2_000;

/** Undefined before the first step is done. */
const secondsLeft = (begun: number, done: number, total: number): number | undefined =>
  done === 0 ? undefined : Math.round((secondsSince(begun) / done) * (total - done));

export function showProgress(
  label: string,
  totalBytes: number,
  write: (text: string) => void,
  everyMs = EVERY_MS,
): Progress {
  const started = performance.now();
  let last = started;
  let [rows, bytes] = [0, 0];
  const isTime = () => {
    const now = performance.now();
    if (now - last < everyMs) return false;
    last = now;
    return true;
  };
  return {
    advance(moreRows, moreBytes) {
      rows += moreRows;
      bytes += moreBytes;
      if (!isTime()) return;
      const seconds = secondsSince(started);
      const share = totalBytes > 0 ? Math.min(1, bytes / totalBytes) : 0;
      const left = share > 0 ? Math.round((seconds / share) * (1 - share)) : undefined;
      const eta = left === undefined ? '' : `, ${Math.round(share * 100)}%, ${left} s left`;
      write(`${label}: reading, ${format(rows)} rows, ${rate(rows, seconds)}${eta}\n`);
    },
    async during(what, count, work) {
      const begun = performance.now();
      let [done, total, isTold] = [0, 0, false];
      const show = () => {
        isTold = true;
        const left = secondsLeft(begun, done, total);
        const steps = total === 0 ? '' : `, ${done} of ${total} done${left === undefined ? '' : `, ${left} s left`}`;
        write(`${label}: ${what}${ofRows(count)}, ${secondsSince(begun).toFixed(0)} s so far${steps}\n`);
      };
      const timer = setInterval(show, everyMs);
      try {
        return await work((now, all) => {
          [done, total] = [now, all];
        });
      } finally {
        clearInterval(timer);
        const seconds = secondsSince(begun);
        // A timer may fire a fraction of a millisecond early.
        if (isTold || seconds * 1000 >= everyMs)
          write(
            `${label}: ${what}${ofRows(count)} in ${seconds.toFixed(1)} s${count > 0 ? `, ${rate(count, seconds)}` : ''}\n`,
          );
      }
    },
    received(name, have, total) {
      if (!isTime()) return;
      const share = total ? `, ${Math.round((have / total) * 100)}%` : '';
      write(`${label}: downloading ${name}, ${format(have)}${share}\n`);
    },
    done() {
      write(`${label}: ${format(rows)} rows in ${secondsSince(started).toFixed(1)} s\n`);
    },
  };
}

export function reportPhases(totalBytes: number, report: (progress: JobProgress) => void): Progress {
  const started = performance.now();
  let [rows, bytes] = [0, 0];
  const none = { rows: null, rows_per_second: null, share: null, seconds_left: null };
  return {
    advance(moreRows, moreBytes) {
      rows += moreRows;
      bytes += moreBytes;
      const seconds = secondsSince(started);
      const share = totalBytes > 0 ? Math.min(1, bytes / totalBytes) : null;
      report({
        phase: 'reading',
        rows,
        rows_per_second: Math.round(rows / Math.max(seconds, 0.001)),
        share,
        seconds_left: share ? Math.round((seconds / share) * (1 - share)) : null,
      });
    },
    during(what, count, work) {
      const begun = performance.now();
      report({ ...none, phase: what, rows: count });
      return work((done, total) =>
        report({
          ...none,
          phase: what,
          rows: count,
          share: done / total,
          seconds_left: secondsLeft(begun, done, total) ?? null,
        }),
      );
    },
    received: (name, have, total) =>
      report({ ...none, phase: `downloading ${name}`, share: total ? have / total : null }),
    done() {},
  };
}

const secondsSince = (instant: number) => (performance.now() - instant) / 1000;
/** Empty if the row count is not known yet. */
const ofRows = (count: number) => (count > 0 ? `, ${format(count)} rows` : '');
const format = (value: number) => value.toLocaleString('en');
const rate = (rows: number, seconds: number) => `${format(Math.round(rows / Math.max(seconds, 0.001)))}/s`;

export const noProgress: Progress = {
  advance() {},
  during: (_what, _rows, work) => work(() => {}),
  received() {},
  done() {},
};
