// Measures the latency and CPU of operations, and prints tables of results.

export interface Sample {
  p50Ms: number;
  p99Ms: number;
  cpuUs: number;
  count: number;
  /** Calls before the first that counts. */
  warmUp: number;
}

type Work = (i: number) => Promise<unknown>;

/** One call at a time, after a warm-up; CPU time of this process alone. */
export async function measure(work: Work, count = 400): Promise<Sample> {
  const [sample] = await measureInTurns([work], count);
  return sample;
}

/** Several operations that take turns call by call, so that whatever else the machine does slows them all alike. */
export async function measureInTurns(works: readonly Work[], count = 400): Promise<Sample[]> {
  const warmUp = Math.min(40, count);
  const timings = works.map(() => ({ times: [] as number[], cpuUs: 0 }));
  for (let i = 0; i < warmUp + count; i++) {
    for (const [k, work] of works.entries()) {
      const cpu = process.cpuUsage();
      const start = performance.now();
      await work(i);
      const took = performance.now() - start;
      if (i < warmUp) continue;
      const { user, system } = process.cpuUsage(cpu);
      timings[k].times.push(took);
      timings[k].cpuUs += user + system;
    }
  }
  return timings.map(({ times, cpuUs }) => {
    times.sort((a, b) => a - b);
    return {
      p50Ms: times[Math.floor(count * 0.5)],
      p99Ms: times[Math.floor(count * 0.99)],
      cpuUs: cpuUs / count,
      count,
      warmUp,
    };
  });
}

export function printTable(title: string, head: string[], rows: (string | number)[][]): void {
  const widths = head.map((word, i) => Math.max(word.length, ...rows.map((row) => String(row[i]).length)));
  const line = (cells: (string | number)[]) =>
    `| ${cells.map((cell, i) => String(cell).padEnd(widths[i])).join(' | ')} |`;
  console.log(`\n${title}\n\n${line(head)}\n${line(widths.map((width) => '-'.repeat(width)))}`);
  for (const row of rows) console.log(line(row));
}

export const ms = (value: number) => value.toFixed(value < 10 ? 2 : 1);
