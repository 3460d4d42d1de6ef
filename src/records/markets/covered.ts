// Coverage by market, loaded on first use: the country has tens of thousands of rows, and reading them all dominated
// startup.
import { entryOf } from '../../base/lib/must.ts';
import type { CoverageRow } from './sql.ts';

/** Covers only the markets it was read for; querying another is a bug. */
export interface Coverage {
  ofPlace(place: { fips: number; market: string }): CoverageRow[];
  ofMarket(market: string): CoverageRow[];
}

export function createCoverage(list: (markets: string[]) => Promise<CoverageRow[]>) {
  // Indexed by county within a market: a page of 500 properties with six layers each does 3,000 lookups.
  const known = new Map<string, Map<number, CoverageRow[]>>();
  const coverage: Coverage = {
    ofPlace: ({ fips, market }) => entryOf(known, market).get(fips) ?? [],
    ofMarket: (market) => [...entryOf(known, market).values()].flat(),
  };
  return async (markets: ReadonlySet<string>): Promise<Coverage> => {
    const missing = [...markets].filter((market) => !known.has(market));
    const rows = missing.length === 0 ? [] : await list(missing);
    const found = Map.groupBy(rows, ({ market }) => market);
    for (const market of missing)
      known.set(
        market,
        Map.groupBy(found.get(market) ?? [], ({ fips }) => fips),
      );
    return coverage;
  };
}
