// Loaded into every test process: kills it and its children on timeout and reports what it was waiting for. The
// runner's own timeout fails the test but waits for the process and its output, possibly forever.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

const ENDS_AFTER_MS = Number(process.env.PLATBOOK_TEST_ENDS_AFTER_MS ?? 1_000_000);
/** A run alone keeps twice as many processes as cores; beyond four times, other programs take the CPU. */
const BUSY_LOAD = 4 * availableParallelism();
const ROUNDS_WHEN_BUSY = 3;

let rounds = 0;
setInterval(() => {
  rounds++;
  if (loadavg()[2] > BUSY_LOAD && rounds < ROUNDS_WHEN_BUSY) return;
  const waitsFor = process.getActiveResourcesInfo().join(', ');
  const seconds = (rounds * ENDS_AFTER_MS) / 1000;
  process.stderr.write(`✖ ${process.argv[1]} did not end within ${seconds} s; it waits for ${waitsFor}\n`);
  for (const pid of descendantsOf(process.pid)) kill(pid);
  process.exit(1);
}, ENDS_AFTER_MS).unref();

function descendantsOf(pid: number): number[] {
  const children = Object.entries(readParents()).flatMap(([child, parent]) => (parent === pid ? [Number(child)] : []));
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Parent by process; empty where there is no /proc. */
function readParents(): Record<string, number> {
  const parents: Record<string, number> = {};
  for (const pid of listProcesses()) {
    try {
      parents[pid] = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return parents;
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
