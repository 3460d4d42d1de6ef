// Measures the latency and CPU of one operation, and prints tables of results.

export interface Sample {
  p50Ms: number;
  p99Ms: number;
  cpuUs: number;
  count: number;
  /** Calls before the first that counts. */
  warmUp: number;
}

/** One call at a time, after a warm-up; CPU time of this process alone. */
export async function measure(work: (i: number) => Promise<unknown>, count = 400): Promise<Sample> {
  const warmUp = Math.min(40, count);
  for (let i = 0; i < warmUp; i++) await work(i);
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await work(i + warmUp);
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  return {
    p50Ms: times[Math.floor(count * 0.5)],
    p99Ms: times[Math.floor(count * 0.99)],
    cpuUs: (user + system) / count,
    count,
    warmUp,
  };
}

export function printTable(title: string, head: string[], rows: (string | number)[][]): void {
  const widths = head.map((word, i) => Math.max(word.length, ...rows.map((row) => String(row[i]).length)));
  const line = (cells: (string | number)[]) =>
    `| ${cells.map((cell, i) => String(cell).padEnd(widths[i])).join(' | ')} |`;
  console.log(`\n${title}\n\n${line(head)}\n${line(widths.map((width) => '-'.repeat(width)))}`);
  for (const row of rows) console.log(line(row));
}

export const ms = (value: number) => value.toFixed(value < 10 ? 2 : 1);
