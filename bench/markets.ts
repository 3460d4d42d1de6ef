// Real markets for measurements: public records loaded by the recipes that are served, each in a database of its own.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSources } from '../sources/sources.ts';
import type { Sale } from '../src/insight/avm/attributes.ts';
import type { Config } from '../src/base/config.ts';
import type { Deps } from '../src/base/deps.ts';
import { findSources, ingest } from '../src/supply/ingest/ingest.ts';
import { open } from '../src/operate/open.ts';
import { readSales } from '../src/insight/valuations/open-models.ts';

/** What to load, as `platbook ingest` names it, and the market that it makes. */
export const MARKETS: Record<string, { load: string; market: string }> = {
  'king-county': { load: 'king-county-wa/house-sales', market: 'king-county-wa' },
  seattle: { load: 'king-county-wa/seattle-sales', market: 'king-county-wa' },
  'king-county-and-seattle': { load: 'king-county-wa', market: 'king-county-wa' },
  milwaukee: { load: 'milwaukee-wi', market: 'milwaukee-wi' },
  'new-york': { load: 'new-york-ny', market: 'new-york-ny' },
  philadelphia: { load: 'philadelphia-pa', market: 'philadelphia-pa' },
};

export const marketNames = Object.keys(MARKETS);

export type LoadedMarket = { deps: Deps; market: string; sales: Sale[] };

/** Loads the market unless an earlier run has, and closes its database when the work is done. */
export async function withMarket<Result>(
  config: Config,
  name: string,
  work: (loaded: LoadedMarket) => Promise<Result>,
): Promise<Result> {
  const { load, market } = MARKETS[name];
  const home = join(tmpdir(), `platbook-bench-market-${name}`);
  const { deps, close } = await open({ ...config, home, logLevel: 'silent', statementTimeoutMs: 600_000 });
  try {
    const known = await readSales(deps, market);
    if (known.length > 0) return await work({ deps, market, sales: known });
    const { sources, datasets } = findSources(readSources(), [load]);
    await ingest({ data: deps.data, clock: deps.clock, cacheFolder: home }, sources, readSources(), {
      from: config.recordsFolder,
      datasets,
    });
    return await work({ deps, market, sales: await readSales(deps, market) });
  } finally {
    await close();
  }
}

export const hasRecords = (config: Config): boolean => existsSync(config.recordsFolder);
