// Reports a running load on stderr: rows, rate and time left.

export interface Progress {
  advance(rows: number, bytes: number): void;
  say(text: string): void;
  done(): void;
}

export function showProgress(
  label: string,
  totalBytes: number,
  write: (text: string) => void,
  everyMs = 2000,
): Progress {
  const started = performance.now();
  let last = started;
  let [rows, bytes] = [0, 0];
  return {
    advance(moreRows, moreBytes) {
      rows += moreRows;
      bytes += moreBytes;
      const now = performance.now();
      if (now - last < everyMs) return;
      last = now;
      const seconds = (now - started) / 1000;
      const share = totalBytes > 0 ? Math.min(1, bytes / totalBytes) : 0;
      const left = share > 0 ? Math.round((seconds / share) * (1 - share)) : undefined;
      const eta = left === undefined ? '' : `, ${Math.round(share * 100)}%, ${left} s left`;
      write(
        `${label}: ${rows.toLocaleString('en')} rows, ${Math.round(rows / seconds).toLocaleString('en')}/s${eta}\n`,
      );
    },
    say: (text) => write(`${label}: ${text}\n`),
    done() {
      const seconds = (performance.now() - started) / 1000;
      write(`${label}: ${rows.toLocaleString('en')} rows in ${seconds.toFixed(1)} s\n`);
    },
  };
}

export const noProgress: Progress = { advance() {}, say() {}, done() {} };
