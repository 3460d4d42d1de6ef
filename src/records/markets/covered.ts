// What is loaded where, market by market: read for the first answer that asks about one, since a country has tens of
// thousands of rows, and reading them all was most of a start.
import { entryOf } from '../../base/lib/must.ts';
import type { CoverageRow } from './sql.ts';

/** Of the markets that it was read for; asking about another is a mistake in the program. */
export interface Coverage {
  ofPlace(place: { fips: number; market: string }): CoverageRow[];
  ofMarket(market: string): CoverageRow[];
}

export function createCoverage(list: (markets: string[]) => Promise<CoverageRow[]>) {
  // By county within a market: a page of 500 properties with six layers each asks 3,000 times.
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
