// Starts worker processes and kills them mid-work with SIGKILL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('./crash-worker.ts', import.meta.url));

/** Kills one process after it has done this many chunks and begun the next. True if it got that far. */
export async function runAndKill(
  args: string[],
  environment: Record<string, string>,
  portions: number,
  extraMs: number,
  isOver: () => Promise<boolean> = async () => false,
): Promise<boolean> {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let done = 0;
  const reached = new Promise<boolean>((resolve) => {
    createInterface({ input: child.stdout }).on('line', () => {
      if (++done >= portions) resolve(true);
    });
    void ended.then(() => resolve(false));
    const timer = setInterval(() => {
      void isOver().then((over) => {
        if (over) resolve(false);
      });
    }, 250);
    void ended.then(() => clearInterval(timer));
  });
  const isReached = await reached;
  if (isReached) await new Promise((resolve) => setTimeout(resolve, extraMs));
  child.kill('SIGKILL');
  await ended;
  return isReached;
}
