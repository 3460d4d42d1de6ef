// Opens the program's connections for a command that works on data, and closes them whatever happens.
import type { Config } from '../base/config.ts';
import type { Deps } from '../base/deps.ts';
import type { IngestDeps } from '../supply/ingest/ingest.ts';
import { open } from './open.ts';
import { progressBar } from '../base/progress.ts';
import { LOAD_TIMEOUT_MS, loadingDeps } from './refresh.ts';

export async function withDeps(config: Config, work: (deps: Deps) => Promise<void>): Promise<void> {
  const { deps, close } = await open({ ...config, statementTimeoutMs: LOAD_TIMEOUT_MS });
  try {
    await work(deps);
    // Whoever looks after the command sees what it did.
    await deps.replica?.settle();
  } finally {
    await close();
  }
}

/** Reports progress on stderr. */
export const ingestDeps = (deps: Deps): IngestDeps => loadingDeps(deps, (text) => void process.stderr.write(text));

/** Reports stages and progress on stderr; a line of a stage takes the place of the bar on a terminal. */
export function tellTraining(market: string) {
  const clear = process.stderr.isTTY ? '\r\x1b[K' : '';
  return {
    report: (line: string): void => void process.stderr.write(`${clear}${market}  ${line}\n`),
    progress: progressBar(market),
  };
}
