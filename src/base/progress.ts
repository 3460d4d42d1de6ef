// A progress bar on a terminal, or a line every few seconds where the output is not a terminal.

export type Progress = (done: number, total: number, what?: string) => void;

const WIDTH = 28;
const LINE_EVERY_MS = 2_000;

export function progressBar(title: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  let lastWrite = 0;
  return (done, total, what = '') => {
    const now = performance.now();
    const isDone = done >= total;
    if (!isDone && now - lastWrite < (stream.isTTY ? 50 : LINE_EVERY_MS)) return;
    lastWrite = now;
    const filled = Math.round((Math.min(done, total) / Math.max(1, total)) * WIDTH);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`;
    const text = `${title} ${bar} ${Math.round((done / Math.max(1, total)) * 100)}% ${what}`;
    if (stream.isTTY) stream.write(`\r\x1b[K${text}${isDone ? '\n' : ''}`);
    else stream.write(`${text}\n`);
  };
}
