// Opens the program's connections for a command, and always closes them.
import type { Config } from '../base/config.ts';
import type { Deps } from '../base/deps.ts';
import { describeFailure, type IngestDeps, type IngestOptions } from '../supply/ingest/ingest.ts';
import { showProgress } from '../supply/ingest/progress.ts';
import { formatReport } from '../supply/ingest/report.ts';
import type { Source } from '../supply/ingest/source.ts';
import { open } from './open.ts';
import type { JobReporter } from '../base/jobs/jobs.ts';
import { progressBar } from '../base/progress.ts';
import { followLoad, LOAD_TIMEOUT_MS, loadingDeps } from './refresh.ts';

export async function withDeps(config: Config, work: (deps: Deps) => Promise<void>): Promise<void> {
  const { deps, close } = await open({ ...config, statementTimeoutMs: LOAD_TIMEOUT_MS });
  try {
    await work(deps);
    // Later reads see the command's effect, on the replica too.
    await deps.replica?.settle();
  } finally {
    await close();
  }
}

/** Reports progress on stderr. */
export const ingestDeps = (deps: Deps): IngestDeps => loadingDeps(deps, (text) => void process.stderr.write(text));

/** Prints the outcome of each dataset, and updates derived data. */
export const printLoads = (deps: Deps, all: Source[]): Pick<IngestOptions, 'onReport' | 'onFailure' | 'afterLoad'> => ({
  onReport: (report) => console.log(formatReport(report)),
  onFailure: (failure) => console.error(`Not loaded: ${describeFailure(failure)}`),
  afterLoad(market) {
    const progress = showProgress(market, 0, (text) => process.stderr.write(text));
    return followLoad(deps, all, market, progress);
  },
});

/** Shows a job's progress on stderr: a line per phase, and a bar if the share is known. */
export function printProgress(title: string): JobReporter {
  const clear = process.stderr.isTTY ? '\r\x1b[K' : '';
  const bar = progressBar(title);
  let last = '';
  return ({ phase, share, detail }) => {
    if (share !== undefined && share !== null) return bar(share, 1, detail ?? phase);
    if (phase !== last) process.stderr.write(`${clear}${title}  ${phase}\n`);
    last = phase;
  };
}
