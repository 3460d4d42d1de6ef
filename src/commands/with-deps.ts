// Opens the program's connections for a command that works on data, and closes them whatever happens.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import type { IngestDeps } from '../ingest/ingest.ts';
import { open } from '../open.ts';

/** A load of a whole city runs single statements for minutes; requests keep the short limit. */
const LOAD_TIMEOUT_MS = 600_000;

export async function withDeps(config: Config, work: (deps: Deps) => Promise<void>): Promise<void> {
  const { deps, close } = await open({ ...config, statementTimeoutMs: LOAD_TIMEOUT_MS });
  try {
    await work(deps);
  } finally {
    await close();
  }
}

export function ingestDeps(deps: Deps): IngestDeps {
  return {
    data: deps.data,
    clock: deps.clock,
    cacheFolder: join(deps.config.home, 'downloads'),
    write: (text) => void process.stderr.write(text),
  };
}
