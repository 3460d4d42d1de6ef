// The state of a county: whether it is loaded, and the certainty of each layer that the catalog lists for it.
import type { Deps } from '../../base/deps.ts';
import type { Config } from '../../base/config.ts';
import { readCatalog, type Entry, type Fact } from '../../supply/catalog/catalog.ts';
import { listReadings } from '../../supply/catalog/readings.ts';

export async function statusOf(deps: Pick<Deps, 'catalog'>, fips: number) {
  const { counts } = await deps.catalog.read();
  const own = counts.filter((row) => row.fips === fips);
  const properties = own.reduce((sum, row) => sum + row.property_count, 0);
  const markets = [...new Set(own.map(({ market }) => market))];
  return {
    isLoaded: properties > 0,
    properties,
    markets,
    words: properties > 0 ? `loaded, ${properties.toLocaleString('en')} properties` : 'not loaded',
  };
}

/** The catalog entry of a URL, even if the URL was narrowed to the county's rows. */
export const findListed = ({ home }: Pick<Config, 'home'>, fips: number, url: string): Entry | undefined =>
  readCatalog(home)
    .entriesOf(fips)
    .find((entry) => entry.url === url || url.startsWith(`${entry.url}/query?`));

/** Replaces the facts expected of a layer's kind with those of a reading. */
export function withReadings(home: string, entries: Entry[]) {
  const readings = listReadings(home);
  return entries.map((entry) => {
    const reading = Object.hasOwn(readings, entry.url) ? readings[entry.url] : undefined;
    const brings: readonly Fact[] = reading?.brings ?? entry.brings;
    return {
      ...entry,
      brings,
      /** `read` once it has been read; `listed` before. */
      certainty: reading ? ('read' as const) : ('listed' as const),
      readOn: reading?.day ?? null,
      rows: reading?.rows ?? null,
    };
  });
}

export const describeEntries = (home: string, entries: Entry[]): string[] =>
  withReadings(home, entries).map(({ kind, name, area, format, brings, license, url, certainty, readOn, note }) => {
    const whose = name || (area.length === 2 ? 'the state' : 'the county');
    const sure = certainty === 'read' ? `read on ${readOn}` : 'listed';
    return [
      `  ${kind.padEnd(10)}${whose}: ${brings.join(', ')}; ${format}, ${sure}, ${license || 'no license stated'}`,
      `            ${url}`,
      ...(note ? [`            ${note}`] : []),
    ].join('\n');
  });
